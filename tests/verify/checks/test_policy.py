"""Policy rules: when they fire, where, and how they would be repaired."""

from __future__ import annotations

from dataclasses import replace

import pytest
from packcase import codes, edited, findings

from surefoot.core.types import Action, IssueType, Severity
from surefoot.packs.loader import load
from surefoot.packs.schema import Fix, Pack, Rule, When
from surefoot.packs.schema import Test as Condition
from surefoot.verify.checks.policy import PolicyCheck

CHECK = PolicyCheck()
EMPTY = Pack(name="test", title="Test", version="1", hash="0")


def pack_of(**rule: object) -> Pack:
    given: dict[str, object] = {
        "id": "r",
        "title": "The rule",
        "reason": "Because.",
        "severity": Severity.HIGH,
        "action": Action.FIX,
        **rule,
    }
    return replace(EMPTY, rules=(Rule(**given),))  # type: ignore[arg-type]


def test_a_needy_learner_who_is_not_told_of_nsfas_is_an_issue_with_the_text_to_add() -> None:
    found = findings(CHECK, "Nurses study for four years.", profile={"financialNeed": True})
    assert codes(found) == ["policy:nsfas-prioritization"]
    issue = found[0].issue
    assert (issue.type, issue.severity, issue.action) == (IssueType.POLICY, Severity.HIGH, Action.FIX)
    assert found[0].edits[0].kind == "prepend"
    assert "NSFAS" in edited("Nurses study.", found[0].edits)


@pytest.mark.parametrize("need", [True, "yes", "Yes", "high", "HIGH"])
def test_the_same_tick_is_understood_however_the_form_sends_it(need: object) -> None:
    assert codes(findings(CHECK, "Nurses study.", profile={"financial_need": need}))  # type: ignore[dict-item]


@pytest.mark.parametrize("need", [False, "no", "low", None])
def test_a_learner_without_need_owes_no_mention_of_nsfas(need: object) -> None:
    assert not codes(findings(CHECK, "Nurses study.", profile={"financialNeed": need}))  # type: ignore[dict-item]


def test_nsfas_behind_another_bursary_is_moved_before_it() -> None:
    draft = "Ask for a company bursary. NSFAS pays for public study. Good luck."
    found = findings(CHECK, draft, profile={"financialNeed": True})
    assert found[0].issue.location == "bursary"
    assert edited(draft, found[0].edits) == "NSFAS pays for public study. Ask for a company bursary. Good luck."


def test_list_items_trade_places_so_that_their_numbers_stay() -> None:
    draft = "1. A bank gives student loans.\n2. NSFAS pays for public study.\n"
    found = findings(CHECK, draft, profile={"financialNeed": True})
    assert edited(draft, found[0].edits) == "1. NSFAS pays for public study.\n2. A bank gives student loans.\n"


def test_one_sentence_that_names_both_ranks_neither() -> None:
    draft = "A bursary and NSFAS both help."
    assert not findings(CHECK, draft, profile={"financialNeed": True})


def test_a_rule_that_rejects_fires_on_the_question_alone_and_carries_its_message() -> None:
    found = findings(CHECK, "Nurses study.", question="I want to kill myself")
    assert codes(found) == ["policy:dangerous-queries"]
    assert found[0].issue.action is Action.REJECT
    assert "116" in (found[0].issue.correction or "")
    assert not found[0].edits


def test_curly_quotes_and_invisible_characters_do_not_hide_a_question() -> None:
    assert codes(findings(CHECK, "x", question="I don’t want to be alive"))
    assert codes(findings(CHECK, "x", question="I want to ki\u200bll my\u00adself"))


def test_the_span_is_that_of_the_original_text_where_invisible_characters_stand_before_it() -> None:
    draft = "Soft\u00adly: you don\u2019t need to check the dates."
    found = findings(CHECK, draft)
    assert codes(found) == ["policy:verification-mandate"]
    assert found[0].issue.location == "don\u2019t need to check"


def test_a_career_that_needs_mathematics_is_found_by_the_registry_not_by_its_name() -> None:
    profile = {"dislikes": ["Maths", "early mornings"]}
    found = findings(CHECK, "Pharmacists dispense medicine.", profile=profile)
    assert codes(found) == ["policy:math-hate-healthcare"]
    assert found[0].issue.location == "Pharmacists"
    assert not findings(CHECK, "Registered nurses care for patients.", profile=profile)
    assert not findings(CHECK, "Civil engineers design bridges.", profile=profile)


def test_a_forbidden_phrase_is_replaced_with_its_groups() -> None:
    draft = "The diploma is at SAQA level 6."
    found = findings(CHECK, draft)
    assert codes(found) == ["policy:saqa-terms"]
    assert edited(draft, found[0].edits) == "The diploma is at NQF level 6."


def test_a_sentence_rule_looks_at_each_sentence_on_its_own() -> None:
    draft = "A welder earns R15 000 a month. A plumber earns R20 000. Fees are paid per year."
    found = findings(CHECK, draft)
    assert [finding.issue.location for finding in found] == ["A plumber earns R20 000."]
    assert found[0].edits[0].kind == "drop"


def test_two_forbidden_words_in_one_dropped_sentence_are_one_issue() -> None:
    found = findings(CHECK, "Your GPA and your SAT score decide.")
    assert codes(found) == ["policy:foreign-terms"]


def test_a_warning_rule_offers_no_edit() -> None:
    pack = pack_of(action=Action.WARN, forbids=("bad",), fix=Fix(replace="good"))
    found = findings(CHECK, "This is bad.", pack=pack)
    assert found[0].issue.action is Action.WARN
    assert not found[0].edits


@pytest.mark.parametrize(
    ("test", "fires"),
    [
        (Condition(on="profile.grade", op="at_least", value=10), True),
        (Condition(on="profile.grade", op="at_most", value=10), False),
        (Condition(on="profile.marks.Mathematics", op="at_most", value=50), True),
        (Condition(on="profile.interests", op="contains", value=["art"]), True),
        (Condition(on="profile.interests", op="contains", value=["ar"]), False),
        (Condition(on="profile.province", op="is", value=["limpopo"]), True),
        (Condition(on="profile.name", op="present", value=False), True),
        (Condition(on="profile.grade", op="present", value=False), False),
        (Condition(on="question", op="present", value=False), True),
    ],
)
def test_every_operator_reads_the_profile(test: Condition, fires: bool) -> None:
    profile = {"grade": "Grade 11", "marks": {"Mathematics": 45}, "interests": ["Art", "music"], "province": "Limpopo"}
    pack = pack_of(when=When(all_of=(test,)), requires=(("never there",),))
    assert bool(findings(CHECK, "Text.", pack=pack, profile=profile)) is fires


def test_none_of_holds_a_rule_back() -> None:
    when = When(none_of=(Condition(on="draft", op="matches", value=["safe"]),))
    pack = pack_of(when=when, forbids=("bad",))
    assert findings(CHECK, "bad", pack=pack)
    assert not findings(CHECK, "bad but safe", pack=pack)


def test_every_shipped_fix_settles_its_own_rule() -> None:
    for name in ("thandi", "judge"):
        for rule in load(name).rules:
            text = (rule.fix.append or rule.fix.prepend) if rule.fix else None
            if text:
                pack = pack_of(requires=rule.requires, forbids=rule.forbids)
                assert not findings(CHECK, text, pack=pack), rule.id
