"""The attack suite is well-formed, balanced and split by context; a few of its rows run through the gate."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from support.not_yet import ATTACKS, expected_to_fail
from surefoot.wiring import Surefoot, build

FOLDER = Path(__file__).parents[2] / "benchmarks"
ROWS = [
    json.loads(line)
    for path in sorted((FOLDER / "attacks").glob("*.jsonl"))
    for line in path.read_text(encoding="utf-8").splitlines()
]
KEYS = {"id", "class", "context", "half", "sources", "answer", "label"}
MAY = {"question", "profile", "critic", "bad", "pack"}


@pytest.fixture(scope="module")
def attacks() -> Iterator[ModuleType]:
    spec = importlib.util.spec_from_file_location("attacks_runner", FOLDER / "attacks.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name
    sys.modules["attacks_runner"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["attacks_runner"]


STOPPED = (
    "swimming-pool-2 farm-stall-1 day-labour-1 course-fees-1 sewing-room-2 tool-loan-1 "
    "swimming-pool-3 vitamin-myths-1 two-clinics-3 french-library-1 paracetamol-2 sewing-room-1"
).split()
TOLD = (
    "vitamin-myths-6 two-clinics-6 farm-stall-6 french-library-7 paracetamol-6 "
    "museum-card-6 course-fees-6 bus-fares-6 voting-8"
).split()
SAMPLE = [pytest.param(name, marks=expected_to_fail(name, ATTACKS)) for name in (*STOPPED, *TOLD)]
PLAIN = Path(__file__).parents[1] / "support" / "plain"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(kb=tmp_path_factory.mktemp("kb"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['class']}/{row['id']}")
def test_a_row_has_its_keys_and_false_ones_their_bad_words(row: dict[str, Any], attacks: ModuleType) -> None:
    assert set(row) >= KEYS
    assert set(row) <= KEYS | MAY
    assert row["half"] in ("tune", "last")
    assert row["sources"]
    assert bool(row.get("bad")) == bool(row["label"])
    assert row.get("bad", "") in row["answer"]
    assert row.get("critic") in {None, *attacks.CRITICS}


def test_ids_are_unique_and_no_answer_stands_twice_in_a_context() -> None:
    assert len({(row["class"], row["id"]) for row in ROWS}) == len(ROWS)
    assert len({(row["context"], row["answer"]) for row in ROWS}) == len(ROWS)


def test_there_are_as_many_true_drafts_as_false_ones_in_each_class() -> None:
    counted = Counter((row["class"], row["label"]) for row in ROWS)
    assert sum(row["label"] for row in ROWS) >= 300
    assert all(counted[name, 0] == counted[name, 1] for name, _ in counted)


def test_half_of_the_contexts_are_kept_for_the_last_measurement() -> None:
    halves = {(row["class"], row["context"], row["half"]) for row in ROWS}
    assert len(halves) == len({row["context"] for row in ROWS}), "a context stands in one half and one class"
    counted = Counter((name, half) for name, _, half in halves)
    assert all(counted[name, "tune"] == counted[name, "last"] for name, _ in counted)


def test_bad_words_in_a_quoted_source_sentence_are_not_released(attacks: ModuleType) -> None:
    attack = attack_of(attacks, "vitamin-myths-1")
    assert not attacks.released(attack, said("It is a myth that vitamin C cures colds."))
    assert attacks.released(attack, said("Vitamin C cures colds [S1]."))


def test_a_figure_that_mending_invents_counts_as_released(attacks: ModuleType) -> None:
    attack = attack_of(attacks, "course-fees-1")
    assert attacks.released(attack, said("The average fee is R600."))
    assert not attacks.released(attack, said("The average fee is R500."))
    assert not attacks.released(attack, said(attack.draft.sources[0]))


def test_bad_words_are_found_without_their_invisible_characters(attacks: ModuleType) -> None:
    attack = attack_of(attacks, "day-labour-4")
    assert attacks.released(attack, said("Lunch is not provided."))


def test_a_true_draft_is_lost_when_one_of_its_sentences_is(attacks: ModuleType) -> None:
    attack = attack_of(attacks, "farm-stall-7")
    assert not attacks.lost(attack, said("Parking is free.<br>Dogs are allowed on a lead."))
    assert attacks.lost(attack, said("Parking is free."))


def attack_of(attacks: ModuleType, name: str) -> Any:
    return next(attack for attack in attacks.read_attacks() if attack.id == name)


def said(text: str) -> Any:
    from tests.bench.test_drafts import result

    return result(text)


@pytest.mark.parametrize("name", SAMPLE)
def test_a_few_attacks_fail_and_a_few_true_drafts_pass(name: str, attacks: ModuleType, house: Surefoot) -> None:
    outcome = asyncio.run(attacks.attempt(attack_of(attacks, name), house, pack=str(PLAIN)))
    assert not outcome.failed, outcome.result.final_answer
