"""The user's own documents as passages and as true sentences, for benches that need ground truth without labels."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.text import sentences
from surefoot.core.types import Passage

PASSAGE_WORDS = 120
SUFFIXES = (".md", ".txt")


@dataclass(frozen=True, kw_only=True, slots=True)
class Fact:
    """A sentence that is true because the document says it."""

    document: int
    passage: int
    """Index into the corpus' passages."""
    text: str


@dataclass(frozen=True, kw_only=True)
class Corpus:
    passages: tuple[str, ...]
    documents: tuple[tuple[int, ...], ...]
    """For each document the indexes of its passages."""
    facts: tuple[Fact, ...]

    def chunks(self, wanted: int, others: tuple[int, ...]) -> tuple[Passage, ...]:
        """The wanted passage as S1 and the others after it."""
        chosen = (wanted, *others)
        return tuple(Passage(id=f"S{number}", text=self.passages[at]) for number, at in enumerate(chosen, 1))


def read_corpus(path: Path) -> Corpus:
    """Every .md and .txt file under a folder (or one file), in the order of their names."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder; give a folder of .md and .txt files")
    files = [path] if path.is_file() else sorted(file for file in path.rglob("*") if file.suffix.lower() in SUFFIXES)
    passages: list[str] = []
    documents: list[tuple[int, ...]] = []
    facts: list[Fact] = []
    for file in files:
        first = len(passages)
        for text in cut(plain(file.read_text(encoding="utf-8", errors="replace"))):
            facts += [
                Fact(document=len(documents), passage=len(passages), text=sentence) for sentence in statements(text)
            ]
            passages.append(text)
        documents.append(tuple(range(first, len(passages))))
    if len(facts) < 20:
        raise InputError(f"{path}: {len(facts)} whole sentences found; at least 20 are needed")
    return Corpus(passages=tuple(passages), documents=tuple(documents), facts=tuple(facts))


def plain(text: str) -> str:
    """Markdown without its marks: paragraphs of one line each; web addresses are kept, relative links are not."""
    text = _LINK.sub(_link, text)
    blocks = []
    for block in re.split(r"\n\s*\n", text):
        if _CHROME.search(block) or block.lstrip().startswith("#"):
            continue
        lines = [_BULLET.sub("", line).strip() for line in block.splitlines()]
        bulleted = any(_BULLET.match(line) for line in block.splitlines())
        if not bulleted:
            blocks.append(_tidy(" ".join(lines)))
    return "\n\n".join(block for block in blocks if block)


def cut(text: str) -> list[str]:
    """Passages of about 120 words that break between paragraphs."""
    found: list[str] = []
    held: list[str] = []
    for block in text.split("\n\n"):
        held.append(block)
        if sum(len(part.split()) for part in held) >= PASSAGE_WORDS:
            found.append("\n\n".join(held))
            held = []
    if held:
        found.append("\n\n".join(held))
    return [passage for passage in found if len(passage.split()) >= 25]


def statements(passage: str) -> list[str]:
    """Sentences that say something by themselves."""
    found = []
    for sentence in sentences(passage):
        text = sentence.text.strip()
        words = text.split()
        if (
            8 <= len(words) <= 40
            and _STATEMENT.match(text)
            and _VERB.search(text)
            and text.count("(") == text.count(")")
        ):
            found.append(text)
    return found


def _link(match: re.Match[str]) -> str:
    words, target = match.group(1).strip(), re.sub(r"\s", "", match.group(2))
    return f"{words} ({target})" if target.startswith("http") else words


def _tidy(text: str) -> str:
    text = re.sub(r"\*\*|__|`", "", text)
    return re.sub(r"\s+([.,;:)])", r"\1", re.sub(r"\s+", " ", text)).strip()


_LINK = re.compile(r"\[([^\]\[]{0,300})\]\(([^)]{0,400})\)")
_BULLET = re.compile(r"\s*(?:[-*+•]|\d{1,2}\.)\s+")
_CHROME = re.compile(r"You are here|^\s*\|| \|\s+\w+\s*$|Tel:|Email:|Fax:|Opening Hours|Homepage:|Locall:")
_STATEMENT = re.compile(
    r"(?!(?:If you (?:want|need|would)|Contact|See|Read|Find|Visit|Check|Download|Apply|Use|Go|Please)\b)"
    r"(?!(?:This|These|It|They)\b)[A-Z].*[.]\Z",
    re.S,
)
_VERB = re.compile(r"\b(?:is|are|was|were|must|can|will|has|have|may|should|cannot|does|do|gets?|pays?|receives?)\b")
