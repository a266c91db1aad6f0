"""Agree with another model: with what it says of a claim and of each word of it, and, layer by layer, with its states.

    python -m training.train --config training/configs/rest_accurate.toml --start OLD.onnx --teacher OLD.onnx \\
        --data training/work/data/train.npz --seed 51 --out training/work/acc-rest

So a student whose evidence rests (decision 0019) learns what its teacher, whose evidence does not, makes of the same
rows, and a small one what a large one makes of them. The config says how much each part counts: `labels` those of the
rows (the teacher's opinion where a row has none), `verdicts` its teacher's logits, `states` its teacher's states above
the rest, which count less and less as the training goes on; a teacher of another shape has none to compare.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F

from training.dataset import MPNET_SHIFT, SPECIAL
from training.heads import Judge
from training.losses import Block, Said, objective

LAST = 4.0
"""How much more the last layer's states count than those of the layers below."""


@dataclass(frozen=True, kw_only=True)
class Teacher:
    """A model that is asked about every batch, and the student's config."""

    model: Judge
    base: str
    config: dict[str, Any]

    def lesson(self, said: Said, block: Block, left: float) -> Tensor:
        """How wrong a student is by the labels and by its teacher; `left` is the share of the training ahead of it."""
        told = self.opinion(block)
        label = torch.where(block.label.isnan(), told.sentence.sigmoid(), block.label)
        loss = self.config["labels"] * objective(self.config["objective"], said, replace(block, label=label))
        if self.config["objective"] == "rank":
            loss = loss + self.config["verdicts"] * order_gap(said.sentence, told.sentence, block.group)
        else:
            loss = loss + self.config["verdicts"] * verdict_gap(said, told, block.claim)
        if self.config.get("states"):
            loss = loss + self.config["states"] * left * state_gap(said, told, block.claim, self.config["rest"])
        return loss

    @torch.no_grad()
    def opinion(self, block: Block) -> Said:
        ids = translate(block.ids, self.config["base"], self.base)
        with torch.autocast(ids.device.type, torch.bfloat16, enabled=ids.is_cuda):
            states = list(self.model.encoder.steps(ids, block.mask, block.claim))
            sentence, token = self.model.verdict(states[-1], block.claim)
        return Said(states=states, sentence=sentence.float(), token=token.float())


def translate(ids: Tensor, ours: str, theirs: str) -> Tensor:
    """Token ids of one base as those of another."""
    if ours == theirs:
        return ids
    if (ours, theirs) != ("minilm", "mpnet"):
        raise ValueError(f"a teacher of {theirs} for a student of {ours} is not provided for")
    found = ids + MPNET_SHIFT
    for our, their in zip(SPECIAL[ours], SPECIAL[theirs], strict=True):
        found = torch.where(ids == our, their, found)
    return found


def verdict_gap(said: Said, told: Said, claim: Tensor) -> Tensor:
    """How far the logits of claims and of their words are from the teacher's."""
    words = F.smooth_l1_loss(said.token, told.token, reduction="none")
    return F.smooth_l1_loss(said.sentence, told.sentence) + (words * claim).sum() / claim.sum()


def order_gap(said: Tensor, told: Tensor, group: Tensor) -> Tensor:
    """How far the logits of a question's passages, beside each other, are from the teacher's."""
    return F.smooth_l1_loss(_centred(said, group), _centred(told, group))


def _centred(score: Tensor, group: Tensor) -> Tensor:
    count = int(group.max()) + 1
    total = torch.zeros(count, device=score.device).index_add(0, group, score)
    return score - (total / torch.bincount(group, minlength=count))[group]


def state_gap(said: Said, told: Said, claim: Tensor, rest: int) -> Tensor:
    """How far the states of the first token and the claim are from the teacher's, after each layer above the rest."""
    read = claim.clone()
    read[:, 0] = 1
    share = read.float()[..., None] / read.sum()
    gaps = [
        (share * (ours.float() - theirs.float()) ** 2).sum() / (share * theirs.float() ** 2).sum()
        for ours, theirs in zip(said.states[rest + 1 :], told.states[rest + 1 :], strict=True)
    ]
    return sum(gaps[:-1], LAST * gaps[-1])
