from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from surefoot.core.types import ClaimText
from surefoot.encoders.grounder import OnnxGrounder, Scale, unsupported_words

surefoot_models = pytest.importorskip("surefoot_models")
EVIDENCE = (
    "The bursary pays 50,000 rand a year.",
    "Applications close on 30 November.",
    "It covers tuition and books.",
)


@pytest.fixture(scope="module")
def grounder() -> OnnxGrounder:
    return OnnxGrounder("grounder_fast", threads=1)


def judge(grounder: OnnxGrounder, *claims: str) -> list[float]:
    return [score.unsupported for score in grounder.judge([ClaimText(text=c) for c in claims], EVIDENCE)]


def test_a_true_sentence_scores_below_its_mutations(grounder: OnnxGrounder) -> None:
    true, number, month, negated = judge(
        grounder,
        "Applications close on 30 November.",
        "Applications close on 13 November.",
        "Applications close on 30 March.",
        "Applications do not close on 30 November.",
    )
    assert true < min(number, month, negated)


def test_the_wrong_word_is_located(grounder: OnnxGrounder) -> None:
    claim = "Applications close on 30 March."
    (score,) = grounder.judge([ClaimText(text=claim)], EVIDENCE)
    assert any("March" in claim[start:end] for start, end, _ in score.spans)


def test_a_claim_without_evidence_is_unsupported(grounder: OnnxGrounder) -> None:
    (bare,) = grounder.judge([ClaimText(text="It is so.")], ())
    (blank,) = grounder.judge([ClaimText(text="It is so.")], (" ",))
    assert bare.unsupported == blank.unsupported == 1.0
    assert bare.spans == ((0, 9, 1.0),)


def test_equal_input_gives_equal_output(grounder: OnnxGrounder) -> None:
    assert judge(grounder, "It covers books.") == judge(grounder, "It covers books.")


def test_a_score_does_not_hang_on_the_claims_beside_it(grounder: OnnxGrounder) -> None:
    claims = ["It covers books.", "It covers food.", "Penguins, 900,000,000 of them, swim upstream in March 1842!"]
    together = judge(grounder, *claims)
    assert together == pytest.approx([judge(grounder, claim)[0] for claim in claims], abs=1e-5)


def test_threads_get_the_answers_of_one(grounder: OnnxGrounder) -> None:
    claims = ["It covers books.", "It covers food.", "It pays 50,000 rand a year."]
    with ThreadPoolExecutor(3) as pool:
        found = list(pool.map(lambda claim: judge(grounder, claim)[0], claims))
    assert found == [judge(grounder, claim)[0] for claim in claims]


def test_very_long_evidence_is_cut_not_refused(grounder: OnnxGrounder) -> None:
    (score,) = grounder.judge([ClaimText(text="It covers books.")], ("It covers books.", "word " * 2000))
    assert 0.0 <= score.unsupported <= 1.0


def test_the_bands_are_in_order(grounder: OnnxGrounder) -> None:
    assert 0.0 < grounder.bands["accept"] <= grounder.bands["release"] < grounder.bands["reject"] < 1.0


def test_both_sizes_are_shipped() -> None:
    folder = Path(surefoot_models.folder())
    assert (folder / "grounder_fast" / "model.onnx").stat().st_size <= 25_000_000
    assert (folder / "grounder_accurate" / "model.onnx").stat().st_size <= 95_000_000


def test_a_greeting_claims_nothing_and_a_fact_does(grounder: OnnxGrounder) -> None:
    claims = [ClaimText(text="Hello, I hope this helps!"), ClaimText(text="The bursary pays 50,000 rand a year.")]
    greeting, fact = grounder.judge(claims, EVIDENCE)
    assert greeting.silent > 0.5 > fact.silent


def test_a_higher_logit_is_a_higher_risk() -> None:
    scale = Scale(scale=0.5, shift=-1.0)
    assert 0.0 < scale.risk(-1000.0) < scale.risk(0.0) < scale.risk(1000.0) < 1.0


def test_a_word_is_unsupported_whole_where_one_of_its_pieces_is() -> None:
    claim = "(Refunding costs €45,50.)"
    pieces = [(0, 1), (1, 7), (7, 10), (11, 16), (17, 18), (18, 20), (20, 21), (21, 23), (23, 24), (24, 25)]
    found = unsupported_words(claim, pieces, np.array([9.0, -3.0, 2.0, -1.0, -2.0, 1.0, 0.0, 3.0, 9.0, 9.0]))
    assert [claim[start:end] for start, end, _ in found] == ["Refunding", "€45,50"]
    assert [round(chance, 2) for _, _, chance in found] == [0.88, 0.95]


def test_a_claim_whose_words_are_all_supported_has_no_unsupported_words() -> None:
    assert unsupported_words("It covers books.", [(0, 2), (3, 9), (10, 15), (15, 16)], np.full(4, -2.0)) == ()


def test_a_claim_that_is_not_read_to_its_end_stays_in_doubt(grounder: OnnxGrounder) -> None:
    start = "Applications close on 30 November, " * 30
    long, tail = judge(grounder, f"{start}and it covers books.", f"{start}and monks pay for it.")
    assert min(long, tail) >= 0.5
    assert judge(grounder, "Applications close on 30 November, and it covers books.")[0] < 0.5
