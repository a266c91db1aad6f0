from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from surefoot.core.errors import ConfigError, InputError, MissingExtraError
from surefoot.core.text import sentences
from surefoot.core.types import Document
from surefoot.ingest import cutting, reading
from surefoot.ingest.chunking import chunk
from surefoot.ingest.cutting import Cut
from surefoot.ingest.isolation import ReaderPool
from surefoot.ingest.limits import Limits


@pytest.fixture(scope="module")
def pool() -> Iterator[ReaderPool]:
    pool = ReaderPool()
    yield pool
    pool.close()


def pdf(*pages: str, title: str = "") -> bytes:
    """A small valid PDF, one line of Helvetica per page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for n, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    objects.append(f"<< /Title ({title}) /ModDate (D:20240501120000) >>")
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    start = len(out)
    size = len(objects) + 1
    return (
        out
        + (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n"
            f"<< /Size {size} /Root 1 0 R /Info {len(objects)} 0 R >>\nstartxref\n{start}\n%%EOF"
        ).encode()
    )


def docx(*paragraphs: str) -> bytes:
    body = "".join(
        text if text.startswith("<w:") else f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs
    )
    office = "http://schemas.openxmlformats.org"
    kind = "application/vnd.openxmlformats"
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{office}/package/2006/content-types">'
        f'<Default Extension="rels" ContentType="{kind}-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" '
        f'ContentType="{kind}-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{office}/package/2006/relationships"><Relationship Id="r1" '
        f'Type="{office}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/>'
        "</Relationships>",
        "word/document.xml": f'<w:document xmlns:w="{office}/wordprocessingml/2006/main">'
        f"<w:body>{body}</w:body></w:document>",
    }
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return memory.getvalue()


def read(folder: Path, name: str, data: bytes | str, limits: Limits | None = None) -> list[Document]:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return reading.read(path, name, limits or Limits())


def cut(pool: ReaderPool, folder: Path, name: str, data: bytes | str, limits: Limits | None = None) -> Cut:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return pool(path, name, limits or Limits(), {})


KILN = (
    "<html><head><title>Kiln</title></head><body><ul><li><a href='/'>Home</a></li><li><a href='/s'>Shop</a></li></ul>"
    "<h1>Kiln hire</h1><p>A kiln is hired by the firing. The studio team loads and unloads it for you.</p>"
    "<h2>Before the firing</h2><ol><li>Dry the pots for a week.</li><li>Label every piece.</li></ol>"
    "<p>Do not bring damp pots.</p><footer><p>Registered charity 42</p></footer></body></html>"
)


def test_a_page_that_marks_no_main_text_keeps_its_headings_and_steps(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "t.html", KILN)
    assert "## Before the firing\n\n1. Dry the pots for a week.\n2. Label every piece.\n\nDo not bring" in document.text
    assert not any(word in document.text for word in ("Shop", "charity"))


@pytest.mark.parametrize("menu", ['<div class="top menu"><ul>{}</ul></div>', '<ul id="nav">{}</ul>'])
def test_a_menu_without_links_over_the_heading_is_no_text(tmp_path: Path, menu: str) -> None:
    items = "<li>Wheels</li><li>Opening times</li>"
    (document,) = read(tmp_path, "t.html", KILN.replace("<h1>", menu.format(items) + "<h1>"))
    assert "Wheels" not in document.text
    assert "Label every piece." in document.text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("<h2>", '<div class="menu"><ul><li>Wheels</li></ul></div><h2>'),
        ("<h1>", '<div class="menu"><p>Wheels are made here.</p></div><h1>'),
        ("<h1>", "<ul><li>Wheels</li></ul><h1>"),
    ],
)
def test_another_list_of_a_page_is_text(tmp_path: Path, old: str, new: str) -> None:
    (document,) = read(tmp_path, "t.html", KILN.replace(old, new))
    assert "Wheels" in document.text


def test_a_page_that_marks_its_main_text_is_not_read_beyond_it(tmp_path: Path) -> None:
    page = KILN.replace("<h1>", "<h2>Offers</h2><ol><li>Half price in May only.</li></ol><main><h1>")
    (document,) = read(tmp_path, "t.html", page.replace("<footer>", "</main><footer>"))
    assert "Label every piece." in document.text
    assert "Half price" not in document.text


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        (
            "Opening hours\nThe counter is open from 9 am to noon.\n\nFees\nA swim costs £3.\n",
            ["Opening hours", "Fees"],
        ),
        ("1. Children\nChildren under 8 swim with an adult.\n\n2. Shoes\nShoes come off.", ["1. Children", "2. Shoes"]),
        ("Repotting\r\nRepot an orchid every two years in spring.\r\n", ["Repotting"]),
        ("The rules were agreed by the members in\nMarch and hold for all who live here. They\nare read out.", []),
        ("The fee for the course is payable to\nDr Anna Hall at the desk by the first of May.", []),
        ("Anna Berg\n12 Mill Lane\nLeeds", []),
        ("- a towel\nOld shoes\nBring them in a bag that is dry.", []),
        ("1. Turn off the gas.\n2. Open a window.", []),
    ],
)
def test_a_heading_right_over_its_paragraph_is_no_part_of_the_sentence(
    tmp_path: Path, text: str, headings: list[str]
) -> None:
    (document,) = read(tmp_path, "t.txt", text.encode())
    assert [one.text.removeprefix("## ") for one in sentences(document.text) if one.kind == "heading"] == headings
    assert document.text.replace("## ", "") == text


def test_a_pdf_keeps_pages_title_and_date(tmp_path: Path) -> None:
    data = pdf("Rent is due monthly.", "Deposits are returned.", title="Tenancy")
    (document,) = read(tmp_path, "t.pdf", data)
    assert (document.metadata["title"], document.metadata["date"]) == ("Tenancy", "2024-05-01")
    last = chunk(document)[-1]
    assert "Deposits are returned." in last.text
    assert last.metadata["page_end"] == 2


def test_a_word_document_becomes_text(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "t.docx", docx("Tenancy", "Rent is due monthly."))
    assert "Rent is due monthly." in document.text
    assert document.metadata["title"] == "Tenancy"


def test_a_web_page_loses_its_menu_and_keeps_its_title(tmp_path: Path) -> None:
    text = "Rent is due on the first day of the month and is paid by bank order. " * 6
    page = (
        "<html><head><title>Rent</title></head><body><nav><a href='/'>Home menu link</a></nav>"
        f"<article><h1>Rent</h1><p>{text}</p><table><tr><th>Item</th><th>Fee</th></tr>"
        "<tr><td>Late</td><td>R50</td></tr></table></article></body></html>"
    )
    (document,) = read(tmp_path, "t.html", page)
    assert "first day of the month" in document.text
    assert "R50" in document.text
    assert "Home menu link" not in document.text
    assert document.metadata["title"] == "Rent"


def test_a_table_row_names_its_columns(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "fees.csv", "course;fee\nNursing;R30 000\n;;\nLaw;R40 000\n")
    assert document.text == "Course: Nursing; Fee: R30 000.\n\nCourse: Law; Fee: R40 000."
    assert document.metadata["columns"] == ["Course", "Fee"]


def test_each_json_line_is_a_document_of_its_own(tmp_path: Path) -> None:
    rows = [{"_id": "a7", "title": "Rent", "text": "Rent is due."}, {"id": 8, "content": "Fees are due.", "year": 2024}]
    documents = read(tmp_path, "t.jsonl", "\n".join(json.dumps(row) for row in rows))
    assert [d.source for d in documents] == ["t.jsonl#a7", "t.jsonl#8"]
    assert [d.text for d in documents] == ["Rent is due.", "Fees are due."]
    assert documents[1].metadata["year"] == 2024


def test_json_without_a_text_field_is_a_row_of_its_fields(tmp_path: Path) -> None:
    (document,) = read(
        tmp_path, "t.json", '{"fees": {"nursing": 30000, "law": [1, 2]}, "isOpen": true, "head_count": 4}'
    )
    assert document.text == "Fees / Nursing: 30000; Fees / Law: 1, 2; Is open: yes; Head count: 4."


def test_what_a_field_says_at_length_stands_under_the_records_name(tmp_path: Path) -> None:
    record = {"title": "Hamlet", "opens": "3 May", "notes": "A ghost walks. Loud bangs."}
    (document,) = read(tmp_path, "season.json", json.dumps([record]))
    assert document.text == "## Hamlet\n\nTitle: Hamlet; Opens: 3 May.\n\nNotes: A ghost walks. Loud bangs."
    assert document.metadata["title"] == "season"


def test_lists_of_records_are_told_one_by_one_with_what_stands_beside_them(tmp_path: Path) -> None:
    content = {"college": "Harrow", "staff": [{"name": "A"}, {"name": "B"}], "rooms": [{"room": "T1"}]}
    documents = read(tmp_path, "t.json", json.dumps(content))
    assert [d.text for d in documents] == [
        "College: Harrow.",
        "Staff / name: A.",
        "Staff / name: B.",
        "Rooms / room: T1.",
    ]
    assert [d.source for d in documents] == ["t.json#1", "t.json#2", "t.json#3", "t.json#4"]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("collection_day", "Collection day"),
        ("waitTimeDays", "Wait time days"),
        ("NQF level", "NQF level"),
        ("ID", "ID"),
    ],
)
def test_columns_are_named_as_a_person_would(tmp_path: Path, column: str, said: str) -> None:
    (document,) = read(tmp_path, "t.csv", f"{column},x\n1,2\n")
    assert document.text == f"{said}: 1; X: 2."


def test_front_matter_reaches_the_metadata(tmp_path: Path) -> None:
    text = "---\ntitle: Rent\ndate: 2024-05-01\ncareer: Agent\nlevels: [4, 5]\n---\n# R\n\nRent is due.\n"
    (document,) = read(tmp_path, "t.md", text)
    assert document.metadata["date"] == "2024-05-01"
    assert document.metadata["levels"] == [4, 5]
    assert document.text == text


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        ("Café fees".encode(), "utf-8"),
        ("Café fees".encode("utf-8-sig"), "utf-8"),
        ("Café fees".encode("utf-16"), "utf-16-le"),
        ("Café fees for all of you".encode("utf-16-be"), "utf-16-be"),
        ("Café fees".encode("utf-32"), "utf-32-le"),
    ],
)
def test_encodings_are_found_out(tmp_path: Path, data: bytes, encoding: str) -> None:
    (document,) = read(tmp_path, "t.txt", data)
    assert document.text.startswith("Café fees")
    assert document.metadata["encoding"] == encoding


def test_an_old_code_page_is_read_without_loss(tmp_path: Path) -> None:
    text = "Die Universität fördert Studierende mit über dreißig Stipendien für Mädchen."
    (document,) = read(tmp_path, "t.txt", text.encode("cp1252"))
    assert document.text == text


def bomb() -> bytes:
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", b"0" * 5_000_000)
    return memory.getvalue()


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.xyz", b"text", "files of type '.xyz' are not read"),
        ("noname", b"text", "a file without a type"),
        ("a.txt", b"", "an empty file"),
        ("a.txt", b"  \n ", "an empty file"),
        ("a.txt", b"\0\1\2\3" * 20, "a binary file"),
        ("a.txt", b"x" * 2_000_001, "larger than 2,000,000 bytes"),
        ("a.txt", b"\xff\xfea", "broken at byte"),
        ("a.md", "---\na: [\n---\ntext", "front matter is not valid YAML"),
        ("a.md", "---\na: &x [1]\nb: *x\n---\ntext", "YAML aliases"),
        ("a.json", "{", "not valid JSON"),
        ("a.json", "[" * 200_000, "not valid JSON"),
        ("a.jsonl", '{"text": "fine"}\nnot json', "line 2 is not valid JSON"),
        ("a.csv", "only,header\n", "without rows"),
        ("a.pdf", b"%PDF-1.4 truncated", "a broken PDF"),
        ("a.pdf", pdf("Rent is due.")[:300], "PDF"),
        ("a.docx", b"PK\3\4broken", "a broken Word document"),
        ("a.docx", bomb(), "unpacks to more than 1,000,000 bytes"),
        ("a.html", "<html><body></body></html>", "a web page without text"),
    ],
)
def test_what_cannot_be_read_says_why(
    pool: ReaderPool, tmp_path: Path, name: str, data: bytes | str, reason: str
) -> None:
    limits = Limits(max_bytes=2_000_000, max_expanded_bytes=1_000_000)
    with pytest.raises(InputError) as caught:
        cut(pool, tmp_path, name, data, limits)
    assert reason in str(caught.value)


def test_a_title_holds_nothing_that_turns_it_around(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text('---\ntitle: "Fees \u202efdp.2026\u202c\u200b\u3164"\n---\nThe fee is R1.\n', encoding="utf-8")
    (passage,) = cutting.cut(page, "a.md", Limits(), {}).passages
    assert passage.metadata["title"] == "Fees fdp.2026"


def test_a_reader_that_hangs_is_ended_and_the_next_file_is_read(tmp_path: Path) -> None:
    pool = ReaderPool()
    with pytest.raises(InputError, match="took longer than 0 s"):
        cut(pool, tmp_path, "slow.pdf", pdf("Rent."), Limits(reader_seconds=0.0))
    assert "Rent" in cut(pool, tmp_path, "next.pdf", pdf("Rent.")).passages[0].text
    pool.close()


def test_a_missing_package_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    from surefoot.ingest.readers import pdf as reader

    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"surefoot\[documents\]"):
        reader.read(pdf("Rent."), "t.pdf", Limits())
    assert issubclass(MissingExtraError, ConfigError)


TERMS = (
    "<html><head><title>Clinic</title></head><body><main><h1>Clinic</h1><p>We look after travellers of any age.</p>"
    "<h2>Charges</h2><dl><dt>Our own patients</dt><dd>&pound;15</dd><dt>Everyone else:</dt><dd><b>&pound;28</b></dd>"
    "<dt>Under 5</dt><dt>Over 80</dt><dd>free</dd></dl>"
    "<h2>Questions</h2><dl><dt>May I park?</dt><dd>Yes, behind the house.</dd></dl>"
    "<h2>Hours</h2><table><caption>In winter</caption><tr><th>Day</th><th>Open</th></tr>"
    "<tr><td>Monday</td><td>9 to 5</td></tr></table></main></body></html>"
)


def test_a_term_stands_beside_what_is_said_of_it(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "t.html", TERMS)
    assert "- Our own patients: £15\n- Everyone else: £28\n- Under 5, Over 80: free" in document.text


def test_a_question_among_the_terms_is_a_heading_over_its_answer(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "t.html", TERMS)
    assert "#### May I park?\n\nYes, behind the house." in document.text


def test_a_tables_caption_is_no_row(tmp_path: Path) -> None:
    (document,) = read(tmp_path, "t.html", TERMS)
    assert "In winter\n\n| Day | Open |" in document.text


def test_terms_that_hold_lists_stay_as_they_are(tmp_path: Path) -> None:
    page = TERMS.replace("<dd>free</dd>", "<dd><ul><li>free on Mondays</li><li>half on Fridays</li></ul></dd>")
    (document,) = read(tmp_path, "t.html", page)
    assert "free on Mondays" in document.text
    assert "- Everyone else: £28" not in document.text


def test_links_and_asterisks_are_not_in_the_way_of_markdown(tmp_path: Path) -> None:
    given = "---\ntitle: A\n---\nYou must **not** ask [the office](https://a.org/x)."
    (document,) = read(tmp_path, "t.md", given)
    assert document.text.endswith("You must not ask the office.")
    (passage,) = chunk(document)
    assert passage.metadata["links"] == ["https://a.org/x"]


@pytest.mark.parametrize("under", ["A course of twelve weeks.", "- Old medicines\n- Inhalers", "1. Ask.\n2. Pay."])
@pytest.mark.parametrize("line", ["STOP SMOKING", "BRING THESE BACK TO US", "What it costs"])
def test_a_line_alone_over_a_paragraph_or_a_list_is_its_heading(tmp_path: Path, line: str, under: str) -> None:
    (document,) = read(tmp_path, "t.txt", f"A leaflet\nof ours.\n\n{line}\n\n{under}\n")
    assert f"## {line}\n\n{under}" in document.text


@pytest.mark.parametrize("line", ["Dear Resident,", "We are open.", "see below", "Fees: none"])
def test_a_line_that_is_no_heading_stays_as_it_is(tmp_path: Path, line: str) -> None:
    (document,) = read(tmp_path, "t.txt", f"A leaflet\nof ours.\n\n{line}\n\nA course of twelve weeks.\n")
    assert f"## {line}" not in document.text


@pytest.mark.parametrize(
    "told",
    [
        "<dt>Adults</dt><dd>&pound;5<br>2 children free</dd>",
        "<dt>Dose</dt><dd>5<sup>1</sup> mg</dd>",
        "<dt>Adults</dt><dd><del>&pound;4</del> &pound;6</dd>",
        "<p>No longer valid:</p><dt>Adults</dt><dd>&pound;5</dd>",
    ],
)
def test_terms_with_more_than_a_few_words_in_a_row_stay_as_they_are(tmp_path: Path, told: str) -> None:
    page = f"<html><body><main><h1>Prices</h1><p>What it costs to come in here.</p><dl>{told}</dl></main></body></html>"
    (document,) = read(tmp_path, "t.html", page)
    for wrong in ("£52", "51 mg", "Adults: ", "Dose: "):
        assert wrong not in document.text


def test_a_term_that_nothing_is_said_of_takes_no_other_s_words(tmp_path: Path) -> None:
    groups = "<div><dt>Parking</dt></div><div><dt>Disabled visitors</dt><dd>Free</dd></div>"
    page = f"<html><body><main><h1>Cars</h1><p>How to come by car to us.</p><dl>{groups}</dl></main></body></html>"
    (document,) = read(tmp_path, "t.html", page)
    assert "- Parking\n- Disabled visitors: Free" in document.text


@pytest.mark.parametrize("line", ["Dogs are not allowed", "Tickets cost £5", "Under 18s may not buy a ticket"])
def test_a_line_that_says_something_is_no_heading(tmp_path: Path, line: str) -> None:
    (document,) = read(tmp_path, "t.txt", f"A leaflet\nof ours.\n\n{line}\n\nPlease keep that in mind.\n")
    assert f"## {line}" not in document.text


def test_records_know_the_columns_and_the_number_of_rows_of_their_table(tmp_path: Path) -> None:
    rows = [{"name": "Ash", "beds": 2}, {"name": "Elm", "beds": 4, "view": "lake"}, {"text": "The huts are dry."}]
    found = read(tmp_path, "huts.json", json.dumps(rows))
    assert [(one.metadata.get("columns"), one.metadata.get("rows")) for one in found] == [
        (["Name", "Beds", "View"], 2),
        (["Name", "Beds", "View"], 2),
        (None, None),
    ]


@pytest.mark.parametrize("kind", ["txt", "md"])
@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("THE POOL\n========\n\nA. Fees\n-------\nA swim costs £3.\n", ["# THE POOL", "## A. Fees"]),
        ("=====\nRules\n=====\nShoes come off.\n\nHours\r\n~~~~~~~\r\nFrom nine.", ["# Rules", "## Hours"]),
        ("It opens at nine.\n---\nShoes come off.\n", []),
        ("Anna Berg\n----------------------------------------\nA swim costs £3.\n", []),
        ("Swim     Price\n--------------\nAdults   £3\n", []),
        ("- a towel\n---\nShoes come off.\n", []),
    ],
)
def test_underlined_headings_are_headings(tmp_path: Path, kind: str, text: str, headings: list[str]) -> None:
    (document,) = read(tmp_path, f"t.{kind}", text.encode())
    assert [line.rstrip("\r") for line in document.text.split("\n") if line.startswith("#")] == headings
    if headings:  # what stands under a heading knows it, and no rule is left
        assert headings[-1].lstrip("# ") in str(chunk(document)[-1].metadata["headings"])
        assert "---" not in document.text


def page_of(body: str, head: str = "") -> str:
    text = "The kiln was built in 2009 and mended on 4 May 2021. It is fired on Mondays. " * 4
    return f"<html><head><title>Kiln</title>{head}</head><body><h1>Kiln</h1><p>{text}</p>{body}</body></html>"


@pytest.mark.parametrize(
    ("head", "body", "day"),
    [
        ("<meta property='article:published_time' content='2024-02-03T10:00:00Z'>", "", "2024-02-03"),
        (
            "<meta name='dc.date' content='2024-02-03'><meta name='DCTERMS.modified' content='2024-05-06'>",
            "",
            "2024-05-06",
        ),
        ('<script type="application/ld+json">{"@graph": [{"dateModified": "2024-02-03"}]}</script>', "", "2024-02-03"),
        (
            "",
            "<p>Posted <time itemprop='datePublished' datetime='2024-02-03T09:00'>on Saturday</time></p>",
            "2024-02-03",
        ),
        ("", "<article><header><time datetime='2024-02-03'>3 Feb</time></header><p>Clay.</p></article>", "2024-02-03"),
        ("", "<p>Last updated: <time datetime='2024-02-03'>03/02/24</time></p>", "2024-02-03"),
        ("", "<footer><p>14 Mill Lane. <b>Last changed</b> on 3 February 2024.</p></footer>", "2024-02-03"),
        ("", "<p>Published 1 May 2020</p><p>Page reviewed 3 February 2024 by A. Berg</p>", "2024-02-03"),
    ],
)
def test_a_web_page_has_the_date_that_it_gives_itself(tmp_path: Path, head: str, body: str, day: str) -> None:
    (document,) = read(tmp_path, "t.html", page_of(body, head))
    assert document.metadata["date"] == day


@pytest.mark.parametrize(
    "body",
    [
        "",
        "<table><tr><th>Bluebell</th><td>2019</td></tr><tr><th>Checked</th><td>3 March 2024</td></tr></table>",
        "<p>The licence was issued on 3 March 2024 by the county.</p>",
        "<p>The concert is on <time datetime='2024-03-03'>3 March</time>.</p>",
        "<p>Last updated in March 2024.</p>",
        '<script type="application/ld+json">{"comment": {"datePublished": "2024-03-03"}}</script>',
        '<script type="application/ld+json">{broken</script>',
    ],
)
def test_a_date_that_a_web_page_only_mentions_is_not_its_own(tmp_path: Path, body: str) -> None:
    (document,) = read(tmp_path, "t.html", page_of(body))
    assert "date" not in document.metadata


def bold(text: str) -> str:
    return f"<w:p><w:r><w:rPr><w:b/></w:rPr><w:t>{text}</w:t></w:r></w:p>"


STYLED = '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>On the road</w:t></w:r></w:p>'


def test_a_bold_line_over_a_paragraph_of_a_word_document_is_a_heading_below_the_styled_one(tmp_path: Path) -> None:
    parts = [bold("For drivers"), "Read this.", STYLED, "Do not smoke.", bold("Accidents"), "Ring us.", bold("Fines")]
    (document,) = read(tmp_path, "t.docx", docx(*parts, "They are yours."))
    assert [passage.metadata["headings"] for passage in chunk(document)] == [
        ["For drivers"],
        ["On the road"],
        ["On the road", "Accidents"],
        ["On the road", "Fines"],
    ]


@pytest.mark.parametrize(
    "parts",
    [
        (bold("Dogs are not allowed"), "Please keep that in mind."),
        (bold("Put the hazard lights on."), "Then ring us."),
        (bold("Anna Berg"), bold("Chair"), "14 Mill Lane"),
        (bold("It is long. ").replace("</w:p>", "<w:r><w:t>Then ring us.</w:t></w:r></w:p>"), "Wait there."),
        ("Then ring us.", bold("The trustees")),
    ],
)
def test_another_bold_line_of_a_word_document_is_no_heading(tmp_path: Path, parts: tuple[str, ...]) -> None:
    (document,) = read(tmp_path, "t.docx", docx(*parts))
    assert "#" not in document.text


MAIL = (
    "From: Anna Berg <anna@a.org>\nTo: all members;\n  the committee\nDate: {}\nSubject: Re: New hours\n\n"
    "Hours\nWe open at nine.\n"
)


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("Mon, 12 May 2025 08:14", "2025-05-12"),
        ("Thu, 1 May 2025 08:14:00 +0100 (BST)", "2025-05-01"),
        ("3 March 2025", "2025-03-03"),
        ("31 February 2025", None),
        ("yesterday", None),
    ],
)
def test_an_email_has_its_subject_and_day_and_its_header_is_no_evidence(
    tmp_path: Path, said: str, day: str | None
) -> None:
    (document,) = read(tmp_path, "t.txt", MAIL.format(said).replace("\n", "\r\n" if day else "\n").encode())
    assert [document.metadata.get(key) for key in ("title", "author", "date")] == ["New hours", "Anna Berg", day]
    assert [passage.text.split() for passage in chunk(document)] == ["## Hours We open at nine.".split()]


@pytest.mark.parametrize(
    "text",
    [
        "From: 9 am\nTo: 10 am\nSubject: Maths\n\nRoom 12 is locked.",
        "From: Anna Berg\nRoom: 12\nSubject: Maths\nDate: 3 March 2025\n\nRoom 12 is locked.",
        "Notice\nFrom: Anna Berg\nSubject: Maths\nDate: 3 March 2025\n\nRoom 12 is locked.",
        "From: Anna Berg <anna@a.org>\nSubject: Maths\nRoom 12 is locked.",
        "Subject: Maths\n\nRoom 12 is locked.",
    ],
)
def test_lines_with_names_over_a_text_that_is_no_email_stay_in_it(tmp_path: Path, text: str) -> None:
    (document,) = read(tmp_path, "t.txt", text)
    assert "Subject: Maths" in chunk(document)[0].text
    assert "author" not in document.metadata


@pytest.mark.parametrize(
    ("opening", "title"),
    [
        ("MARLOW & PIKE\nTERMS OF PAYMENT\nFrom 1 April 2025\n", "MARLOW & PIKE: TERMS OF PAYMENT"),
        ("WENDLE MUSEUM\r\nPrice list\r\n==========\r\n", "WENDLE MUSEUM: Price list"),
        ("PELLBROOK COUNCIL\n14 Corn Street, Pellbrook\n", "PELLBROOK COUNCIL"),
        ("HOUSE RULES\n===========\nADOPTED IN MAY\n", "HOUSE RULES"),
        ("QUILLON PHARMACY\n\nWHO WE ARE\n", "QUILLON PHARMACY"),
        ("Insurance claims\nISSUED 3 APRIL 2023\n", "Insurance claims"),
    ],
)
def test_the_line_under_a_name_in_capitals_is_of_the_title(tmp_path: Path, opening: str, title: str) -> None:
    (document,) = read(tmp_path, "t.txt", f"{opening}\nThe pool is open from nine.\n".encode())
    assert document.metadata["title"] == title
