"""Graphs of a random model of a few thousand weights against torch. Needs torch and onnx: `make models` says how."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
onnx = pytest.importorskip("onnx", reason="export needs onnx")
surefoot_models = pytest.importorskip("surefoot_models")

from training.encoder import TINY, Shape  # noqa: E402
from training.export import write_judge  # noqa: E402
from training.heads import Judge  # noqa: E402
from training.onnx_run import Batch, observe, session  # noqa: E402
from training.rounding import Seen  # noqa: E402

TOKENIZER = Path(surefoot_models.folder()) / "embedder" / "tokenizer.json"
BERT = replace(TINY, hidden=128, inner=256)
MPNET = replace(BERT, kind="mpnet", first_position=2, positions=514, pad=1)
SHAPES = [BERT, MPNET, replace(BERT, layers=3, rest=1), replace(MPNET, layers=3, rest=1)]
NAMES = ["bert", "mpnet", "bert at rest", "mpnet at rest"]
CLAIM = 6


def model_of(shape: Shape) -> Judge:
    torch.manual_seed(3)
    model = Judge(shape, 0.0).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "norm" not in name:
                weight.mul_(2.0)
    return model


def rows(count: int, length: int = 30) -> np.ndarray:
    """Ids of English words: below them stand single letters of every script, which mpnet's table leaves out."""
    return np.random.default_rng(count).integers(2000, 9000, (count, length))


def claim_mask(ids: np.ndarray) -> np.ndarray:
    mask = np.zeros_like(ids)
    mask[:, 1 : CLAIM + 1] = 1
    return mask


def said(model: Judge, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with torch.no_grad():
        given = (torch.tensor(ids), torch.ones(ids.shape, dtype=torch.int64), torch.tensor(claim_mask(ids)))
        sentence, token = model(*given)
    return sentence.numpy(), token.numpy()[:, : CLAIM + 1]


def run(graph: bytes, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    opened = session(graph)
    found = [opened.run(None, {"input_ids": row[None], "claim_mask": claim_mask(row[None])}) for row in ids]
    return np.concatenate([entry[0] for entry in found]), np.concatenate([entry[1] for entry in found])


def looked_at(model: Judge) -> dict[str, Seen]:
    single = [row[None] for row in rows(40)]
    return observe(model.encoder, [Batch(ids=row, mask=np.ones_like(row), claim=claim_mask(row)) for row in single])


@pytest.mark.parametrize("shape", SHAPES, ids=NAMES)
def test_the_float_graph_says_what_the_model_says(shape: Shape) -> None:
    model, ids = model_of(shape), rows(5)
    sentence, token = run(write_judge(model, "float", {}, TOKENIZER, tokens=True), ids)
    assert np.allclose(sentence, said(model, ids)[0], atol=5e-3)
    assert np.allclose(token, said(model, ids)[1], atol=5e-3)


@pytest.mark.parametrize("shape", SHAPES, ids=NAMES)
def test_eight_bits_stay_near_the_model(shape: Shape) -> None:
    model, ids = model_of(shape), rows(20)
    sentence, token = run(write_judge(model, "fixed", looked_at(model), TOKENIZER, tokens=True), ids)
    exact, each = said(model, ids)
    assert np.abs(sentence - exact).mean() < 0.1 * exact.std()
    assert np.abs(token - each).mean() < 0.1 * each.std()


def test_only_the_claim_is_told_token_by_token() -> None:
    _, token = run(write_judge(model_of(BERT), "float", {}, TOKENIZER, tokens=True), rows(1))
    assert token.shape == (1, CLAIM + 1)


def test_a_row_without_a_claim_is_judged_by_its_first_token() -> None:
    opened = session(write_judge(model_of(BERT), "float", {}, TOKENIZER, tokens=True))
    ids = rows(1)
    _, token = opened.run(None, {"input_ids": ids, "claim_mask": np.zeros_like(ids)})
    assert token.shape == (1, 1)


def test_two_rows_at_once_are_refused() -> None:
    opened = session(write_judge(model_of(BERT), "float", {}, TOKENIZER, tokens=True))
    ids = rows(2)
    with pytest.raises(Exception, match="input_ids"):
        opened.run(None, {"input_ids": ids, "claim_mask": claim_mask(ids)})


def test_eight_bits_without_calibration_are_refused() -> None:
    with pytest.raises(ValueError, match="calibrate first"):
        write_judge(model_of(BERT), "fixed", {}, TOKENIZER, tokens=True)


def test_evidence_at_rest_is_looked_at_and_does_not_change() -> None:
    model, ids = model_of(replace(BERT, layers=3, rest=1)), rows(1)
    whole, claim = torch.ones(ids.shape, dtype=torch.int64), torch.tensor(claim_mask(ids))
    with torch.no_grad():
        after = model.encoder(torch.tensor(ids), whole, claim)
        model.encoder.layers = model.encoder.layers[:1]
        before = model.encoder(torch.tensor(ids), whole, claim)
    assert torch.equal(after[:, CLAIM + 1 :], before[:, CLAIM + 1 :])
    assert not torch.allclose(after[:, : CLAIM + 1], before[:, : CLAIM + 1])
    other = ids.copy()
    other[:, -1] += 1
    model = model_of(replace(BERT, layers=3, rest=1))
    assert not np.allclose(said(model, ids)[0], said(model, other)[0])


def test_a_row_at_rest_is_judged_alike_alone_and_beside_a_longer_claim() -> None:
    model, ids = model_of(replace(MPNET, layers=3, rest=1)), rows(2)
    longer = claim_mask(ids)
    longer[1, 1:20] = 1
    with torch.no_grad():
        both, _ = model(torch.tensor(ids), torch.ones(ids.shape, dtype=torch.int64), torch.tensor(longer))
    assert np.allclose(both[:1].numpy(), said(model, ids[:1])[0], atol=1e-5)


def test_an_encoder_at_rest_that_is_not_told_the_claim_refuses() -> None:
    ids = torch.tensor(rows(1))
    with pytest.raises(ValueError, match="which tokens are the claim's"):
        model_of(replace(BERT, rest=1)).encoder(ids, torch.ones_like(ids))
