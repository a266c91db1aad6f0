"""What a grounder reads: the passages with their metadata in front, and for sentences about the person what they told.

A grounder reads some thirteen hundred tokens well. Of longer sources it gets the sentences nearest to the draft's
claims, by words and, where there is an embedder, by meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from surefoot.core.case import is_case, retold
from surefoot.core.evidence import EvidencePool, estimate_tokens, source_sentences
from surefoot.core.ports import Embedder
from surefoot.core.told import told
from surefoot.core.types import Claim
from surefoot.verify.read.evidence import written
from surefoot.verify.read.submission import Submission, own_account

ROOM = 1300
"""Tokens of all sources together."""
ROOMS_THOROUGH = (2600, 500)
"""The same for the thorough grounder: whole sources, which read the same in every round of mending, so they are read
once; and where there is no time for that, as much of them as the accurate one takes in."""
LEAST_ROOM = 160
"""Tokens of evidence that one claim gets, however many there are."""
MOST_EMBEDDED = 120
"""Sentences whose meaning is compared; of more, those nearest by words."""
YOU_SAY = "What you say of your case:"
BY_MEANING = 2
"""Sentences that each claim adds by meaning."""


def sources_for(claim: Claim, submission: Submission) -> tuple[str, ...]:
    """Everything the claim may be judged by; equal for claims that cite the same and speak to the same."""
    evidence = submission.evidence_for(claim)
    reckoned = submission.reckoned_for(claim)
    passages = [
        f"{YOU_SAY} {retold(one.text)} {reckoned}".strip() if is_case(one) else written(one) for one in evidence
    ]
    if not passages and submission.case is not None:
        return ()
    account = "" if any(map(is_case, evidence)) else f"{submission.joined(claim)} {reckoned}".strip()
    if not submission.about_person(claim):
        return (*passages, f"{YOU_SAY} {retold(account)}") if account else tuple(passages)
    account = account or " ".join(own_account(submission.question))
    return (*passages, *filter(None, (told(submission.profile), account and f"The person says: {account}")))


def fitted(
    sources: Sequence[str], claims: Sequence[str], embedder: Embedder | None, *, room: int = ROOM
) -> tuple[str, ...]:
    """The sources as they are, or what the claims need of them."""
    if sum(map(estimate_tokens, sources)) <= room:
        return tuple(sources)
    cut = [(number, sentence) for number, source in enumerate(sources) for sentence in source_sentences(source)]
    texts = [sentence for _, sentence in cut]
    wanted = _wanted(texts, claims, embedder, room)
    chosen: set[int] = set()
    for at in wanted:
        cost = estimate_tokens(texts[at])
        if at not in chosen and cost <= room:
            chosen.add(at)
            room -= cost
    kept: dict[int, list[str]] = {}
    for at in sorted(chosen):
        kept.setdefault(cut[at][0], []).append(texts[at])
    return tuple(" ".join(lines) for lines in kept.values())


def _wanted(texts: Sequence[str], claims: Sequence[str], embedder: Embedder | None, room: int) -> list[int]:
    """Numbers of the sentences to keep, the most wanted of each claim first."""
    pool = EvidencePool(texts)
    share = max(LEAST_ROOM, room // max(1, len(claims)))
    by_words = [list(pool.select(claim, tokens=share)) for claim in claims]
    by_meaning = _by_meaning(texts, claims, by_words, embedder)
    rows = [[*meant, *held] for meant, held in zip(by_meaning, by_words, strict=True)]
    longest = max(map(len, rows), default=0)
    return [row[rank] for rank in range(longest) for row in rows if rank < len(row)]


def _by_meaning(
    texts: Sequence[str], claims: Sequence[str], by_words: Sequence[Sequence[int]], embedder: Embedder | None
) -> list[list[int]]:
    if embedder is None or not claims:
        return [[] for _ in claims]
    near = sorted({at for row in by_words for at in row} | set(range(min(len(texts), MOST_EMBEDDED))))[:MOST_EMBEDDED]
    vectors = embedder.embed([*claims, *(texts[at] for at in near)])
    likeness = np.asarray(vectors[: len(claims)] @ vectors[len(claims) :].T)
    return [[near[at] for at in np.argsort(-row, kind="stable")[:BY_MEANING]] for row in likeness]
