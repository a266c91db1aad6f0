"""An instruction that tells the contrary of its source: `Do not open the windows`, where one says to open them.

All its words stand there, and so a grounder believes it. Code sees what each clause tells its reader to do.
"""

from __future__ import annotations

from surefoot.core.remember import by_text
from surefoot.core.text import STOPWORDS
from surefoot.core.types import Claim
from surefoot.verify.ground.advice import Act, acts
from surefoot.verify.read.alignment import stem
from surefoot.verify.read.reading import DENYING, read
from surefoot.verify.read.submission import Submission


def contrary(claim: Claim, submission: Submission) -> bool:
    """Whether sentences of its evidence that have all words of one thing it tells tell the contrary, not to do it or to
    turn off what it turns on, and none tells the same."""
    line = submission.line(claim)
    told = _acts(line.sentence.text)
    beside = line.stems - DENYING - _LEADING - frozenset().union(*map(_words, told))
    return any(_is_contrary(act, beside, claim, submission) for act in told)


def _is_contrary(act: Act, beside: frozenset[str], claim: Claim, submission: Submission) -> bool:
    """`beside`: what the claim says outside of its instructions; a condition that the sentence lacks may turn it."""
    bound = {passage.id for passage in submission.evidence_for(claim)}
    turned = False
    for place, number in submission.aligner.holding(beside | _words(act), 1.0):
        passage = submission.passages[place]
        alike = [one for one in _acts(read(passage.text)[number].sentence.text) if one.verb == act.verb]
        if passage.id in bound and alike:
            if any(one.denied == act.denied and not _other_way(act, one) for one in alike):
                return False
            turned = True
    return turned


def _words(act: Act) -> frozenset[str]:
    return frozenset({act.verb, *(stem(word) for word in act.rest if word not in STOPWORDS)}) - _WAYS


def _other_way(act: Act, other: Act) -> bool:
    one, two = (_WAYS.intersection(each.rest[:_NEAR]) for each in (act, other))
    return len(one) == len(two) == 1 and one | two in _OPPOSITE


@by_text(4_000)
def _acts(text: str) -> tuple[Act, ...]:
    return tuple(act for act in acts(text) if not act.left)


_LEADING = frozenset(
    map(
        stem, "also always avoid continue first instead just keep never now only please really simply stop sure".split()
    )
)
"""What stands before an instruction and bounds nothing that it tells."""
_OPPOSITE = [frozenset(pair.split("/")) for pair in ("on/off", "in/out", "up/down")]
_WAYS = frozenset().union(*_OPPOSITE)
_NEAR = 4
"""Words behind the verb among which its `on` or `off` stands."""
