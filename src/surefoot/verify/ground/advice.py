"""Advice about the matter: what it tells its reader to do, or to leave, may cost them.

A grounder that says 'this claims nothing' knows the form of a sentence and not what follows from it: `Stop taking
aspirin.` reads as `Stay calm.` does. So an instruction passes as plain advice only where what it tells to do is
ordinary care: to ask, to check, to keep a copy. Everything else must stand in the sources.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from surefoot.core.text import STOPWORDS, without_markers
from surefoot.core.types import Claim
from surefoot.verify.read.alignment import stem
from surefoot.verify.read.ordinary import ORDINARY
from surefoot.verify.read.submission import Submission

LONGEST_CALL = 2
"""Words before a comma by which somebody is called: `Hello Thabo, …`"""


class Act(NamedTuple):
    """What a clause tells its reader to do."""

    verb: str
    """Its stem."""
    denied: bool
    """They are told not to."""
    rest: tuple[str, ...] = ()
    """The words that follow."""
    left: bool = False
    """It stands behind `without` or `instead of`."""


def weighty(claim: Claim, submission: Submission) -> bool:
    """Whether a sentence tells its reader to do, or to leave, what is more than ordinary care."""
    return any(_is_weighty(act, submission) for act in acts(submission.line(claim).sentence.text))


def _is_weighty(act: Act, submission: Submission) -> bool:
    if act.denied:
        return act.verb not in _NEEDLESS | _LEAVING
    if act.verb in _CAREFUL:
        return False
    said = {stem(word) for word in act.rest if word not in STOPWORDS and not word.endswith("ly")}
    return act.verb not in _HARMLESS or not all(map(submission.knows, said - _ADVISED))


def acts(text: str) -> Iterator[Act]:
    """What a sentence tells its reader to do and not to do; nothing where it tells them nothing.

    >>> [(act.verb, act.denied) for act in acts("If you are unsure, don't sign it.")]
    [('sign', True)]
    """
    plain = _MARKUP.sub(" ", without_markers(text)).replace("’", "'").lower().strip()
    plain, proposes = _PROPOSES.subn("you should ", plain)
    if "?" in plain and not proposes:
        plain = "".join(part for part in _PARTS.findall(plain) if "?" not in part).strip()
    ended = plain.endswith((".", "!", "?")) or _BULLET.match(text) is not None
    parts = ["", *_JOINS.split(_SUBORDINATE.sub(" ", plain))]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    clauses = [(join.strip(), clause.strip()) for join, clause in pairs if clause.strip()]
    denied = False
    for number, (join, clause) in enumerate(clauses):
        opens = not number or (number == 1 and len(clauses[0][1].split()) <= LONGEST_CALL)
        act = _act(clause, alone=ended and opens, denied=denied and join == "or")
        denied = act is not None and act.denied
        if act is not None:
            yield act
            yield from (Act(_verb(left), True, left=True) for left in _LEFT_OUT.findall(clause))


def _act(clause: str, *, alone: bool, denied: bool) -> Act | None:
    """`alone`: what stands first is the sentence's verb or its subject. `denied`: what stands before it and `or` is."""
    framed = ordered = False
    at = 0
    while lead := _LEAD.match(clause, at):
        framed, ordered = framed or bool(lead["frame"]), ordered or bool(lead["denying"])
        denied, at = denied ^ bool(lead["denying"]), lead.end()
    first, *rest = _WORD.findall(clause, at) or [""]
    verb, following = _verb(first), rest[0] if rest else ""
    if not first or first in STOPWORDS or (following in _FINITE and not framed):
        return None
    if not at and first not in _BARE and first.endswith("ing") and not _FINITE.isdisjoint(rest):
        return None  # `Forcing the doors is forbidden`
    takes = following in _OBJECTS
    if verb in _VERBS:
        told = framed or ordered or takes or verb in _LEAVING
        told = told or (alone and first in _BARE and not following.endswith("ing"))
    else:
        takes = takes or (alone and following in _ASIDE and len(rest) > 1)
        new = first not in ORDINARY or (following in ("your", "yourself") and first not in _PREPOSITIONS)
        told = (takes or denied) and not framed and new and _NO_VERB.search(first) is None
    return Act(verb, denied, tuple(rest)) if told else None


def _verb(word: str) -> str:
    """The stem by which the lists have it: `take` for `taking`, `use` for `using`."""
    bare = word.removesuffix("ing")
    return next((form for form in (stem(word), bare, f"{bare}e") if form in _VERBS), stem(word))


def _stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


def _listed(file: str) -> list[str]:
    return Path(__file__).with_name(file).read_text("utf-8").split()


_CAREFUL = _stems(
    "ask begin call check compare confirm congratulate consult contact count discuss email enjoy enquire find greet "
    "hug inquire keep learn listen look pack phone read refer reread rest review ring see speak start talk telephone "
    "thank think verify visit watch welcome wish".split()
)
"""To inform oneself, to be kind, to keep and to pack: it harms nobody, whatever it is about."""
_HARMLESS = _stems(
    "accompany add agree aim allow answer apply arrange arrive attach attend avoid bake bear believe book breathe "
    "bring brush budget build buy carry cheer choose clean clear click climb close collect come complete consider "
    "cook cover cycle dance decide describe dig discover draw dream dress drink drive dry earn eat enclose enrol "
    "ensure enter exercise expect explain explore fasten feed feel fill finish fix fly focus follow gather get give "
    "go grow hand handle hang happen have hear help hold hope hurry imagine improve inspect introduce invite join jot "
    "jump knit knock know label laugh lean leave let lift live load log love make manage mark measure meet mend "
    "mention mind mix move name note notice offer open order paint pass pay photograph pick picture plan plant play "
    "polish post practise prepare print protect pull put quote raise reach record reflect register relax remember "
    "remind renew repeat reply report request restart return ride rinse rise roll row run save say scan schedule "
    "scroll search select send separate set settle sew shake share show shut sing sit skate ski sleep slow smile sort "
    "sow spend stand stay step stick stir store stretch study submit sum swim switch take taste tell test tidy tie "
    "touch train travel treat trust try tune turn unpack upload use wait walk warm wash water wave wear weigh wipe "
    "work worry wrap write".split()
)
"""To do these is ordinary where their objects are."""
_LEAVING = _stems(
    "abandon cheat conceal damage defy delete destroy discard disregard evade forge hide ignore lie neglect overlook "
    "quit refuse risk skip steal stop throw waste".split()
)
"""Told to do these, the reader leaves what they do or owe; told not to, they go on with it."""
_NEEDLESS = _stems(
    "apologise assume blame bring buy decide delay despair doubt expect fear feel forget fret get give guess hesitate "
    "hurry lean leave let litter lose mind miss overdo panic postpone push put rush share skimp smoke speed stress "
    "touch underestimate wait worry".split()
)
"""What anybody may be told not to do."""
_BARE = frozenset(_listed("verbs.txt"))
"""Verbs: what follows `must`, `can`, `do not` or `please` in the written rows."""
_VERBS = _stems(_BARE) | _CAREFUL | _HARMLESS | _LEAVING | _NEEDLESS
_ADVISED = _stems(_listed("advised.txt")) - _stems(
    "alcohol beer burning cash diesel dose drug fire gun husband knife loan medicine medication money petrol pill rope "
    "sharp tablet wife wine".split()
)
"""Words of the sentences in the written rows that claim nothing, each met in several contexts. Both files are made by
`python -m training.vocabulary`."""
_OBJECTS = frozenset(
    "a all an any every everybody everyone everything her him his it its me my our that the their them these this "
    "those us whatever whoever your yourself".split()
)
_ASIDE = frozenset("away from in into off on out up".split())
_PREPOSITIONS = frozenset(
    "across against along around behind beside beyond despite given good great happy inside like near nice outside "
    "since sorry towards unlike until upon within without".split()
)
_FINITE = frozenset("is are was were has had can could will would must may might should does did isn't aren't".split())
"""Before them stands no verb, but what is spoken of: `Water is precious.`"""
_DENYING = "|".join(
    (
        r"(?:it is |it's |it (?:would|might|may) be )?(?:try |remember |careful |best |better |safer |wise )?not to",
        r"(?:you )?(?:(?:do not|don't) (?:have|need) to|need not|needn't)|no need to|under no circumstances",
        r"do not|don't|never|no longer|not|(?:avoid|stop)(?= [\w-]+ing\b)",
    )
)
_FRAME = "|".join(
    (
        r"(?:you|we) (?:should|must|can|could|may|might|shall|will)(?: (?:want|like|wish|need|have|try) to)?",
        r"(?:you|we) (?:need|have|ought) to|(?:you|we)(?:'d| had) (?:better|best)|i(?:'d| would)(?: rather)?",
        r"(?:i|we)(?:'d| would)? (?:recommend|suggest|advise|urge)(?: (?:that )?you)?(?: to)?",
        r"(?:it is|it's|it (?:would|might|may|could) be|that is|that's) (?:often |usually |always )?"
        r"(?:(?:a good idea|best|better|good|wise|sensible|advisable|safe|safer|time|fine|okay|ok|easiest) )?"
        r"(?:to|worth)",
        r"(?:best|better|time|wise|good|safe|fine|okay|ok|try|remember|plan|aim|start|begin|continue|need) to|worth",
        r"feel free to|(?:be|make) sure(?: that)?(?: you| to)|let's|go ahead and",
        r"(?:try|consider|start|begin|keep|continue|think about)(?= (?:not )?[\w-]+ing\b)",
    )
)
_PLAIN = (
    "please|just|only|then|so|and|now|also|always|do|first|but|or|simply|instead|hi|hello|hey|dear|ok|okay|well|sure|rather"
    "|better still|stop (?:at|by|here|in|off|there)|in (?:any|that|this) case"
)
_LEAD = re.compile(rf"(?:(?P<denying>{_DENYING})|(?P<frame>{_FRAME})|{_PLAIN})(?![\w'])[ ,:!]*")
"""What may stand before the verb of an instruction."""
_PROPOSES = re.compile(r"\A(?:(?:so|and|but|then),? )?(?:why not|why don't you|how about|what about)\b")
_SUBORDINATE = re.compile(
    r"(?<![\w'])(?:if|when|whenever|while|before|after|until|unless|because|since|whether|so that|as soon as|as long as"
    r"|who|what|how|where|why|which)\b[^,;:.!]*"
)
_NO_VERB = re.compile(r"'|(?:s|ed|ing|ly)\Z")
_PARTS = re.compile(r"[^.!?]+[.!?]*")
_JOINS = re.compile(r"([,;:.!?–—]+\s*|\s-\s|\s(?:and|or|but|then)\s)")
_LEFT_OUT = re.compile(r"\b(?:without|instead of|rather than) (\w+ing)\b")
_MARKUP = re.compile(r"[*_#`>•]+|(?i:double)-(?=check)|^\s*(?:[-–]|\d+[.)])\s+")
_BULLET = re.compile(r"\s*(?:[-*•–]|\d+[.)])\s")
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
