"""The answer cache remembers what was proven, forgets what its evidence lost, and believes nothing it cannot check."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from house import FINES, LOANS, PACK, Outside, Shelf, Writes, flow

from surefoot.core.types import DONT_KNOW, AskResult, Passage, Turn
from surefoot.flows.answers import AnswerCache
from surefoot.flows.ask import AskFlow
from surefoot.flows.state import AskRequest
from surefoot.generate.generator import ModelGenerator
from surefoot.llm.wrappers import Cached, Redacting
from surefoot.store.cache.sqlite import SqliteCache
from surefoot.testing.models import ScriptedModel

LONG = "How long does a loan last?"


class Library:
    """A shelf that can change, its cache, and a count of how often something was written."""

    def __init__(self, folder: Path, *passages: Passage, **more: Any) -> None:
        self.passages = {passage.id: passage for passage in passages}
        self.shelf = Shelf(passages)
        self.counts: list[str] = []
        self.file = SqliteCache(folder / "c.sqlite")
        self.cache = AnswerCache(
            cache=self.file,
            knowledge_base="kb",
            gate="g",
            secret=b"secret",
            passages=self.get,
            meter=self,  # type: ignore[arg-type]
        )
        self.flow: AskFlow = flow(retriever=self.shelf, answers=self.cache, **more)

    async def get(self, ids: Sequence[str]) -> list[Passage]:
        return [self.passages[identity] for identity in ids if identity in self.passages]

    def count(self, name: str, **labels: str) -> None:
        self.counts.append(labels["outcome"])

    async def ask(self, question: str = LONG, **more: Any) -> AskResult:
        return await self.flow.ask(AskRequest(question=question, pack=more.pop("pack", PACK), **more))


def tell(story: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(story())  # type: ignore[arg-type]


async def entry(library: Library) -> tuple[str, dict[str, Any]]:
    (key,) = await library.file.tagged("chunk:loans")
    return key, json.loads(await library.file.get(key) or b"")


def test_the_second_time_the_answer_is_remembered(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        first, second = await library.ask(), await library.ask()
        assert (first.cached, second.cached) == (False, True)
        assert second.result.final_answer == first.result.final_answer
        assert second.result.metadata.certificate == first.result.metadata.certificate
        assert second.passages == first.passages
        assert len(library.shelf.asked) == 1
        assert library.counts == ["miss", "hit"]

    tell(story)


def test_an_answer_given_before_is_found_without_making_one(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        request = AskRequest(question=LONG, pack=PACK)
        assert await library.flow.remembered(request) is None
        first = await library.ask()
        held = await library.flow.remembered(request)
        assert held is not None
        assert held.cached
        assert held.result.metadata.certificate == first.result.metadata.certificate
        later = replace(request, history=(Turn(question="What is a loan?", answer="A book taken home."),))
        assert await library.flow.remembered(later) is None
        assert len(library.shelf.asked) == 1
        assert library.counts == ["miss", "hit"]

    tell(story)


@pytest.mark.parametrize(
    "other",
    [
        {"question": "How long may a loan last?"},
        {"question": "How long does a LOAN last?"},
        {"profile": {"grade": 11}},
        {"pack": replace(PACK, hash="1" * 64)},
    ],
)
def test_what_an_answer_depends_on_is_in_its_key(tmp_path: Path, other: dict[str, Any]) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        await library.ask()
        assert not (await library.ask(**other)).cached

    tell(story)


def test_with_the_search_off_no_answer_that_had_it_is_given_again(tmp_path: Path) -> None:
    async def story() -> None:
        searching = Library(tmp_path, LOANS, outside=Outside())
        assert not (await searching.ask()).cached
        assert (await searching.ask()).cached
        assert not (await Library(tmp_path, LOANS).ask()).cached

    tell(story)


def test_an_answer_from_one_place_is_not_given_again_where_another_is_searched(tmp_path: Path) -> None:
    async def story() -> None:
        await Library(tmp_path, LOANS, outside=Outside(identity="curated:2 search:searxng")).ask()
        without_search = Library(tmp_path, LOANS, outside=Outside(identity="curated:2 search:none"))
        assert not (await without_search.ask()).cached

    tell(story)


def test_white_space_alone_makes_no_other_question(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        await library.ask()
        assert (await library.ask("  How long does  a loan last? ")).cached

    tell(story)


def test_a_name_that_is_redacted_is_not_in_the_key(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS, redact=lambda profile: {"grade": profile.get("grade")})
        await library.ask(profile={"grade": 11, "name": "Nomsa"})
        assert (await library.ask(profile={"grade": 11, "name": "Sipho"})).cached

    tell(story)


def test_a_changed_chunk_drops_exactly_the_answers_that_cite_it(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS, FINES)
        await library.ask()
        await library.ask("What does a late book cost per day?")
        dropped = await library.cache.forget(["loans"])
        assert len(dropped) == 1
        assert not (await library.ask()).cached
        assert (await library.ask("What does a late book cost per day?")).cached

    tell(story)


def test_a_cited_passage_that_changed_unannounced_is_noticed(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        await library.ask()
        newer = replace(LOANS, text="A loan lasts 14 days.")
        library.passages["loans"], library.shelf.passages = newer, (newer,)
        asked = await library.ask()
        assert not asked.cached
        assert asked.result.final_answer == "A loan lasts 14 days [S1]."
        assert "stale" in library.counts

    tell(story)


def test_a_cited_passage_that_is_tagged_or_titled_otherwise_is_noticed(tmp_path: Path) -> None:
    """As by a service on another machine: its readers may be others now, and its title is evidence."""

    async def story() -> None:
        library = Library(tmp_path, replace(LOANS, metadata={**LOANS.metadata, "tenant": "a"}))
        await library.ask()
        assert (await library.ask()).cached
        library.passages["loans"] = replace(LOANS, metadata={**LOANS.metadata, "tenant": "b"})
        (told,) = await library.cache.explain(LONG)
        assert [cited.state for cited in told.cites] == ["changed"]
        assert not (await library.ask()).cached
        assert "stale" in library.counts

    tell(story)


def test_an_uncited_passage_that_changed_is_not_shown_in_a_cached_answer(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS, FINES)
        await library.ask()
        library.passages["fines"] = replace(FINES, metadata={**FINES.metadata, "tenant": "b"})
        asked = await library.ask()
        assert asked.cached
        assert [found.passage.text for found in asked.passages] == [LOANS.text, ""]

    tell(story)


def test_a_deleted_uncited_passage_does_not_live_on_in_a_cached_answer(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS, FINES)
        await library.ask()
        del library.passages["fines"]
        asked = await library.ask()
        assert asked.cached
        assert [found.passage.text for found in asked.passages] == [LOANS.text, ""]

    tell(story)


def test_a_draft_that_was_rejected_is_not_served_from_the_models_cache(tmp_path: Path) -> None:
    """Else a question whose draft was bad once would be refused for an hour, whatever the model would say now."""

    async def story() -> None:
        model = ScriptedModel(["Dogs pay R99 a day [S1].", "A loan lasts 21 days [S1].", "never asked"])
        remembering = Redacting(model=Cached(model=model, cache=SqliteCache(tmp_path / "llm.sqlite")))
        writer = ModelGenerator(model=remembering)
        first = await ask(writer)
        assert (first.result.accepted, len(model.requests)) == (False, 1)
        second = await ask(writer)
        assert (second.result.final_answer, len(model.requests)) == ("A loan lasts 21 days [S1].", 2)
        assert (await ask(writer)).result.accepted
        assert len(model.requests) == 2

    async def ask(writer: ModelGenerator) -> AskResult:
        return await flow(LOANS, generator=writer).ask(AskRequest(question=LONG, pack=PACK))

    tell(story)


def test_refusals_fallbacks_and_incomplete_answers_are_not_kept(tmp_path: Path) -> None:
    async def story() -> None:
        for place, library in enumerate(
            (
                Library(tmp_path / "0"),
                Library(tmp_path / "1", LOANS, generator=Writes(["Penguins guard the vault [S1]."])),
            )
        ):
            await library.ask()
            assert not (await library.ask()).cached, place
        partial = Library(tmp_path / "2", LOANS)
        await partial.ask("How long does a loan last and where is the cellar?")
        assert not (await partial.ask("How long does a loan last and where is the cellar?")).cached

    tell(story)


Damage = Callable[[dict[str, Any]], bytes]


def _forged(outer: dict[str, Any]) -> bytes:
    body = json.loads(outer["body"])
    body["asked"]["result"]["final_answer"] = "A loan lasts 99 days [S1]."
    return json.dumps({**outer, "body": json.dumps(body)}).encode()


@pytest.mark.parametrize(
    "damage",
    [
        lambda outer: b"",
        lambda outer: b"\x80\x04junk",
        lambda outer: json.dumps(outer).encode()[:-20],
        lambda outer: json.dumps({"body": outer["body"]}).encode(),
        lambda outer: json.dumps({**outer, "signature": "0" * 64}).encode(),
        lambda outer: b"[1, 2]",
        lambda outer: b'"text"',
        _forged,
    ],
)
def test_a_poisoned_entry_is_dropped_counted_and_never_delivered(tmp_path: Path, damage: Damage) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        await library.ask()
        key, outer = await entry(library)
        await library.file.set(key, damage(outer), ttl_s=60)
        asked = await library.ask()
        assert not asked.cached
        assert asked.result.final_answer == "A loan lasts 21 days [S1]."
        assert "poisoned" in library.counts

    tell(story)


def test_even_a_rightly_signed_entry_must_hold_a_valid_certificate(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        await library.ask()
        key, outer = await entry(library)
        body = json.loads(outer["body"])
        body["asked"]["result"]["final_answer"] = "A loan lasts 99 days [S1]."
        body["asked"]["result"]["metadata"]["certificate"]["final_text"] = "A loan lasts 99 days [S1]."
        text = json.dumps(body)
        signed = json.dumps({"body": text, "signature": library.cache._sign(text)}).encode()
        await library.file.set(key, signed, ttl_s=60)
        assert "99" not in (await library.ask()).result.final_answer

    tell(story)


def test_an_answer_moved_to_another_question_is_not_believed(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS, FINES)
        await library.ask()
        await library.ask("What does a late book cost per day?")
        (loan,), (fine,) = await library.file.tagged("chunk:loans"), await library.file.tagged("chunk:fines")
        await library.file.set(loan, await library.file.get(fine) or b"", ttl_s=60)
        assert (await library.ask()).result.final_answer == "A loan lasts 21 days [S1]."

    tell(story)


def test_two_services_with_other_keys_do_not_trust_each_other(tmp_path: Path) -> None:
    async def story() -> None:
        one = Library(tmp_path, LOANS)
        await one.ask()
        two = Library(tmp_path, LOANS)
        two.flow = replace(two.flow, answers=replace(two.cache, secret=b"other"))
        assert not (await two.ask()).cached

    tell(story)


def test_a_hundred_at_once_write_one_answer(tmp_path: Path) -> None:
    async def story() -> None:
        writer = Writes(["A loan lasts 21 days [S1]."])
        library = Library(tmp_path, LOANS, generator=writer)
        asked = await asyncio.gather(*(library.ask() for _ in range(100)))
        assert {one.result.final_answer for one in asked} == {"A loan lasts 21 days [S1]."}
        assert len(writer.tasks) == 1

    tell(story)


def test_an_answer_that_nobody_waits_for_any_more_is_not_made(tmp_path: Path) -> None:
    """Else who opens and leaves streams keeps every model busy, past the line."""

    async def story() -> None:
        begun, done = asyncio.Event(), asyncio.Event()

        class Slow(Writes):
            async def draft(self, task: Any) -> Any:
                begun.set()
                try:
                    await asyncio.sleep(60)
                finally:
                    done.set()

        library = Library(tmp_path, LOANS, generator=Slow([]))
        caller = asyncio.create_task(library.ask())
        await begun.wait()
        caller.cancel()
        async with asyncio.timeout(10):
            await done.wait()

    tell(story)


def test_an_answer_from_the_web_lives_half_as_long(tmp_path: Path) -> None:
    class Lifetimes(SqliteCache):
        seen: list[int] = []  # noqa: RUF012

        async def set(self, key: str, value: bytes, *, ttl_s: int, tags: Sequence[str] = ()) -> None:
            self.seen.append(ttl_s)
            await super().set(key, value, ttl_s=ttl_s, tags=tags)

    async def story() -> None:
        web = Passage(id="https://x.example/", text="A loan lasts 21 days.", metadata={"external": True})
        inside = Library(tmp_path, LOANS)
        outside = Library(tmp_path, outside=Outside([web]))
        lifetimes = Lifetimes(tmp_path / "l.sqlite")
        for library in (inside, outside):
            library.flow = replace(library.flow, answers=replace(library.cache, cache=lifetimes))
            assert (await library.ask()).result.accepted
        assert lifetimes.seen == [3_600, 1_800]

    tell(story)


def test_an_empty_store_stays_honest_with_a_cache(tmp_path: Path) -> None:
    async def story() -> None:
        assert (await Library(tmp_path).ask()).result.final_answer == DONT_KNOW

    tell(story)


def test_an_entry_explains_what_it_is_made_of_and_cites(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS, FINES)
        asked = await library.ask()
        for name in (LONG, asked.result.final_answer):
            (entry,) = await library.cache.explain(name)
            assert entry.problem is None
            assert [(chunk.id, chunk.source, chunk.state) for chunk in entry.cites] == [
                ("loans", "loans.md", "current")
            ]
            assert set(entry.material) == {"question", "profile", "knowledge_base", "pack", "model", "gate", "scope"}
        assert await library.cache.explain(entry.key) == [entry]
        assert await library.cache.explain("Never asked?") == []

    tell(story)


def test_an_entry_that_would_not_be_used_says_why(tmp_path: Path) -> None:
    async def story() -> None:
        library = Library(tmp_path, LOANS)
        await library.ask()
        del library.passages["loans"]
        (gone,) = await library.cache.explain(LONG)
        assert gone.problem == "it cites what has changed: loans"
        await library.file.set(gone.key, b"junk", ttl_s=60, tags=["chunk:loans"])
        (bad,) = await library.cache.explain(gone.key)
        assert "cannot be trusted" in (bad.problem or "")

    tell(story)


def test_a_hit_names_the_run_that_made_the_answer(tmp_path: Path) -> None:
    class Diary:
        def __init__(self) -> None:
            self.records: list[Any] = []

        def append(self, record: Any) -> str:
            self.records.append(record)
            return f"run{len(self.records)}"

    async def story() -> None:
        from surefoot.flows.audited import Audited

        diary, library = Diary(), Library(tmp_path, LOANS)
        audited = Audited(gate=library.flow.gate, runlog=diary, meter=_Silent(), kind="ask")  # type: ignore[arg-type]
        library.flow = replace(library.flow, audit=audited.record, audit_hit=audited.record_hit)
        first, second = await library.ask(), await library.ask()
        assert (first.result.metadata.run_id, second.result.metadata.run_id) == ("run1", "run2")
        assert (diary.records[1]["cached"], diary.records[1]["of"]) == (True, "run1")
        assert "request" not in diary.records[1]

    tell(story)


class _Silent:
    def decided(self, result: Any) -> None: ...

    def count(self, name: str, **labels: str) -> None: ...

    def observe(self, name: str, milliseconds: float, **labels: str) -> None: ...
