"""Two statements of one section that answer together: "Firms may put the account to sleep." and "That costs £2 a month."

Apart, each is half an answer and takes the lead from the other. A pair is read as one statement, by the same signals;
where it is the likelier answer, both are quoted, in the order of the page.
"""

from __future__ import annotations

from collections.abc import Sequence

from surefoot.generate.quotable import Quotable

SECTIONS = 3
"""Sections that are looked at: those with the likeliest statements."""
LEAST = 0.02
"""A statement less likely than this leads to no pair."""
_READ = 600


def pairs(
    candidates: Sequence[Quotable], chances: Sequence[float], *, sections: int = SECTIONS
) -> list[tuple[Quotable, Quotable]]:
    """Of each of the likeliest sections its likeliest statement, with the next likeliest and with its neighbours."""
    rank = {one.order: chance for one, chance in zip(candidates, chances, strict=True)}
    found: dict[tuple[int, str], list[Quotable]] = {}
    for one in candidates:
        if not one.step:
            found.setdefault((one.position, one.about), []).append(one)
    able = [ones for ones in found.values() if len(ones) > 1 and max(rank[one.order] for one in ones) >= LEAST]
    able.sort(key=lambda ones: -max(rank[one.order] for one in ones))
    return [pair for ones in able[:sections] for pair in _of_section(ones, rank)]


def _of_section(ones: Sequence[Quotable], rank: dict[int, float]) -> list[tuple[Quotable, Quotable]]:
    first, second = sorted(ones, key=lambda one: -rank[one.order])[:2]
    at = ones.index(first)
    near = [one for one in (*ones[max(0, at - 1) : at], *ones[at + 1 : at + 2]) if one.kind == first.kind == "prose"]
    partners = {one.order: one for one in (second, *near)}.values()
    return [(first, one) if first.start <= one.start else (one, first) for one in partners]


def joined(pair: tuple[Quotable, Quotable], order: int) -> Quotable:
    """Both as one statement, with what each leans on."""
    said = dict.fromkeys(text for one in pair for text in (*one.lead, one.text))
    both = pair[0].terms | pair[1].terms
    return pair[0]._replace(text=" ".join(said)[:_READ], lead=(), kind="prose", terms=both, order=order)
