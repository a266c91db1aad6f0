"""The words that are numbers."""

from __future__ import annotations

SMALL = {
    **{
        name: number
        for number, name in enumerate(
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen".split(),
            start=1,
        )
    },
    **{
        name: number * 10
        for number, name in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
    },
}
MULTIPLIERS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000, "dozen": 12}
ORDINALS = {
    name: number
    for number, name in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
        "fifteenth sixteenth seventeenth eighteenth nineteenth twentieth".split(),
        start=1,
    )
}
_TENS = {name: number for name, number in SMALL.items() if number >= 20}
BELOW_HUNDRED = SMALL | {
    f"{ten}{joint}{one}": number + SMALL[one]
    for ten, number in _TENS.items()
    for one in list(SMALL)[:9]
    for joint in "- "
}
"""`five`, `twenty-five`, `twenty five`."""
ANY_SMALL = "|".join(sorted((name.replace(" ", "[ ]") for name in BELOW_HUNDRED), key=len, reverse=True))


def size(written: str) -> int:
    """What `5`, `five` or `twenty-five` stand for; 0 for anything else."""
    return int(written) if written.isdigit() else BELOW_HUNDRED.get(written, 0)
