"""The model that is trained: an encoder with a sentence head and a token head."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from training.encoder import Encoder, Shape


class Judge(nn.Module):
    """Reads `[open] claim [sep] evidence [sep]`; says whether the claim is unsupported and which of its words are.

    The re-ranker is the same model: its claim is the question, its sentence logit the relevance.
    """

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        self.encoder = Encoder(shape, dropout)
        self.sentence = nn.Linear(2 * shape.hidden, 1)
        self.token = nn.Linear(shape.hidden, 1)
        self.dropout = nn.Dropout(dropout)
        for head in (self.sentence, self.token):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, ids: Tensor, mask: Tensor, claim: Tensor) -> tuple[Tensor, Tensor]:
        return self.verdict(self.dropout(self.encoder(ids, mask, claim)), claim)

    def verdict(self, states: Tensor, claim: Tensor) -> tuple[Tensor, Tensor]:
        """The sentence's logit and each token's, of the encoder's last states."""
        share = claim.to(states.dtype)[..., None]
        mean = (states * share).sum(1) / share.sum(1).clamp(min=1)
        return self.sentence(torch.cat([states[:, 0], mean], 1))[:, 0], self.token(states)[..., 0]
