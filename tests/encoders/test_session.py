from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

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
