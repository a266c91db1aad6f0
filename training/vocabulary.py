"""Writes the ordinary words of the written rows: those the grounder has met in several contexts.

    python -m training.vocabulary

The gate reads them where it must tell a word from a name or English from a language nobody taught. Only words written
small, and not from the rows in other languages. Beside them, from the contexts that are not kept for development, the
verbs, and the words of sentences that claim nothing: by these the gate tells advice about the matter from plain advice.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.drafts import is_development

from surefoot.core.text import STOPWORDS, fold
from training import rows

VERIFY = Path(__file__).parent.parent / "src" / "surefoot" / "verify"
OUT = VERIFY / "read" / "taught.txt"
VERBS = VERIFY / "ground" / "verbs.txt"
ADVISED = VERIFY / "ground" / "advised.txt"
CONTEXTS = 6
ADVISED_CONTEXTS = 2
NO_VERBS = set(
    "almost alone already apparently because certainly costs definitely dogs either else even ever fell finally found "
    "gladly hardly however instead last lawfully leaves loses merely needs neither normally now onwards one otherwise "
    "presumably probably rather really safely simply soon still therefore together told top two until usually well "
    "without yet".split()
)
OTHER_TONGUES = frozenset({"languages", "afrfr", "tongues"})
_SMALL = re.compile(r"(?<![\w'’-])[a-z]+(?![\w'’-])")
_ANY = re.compile(r"[^\W\d_]+")
_VERB = re.compile(
    r"(?:\b(?!(?:what|how|when|where|why|who|which|and|or|but|so|if)\b)[\w’']+ (?:must|can|may|should|could|might|would"
    r"|will|cannot|mustn't)|\b(?:can't|don't|won't|doesn't|didn't|shouldn't|please|let's|do not|did not|does not))"
    r"(?: not| never| always| only| also| still)? ([a-z]{2,})\b",
    re.IGNORECASE,
)
"""Not where a question begins with `Can` or `How may`: a subject follows there."""


def main() -> None:
    met = Counter(word for context in rows.read_all() if context.kind != "languages" for word in set(said(context)))
    ordinary = sorted(word for word, contexts in met.items() if contexts >= CONTEXTS)
    OUT.write_text("\n".join(ordinary) + "\n", encoding="utf-8")
    print(f"{len(ordinary)} words")
    for out, found, without in ((VERBS, verbs, STOPWORDS | NO_VERBS), (ADVISED, advised, STOPWORDS)):
        taught = (one for one in rows.read_all() if one.kind not in OTHER_TONGUES and not is_development(one.id))
        met = Counter(word for context in taught for word in set(found(context)))
        kept = sorted(word for word, contexts in met.items() if contexts >= ADVISED_CONTEXTS and word not in without)
        out.write_text("\n".join(kept) + "\n", encoding="utf-8")
        print(f"{len(kept)} words in {out.name}")


def said(context: rows.Context) -> Iterator[str]:
    sentences = [*context.claims, *(one for answer in context.answers for one in answer.sentences)]
    for text in (*context.sources, *(one.text for one in sentences), *(answer.question for answer in context.answers)):
        yield from _SMALL.findall(text)


def verbs(context: rows.Context) -> Iterator[str]:
    text = "\n".join([*context.sources, *(sentence.text for _, sentence in rows.sentences([context]))])
    yield from (match.group(1) for match in _VERB.finditer(text) if match.group(1).islower())


def advised(context: rows.Context) -> Iterator[str]:
    for _, sentence in rows.sentences([context]):
        if sentence.type == "silent":
            yield from _ANY.findall(fold(sentence.text))


if __name__ == "__main__":
    main()
