"""What an answer says of its own sources: what counts as silence, and what does not."""

from __future__ import annotations

import pytest

from surefoot.core.silence import is_refusal, says_only_silence


@pytest.mark.parametrize(
    "text",
    [
        "The passages do not mention a deposit.",
        "However, the provided documents do not explicitly say when the rent is due [S1].",
        "Passage 2 does not provide any information about deposits.",
        "None of the passages mention a deposit.",
        "The third passage does not mention a deposit.",
        "There is no mention of a deposit.",
        "There is no information about deposits in the given passages.",
        "A deposit is not specifically mentioned in the sources.",
        "If you move out early, the documents do not say what happens.",
        "Therefore, I am unable to say what the deposit is based on the given passages.",
        '"Unable to answer based on given passages."',
        "On the other hand, a fee is not mentioned in the text, therefore we are unable to answer from the text.",
        "The documents do not mention a deposit, and the passages do not list any fee.",
        "Note: The passages do not provide exact timings, so additional information may be required for a recipe.",
    ],
)
def test_a_sentence_about_the_sources_silence_is_seen(text: str) -> None:
    assert says_only_silence(text)


@pytest.mark.parametrize(
    "text",
    [
        "Tenants do not pay a deposit.",
        "The office does not accept cash.",
        "Deposits are not mentioned at the office.",
        "Aspirin is not given in hospitals.",
        "There is no information desk in the building.",
        "The documents mention a deposit.",
        "The documents do not mention a deposit, so it is free.",
        "The documents do not mention a deposit, so additional fees may be required.",
        "The documents do not mention a deposit, but tenants pay one.",
        "The documents do not mention a deposit; it is free.",
        "There is no mention of a deposit although tenants pay one in the documents.",
        "The documents do not mention a deposit despite tenants paying one.",
        "The documents do not mention a deposit, and the office does not list any fee.",
        "The documents do not mention a deposit, so I cannot answer from the documents, but it is free.",
        "The documents do not mention a deposit because it was abolished.",
        "The documents do not mention a deposit of R500.",
        "The documents do not mention that 12.5 % is due.",
        "The documents do not link to https://example.org/deposit.",
        "The documents do not mention any fee except the deposit.",
        "While the deposit is free, the documents do not mention the fee.",
        "The documents do not mention a deposit" + " or a fee" * 60 + ".",
    ],
)
def test_a_sentence_that_says_something_itself_is_no_silence(text: str) -> None:
    assert not says_only_silence(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know based on the provided documents.",
        "I don't know based on the provided documents [S1].",
        "Unable to answer based on given passages.",
        "I am unable to answer the question.",
        "We cannot answer this question from the documents.",
        "The passages do not contain the necessary information to answer the question.",
    ],
)
def test_a_refusal_in_the_usual_forms_is_one(text: str) -> None:
    assert is_refusal(text)


@pytest.mark.parametrize(
    "text",
    [
        "I don't know based on the provided documents. Cards are free.",
        "I don't know based on the provided documents " + "[S1]" * 5_000 + ".",
        "Unable to answer the phone.",
        "The first passage does not contain the necessary information to answer the question.",
        "I am unable to answer the question of the free deposit.",
        "The passages do not contain the necessary information to answer the question, but deposits are free.",
        "",
    ],
)
def test_only_a_whole_refusal_is_one(text: str) -> None:
    assert not is_refusal(text)
