"""A person's own account of their case: evidence for what happened, never for what the rules are."""

from __future__ import annotations

import re
from datetime import date
from itertools import pairwise

from surefoot.core.text import pieces
from surefoot.core.types import Passage
from surefoot.core.values.extract import extract
from surefoot.core.values.value import When

CASE = "case"
"""The id of the account among the sources, and what stands in its marker: `[case]`."""


def case_passage(account: str) -> Passage:
    return Passage(id=CASE, text=account, metadata={"title": _TITLE})


def is_case(passage: Passage) -> bool:
    """A caller's own passage may have the same id; then it is one like any other."""
    return passage.id == CASE and passage.metadata.get("title") == _TITLE


def tells(sentence: str) -> bool:
    """Whether a sentence says what somebody of the case did or had, and sets it against nothing."""
    told = _PERSON.search(sentence) is not None or _DID.search(sentence) is not None
    return told and not states_rule(sentence) and _COMPARES.search(_OF_AN_AGE.sub(" ", sentence)) is None


def happened(sentence: str) -> bool:
    """Whether a sentence speaks of the past, by any word that may be its verb."""
    return _PAST.search(sentence) is not None


def speaks_of_no_deed(sentence: str) -> bool:
    """Whether a sentence opens as none does that tells what somebody did, and has no past behind that: with advice
    (`Put your complaint in writing`), a condition, or what anybody may do (`Leaving it at your door is no delivery`).
    """
    opening = _NO_DEED.match(sentence)
    return opening is not None and not happened(sentence[opening.end() :])


def states_rule(sentence: str) -> bool:
    """Whether a sentence says what must, may or should be; `You say that he must pay` only tells who says so."""
    return _RULE.search(sentence) is not None and _SAID.match(sentence) is None


def happenings(account: str) -> str:
    """The account without its questions and without what the person takes for the law; of a sentence that says both,
    what happened.

    >>> happenings("The heating broke on Monday and he must pay. Is that fair?")
    'The heating broke on Monday.'
    """
    told = [sentence.text for sentence in pieces(account)]
    return " ".join(filter(None, (_happened(text) for text in told if not text.rstrip().endswith("?"))))


def reckoned(account: str) -> str:
    """What lies between two dates or two times of day, where an account names two: `From 2 May to 20 May are 18 days.`

    >>> reckoned("I wrote on 2 May. He came on 20 May.")
    'From 2 May to 20 May are 18 days.'
    >>> reckoned("I finished at 11pm and had to be back at 6am.")
    'From 11pm to 6am are 7 hours.'
    """
    return " ".join(filter(None, (_between_dates(account), _between_times(account))))


def _between_dates(account: str) -> str:
    named = {value.when: value for value in extract(account) if value.kind == "date" and None not in value.when[1:]}
    if len(named) != 2:
        return ""
    first, second = sorted(named.values(), key=lambda value: value.start)
    days = _days(first.when, second.when)
    return f"From {first.text.rstrip('.')} to {second.text.rstrip('.')} are {days} days." if days > 1 else ""


def _between_times(account: str) -> str:
    """Where a time does not say its half of the day, the next that comes is meant: from `10.30` to `6.45`."""
    found = list(_CLOCK.finditer(account))
    pairs = [pair for pair in pairwise(found) if _TILL.fullmatch(account, pair[0].end(), pair[1].start())]
    named = pairs[0] if len(pairs) == 1 else [time for time in found if _is_time(time)]
    if len(named) != 2:
        return ""
    first, second = named
    whole = 720 if None in (first["half"], second["half"]) else 1440
    passed = (_minutes(second) - _minutes(first)) % whole
    return f"From {first.group()} to {second.group()} are {passed / 60:g} hours." if passed and not passed % 15 else ""


def _is_time(number: re.Match[str]) -> bool:
    """`6` alone may count anything, and `6.45` where nothing before it says when."""
    before, behind = number.string[: number.start()], number.string[number.end() :]
    if number["half"] is not None or number["minute"] is None:
        return number["half"] is not None
    return _WHEN.search(before) is not None and _PAID.match(behind) is None


def _minutes(time: re.Match[str]) -> int:
    afternoon = (time["half"] or "").lower() == "p"
    return (int(time["hour"]) % 12 + 12 * afternoon) * 60 + int(time["minute"] or 0)


def _days(first: When, second: When) -> int:
    """Years that are not named are one year, or the next where the second date would come before the first."""
    year = first[0] or second[0] or _ANY_YEAR
    try:
        one = date(year, first[1] or 1, first[2] or 1)
        other = date(second[0] or year, second[1] or 1, second[2] or 1)
        if other < one and second[0] is None:
            other = other.replace(year=other.year + 1)
    except ValueError:
        return 0
    return (other - one).days


def _happened(sentence: str) -> str:
    """The clauses of a sentence that state no rule; one of two words is a scrap of the clause after it."""
    if not _may_state_rule(sentence):
        return sentence
    if _OPINION.match(sentence):
        return ""
    kept = [clause for clause in _CLAUSE.split(sentence) if not _may_state_rule(clause) and len(clause.split()) > 2]
    return f"{'; '.join(clause.strip(' ,;.') for clause in kept)}." if kept else ""


def _may_state_rule(text: str) -> bool:
    return states_rule(text) or (_ANY_MAY.search(text) is not None and _SAID.match(text) is None)


def retold(sentence: str) -> str:
    """A sentence of the account as one says it to the person.

    >>> retold("I told my landlord, and I'm cold.")
    'You told your landlord, and you are cold.'
    """
    said = _BE.sub(lambda found: f"you {_TO_YOU[found.group(1).lower()]}", sentence)
    said = _FIRST.sub(lambda found: _TO_YOU[found.group().lower()], said)
    return said[:1].upper() + said[1:] if sentence[:1].isupper() else said


_CLOCK = re.compile(
    r"(?<![\w.:,£$€])(?P<hour>1[0-2]|0?[1-9])(?:[.:](?P<minute>[0-5]\d))?(?: ?(?P<half>[ap])\.?m\b)?(?![.:,]?\d|\w|%)",
    re.IGNORECASE,
)
_TILL = re.compile(r"\.? (?:till?|until) ", re.IGNORECASE)
_WHEN = re.compile(r"\b(?:at|by|from|to|till?|until|before|after|since|about|around) $", re.IGNORECASE)
_PAID = re.compile(r" (?:an?|per|pounds?|euros?|dollars?|quid)\b", re.IGNORECASE)
_ANY_YEAR = 2023
"""One that is no leap year."""
_CLAUSE = re.compile(
    r"[,;:]?\s+(?:and|but|so|because|although|while)\s+(?=(?:I|we|he|she|it|they|my|our|his|her|their|its|the|an?|this"
    r"|that|there|nobody|nothing)\b)|[;:]\s+|,\s+(?=(?:I|we|he|she|it|they)\b)",
    re.IGNORECASE,
)
"""Where a clause with a subject of its own begins: `the landlord and I must` has one."""
_OPINION = re.compile(r"\s*(?:I|we) (?:think|believe|feel|guess|suppose|reckon)\b|\s*in (?:my|our) \w+,", re.IGNORECASE)
_TITLE = "What the person says of their case"
_TO_YOU = {
    **dict.fromkeys(("i", "me", "we", "us"), "you"),
    **dict.fromkeys(("my", "our"), "your"),
    **dict.fromkeys(("mine", "ours"), "yours"),
    **dict.fromkeys(("am", "'m", "’m"), "are"),
    "myself": "yourself",
    "ourselves": "yourselves",
    "was": "were",
}
_BE = re.compile(r"\bI ?(am|was|'m|’m)\b", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:I|me|my|mine|myself|we|us|our|ours|ourselves)\b", re.IGNORECASE)
_PERSON = re.compile(r"\byou(?:r|rs|rself|'ve|'re|'d)?\b", re.IGNORECASE)
_DID = re.compile(
    r"(?:^|[,;] |\band )\s*(?:the|your|his|her|their|both) (?:\w+ ){1,2}?(?:(?:has|have|had) (?:not )?(?:been )?\w+"
    r"|was|were|did|gave|came|told|said|paid|sent|wrote|left|took|let|put|kept|made|went|got|broke|knew|\w{2,}ed)\b",
    re.IGNORECASE,
)
_ATTRIBUTE = "".join(rf"(?<!\b{word} )" for word in "is are be get gets a an the one of no your".split())
_PAST = re.compile(
    rf"{_ATTRIBUTE}\b(?:\w{{2,}}ed|paid)\b|\b(?:was|were|had|did)(?:n't)?\b"
    r"|(?:\bha(?:s|ve)(?:n't)?\b|'ve\b)"
    r"(?! (?:an?|the|your|until|\d+|one|two|three|four|five|six|seven|eight|nine|ten)\b)"
    r"|\b(?:been|began|broke|brought|bought|came|caught|cut|fell|felt|found|gave|got|heard|hit|hurt|kept|knew|laid|led"
    r"|left|lent|let|lost|made|meant|met|put|ran|rang|read|said|sat|saw|sent|set|shut|slept|sold|spent|spoke|stole"
    r"|stood|stuck|taught|told|took|threw|thought|went|woke|won|wore|wrote)\b",
    re.IGNORECASE,
)
_NO_DEED = re.compile(
    r"\s*(?:(?:first|then|next|now|also|so|but|and|yes|no|please)[,:]? )*"
    r"(?:if|unless|once|when|whenever|where|whoever|an?|no(?= )|(?!\w*thing\b|during\b|evening\b|morning\b)[a-z]{2,}ing"
    r"|agree|apply|ask|bring|call|check|collect|complain|contact|describe|explain|file|give|hand|hold|insist|keep|leave"
    r"|let|list|make|note|offer|pay|phone|put|raise|remind|report|request|say|seek|send|set|show|speak|stay|take|talk"
    r"|tell|try|turn|use|wait|write)\b",
    re.IGNORECASE,
)
_COMPARES = re.compile(
    r"\b(?:longer|shorter|more|less|fewer|later|earlier|older|younger|beyond|over|under|above|below|within|exceed(?:s|ed)?"
    r"|because|so|although|therefore|against|short of|enough|too)\b",
    re.IGNORECASE,
)
_OF_AN_AGE = re.compile(
    r"\b(?:are|is|was|were|'re|'s) (?:still |just |already |well )?(?:under|over|above|below) (?:the age of )?\d+\b"
    r"(?! ?(?:%|[a-z]+ly\b|(?:hour|day|week|month|minute|pound|euro|dollar|mile|metre|km|kg|m)s?\b|[.:,]\d))",
    re.IGNORECASE,
)
"""`You are under 18` says how old somebody is."""
_MAY = (
    r"(?<!\bin )(?<!\bsince )(?<!\buntil )(?<!\btill )(?<!\bof )(?<!\bearly )(?<!\bmid )(?<!\blate )"
    r"(?:(?-i:may|MAY)|(?-i:May)(?= (?:not|never|only|also|be|have)\b))(?! \d)"
)
"""Not the month: it has a capital, or stands behind a word of time."""
_ANY_MAY = re.compile(r"(?<!\d )(?<!\d(?:st|nd|rd|th) )\bmay\b(?! \d)", re.IGNORECASE)
"""The month too, where no day stands beside it. With `end of May` read beside it, today's grounders release a wrong
rule of the disputes (a risk of 0.11 and not 0.13), so an account goes on without such a sentence."""
_PERMIT = r"(?<!\ba )(?<!\bthe )(?<!\bmy )(?<!\byour )permit(?:s|ted)?"
"""Not the paper."""
_RULE = re.compile(
    rf"\b(?:must(?:n't)?|should(?:n't)?|shall|ought|{_MAY}|might|can(?:not|'t)?|could(?:n't)?|needs?|ha(?:s|ve) to"
    rf"|entitle[sd]?|require[sd]?|requirements?|allow(?:s|ed)?|{_PERMIT}|forbid(?:s|den)?|prohibit(?:s|ed)?"
    r"|oblige[sd]?|obligations?|dut(?:y|ies)|rights?(?= to)|(?<!-)laws?|legal(?:ly)?|illegal(?:ly)?"
    r"|(?:un)?lawful(?:ly)?|rules?|guides?|guidance|minimum|maximum|at least|at most|limit)\b",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"\s*(?:according to you\b|as you (?:say|tell|write|describe)"
    r"|(?:you|the person|your \w+|the \w+|he|she|they) "
    r"(?:say|says|said|tell|told|write|wrote|report|claim|think|believe|feel)(?:s|ed|t)?\b)",
    re.IGNORECASE,
)
