"""What code sees and is not sure of: it moves the grounder's risk and never decides alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

from surefoot.core.case import CASE
from surefoot.core.differences import comes_out
from surefoot.core.types import Claim
from surefoot.verify.ground.borrowed import borrowed
from surefoot.verify.ground.counted import counted
from surefoot.verify.ground.retold import retells
from surefoot.verify.ground.turned import turned
from surefoot.verify.ground.untold import untold
from surefoot.verify.ground.weighing import concludes, outcome, outside_limit
from surefoot.verify.ground.wording import exchanged, shortened
from surefoot.verify.read.reading import denials
from surefoot.verify.read.submission import Submission

DENIED = 2.0
"""Log-odds where every sentence of the evidence with the claim's words has a 'not' more or less."""
RESTATED = 0.01
"""The risk at most of a sentence whose every clause is one of its sources', word for word: of 4,000 wrong sentences
about cases none was such a one, of 6,800 right ones 163 were."""
COMES_OUT, FAILS = 4.0, 2.5
"""Log-odds where the claim sets a value of the person against one of a source, and the comparison comes out (27 of 27
such written rows are right) or does not (7 of 10 are wrong), or a person is granted what their value is outside of."""
CONCLUDED = 0.7
"""Log-odds where such a comparison comes out and the sentence goes on from there, or a difference of two values of the
account does: half of it is shown."""
COUNTED = 1.5
"""Log-odds where the day a sentence names is the one that code counts from the account by the rule's time."""
UNTOLD = 2.5
"""Log-odds where a clause tells of a deed in the rule's words and the account has none of it."""
BORROWED = 2.5
"""Log-odds where the value is another sentence's, and those with the claim's words give another: 86 % are wrong."""
EXCHANGED = 3.5
"""Log-odds where the claim is a source's sentence with one name or thing put for another, or `over` for `under`: of the
written rows that are, 97 % are false."""
SHORTENED = 1.5
"""Log-odds where the claim is the beginning of a source's sentence and what follows there takes nothing back: of 525
written rows that begin so 519 are right, and what follows the six others tells that."""
SHARPNESS = 2.0
"""How much the worst claim outweighs the others in an answer's score."""


def moved(risk: float, claim: Claim, submission: Submission) -> float:
    """The risk with the signals laid beside it."""
    if retells(claim, submission):
        return min(risk, RESTATED)
    weighed = outcome(claim, submission)
    if weighed is not None:
        return chance(log_odds(risk) + (-COMES_OUT if weighed else FAILS))
    if concludes(claim, submission):
        return chance(log_odds(risk) - CONCLUDED)
    if submission.case is not None and claim.cited == (CASE,):
        comes = comes_out(submission.case, submission.line(claim).sentence.text)
        if comes is not None:
            return chance(log_odds(risk) + (-CONCLUDED if comes else FAILS))
    if outside_limit(claim, submission):
        return chance(log_odds(risk) + FAILS)
    if counted(claim, submission):
        return chance(log_odds(risk) - COUNTED)
    if untold(claim, submission):
        return chance(log_odds(risk) + UNTOLD)
    if borrowed(claim, submission):
        return chance(log_odds(risk) + BORROWED)
    if exchanged(claim, submission) or turned(claim, submission):
        return chance(log_odds(risk) + EXCHANGED)
    if shortened(claim, submission):
        return chance(log_odds(risk) - SHORTENED)
    line = submission.line(claim)
    twins = submission.twins(claim)
    if twins and all(denials(line) % 2 != denials(twin) % 2 for _, twin in twins):
        return chance(log_odds(risk) + DENIED)
    return risk


def any_of(risks: Sequence[float]) -> float:
    """That at least one of several claims is unsupported: the worst one, and a little more for each other in doubt."""
    if not risks:
        return 0.0
    odds = [log_odds(risk) for risk in risks]
    worst = max(odds)
    return chance(worst + math.log(sum(math.exp(SHARPNESS * (each - worst)) for each in odds)) / SHARPNESS)


def chance(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-40.0, min(40.0, log_odds))))


def log_odds(chance: float) -> float:
    held = min(max(chance, 1e-6), 1.0 - 1e-6)
    return math.log(held / (1.0 - held))
