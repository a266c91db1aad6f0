"""The two transformer encoders we start from, written in plain torch so that nothing but data files is taken over.

`bert` is all-MiniLM-L6-v2, `mpnet` is all-mpnet-base-v2. Both share one body; mpnet adds a learned bias by relative
position, bert adds segment embeddings, of which we only ever use segment 0 and so fold into the positions.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True, kw_only=True)
class Shape:
    """The sizes that define one encoder."""

    kind: str
    layers: int
    hidden: int
    inner: int
    heads: int
    vocabulary: int
    positions: int
    first_position: int
    """Index of the position embedding of the first token (mpnet counts from its padding index)."""
    epsilon: float
    pad: int
    rest: int | None = None
    """Layers after which the evidence rests: its states stay as they are, and only the claim's go on, looking at them.
    None: everything goes through every layer."""


MINILM = Shape(
    kind="bert",
    layers=6,
    hidden=384,
    inner=1536,
    heads=12,
    vocabulary=30522,
    positions=512,
    first_position=0,
    epsilon=1e-12,
    pad=0,
)
MPNET = Shape(
    kind="mpnet",
    layers=12,
    hidden=768,
    inner=3072,
    heads=12,
    vocabulary=30527,
    positions=514,
    first_position=2,
    epsilon=1e-5,
    pad=1,
)
TINY = replace(MINILM, layers=2, hidden=32, inner=64, heads=4)
"""For tests: the same code in a second."""
SHAPES = {"minilm": MINILM, "mpnet": MPNET, "tiny": TINY}
BUCKETS = 32
FARTHEST = 128


def shape_of(config: dict[str, Any]) -> Shape:
    """The encoder that a training config asks for."""
    return replace(SHAPES[config["base"]], layers=len(config["keep_layers"]), rest=config.get("rest"))


class Layer(nn.Module):
    """One transformer block, normalised after each half as in the base weights."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.hidden, 3 * shape.hidden)
        self.out = nn.Linear(shape.hidden, shape.hidden)
        self.norm_attention = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.up = nn.Linear(shape.hidden, shape.inner)
        self.down = nn.Linear(shape.inner, shape.hidden)
        self.norm_output = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, bias: Tensor, front: int | None = None) -> Tensor:
        """New states of the tokens before `front` (of all where it is None); these look at all of them."""
        query, key, value = map(self._by_head, self._asked(states, front))
        mixed = F.scaled_dot_product_attention(query, key, value, attn_mask=bias)
        states = states[:, :front]
        mixed = mixed.transpose(1, 2).reshape(states.shape)
        states = self.norm_attention(states + self.dropout(self.out(mixed)))
        return self.norm_output(states + self.dropout(self.down(F.gelu(self.up(states)))))

    def _asked(self, states: Tensor, front: int | None) -> tuple[Tensor, ...]:
        if front is None:
            return self.qkv(states).chunk(3, -1)
        hidden = states.shape[2]
        weight, bias = self.qkv.weight, self.qkv.bias
        query = F.linear(states[:, :front], weight[:hidden], bias[:hidden])
        return (query, *F.linear(states, weight[hidden:], bias[hidden:]).chunk(2, -1))

    def _by_head(self, states: Tensor) -> Tensor:
        batch, length, hidden = states.shape
        return states.view(batch, length, self.heads, hidden // self.heads).transpose(1, 2)


class Encoder(nn.Module):
    """Token ids, mask and claim mask in, one state per token out. The claim mask is needed where the evidence rests."""

    def __init__(self, shape: Shape, dropout: float = 0.0) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.vocabulary, shape.hidden)
        self.places = nn.Embedding(shape.positions, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.relative = nn.Embedding(BUCKETS, shape.heads) if shape.kind == "mpnet" else None
        if self.relative is not None:
            # 384 numbers, well trained already; leaving them fixed spares the gradient of a matrix per head and layer.
            self.relative.weight.requires_grad_(False)
        self.layers = nn.ModuleList(Layer(shape, dropout) for _ in range(shape.layers))
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: Tensor, mask: Tensor, claim: Tensor | None = None) -> Tensor:
        for states in self.steps(ids, mask, claim):
            last = states
        return last

    def steps(self, ids: Tensor, mask: Tensor, claim: Tensor | None = None) -> Iterator[Tensor]:
        """The states before the first layer and after each."""
        at = torch.arange(ids.shape[1], device=ids.device) + self.shape.first_position
        states = self.dropout(self.norm(self.words(ids) + self.places(at)))
        yield states
        bias = self.bias(mask, states.dtype)
        rest = len(self.layers) if self.shape.rest is None else self.shape.rest
        for layer in self.layers[:rest]:
            states = layer(states, bias)
            yield states
        if rest < len(self.layers):
            yield from self.from_rest(states, bias, claim)

    def bias(self, mask: Tensor, kind: torch.dtype) -> Tensor:
        """What is added to attention between tokens: padding is out of sight; in mpnet their distance has a say."""
        bias = (1.0 - mask[:, None, None, :].to(kind)) * -10000.0
        if self.relative is None:
            return bias
        table = relative_table(mask.shape[1]).to(mask.device)
        return bias + self.relative(table).permute(2, 0, 1)[None].to(kind)

    def from_rest(self, states: Tensor, bias: Tensor, claim: Tensor | None) -> Iterator[Tensor]:
        """The states after each layer above the rest: the first token's and the claim's change, the others stay."""
        if claim is None:
            raise ValueError("an encoder whose evidence rests needs to know which tokens are the claim's")
        moving = claim.flip(1).cumsum(1).flip(1) > 0  # up to the claim's last token
        moving[:, 0] = True
        front = int(moving.sum(1).max())
        moving, bias = moving[:, :front, None], bias[:, :, :front] if bias.shape[2] > 1 else bias
        for layer in self.layers[self.shape.rest :]:
            moved = torch.where(moving, layer(states, bias, front).to(states.dtype), states[:, :front])
            states = torch.cat([moved, states[:, front:]], 1)
            yield states


@cache
def relative_table(length: int) -> Tensor:
    """The bucket of every (query, key) pair: exact near by, logarithmic far off, signed by direction."""
    place = torch.arange(length)
    return bucket(place[None, :] - place[:, None])


def bucket(distance: Tensor) -> Tensor:
    """The bucket of a signed distance key - query, as the base weights were trained with."""
    half = BUCKETS // 2
    side = (distance > 0).long() * half
    away = distance.abs()
    exact = half // 2
    far = exact + (torch.log(away.float().clamp(min=1) / exact) / math.log(FARTHEST / exact) * (half - exact)).long()
    return side + torch.where(away < exact, away, far.clamp(max=half - 1))


def load_weights(encoder: Encoder, tensors: dict[str, Tensor], keep: tuple[int, ...] | None = None) -> None:
    """Copy base weights (their upstream names) into `encoder`; `keep` names the upstream layers to use, in order."""
    names = _names(encoder.shape.kind)
    state: dict[str, Tensor] = {
        "words.weight": tensors["embeddings.word_embeddings.weight"],
        "places.weight": tensors["embeddings.position_embeddings.weight"],
        "norm.weight": tensors["embeddings.LayerNorm.weight"],
        "norm.bias": tensors["embeddings.LayerNorm.bias"],
    }
    if encoder.shape.kind == "bert":
        state["places.weight"] = state["places.weight"] + tensors["embeddings.token_type_embeddings.weight"][0]
    else:
        state["relative.weight"] = tensors["encoder.relative_attention_bias.weight"]
    for ours, theirs in enumerate(keep or range(encoder.shape.layers)):
        source = f"encoder.layer.{theirs}."
        for part in ("weight", "bias"):
            state[f"layers.{ours}.qkv.{part}"] = torch.cat([tensors[f"{source}{names[x]}.{part}"] for x in "qkv"])
            for name in ("out", "norm_attention", "up", "down", "norm_output"):
                state[f"layers.{ours}.{name}.{part}"] = tensors[f"{source}{names[name]}.{part}"]
    encoder.load_state_dict({name: value.float() for name, value in state.items()})


def _names(kind: str) -> dict[str, str]:
    shared = {"up": "intermediate.dense", "down": "output.dense", "norm_output": "output.LayerNorm"}
    if kind == "bert":
        own = {"q": "attention.self.query", "k": "attention.self.key", "v": "attention.self.value"}
        return shared | own | {"out": "attention.output.dense", "norm_attention": "attention.output.LayerNorm"}
    own = {x: f"attention.attn.{x}" for x in "qkv"}
    return shared | own | {"out": "attention.attn.o", "norm_attention": "attention.LayerNorm"}
