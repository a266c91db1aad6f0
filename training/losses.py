"""What a model is taught by: the labels of a batch."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

from training.dataset import UNKNOWN


@dataclass(frozen=True, kw_only=True)
class Block:
    """One padded batch on the device."""

    ids: Tensor
    mask: Tensor
    claim: Tensor
    marks: Tensor
    label: Tensor
    weight: Tensor
    group: Tensor


@dataclass(frozen=True, kw_only=True)
class Said:
    """What a model makes of a batch."""

    states: list[Tensor]
    """Before the first layer and after each."""
    sentence: Tensor
    token: Tensor


def objective(kind: str, said: Said, block: Block) -> Tensor:
    return rank_loss(said.sentence, block) if kind == "rank" else ground_loss(said.sentence, said.token, block)


def ground_loss(sentence: Tensor, token: Tensor, block: Block) -> Tensor:
    """Sentence, tokens where known, and the strongest token; a bag counts as its worst sentence."""
    strongest = token.masked_fill(block.claim == 0, -1e4).amax(1)
    bagged = block.group >= 0
    if bagged.any():
        sentence, strongest, label, weight = _fold_bags(sentence, strongest, block)
    else:
        label, weight = block.label, block.weight
    total = weight.sum()
    loss = (weight * F.binary_cross_entropy_with_logits(sentence, label, reduction="none")).sum() / total
    loss = loss + 0.3 * (weight * F.binary_cross_entropy_with_logits(strongest, label, reduction="none")).sum() / total
    known = block.marks != UNKNOWN
    if known.any():
        share = block.weight[:, None].expand_as(token)[known]
        wrong = F.binary_cross_entropy_with_logits(token[known], block.marks[known].float(), reduction="none")
        loss = loss + 3.0 * (share * wrong).sum() / share.sum()
    return loss


def _fold_bags(sentence: Tensor, strongest: Tensor, block: Block) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    count = int(block.group.max()) + 1
    alone = block.group < 0
    kept = [alone.nonzero()[:, 0]]
    best = torch.full((count,), -1e4, device=sentence.device, dtype=sentence.dtype)
    top = best.scatter_reduce(0, block.group.clamp(min=0), sentence.masked_fill(alone, -1e4), "amax")
    tip = best.scatter_reduce(0, block.group.clamp(min=0), strongest.masked_fill(alone, -1e4), "amax")
    first = torch.full((count,), len(sentence), device=sentence.device).scatter_reduce(
        0,
        block.group.clamp(min=0),
        torch.where(alone, len(sentence), torch.arange(len(sentence), device=sentence.device)),
        "amin",
    )
    rows = torch.cat([*kept, first])
    return (
        torch.cat([sentence[kept[0]], top]),
        torch.cat([strongest[kept[0]], tip]),
        block.label[rows],
        block.weight[rows],
    )


def rank_loss(sentence: Tensor, block: Block) -> Tensor:
    """The right passage before the others of its question, and a calibrated yes or no for each."""
    count = int(block.group.max()) + 1
    top = torch.zeros(count, device=sentence.device).scatter_reduce(
        0, block.group, sentence.detach(), "amax", include_self=False
    )
    mass = torch.zeros(count, device=sentence.device).index_add(0, block.group, (sentence - top[block.group]).exp())
    log_share = sentence - top[block.group] - mass.log()[block.group]
    right = block.label > 0.5
    listwise = -(log_share[right] * block.weight[right]).sum() / block.weight[right].sum()
    return listwise + 0.5 * F.binary_cross_entropy_with_logits(sentence, block.label)
