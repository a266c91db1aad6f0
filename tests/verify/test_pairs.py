"""A sentence with two owners and two values: no answer that leaves the gate gives one owner the other's value.

The oracle knows how each source was made; it looks at the released text with plain string search. A floor under the
right claims that are released keeps the promise from being kept by silence.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest

from surefoot.core.text import sentences, squash, without_markers
from surefoot.core.types import Decision, Passage, VerifyInput, VerifyOptions
from surefoot.settings import Settings
from surefoot.wiring import Surefoot, build

SAMPLE = 420
"""Claims of one run, out of some thousands that can be made."""
LEAST_RELEASED = 0.6
"""Share of the right claims that must leave the gate with their value."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    name: str
    owners: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str], ...]
    sources: tuple[str, ...]
    """{a} and {b} are the owners, {x} and {y} what is said of each."""
    claims: tuple[str, ...]
    """Of one owner {o} and one value {v}."""


KINDS = (
    Kind(
        name="money",
        owners=(("tea", "coffee"), ("the day pass", "the season pass"), ("a replacement card", "a certified copy")),
        values=(("R10", "R25"), ("R1 200", "R1 450.50"), ("R80 per month", "R95 per month")),
        sources=(
            "{A} costs {x} and {b} costs {y}.",
            "{A} costs {x}, while {b} costs {y}.",
            "{A} costs {x} and {b} {y}.",
            "The price is {x} for {a} and {y} for {b}.",
            "Visitors pay {x} for {a}, {y} for {b}.",
            "{A} and {b} cost {x} and {y} respectively.",
            "The kiosk sells {a} ({x}) and {b} ({y}).",
            "{A}: {x}; {b}: {y}.",
        ),
        claims=("{O} costs {v}.", "The price of {o} is {v}.", "Visitors pay {v} for {o}.", "For {o} the price is {v}."),
    ),
    Kind(
        name="number to call",
        owners=(("police", "an ambulance"), ("the crisis line", "the fire brigade"), ("refunds", "lost luggage")),
        values=(("10111", "10177"), ("0800 123 456", "0800 456 789"), ("112", "0860 010 111")),
        sources=(
            "Call {x} for {a} and {y} for {b}.",
            "Call {x} for {a} or {y} for {b}.",
            "For {a} call {x} and for {b} call {y}.",
            "The number for {a} is {x} and the number for {b} is {y}.",
            "Call {a} ({x}) or {b} ({y}).",
            "Dial {x} for {a}; dial {y} for {b}.",
        ),
        claims=("Call {v} for {o}.", "For {o} call {v}.", "The number for {o} is {v}."),
    ),
    Kind(
        name="date",
        owners=(("the written exam", "the oral exam"), ("registration", "the orientation week"), ("Grade 11", "Grade 12")),
        values=(("3 May", "17 June"), ("1 February 2026", "15 March 2026"), ("Monday", "Thursday")),
        sources=(
            "{A} begins on {x} and {b} begins on {y}.",
            "{A} starts on {x}, but {b} starts on {y}.",
            "The closing date is {x} for {a} and {y} for {b}.",
            "{A} and {b} begin on {x} and {y} respectively.",
        ),
        claims=("{O} begins on {v}.", "{O} starts on {v}.", "The closing date for {o} is {v}."),
    ),
    Kind(
        name="time",
        owners=(("the library", "the museum"), ("the north gate", "the south gate"), ("the clinic", "the pharmacy")),
        values=(("08:00", "09:30"), ("7 am", "10 am")),
        sources=(
            "{A} opens at {x} and {b} opens at {y}.",
            "{A} opens at {x} and {b} at {y}.",
            "Doors open at {x} for {a} and at {y} for {b}.",
        ),
        claims=("{O} opens at {v}.", "Doors open at {v} for {o}.", "From {v} {o} is open."),
    ),
    Kind(
        name="dose",
        owners=(("children", "adults"), ("paracetamol", "ibuprofen"), ("the first dose", "the second dose")),
        values=(("5 ml", "10 ml"), ("250 mg", "400 mg"), ("10 mg/kg", "15 mg/kg")),
        sources=(
            "The dose is {x} for {a} and {y} for {b}.",
            "{A}: {x}, {b}: {y}.",
            "For {a} the dose is {x} and for {b} it is {y}.",
            "Give {x} for {a} and {y} for {b}.",
        ),
        claims=("The dose for {o} is {v}.", "Give {v} for {o}.", "For {o} the dose is {v}."),
    ),
    Kind(
        name="share",
        owners=(("women", "men"), ("rural schools", "city schools"), ("2020", "2021")),
        values=(("12%", "18%"), ("5.5 per cent", "7.5 per cent")),
        sources=(
            "The rate was {x} for {a} and {y} for {b}.",
            "The rate for {a} was {x} and the rate for {b} was {y}.",
            "The rates for {a} and {b} were {x} and {y} respectively.",
            "The report gives {x} for {a}, against {y} for {b}.",
        ),
        claims=("The rate was {v} for {o}.", "The rate for {o} was {v}.", "For {o} the rate was {v}."),
    ),
    Kind(
        name="duration",
        owners=(("the diploma", "the degree"), ("a visa", "a passport"), ("the short course", "the full course")),
        values=(("two years", "four years"), ("10 working days", "15 working days"), ("6 weeks", "9 weeks")),
        sources=(
            "{A} takes {x} and {b} takes {y}.",
            "{A} takes {x}; {b} takes {y}.",
            "It takes {x} for {a} and {y} for {b}.",
            "{A} and {b} take {x} and {y} respectively.",
        ),
        claims=("{O} takes {v}.", "It takes {v} for {o}.", "For {o} it takes {v}."),
    ),
)


@dataclass(frozen=True, kw_only=True)
class Case:
    kind: str
    source: str
    claim: str
    owners: tuple[str, str]
    values: tuple[str, str]
    right: bool


def cases() -> Iterator[Case]:
    """Everything that can be made, in a fixed order."""
    for kind in KINDS:
        for owners in kind.owners:
            for values in kind.values:
                for pattern in kind.sources:
                    filled = {"a": owners[0], "b": owners[1], "A": _capital(owners[0]), "x": values[0], "y": values[1]}
                    for claim in kind.claims:
                        for owner in (0, 1):
                            for value in (0, 1):
                                yield Case(
                                    kind=kind.name,
                                    source=pattern.format(**filled),
                                    claim=claim.format(
                                        o=owners[owner], O=_capital(owners[owner]), v=values[value]
                                    ),
                                    owners=owners,
                                    values=values,
                                    right=owner == value,
                                )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sample(seed: int, size: int) -> list[Case]:
    return Random(seed).sample(list(cases()), size)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Surefoot:
    return build(Settings(kb=Path(tmp_path_factory.mktemp("kb")), grounder_size="none"))


def released(house: Surefoot, draft: str, source: str) -> tuple[Decision, str]:
    options = VerifyOptions(deadline_ms=60_000)
    request = VerifyInput(draft_answer=draft, chunks=(Passage(id="S1", text=source),), options=options)
    result = asyncio.run(house.verify(request))
    return result.decision, without_markers(result.final_answer)


def gives_the_others(text: str, case: Case) -> bool:
    """Whether a sentence of the text, which is not the source's own, names one owner and has the other's value."""
    source = squash(case.source).rstrip(".")
    for sentence in sentences(text):
        said = squash(sentence.text).rstrip(" .")
        if said == source:
            continue
        named = [squash(_bare(owner)) in said for owner in case.owners]
        valued = [squash(value) in said for value in case.values]
        if named in ([True, False], [False, True]) and valued == named[::-1]:
            return True
    return False


def _bare(owner: str) -> str:
    return owner.removeprefix("the ").removeprefix("an ").removeprefix("a ")


@pytest.mark.parametrize("company", ["", " The office is in Upper Street [S1]."])
def test_no_owner_leaves_with_the_value_of_the_other(house: Surefoot, company: str) -> None:
    """Alone, where an unproven claim is given up, and beside a proven one, where it would go along."""
    wrong = []
    for case in sample(7, SAMPLE):
        draft = f"{case.claim[:-1]} [S1].{company}"
        _, text = released(house, draft, f"{case.source}{company.replace(' [S1]', '')}")
        if gives_the_others(text, case):
            wrong.append((case.source, case.claim, text))

    assert wrong == []


def test_most_right_claims_are_released(house: Surefoot) -> None:
    """Without this floor the promise could be kept by giving everything up."""
    asked, kept = Counter[str](), Counter[str]()
    for case in sample(11, SAMPLE):
        if case.right:
            decision, text = released(house, f"{case.claim[:-1]} [S1].", case.source)
            asked[case.kind] += 1
            kept[case.kind] += decision is Decision.APPROVED and squash(text).strip(" .") == squash(case.claim).strip(" .")

    assert kept.total() >= LEAST_RELEASED * asked.total(), (kept, asked)
    assert all(kept[kind] for kind in asked), (kept, asked)
