"""What the gate does to whole drafts, sentence by sentence: what of the right reaches the reader, and of the wrong.

A right sentence is *kept* when it stands in the final answer unchanged (markers aside), and *told* when it is kept, or
repaired, or when a sentence of its source that says it stands there instead. A wrong one has *leaked* when it, or a
repaired form that still holds its wrong words, stands there. Whether a quote says what a sentence says is decided by
shared words: the quote must hold half of those words of the sentence that its sources know at all. Greetings and advice
(`silent`) count as right ones for *kept* only and are reported apart.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from pathlib import Path

from surefoot.core.errors import InputError
from surefoot.core.evidence import stems
from surefoot.core.ports import Verifier
from surefoot.core.text import sentences, squash, without_markers, words
from surefoot.core.types import (
    Decision,
    Json,
    ModelReply,
    ModelRequest,
    Passage,
    VerificationResult,
    VerifyInput,
    VerifyOptions,
)

PLENTY_MS = 60_000
"""The bench measures judgement, not speed."""
SAYS = 0.5
"""Share of a sentence's known words that a quote must hold to stand for it."""
LEAST_SHARED = 2
"""One shared word says nothing."""
SAYS_IN_PLACE = 0.3
"""The same where the revisions say that the quote was put in the sentence's place."""
ALIKE = 0.6
"""From this likeness, word by word, a sentence of the final answer is a repaired form of one of the draft."""
TOLD = ("unchanged", "repaired", "quoted")


@dataclass(frozen=True, kw_only=True, slots=True)
class Labelled:
    text: str
    label: int
    """1 = wrong."""
    silent: bool = False
    """States nothing: a greeting, advice, a heading."""
    wrong: str = ""
    """The wrong words of it, where they are known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    id: str
    kind: str
    question: str
    sources: tuple[str, ...]
    profile: Mapping[str, Json]
    case: str
    """The person's own account of a case: evidence like a source."""
    pack: str | None
    answer: str
    sentences: tuple[Labelled, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Fate:
    """What became of one sentence."""

    sentence: Labelled
    outcome: str
    """unchanged | repaired | quoted | lost for right ones; leaked | stopped for wrong ones"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    row: Row
    result: VerificationResult
    fates: tuple[Fate, ...]
    milliseconds: float


async def run(
    file: Path,
    gate_for: Callable[[Row], Verifier],
    *,
    pack: str | None = None,
    critic: bool = False,
    limit: int | None = None,
) -> list[Judged]:
    """Every draft of the file, and what became of its sentences."""
    judged = []
    for number, row in enumerate(read_rows(file)):
        if limit is not None and number >= limit:
            break
        began = time.perf_counter()
        result = await gate_for(row).verify(request(row, pack=pack, critic=critic))
        spent = (time.perf_counter() - began) * 1000
        judged.append(Judged(row=row, result=result, fates=fates(row, result), milliseconds=spent))
    return judged


def report(judged: Sequence[Judged], *, critic: str | None = None) -> dict[str, Json]:
    """The keys of the command line contract; a share of nothing is null."""
    kinds = sorted({item.row.kind for item in judged})
    by_kind: dict[str, Json] = {kind: _shares([item for item in judged if item.row.kind == kind]) for kind in kinds}
    claims = [fate for item in judged for fate in item.fates if not fate.sentence.silent]
    silent = [fate for item in judged for fate in item.fates if fate.sentence.silent]
    counted = Counter(fate.outcome for fate in claims)
    decisions = Counter(str(item.result.decision) for item in judged)
    spent = sum(item.milliseconds for item in judged)
    return {
        "critic": critic,
        **_shares(judged),
        "right": sum(not fate.sentence.label for fate in claims),
        "wrong": sum(fate.sentence.label for fate in claims),
        "told_as": {name: counted[name] for name in TOLD},
        "silent": {"sentences": len(silent), "kept": _share(fate.outcome == "unchanged" for fate in silent)},
        "decisions": {name: decisions[name] for name in sorted(decisions)},
        "by_kind": by_kind,
        "ms_per_row": round(spent / len(judged), 1) if judged else 0.0,
    }


def details(judged: Sequence[Judged]) -> dict[str, Json]:
    """Every right sentence that did not reach the reader unchanged and every wrong one that did, to be read."""
    return {
        f"{item.row.id}: {fate.outcome}: {fate.sentence.text}": item.result.final_answer
        for item in judged
        for fate in item.fates
        if fate.outcome not in ("unchanged", "stopped")
    }


def request(row: Row, *, pack: str | None = None, critic: bool = False) -> VerifyInput:
    """A draft as a caller would send it; the case stands before the sources unless it is one of them already."""
    texts = [(f"S{number}", text) for number, text in enumerate(row.sources, 1)]
    if row.case and not any(row.case in source for source in row.sources):
        texts.insert(0, ("case", row.case))
    return VerifyInput(
        draft_answer=row.answer,
        chunks=tuple(Passage(id=name, text=text) for name, text in texts),
        question=row.question or None,
        profile=row.profile,
        pack=row.pack or pack,
        options=VerifyOptions(skip_llm_verification=not critic, deadline_ms=PLENTY_MS),
    )


def fates(row: Row, result: VerificationResult) -> tuple[Fate, ...]:
    final = Final(row, result)
    return tuple(
        Fate(sentence=sentence, outcome=final.wrong(sentence) if sentence.label else final.right(sentence))
        for sentence in row.sentences
    )


class Final:
    """A final answer beside the draft and the sources it came from."""

    def __init__(self, row: Row, result: VerificationResult) -> None:
        self._row, self._result = row, result
        self._text = plain(result.final_answer)

    def right(self, sentence: Labelled) -> str:
        if plain(sentence.text) in self._text:
            return "unchanged"
        if any(_numbers(form) <= _numbers(sentence.text) for form in self._repaired(sentence.text)):
            return "repaired"
        return "quoted" if not sentence.silent and self._quoted(sentence.text) else "lost"

    def wrong(self, sentence: Labelled) -> str:
        if plain(sentence.text) in self._text:
            return "leaked"
        words_left = plain(sentence.wrong)
        return (
            "leaked" if words_left and any(words_left in form for form in self._repaired(sentence.text)) else "stopped"
        )

    def _repaired(self, text: str) -> Iterator[str]:
        """Sentences of the final answer that are this one in other words, or a part of it: neither quotes nor others of
        the draft."""
        mine, whole = words(text), plain(text)
        for other in (*self.new, *(part for part in self._said if part in whole and part not in self._quotes)):
            if SequenceMatcher(None, mine, words(other), autojunk=False).ratio() >= ALIKE:
                yield other

    def _quoted(self, text: str) -> bool:
        known = set(stems(text)) & self._known
        if not known:
            return False
        put = " ".join(
            plain(change.after)
            for change in self._result.metadata.revisions_applied
            if plain(text) in plain(change.before)
        )
        for quote in self._quotes:
            shared = len(known & set(stems(quote)))
            if shared >= LEAST_SHARED and shared / len(known) >= SAYS:
                return True
            if quote in put and shared / len(known) >= SAYS_IN_PLACE:
                return True
        return False

    @cached_property
    def _evidence(self) -> tuple[str, ...]:
        return (self._row.case, *self._row.sources)

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(stem for source in self._evidence for stem in stems(source))

    @cached_property
    def _quotes(self) -> tuple[str, ...]:
        """Sentences of the sources that stand in the final answer."""
        said = dict.fromkeys(plain(found.text) for source in self._evidence for found in sentences(source))
        return tuple(text for text in said if text and text in self._text)

    @cached_property
    def new(self) -> tuple[str, ...]:
        """What stands in the final answer and neither in the draft nor, as a whole sentence, in a source."""
        drafted = plain(self._row.answer)
        return tuple(text for text in self._said if text not in drafted and text not in self._quotes)

    @cached_property
    def _said(self) -> tuple[str, ...]:
        return tuple(filter(None, (plain(one.text) for one in sentences(self._result.final_answer))))


class LabelCritic:
    """A critic of good judgement, simulated for measurement: it objects to what the labels call wrong, to nothing else.

    Implements core.ports.LanguageModel. Where the prompt numbers doubtful claims, it settles each of them.
    """

    identity = "recorded:labels"

    def __init__(self, row: Row) -> None:
        self._wrong = [sentence.text for sentence in row.sentences if sentence.label]

    async def complete(self, request: ModelRequest) -> ModelReply:
        shown = squash(request.prompt)
        issues = [
            {"type": "hallucination", "location": text, "problem": "no source says so", "correction": ""}
            for text in self._wrong
            if squash(text) in shown
        ]
        verdict = {
            "approved": not issues,
            "issues": issues,
            "doubtful": [
                {"number": number, "supported": not self._is_wrong(claim)} for number, claim in _asked(request.prompt)
            ],
            "recommendation": "revise" if issues else "approve",
        }
        return ModelReply(text=json.dumps(verdict), model=self.identity)

    def _is_wrong(self, claim: str) -> bool:
        said = plain(claim)
        return any(said in plain(text) or plain(text) in said for text in self._wrong)


def _asked(prompt: str) -> Iterator[tuple[int, str]]:
    """The doubtful claims of a critic's prompt, with their numbers."""
    _, _, after = prompt.rpartition("DOUBTFUL CLAIMS")
    listed = after.split("==========")[1:2]
    for number, claim in _NUMBERED.findall("".join(listed)):
        yield int(number), claim


def plain(text: str) -> str:
    """A sentence to be looked for: folded, without markers, emphasis and the bullet before it."""
    bare = squash(without_markers(text)).replace("**", "").replace("__", "")
    return _BULLET.sub("", re.sub(r"\s+([.,;:!?])", r"\1", bare))


def read_rows(file: Path) -> Iterator[Row]:
    if not file.is_file():
        raise InputError(f"{file}: no such file; give a JSONL file of drafts with labelled sentences")
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if line.strip():
                yield _row(line, f"{file}:{number}")


def _row(line: str, place: str) -> Row:
    try:
        data = json.loads(line)
    except ValueError as error:
        raise InputError(f"{place}: not JSON ({error}); each line is one object") from error
    if not isinstance(data, Mapping):
        raise InputError(f"{place}: not an object; each line is one object")
    for key in ("answer", "sources", "sentences"):
        if key not in data:
            raise InputError(f"{place}: the key {key!r} is missing; a row has answer, sources and sentences")
    profile = data.get("profile") or {}
    return Row(
        id=str(data.get("id", place)),
        kind=str(data.get("kind") or "all"),
        question=str(data.get("question") or ""),
        sources=tuple(str(source) for source in data["sources"]),
        profile=profile if isinstance(profile, Mapping) else {"about": str(profile)},
        case=str(data.get("case") or ""),
        pack=data.get("pack"),
        answer=str(data["answer"]),
        sentences=tuple(_labelled(item, place) for item in data["sentences"]),
    )


def _labelled(item: object, place: str) -> Labelled:
    if not isinstance(item, Mapping) or not isinstance(item.get("text"), str) or item.get("label") not in (0, 1):
        raise InputError(f"{place}: {item!r} is no labelled sentence; write text and label (1 = wrong, 0 = right)")
    return Labelled(
        text=item["text"],
        label=int(item["label"]),
        silent=bool(item.get("silent", False)),
        wrong=str(item.get("wrong") or ""),
    )


def _shares(judged: Sequence[Judged]) -> dict[str, Json]:
    right = [fate for item in judged for fate in item.fates if not fate.sentence.label]
    wrong = [fate for item in judged for fate in item.fates if fate.sentence.label]
    faithful = [item for item in judged if not any(sentence.label for sentence in item.row.sentences)]
    return {
        "rows": len(judged),
        "told": _share(fate.outcome in TOLD for fate in right if not fate.sentence.silent),
        "kept": _share(fate.outcome == "unchanged" for fate in right),
        "leaked": _share(fate.outcome == "leaked" for fate in wrong),
        "approved": _share(item.result.decision is Decision.APPROVED for item in faithful),
    }


def _share(held: Iterator[bool]) -> float | None:
    found = list(held)
    return round(sum(found) / len(found), 4) if found else None


def _numbers(text: str) -> set[str]:
    """The figures of a sentence, however they are grouped."""
    return set(re.findall(r"\d+", re.sub(r"(?<=\d)[ ,\u00a0](?=\d{3})", "", text.replace("k ", "000 "))))


_NUMBERED = re.compile(r"^(\d+)\. (.+)$", re.MULTILINE)
_BULLET = re.compile(r"^(?:[-*•#>]+|\d+[.)])\s+")
