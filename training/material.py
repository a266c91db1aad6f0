"""Read the training material: JSON lines, plain or gzipped; and search it by words."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def write_rows(path: Path, rows: Iterator[dict[str, Any]] | list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", encoding="utf-8") as out:
        for row in rows:
            out.write(json.dumps(row, ensure_ascii=False) + "\n")


class Search:
    """Texts by shared words, rare ones counting more."""

    def __init__(self, texts: list[str]) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.texts = texts
        self.words = TfidfVectorizer(sublinear_tf=True, stop_words="english")
        self.table = self.words.fit_transform(texts).T.tocsr()

    def near(self, question: str, count: int) -> list[str]:
        return self.many([question], count)[0]

    def many(self, questions: list[str], count: int) -> list[list[str]]:
        found = []
        for start in range(0, len(questions), 512):
            scores = (self.words.transform(questions[start : start + 512]) @ self.table).toarray()
            for line in scores:
                best = np.argpartition(-line, count)[:count]
                found.append([self.texts[at] for at in best[np.argsort(-line[best])]])
        return found
