"""What callers hold as sources, as passages: strings, dicts, passages, and the documents of other frameworks.

Foreign documents are known by their shape, so that no framework is imported to read its documents.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

from surefoot.core.errors import InputError
from surefoot.core.types import Json, Passage, ScoredPassage

_TEXT = ("text", "content", "page_content", "chunk_text", "chunkText")
_METADATA = ("metadata", "meta", "chunk_metadata", "chunkMetadata")
_SIMILARITY = ("similarity", "score")
_NAMED = frozenset({"id", *_TEXT, *_METADATA, *_SIMILARITY})


@runtime_checkable
class PageDocument(Protocol):
    """A LangChain document."""

    @property
    def page_content(self) -> str: ...
    @property
    def metadata(self) -> Any: ...


@runtime_checkable
class NodeDocument(Protocol):
    """A LlamaIndex node or document, with or without a score."""

    def get_content(self) -> str: ...
    @property
    def metadata(self) -> Any: ...


@runtime_checkable
class ContentDocument(Protocol):
    """A Haystack document."""

    @property
    def content(self) -> str | None: ...
    @property
    def meta(self) -> Any: ...


Source = (
    str
    | Passage
    | ScoredPassage
    | Mapping[str, Any]
    | tuple[str, Mapping[str, Any]]
    | PageDocument
    | NodeDocument
    | ContentDocument
)
"""A text, a passage, a dict with `text` (and `id`, `metadata`), a text with its metadata, a framework's document."""
Sources = Source | Iterable[Source]
_ONE = (str, Passage, ScoredPassage, Mapping, PageDocument, NodeDocument, ContentDocument)


def as_passages(sources: Sources) -> tuple[Passage, ...]:
    """The first source is [S1], the second [S2]; passages and dicts that have an id keep it."""
    if isinstance(sources, _ONE) or _is_pair(sources):
        sources = (sources,)  # type: ignore[assignment]
    if not isinstance(sources, Iterable):
        raise InputError(
            f"sources must be a list of texts or documents, not {type(sources).__name__!r}; give [] for none"
        )
    passages = tuple(as_passage(source, number) for number, source in enumerate(sources, 1))
    seen: set[str] = set()
    for passage in passages:
        if passage.id in seen:
            raise InputError(f"source id {passage.id!r} is used twice; give every source an id of its own")
        seen.add(passage.id)
    return passages


def as_passage(source: object, number: int) -> Passage:
    """One source as a passage; one without an id of its own is S<number>."""
    identity = f"S{number}"
    match source:
        case str():
            return Passage(id=identity, text=source)
        case Passage():
            return source
        case ScoredPassage():
            return source.passage
        case Mapping():
            return _of_mapping(source, number)
        case (str() as text, Mapping() as metadata):
            return Passage(id=identity, text=text, metadata=_plain(metadata))
        case PageDocument():
            return _made(identity, number, source.page_content, source.metadata)
        case NodeDocument():
            return _made(identity, number, source.get_content(), source.metadata)
        case ContentDocument():
            return _made(identity, number, source.content or "", source.meta)
    raise InputError(
        f"source {number} is a {type(source).__name__!r}, which cannot be read; "
        "give a text, a dict with 'text', a Passage or a document of LangChain, LlamaIndex or Haystack"
    )


def _of_mapping(given: Mapping[str, Any], number: int) -> Passage:
    text = next((given[key] for key in _TEXT if key in given), None)
    if not isinstance(text, str):
        keys = ", ".join(map(repr, given)) or "no keys"
        raise InputError(f"source {number} has no 'text' that is a string (it has {keys}); give {{'text': '…'}}")
    metadata = next((given[key] for key in _METADATA if key in given), None)
    # Keys beside the known ones say something of the text, such as its title or address.
    others = {key: value for key, value in given.items() if key not in _NAMED}
    similarity = next((given[key] for key in _SIMILARITY if key in given), None)
    identity = given.get("id")
    return _made(
        f"S{number}" if identity in (None, "") else str(identity),
        number,
        text,
        {**others, **(metadata or {})},
        similarity,
    )


def _made(identity: str, number: int, text: object, metadata: object, similarity: object = None) -> Passage:
    if not isinstance(text, str):
        raise InputError(f"source {number}: its text is a {type(text).__name__!r}; give a string")
    return Passage(
        id=identity,
        text=text,
        metadata=_plain(metadata) if isinstance(metadata, Mapping) else {},
        similarity=float(similarity) if isinstance(similarity, int | float) else None,
    )


def _plain(metadata: Mapping[Any, Any]) -> dict[str, Json]:
    """What JSON can say of it; objects of the caller's are left out."""
    return {str(key): value for key, value in metadata.items() if _is_plain(value)}


def _is_plain(value: object) -> bool:
    if isinstance(value, list):
        return all(_is_plain(item) for item in value)
    return value is None or isinstance(value, str | int | float | bool)


def _is_pair(sources: object) -> bool:
    return (
        isinstance(sources, tuple)
        and len(sources) == 2
        and isinstance(sources[0], str)
        and isinstance(sources[1], Mapping)
    )
