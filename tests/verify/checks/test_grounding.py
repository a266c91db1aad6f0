"""Stage 2: the three bands, the slot for a grounder, and what must never count as proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest

from surefoot.core.types import CheckReport, EvidencePair, GroundingScore, Passage
from surefoot.packs.schema import Pack, Thresholds
from surefoot.verify.checks.grounding import GroundingCheck
from surefoot.verify.features import NAMES, any_of, shipped_model
from surefoot.verify.submission import Submission

CARE = Passage(
    id="S1",
    text=(
        "Fostering means taking care of someone else's child in your own home. "
        "Tusla assesses and trains foster families. "
        "The Foster Care Allowance for children under 12 is €400 per week. You cannot claim it for your own child."
    ),
)


@dataclass(frozen=True)
class Says:
    """A grounder that gives every pair the same score and remembers what it was asked."""

    unsupported: float
    identity: str = "says"
    asked: list[EvidencePair] = field(default_factory=list)

    def judge(self, pairs: Sequence[EvidencePair]) -> list[GroundingScore]:
        self.asked.extend(pairs)
        return [GroundingScore(unsupported=self.unsupported) for _ in pairs]


def test_a_sentence_of_the_source_is_proven_by_quote(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck().run(submit("Tusla assesses and trains foster families [S1].", [CARE]))
    assert [(proof.method, proof.passage) for proof in report.proofs] == [("quote", "S1")]
    start, end = report.proofs[0].span
    assert CARE.text[start:end] == "Tusla assesses and trains foster families."


def test_a_close_rewording_is_proven_by_features(submit: Callable[..., Submission]) -> None:
    draft = "For children under 12 the Foster Care Allowance is 400 euro a week [S1]."
    report = GroundingCheck().run(submit(draft, [CARE]))
    assert [proof.method for proof in report.proofs] == ["features"]


@pytest.mark.parametrize(
    "draft",
    [
        "The Foster Care Allowance for children under 12 is €401 per week [S1].",
        "The Foster Care Allowance for children under 12 is €400 per month [S1].",
        "You can claim it for your own child [S1].",
        "Barnardos assesses and trains foster families [S1].",
    ],
)
def test_likeness_of_words_proves_nothing_where_value_name_or_negation_disagree(
    submit: Callable[..., Submission], draft: str
) -> None:
    assert GroundingCheck().run(submit(draft, [CARE])).proofs == ()
    assert GroundingCheck(accurate=Says(0.0)).run(submit(draft, [CARE])).proofs == ()


def test_a_baseless_sentence_is_a_miss_with_its_words_located(submit: Callable[..., Submission]) -> None:
    draft = "Volunteers with a pilot licence are given priority [S1]."
    finding = GroundingCheck().run(submit(draft, [CARE])).findings[0]
    assert finding.issue.code == "evidence_miss"
    start, end = finding.issue.span
    assert draft[start:end] == finding.issue.location
    assert "pilot licence" in finding.issue.location


@dataclass(frozen=True)
class Locates:
    """A grounder that doubts every claim a little, and these words of it so much."""

    words: dict[str, float]
    unsupported: float = 0.6
    identity: str = "locates"

    def judge(self, pairs: Sequence[EvidencePair]) -> list[GroundingScore]:
        return [
            GroundingScore(
                unsupported=self.unsupported,
                spans=tuple(
                    (pair.claim.index(word), pair.claim.index(word) + len(word), chance)
                    for word, chance in self.words.items()
                    if word in pair.claim
                ),
            )
            for pair in pairs
        ]


def located(report: CheckReport, draft: str) -> list[str]:
    return [draft[start:end] for start, end in report.unsupported]


TRAINED = "Foster families are trained [S1] by Tusla nurses in a week."


def test_words_that_stand_out_are_located_and_neighbours_are_one_part(submit: Callable[..., Submission]) -> None:
    words = {"Tusla": 0.6, "nurses": 0.95, "week": 0.97, "trained": 0.92, "by": 0.9}
    draft = f"Tusla assesses and trains foster families [S1]. {TRAINED}"
    report = GroundingCheck(accurate=Locates(words)).run(submit(draft, [CARE]))
    assert located(report, draft) == ["trained [S1] by", "nurses", "week"]
    assert len(report.findings) == 1


def test_where_no_word_stands_out_the_likeliest_is_located(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck(accurate=Locates({"nurses": 0.7, "week": 0.6})).run(submit(TRAINED, [CARE]))
    assert located(report, TRAINED) == ["nurses"]


def test_where_a_grounder_locates_nothing_the_words_no_evidence_holds_are(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck(accurate=Locates({"week": 0.4})).run(submit(TRAINED, [CARE]))
    assert "nurses" in located(report, TRAINED)
    assert "Tusla" not in " ".join(located(report, TRAINED))


def test_all_of_a_claim_that_is_surely_unsupported_is_located(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck(accurate=Locates({"nurses": 0.95}, unsupported=0.95)).run(submit(TRAINED, [CARE]))
    assert located(report, TRAINED) == [TRAINED]


def test_nothing_is_located_in_a_claim_that_is_no_issue(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck(accurate=Locates({"nurses": 0.99}, unsupported=0.1)).run(submit(TRAINED, [CARE]))
    assert (report.findings, report.unsupported) == ((), ())


def test_nothing_is_located_in_what_only_says_that_the_sources_are_silent(submit: Callable[..., Submission]) -> None:
    draft = "The passages do not mention a deposit [S1]."
    report = GroundingCheck(accurate=Says(0.99)).run(submit(draft, [CARE]))
    assert len(report.findings) == 1
    assert report.unsupported == ()


def test_what_fields_of_a_record_deny_is_located_field_by_field(submit: Callable[..., Submission]) -> None:
    fields = '"attributes": {"WiFi": "no", "RestaurantsTakeOut": false}'
    record = Passage(id="S1", text=f'{{"name": "Harbour Cafe", {fields}}}')
    draft = "Harbour Cafe has Wi-Fi for its guests and offers takeout [S1]."
    report = GroundingCheck().run(submit(draft, [record]))
    assert located(report, draft) == ["Wi-Fi", "takeout"]
    assert len(report.findings) == 1


def test_no_evidence_is_never_a_pass(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck().run(submit("Tusla assesses foster families.", []))
    assert report.proofs == ()
    assert [finding.issue.code for finding in report.findings] == ["evidence_miss"]


def test_a_grounder_that_is_sure_lowers_a_rewording(submit: Callable[..., Submission]) -> None:
    draft = "For children under 12 the Foster Care Allowance is 400 euro a week [S1]."
    report = GroundingCheck(accurate=Says(0.99)).run(submit(draft, [CARE]))
    assert report.proofs == ()
    assert [finding.issue.code for finding in report.findings] == ["evidence_miss"]


def test_a_grounder_reads_where_links_lead_only_for_a_claim_that_names_an_address(
    submit: Callable[..., Submission],
) -> None:
    page = Passage(id="S1", text="Families [apply to Tusla](https://www.tusla.ie/apply) before they take a child in.")
    for draft, shown in (
        ("Families who take in a child apply to Tusla [S1].", False),
        ("Families who take in a child apply at https://www.tusla.ie/apply [S1].", True),
    ):
        grounder = Says(0.1)
        GroundingCheck(accurate=grounder).run(submit(draft, [page]))
        assert [("https://" in " ".join(pair.evidence)) for pair in grounder.asked] == [shown]


def test_the_fast_grounder_is_taken_when_time_is_short(submit: Callable[..., Submission]) -> None:
    accurate, fast = Says(0.1), Says(0.1)
    check = GroundingCheck(accurate=accurate, fast=fast, now=lambda: 0.0)
    given = submit("Foster families are assessed by Tusla before training starts [S1].", [CARE])
    check.run(replace(given, until=0.15))
    assert (len(accurate.asked), len(fast.asked)) == (0, 1)
    check.run(replace(given, until=10.0))
    assert (len(accurate.asked), len(fast.asked)) == (1, 1)


@pytest.mark.parametrize(("claims", "asked"), [(12, (1, 0)), (13, (0, 1))])
def test_many_claims_go_to_the_fast_grounder(
    submit: Callable[..., Submission], claims: int, asked: tuple[int, int]
) -> None:
    accurate, fast = Says(0.1), Says(0.1)
    check = GroundingCheck(accurate=accurate, fast=fast, now=lambda: 0.0)
    given = submit("Foster families are assessed by Tusla before they are trained [S1]. " * claims, [CARE])
    check.run(replace(given, until=1.95))
    assert (len(accurate.asked) > 0, len(fast.asked) > 0) == asked


def test_only_a_grounder_that_is_sure_takes_back_that_a_claim_is_a_stranger(submit: Callable[..., Submission]) -> None:
    draft = "Pilots land helicopters for families [S1]."
    assert GroundingCheck().run(submit(draft, [CARE])).findings
    assert GroundingCheck(accurate=Says(0.4)).run(submit(draft, [CARE])).findings
    sure = GroundingCheck(accurate=Says(0.01)).run(submit(draft, [CARE]))
    assert sure.findings == ()
    assert sure.proofs == ()


def test_several_doubtful_claims_are_worse_than_one() -> None:
    assert any_of(()) == 0.0
    assert any_of((0.3,)) == pytest.approx(0.3)
    assert 0.3 < any_of((0.3, 0.3)) < any_of((0.3, 0.3, 0.3)) < 0.5
    assert any_of((0.9, 0.01)) == pytest.approx(0.9, abs=0.01)


def test_a_field_that_agrees_proves_nothing_of_the_rest(submit: Callable[..., Submission]) -> None:
    record = Passage(id="S1", text='{"name": "Harbour Kitchen", "OutdoorSeating": true, "stars": 4}')
    draft = "Harbour Kitchen has outdoor seating and a pool [S1]."
    doubtful = GroundingCheck(accurate=Says(0.42)).run(submit(draft, [record]))
    assert doubtful.proofs == ()
    assert doubtful.measures["unsupported_max"] < 0.42


def test_no_grounder_saves_a_claim_that_no_evidence_speaks_of(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck(accurate=Says(0.0)).run(submit("Pilots land helicopters [S1].", [CARE]))
    assert [finding.issue.code for finding in report.findings] == ["evidence_miss"]


@pytest.mark.parametrize(("until", "doubt"), [(1.95, 1.0), (60.0, 0.01)])
def test_where_there_is_no_hurry_such_a_claim_is_scored_but_its_verdict_stays(
    submit: Callable[..., Submission], until: float, doubt: float
) -> None:
    given = replace(submit("Pilots land helicopters [S1].", [CARE]), until=until)
    report = GroundingCheck(accurate=Says(0.005), now=lambda: 0.0).run(given)
    assert report.measures["unsupported_any"] == pytest.approx(doubt, abs=0.01)
    assert report.measures["unsupported_max"] == 1.0
    assert [finding.issue.code for finding in report.findings] == ["evidence_miss"]
    assert report.proofs == ()


def test_claims_judged_for_the_score_alone_do_not_change_who_judges_the_others(
    submit: Callable[..., Submission],
) -> None:
    accurate, fast = Says(0.1), Says(0.1)
    draft = "Foster families are assessed by Tusla before they are trained [S1]. " * 40 + "Pilots land [S1]. " * 40
    GroundingCheck(accurate=accurate, fast=fast, now=lambda: 0.0).run(replace(submit(draft, [CARE]), until=12.1))
    assert (len(accurate.asked), len(fast.asked)) == (40, 0)


def test_a_grounder_with_too_few_scores_breaks_the_check(submit: Callable[..., Submission]) -> None:
    class Short(Says):
        def judge(self, pairs: Sequence[EvidencePair]) -> list[GroundingScore]:
            return []

    with pytest.raises(ValueError, match="0 scores for 1 claims"):
        GroundingCheck(accurate=Short(0.1)).run(submit("Foster families are checked by Tusla first [S1].", [CARE]))


def test_the_packs_thresholds_move_the_bands(submit: Callable[..., Submission], pack: Pack) -> None:
    draft = "For children under 12 the Foster Care Allowance is 400 euro a week [S1]."
    strict = replace(pack, thresholds=Thresholds(accept=0.0, reject=0.999))
    report = GroundingCheck().run(submit(draft, [CARE], using=strict))
    assert (report.proofs, report.findings) == ((), ())
    assert report.measures["claims_undecided"] == 1.0


def test_the_same_submission_gives_the_same_report(submit: Callable[..., Submission]) -> None:
    draft = "Tusla trains families [S1]. The allowance is €400 [S1]. Pilots get priority [S1]."
    assert GroundingCheck().run(submit(draft, [CARE])) == GroundingCheck().run(submit(draft, [CARE]))


def test_no_feature_of_the_shipped_model_pulls_the_wrong_way() -> None:
    weights = dict(zip(NAMES, shipped_model().weights, strict=True))
    assert all(weights[name] <= 0 for name in ("coverage", "coverage_best", "bigrams", "prefix_coverage_best"))
    assert all(weights[name] >= 0 for name in ("novel_share", "value_unbound", "opposed", "name_missing"))
    assert shipped_model().accept < shipped_model().reject


def test_the_issue_names_the_field_that_denies_the_claim(submit: Callable[..., Submission]) -> None:
    record = Passage(id="S1", text='{"name": "Quay Club", "attributes": {"OutdoorSeating": false, "WiFi": null}}')
    report = GroundingCheck(fast=Says(0.01)).run(submit("Quay Club has outdoor seating [S1].", [record]))
    (finding,) = report.findings
    assert finding.issue.problem == "the record says 'attributes outdoor seating' is no; the claim says yes"
    assert finding.issue.location == "outdoor seating"
    assert finding.issue.evidence == "attributes outdoor seating: no"


SHOP = Passage(id="S1", text='{"name": "Quay Club", "attributes": {"RestaurantsTakeOut": true}}')


def test_a_record_that_shares_no_word_with_the_claim_is_still_read(submit: Callable[..., Submission]) -> None:
    fast = Says(0.2)
    report = GroundingCheck(fast=fast).run(submit("Takeout is available [S1].", [SHOP]))
    assert fast.asked[0].evidence == ("attributes restaurants take out: yes",)
    assert report.findings == ()


def test_what_only_a_field_supports_is_never_proven(submit: Callable[..., Submission]) -> None:
    report = GroundingCheck(fast=Says(0.001)).run(submit("Takeout is available [S1].", [SHOP]))
    assert report.proofs == ()
