"""A small decoder language model (the Qwen2 form) that reads a claim after its source and says whether it is supported.

It is ten times the size of the largest grounder: too slow to ship, good enough to label what nobody labelled.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional as F


@dataclass(frozen=True, kw_only=True)
class DecoderShape:
    """The sizes of a decoder."""

    words: int
    hidden: int
    inner: int
    layers: int
    heads: int
    shared_heads: int
    """Keys and values, each shared by several heads."""
    turn: float = 1e6
    """Base of the rotary positions."""
    epsilon: float = 1e-6


class Decoder(nn.Module):
    """Word pieces in, the last layer's states out; every piece sees those before it."""

    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        self.shape = shape
        self.words = nn.Embedding(shape.words, shape.hidden)
        self.layers = nn.ModuleList(DecoderLayer(shape) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.hidden, eps=shape.epsilon)

    def forward(self, ids: Tensor) -> Tensor:
        states = self.words(ids)
        angles = self.angles(ids.shape[1], ids.device)
        for layer in self.layers:
            states = layer(states, angles)
        return self.norm(states)

    def tree(self, ids: Tensor, place: Tensor, group: Tensor) -> Tensor:
        """The same where several claims (groups 1, 2, …) hang on one source (group 0): each sees the source and itself.

        Padding has group -1 and sees only itself.
        """
        states = self.words(ids)
        angles = self.angles_at(place)
        order = torch.arange(ids.shape[1], device=ids.device)
        sees = (group[:, :, None] == group[:, None, :]) | ((group[:, None, :] == 0) & (group[:, :, None] > 0))
        sees = sees & (order[None, :, None] >= order[None, None, :])
        mask = torch.zeros(sees.shape, dtype=states.dtype, device=ids.device).masked_fill(~sees, -10000.0)[:, None]
        for layer in self.layers:
            states = layer(states, angles, mask)
        return self.norm(states)

    def compiled(self) -> None:
        """Fuses what lies around the attention of each layer."""
        for layer in self.layers:
            layer.looks = torch.compile(layer.looks, dynamic=True)
            layer.thought = torch.compile(layer.thought, dynamic=True)

    def plain(self) -> None:
        """As it was before: judging is too short to be worth another half minute."""
        for layer in self.layers:
            layer.__dict__.pop("looks", None)
            layer.__dict__.pop("thought", None)

    def angles_at(self, place: Tensor) -> tuple[Tensor, Tensor]:
        size = self.shape.hidden // self.shape.heads
        rates = self.shape.turn ** (-torch.arange(0, size, 2, device=place.device).float() / size)
        angle = place.float()[..., None] * rates
        both = torch.cat([angle, angle], -1)
        return both.cos(), both.sin()

    def angles(self, length: int, device: torch.device) -> tuple[Tensor, Tensor]:
        size = self.shape.hidden // self.shape.heads
        rates = self.shape.turn ** (-torch.arange(0, size, 2, device=device).float() / size)
        angle = torch.arange(length, device=device).float()[:, None] * rates[None, :]
        both = torch.cat([angle, angle], 1)
        return both.cos(), both.sin()


class DecoderLayer(nn.Module):
    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        self.heads, self.shared, self.size = shape.heads, shape.shared_heads, shape.hidden // shape.heads
        narrow = self.shared * self.size
        self.attn_norm = nn.RMSNorm(shape.hidden, eps=shape.epsilon)
        self.attn_q = nn.Linear(shape.hidden, shape.hidden)
        self.attn_k = nn.Linear(shape.hidden, narrow)
        self.attn_v = nn.Linear(shape.hidden, narrow)
        self.attn_output = nn.Linear(shape.hidden, shape.hidden, bias=False)
        self.ffn_norm = nn.RMSNorm(shape.hidden, eps=shape.epsilon)
        self.ffn_gate = nn.Linear(shape.hidden, shape.inner, bias=False)
        self.ffn_up = nn.Linear(shape.hidden, shape.inner, bias=False)
        self.ffn_down = nn.Linear(shape.inner, shape.hidden, bias=False)

    def forward(self, states: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor | None = None) -> Tensor:
        return self.thought(states, self.attend(states, angles, mask))

    def thought(self, states: Tensor, seen: Tensor) -> Tensor:
        states = states + self.attn_output(seen)
        inner = self.ffn_norm(states)
        return states + self.ffn_down(F.silu(self.ffn_gate(inner)) * self.ffn_up(inner))

    def looks(self, states: Tensor, angles: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values."""
        rows, length, _ = states.shape
        states = self.attn_norm(states)
        query = turned(self.attn_q(states).view(rows, length, self.heads, self.size), angles)
        key = turned(self.attn_k(states).view(rows, length, self.shared, self.size), angles)
        return query, key, self.attn_v(states).view(rows, length, self.shared, self.size)

    def attend(self, states: Tensor, angles: tuple[Tensor, Tensor], mask: Tensor | None = None) -> Tensor:
        rows, length, _ = states.shape
        query, key, value = self.looks(states, angles)
        if mask is not None:
            # shared heads are spread out: with a mask only then does a fast kernel take them
            spread = self.heads // self.shared
            key, value = (part.repeat_interleave(spread, 2).transpose(1, 2) for part in (key, value))
            mask = mask.to(query.dtype)
            seen = F.scaled_dot_product_attention(query.transpose(1, 2), key, value.to(query.dtype), attn_mask=mask)
            return seen.transpose(1, 2).reshape(rows, length, -1)
        seen = F.scaled_dot_product_attention(
            query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), is_causal=True, enable_gqa=True
        )
        return seen.transpose(1, 2).reshape(rows, length, -1)


def turned(parts: Tensor, angles: tuple[Tensor, Tensor]) -> Tensor:
    """Each pair of numbers (one of either half) turned by an angle that grows with its place."""
    cos, sin = (
        (angle[None, :, None, :] if angle.ndim == 2 else angle[:, :, None, :]).to(parts.dtype) for angle in angles
    )
    left, right = parts.chunk(2, -1)
    return parts * cos + torch.cat([-right, left], -1) * sin


class Reader(nn.Module):
    """The decoder and one direction in its last state: how much more it would answer No than Yes."""

    def __init__(self, shape: DecoderShape) -> None:
        super().__init__()
        self.decoder = Decoder(shape)
        self.verdict = nn.Linear(shape.hidden, 1)
        nn.init.zeros_(self.verdict.bias)

    def forward(self, ids: Tensor, sizes: Tensor) -> Tensor:
        """Padding stands on the right, where no piece that counts can see it."""
        states = self.decoder(ids)
        last = states[torch.arange(len(ids), device=ids.device), sizes - 1]
        return self.verdict(last.float())[:, 0]
