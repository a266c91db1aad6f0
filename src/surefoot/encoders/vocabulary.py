"""The special tokens of a tokenizer: what opens, separates and pads a sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from surefoot.core.errors import EncoderError


@dataclass(frozen=True, kw_only=True, slots=True)
class Vocabulary:
    opening: int
    separator: int
    pad: int

    @classmethod
    def of(cls, tokenizer: Any) -> Vocabulary:
        """BERT's names or those of RoBERTa and mpnet.

        mpnet's vocabulary holds both (it is BERT's with its own tokens in front), so its names are tried first.
        """
        for opening, separator, pad in (("<s>", "</s>", "<pad>"), ("[CLS]", "[SEP]", "[PAD]")):
            found = [tokenizer.token_to_id(name) for name in (opening, separator, pad)]
            if all(number is not None for number in found):
                return cls(opening=found[0], separator=found[1], pad=found[2])
        raise EncoderError("the tokenizer has neither [CLS] nor <s>; configure a model of the BERT or RoBERTa family")
