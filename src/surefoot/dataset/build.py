"""The story of a build: aspects → questions → the loop over each → sessions. Same input, same sessions.

What runs first and how fast is chance; what comes out is not: questions have a fixed order, near-duplicates are dropped
in that order, and every reply comes from the journal or goes there before it is used.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from surefoot.core.errors import ModelError, RecordingMissingError
from surefoot.core.hashing import content_hash
from surefoot.core.types import Json, Passage
from surefoot.dataset.aspects import find_aspects
from surefoot.dataset.budget import Budget, BudgetEnded
from surefoot.dataset.corpus import Corpus
from surefoot.dataset.duplicates import SeenQuestions
from surefoot.dataset.journal import Journal
from surefoot.dataset.loop import Loop, Trail
from surefoot.dataset.pair import Aspect, Failure, Pair, Question, QuestionType, pair_from_json, pair_to_json
from surefoot.dataset.questions import types_for, write_questions
from surefoot.dataset.session import Session, log_block

Outcome = Pair | Failure | None
"""None: a budget ended before the question was through."""


@dataclass(frozen=True, kw_only=True, slots=True)
class BuildOptions:
    aspects: int = 5
    questions: int = 5
    """Per aspect."""
    accepted: int | None = None
    """Deliver exactly so many accepted pairs; None: one pass over the questions."""
    given_aspects: tuple[str, ...] = ()
    concurrency: int = 16
    """The most calls under way with one provider."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    done: int
    total: int
    accepted: int
    failed: int
    fresh: int
    """Pairs made in this run, not taken from the journal."""
    seconds: float
    """Since the run began."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Built:
    corpus: Corpus
    sessions: tuple[Session, ...]
    asked: int
    """Questions that were begun or through."""
    duplicates: int
    ended: str | None = None
    """tokens | deadline | interrupted | questions: what ended the build before it was through"""

    @property
    def pairs(self) -> list[Pair]:
        return [pair for session in self.sessions for pair in session.pairs]

    @property
    def accepted(self) -> int:
        return sum(session.accepted for session in self.sessions)

    @property
    def failures(self) -> list[Failure]:
        return [failure for session in self.sessions for failure in session.failures]


@dataclass(kw_only=True)
class Builder:
    corpus: Corpus
    loop: Loop
    journal: Journal
    budget: Budget
    options: BuildOptions
    version: str
    """Of everything that judges: package, pack, gate. A pair judged by another version is judged again."""
    on_progress: Callable[[Progress], None] = lambda progress: None
    on_block: Callable[[str], None] = lambda text: None
    clock: Callable[[], float] = time.monotonic
    _began: float = 0.0
    _noted_at: float = 0.0
    _fresh: int = 0
    """Pairs made in this run, not taken from the journal: what the rate is counted by."""
    _aspects: list[Aspect] = field(default_factory=list)
    _asked: dict[int, list[Question]] = field(default_factory=lambda: defaultdict(list))
    _seen: SeenQuestions = field(default_factory=SeenQuestions)
    _rounds: Counter[int] = field(default_factory=Counter)
    _results: dict[str, Outcome] = field(default_factory=dict)
    _duplicates: int = 0
    _in_a_row: int = 0
    _shown: int = 0

    async def build(self) -> Built:
        ended: str | None = None
        self._began = self._noted_at = self.clock()
        await self._note_state("running")
        try:
            wanted = max(self.options.aspects, len(self.options.given_aspects))
            self._aspects = await find_aspects(self.loop.agents, self.corpus, wanted, self.options.given_aspects)
            first = await self._write_round()
            ended = await (self._one_pass(first) if self.options.accepted is None else self._until_enough(first))
        except BudgetEnded as end:
            ended = end.which
        await self._note_state(ended or "done")
        return Built(
            corpus=self.corpus,
            sessions=tuple(self._sessions()),
            asked=len(self._results),
            duplicates=self._duplicates,
            ended=ended,
        )

    async def _one_pass(self, questions: Sequence[Question]) -> str | None:
        await self._run_all(questions)
        return self.budget.ended if self._unfinished() else None

    async def _until_enough(self, first: Sequence[Question]) -> str | None:
        """Waves of exactly as many questions as pairs are missing: never one too many, and nothing paid in vain."""
        wanted = self.options.accepted or 0
        pending = _in_turn(first)
        dry = 0
        while (missing := wanted - self._accepted()) > 0:
            if not pending:
                pending = _in_turn(await self._write_round())
                dry = 0 if pending else dry + 1
                if dry == _PATIENCE:
                    return "questions"
                continue
            wave, pending = pending[:missing], pending[missing:]
            await self._run_all(wave)
            if self._unfinished():
                return self.budget.ended
        return None

    async def _write_round(self) -> list[Question]:
        """New questions for every session, none like any before, in the order of the sessions."""
        numbers = range(1, len(self._aspects) + 1)
        fresh: list[Question] = []
        missing = dict.fromkeys(numbers, self.options.questions)
        for _ in range(2):
            drafts = await asyncio.gather(*(self._drafts(number, missing[number]) for number in numbers))
            for number, found in zip(numbers, drafts, strict=True):
                for text, kind in found:
                    if self._seen.repeats(text) is not None:
                        self._duplicates += 1
                        continue
                    self._seen.add(text)
                    place = len(self._asked[number]) + 1
                    question = Question(text=text, type=kind, session=number, number=place)
                    self._asked[number].append(question)
                    fresh.append(question)
                    missing[number] -= 1
            if not any(missing.values()):
                break
        return sorted(fresh, key=lambda one: (one.session, one.number))

    async def _drafts(self, number: int, count: int) -> list[tuple[str, QuestionType]]:
        if count <= 0:
            return []
        aspect = self._aspects[number - 1]
        avoid = [question.text for question in self._asked[number]]
        types = types_for(number, count, start=self._rounds[number])
        self._rounds[number] += count
        passages = await self._material(aspect)
        drafts = await write_questions(self.loop.agents, aspect, passages, types, avoid)
        return [(draft.text, draft.type) for draft in drafts]

    async def _material(self, aspect: Aspect) -> list[Passage]:
        """What the questions of an aspect are made from: the start of its document, and what retrieval finds."""
        async with self.loop.at_once:
            found = await self.loop.retriever.retrieve(aspect.text, k=6)
        passages = [one.passage for one in found.passages]
        home = next((one for one in self.corpus.documents if one.source == aspect.home), None)
        if home is not None and not any(one.metadata.get("source") == home.source for one in passages):
            passages.insert(0, Passage(id=home.source, text=home.text[:2000], metadata={"source": home.source}))
        return passages

    async def _run_all(self, questions: Sequence[Question]) -> None:
        """Through the loop, several at a time, taken up in order."""
        queue = iter(questions)
        last = {question.session: question for question in questions}

        async def work() -> None:
            for question in queue:
                self._results[question.row] = await self._one(question)
                self._tell()
                if self.options.accepted is None:
                    self._show_blocks(upto=last)

        workers = max(1, min(len(questions), 2 * self.options.concurrency))
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(work())

    async def _one(self, question: Question) -> Outcome:
        trail = Trail(step="retrieve")
        try:
            passages = await self.loop.retrieve(question)
            key = content_hash(
                [self.version, self.loop.agents.fingerprint, question, [[one.id, one.text] for one in passages]]
            )
            kept = self.journal.find_pair(key)
            if kept is not None:
                return pair_from_json(kept)
            async with self.budget.pair():
                pair = await self.loop.run(question, passages, trail)
            self._fresh += 1
            await self.journal.keep_pair(key, pair_to_json(pair))
            await self._note_now_and_then()
        except BudgetEnded:
            return None
        except RecordingMissingError:
            raise
        except ModelError as error:
            self._in_a_row += 1
            if self._in_a_row >= _HOPELESS:
                raise
            return Failure(question=question, step=trail.step, code=error.code, problem=str(error))
        self._in_a_row = 0
        return pair

    def _tell(self) -> None:
        done = [one for one in self._results.values() if one is not None]
        total = sum(len(questions) for questions in self._asked.values())
        failed = sum(isinstance(one, Failure) for one in done)
        self.on_progress(
            Progress(
                done=len(done),
                total=total,
                accepted=self._accepted(),
                failed=failed,
                fresh=self._fresh,
                seconds=self.clock() - self._began,
            )
        )

    def _show_blocks(self, *, upto: Mapping[int, Question]) -> None:
        """Blocks of finished sessions, in the order of the sessions."""
        while self._shown < len(self._aspects):
            number = self._shown + 1
            if any(one.row not in self._results for one in self._asked[number]):
                return
            self._shown = number
            self.on_block(log_block(self._session(number)))

    def _sessions(self) -> Iterable[Session]:
        for number in range(1, len(self._aspects) + 1):
            session = self._session(number)
            if number > self._shown and (session.pairs or session.failures):
                self._shown = number
                self.on_block(log_block(session))
            if session.pairs or session.failures:
                yield session

    def _session(self, number: int) -> Session:
        found = [self._results.get(question.row) for question in self._asked[number]]
        return Session(
            number=number,
            aspect=self._aspects[number - 1],
            pairs=tuple(one for one in found if isinstance(one, Pair)),
            failures=tuple(one for one in found if isinstance(one, Failure)),
        )

    def _accepted(self) -> int:
        return sum(isinstance(one, Pair) and one.accepted for one in self._results.values())

    def _unfinished(self) -> bool:
        return any(one is None for one in self._results.values())

    async def _note_now_and_then(self) -> None:
        if self.clock() - self._noted_at >= 1.0:
            await self._note_state("running")

    async def _note_state(self, state: str) -> None:
        self._noted_at = self.clock()
        reasons: Counter[str] = Counter()
        pairs = [one for one in self._results.values() if isinstance(one, Pair)]
        for pair in pairs:
            reasons.update(pair.final_critique.codes)
        value: dict[str, Json] = {
            "state": state,
            "total": sum(len(questions) for questions in self._asked.values()),
            "pairs": len(pairs),
            "accepted": self._accepted(),
            "wanted": self.options.accepted,
            "reasons": dict(sorted(reasons.items())),
            "seconds": round(self._noted_at - self._began, 3),
            "fresh": self._fresh,
        }
        await self.journal.note("state", value)


def _in_turn(questions: Sequence[Question]) -> list[Question]:
    """One of each session, then the next of each: a build that ends early has touched every aspect."""
    return sorted(questions, key=lambda one: (one.number, one.session))


_PATIENCE = 2
_HOPELESS = 20
