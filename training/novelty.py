"""The word features beside the encoder: what of a claim is not in its evidence. The same rule as in the grounder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from surefoot.core.text import STOPWORDS
from training.dataset import Examples


def features(examples: Examples, rows: np.ndarray, tokenizer: Path) -> np.ndarray:
    """For each row: share of content word pieces not in the evidence, whether one holds a digit, how many there are."""
    content, digit = kinds(tokenizer)
    found = np.zeros((len(rows), 3), np.float32)
    for place, row in enumerate(rows):
        texts = [examples._slice("text", ref) for ref in examples._slice("evidence", row)]
        known = set(np.concatenate(texts).tolist()) if texts else set()
        weighty = [number for number in examples._slice("claim", row).tolist() if content[number]]
        new = [number for number in weighty if number not in known]
        found[place] = len(new) / max(1, len(weighty)), any(digit[number] for number in new), len(new)
    return found


def kinds(tokenizer: Path) -> tuple[np.ndarray, np.ndarray]:
    words = Tokenizer.from_file(str(tokenizer)).get_vocab()
    content = np.zeros(max(words.values()) + 1, bool)
    digit = np.zeros_like(content)
    for word, number in words.items():
        bare = word.removeprefix("##")
        content[number] = bare not in STOPWORDS and any(char.isalnum() for char in bare) and word[0] not in "[<"
        digit[number] = any(char.isdigit() for char in bare)
    return content, digit
