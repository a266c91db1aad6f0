"""A proper name that stands in no source is an issue; a title, a greeting or a capital that says nothing is none."""

from __future__ import annotations

import pytest
from packcase import codes, findings

from surefoot.packs.loader import load
from surefoot.verify.checks.names import NameCheck

SOURCE = "Emeka Obi looks after spare parts. Beyond Split Rock a guide comes along. Yusra Haddad runs the course."


def found(draft: str) -> list[str]:
    return codes(findings(NameCheck(), draft, pack=load("default"), sources=(SOURCE,)))


@pytest.mark.parametrize(
    "draft",
    [
        "Mr Obi looks after spare parts.",
        "That's Emeka Obi, the spare parts man.",
        "Ask Yusra about the course.",
        "Past Split Rock a guide has to be with you.",
        "Dear Ms Temudjin,",
        "Kind regards\nAnna Temudjin",
        "Yours sincerely,\nDr. Temudjin",
        "See you soon,\nFamiljen Lund",
        "Many thanks\nAnna Temudjin",
        "Talk soon,\nMaria",
        "Cheers,\nDave Temudjin",
        "Speak soon\nPriya from the office",
        "Take care,\nDr. Ann Temudjin\nReception, Hill House",
        "Molo Noluthando!",
        "One second, I'll look it up.",
        "## Deferral",
        "| Item | Can he take it? |",
        "| Item | Price |",
        "'n Mens mag nie alleen verder gaan nie.",
        "Ask SR and Yusra about the course.",
        "Ask Emeka Obi and the Split Rock guide.",
        "Ein Buch darf man nicht verleihen, wenn es die Bibliothek nicht erlaubt.",
    ],
)
def test_a_known_name_or_a_mere_capital_is_no_issue(draft: str) -> None:
    assert found(draft) == []


@pytest.mark.parametrize(
    "draft",
    [
        "Mr Okafor looks after spare parts.",
        "That's Emeka Okafor, the spare parts man.",
        "Ask Zanele about the course.",
        "Past Eagle Rock a guide has to be with you.",
        "Dr Emeka Obi of Wits University looks after spare parts.",
        "Spare parts are looked after by Ms Temudjin.",
        "Ask XQ and Yusra about the course.",
        "Ask Emeka Obi and Zanele about the course.",
        "Ask at the desk,\nAnna Temudjin",
        "The owner is\nAnna Temudjin",
        "Thank you for meeting\nAnna Temudjin",
        "Cheers to the owner, Anna Temudjin.",
        "Yours,\nAnna Lund, owner of Hill House since spring",
    ],
)
def test_a_name_in_no_source_is_one(draft: str) -> None:
    assert found(draft) == ["unknown_entity"]


def test_maths_is_mathematics() -> None:
    def said(draft: str, source: str) -> list[str]:
        return codes(findings(NameCheck(), draft, pack=load("default"), sources=(source,)))

    assert said("The course asks for Maths.", "The course asks for Mathematics.") == []
    assert said("The course asks for Maths.", "The course asks for Mathematical Literacy.") == ["unknown_entity"]
