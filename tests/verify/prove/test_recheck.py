"""The proof: valid as made, invalid after any change, and checkable with nothing installed."""

from __future__ import annotations

import asyncio
import copy
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from surefoot.core.types import Passage, VerifyInput
from surefoot.core.wire import result_to_wire
from surefoot.verify.gate import Gate
from surefoot.verify.prove import recheck


@pytest.fixture
def result(gate_with: Callable[..., Gate], library: tuple[Passage, ...]) -> dict[str, Any]:
    draft = "A yearly card costs R120 [S1]. The reading room opens at 09:00 on weekdays [S2]."
    request = VerifyInput(draft_answer=draft, chunks=library, question="What does it cost?")
    return json.loads(json.dumps(result_to_wire(asyncio.run(gate_with().verify(request)))))


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))
    else:
        yield path, value


def changed(value: Any) -> Any:
    if isinstance(value, str):
        return value[:-1] + ("x" if value[-1:] != "x" else "y") if value else "x"
    return not value if isinstance(value, bool) else 7 if value is None else value + 1


def put(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    copied = copy.deepcopy(document)
    place = copied
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return copied


def test_a_fresh_certificate_is_valid_alone_and_inside_its_result(result: dict[str, Any]) -> None:
    assert recheck.problems_of(result) == []
    assert recheck.problems_of(result["metadata"]["certificate"]) == []


def test_any_changed_leaf_of_the_certificate_shows(result: dict[str, Any]) -> None:
    certificate = result["metadata"]["certificate"]
    for path, value in leaves(certificate):
        assert recheck.problems_of(put(certificate, path, changed(value))), path


@pytest.mark.parametrize("part", ["final_text", "seal"])
def test_any_single_changed_character_shows(result: dict[str, Any], part: str) -> None:
    certificate = result["metadata"]["certificate"]
    text = certificate[part]
    for at in range(len(text)):
        other = "0" if text[at] != "0" else "1"
        assert recheck.problems_of({**certificate, part: text[:at] + other + text[at + 1 :]}), at


def test_the_answer_of_a_result_must_be_the_certified_one(result: dict[str, Any]) -> None:
    assert recheck.problems_of({**result, "finalAnswer": result["finalAnswer"] + " "})
    assert recheck.problems_of({**result, "decision": "rejected"})


def resealed(certificate: dict[str, Any], **changes: Any) -> dict[str, Any]:
    forged = copy.deepcopy({**certificate, **changes})
    forged["final_text_sha256"] = recheck.digest(forged["final_text"])
    forged["seal"] = recheck.seal_of(forged)
    return forged


def cut(certificate: dict[str, Any]) -> None:
    certificate["final_text"] = certificate["final_text"][:-9]


def lengthened(certificate: dict[str, Any]) -> None:
    certificate["final_text"] += " Cards are free."


def without_a_claim(certificate: dict[str, Any]) -> None:
    del certificate["sentences"][0]


def beyond(certificate: dict[str, Any]) -> None:
    certificate["sentences"][-1]["span"][1] += 50


def backwards(certificate: dict[str, Any]) -> None:
    certificate["sentences"][0]["span"].reverse()


def from_the_end(certificate: dict[str, Any]) -> None:
    start, end = certificate["sentences"][0]["span"]
    size = len(certificate["final_text"])
    certificate["sentences"][0]["span"] = [start - size, end - size]


def quote_beyond(certificate: dict[str, Any]) -> None:
    evidence, sources = certificate["sentences"][0]["evidence"][0], certificate["sources"]
    (source,) = [one for one in sources if one["id"] == evidence["source"]]
    evidence["quote"] = source["text"]
    evidence["quote_sha256"] = recheck.digest(source["text"])
    evidence["span"] = [0, len(source["text"]) + 50]


def value_beyond(certificate: dict[str, Any]) -> None:
    text = certificate["sources"][0]["text"]
    certificate["sentences"][0]["values"] = [
        {
            "source": certificate["sources"][0]["id"],
            "source_span": [0, len(text) + 50],
            "source_text": text,
            "claim_span": [0, len(certificate["final_text"]) + 50],
            "claim_text": certificate["final_text"],
        }
    ]


HASH = "the final text does not match its hash"
UNCOVERED = "the final text holds words that no certified sentence covers"


@pytest.mark.parametrize(
    ("tamper", "unsealed", "forged"),
    [
        (cut, HASH, "sentence 2 is not the final text at"),
        (lengthened, HASH, UNCOVERED),
        (without_a_claim, UNCOVERED, UNCOVERED),
        (beyond, "sentence 2 is not the final text at", "sentence 2 is not the final text at"),
        (backwards, "sentence 1 is not the final text at", UNCOVERED),
        (from_the_end, "sentence 1 is not the final text at", UNCOVERED),
        (quote_beyond, "sentence 1: the quote is not what source", "sentence 1: the quote is not what source"),
        (value_beyond, "sentence 1: value", "sentence 1: value"),
    ],
)
def test_what_was_tampered_with_is_said_in_plain_words(
    result: dict[str, Any], tamper: Callable[[dict[str, Any]], None], unsealed: str, forged: str
) -> None:
    certificate = copy.deepcopy(result["metadata"]["certificate"])
    tamper(certificate)
    said, sealed_again = recheck.problems_of(certificate), recheck.problems_of(resealed(certificate))
    assert any(problem.startswith("the seal does not match") for problem in said)
    assert any(problem.startswith(unsealed) for problem in said)
    assert any(problem.startswith(forged) for problem in sealed_again)
    assert not any("Error" in problem or "malformed" in problem for problem in (*said, *sealed_again))


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("sentences",), None, "the certificate is malformed"),
        (("sentences", 0, "span"), [1, 2, 3], "the certificate is malformed"),
        (("sentences", 0, "span"), ["a", "b"], "the certificate is malformed"),
        (("sources", 0), {"id": "S1"}, "the certificate is incomplete: 'text' is missing"),
        (("final_text",), 7, "the certificate is malformed"),
    ],
)
def test_a_part_that_is_no_part_of_a_certificate_is_named_after_what_was_found(
    result: dict[str, Any], path: tuple[Any, ...], value: Any, says: str
) -> None:
    said = recheck.problems_of(put(result["metadata"]["certificate"], path, value))
    assert said[0].startswith("the seal does not match")
    assert said[-1].startswith(says)
    assert not any("Error(" in problem for problem in said)


@pytest.mark.parametrize("junk", [None, 7, -1, "x", [], {}, [[]], [-5, 10**9]])
def test_no_part_of_another_kind_raises_or_passes(result: dict[str, Any], junk: Any) -> None:
    certificate = result["metadata"]["certificate"]
    for path, value in leaves(certificate):
        for place in (path[:1], path):
            if value != junk:
                said = recheck.problems_of(put(certificate, place, junk))
                assert said, place
                assert not any("Error(" in problem for problem in said), place


def test_a_file_that_is_nested_too_deep_is_not_valid(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep.json"
    file.write_text("[" * 200_000, encoding="utf-8")
    assert recheck.main([str(file)]) == 5
    assert "nested too deep" in capsys.readouterr().out


def test_a_forger_who_seals_again_still_needs_quotes_that_stand_in_the_sources(result: dict[str, Any]) -> None:
    certificate = result["metadata"]["certificate"]
    sentences = copy.deepcopy(certificate["sentences"])
    sentences[0]["evidence"][0]["quote"] = "Cards are free."
    sentences[0]["evidence"][0]["quote_sha256"] = recheck.digest("Cards are free.")
    assert any("quote" in problem for problem in recheck.problems_of(resealed(certificate, sentences=sentences)))


def test_text_that_no_certified_sentence_covers_shows_even_when_sealed_again(result: dict[str, Any]) -> None:
    certificate = result["metadata"]["certificate"]
    forged = resealed(certificate, final_text=certificate["final_text"] + " Cards are free.")
    assert any("no certified sentence" in problem for problem in recheck.problems_of(forged))


def test_a_released_fact_without_a_quote_shows_even_when_sealed_again(result: dict[str, Any]) -> None:
    certificate = result["metadata"]["certificate"]
    sentences = [{**sentence, "evidence": []} for sentence in certificate["sentences"]]
    assert any(
        "quotes nothing" in problem for problem in recheck.problems_of(resealed(certificate, sentences=sentences))
    )


def test_a_numbered_list_is_covered_and_an_amount_in_brackets_is_not_overlooked(
    gate_with: Callable[..., Gate], library: tuple[Passage, ...]
) -> None:
    draft = "1. A yearly card costs R120 [S1].\n2. The reading room opens at 09:00 on weekdays [S2]."
    listed = result_to_wire(asyncio.run(gate_with().verify(VerifyInput(draft_answer=draft, chunks=library))))
    assert (listed["decision"], recheck.problems_of(listed)) == ("approved", [])
    sneaky = VerifyInput(draft_answer="(900) rand is what a yearly card costs [S1].", chunks=library)
    certificate = asyncio.run(gate_with().verify(sneaky)).metadata.certificate
    assert "900" in str(certificate["sentences"])


@pytest.mark.parametrize("junk", [None, [], {}, {"seal": "x"}, {"metadata": {}}, {"format": recheck.FORMAT, "seal": 1}])
def test_what_is_no_certificate_is_not_valid(junk: object) -> None:
    assert recheck.problems_of(junk)


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"a": 1.00}', '{"a": -0}', '{"a": 1e1}'])
def test_json_that_could_hide_a_change_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        recheck.load(text)


def test_the_file_runs_alone_with_only_the_standard_library(result: dict[str, Any], tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(result), encoding="utf-8")
    bad.write_text(json.dumps({**result, "finalAnswer": "Cards are free."}), encoding="utf-8")
    alone = tmp_path / "recheck.py"
    alone.write_text(Path(recheck.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    for file, code, says in ((good, 0, "certificate: valid"), (bad, 5, "not valid")):
        ran = subprocess.run([sys.executable, "-I", "-S", str(alone), str(file)], capture_output=True, text=True)
        assert (ran.returncode, says in ran.stdout) == (code, True)
