"""Proper names that stand in no source: who or what they are was made up, or comes from elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass

from surefoot.core.spans import Spans
from surefoot.core.taxonomy import issue_of
from surefoot.core.text import fold
from surefoot.core.types import CheckReport, Claim, Finding
from surefoot.packs.names import mentions
from surefoot.verify.read.names import Name, each_of, initials, names, written
from surefoot.verify.read.reading import quoted_line, stems_in
from surefoot.verify.read.submission import Submission

_GREETED = re.compile(
    r"\s*(?:(?:Dear|Hi|Hello|Hey|Good (?:morning|afternoon|evening|day|luck)),? (?:\w+\.? )?[A-Z][\w'’-]+[,!.:]?"
    r"|[A-Z][a-z]+ [A-Z][\w'’-]+[,!])\Z"
)
"""`Dear Ms Botha,`, `Good luck, Zanele!`, `Molo Zanele!`"""
_FAREWELL = (
    r"(?:adieu|again|all|always|am|and|as|best|bye|care|cheerio|cheers|ciao|cordially|day|dear|ever|evening|everything|"
    r"faithfully|farewell|fond|for|forward|friday|from|good|goodbye|great|greetings|have|hearing|help|hope|hoping|i|in|"
    r"interest|keep|kind|kindest|kindly|later|lovely|luck|many|meeting|message|monday|morning|most|much|nice|night|now|"
    r"patience|regards|respectfully|safe|see|seeing|sincerely|so|soon|speak|speaking|stay|take|talk|thank|thanking|"
    r"thanks|the|then|till|time|to|tomorrow|truly|understanding|until|very|visit|warm|warmest|warmly|we|week|weekend|"
    r"welcoming|well|wish|wishes|wishing|with|you|your|yours|next|looking)"
)
_NAMED = (
    r"(?:[A-Z][\w'’.-]*|(?:all|and|at|bin|da|de|del|den|der|desk|di|du|el|en|everyone|family|from|for|la|le|of|office|"
    r"our|reception|staff|team|the|van|von|y|your)\b)"
)
_WHOLE = "".join(
    rf"(?<!{end})" for end in "am and as for have in ing see so thank the then till to until wish with".split()
)
"""It does not go on with the name: `Thank you for meeting` does."""
_SIGNED = re.compile(
    rf"\s*(?i:{_FAREWELL}(?:,? {_FAREWELL}){{0,7}}){_WHOLE} ?[,.!…–-]*[ \t]*"
    rf"(?:\n\s*{_NAMED}(?:,? (?:& )?{_NAMED}){{0,5}},?[ \t]*){{1,3}}"
)
"""A farewell, a line of its words alone, over one to three lines of a name: `See you soon,` over `The Lund family`.
What a line of other words says is read: `The owner is` over a name."""
SOURCE_WORDS = frozenset({"passag", "sourc", "document", "excerpt", "step", "chunk", "referenc"})


@dataclass(frozen=True)
class NameCheck:
    name: str = "names"
    version: str = "5"

    def run(self, submission: Submission) -> CheckReport:
        findings = [
            _finding(claim, name)
            for claim in submission.claims
            if claim.factual and quoted_line(claim.text, submission.evidence_for(claim)) is None
            for name in strange_names(claim, submission)[:1]
        ]
        return CheckReport(name=self.name, version=self.version, findings=tuple(findings))


def strange_names(claim: Claim, submission: Submission) -> list[Name]:
    """The names of a claim that neither the sources nor what the person told hold; those of registries are the entity
    check's affair."""
    line = submission.line(claim)
    text = line.sentence.text
    amounts = Spans(value.span for value in line.values if value.kind != "token")
    found = []
    for name in names(text):
        stems = stems_in(" ".join(name.words))
        if not name.sure or amounts.overlap((name.start, name.end)) or SOURCE_WORDS.issuperset(stems):
            continue
        if all(_is_known(one, submission) for one in each_of(name)):
            continue
        if text[: name.start].lower().endswith("your ") or _GREETED.match(text[: name.end + 1]):
            continue  # the person's own, and the person: `your Life Orientation teacher`, `Dear Zanele,`
        if _SIGNED.fullmatch(text[: name.end]):
            continue
        if not _registered(claim, name, submission):
            found.append(name)
    return found


def _is_known(name: Name, submission: Submission) -> bool:
    known = all(map(submission.knows, stems_in(" ".join(name.words))))
    return known or written(name.words, submission.passages) or _spelled_out(name, submission)


def _spelled_out(name: Name, submission: Submission) -> bool:
    """An abbreviation whose letters start the words of a name in the sources, or one the question uses."""
    if submission.question and fold(name.text) in fold(submission.question):
        return True
    letters = name.text.replace("’", "'").removesuffix("'s").replace(".", "").rstrip("s")
    if not (len(name.words) == 1 and letters.isupper() and len(letters) > 1):
        return False
    return any(letters.lower() in initials(passage.text) for passage in submission.passages)


def _registered(claim: Claim, name: Name, submission: Submission) -> bool:
    if not submission.pack.entities:
        return False
    start, end = claim.span[0] + name.start, claim.span[0] + name.end
    return any(start < one.span[1] and one.span[0] < end for one in mentions(submission.pack, submission.draft))


def _finding(claim: Claim, name: Name) -> Finding:
    span = (claim.span[0] + name.start, claim.span[0] + name.end)
    return Finding(issue=issue_of("unknown_entity", span, name.text, f"{name.text!r} is in no source"))
