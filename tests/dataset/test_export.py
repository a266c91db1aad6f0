"""Each export as its consumer reads it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from surefoot.core.errors import InputError
from surefoot.core.types import DONT_KNOW, Json
from surefoot.dataset.export import FORMS, ExportOptions, export
from surefoot.dataset.files import Audit, Row
from surefoot.dataset.pair import Critique, Pair, Question, QuestionType
from surefoot.dataset.split import is_validation, sources_of, validation_sources
from surefoot.testing import passage

GROUNDED, REFUSED = Critique(grounded=True, reasoning="fine"), Critique(grounded=False, reasoning="no", codes=("x",))


def row(
    session: int,
    number: int,
    *,
    source: str = "a.md",
    accepted: bool = True,
    draft_ok: bool = False,
    refusal: bool = False,
) -> Row:
    kind = QuestionType.UNANSWERABLE if refusal else QuestionType.FACT
    final = DONT_KNOW if refusal else f"The fee is R{number} [S1]."
    pair = Pair(
        question=Question(text=f"What is fee {session}.{number}?", type=kind, session=session, number=number),
        passages=(passage(f"The fee is R{number}.", source=source),),
        initial_answer=final if draft_ok else f"The fee is R{number + 1} [S1].",
        initial_critique=GROUNDED if draft_ok else REFUSED,
        final_answer=final,
        final_critique=GROUNDED if accepted else REFUSED,
    )
    return Row(
        name=f"{session}.{number}",
        conversation=f"fees_session_{session}",
        aspect="Fees",
        pair=pair,
        sources=() if refusal else (source,),
    )


BUILD: dict[str, Json] = {"title": "Fees", "accepted": 14}
ROWS = tuple(row(session, number, source=f"d{session}.md") for session in range(1, 9) for number in (1, 2))
MIXED = (
    row(1, 1),
    row(1, 2, accepted=False),
    row(1, 3, draft_ok=True),
    row(1, 4, refusal=True),
    row(2, 1, source="b.md"),
    row(3, 1, source="c.md"),
)


def audit(rows: tuple[Row, ...] = ROWS) -> Audit:
    return Audit(build=BUILD, rows=rows, failures=(), reviews={})


def lines(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def both(folder: Path, form: str, rows: tuple[Row, ...], **options: object) -> list[dict[str, object]]:
    export(audit(rows), form, folder, ExportOptions(**options))  # type: ignore[arg-type]
    return [line for file in sorted(folder.glob("*.jsonl")) for line in lines(file)]


def test_openai_lines_obey_the_fine_tuning_files_rules(tmp_path: Path) -> None:
    found = both(tmp_path, "openai", MIXED, system="Answer briefly.")
    for line in found:
        assert list(line) == ["messages"]
        messages = line["messages"]
        assert isinstance(messages, list)
        assert all(set(one) == {"role", "content"} and one["content"] for one in messages)
        assert [one["role"] for one in messages] == ["system"] + ["user", "assistant"] * (len(messages) // 2)
    assert sum(len(line["messages"]) // 2 for line in found) == 5  # type: ignore[arg-type]


def test_sharegpt_lines_take_turns(tmp_path: Path) -> None:
    for line in both(tmp_path, "sharegpt", MIXED):
        assert set(line) == {"id", "conversations"}
        speakers = [one["from"] for one in line["conversations"]]  # type: ignore[attr-defined]
        assert speakers == ["human", "gpt"] * (len(speakers) // 2)


def test_alpaca_rows_hold_the_context_only_on_request(tmp_path: Path) -> None:
    bare = both(tmp_path / "bare", "alpaca", MIXED)
    assert all(set(one) == {"instruction", "input", "output"} and one["input"] == "" for one in bare)
    assert not any("[S1]" in str(one["output"]) for one in bare)
    full = both(tmp_path / "full", "alpaca", MIXED, context=True)
    assert all("<SOURCE" in str(one["input"]) for one in full)
    assert any("[S1]" in str(one["output"]) for one in full)


def test_preferences_have_trls_columns_and_only_corrected_drafts(tmp_path: Path) -> None:
    found = both(tmp_path, "dpo", MIXED)
    assert len(found) == 4  # neither the rejected row nor the one whose draft was good
    for one in found:
        assert list(one) == ["prompt", "chosen", "rejected"]
        assert [turn["role"] for turn in one["prompt"]] == ["user"]  # type: ignore[attr-defined]
        assert one["chosen"] != one["rejected"]


def test_a_refusal_is_preferred_over_an_invention(tmp_path: Path) -> None:
    chosen = [one["chosen"][0]["content"] for one in both(tmp_path, "dpo", MIXED)]  # type: ignore[index]
    assert DONT_KNOW in chosen


def test_parquet_keeps_the_rejected_rows_and_one_schema_for_both_splits(tmp_path: Path) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    exported = export(audit(MIXED), "parquet", tmp_path)
    train, validation = (pq.read_table(tmp_path / f"{split}.parquet") for split in ("train", "validation"))
    assert train.schema == validation.schema
    rows = train.to_pylist() + validation.to_pylist()
    assert len(rows) == exported.train + exported.validation == len(MIXED)
    assert sorted(one["accepted"] for one in rows) == [False, True, True, True, True, True]
    assert all(one["messages"] == [] for one in rows if not one["accepted"])


def test_the_hub_layout_loads_in_hf_datasets(tmp_path: Path) -> None:
    datasets = pytest.importorskip("datasets")
    export(audit(), "hf", tmp_path / "hub")
    loaded = datasets.load_dataset(str(tmp_path / "hub"), cache_dir=str(tmp_path / "cache"))
    assert sorted(loaded) == ["train", "validation"]
    assert sum(part.num_rows for part in loaded.values()) == len(ROWS)


def test_the_hub_layout_names_its_splits(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    export(audit(), "hf", tmp_path)
    head = yaml.safe_load((tmp_path / "README.md").read_text().split("---")[1])
    files = head["configs"][0]["data_files"]
    assert [one["split"] for one in files] == ["train", "validation"]
    assert all(list(tmp_path.glob(one["path"])) for one in files)


@pytest.mark.parametrize("form", FORMS)
def test_training_never_sees_a_validation_source(form: str, tmp_path: Path) -> None:
    kept = validation_sources((source for one in ROWS for source in sources_of(one)), 0.25)
    assert kept
    train = {source for one in ROWS if not is_validation(one, kept) for source in sources_of(one)}
    assert not train & kept
    exported = export(audit(), form, tmp_path, ExportOptions(validation=0.25))
    assert exported.train
    assert exported.validation


def test_a_new_document_moves_no_other() -> None:
    names = [f"{number}.md" for number in range(200)]
    before = validation_sources(names[:150], 0.1)
    after = validation_sources(names, 0.1)
    assert before == {name for name in after if name in names[:150]}
    assert 5 <= len(after) <= 40


def test_a_mixed_row_goes_to_validation() -> None:
    mixed = Row(name="1.1", conversation="c", aspect="a", pair=row(1, 1).pair, sources=("train.md", "kept.md"))
    assert is_validation(mixed, {"kept.md"})


def test_an_unknown_form_names_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="openai, sharegpt, alpaca, dpo, parquet, hf"):
        export(audit(), "csv", tmp_path)


def test_a_dataset_without_accepted_pairs_exports_nothing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nothing to export"):
        export(audit((row(1, 1, accepted=False),)), "openai", tmp_path)
