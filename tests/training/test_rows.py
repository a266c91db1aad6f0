"""The written rows: every page can be read, and words alone do not tell the label."""

from __future__ import annotations

from pathlib import Path

import pytest
from training.rows import Context, Malformed, auroc, balance, folder_of, read_all, read_folder

PAGE = """@ pool-1
S: The pool opens at 7. Children under 8 swim with an adult.
P: {"age": 7}
+ reword/1: Swimmers can come in from seven.
- number/1: Swimmers can come in from [[eight]].
* Hello there!
A terse: When does it open?
0 At 7.
1 scope: Children [[under 10]] need an adult.
* I hope this helps.
? pool hours
= The pool opens at 7.
~ Children under 8 swim with an adult.
"""


@pytest.fixture(scope="module")
def written() -> list[Context]:
    return read_all()


@pytest.fixture(scope="module")
def balanced(written: list[Context]) -> dict[str, float]:
    return balance(written)


def page(folder: Path, text: str) -> Path:
    (folder / "page01.txt").write_text(text, "utf-8")
    return folder


def test_a_page_is_read_line_by_line(tmp_path: Path) -> None:
    (context,) = read_folder(page(tmp_path, PAGE))
    true, false, silent = context.claims
    assert (true.label, true.twin) == (0, false.twin)
    assert false.text[slice(*false.span or (0, 0))] == "eight"
    assert silent.type == "silent"
    assert [each.label for each in context.answers[0].sentences] == [0, 1, 0]
    assert context.questions[0].near == ("Children under 8 swim with an adult.",)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("+ number: A true claim of a false type.", "does not fit label 0"),
        ("- number: Two [[spans]] in [[one]] claim.", "one pair of double brackets"),
        ("? who\n= A sentence that no passage holds.", "stands in no passage"),
        ("0 A sentence outside of an answer.", "cannot be read here"),
    ],
)
def test_a_line_that_cannot_be_right_is_named(tmp_path: Path, line: str, reason: str) -> None:
    with pytest.raises(Malformed, match=reason):
        read_folder(page(tmp_path, f"@ pool-1\nS: The pool opens at 7.\n{line}\n"))


def test_a_page_of_questions_speaks_of_contexts_that_stand_elsewhere(tmp_path: Path) -> None:
    for name in ("pools", "asked"):
        (tmp_path / name).mkdir()
    page(tmp_path / "pools", PAGE)
    asked = "@ pools:pool-1\n? what does it cost\n~ The pool opens at 7.\n"
    page(tmp_path / "asked", asked)
    (context,) = read_all(tmp_path)
    assert [(each.text, len(each.answers)) for each in context.questions] == [
        ("pool hours", 1),
        ("what does it cost", 0),
    ]
    page(tmp_path / "asked", asked.replace("pool-1", "pool-9"))
    with pytest.raises(Malformed, match="no context 'pools:pool-9'"):
        read_all(tmp_path)
    page(tmp_path / "asked", asked.replace("at 7", "at 8"))
    with pytest.raises(Malformed, match="stands in no passage"):
        read_all(tmp_path)


def test_a_third_of_the_questions_is_not_answered(written: list[Context]) -> None:
    questions = [each for context in written for each in context.questions]
    assert len(questions) >= 20_000
    assert 0.3 <= sum(not each.answers for each in questions) / len(questions) <= 0.5


def test_thirty_thousand_rows_of_twelve_kinds(written: list[Context], balanced: dict[str, float]) -> None:
    assert balanced["claims"] + balanced["answer_sentences"] >= 30_000
    assert len({context.kind for context in written}) >= 12


def test_words_alone_do_not_tell_the_label(balanced: dict[str, float]) -> None:
    assert 0.45 <= balanced["novelty_auroc"] <= 0.55
    assert 0.45 <= balanced["novelty_auroc_claims"] <= 0.55
    assert abs(balanced["negated_true"] - balanced["negated_false"]) <= 0.03
    assert abs(balanced["words_true"] - balanced["words_false"]) <= 1


def test_ties_count_half() -> None:
    assert auroc([1.0, 1.0, 0.0], [1, 0, 0]) == 0.75


def test_a_folder_is_found_by_its_name_and_a_wrong_name_is_said(tmp_path: Path) -> None:
    assert [each.kind for each in read_folder(folder_of("carriers"))][:1] == ["carriers"]
    page(tmp_path, PAGE)
    assert folder_of(str(tmp_path)) == tmp_path
    with pytest.raises(SystemExit, match="nowhere"):
        folder_of("nowhere")
