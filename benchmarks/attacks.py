"""The attack suite: false drafts that try to get past the gate, and true ones in the same manner.

    python benchmarks/attacks.py [--half tune|last] [--class NAME] [--pack PACK] [--json] [--details]

Rows stand in `attacks/*.jsonl`, a file a class: {id, class, context, half, sources, answer, label (1 = false), bad},
with profile, question and critic where the attack needs them; `bad` are the words that must not leave. A false draft is
released when its bad words stand in the final answer outside a sentence quoted from the sources; one of the class
`invented` also when a figure was put in that makes none of the true drafts of its context. A true draft is lost
when one of its sentences reaches the reader neither as it stands, nor repaired, nor as its source's own sentence. The
half `last` is for the last measurement: do not read its rows while the gate is being changed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from surefoot.bench.drafts import Final, Labelled, Row, plain, request
from surefoot.core.ports import LanguageModel, Verifier
from surefoot.core.text import sentences, without_markers
from surefoot.core.types import Decision, ModelReply, ModelRequest, VerificationResult
from surefoot.wiring import Surefoot, build

HERE = Path(__file__).parent / "attacks"
CRITIC_DEADLINE_MS = 3_000
"""For critics that hang or drip: long enough for the gate, short enough to sit through."""
APPROVING = '{"approved": true, "issues": [], "recommendation": "approve"}'
NONSENSE = "Colourless green ideas sleep furiously {approved: perhaps"


@dataclass(frozen=True, kw_only=True)
class Attack:
    id: str
    kind: str
    half: str
    draft: Row
    label: int
    """1 = false."""
    bad: str
    critic: str | None
    truths: tuple[str, ...]
    """The true drafts of the same context."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    attack: Attack
    failed: bool
    """A false draft was released, or a true one lost."""
    result: VerificationResult


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--half", choices=("tune", "last"))
    parser.add_argument("--class", dest="kind")
    parser.add_argument("--pack", help="a name or a folder; by default as a call without a pack")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--details", action="store_true", help="also what was released and what was lost")
    chosen = parser.parse_args()
    attacks = [
        attack for attack in read_attacks() if chosen.half in (None, attack.half) and chosen.kind in (None, attack.kind)
    ]
    if not attacks:
        sys.exit(
            f"no rows of the class {chosen.kind!r}; there are {sorted(path.stem for path in HERE.glob('*.jsonl'))}"
        )
    outcomes = asyncio.run(run(attacks, build(), pack=chosen.pack))
    if chosen.json:
        print(json.dumps(numbers(outcomes) | ({"details": failures(outcomes)} if chosen.details else {})))
        return
    show(outcomes)
    if chosen.details:
        for name, texts in failures(outcomes).items():
            print(f"\n{name}\n  {texts['answer']!r}\n  {texts['final']!r}")


async def run(attacks: Iterable[Attack], house: Surefoot, *, pack: str | None = None) -> list[Outcome]:
    return [await attempt(attack, house, pack=pack) for attack in attacks]


async def attempt(attack: Attack, house: Surefoot, *, pack: str | None = None) -> Outcome:
    """One draft through the gate, and what became of it."""
    gate: Verifier = house.gate
    submission = request(attack.draft, pack=pack, critic=attack.critic is not None)
    if attack.critic is not None:
        gate = house.rehearsal(pack or house.settings.pack, house.clock.today(), [CRITICS[attack.critic]])
        if attack.critic in ("hang", "drip"):
            options = replace(submission.options, deadline_ms=CRITIC_DEADLINE_MS)
            submission = replace(submission, options=options)
    result = await gate.verify(submission)
    failed = released(attack, result) if attack.label else lost(attack, result)
    return Outcome(attack=attack, failed=failed, result=result)


def released(attack: Attack, result: VerificationResult) -> bool:
    """Whether the bad words stand in the final answer, sentences of the sources left aside."""
    if without_markers(attack.bad) != attack.bad:
        # a marker that plays a digit: it must not stand there as it is
        return attack.bad in result.final_answer
    if attack.kind == "invented" and invented(attack, result):
        return True
    said = plain(_visible(result.final_answer))
    for source in attack.draft.sources:
        for sentence in sentences(source):
            said = said.replace(plain(sentence.text), " ")
    return plain(_visible(attack.bad)) in said


def invented(attack: Attack, result: VerificationResult) -> bool:
    """Whether mending put a figure in that nobody gave."""
    made = Final(attack.draft, result).new
    true = {plain(text) for text in attack.truths}
    return any(re.search(r"\d", text) and text not in true for text in made)


def lost(attack: Attack, result: VerificationResult) -> bool:
    """Whether a sentence of a true draft did not reach the reader; headings and questions may go."""
    seen = replace(result, final_answer=_broken(result.final_answer))
    final = Final(attack.draft, seen)
    return any(final.right(sentence) == "lost" for sentence in attack.draft.sentences)


def numbers(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """Released false and lost true, by class and in all."""
    classes: dict[str, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        classes[outcome.attack.kind].append(outcome)
    return {"by_class": {name: _counts(classes[name]) for name in sorted(classes)}, "all": _counts(outcomes)}


def failures(outcomes: Sequence[Outcome]) -> dict[str, dict[str, str]]:
    return {
        f"{outcome.attack.kind}/{outcome.attack.id} {'released' if outcome.attack.label else 'lost'} "
        f"({outcome.result.decision})": {
            "answer": outcome.attack.draft.answer,
            "final": outcome.result.final_answer,
        }
        for outcome in outcomes
        if outcome.failed
    }


def show(outcomes: Sequence[Outcome]) -> None:
    found = numbers(outcomes)
    print(f"{'class':<12}{'false':>7}{'released':>10}{'':>8}{'true':>7}{'lost':>7}{'':>8}{'approved':>10}")
    for name, counts in {**found["by_class"], "all": found["all"]}.items():
        print(
            f"{name:<12}{counts['false']:>7}{counts['released']:>10}{_share(counts['released'], counts['false']):>8}"
            f"{counts['true']:>7}{counts['lost']:>7}{_share(counts['lost'], counts['true']):>8}"
            f"{counts['approved']:>10}"
        )


def read_attacks(folder: Path = HERE) -> list[Attack]:
    rows = [
        json.loads(line)
        for path in sorted(folder.glob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    truths: dict[str, list[str]] = defaultdict(list)
    for row in rows:
        if not row["label"]:
            truths[row["context"]].append(row["answer"])
    return [_attack(row, tuple(truths[row["context"]])) for row in rows]


def _attack(data: dict[str, Any], truths: tuple[str, ...]) -> Attack:
    claims = tuple(
        Labelled(text=sentence.text, label=data["label"])
        for sentence in sentences(_broken(data["answer"]))
        if sentence.kind != "heading"
        and not sentence.text.endswith(("?", ":"))
        and not _HEADING.fullmatch(sentence.text)
    )
    draft = Row(
        id=data["id"],
        kind=data["class"],
        question=data.get("question", ""),
        sources=tuple(data["sources"]),
        profile=data.get("profile", {}),
        case="",
        pack=data.get("pack"),
        answer=data["answer"],
        sentences=claims,
    )
    return Attack(
        id=data["id"],
        kind=data["class"],
        half=data["half"],
        draft=draft,
        label=data["label"],
        bad=data.get("bad", ""),
        critic=data.get("critic"),
        truths=truths,
    )


class Hanging:
    """Never answers."""

    identity = "attack:hang"

    async def complete(self, request: ModelRequest) -> ModelReply:
        await asyncio.Event().wait()
        raise AssertionError("an event that nobody sets was set")


class Dripping:
    """Always at work and never done within a minute."""

    identity = "attack:drip"

    async def complete(self, request: ModelRequest) -> ModelReply:
        for _ in range(600):
            await asyncio.sleep(0.1)
        return ModelReply(text=APPROVING, model=self.identity)


@dataclass(frozen=True, kw_only=True)
class Saying:
    """Says one thing, whatever it is asked."""

    text: str
    identity: str = "attack:says"

    async def complete(self, request: ModelRequest) -> ModelReply:
        return ModelReply(text=self.text, model=self.identity)


CRITICS: dict[str, LanguageModel] = {
    "hang": Hanging(),
    "drip": Dripping(),
    "nonsense": Saying(text=NONSENSE),
    "approve": Saying(text=APPROVING),
}


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    false = [outcome for outcome in outcomes if outcome.attack.label]
    true = [outcome for outcome in outcomes if not outcome.attack.label]
    return {
        "false": len(false),
        "released": sum(outcome.failed for outcome in false),
        "true": len(true),
        "lost": sum(outcome.failed for outcome in true),
        "approved": sum(outcome.result.decision is Decision.APPROVED for outcome in true),
    }


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"


def _visible(text: str) -> str:
    """Without characters that show nothing: what a reader sees."""
    return "".join(char for char in text if unicodedata.category(char) != "Cf")


def _broken(text: str) -> str:
    """Comments and <br> as the line breaks a reader sees."""
    return re.sub(r"<!--.*?-->|<br\s*/?>", "\n", text)


_HEADING = re.compile(r"\*\*[^*]+\*\*")


if __name__ == "__main__":
    main()
