"""The form of an answer: required sections, mandatory warnings, how dates and amounts are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import date

from surefoot.core.taxonomy import issue_of
from surefoot.core.text import squash
from surefoot.core.types import Action, CheckReport, Edit, Finding, Issue, Severity
from surefoot.verify.checks.conditions import Facts, holds
from surefoot.verify.read.submission import Submission


@dataclass(frozen=True)
class StructureCheck:
    name: str = "structure"
    version: str = "1"

    def run(self, submission: Submission) -> CheckReport:
        facts = Facts(submission)
        findings = [*_parts(facts), *_dates(submission), *_amounts(submission), *_rands(submission)]
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def _parts(facts: Facts) -> Iterator[Finding]:
    for section in facts.pack.sections:
        if holds(section.when, facts) and not facts.draft.matches(section.patterns):
            yield _absent(facts, "section_missing", f"the section {section.id!r} is missing", section.text)
    for warning in facts.pack.warnings:
        if not holds(warning.when, facts) or facts.draft.matches(warning.patterns):
            continue
        if squash(warning.text) not in squash(facts.draft.original):
            yield _absent(facts, "warning_missing", f"the warning {warning.id!r} is missing", warning.text)


def _absent(facts: Facts, code: str, problem: str, text: str | None) -> Finding:
    """What is missing has its place where it would be added: behind the last word."""
    end = len(facts.draft.original.rstrip())
    edits = (Edit(span=(end, end), replacement=f"\n\n{text}" if end else text, kind="append"),) if text else ()
    return Finding(issue=issue_of(code, (end, end), "", problem, correction=text), edits=edits)


def _dates(submission: Submission) -> Iterator[Finding]:
    wanted = submission.pack.date_format
    if wanted is None:
        return
    blocked = [match.span() for match in _URL.finditer(submission.draft)]
    for style, pattern in _DATES.items():
        if style == wanted:
            continue
        for match in pattern.finditer(submission.draft):
            day = _read_date(match)
            if day is None or any(start <= match.start() < end for start, end in blocked):
                continue
            text = _WRITE[wanted](day)
            problem = f"the date is not written {wanted}"
            issue = issue_of("date_format", match.span(), match.group(), problem, correction=text)
            ambiguous = style == "DD/MM/YYYY" and day.day <= 12 and day.day != day.month
            yield Finding(issue=issue) if ambiguous else _rewritten(issue, text)


def _amounts(submission: Submission) -> Iterator[Finding]:
    """An amount in a foreign currency has no repair: its worth at home would be invented."""
    wanted = submission.pack.currency
    if wanted is None:
        return
    for code, pattern in _CURRENCIES.items():
        if code == wanted:
            continue
        for match in pattern.finditer(submission.draft):
            problem = f"the amount is not in {wanted}"
            yield Finding(issue=issue_of("currency_format", match.span(), match.group(), problem))


def _rands(submission: Submission) -> Iterator[Finding]:
    """`ZAR 25 000` and `R25k` as `R25 000`: the same amount as readers here write it."""
    if submission.pack.currency != "ZAR":
        return
    for match in _RAND_FORMS.finditer(submission.draft):
        amount = int(re.sub(r"\D", "", match.group("amount") or match.group("short")))
        amount *= 1000 if match.group("thousand") or match.group("short") else 1
        text = f"R{amount:,}".replace(",", " ")
        problem = "the amount is not written with R and spaces"
        issue = issue_of("currency_format", match.span(), match.group(), problem, correction=text)
        yield _rewritten(issue, text)


def _rewritten(issue: Issue, text: str) -> Finding:
    """A form that is put right, and says nothing against the draft."""
    edit = Edit(span=issue.span, replacement=text, kind="replace")
    return Finding(issue=replace(issue, severity=Severity.LOW, action=Action.FIX), edits=(edit,))


def _read_date(match: re.Match[str]) -> date | None:
    parts = match.groupdict()
    month = parts["month"]
    number = int(month) if month.isdigit() else _MONTHS.index(month[:3].lower()) + 1
    try:
        return date(int(parts["year"]), number, int(parts["day"]))
    except ValueError:
        return None


_NAMES = "January February March April May June July August September October November December".split()
_MONTHS = [name[:3].lower() for name in _NAMES]
_MONTH = r"(?P<month>" + "|".join([*_NAMES, *(name[:3] for name in _NAMES), "Sept"]) + r")\b\.?"
_YEAR = r",? (?P<year>(?:19|20)\d\d)\b"
_DATES = {
    "YYYY-MM-DD": re.compile(r"\b(?P<year>(?:19|20)\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b"),
    "DD/MM/YYYY": re.compile(r"\b(?P<day>\d{1,2})[/.](?P<month>\d{1,2})[/.](?P<year>(?:19|20)\d\d)\b"),
    "MMMM D, YYYY": re.compile(
        _MONTH + r" (?P<day>\d{1,2})(?:st|nd|rd|th)?,? (?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
    ),
    "D MMMM YYYY": re.compile(r"\b(?P<day>\d{1,2})(?:st|nd|rd|th)?(?: of)? " + _MONTH + _YEAR, re.IGNORECASE),
}
_WRITE: dict[str, Callable[[date], str]] = {
    "YYYY-MM-DD": date.isoformat,
    "DD/MM/YYYY": lambda day: f"{day.day:02}/{day.month:02}/{day.year}",
    "MMMM D, YYYY": lambda day: f"{_NAMES[day.month - 1]} {day.day}, {day.year}",
    "D MMMM YYYY": lambda day: f"{day.day} {_NAMES[day.month - 1]} {day.year}",
}
_AMOUNT = r"\d{1,3}(?:[ ,.\u00a0]\d{3})*(?:\.\d+)?\d*(?:\s?(?:k|m|million|billion|thousand))?\b"
_CURRENCIES = {
    "USD": re.compile(rf"(?:US\s?\$|\$|\bUSD\s?)\s?{_AMOUNT}|\b{_AMOUNT}\s?(?:US )?(?:dollars?|USD)\b", re.IGNORECASE),
    "EUR": re.compile(rf"(?:€|\bEUR\s?)\s?{_AMOUNT}|\b{_AMOUNT}\s?(?:euros?|EUR|€)", re.IGNORECASE),
    "GBP": re.compile(rf"(?:£|\bGBP\s?)\s?{_AMOUNT}|\b{_AMOUNT}\s?(?:pounds sterling|GBP)", re.IGNORECASE),
    "ZAR": re.compile(rf"\b(?:R|ZAR)\s?{_AMOUNT}|\b{_AMOUNT}\s?(?:[Rr]ands?|ZAR)\b"),
}
_RAND_FORMS = re.compile(
    r"\bZAR\s?(?P<amount>\d{1,3}(?:[ ,\u00a0]\d{3})+|\d+)(?![\d.,]*\d)(?P<thousand>\s?k\b)?"
    r"|\bR\s?(?P<short>\d{1,3})\s?k\b",
    re.IGNORECASE,
)
_URL = re.compile(r"https?://\S+")
