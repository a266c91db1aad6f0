"""Writes the ordinary words of the written rows: those the grounder has met in several contexts.

    python -m training.vocabulary

The gate reads them where it must tell a word from a name or English from a language nobody taught. Only words written
small, and not from the rows in other languages.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from training import rows

OUT = Path(__file__).parent.parent / "src" / "surefoot" / "verify" / "read" / "taught.txt"
CONTEXTS = 6
_SMALL = re.compile(r"(?<![\w'’-])[a-z]+(?![\w'’-])")


def main() -> None:
    met = Counter(word for context in rows.read_all() if context.kind != "languages" for word in set(said(context)))
    ordinary = sorted(word for word, contexts in met.items() if contexts >= CONTEXTS)
    OUT.write_text("\n".join(ordinary) + "\n", encoding="utf-8")
    print(f"{len(ordinary)} words")


def said(context: rows.Context) -> Iterator[str]:
    sentences = [*context.claims, *(one for answer in context.answers for one in answer.sentences)]
    for text in (*context.sources, *(one.text for one in sentences), *(answer.question for answer in context.answers)):
        yield from _SMALL.findall(text)


if __name__ == "__main__":
    main()
