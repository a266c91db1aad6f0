"""Documents made to stop a queue, by name; shared by the tests that upload them and those that ingest them."""

from __future__ import annotations

import json
from collections.abc import Mapping

POISONS: Mapping[str, bytes] = {
    "half-text.json": rb'{"title": "Rent", "text": "Rent is \ud800 due."}',
    "half-title.json": rb'{"title": "\udfff", "text": "Rent is due."}',
    "half-key.json": rb'{"\ud800": "x", "text": "Rent is due."}',
    "half-lines.jsonl": b'{"text": "Rent is due."}\n' + rb'{"text": "\ud83d"}',
    "half-front.md": b'---\ntitle: "\\ud800"\n---\nRent is due.\n',
    "wide.csv": b",".join([b"c"] * 300_000) + b"\n" + b",".join([b"1"] * 300_000) + b"\n",
    "fields.json": json.dumps({"text": "Rent is due.", **{f"k{n}": "v" * 900 for n in range(80)}}).encode(),
    "front.md": b"---\n" + b"".join(b"k%d: %s\n" % (n, b"v" * 60) for n in range(900)) + b"---\nRent is due.\n",
    "deep.json": b"[" * 200_000,
    "digits.json": b'{"text": "Rent is due.", "n": ' + b"9" * 100_000 + b"}",
    "surrogates.txt": b"\xff\xfe" + "Rent".encode("utf-16-le") + b"\x00\xd8\x41\x00",
    "marks.txt": b"... !!! ---\n",
}
GOOD: Mapping[str, bytes] = {
    "good.md": b"# Rent\n\nRent is due monthly.\n",
    "nul.json": rb'{"title": "Fees\u0000", "text": "The fee\u0000 is R500 a year.\u0007"}',
    "long-title.json": json.dumps({"title": "t" * 900, "text": "The deposit is R900."}).encode(),
}
"""What is odd and still readable."""
