"""The grounder that reads its sources once: the graph says what the model says, and windows and claims do not mix."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="training needs torch: pip install torch==2.13.0")
pytest.importorskip("onnx", reason="training needs onnx")

from training.encoder import TINY  # noqa: E402
from training.language import Decoder, DecoderShape  # noqa: E402
from training.once import Once  # noqa: E402
from training.once_export import feed_of  # noqa: E402
from training.once_graph import write  # noqa: E402
from training.onnx_run import session  # noqa: E402
from training.teach import Row, page_of  # noqa: E402


def row(claims: list[list[int]], sheets: list[list[int]]) -> Row:
    ids: list[int] = []
    place: list[int] = []
    group: list[int] = []
    spots = []
    for number, sheet in enumerate(sheets, 1):
        ids, place, group = ids + sheet, [*place, *range(64, 64 + len(sheet))], group + [number] * len(sheet)
    for number, claim in enumerate(claims, 1):
        tokens = [101, *claim, 102]
        spots.append((len(ids), len(claim), number - 1))
        ids, place, group = ids + tokens, [*place, *range(len(tokens))], group + [-number] * len(tokens)
    return Row(ids=ids, place=place, group=group, claims=spots, weight=1.0)


def model(kind: str, rest: int | None) -> Once:
    torch.manual_seed(0)
    made = Once(replace(TINY, kind=kind, layers=3, rest=rest), 0.0).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(torch.randn_like(weight) * 0.05)
    return made


def said(made: Once, given: Row) -> np.ndarray:
    with torch.no_grad():
        return made(page_of([given], "tiny"))[0].numpy()


@pytest.mark.parametrize("kind", ["bert", "mpnet"])
@pytest.mark.parametrize("rest", [None, 1])
def test_the_graph_says_what_the_model_says(kind: str, rest: int | None) -> None:
    made, given = model(kind, rest), row([[5, 6, 7], [8, 9]], [[11, 12, 13, 102], [14, 15, 102]])
    state = {name: value.numpy() for name, value in made.state_dict().items()}
    found = session(write(made.shape, state, "float", {}, None)).run(["sentence"], feed_of(given))[0]
    assert np.abs(found - said(made, given)).max() < 1e-3


def test_a_claim_is_judged_alike_alone_and_among_others() -> None:
    made, sheets = model("mpnet", 1), [[11, 12, 13, 102], [14, 15, 102]]
    alone, among = said(made, row([[8, 9]], sheets)), said(made, row([[5, 6, 7], [8, 9]], sheets))
    assert np.abs(alone[0] - among[1]).max() < 1e-4


def test_the_order_of_windows_does_not_matter() -> None:
    made = model("mpnet", None)
    one, two = [11, 12, 13, 102], [14, 15, 102]
    assert np.abs(said(made, row([[8, 9]], [one, two])) - said(made, row([[8, 9]], [two, one]))).max() < 1e-4


def test_another_source_gives_another_verdict() -> None:
    made = model("bert", 1)
    assert np.abs(said(made, row([[8, 9]], [[11, 12]])) - said(made, row([[8, 9]], [[13, 14]]))).max() > 1e-4


def test_claims_that_hang_on_one_source_are_read_as_if_alone() -> None:
    torch.manual_seed(0)
    decoder = Decoder(DecoderShape(words=50, hidden=64, inner=96, layers=2, heads=4, shared_heads=2)).eval()
    source, one, two = [1, 2, 3, 4, 5], [6, 7, 8], [9, 10, 11, 12]
    ids = torch.tensor([[*source, *one, *two, 0]])
    place = torch.tensor([[*range(5), 5, 6, 7, 5, 6, 7, 8, 0]])
    group = torch.tensor([[*[0] * 5, *[1] * 3, *[2] * 4, -1]])
    with torch.no_grad():
        tree = decoder.tree(ids, place, group)[0]
        plain = [decoder(torch.tensor([[*source, *claim]]))[0, -1] for claim in (one, two)]
    assert torch.allclose(tree[7], plain[0], atol=1e-5)
    assert torch.allclose(tree[11], plain[1], atol=1e-5)
