"""A sentence with two owners and two values: no answer that leaves the gate gives one owner the other's value.

The oracle knows how each source was made; it looks at the released text with plain string search. A floor under the
right claims that are released keeps the promise from being kept by silence.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from random import Random

import pytest

from surefoot.core.text import sentences, squash, without_markers
from surefoot.core.types import Decision, Passage, VerifyInput, VerifyOptions
from surefoot.settings import Settings
from surefoot.wiring import Surefoot, build

SAMPLE = 360
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
    both: str
    """Of both: {v} is said of {o}, {w} of {p}."""


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
            "{A} costs {x} and {b}, {y}.",
            "Visitors pay {x} for {a}, and for {b}, {y}.",
            "{A}, which costs {x}, and {b}, which costs {y}, are sold at the kiosk.",
            "Unlike {a}, which costs {x}, {b} costs {y}.",
            "{A} costs {x} compared with {y} for {b}.",
            "At the kiosk {a} costs {x}, cake costs R7 and {b} costs {y}.",
            "The price of {a} is {x} ({y} for {b}).",
            "{x} buys {a} and {y} buys {b}.",
            "The kiosk charges {x} ({a}) or {y} ({b}).",
            "{A} costs {x} in summer and winter, and {b} costs {y} in summer and winter.",
            "{A} costs {x}, not {y} like {b}.",
        ),
        claims=("{O} costs {v}.", "The price of {o} is {v}.", "Visitors pay {v} for {o}.", "For {o} the price is {v}."),
        both="{O} costs {v} and {p} costs {w}.",
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
        both="Call {v} for {o} and {w} for {p}.",
    ),
    Kind(
        name="date",
        owners=(
            ("the written exam", "the oral exam"),
            ("registration", "the orientation week"),
            ("Grade 11", "Grade 12"),
        ),
        values=(("3 May", "17 June"), ("1 February 2026", "15 March 2026"), ("Monday", "Thursday")),
        sources=(
            "{A} begins on {x} and {b} begins on {y}.",
            "{A} starts on {x}, but {b} starts on {y}.",
            "The closing date is {x} for {a} and {y} for {b}.",
            "{A} and {b} begin on {x} and {y} respectively.",
        ),
        claims=("{O} begins on {v}.", "{O} starts on {v}.", "The closing date for {o} is {v}."),
        both="{O} begins on {v} and {p} begins on {w}.",
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
        both="{O} opens at {v} and {p} opens at {w}.",
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
        both="The dose is {v} for {o} and {w} for {p}.",
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
        both="The rate was {v} for {o} and {w} for {p}.",
    ),
    Kind(
        name="duration",
        owners=(("the diploma", "the degree"), ("a visa", "a passport"), ("the short course", "the full course")),
        values=(("two years", "four years"), ("10 working days", "15 working days"), ("6 weeks", "9 weeks")),
        sources=(
            "{A} takes {x} and {b} takes {y}.",
            "{A} takes {x}; {b} takes {y}.",
            "{A} takes {x}, as opposed to {y} for {b}.",
            "{A} runs for {x}; for {b} allow {y}.",
            "After {a} ({x}) comes {b} ({y}).",
            "It takes {x} for {a} and {y} for {b}.",
            "{A} and {b} take {x} and {y} respectively.",
        ),
        claims=("{O} takes {v}.", "It takes {v} for {o}.", "For {o} it takes {v}."),
        both="{O} takes {v} and {p} takes {w}.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class Case:
    kind: Kind
    pattern: str
    owners: tuple[str, str]
    values: tuple[str, str]

    @property
    def source(self) -> str:
        (a, b), (x, y) = self.owners, self.values
        return self.pattern.format(a=a, b=b, A=_capital(a), x=x, y=y)


@dataclass(frozen=True, kw_only=True)
class Claimed:
    case: Case
    text: str
    right: bool


def cases() -> Iterator[Case]:
    """Every source that can be made, in a fixed order."""
    for kind in KINDS:
        for owners, values, pattern in product(kind.owners, kind.values, kind.sources):
            yield Case(kind=kind, pattern=pattern, owners=owners, values=values)


def claims() -> Iterator[Claimed]:
    """Each source with each claim about one owner, right and wrong."""
    for case in cases():
        for form, owner, value in product(case.kind.claims, case.owners, case.values):
            text = form.format(o=owner, O=_capital(owner), v=value)
            right = case.owners.index(owner) == case.values.index(value)
            yield Claimed(case=case, text=text, right=right)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def sample(seed: int) -> list[Claimed]:
    return Random(seed).sample(list(claims()), SAMPLE)


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
    for sentence in sentences(text):
        said = _plain(sentence.text)
        if said == _plain(case.source):
            continue
        named = [_bare(owner) in said for owner in case.owners]
        valued = [_plain(value) in said for value in case.values]
        if named in ([True, False], [False, True]) and valued == named[::-1]:
            return True
    return False


def _plain(text: str) -> str:
    return squash(text).strip(" .")


def _bare(owner: str) -> str:
    return squash(owner).removeprefix("the ").removeprefix("an ").removeprefix("a ")


@pytest.mark.parametrize("company", ["", " The office is in Upper Street [S1]."])
def test_no_owner_leaves_with_the_value_of_the_other(house: Surefoot, company: str) -> None:
    """Alone, where an unproven claim is given up, and beside a proven one, where it would go along."""
    wrong = []
    for claim in sample(7):
        source = f"{claim.case.source}{company.replace(' [S1]', '')}"
        _, text = released(house, f"{claim.text[:-1]} [S1].{company}", source)
        if gives_the_others(text, claim.case):
            wrong.append((claim.case.source, claim.text, text))

    assert wrong == []


def test_most_right_claims_are_released(house: Surefoot) -> None:
    """Without this floor the promise could be kept by giving everything up."""
    asked, kept = Counter[str](), Counter[str]()
    for claim in sample(11):
        if claim.right:
            decision, text = released(house, f"{claim.text[:-1]} [S1].", claim.case.source)
            asked[claim.case.kind.name] += 1
            kept[claim.case.kind.name] += decision is Decision.APPROVED and _plain(text) == _plain(claim.text)

    assert kept.total() >= LEAST_RELEASED * asked.total(), (kept, asked)
    assert all(kept[kind] for kind in asked), (kept, asked)


def test_values_that_changed_places_are_found_and_right_ones_released(house: Surefoot) -> None:
    released_right = released_wrong = 0
    chosen = Random(13).sample(list(cases()), SAMPLE // 4)
    for case in chosen:
        (one, two), (x, y) = case.owners, case.values
        for right, values in ((True, (x, y)), (False, (y, x))):
            claim = case.kind.both.format(o=one, O=_capital(one), p=two, v=values[0], w=values[1])
            _, text = released(house, f"{claim[:-1]} [S1].", case.source)
            if _plain(text) == _plain(claim) != _plain(case.source):
                released_right += right
                released_wrong += not right

    assert released_wrong == 0
    assert released_right >= LEAST_RELEASED * len(chosen)
