#!/usr/bin/env python3
"""Re-checks a Surefoot certificate with nothing but the standard library.

    python recheck.py FILE.json        exit code 0: valid, 5: not valid, 2: not a certificate

Copy this one file anywhere: it needs no Surefoot. It takes a certificate, or a whole result whose final answer must
then be the certified one. It confirms that nothing was changed since the gate sealed it, that every quote stands in
its source at the stated place, that every compared value stands where it is said to stand, and that a released answer
proves every factual sentence. The seal shows changes; it does not show who made the certificate.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

FORMAT = "surefoot-certificate/1"
RELEASED = ("approved", "revised")
BULLET = re.compile(r"^[ \t]*\(?(?:\d{1,2}|[a-z])[.)][ \t]", re.MULTILINE)
"""A list's own numbering belongs to no sentence."""


def problems_of(document: object) -> list[str]:
    """What is wrong with a certificate or a result that holds one; an empty list means valid."""
    certificate, problems = _find_certificate(document)
    if certificate is None:
        return problems
    if certificate.get("format") != FORMAT:
        return [f"format is {certificate.get('format')!r}, not {FORMAT!r}"]
    try:
        for problem in _examine(certificate):
            problems.append(problem)
    except KeyError as error:
        problems.append(f"the certificate is incomplete: {error.args[0]!r} is missing")
    except (TypeError, ValueError, IndexError, AttributeError, RecursionError):
        problems.append("the certificate is malformed: a part of it is not what a certificate holds there")
    return problems


def load(text: str) -> object:
    """Parses JSON strictly: a key given twice or a number written in an unusual way is an error."""
    return json.loads(text, object_pairs_hook=_no_twice, parse_float=_plain_float, parse_int=_plain_int)


def canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def seal_of(certificate: dict[str, Any]) -> str:
    return digest(canonical({key: value for key, value in certificate.items() if key != "seal"}))


def _find_certificate(document: object) -> tuple[dict[str, Any] | None, list[str]]:
    if not isinstance(document, dict):
        return None, ["this is not a JSON object"]
    if "seal" in document:
        return document, []
    metadata = document.get("metadata")
    certificate = metadata.get("certificate") if isinstance(metadata, dict) else None
    if not isinstance(certificate, dict):
        return None, ["there is no certificate in this file"]
    problems = []
    answer = document.get("finalAnswer", document.get("final_answer"))
    if answer != certificate.get("final_text"):
        problems.append("the final answer is not the certified one")
    if document.get("decision") != certificate.get("decision"):
        problems.append("the decision is not the certified one")
    return certificate, problems


def _examine(certificate: dict[str, Any]) -> Iterator[str]:
    """Problem by problem: what a malformed part hides comes after what was found before it."""
    if certificate["seal"] != seal_of(certificate):
        yield "the seal does not match: something was changed after the gate sealed it"
    text = certificate["final_text"]
    if certificate["final_text_sha256"] != digest(text):
        yield "the final text does not match its hash"
    sources = {source["id"]: source for source in certificate["sources"]}
    for source in sources.values():
        if digest(source["text"]) != source["sha256"]:
            yield f"source {source['id']!r} does not match its hash"
    covered = [False] * len(text)
    for bullet in BULLET.finditer(text):
        covered[bullet.start() : bullet.end()] = [True] * len(bullet.group())
    for number, sentence in enumerate(certificate["sentences"], 1):
        yield from _examine_sentence(number, sentence, text, sources, certificate["decision"])
        if _at(text, sentence["span"]) is not None:
            start, end = sentence["span"]
            covered[start:end] = [True] * (end - start)
    if certificate["decision"] in RELEASED and any(
        char.isalnum() and not seen for char, seen in zip(text, covered, strict=True)
    ):
        yield "the final text holds words that no certified sentence covers"


def _examine_sentence(
    number: int, sentence: dict[str, Any], text: str, sources: dict[str, dict[str, Any]], decision: str
) -> Iterator[str]:
    start, end = sentence["span"]
    if _at(text, sentence["span"]) != sentence["text"]:
        yield f"sentence {number} is not the final text at {start}-{end}"
    for item in sentence["evidence"]:
        source = sources.get(item["source"])
        if source is None:
            yield f"sentence {number} quotes source {item['source']!r}, which is not in the certificate"
        elif _at(source["text"], item["span"]) != item["quote"] or not item["quote"].strip():
            yield f"sentence {number}: the quote is not what source {item['source']!r} says there"
        if digest(item["quote"]) != item["quote_sha256"]:
            yield f"sentence {number}: the quote does not match its hash"
    for value in sentence["values"]:
        source = sources.get(value["source"])
        if source is None or _at(source["text"], value["source_span"]) != value["source_text"]:
            yield f"sentence {number}: value {value['source_text']!r} is not in its source"
        if _at(text, value["claim_span"]) != value["claim_text"]:
            yield f"sentence {number}: value {value['claim_text']!r} is not in the sentence"
    if decision in RELEASED and sentence["factual"] and not sentence["evidence"]:
        yield f"sentence {number} states a fact and quotes nothing"


def _at(text: str, span: list[int]) -> str | None:
    """What stands there; None where the span reaches beyond the text, which a slice would hide."""
    start, end = span
    return text[start:end] if 0 <= start <= end <= len(text) else None


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) != len(pairs):
        raise ValueError("a key is given twice")
    return result


def _plain_float(text: str) -> float:
    if repr(float(text)) != text:
        raise ValueError(f"number {text!r} is not in plain form")
    return float(text)


def _plain_int(text: str) -> int:
    if str(int(text)) != text:
        raise ValueError(f"number {text!r} is not in plain form")
    return int(text)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] in ("-h", "--help"):
        print(__doc__)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            document = load(file.read())
    except OSError as error:
        print(f"{arguments[0]}: cannot be read: {error.strerror}", file=sys.stderr)
        return 2
    except RecursionError:
        print("certificate: not valid\n  the file is nested too deep for a certificate")
        return 5
    except ValueError as error:
        print(f"certificate: not valid\n  the file is not strict JSON: {error}")
        return 5
    problems = problems_of(document)
    if problems:
        print("certificate: not valid\n" + "\n".join(f"  {problem}" for problem in problems))
        return 5
    print("certificate: valid")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
