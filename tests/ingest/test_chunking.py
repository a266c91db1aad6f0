from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from surefoot.core.tabled import CUT_ROWS, tables
from surefoot.core.types import Document
from surefoot.ingest.chunking import CHARACTERS, WINDOW, chunk

PAGE = """---
title: Fees
---
# Fees

The fee is R500.

## Refunds

Refunds take ten days.

### Late refunds

Ask the office.

## Loans

```
# not a heading
```

A loan is not a gift.
"""


def document(text: str, **metadata: object) -> Document:
    return Document(source="fees.md", text=text, sha256="0", metadata=metadata)  # type: ignore[arg-type]


def long(paragraph: str, times: int = 12) -> str:
    return " ".join([paragraph] * times)


@given(st.text(max_size=4000))
@settings(max_examples=60, deadline=None)
def test_every_chunk_is_an_exact_slice_of_its_source(text: str) -> None:
    for passage in chunk(document(text)):
        start, end = passage.metadata["start"], passage.metadata["end"]
        assert text[start:end] == passage.text


@given(st.lists(st.text(alphabet=st.characters(codec="utf-8"), max_size=300), max_size=40))
@settings(max_examples=40, deadline=None)
def test_no_word_is_lost_between_chunks(lines: list[str]) -> None:
    text = "\n\n".join(lines)
    covered = set()
    for passage in chunk(document(text)):
        covered |= set(range(int(passage.metadata["start"]), int(passage.metadata["end"])))
    lost = [text[at] for at in range(len(text)) if at not in covered and text[at].isalnum()]
    assert lost == []


def test_a_chunk_carries_the_headings_it_stands_under() -> None:
    text = f"# Fees\n\n{long('The fee is R500.')}\n\n## Refunds\n\n### Late\n\n{long('Ask the office in person.', 30)}"
    last = chunk(document(text))[-1]
    assert last.metadata["headings"] == ["Fees", "Refunds", "Late"]


def test_a_heading_of_the_same_rank_ends_the_one_before() -> None:
    text = f"# Fees\n\n## Refunds\n\n{long('Ten days.', 60)}\n\n## Loans\n\n{long('A loan is no gift.', 40)}"
    assert chunk(document(text))[-1].metadata["headings"] == ["Fees", "Loans"]


def test_prose_before_a_heading_belongs_to_the_heading_above() -> None:
    text = "# Fees\n\nOne line.\n\n## Loans\n\nAnother line."
    assert chunk(document(text))[0].metadata["headings"] == ["Fees"]
    assert chunk(document("One line.\n\n## Loans\n\nAnother line."))[0].metadata.get("headings") is None


def test_code_that_looks_like_a_heading_is_none() -> None:
    text = f"# Real\n\n```\n# fake\n```\n\n{long('Some prose follows the code.', 40)}"
    assert chunk(document(text))[-1].metadata["headings"] == ["Real"]


def test_front_matter_is_no_evidence() -> None:
    body = PAGE.index("# Fees")
    passages = chunk(document(PAGE, _body=body))
    assert passages[0].metadata["start"] >= body
    assert all("title:" not in passage.text for passage in passages)


def test_pages_are_told_from_offsets() -> None:
    first, second = long("Page one speaks of rent.", 30), long("Page two speaks of fees.", 30)
    passages = chunk(document(first + "\n\n" + second, _pages=[0, len(first) + 2]))
    assert passages[0].metadata["page"] == 1
    assert passages[-1].metadata["page"] == 2
    assert "_pages" not in passages[0].metadata


def test_chunks_stay_within_what_the_embedder_reads() -> None:
    assert all(len(passage.text) <= CHARACTERS[1] for passage in chunk(document(long("Rent is due monthly.", 2000))))


def test_a_text_without_any_structure_is_cut_too() -> None:
    text = "ab, " * WINDOW
    passages = chunk(document(text))
    assert len(passages) > 10
    assert "".join("".join(passage.text for passage in passages).split()) == "".join(text.split())


def test_an_encoded_picture_is_no_passage() -> None:
    text = f"# Logo\n\n![](data:image/png;base64,{'iVBORw0KGgo' * 4000})\n\nThe logo is blue."
    passages = chunk(document(text))
    assert len(passages) <= 4
    assert passages[-1].text.endswith("The logo is blue.")


def test_the_same_text_gives_the_same_ids_and_another_place_another_id() -> None:
    text = long("Rent is due monthly.", 200)
    first, again = chunk(document(text)), chunk(document(text))
    moved = chunk(document("A new line.\n\n" + text))
    assert [p.id for p in first] == [p.id for p in again]
    assert not {p.id for p in first} & {p.id for p in moved if p.metadata["start"] == 0}
    assert len({p.id for p in first}) == len(first)


@pytest.mark.parametrize(
    "claimed",
    [
        "fees.md",
        "FEES.PDF",
        "other/fees.md",
        "..\\fees.md",
        "https://www.gov.za/fees",
        "fees.jsonl#7",
        "fees\u200b.md",
        "fees\uff0emd",
        "fees.md\u200b",
        "www.gov.za",
        "dhet.gov.za",
        "dhet。gov。za",
        "fees.org",
        "10.0.0.1",
        "localhost:8000",
        "file:fees",
        "mailto:office@uni",
        "fees。md",
        "[S1]",
        "S1",
        "<b>fees",
        "x" * 5_000,
        ["fees.md"],
        "",
    ],
)
def test_a_document_cannot_name_another_file_as_its_source(claimed: object) -> None:
    metadata = {"source": claimed, "file": "a.md"}
    (passage,) = chunk(Document(source="evil.md", text="The fee is R1.", sha256="x", metadata=metadata))
    assert (passage.metadata["source"], passage.metadata["file"]) == ("evil.md", "evil.md")


def test_a_document_says_nothing_of_where_a_passage_stands_or_came_from() -> None:
    claimed = {"external": True, "retrieved": "2026-01-01", "page": 7, "page_end": 9, "start": 500, "end": 900}
    (passage,) = chunk(Document(source="a.md", text="The fee is R1.", sha256="x", metadata={**claimed, "grade": 12}))
    assert not {"external", "retrieved", "page", "page_end"} & passage.metadata.keys()
    assert (passage.metadata["start"], passage.metadata["end"], passage.metadata["grade"]) == (0, 14, 12)


@pytest.mark.parametrize(
    "claimed",
    [
        "Department of Basic Education",
        "GOV.UK",
        "Riverbend Library, visitor handbook",
        "St. John's",
        "Act 4: fees",
        "U.S.",
    ],
)
def test_a_document_may_say_who_published_it(claimed: str) -> None:
    (passage,) = chunk(Document(source="a.md", text="The fee is R1.", sha256="x", metadata={"source": claimed}))
    assert (passage.metadata["source"], passage.metadata["file"]) == (claimed, "a.md")


def test_a_passage_says_where_its_table_was_cut() -> None:
    rows = "\n".join(f"| Hut {n} | {n} beds, a lamp and a table by the window |" for n in range(60))
    found = chunk(document(f"# Huts\n\n| Hut | Beds |\n|---|---|\n{rows}\n\nEnd of it.\n"))
    cuts = [one.metadata.get(CUT_ROWS) for one in found if "|" in one.text]
    assert cuts[0] == ["after"]
    assert all(cut == ["before", "after"] for cut in cuts[1:-1])
    assert cuts[-1] == ["before"]
    assert len(tables(found)[0].rows) == 60
    assert tables(found[:-1]) == []


def test_a_table_in_one_piece_is_not_cut() -> None:
    found = chunk(
        document("# Huts\n\n| Hut | Beds |\n|---|---|\n| Ash | 2 |\n| Elm | 4 |\n\n## More\n\nNothing here.\n")
    )
    assert all(CUT_ROWS not in one.metadata for one in found)
