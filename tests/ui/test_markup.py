"""Texts as HTML: safe, and never by colour alone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from surefoot.core.taxonomy import CODES
from surefoot.ui import markup, words
from surefoot.ui.documents import TYPES
from surefoot.ui.metrics import parse
from surefoot.ui.verify import misquoted

EVIL = "<script>alert(1)</script>"
QUOTE = markup.Quote(label=EVIL, text=EVIL * 20, span=(3, 90), file='"><script>', passage=EVIL)


@pytest.mark.parametrize(
    "made",
    [
        markup.claim(EVIL, "proven"),
        markup.claim(EVIL, "quote", [QUOTE]),
        markup.draft(EVIL, [{"span": [2, 8], "status": "doubtful", "issue": EVIL}]),
        markup.changes([{"before": EVIL, "after": EVIL + "a", "code": EVIL}]),
        markup.passage(EVIL, (0, 4)),
        markup.marked(EVIL, [(0, 4), (9, 14)]),
        markup.difference(EVIL, EVIL + " more"),
        markup.table(["a"], [[EVIL]]),
        markup.decision("approved", EVIL),
        markup.issues([{"severity": "high", "code": EVIL, "location": EVIL, "problem": EVIL}]),
    ],
)
def test_what_a_source_or_a_person_wrote_is_escaped(made: str) -> None:
    assert "<script>" not in made


@pytest.mark.parametrize("kind", list(words.RESTS_ON))
def test_whatever_a_sentence_rests_on_has_a_sign_and_a_word(kind: str) -> None:
    sign, word, _, _ = words.RESTS_ON[kind]
    assert f"{sign} {word}" in markup.claim("Text.", kind)
    assert f"{sign} {word}" in markup.legend([kind])


@pytest.mark.parametrize("code", [*CODES, "critical_failure", "too_many_issues", "store_unavailable"])
def test_every_code_has_plain_words(code: str) -> None:
    assert words.CODES[code].endswith(".")
    assert "_" not in words.CODES[code]


def test_the_code_is_on_hover_and_the_words_are_on_the_page() -> None:
    made = markup.issues([{"severity": "high", "code": "value_mismatch", "location": "R53", "problem": "R35 there"}])
    assert 'title="value_mismatch"' in made
    assert "The source gives another figure." in made
    assert "value_mismatch" not in re.sub(r"<[^>]*>", "", made)


def test_a_sentence_opens_its_passage_and_links_to_the_document_at_the_place() -> None:
    quote = markup.Quote(label="S1 · Fees", text="Fees: R5 a day.", span=(6, 15), file="fees & more.md", passage="p1")
    made = markup.claim("It is R5 a day.", "quote", [quote])
    assert "<details" in made
    assert "<summary>" in made
    assert "Fees: <mark>R5 a day.</mark>" in made
    assert "document?name=fees+%26+more.md&amp;passage=p1&amp;from=6&amp;to=15" in made
    assert "<a " not in markup.claim("It is R5.", "quote", [markup.Quote(label="S1", text="R5", span=(0, 2))])


def test_a_table_is_shown_by_its_cells_and_the_rule_under_its_names_not_at_all() -> None:
    made = markup.claim("| Half | **£46** [S1] |", "quote")
    assert "<span>Half · <b>£46</b> [S1]</span>" in made
    assert markup.claim("|---|:-:|", None) == ""
    assert markup.claim("…", None)


def test_a_draft_is_marked_claim_by_claim_and_nothing_of_it_is_lost() -> None:
    text = "Hello! It costs R5. It is blue."
    claims = [
        {"span": [7, 19], "status": "proven", "rests_on": "quote"},
        {"span": [20, 31], "status": "unsupported", "rests_on": None, "issue": "evidence_miss"},
    ]
    made = markup.draft(text, claims)
    assert "❝ quoted" in made
    assert "✕ not supported" in made
    assert 'title="No source says this."' in made
    plain = re.sub(r'<span class="sf-verdict">.*?</span>|<[^>]*>', "", made)
    assert " ".join(plain.split()) == text


def test_what_was_cut_is_told_from_what_was_changed() -> None:
    made = markup.changes(
        [
            {"before": "It is blue.", "after": "", "code": "evidence_miss"},
            {"before": "It is R53.", "after": "It is R35.", "code": "value_mismatch"},
        ]
    )
    assert "<b>Cut</b>" in made
    assert "<b>Changed</b>" in made
    assert "No source says this." in made


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("# Fees\n\n- The fee for a kit is R15 a day.", "The fee for a kit is R26 a day."),
        ("Nothing here has a figure in it.", None),
    ],
)
def test_the_example_to_verify_is_a_sentence_of_the_document_with_another_figure(text: str, wrong: str | None) -> None:
    assert misquoted(text) == wrong


def test_the_page_takes_the_documents_the_service_takes() -> None:
    from surefoot.server import library

    assert {f".{kind}" for kind in TYPES} == set(library.TYPES)


def test_the_quote_is_marked_where_it_stands() -> None:
    assert "Fees: <mark>R5 a day</mark>." in markup.passage("Fees: R5 a day.", (6, 14))


def test_every_unsupported_part_of_a_draft_is_marked() -> None:
    made = markup.marked("Free for all on Mondays.", [(0, 4), (16, 23)])
    assert "<mark>Free</mark> for all on <mark>Mondays</mark>." in made
    assert "<mark>" not in markup.marked("Free for all.", [])


def test_a_difference_strikes_out_and_underlines() -> None:
    assert markup.difference("It is R53 now.", "It is R35 now.") == (
        '<div class="sf-diff">It is <del>R53</del><ins>R35</ins> now.</div>'
    )


def test_headings_and_items_keep_their_shape() -> None:
    assert ">Costs</b>" in markup.claim("## Costs", "nothing")
    assert "• one" in markup.claim("- one", "proven")


def test_prometheus_text_is_read_back() -> None:
    page = '# HELP x y\nsurefoot_a_total{decision="approved",reason="a\\"b"} 3.0\nsurefoot_b 1e-3\n'
    assert parse(page) == {
        "surefoot_a_total": [({"decision": "approved", "reason": 'a\\"b'}, 3.0)],
        "surefoot_b": [({}, 0.001)],
    }


@pytest.mark.parametrize(
    "hostile",
    [
        "![x](https://evil.example/?q=secret)",
        "[click](javascript:alert(1))",
        "<img src=x onerror=alert(1)>",
        "**bold** `code` $x^2$ :red[alarm] :material/home: # head",
        "a\n\n# Heading\n- item\n\n---\n",
        "|a|b|\n|-|-|",
        "http://evil.example",
    ],
)
def test_titles_and_questions_are_shown_as_they_are_written(hostile: str) -> None:
    shown = markup.literal(hostile)
    assert "\n" not in shown
    assert re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", shown) == " ".join(hostile.split())
    # every sign that Markdown could read has its backslash
    assert re.search(r"(?<!\\)(?:\\\\)*[!-/:-@\[\]^-`{-~]", shown) is None


READS_MARKDOWN = re.compile(
    r"st\.(?:caption|markdown|write|subheader|header|title|info|warning|error|success|button|expander|toast)\((.*)"
)
FIXED = re.compile(r"""(?:"[^"]*"|'[^']*')\s*[,)]""")
OURS = """
st.caption(f"{metadata['processingTime']:.1f} ms in all · confidence {metadata['confidence']:.2f}")
with st.expander(f"What was changed or cut ({len(changed)})", icon=":material/difference:"):
with st.expander(f"What was changed or cut ({len(judged['cut'])})", icon=":material/difference:"):
with st.expander(f"What was found in the draft ({len(found)})", icon=":material/report:"):
with st.expander(f"All {len(cases)} cases", icon=":material/list:"):
st.success(f"{done} of {len(outcome)} documents can be asked about now.", icon=":material/task_alt:")
if st.button(label, key=f"feedback-{verdict}-{key}", icon=f":material/{icon}:", help=about):
st.caption(f"version {whole['version']} · {whole['entities']} names known · hash {whole['hash'][:16]}…")
st.caption(SIGNS.get((review or {}).get("verdict", ""), "○ not reviewed"))
st.markdown(f"**{name}**")
st.caption(" · ".join(f"{_sign(name)}: {counts[name]}" for name in DECISIONS if name in counts))
st.caption(f"A remembered answer was given again; run {str(record.get('of', ''))[:12]} holds its texts.")
st.caption(f"{min(30, len(kept))} of {len(kept)} shown.")
st.write(f"{len(rows)} of {min(count, len(runs))} would change.")
""".splitlines()
"""Words and numbers of the service's own."""


def test_no_view_hands_words_of_others_to_markdown() -> None:
    for file in sorted(Path(markup.__file__).parent.glob("*.py")):
        for line in map(str.strip, file.read_text(encoding="utf-8").splitlines()):
            found = READS_MARKDOWN.search(line)
            if found and found.group(1) and not FIXED.match(found.group(1)) and "markup.literal(" not in line:
                assert line in OURS, (file.name, line)
