"""Mutation testing of the gate on the user's own documents: planted errors that get through, true sentences stopped.

Each draft is one sentence alone or, every other time, the sentence after a true one: an error in company must be found,
not merely left unproven. A mutant is killed when its text is not in what the gate releases. Deterministic by seed.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from surefoot.bench.corpus import Corpus, Fact, read_corpus
from surefoot.bench.mutate import CLASSES, Material, capitalised, mutate
from surefoot.bench.reword import reword
from surefoot.core.ports import Verifier
from surefoot.core.text import content_words
from surefoot.core.types import Decision, Json, Passage, VerificationResult, VerifyInput, VerifyOptions

PASSAGES = 6
PER_CLASS = 200
TRUE_KINDS = ("untouched", "reworded")


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    kind: str
    """A class of CLASSES, or untouched, or reworded."""
    sentence: str
    """The sentence under test, with its marker."""
    draft: str
    chunks: tuple[Passage, ...]


@dataclass(frozen=True, kw_only=True)
class MutationReport:
    mutants: int
    kill_rate: dict[str, float]
    false_alarms: dict[str, float]
    counts: dict[str, int]
    survivors: dict[str, list[str]] = field(default_factory=dict)
    alarms: dict[str, list[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        return {"mutants": self.mutants, "kill_rate": dict(self.kill_rate), "false_alarms": dict(self.false_alarms)}

    def details(self) -> dict[str, Json]:
        """How many of each, which mutants got through and which true sentences were stopped, and why."""
        return {
            "counts": dict(self.counts),
            "survivors": {kind: list(texts) for kind, texts in self.survivors.items() if texts},
            "alarms": {kind: list(texts) for kind, texts in self.alarms.items() if texts},
        }


async def run(
    path: Path,
    gate: Verifier,
    *,
    per_class: int = PER_CLASS,
    seed: int = 1,
    classes: Sequence[str] = (*CLASSES, *TRUE_KINDS),
    deadline_ms: int | None = None,
) -> MutationReport:
    """Every trial through the gate, one after the other."""
    trials = make_trials(read_corpus(path), per_class=per_class, seed=seed, classes=classes)
    released: dict[str, list[Trial]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    alarms: dict[str, list[str]] = defaultdict(list)
    for trial in trials:
        result = await gate.verify(
            VerifyInput(
                draft_answer=trial.draft,
                chunks=trial.chunks,
                options=VerifyOptions(skip_llm_verification=True, deadline_ms=deadline_ms),
            )
        )
        counts[trial.kind] += 1
        if trial.kind in TRUE_KINDS:
            if result.decision is not Decision.APPROVED:
                alarms[trial.kind].append(_why(trial, result))
        elif _released(trial, result):
            released[trial.kind].append(trial)
    kinds = [kind for kind in CLASSES if counts[kind]]
    return MutationReport(
        mutants=sum(counts[kind] for kind in kinds),
        kill_rate={kind: round(1 - len(released[kind]) / counts[kind], 4) for kind in kinds},
        false_alarms={kind: round(len(alarms[kind]) / counts[kind], 4) if counts[kind] else 0.0 for kind in TRUE_KINDS},
        counts=dict(counts),
        survivors={kind: [trial.sentence for trial in released[kind]] for kind in kinds},
        alarms=dict(alarms),
    )


def make_trials(corpus: Corpus, *, per_class: int, seed: int, classes: Sequence[str]) -> list[Trial]:
    """The drafts of one run: mutants class by class, then the true sentences."""
    trials: list[Trial] = []
    for kind in classes:
        # a stream of its own for each class: leaving one out changes no other
        rng = Random(f"{seed} {kind}")
        maker = _Maker(corpus, rng)
        wanted = 2 * per_class if kind in TRUE_KINDS else per_class
        make = maker.true if kind in TRUE_KINDS else maker.mutant
        made = 0
        for fact in rng.sample(corpus.facts, len(corpus.facts)):
            trial = make(kind, fact, alone=made % 2 == 0)
            if trial is not None:
                trials.append(trial)
                made += 1
            if made == wanted:
                break
    return trials


class _Maker:
    def __init__(self, corpus: Corpus, rng: Random) -> None:
        self._corpus, self._rng = corpus, rng
        self._by_passage: dict[int, list[Fact]] = defaultdict(list)
        for fact in corpus.facts:
            self._by_passage[fact.passage].append(fact)
        self._names = [
            [name for at in pages for name in capitalised(corpus.passages[at])] for pages in corpus.documents
        ]

    def mutant(self, kind: str, fact: Fact, *, alone: bool) -> Trial | None:
        chunks = self._chunks(fact)
        if kind == "citation":
            return self._wrong_citation(fact, chunks, alone=alone)
        made = mutate(kind, fact.text, self._material(fact), self._rng)
        if made is None or made in chunks[0].text:
            return None
        # a sentence that is added stands beside a true one by its nature
        return self._trial(kind, fact, cite(made, "S1"), chunks, alone=alone and kind != "baseless")

    def true(self, kind: str, fact: Fact, *, alone: bool) -> Trial | None:
        text = fact.text if kind == "untouched" else reword(fact.text, self._rng)
        return self._trial(kind, fact, cite(text, "S1"), self._chunks(fact), alone=alone) if text else None

    def _wrong_citation(self, fact: Fact, chunks: tuple[Passage, ...], *, alone: bool) -> Trial | None:
        others = [chunk.id for chunk in chunks[1:] if fact.text not in chunk.text]
        target = self._rng.choice([*others, f"S{len(chunks) + 3}"])
        return self._trial("citation", fact, cite(fact.text, target), chunks, alone=alone)

    def _trial(self, kind: str, fact: Fact, sentence: str, chunks: tuple[Passage, ...], *, alone: bool) -> Trial:
        company = [other.text for other in self._by_passage[fact.passage] if other.text != fact.text]
        draft = sentence if alone or not company else f"{cite(company[0], 'S1')} {sentence}"
        return Trial(kind=kind, sentence=sentence, draft=draft, chunks=chunks)

    def _chunks(self, fact: Fact) -> tuple[Passage, ...]:
        """The cited passage, others of its document, and strangers."""
        family = [at for at in self._corpus.documents[fact.document] if at != fact.passage]
        near = family[: PASSAGES // 2]
        far: list[int] = []
        while len(far) < PASSAGES - 1 - len(near) and len(self._corpus.passages) > PASSAGES:
            at = self._rng.randrange(len(self._corpus.passages))
            if at != fact.passage and at not in near and at not in far:
                far.append(at)
        return self._corpus.chunks(fact.passage, (*near, *far))

    def _material(self, fact: Fact) -> Material:
        documents = len(self._corpus.documents)
        stranger = (fact.document + 1 + self._rng.randrange(max(1, documents - 1))) % documents
        foreign = [
            other.text
            for at in self._corpus.documents[stranger]
            for other in self._by_passage[at]
            if not set(content_words(other.text)) <= set(content_words(self._corpus.passages[fact.passage]))
        ]
        passage = self._corpus.passages[fact.passage]
        known = set(re.findall(r"\w+", passage))
        return Material(
            passage=passage,
            names=[name for name in capitalised(passage) if name not in fact.text],
            foreign_names=[name for name in self._names[stranger] if not set(name.split()) <= known],
            foreign_sentences=foreign,
        )


def cite(sentence: str, target: str) -> str:
    """The marker before the final full stop."""
    return f"{sentence[:-1]} [{target}]." if sentence.endswith(".") else f"{sentence} [{target}]"


def _released(trial: Trial, result: VerificationResult) -> bool:
    return trial.sentence in result.final_answer


def _why(trial: Trial, result: VerificationResult) -> str:
    codes = ", ".join(f"{issue.code}: {issue.problem}" for issue in result.metadata.issues_detected)
    return f"{trial.sentence} -> {result.decision} {result.metadata.fallback_reason} ({codes})"
