"""Stage-1 outcomes by content hash: the same draft over the same sources is not examined twice."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from threading import Lock

from surefoot.verify.read.submission import Submission
from surefoot.verify.work.stages import Outcome


class Memory:
    """Stage-1 outcomes by content hash, the last few hundred of them."""

    def __init__(self, size: int) -> None:
        self._size, self._held, self._lock = size, OrderedDict[str, Outcome](), Lock()

    def get(self, key: str) -> Outcome | None:
        with self._lock:
            outcome = self._held.get(key)
            if outcome is not None:
                self._held.move_to_end(key)
            return outcome

    def put(self, key: str, outcome: Outcome) -> None:
        with self._lock:
            self._held[key] = outcome
            while len(self._held) > self._size:
                self._held.popitem(last=False)


def memory_key(submission: Submission) -> str:
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
    return hashlib.blake2b(whole.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
