"""The embedder's lessons: what counts as wrong beside a question, and that a step learns."""

from __future__ import annotations

import random
from argparse import Namespace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.encoder import TINY, Encoder  # noqa: E402
from training.rank import Groups  # noqa: E402

from training import near  # noqa: E402


@pytest.fixture
def groups(tmp_path: Path) -> Groups:
    """Four questions, each answered by one text of its own; the others' answers are its wrong ones."""
    count = 4
    text = np.arange(2000, 2000 + 5 * count, dtype=np.uint16)
    asked = np.arange(3000, 3000 + 3 * count, dtype=np.uint16)
    wrong = np.array([other for at in range(count) for other in range(count) if other != at], np.int32)
    np.savez(
        tmp_path / "rank.npz",
        text_data=text, text_ends=np.arange(count + 1) * 5,
        question_data=asked, question_ends=np.arange(count + 1) * 3,
        right_data=np.arange(count, dtype=np.int32), right_ends=np.arange(count + 1),
        wrong_data=wrong, wrong_ends=np.arange(count + 1) * (count - 1),
        set=np.zeros(count, np.int8), sets=np.array(["sentences"]), development=np.array([False] * 3 + [True]),
    )  # fmt: skip
    return Groups(tmp_path / "rank.npz")


def test_vectors_come_in_the_order_of_their_texts() -> None:
    torch.manual_seed(1)
    model = Encoder(TINY).eval()
    texts = [np.array([2001, 2002, 2003]), np.array([2004]), np.array([2005, 2006])]
    together = near.vectors(model, texts, "cpu")
    for row, text in zip(together, texts, strict=True):
        assert torch.allclose(row, near.vectors(model, [text], "cpu")[0], atol=1e-5)
    assert torch.allclose(together.norm(dim=1), torch.ones(3))


def test_what_the_base_finds_nearer_than_the_answer_is_left_out_but_known_wrong_ones_are_not() -> None:
    was = torch.tensor([[0.5, 0.7, 0.2], [0.1, 0.6, 0.9]])
    assert near.also_right(was, [], "cpu").tolist() == [[False, True, False], [False, False, True]]
    assert near.also_right(was, [(1, 2)], "cpu").tolist() == [[False, True, False], [False, False, False]]


def test_a_few_steps_bring_questions_to_their_answers(groups: Groups) -> None:
    torch.manual_seed(1)
    model, base = Encoder(TINY), Encoder(TINY).eval().requires_grad_(False)
    base.load_state_dict(model.state_dict())
    options = Namespace(wrong=2, keep=0.0)
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(12):
        loss = near._loss(model, base, groups, [0, 1, 2], options, random.Random(1), "cpu")
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.5 * losses[0]
    assert near.found_first(model.eval(), groups, "cpu")["sentences"][4:] == [1, 4]
