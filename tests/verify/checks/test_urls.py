from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from surefoot.core.types import Passage
from surefoot.packs.loader import load
from surefoot.verify.checks.urls import UrlCheck, urls_of
from surefoot.verify.read.submission import Submission

Submit = Callable[..., Submission]
SOURCE = (
    Passage(
        id="S1",
        text="Apply at https://www.nsfas.org.za/content/apply before closing. Mail help@nsfas.org.za.",
        metadata={"url": "https://example.org/page"},
    ),
)


def flagged(submit: Submit, draft: str, allowed: tuple[str, ...] = ()) -> list[str]:
    pack = replace(load("default"), allowed_urls=allowed)
    return [finding.issue.location for finding in UrlCheck().run(submit(draft, SOURCE, using=pack)).findings]


@pytest.mark.parametrize(
    "draft",
    [
        "See https://www.nsfas.org.za/content/apply.",
        "See http://nsfas.org.za/content/apply/",
        "See (https://www.nsfas.org.za/content/apply).",
        "Mail help@nsfas.org.za!",
        "See https://example.org/page",
        "No address here, e.g. none.",
    ],
)
def test_an_address_of_the_sources_is_fine(submit: Submit, draft: str) -> None:
    assert flagged(submit, draft) == []


@pytest.mark.parametrize(
    ("draft", "url"),
    [
        ("See https://www.nsfas.org.za/content/apply-now.", "https://www.nsfas.org.za/content/apply-now"),
        ("See https://nsfas.org.za.evil.com/content/apply", "https://nsfas.org.za.evil.com/content/apply"),
        ("See www.nsfas-help.co.za today", "www.nsfas-help.co.za"),
        ("Mail me@nsfas.org.za", "me@nsfas.org.za"),
        ("See nsfas.com", "nsfas.com"),
        ("See https://www.nsfas.org.za/content/apply?ref=9", "https://www.nsfas.org.za/content/apply?ref=9"),
    ],
)
def test_any_other_address_is_flagged(submit: Submit, draft: str, url: str) -> None:
    assert flagged(submit, draft) == [url]


def test_the_packs_list_allows_a_domain_and_what_is_under_it_and_nothing_that_looks_like_it(submit: Submit) -> None:
    allowed = ("saqa.org.za",)
    assert flagged(submit, "See https://www.saqa.org.za/nqf and pathways.saqa.org.za.", allowed) == []
    assert flagged(submit, "See https://notsaqa.org.za", allowed) == ["https://notsaqa.org.za"]
    assert flagged(submit, "See https://saqa.org.za@evil.com/x", allowed) == ["https://saqa.org.za@evil.com/x"]


def test_spans_are_exact() -> None:
    text = "Go to https://a.org/x_(y), now."
    (url, (start, end)), *rest = urls_of(text)
    assert text[start:end] == url == "https://a.org/x_(y)"
    assert rest == []
