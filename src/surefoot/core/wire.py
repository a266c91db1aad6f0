"""JSON in and out: the design's camelCase names on the wire, our snake_case inside.

Input may use either spelling. Output is always camelCase, with the names the CAG design gives them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from surefoot.core.case import CASE
from surefoot.core.errors import InputError
from surefoot.core.hashing import plain
from surefoot.core.request import CITATIONS
from surefoot.core.revive import revive
from surefoot.core.types import (
    AskResult,
    JudgeResult,
    Passage,
    ScoredPassage,
    VerificationResult,
    VerifyInput,
    VerifyOptions,
)


def _spelled(names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Every spelling of every name, with the name it stands for."""
    return {spelling: name for name, others in names.items() for spelling in (name, *others)}


_INPUT_NAMES = _spelled(
    {
        "draft_answer": ("draftAnswer", "draft", "answer"),
        "chunks": ("ragChunks", "rag_chunks", "sources"),
        "profile": ("studentProfile", "student_profile"),
        "rag_draft": ("ragDraft",),
        "question": ("query",),
        "case": (),
        "session_id": ("sessionId",),
        "pack": (),
        "rules": (),
        "options": (),
        "citations": (),
    }
)
_OPTION_NAMES = _spelled(
    {
        "skip_llm_verification": ("skipLLMVerification", "skipLlmVerification"),
        "strict_mode": ("strictMode",),
        "llm_model": ("llmModel",),
        "deadline_ms": ("deadlineMs",),
        "citations": (),
    }
)
_CHUNK_NAMES = _spelled(
    {
        "id": (),
        "text": ("chunk_text", "chunkText", "content"),
        "metadata": ("chunk_metadata", "chunkMetadata"),
        "similarity": ("score",),
    }
)
_RENAMED = {"processing_time_ms": "processingTime"}
_SHORT = {"processingTime": "processing_time_ms", "stageTimes": "stage_times_ms"}
MAX_CHUNKS = 20_000
EXAMPLE = '{"draft_answer": "We open daily [S1].", "chunks": ["The library opens daily."]}'
"""The least that can be verified, for whoever gave something else."""


def parse_verify_input(data: object, *, place: str = "input") -> VerifyInput:
    """A VerifyInput from decoded JSON; an InputError names the key, the value and the remedy."""
    if not isinstance(data, Mapping):
        raise InputError(f"{place} must be a JSON object such as {EXAMPLE}, not {_shown(data)}")
    values = _named(data, _INPUT_NAMES, place)
    if "draft_answer" not in values:
        raise InputError(f"{place}: 'draft_answer' is missing; give an object such as {EXAMPLE}")
    draft = _text(values, "draft_answer", place, required=True)
    chunks = _given(values, "chunks", [])
    if not isinstance(chunks, list):
        raise InputError(f"{place}: 'chunks' must be a list of passages, not {_shown(chunks)}; give [] for none")
    if len(chunks) > MAX_CHUNKS:
        raise InputError(f"{place}: 'chunks' has {len(chunks)} passages; give at most {MAX_CHUNKS}")
    rules = _given(values, "rules", [])
    if not isinstance(rules, list) or not all(isinstance(rule, str) for rule in rules):
        raise InputError(f"{place}: 'rules' must be a list of file paths, not {_shown(rules)}")
    passages = _parse_chunks(chunks, place)
    case = _text(values, "case", place)
    if case is not None and any(passage.id == CASE for passage in passages):
        raise InputError(f"{place}: a chunk has the id {CASE!r}, which means the case; give the chunk another id")
    return VerifyInput(
        draft_answer=draft or "",
        chunks=passages,
        profile=_mapping(_given(values, "profile", {}), f"{place}: profile"),
        rag_draft=_text(values, "rag_draft", place),
        question=_text(values, "question", place),
        case=case,
        session_id=_text(values, "session_id", place),
        pack=_text(values, "pack", place),
        rules=tuple(rules),
        options=_parse_options(values.get("options"), f"{place}: options", values.get("citations")),
    )


def result_to_wire(result: VerificationResult) -> dict[str, Any]:
    """A VerificationResult in the design's shape. The certificate keeps its own key names: it is a document."""
    wired: dict[str, Any] = plain(result_shape(result))
    return wired


def result_shape(result: VerificationResult) -> dict[str, Any]:
    """The same names over the result's own values, for who writes them out at once and need not have a copy."""
    metadata = result.metadata
    names = [name for name in metadata.__dataclass_fields__ if name != "certificate"]
    wired = {_RENAMED.get(name, _camel(name)): getattr(metadata, name) for name in names}
    wired["stageTimes"] = wired.pop("stageTimesMs")
    wired["nodes"] = [node.line for node in metadata.nodes]
    wired["certificate"] = metadata.certificate
    return {
        "success": result.success,
        "decision": result.decision,
        "finalAnswer": result.final_answer,
        "metadata": wired,
    }


def ask_to_wire(answer: AskResult) -> dict[str, Any]:
    """A VerificationResult with what the question added: passages, rounds and what stayed unanswered."""
    return {
        **result_to_wire(answer.result),
        "question": answer.question,
        "domain": answer.domain,
        "cached": answer.cached,
        "passages": [passage_to_wire(found) for found in answer.passages],
        "rounds": [{_camel(key): value for key, value in plain(turn).items()} for turn in answer.rounds],
        "unanswered": list(answer.unanswered),
        "premises": list(answer.premises),
        "resolved": answer.resolved,
        "replaced": list(answer.replaced),
        "searches": [plain(search) for search in answer.searches],
    }


def ask_from_wire(data: Mapping[str, Any]) -> AskResult:
    """The way back of `ask_to_wire`, for an answer that came over HTTP; InputError: it is no such answer."""
    try:
        metadata = {_SHORT.get(name, _snake(name)): value for name, value in data["metadata"].items()}
        metadata["nodes"] = [_step(node) for node in metadata.get("nodes", [])]
        result = {"success": data["success"], "decision": data["decision"], "final_answer": data["finalAnswer"]}
        passages = [
            {
                "passage": {name: found[name] for name in ("id", "text", "metadata", "similarity")},
                **{_snake(name): value for name, value in found["scores"].items()},
            }
            for found in data["passages"]
        ]
        rounds = [{_snake(name): value for name, value in turn.items()} for turn in data["rounds"]]
        names = ("question", "domain", "cached", "unanswered", "premises", "resolved", "replaced", "searches")
        return revive(
            AskResult,
            {
                **{name: data[name] for name in names},
                "result": {**result, "metadata": metadata},
                "passages": passages,
                "rounds": rounds,
            },
        )
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise InputError(f"the reply is not an answer of Surefoot's ({type(error).__name__}: {error})") from error


def judge_to_wire(judged: JudgeResult) -> dict[str, Any]:
    """A verdict in the shape of the judge's design."""
    return {
        "summary": judged.summary,
        "rationale": judged.rationale,
        "domain": judged.domain,
        "grounded": judged.grounded,
        "references": [plain(reference) for reference in judged.references],
        "cut": [{"text": one.before, "became": one.after, "reason": one.code} for one in judged.cut],
    }


def passage_to_wire(found: ScoredPassage) -> dict[str, Any]:
    scores = {name: getattr(found, name) for name in ("score", "dense", "lexical", "fused", "rerank")}
    ranks = {"denseRank": found.dense_rank, "lexicalRank": found.lexical_rank}
    return {
        "id": found.passage.id,
        "text": found.passage.text,
        "metadata": plain(found.passage.metadata),
        "similarity": found.passage.similarity,
        "scores": {name: value for name, value in {**scores, **ranks}.items() if value is not None},
    }


def _parse_chunks(chunks: Sequence[object], place: str) -> tuple[Passage, ...]:
    parsed: list[Passage] = []
    seen: set[str] = set()
    for number, chunk in enumerate(chunks, 1):
        where = f"{place}: chunk {number}"
        given = {"text": chunk} if isinstance(chunk, str) else _mapping(chunk, where)
        values = _named(given, _CHUNK_NAMES, where, closed=False)
        identity = values.get("id", f"S{number}")
        if not isinstance(identity, str | int) or isinstance(identity, bool) or identity == "":
            raise InputError(f"{where}: 'id' must be a text, not {_shown(identity)}")
        if str(identity) in seen:
            raise InputError(f"{where}: id {str(identity)!r} is used twice; give every chunk an id of its own")
        seen.add(str(identity))
        similarity = values.get("similarity")
        if similarity is not None and (isinstance(similarity, bool) or not isinstance(similarity, int | float)):
            raise InputError(f"{where}: 'similarity' must be a number, not {_shown(similarity)}")
        parsed.append(
            Passage(
                id=str(identity),
                text=_text(values, "text", where, required=True) or "",
                metadata=_mapping(_given(values, "metadata", {}), f"{where}: metadata"),
                similarity=None if similarity is None else float(similarity),
            )
        )
    return tuple(parsed)


def _given(values: Mapping[str, object], name: str, default: object) -> object:
    """The value, or the default where it is left out or null; an empty text or a zero is a mistake, not nothing."""
    value = values.get(name)
    return default if value is None else value


def _parse_options(data: object, place: str, citations: object = None) -> VerifyOptions:
    """`citations` may stand beside the answer as well as among its options."""
    values = _named(_mapping({} if data is None else data, place), _OPTION_NAMES, place)
    citations = values.get("citations") if citations is None else citations
    if citations not in (None, *CITATIONS):
        raise InputError(f"{place}: 'citations' must be 'auto' or 'required', not {_shown(citations)}")
    for name in ("skip_llm_verification", "strict_mode"):
        if values.get(name) is not None and not isinstance(values[name], bool):
            raise InputError(f"{place}: {name!r} must be true or false, not {_shown(values[name])}")
    deadline = values.get("deadline_ms")
    if deadline is not None and (isinstance(deadline, bool) or not isinstance(deadline, int) or deadline <= 0):
        raise InputError(f"{place}: 'deadline_ms' must be a whole number of milliseconds, not {_shown(deadline)}")
    return VerifyOptions(
        skip_llm_verification=bool(values.get("skip_llm_verification", False)),
        strict_mode=values.get("strict_mode"),
        llm_model=_text(values, "llm_model", place),
        deadline_ms=deadline,
        citations=None if citations is None else str(citations),
    )


def _named(given: Mapping[str, Any], names: Mapping[str, str], place: str, *, closed: bool = True) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in given.items():
        if key in names:
            values[names[key]] = value
        elif closed:
            known = ", ".join(dict.fromkeys(names.values()))
            raise InputError(f"{place}: unknown key {key!r}; known keys are {known}")
    return values


def _mapping(data: object, place: str) -> Mapping[str, Any]:
    if not isinstance(data, Mapping):
        raise InputError(f"{place} must be a JSON object, not {_shown(data)}")
    return data


def _text(values: Mapping[str, Any], name: str, place: str, *, required: bool = False) -> str | None:
    value = values.get(name)
    if value is None and not required:
        return None
    if not isinstance(value, str):
        missing = "is missing" if name not in values else f"must be a text, not {_shown(value)}"
        raise InputError(f"{place}: {name!r} {missing}; give it as a string")
    return value


@lru_cache(maxsize=512)
def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match.group(1).upper(), name)


def _step(line: Mapping[str, Any]) -> dict[str, Any]:
    """A finished step as `AskEvent.line` wrote it."""
    rest = {name: value for name, value in line.items() if name != "ms"}
    return {**rest, "state": "finished", "took_ms": line["ms"]}


def _snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"_{match.group().lower()}", name)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
