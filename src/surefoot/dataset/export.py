"""Exports: the accepted pairs in the forms trainers read. A rejected draft leaves only as a worse choice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from surefoot.core.errors import InputError, MissingExtraError
from surefoot.core.text import without_markers
from surefoot.core.types import Json
from surefoot.dataset.files import Audit, Row
from surefoot.dataset.prompt import sources_block
from surefoot.dataset.split import is_validation, sources_of, validation_sources

Record = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class ExportOptions:
    validation: float = 0.1
    """Share of the source documents kept for validation."""
    context: bool = False
    """Put the passages into the prompt, so that the model learns to answer from them."""
    citations: bool | None = None
    """Keep the [S1] markers; None: with the context only, because without it they point to nothing."""
    system: str | None = None

    @property
    def keeps_markers(self) -> bool:
        return self.context if self.citations is None else self.citations


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    files: tuple[Path, ...]
    train: int
    validation: int


def export(audit: Audit, form: str, folder: Path, options: ExportOptions | None = None) -> Exported:
    """Writes train and validation files of one form into a folder."""
    options = options or ExportOptions()
    if form not in FORMS:
        raise InputError(f"unknown export {form!r}; known: {', '.join(FORMS)}")
    kept = validation_sources((source for row in audit.rows for source in sources_of(row)), options.validation)
    rows = {
        "train": [row for row in audit.rows if not is_validation(row, kept)],
        "validation": [row for row in audit.rows if is_validation(row, kept)],
    }
    shape, write = FORMS[form]
    records = {split: list(shape(found, options)) for split, found in rows.items()}
    if not any(records.values()):
        raise InputError(f"nothing to export as {form!r}: the dataset has no fitting pair; see surefoot dataset status")
    folder.mkdir(parents=True, exist_ok=True)
    files = [file for split, found in records.items() if found for file in write(folder, split, found)]
    if form == "hf":
        files.append(_hf_readme(folder, audit, [split for split, found in records.items() if found]))
    return Exported(files=tuple(files), train=len(records["train"]), validation=len(records["validation"]))


def openai_chat(rows: Sequence[Row], options: ExportOptions) -> Iterable[Record]:
    """One conversation a line, as the fine-tuning API reads it."""
    system = [{"role": "system", "content": options.system}] if options.system else []
    for _, found in _conversations(rows):
        messages = [message for row in found for message in _messages(row, options)]
        yield {"messages": [*system, *messages]}


def sharegpt(rows: Sequence[Row], options: ExportOptions) -> Iterable[Record]:
    names = {"user": "human", "assistant": "gpt"}
    system = [{"from": "system", "value": options.system}] if options.system else []
    for conversation, found in _conversations(rows):
        turns = [
            {"from": names[one["role"]], "value": one["content"]} for row in found for one in _messages(row, options)
        ]
        yield {"id": conversation, "conversations": [*system, *turns]}


def alpaca(rows: Sequence[Row], options: ExportOptions) -> Iterable[Record]:
    for row in rows:
        if row.kept:
            context = sources_block(row.pair.passages) if options.context else ""
            yield {
                "instruction": row.pair.question.text,
                "input": context,
                "output": _answer(row.pair.final_answer, options),
            }


def dpo(rows: Sequence[Row], options: ExportOptions) -> Iterable[Record]:
    """Preferences in TRL's columns: the final answer over the draft the critique refused."""
    for row in rows:
        chosen = _answer(row.pair.final_answer, options)
        rejected = _answer(row.pair.initial_answer, options)
        if row.kept and not row.pair.initial_critique.grounded and rejected.strip() and chosen != rejected:
            system = [{"role": "system", "content": options.system}] if options.system else []
            yield {
                "prompt": [*system, {"role": "user", "content": _asked(row, options)}],
                "chosen": [{"role": "assistant", "content": chosen}],
                "rejected": [{"role": "assistant", "content": rejected}],
            }


def table(rows: Sequence[Row], options: ExportOptions) -> Iterable[Record]:
    """Every pair with its trail, the rejected ones too: `accepted` says which."""
    for row in rows:
        pair = row.pair
        yield {
            "id": f"{row.conversation}.{pair.question.number}",
            "conversation_id": row.conversation,
            "aspect": row.aspect,
            "type": pair.question.type.value,
            "question": pair.question.text,
            "initial_answer": pair.initial_answer,
            "initial_grounded": pair.initial_critique.grounded,
            "initial_reasoning": pair.initial_critique.reasoning,
            "final_answer": _answer(pair.final_answer, options),
            "final_grounded": pair.final_critique.grounded,
            "final_reasoning": pair.final_critique.reasoning,
            "accepted": row.kept,
            "reject_codes": list(pair.final_critique.codes),
            "sources": list(row.sources),
            "passages": [one.text for one in pair.passages],
            "messages": _messages(row, options) if row.kept else [],
        }


def _conversations(rows: Sequence[Row]) -> Iterable[tuple[str, list[Row]]]:
    kept = [row for row in rows if row.kept]
    for conversation, found in groupby(kept, key=lambda row: row.conversation):
        yield conversation, list(found)


def _messages(row: Row, options: ExportOptions) -> list[dict[str, str]]:
    return [
        {"role": "user", "content": _asked(row, options)},
        {"role": "assistant", "content": _answer(row.pair.final_answer, options)},
    ]


def _asked(row: Row, options: ExportOptions) -> str:
    question = row.pair.question.text
    return f"<SOURCES>\n{sources_block(row.pair.passages)}\n</SOURCES>\n\n{question}" if options.context else question


def _answer(text: str, options: ExportOptions) -> str:
    return text if options.keeps_markers else without_markers(text)


def _write_jsonl(folder: Path, split: str, records: Sequence[Record]) -> list[Path]:
    file = folder / f"{split}.jsonl"
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    file.write_text("".join(lines), encoding="utf-8")
    return [file]


def _write_parquet(folder: Path, split: str, records: Sequence[Record]) -> list[Path]:
    return [_parquet(folder / f"{split}.parquet", records)]


def _write_hf(folder: Path, split: str, records: Sequence[Record]) -> list[Path]:
    (folder / "data").mkdir(exist_ok=True)
    return [_parquet(folder / "data" / f"{split}-00000-of-00001.parquet", records)]


def _parquet(file: Path, records: Sequence[Record]) -> Path:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingExtraError("pyarrow", "dataset") from None
    text, texts, flag = pa.string(), pa.list_(pa.string()), pa.bool_()
    kinds = {"initial_grounded": flag, "final_grounded": flag, "accepted": flag}
    kinds |= {"reject_codes": texts, "sources": texts, "passages": texts}
    kinds |= {"messages": pa.list_(pa.struct([("role", text), ("content", text)]))}
    # The types are written down, not guessed: a split without a rejected pair must have the same columns.
    schema = pa.schema([(name, kinds.get(name, text)) for name in records[0]])
    pq.write_table(pa.Table.from_pylist([dict(record) for record in records], schema=schema), file)
    return file


def _hf_readme(folder: Path, audit: Audit, splits: Sequence[str]) -> Path:
    files = "".join(f"  - split: {split}\n    path: data/{split}-*.parquet\n" for split in splits)
    head = f"---\nconfigs:\n- config_name: default\n  data_files:\n{files}---\n"
    text = f"{head}\n# {_line(audit.build.get('title'))}\n\n{_line(audit.build.get('accepted'))} accepted pairs.\n"
    file = folder / "README.md"
    file.write_text(text, encoding="utf-8")
    return file


def _line(value: Json) -> str:
    return " ".join(str(value).split())


Shape = Callable[[Sequence[Row], ExportOptions], Iterable[Record]]
Write = Callable[[Path, str, Sequence[Record]], list[Path]]
FORMS: dict[str, tuple[Shape, Write]] = {
    "openai": (openai_chat, _write_jsonl),
    "sharegpt": (sharegpt, _write_jsonl),
    "alpaca": (alpaca, _write_jsonl),
    "dpo": (dpo, _write_jsonl),
    "parquet": (table, _write_parquet),
    "hf": (table, _write_hf),
}
