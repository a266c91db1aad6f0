"""Every mistake of a pack's author gets one line: file, line, key, what is wrong, what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from surefoot.core.types import DraftTask
from surefoot.generate import prompt
from surefoot.packs import starter
from surefoot.packs.lint import PLACEHOLDERS, lint
from surefoot.packs.loader import BUILTIN, load

RULE = "rules/no-fines-waived.md"


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    return starter.create(tmp_path / "desk")


def edit(pack: Path, file: str, old: str, new: str) -> None:
    text = (pack / file).read_text()
    assert old in text, f"{file} does not hold {old!r}"
    (pack / file).write_text(text.replace(old, new, 1))


def test_a_new_pack_and_the_shipped_ones_have_no_mistakes(pack: Path) -> None:
    for folder in (pack, BUILTIN / "default", BUILTIN / "thandi", BUILTIN / "judge"):
        assert [str(mistake) for mistake in lint(folder)] == []


TYPICAL = [
    ("a misspelt key", RULE, "severity: high", "severty: high", 4, "did you mean 'severity'"),
    ("a severity that does not exist", RULE, "severity: high", "severity: hgih", 4, "did you mean 'high'"),
    ("an action that does not exist", RULE, "action: fix", "action: block", 5, "use one of: fix, reject, warn"),
    ("a pattern with an open bracket", RULE, "fines?\\b'", "fines?(\\b'", 7, "missing )"),
    ("a lookahead", RULE, "'\\b(?:waive|", "'(?!no)\\b(?:waive|", 7, "RE2 has no lookahead"),
    ("a tab for indentation", "pack.yaml", "  style:", "\tstyle:", 8, "indent with spaces"),
    (
        "front matter that is not closed",
        RULE,
        "drop_sentence: true}\n---",
        "drop_sentence: true}",
        1,
        "end it with a line ---",
    ),
    ("an id that is not the file's name", RULE, "id: no-fines-waived", "id: no-fines", 2, "rename the file"),
    ("a rejecting rule without a message", RULE, "action: fix", "action: reject", 2, "what the reader is told"),
    (
        "a comma without quotes in a registry",
        "entities/branches.csv",
        "Market Branch,,",
        "Market, Branch,,",
        3,
        "double quotes",
    ),
    ("an attribute without a value", "entities/branches.csv", "city=Durban", "Durban", 3, "is not key=value"),
    (
        "a pattern key without quotes",
        "pack.yaml",
        "patterns: ['\\bcall",
        "patterns: [\\bcall: ",
        13,
        "a mapping stands where a text is due",
    ),
    (
        "a test without an operator",
        "pack.yaml",
        "{matches: '\\b(?:open|opens|close|closes|hours)\\b'}",
        "open",
        16,
        "one operator",
    ),
    ("an unknown operator", "pack.yaml", "{matches: ", "{match: ", 16, "did you mean 'matches'"),
    ("a place nobody can look at", "pack.yaml", "- question: {m", "- answer: {m", 16, "'answer' is not a place"),
    (
        "a fix that says nothing of what is required",
        RULE,
        "forbids:\n  - '\\b(?:waive|cancel|forget)(?:s|d)? (?:your|the|any|all) fines?\\b'\nfix: {drop_sentence: true}",
        "requires: ['\\bmanager\\b']\nfix: {append: Ask the desk.}",
        7,
        "does not hold what the rule requires",
    ),
    (
        "a replacement that is forbidden itself",
        RULE,
        "fix: {drop_sentence: true}",
        "fix: {replace: waive your fine}",
        8,
        "holds what the rule forbids",
    ),
    (
        "a softening that is a promise itself",
        "pack.yaml",
        "'you should \\1'",
        "'you will get \\1'",
        20,
        "is itself a prescription",
    ),
    ("a group that is not there", "pack.yaml", "'you should \\1'", "'you should \\2'", 20, "refers to no group"),
    ("a kind without a registry", "pack.yaml", "  branch:\n", "  brunch:\n", 23, "did you mean 'branch'"),
    ("a pattern that matches nothing at all", RULE, "fines?\\b'", "fines?\\b|x*'", 7, "matches an empty text"),
    (
        "one alias for two",
        "entities/branches.csv",
        "Market Branch,,",
        "Market Branch,Harbor Branch,",
        3,
        "already stands for",
    ),
    (
        "a decision that does not exist",
        "cases/cases.jsonl",
        '"decision": "approved"',
        '"decision": "aproved"',
        1,
        "did you mean 'approved'",
    ),
    (
        "a case about an unknown passage",
        "cases/cases.jsonl",
        '"sources": ["cards"]',
        '"sources": ["crads"]',
        1,
        "there is no passage",
    ),
    (
        "a code that does not exist",
        "cases/cases.jsonl",
        '["policy:no-fines-waived"]',
        '["made_up"]',
        1,
        "there is no code",
    ),
    (
        "a case on two lines",
        "cases/cases.jsonl",
        '{"id": "plain-fact", ',
        '{"id": "plain-fact",\n',
        1,
        "one JSON object on one line",
    ),
    ("a threshold out of range", "pack.yaml", "allowed_urls: []", "thresholds: {accept: 3}", 30, "between 0 and 1"),
    ("an unknown date format", "pack.yaml", "allowed_urls: []", "date_format: DD MM YY", 30, "'DD MM YY' is not known"),
    ("a key given twice", RULE, "severity: high", "severity: high\nseverity: low", 5, "given twice"),
    ("a text where a list is due", "pack.yaml", "allowed_urls: []", "sections: none", 30, "a list is due"),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "line", "says"), [row[1:] for row in TYPICAL], ids=[row[0] for row in TYPICAL]
)
def test_a_typical_mistake_is_one_line_with_its_place(
    pack: Path, file: str, old: str, new: str, line: int, says: str
) -> None:
    edit(pack, file, old, new)
    told = [str(mistake) for mistake in lint(pack)]
    assert any(text.startswith(f"{file}:{line}: ") and says in text for text in told), told
    assert all("\n" not in text for text in told)


def test_all_mistakes_are_told_at_once(pack: Path) -> None:
    edit(pack, RULE, "severity: high", "severty: high")
    edit(pack, RULE, "title:", "titel:")
    edit(pack, "entities/branches.csv", "city=Durban", "Durban")
    edit(pack, "pack.yaml", "version:", "verison:")
    assert len(lint(pack)) >= 6


def test_files_nobody_reads_are_named(pack: Path) -> None:
    (pack / "rules" / "late.txt").write_text("x")
    (pack / "entity").mkdir()
    (pack / "entity" / "a.csv").write_text("x")
    (pack / "pack.yml").write_text("x")
    told = " ".join(str(mistake) for mistake in lint(pack))
    assert "rules/late.txt: the file is not read" in told
    assert "did you mean 'entities'" in told
    assert "pack.yml: the file is not part of a pack; did you mean 'pack.yaml'" in told


def test_two_rules_of_one_id_and_a_prompt_nobody_asks_for_are_named(pack: Path) -> None:
    text = (pack / RULE).read_text()
    (pack / "rules" / "other.md").write_text(text)
    (pack / "prompts").mkdir()
    (pack / "prompts" / "anwser.md").write_text("x")
    told = " ".join(str(mistake) for mistake in lint(pack))
    assert "is already the id of rules/no-fines-waived.md" in told
    assert "did you mean 'answer'" in told


def test_a_file_in_another_encoding_is_told_with_its_line(pack: Path) -> None:
    (pack / RULE).write_bytes((pack / RULE).read_text().replace("Only", "Nur für").encode("latin-1"))
    assert any("is not UTF-8; save the file as UTF-8" in str(mistake) for mistake in lint(pack))


def test_a_placeholder_nobody_fills_is_named(pack: Path) -> None:
    (pack / "prompts").mkdir()
    (pack / "prompts" / "answer.md").write_text("# System\nBe kind.\n# User\n{{qestion}}\n")
    told = [str(mistake) for mistake in lint(pack)]
    assert told == ["prompts/answer.md:4: there is no placeholder 'qestion'; did you mean 'question'?"]


def test_the_placeholders_are_those_the_prompts_are_filled_with() -> None:
    task = DraftTask(question="q", passages=(), style="[n]")
    for name in ("answer", "synthesize"):
        assert set(prompt.values_of(task)) == set(PLACEHOLDERS[name])
        prompt.load(name, load("thandi").prompts).fill(prompt.values_of(task))
    prompt.load("judge", load("judge").prompts).fill(dict.fromkeys(PLACEHOLDERS["judge"], "x"))
