"""Prints the originals of a knowledge base as the PDF and Word files that are asked about.

    python benchmarks/answers/print_office.py

`originals/NAME.md` becomes `docs/NAME.pdf` or `docs/NAME.docx`, as OFFICE says. Headings, numbered steps, bullets,
paragraphs and tables are all they have. Nothing but the standard library, and the same bytes every time.
"""

from __future__ import annotations

import re
import textwrap
import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
OFFICE = {
    "vets/petcare_plan": "pdf",
    "vets/infection_control": "docx",
    "staff/safety": "pdf",
    "staff/homeworking": "docx",
    "boats/route_guide": "pdf",
    "boats/safety_card": "docx",
    "tenants/moving_out": "pdf",
    "tenants/heating_and_waste": "docx",
}
Block = tuple[str, str]


def main() -> None:
    for name, kind in OFFICE.items():
        base, stem = name.split("/")
        blocks = read(HERE / base / "originals" / f"{stem}.md")
        out = HERE / base / "docs" / f"{stem}.{kind}"
        (write_pdf if kind == "pdf" else write_docx)(out, blocks)


def read(file: Path) -> list[Block]:
    """(h1 | h2 | step | bullet | row | text, words) of every line that is not empty."""
    blocks = []
    for line in filter(None, map(str.strip, file.read_text(encoding="utf-8").splitlines())):
        for kind, pattern in _KINDS:
            if match := re.match(pattern, line):
                blocks.append((kind, line[match.end() :].strip() if kind != "row" else line))
                break
    return blocks


_KINDS = (("h2", "## "), ("h1", "# "), ("step", r"\d+\. "), ("bullet", "- "), ("row", r"\|"), ("text", ""))


def cells(row: str) -> list[str]:
    return [cell.strip() for cell in row.strip("|").split("|")]


def write_pdf(out: Path, blocks: list[Block]) -> None:
    pages: list[list[str]] = [[]]
    y, number = 790.0, 0

    def put(x: float, size: float, font: str, words: str) -> None:
        pages[-1].append(f"BT /{font} {size} Tf {x} {y:.1f} Td ({_pdf_text(words)}) Tj ET")

    for at, (kind, words) in enumerate(blocks):
        number = number + 1 if kind == "step" else 0
        if y < 90:
            pages.append([])
            y = 790.0
        if kind in ("h1", "h2"):
            size = 20 if kind == "h1" else 14
            y -= size
            put(60, size, "F2", words)
            y -= 12
        elif kind == "row":
            font = "F2" if blocks[at - 1][0] != "row" else "F1"
            row = cells(words)
            for column, cell in enumerate(row):
                put(60 + column * 470 / len(row), 10.5, font, cell)
            y -= 16
        else:
            lead = {"step": f"{number}. ", "bullet": "\u2022 "}.get(kind, "")
            for line in textwrap.wrap(lead + words, 92):
                put(60, 10.5, "F1", line)
                y -= 14
            y -= 0 if kind in ("step", "bullet") else 8
    out.write_bytes(_pdf_file(["\n".join(page) for page in pages]))


def _pdf_text(words: str) -> str:
    return words.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")


def _pdf_file(pages: list[str]) -> bytes:
    fonts = "/F1 3 0 R /F2 4 0 R"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{5 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    for n, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << {fonts} >> >>"
            f" /Contents {6 + 2 * n} 0 R >>"
        )
        objects.append(f"<< /Length {len(page.encode('cp1252'))} >>\nstream\n{page}\nendstream")
    body, offsets = b"%PDF-1.4\n", []
    for number, item in enumerate(objects, 1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{item}\nendobj\n".encode("cp1252")
    table = "".join(f"{offset:010d} 00000 n \n" for offset in offsets)
    trailer = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n"
    return body + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}".encode()


def write_docx(out: Path, blocks: list[Block]) -> None:
    body, rows = "", ""
    for kind, words in [*blocks, ("end", "")]:
        if kind == "row":
            rows += "<w:tr>" + "".join(f"<w:tc>{_paragraph('', cell)}</w:tc>" for cell in cells(words)) + "</w:tr>"
            continue
        if rows:
            body, rows = f"{body}<w:tbl>{rows}</w:tbl>", ""
        style = {"h1": "Heading1", "h2": "Heading2"}.get(kind)
        look = f'<w:pStyle w:val="{style}"/>' if style else ""
        if kind in ("step", "bullet"):
            look = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{1 if kind == "step" else 2}"/></w:numPr>'
        body += _paragraph(look, words) if words else ""
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        parts = {**_PARTS, "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>"}
        for name, text in parts.items():
            info = zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0))
            archive.writestr(info, '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n' + text)


def _paragraph(look: str, words: str) -> str:
    return f"<w:p><w:pPr>{look}</w:pPr><w:r><w:t>{escape(words)}</w:t></w:r></w:p>"


_OFFICE = "http://schemas.openxmlformats.org"
_W = f'xmlns:w="{_OFFICE}/wordprocessingml/2006/main"'
_REL = f"{_OFFICE}/officeDocument/2006/relationships"
_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


def _list(number: int, style: str) -> str:
    level = f'<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="{style}"/></w:lvl>'
    return f'<w:abstractNum w:abstractNumId="{number}">{level}</w:abstractNum>'


def _heading(level: int) -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="Heading{level}"><w:name w:val="heading {level}"/>'
        f'<w:pPr><w:outlineLvl w:val="{level - 1}"/></w:pPr></w:style>'
    )


_PARTS = {
    "[Content_Types].xml": (
        f'<Types xmlns="{_OFFICE}/package/2006/content-types"><Default Extension="rels"'
        ' ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        + "".join(
            f'<Override PartName="/word/{part}.xml" ContentType="{_TYPE}.{kind}+xml"/>'
            for part, kind in (("document", "document.main"), ("styles", "styles"), ("numbering", "numbering"))
        )
        + "</Types>"
    ),
    "_rels/.rels": (
        f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_REL}/officeDocument" Target="word/document.xml"/></Relationships>'
    ),
    "word/_rels/document.xml.rels": (
        f'<Relationships xmlns="{_OFFICE}/package/2006/relationships">'
        f'<Relationship Id="r1" Type="{_REL}/styles" Target="styles.xml"/>'
        f'<Relationship Id="r2" Type="{_REL}/numbering" Target="numbering.xml"/></Relationships>'
    ),
    "word/styles.xml": f"<w:styles {_W}>{_heading(1)}{_heading(2)}</w:styles>",
    "word/numbering.xml": (
        f"<w:numbering {_W}>{_list(1, 'decimal')}{_list(2, 'bullet')}"
        + "".join(f'<w:num w:numId="{n}"><w:abstractNumId w:val="{n}"/></w:num>' for n in (1, 2))
        + "</w:numbering>"
    ),
}


if __name__ == "__main__":
    main()
