"""Batches of token ids, a look at an encoder's states and an onnxruntime session, shared by the export steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnxruntime
import torch
from torch import nn

from training.encoder import Encoder, Layer
from training.rounding import Seen


@dataclass(frozen=True, kw_only=True)
class Batch:
    ids: np.ndarray
    mask: np.ndarray
    claim: np.ndarray | None = None


def batch(rows: list[list[int]], pad: int) -> Batch:
    longest = max(len(row) for row in rows)
    ids = np.full((len(rows), longest), pad, np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return Batch(ids=ids, mask=mask)


def observe(encoder: Encoder, batches: list[Batch]) -> dict[str, Seen]:
    """What the inputs of each linear layer look like over the calibration batches, by the layer's name.

    Where the evidence rests, a batch must be a single row: then the states that go on are just those that are computed.
    """
    found: dict[str, Seen] = {}
    current: list[torch.Tensor] = []

    def watch(name: str):
        def look(_module: nn.Module, inputs: tuple[torch.Tensor, ...], *_output: torch.Tensor) -> None:
            real = inputs[0][current[0][:, : inputs[0].shape[1]]]
            seen = Seen(low=real.amin(0).numpy(), high=real.amax(0).numpy(), moment=(real.T @ real).numpy())
            found[name] = found[name].joined(seen) if name in found else seen

        return look

    hooks = []
    for name, module in encoder.named_modules():
        if isinstance(module, Layer):  # what comes into a layer is what its queries, keys and values are made of
            hooks.append(module.register_forward_pre_hook(watch(f"{name}.qkv")))
        elif isinstance(module, nn.Linear) and not name.endswith(".qkv"):
            hooks.append(module.register_forward_hook(watch(name)))
    with torch.no_grad():
        for part in batches:
            if encoder.shape.rest is not None and len(part.ids) != 1:
                raise ValueError(
                    f"a batch of {len(part.ids)} rows: where the evidence rests, calibrate with single rows"
                )
            current[:] = [torch.tensor(part.mask).bool()]
            claim = None if part.claim is None else torch.tensor(part.claim)
            encoder(torch.tensor(part.ids), torch.tensor(part.mask), claim)
    for hook in hooks:
        hook.remove()
    return found


def session(model: bytes, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
