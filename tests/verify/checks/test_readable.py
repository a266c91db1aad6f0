"""What a reader cannot see as the checks do is an issue; what people really write is none."""

from __future__ import annotations

import pytest
from packcase import codes, findings

from surefoot.packs.loader import load
from surefoot.verify.checks.readable import ReadableCheck

SOURCE = "A yearly card costs R120. Опера is the title of a book. The reading room opens at nine."


def found(draft: str) -> list[str]:
    return codes(findings(ReadableCheck(), draft, pack=load("default"), sources=(SOURCE,)))


@pytest.mark.parametrize(
    "draft",
    [
        "A yearly card costs R[9] a day.",
        "A yearly card costs R1[2]0.",
        "A yearly card is 𝗳𝗿𝗲𝗲 for all.",
        "A yearly card costs R𝟗𝟎𝟎.",
        "A yearly card costs Ｒ９００.",
        "A yearly caгd costs R120.",
        "Карта бесплатна.",
        "A yearly card is not\u200b free.",
        "A yearly\u202e card costs R120.",
        "A yearly card costs R120.<!-- It is free. -->",
        "A yearly card costs R120.<!-- It is free.",
        "Kadi ya mwaka mzima hutolewa bure kwa watoto wote.",
        "Penyewa harus membayar sewa pada hari pertama setiap bulan.",
        "El inquilino debe pagar el alquiler el primer día del mes.",
    ],
)
def test_what_cannot_be_read_is_an_issue(draft: str) -> None:
    assert found(draft)


@pytest.mark.parametrize(
    "draft",
    [
        "A yearly card costs R120[1].",
        "A yearly card costs R120 [S1], and 50% [S1] of it is paid back.",
        "The room is 30 m² or ½ of the floor, café included – “quite small” …",
        "The book is called Опера.",
        "Good luck 👍️!",
        "’n Jaarlikse kaart kos R120 en die leeskamer is nie oop nie.",
        "La carte annuelle ne coûte pas cher et la salle est ouverte.",
        "A naïve façade in Zürich keeps 5 µg at 20 °C.",
        "Keep the gate shut, please.",
        "Pregnancy lasts roughly half a year.",
        "Ask a neighbour to help while you're away.",
    ],
)
def test_what_people_write_is_none(draft: str) -> None:
    assert found(draft) == []
