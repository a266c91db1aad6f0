"""Batches of token ids, the activation peaks of an encoder and an onnxruntime session, shared by the export steps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import onnxruntime
import torch
from torch import nn

from training.encoder import Encoder
from training.graph import Peaks


@dataclass(frozen=True, kw_only=True)
class Batch:
    ids: np.ndarray
    mask: np.ndarray


def batch(rows: list[list[int]], pad: int) -> Batch:
    longest = max(len(row) for row in rows)
    ids = np.full((len(rows), longest), pad, np.int64)
    mask = np.zeros((len(rows), longest), np.int64)
    for at, row in enumerate(rows):
        ids[at, : len(row)] = row
        mask[at, : len(row)] = 1
    return Batch(ids=ids, mask=mask)


def take_peaks(encoder: Encoder, batches: list[Batch]) -> Peaks:
    """The largest absolute input of each linear layer, channel by channel, over the calibration batches."""
    peaks: dict[str, np.ndarray] = {}
    current: list[torch.Tensor] = []

    def watch(name: str):
        def look(_module: nn.Module, inputs: tuple[torch.Tensor, ...], _output: torch.Tensor) -> None:
            seen = inputs[0][current[0]].abs().amax(0).numpy()
            peaks[name] = np.maximum(peaks[name], seen) if name in peaks else seen

        return look

    linears = [(name, module) for name, module in encoder.named_modules() if isinstance(module, nn.Linear)]
    hooks = [module.register_forward_hook(watch(name)) for name, module in linears]
    with torch.no_grad():
        for part in batches:
            current[:] = [torch.tensor(part.mask).bool()]
            encoder(torch.tensor(part.ids), torch.tensor(part.mask))
    for hook in hooks:
        hook.remove()
    return peaks


def session(model: bytes, threads: int = 1) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
