from __future__ import annotations

import ast
import hashlib
import json
from pathlib import Path

import pytest

from surefoot.bench.judged import ANSWER, by_page, by_passage, is_held_out, read_queries, read_questions
from surefoot.core.errors import InputError
from surefoot.core.types import Passage

ROOT = Path(__file__).parents[2]
OURS = ROOT / "benchmarks" / "questions" / "citizens_information.jsonl"


def write(folder: Path, *rows: object) -> Path:
    file = folder / "questions.jsonl"
    file.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return file


def passage(file: str, start: int, end: int) -> Passage:
    return Passage(id=f"{file}-{start}", text="…", metadata={"file": file, "start": start, "end": end})


def test_a_passage_answers_only_where_it_holds_the_line(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# Title\n\n  The answer.\n\nSomething else.\n")
    file = write(tmp_path, {"id": "q1", "question": "?", "answered_by": ["page.md:3"]})
    (query,) = by_passage(read_questions(file), tmp_path)
    at = "# Title\n\n  The answer.".index("The")
    assert query.unit(passage("page.md", at, at + 11)) == ANSWER
    assert query.unit(passage("page.md", at + 1, 99)) != ANSWER
    assert query.unit(passage("page.md", 0, at)) != ANSWER
    assert query.unit(passage("other.md", at, at + 11)) != ANSWER


def test_every_passage_of_the_page_answers_by_page(tmp_path: Path) -> None:
    file = write(tmp_path, {"id": "q1", "question": "?", "answered_by": ["page.md:3", "twin.md:5"]})
    (query,) = by_page(read_questions(file))
    assert query.unit(passage("page.md", 0, 5)) == query.unit(passage("twin.md", 90, 99)) == ANSWER
    assert query.unit(passage("other.md", 0, 5)) == "other.md"


@pytest.mark.parametrize(
    ("row", "complaint"),
    [
        ({"id": "q1", "question": "?"}, "lacks 'answered_by'"),
        ({"id": "q1", "question": "?", "answered_by": []}, "must be a list"),
        ({"id": "q1", "question": "?", "answered_by": ["page.md"]}, "not a page and a line"),
        ("{not json", "line 1 is not JSON"),
        ("", "no question"),
    ],
)
def test_a_mistake_in_a_question_file_is_named(tmp_path: Path, row: object, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_questions(write(tmp_path, row))


def test_a_line_the_page_does_not_have_is_refused(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("one line")
    file = write(tmp_path, {"id": "q1", "question": "?", "answered_by": ["page.md:7"]})
    with pytest.raises(InputError, match="no line 7"):
        by_passage(read_questions(file), tmp_path)


def test_held_out_queries_are_those_that_training_left_out() -> None:
    """The rule is written twice, because the package does not import the training scripts: both must agree."""
    tree = ast.parse((ROOT / "training" / "rank.py").read_text(encoding="utf-8"))
    rule = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "is_held_query")
    scope: dict[str, object] = {"hashlib": hashlib}
    exec(compile(ast.Module(body=[rule], type_ignores=[]), "training/rank.py", "exec"), scope)
    is_held_query = scope["is_held_query"]
    assert callable(is_held_query)
    held = [is_held_out("scifact", str(number)) for number in range(300)]
    assert held == [is_held_query(str(number)) for number in range(300)]
    assert 70 < sum(held) < 130


def test_held_out_leaves_a_third_of_the_queries(tmp_path: Path) -> None:
    (tmp_path / "qrels").mkdir()
    judged = "".join(f"{number}\td\t1\n" for number in range(30))
    (tmp_path / "qrels" / "train.tsv").write_text(f"query-id\tcorpus-id\tscore\n{judged}")
    rows = [json.dumps({"_id": str(number), "text": "?"}) for number in range(30)]
    (tmp_path / "queries.jsonl").write_text("\n".join(rows))
    held = [query.id for query in read_queries(tmp_path, held_out="scifact")]
    assert held == [str(number) for number in range(30) if is_held_out("scifact", str(number))]
    assert 0 < len(held) < 30


def test_our_questions_can_be_read_and_none_is_asked_twice() -> None:
    questions = read_questions(OURS)
    assert len(questions) >= 60
    assert (
        len({question.text for question in questions}) == len({question.id for question in questions}) == len(questions)
    )
    assert all(place.file.startswith("en_") for question in questions for place in question.answered_by)
