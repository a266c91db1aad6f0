"""A grounder that reads its sources once for all claims of a draft.

Sources lie in windows. A window's tokens look only at their own window, so their states do not hang on any claim and
are computed once. A claim's tokens look at the claim and at every window. Positions of every window start at the same
place, so the order in which windows are read does not matter.

One training row is a context with several claims. `group` tells which token belongs where: 0 is padding, windows are
1, 2, …, claims are -1, -2, ….
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from training.encoder import BUCKETS, Layer, Shape, bucket

CLASSES = 3
"""Supported, unsupported, claims nothing."""
FARTHEST = 512


@dataclass(frozen=True, kw_only=True)
class Page:
    """A batch of rows."""

    ids: Tensor
    place: Tensor
    group: Tensor
    own: Tensor
    """Tokens of the claims themselves, without what opens them and what stood before them."""
    first: Tensor
    """[claims, 2]: row and column of each claim's opening token."""
    member: Tensor
    """[tokens of claims, 3]: row, column and claim of each own token, for the mean."""


class Once(nn.Module):
    """Whether each claim is supported, unsupported or none, and which of its words are unsupported."""

    def __init__(self, shape: Shape, dropout: float = 0.1) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.hidden)
        self.places = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.relative = nn.Embedding(BUCKETS, shape.heads) if shape.kind == "mpnet" else None
        if self.relative is not None:
            self.relative.weight.requires_grad_(False)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.dropout = nn.Dropout(dropout)
        self.sentence = nn.Linear(2 * shape.hidden, CLASSES)
        self.token = nn.Linear(shape.hidden, 1)
        for head in (self.sentence, self.token):
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)

    def forward(self, page: Page) -> tuple[Tensor, Tensor]:
        """[claims, 3] and one logit for each own token, in the order of `page.member`."""
        states = self.states(page)
        return self.verdict(states, page)

    def states(self, page: Page) -> Tensor:
        places = self.places(page.place + self.shape.first_position)
        states = self.dropout(self.norm(self.words(page.ids) + places))
        bias = self.bias(page, states.dtype)
        rest = len(self.layers) if self.shape.rest is None else self.shape.rest
        resting = (page.group > 0)[..., None]
        for number, layer in enumerate(self.layers):
            moved = layer(states, bias)
            states = torch.where(resting, states, moved.to(states.dtype)) if number >= rest else moved
        return self.dropout(states)

    def bias(self, page: Page, kind: torch.dtype) -> Tensor:
        group = page.group
        sees = (group[:, :, None] == group[:, None, :]) | ((group[:, :, None] < 0) & (group[:, None, :] > 0))
        sees = sees & (group[:, None, :] != 0)
        sees = sees | torch.eye(group.shape[1], dtype=torch.bool, device=group.device)  # padding sees itself: no NaN
        bias = torch.zeros(sees.shape, dtype=kind, device=group.device).masked_fill(~sees, -10000.0)[:, None]
        if self.relative is None:
            return bias
        away = page.place[:, None, :] - page.place[:, :, None]
        table = by_distance().to(group.device)[away + FARTHEST]
        return bias + self.relative(table).permute(0, 3, 1, 2).to(kind)

    def verdict(self, states: Tensor, page: Page) -> tuple[Tensor, Tensor]:
        row, column, claim = page.member.unbind(1)
        own = states[row, column]
        count = len(page.first)
        total = torch.zeros(count, own.shape[1], dtype=own.dtype, device=own.device).index_add_(0, claim, own)
        size = torch.zeros(count, 1, dtype=own.dtype, device=own.device).index_add_(
            0, claim, torch.ones_like(own[:, :1])
        )
        opening = states[page.first[:, 0], page.first[:, 1]]
        return self.sentence(torch.cat([opening, total / size.clamp(min=1)], 1)), self.token(own)[:, 0]


@cache
def by_distance() -> Tensor:
    """The bucket of each distance from -FARTHEST to FARTHEST."""
    return bucket(torch.arange(-FARTHEST, FARTHEST + 1))


def losses(
    sentence: Tensor,
    token: Tensor,
    *,
    label: Tensor,
    hard: Tensor,
    soft: Tensor,
    mark: Tensor,
    claim: Tensor,
    weight: Tensor,
    twins: Tensor,
    bag: Tensor,
) -> Tensor:
    """What a batch has to unlearn: wrong classes, wrong words, twins on the wrong side of each other."""
    whole = bag < 0
    loss = (F.cross_entropy(sentence[whole], label[whole], reduction="none") * (weight * hard)[whole]).sum()
    loss = loss - ((F.log_softmax(sentence, 1) * soft).sum(1) * weight).sum()
    risk = sentence[:, 1] - torch.logsumexp(sentence[:, [0, 2]], 1)
    if (~whole).any():  # only the worst of a bag is known to be bad
        for number in bag[~whole].unique():
            members = bag == number
            loss = loss + F.softplus(-risk[members].max()) * weight[members].max()
    known = mark >= 0
    if known.any():
        each = F.binary_cross_entropy_with_logits(token[known], mark[known].float(), reduction="none")
        share = torch.zeros_like(risk).index_add_(0, claim[known], each)
        size = torch.zeros_like(risk).index_add_(0, claim[known], torch.ones_like(each)).clamp(min=1)
        loss = loss + (share / size * weight).sum()
    if len(twins):
        apart = risk[twins[:, 1]] - risk[twins[:, 0]]
        loss = loss + 0.5 * (F.softplus(2.0 - apart) * weight[twins[:, 0]]).sum()
    return loss / weight.sum().clamp(min=1e-6)
