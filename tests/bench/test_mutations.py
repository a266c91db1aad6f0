"""Mutants are false in exactly one way, rewordings stay true, and the same seed gives the same drafts."""

from __future__ import annotations

import asyncio
from pathlib import Path
from random import Random

import pytest

from surefoot.bench.corpus import read_corpus
from surefoot.bench.mutate import CLASSES, Material, mutate
from surefoot.bench.mutations import make_trials, run
from surefoot.bench.reword import reword
from surefoot.core.errors import InputError
from surefoot.core.values import compare, extract
from surefoot.wiring import build

SENTENCE = "Since 2019 at least 12% of the members in Riverton must pay R400 per month for 6 weeks."
MATERIAL = Material(
    passage=f"{SENTENCE} The museum in Lakeside is not open. Others pay R550 per month for 9 weeks.",
    names=["Lakeside"],
    foreign_names=["Hillview", "Oakdale"],
    foreign_sentences=["Boats may not enter the harbour at night."],
)


@pytest.mark.parametrize(
    "kind", ["digit", "swap", "unit", "currency", "period", "date", "comparator", "negation", "entity"]
)
def test_a_mutant_differs_from_the_truth(kind: str) -> None:
    for seed in range(8):
        made = mutate(kind, SENTENCE, MATERIAL, Random(seed))
        assert made is not None
        assert made != SENTENCE


@pytest.mark.parametrize("kind", ["digit", "swap", "unit", "currency", "period"])
def test_a_value_mutant_changes_a_value(kind: str) -> None:
    for seed in range(8):
        made = mutate(kind, SENTENCE, MATERIAL, Random(seed))
        assert made is not None
        pairs = zip(extract(SENTENCE), extract(made), strict=True)
        assert any(compare(new, old) != "same" for old, new in pairs)


def test_a_sentence_without_a_place_for_the_error_gives_none() -> None:
    assert mutate("currency", "The museum is open.", MATERIAL, Random(1)) is None
    assert mutate("url", "The museum is open.", MATERIAL, Random(1)) is None


def test_what_must_not_be_is_not_reworded_into_what_need_not_be() -> None:
    for seed in range(20):
        assert "have to" not in (reword("A tenant must not normally sublet the house.", Random(seed)) or "")


def test_a_rewording_keeps_every_value() -> None:
    changed = reword("If you live in Riverton, you must pay €400 per week for 6 weeks.", Random(3))
    assert changed is not None
    values = extract("€400 per week for 6 weeks")
    assert all(any(compare(new, old) == "same" for new in extract(changed)) for old in values)


def folder(tmp_path: Path) -> Path:
    for number, place in enumerate(("Riverton", "Lakeside", "Hillview", "Oakdale")):
        blocks = [
            f"The fee of the {thing} in {place} is R{400 + 13 * at + 7 * number} per month for every member. "
            f"Members of the {thing} in {place} must wait {5 + at} weeks before they can collect their card. "
            f"Since {2000 + at + number} the {thing} in {place} has been open to visitors from Westbrook."
            for at, thing in enumerate(("library", "museum", "garden", "theatre", "workshop", "harbour"))
        ]
        (tmp_path / f"{place}.md").write_text(f"# {place}\n\n" + "\n\n".join(blocks), encoding="utf-8")
    return tmp_path


def test_the_same_seed_gives_the_same_drafts(tmp_path: Path) -> None:
    corpus = read_corpus(folder(tmp_path))
    one = make_trials(corpus, per_class=5, seed=4, classes=CLASSES)
    assert one == make_trials(corpus, per_class=5, seed=4, classes=CLASSES)
    assert one != make_trials(corpus, per_class=5, seed=5, classes=CLASSES)


def test_a_folder_without_sentences_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("# Empty", encoding="utf-8")
    with pytest.raises(InputError, match="at least 20"):
        read_corpus(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        read_corpus(tmp_path / "nowhere")


def test_the_gate_kills_mutants_and_keeps_the_truth(tmp_path: Path) -> None:
    house = build(kb=tmp_path / "kb")
    documents = tmp_path / "docs"
    documents.mkdir()
    surely = ("digit", "currency", "period", "citation")
    report = asyncio.run(run(folder(documents), house.gate, per_class=4, classes=(*surely, "untouched")))
    assert report.false_alarms["untouched"] == 0.0
    assert [report.kill_rate[kind] for kind in surely] == [1.0] * len(surely)
    assert set(report.to_json()) == {"mutants", "kill_rate", "false_alarms"}
