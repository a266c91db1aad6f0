from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from surefoot.core.errors import EncoderError
from surefoot.encoders.files import find_model
from surefoot.encoders.session import Session


@dataclass(frozen=True)
class Input:
    name: str
    shape: list[str | int]


class Adds:
    """Stands for an opened model: says the sum of each row, and refuses a batch larger than it declares."""

    def __init__(self, batch: str | int) -> None:
        self.batch = batch

    def get_inputs(self) -> list[Input]:
        return [Input("input_ids", [self.batch, "length"])]

    def run(self, _names: None, feed: dict[str, Any]) -> list[Any]:
        ids = feed["input_ids"]
        if self.batch == 1 and len(ids) != 1:
            raise ValueError(f"a batch of {len(ids)}")
        return [ids.sum(1).astype(np.float32)]


def sums(batch: str | int, rows: list[list[int]]) -> list[float]:
    session = Session(lambda: pytest.fail("nothing is to be opened"))
    session._opened = (Adds(batch), None)
    return [float(outputs[0]) for outputs in session.run(rows, pad=0)]


@pytest.mark.parametrize("batch", [1, "batch"])
def test_every_row_gets_its_own_outputs_in_order(batch: str | int) -> None:
    assert sums(batch, [[1, 2, 3], [4], [5, 6], [7, 8, 9]]) == [6.0, 4.0, 11.0, 24.0]


@pytest.mark.parametrize("batch", [1, "batch"])
def test_no_rows_give_no_outputs(batch: str | int) -> None:
    assert sums(batch, []) == []


def test_models_with_the_same_words_share_them_and_others_do_not() -> None:
    pytest.importorskip("surefoot_models")
    embedder, fast, accurate = (
        Session(lambda name=name: find_model(name)) for name in ("embedder", "grounder_fast", "grounder_accurate")
    )
    assert embedder.files.tokenizer.read_bytes() == fast.files.tokenizer.read_bytes()
    assert embedder.tokenizer is fast.tokenizer
    assert accurate.tokenizer is not fast.tokenizer
    assert accurate.token_ids(["a claim"]) != fast.token_ids(["a claim"])


def test_a_file_that_is_no_tokenizer_is_named_and_opens_nothing(tmp_path: Path) -> None:
    shipped = find_model("embedder").folder
    (tmp_path / "model.onnx").symlink_to(shipped / "model.onnx")
    (tmp_path / "tokenizer.json").write_bytes((shipped / "tokenizer.json").read_bytes()[:-100])
    with pytest.raises(EncoderError, match="cannot open the embedder"):
        Session(lambda: find_model("embedder", tmp_path)).warm()
