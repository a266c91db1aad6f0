"""A language is named only where it is certain."""

from __future__ import annotations

import pytest

from surefoot.core.language import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Wie lange dauert der erste Besuch?", "German"),
        ("Combien coûte une consultation pour un chat ?", "French"),
        ("¿Cuánto cuesta la consulta para un gato?", "Spanish"),
        ("What does a consultation cost?", "English"),
        ("CX250 price", None),
        ("do people need a card", "English"),
    ],
)
def test_a_question_is_in_a_language(text: str, language: str | None) -> None:
    assert language_of([text]) == language
