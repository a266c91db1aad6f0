"""The JSONL line of seed 003, to the letter: nothing missing, nothing more. Checked before it is written."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from surefoot.core.errors import InputError
from surefoot.core.text import without_markers


class _Exact(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class ArticleMetadata(_Exact):
    title: str
    source: str


class SessionMetadata(_Exact):
    focus_aspect: str


class Message(_Exact):
    role: Literal["user", "assistant"]
    content: str


class CritiqueLine(_Exact):
    grounded: bool
    reasoning: str


class PairLine(_Exact):
    question: str
    initial_answer: str
    initial_critique: CritiqueLine
    final_answer: str
    final_critique: CritiqueLine


class QualityMetrics(_Exact):
    pairs: tuple[PairLine, ...]


class SessionLine(_Exact):
    """One conversation about one aspect.

    `messages` holds the accepted pairs in order, question then answer, without the markers that lead to sources a
    trained model never sees; `quality_metrics` holds every pair, the
    rejected ones with the reason in their final critique.
    """

    conversation_id: str
    article_metadata: ArticleMetadata
    session_metadata: SessionMetadata
    messages: tuple[Message, ...]
    quality_metrics: QualityMetrics

    @model_validator(mode="after")
    def _messages_are_the_accepted_pairs(self) -> SessionLine:
        accepted = [pair for pair in self.quality_metrics.pairs if pair.final_critique.grounded]
        wanted = [text for pair in accepted for text in (pair.question, without_markers(pair.final_answer))]
        roles = ["user", "assistant"] * len(accepted)
        if [one.content for one in self.messages] != wanted or [one.role for one in self.messages] != roles:
            raise ValueError("messages must be the accepted pairs in order, question then final answer")
        return self


def to_line(session: SessionLine) -> str:
    """One line of the file, keys in the seed's order; checked once more as its reader will see it."""
    line = json.dumps(session.model_dump(mode="json"), ensure_ascii=False)
    SessionLine.model_validate_json(line)
    return line


def read_lines(file: Path) -> list[SessionLine]:
    """Every session of a dataset; a line that breaks the schema is named."""
    return list(_parsed(file))


def _parsed(file: Path) -> Iterable[SessionLine]:
    try:
        lines = file.read_text(encoding="utf-8").split("\n")
    except (FileNotFoundError, IsADirectoryError):
        raise InputError(
            f"no dataset {str(file)!r}; build one with: surefoot dataset build CORPUS --out {file}"
        ) from None
    except UnicodeDecodeError:
        raise InputError(f"{file} is not UTF-8 text; give the .jsonl file of a dataset") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            yield SessionLine.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"]) or "line"
            raise InputError(f"{file}:{number}: {place}: {first['msg']}; rebuild the file") from error
