"""Issues that keep coming back become rule files for a person to edit."""

from __future__ import annotations

from pathlib import Path

from surefoot.packs.lint import lint
from surefoot.packs.starter import create
from surefoot.packs.suggestion import draft_rule, suggest


def run(*issues: tuple[str, str]) -> dict[str, object]:
    return {"issues_found": [{"code": code, "location": text} for code, text in issues]}


RUNS = [
    run(("evidence_miss", "Fines are waived every December for members."), ("tone", "what a loser")),
    run(("evidence_miss", "All fines are waived every December.")),
    run(("evidence_miss", "In our library fines are waived every December.")),
    run(
        ("evidence_miss", "The moon is made of cheese."),
        ("url_not_in_sources", "bit.ly/x"),
        ("tone", "what a loser"),
        ("policy:no-fines-waived", "waive your fine"),
    ),
    run(("policy:no-fines-waived", "waive your fine")),
    run(("policy:no-fines-waived", "waive your fine")),
]


def test_alike_issues_are_one_suggestion_with_the_words_they_share() -> None:
    found = suggest(RUNS, least=3)
    assert [(one.code, one.count) for one in found] == [("evidence_miss", 3)]
    assert found[0].phrase == ("fines", "are", "waived", "every", "december")


def test_what_a_rule_already_catches_is_not_suggested_again() -> None:
    assert not any(one.code.startswith("policy:") for one in suggest(RUNS, least=1))


def test_a_result_as_the_wire_writes_it_is_read_too() -> None:
    result = {"metadata": {"issuesDetected": [{"code": "tone", "location": "what a loser"}]}}
    assert suggest([result, result], least=2)[0].count == 2


def test_a_draft_is_a_sound_rule_that_only_warns(tmp_path: Path) -> None:
    folder = create(tmp_path / "desk")
    for suggestion in suggest(RUNS, least=1):
        (folder / "rules" / f"{suggestion.id}.md").write_text(draft_rule(suggestion))
    assert len(list((folder / "rules").glob("seen-*.md"))) == 2
    assert [str(mistake) for mistake in lint(folder)] == []
    assert "action: warn" in draft_rule(suggest(RUNS, least=3)[0])
