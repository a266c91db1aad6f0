"""A PDF's headings, tables and lists are read as what they look like."""

from __future__ import annotations

from pathlib import Path

from surefoot.ingest.limits import Limits
from surefoot.ingest.readers import docx, pdf
from surefoot.ingest.readers.layout import Line, as_markdown, body_size

DOCS = Path(__file__).parents[2] / "benchmarks" / "answers" / "vets" / "docs"


def line(*cells: str, base: float, size: float = 10.0, bold: bool = False) -> Line:
    return Line(cells=cells, lefts=tuple(60.0 + 100 * n for n in range(len(cells))), base=base, size=size, bold=bold)


def test_larger_and_bold_lines_are_headings_and_sentences_are_not() -> None:
    lines = [
        line("Rules", base=700, size=20),
        line("Fire", base=670, size=10, bold=True),
        line("Leave by the nearest exit.", base=650),
        line("Never go back.", base=630, bold=True),
    ]
    text = as_markdown(lines, body_size(lines))
    assert "# Rules" in text
    assert "## Fire" in text
    assert "## Never" not in text


def test_cells_under_each_other_are_a_table() -> None:
    lines = [line("Pet", "Fee", base=700), line("Cat", "£9", base=685), line("Dog", "£12", base=670)]
    assert as_markdown(lines, 10.0) == "| Pet | Fee |\n| --- | --- |\n| Cat | £9 |\n| Dog | £12 |\n"


def test_one_line_with_a_gap_is_no_table() -> None:
    assert "|" not in as_markdown([line("left", "right", base=700), line("Plain text.", base=680)], 10.0)


def test_a_pdf_file_comes_with_headings_table_and_list() -> None:
    (document,) = pdf.read((DOCS / "petcare_plan.pdf").read_bytes(), "petcare_plan.pdf", Limits())
    assert document.metadata["title"] == "Larkfield Pet Care Plan"
    assert "## What it costs\n" in document.text
    assert "| Pet | Per month | Joining fee |\n| --- | --- | --- |\n| Cat | £13.50 | none |" in document.text
    assert "- One yearly booster vaccination" in document.text


def test_a_word_table_has_its_first_row_as_header() -> None:
    (document,) = docx.read((DOCS / "infection_control.docx").read_bytes(), "infection_control.docx", Limits())
    assert "| Waste | Bag | Collected |\n| --- | --- | --- |\n| Needles and blades |" in document.text
