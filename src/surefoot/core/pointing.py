"""Sentences that point at what stands before them, "Guests may use it for £5 a visit.", or bound it: "Not in May." """

from __future__ import annotations

import re

from surefoot.core.text import fold, words

_APART = frozenset(
    "and or but if when while where until before after because since as that which who once unless".split()
)
"""Words behind which another clause begins: its `it` may be something that the first one names."""
_DETERMINERS = frozenset("the a an this these those each every any no one your our my their its all some".split())

_OTHERS = re.compile(
    r"(?i)\W*(?:(?:(?:no|all|the|for|on|in|any|many|most|some) ){0,3}others?(?! than)|(?:(?:for|in) )?the rest"
    r"|(?:every|any|no)(?:thing|one|body) else) "
)
_OTHER_CASE = re.compile(
    r"(?i)\W*(?:later(?: than (?:that|this))?|otherwise|(?:after|beyond) (?:that|this|it)(?: (?:date|time|day))?|but"
    r"|if not|from then on)\b(?! (?:on|all)\b)"
)
_TURNS = re.compile(
    r"(?i)(?:in (?:fact|reality|truth)|actually|however|but|nevertheless"
    r"|(?:this|that|it) (?:is|was) (?:wrong|false|untrue|a myth|not (?:so|true|the case)))\b"
)
"""A sentence that bounds or takes back the one before it, `In fact only the front rooms have one.`"""
_EXCEPTS = re.compile(
    r"(?i)(?:(?:(?:the|an|some|one|only|other) ){0,2}(?:exceptions?|exempt|excluded)|except|unless)\b"
    r"|(?:not (?:for|in|on|with)\b|only (?!(?:if|when|after|then)\b))"
    r"|(?:it|this|that|they|these)\b(?: \w+){0,2}? (?:only|(?:(?:do|does|is|are|will|can)(?: not|n't)|cannot) "
    r"(?:apply|include|cover|count|extend|valid|open|available|allowed|possible|included|covered|for|be \w+))\b"
    r"|the (?:\w+ ){1,3}(?:do|does)(?: not|n't) (?:apply|extend)\b"
    r"|(?!(?:it|this|that|they|these|you|we|i|if|when|where|please|do|never)\b)[^.;:]{3,80}? "
    r"(?:cannot|can't|(?:may|must|does)(?: not|n't)) (?:\w+ ){1,2}(?:it|them|this)\b"
    r"|(?:for|on|in|at) (?!(?:the first|example|most)\b)[^.;:,]{3,50},? (?:the|its|their) (?:\w+ )?"
    r"(?:limit|rate|fee|price|age|amount|sum|charge|cost|rule|maximum|minimum|period|deposit|deadline|discount|notice"
    r"|threshold|allowance|share|cap|figure|dose)s? (?:is|are|rises?|falls?|applies|apply|remains?|differs?)\b"
)
"""One that excepts somebody or something from the one before it: `Exempt: the clergy.`, `This does not apply in May.`,
`Lawyers cannot use it.`, `For hotels the limit is £40,000.`"""
_EMPTY = re.compile(r"(?i)\bit (?:is|was)(?: not)? \w+ (?:to|that)\b|\bas it (?:is|was|stands|stood)\b")
"""`it is forbidden to`, `stays as it is`"""
_POINTS = re.compile(r"(?<![a-z0-9])(?:it|them)(?![a-z0-9])")


def needs_what_stands_before(text: str) -> bool:
    """Whether a sentence that stands alone leaves out, behind its first word, what it speaks of."""
    return names_no_it(text) or sets_others_apart(text)


def sets_others_apart(text: str) -> bool:
    """Whether a sentence begins with what is left when something else is taken: "Other animals stay outside.", "No
    other dogs may come in.", "Everything else is as it was."

    Of 80 such sentences in documents 73 need the one before.
    """
    return _OTHERS.match(text) is not None


def bounds_what_stands_before(text: str) -> bool:
    """Whether a sentence takes the one before it back, excepts somebody from it, or says what holds where it does not:
    "Later than that we charge £150.". Without it a rule of two cases is told by half."""
    return any(pattern.match(text) is not None for pattern in (_OTHER_CASE, _TURNS, _EXCEPTS))


def excepts(text: str) -> bool:
    """Whether a sentence excepts somebody or something from the one before it: "Exempt: the clergy."."""
    return _EXCEPTS.match(text) is not None


def names_no_it(text: str) -> bool:
    """Whether nothing before its `it` or an early `them` can be what is meant: "Do not repair it yourself.", "The
    manager signs it.", "Start them early."

    Who does something to it, at the head of the sentence, is not it either. In "it is forbidden to …" it means nothing.
    """
    if _POINTS.search(fold(text)) is None:
        return False
    text = _EMPTY.sub(" ", text)
    said = words(text)
    if "them" in said[:4]:
        return True
    if "it" not in said:
        return False
    before = said[: said.index("it")]
    apart = _APART & set(before) or "," in text.lower().partition(" it")[0]
    return not apart and not _DETERMINERS & set(before[1:])
