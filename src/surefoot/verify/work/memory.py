"""What stage-1 outcomes are remembered by: the same draft over the same sources is not examined twice."""

from __future__ import annotations

import hashlib

from surefoot.verify.read.submission import Submission


def memory_key(submission: Submission) -> bytes:
    """Covers everything a rule may look at; the pack also by identity, since extra rules may join it."""
    evidence, tainted = (
        [(item.id, len(item.text), item.metadata) for item in items]
        for items in (submission.passages, submission.tainted)
    )
    pack = (submission.pack.hash, id(submission.pack))
    profile, question = submission.profile, submission.question
    # never leaves the process, so Python's own notation and the fastest safe hash will do
    rest = repr((len(submission.draft), evidence, tainted, submission.order, profile, question, submission.today, pack))
    # then the long texts as they are; their lengths, said before, keep one from passing for a part of another
    texts = [item.text for item in (*submission.passages, *submission.tainted)]
    whole = "".join([f"{len(rest)} {rest}", submission.draft, *texts])
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=32).digest()
