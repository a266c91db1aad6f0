"""Make base weights small enough to travel: int8 in blocks of 32, or back to float.

python -m training.pack shrink model.safetensors part-1.npz part-2.npz
python -m training.pack grow part-1.npz part-2.npz model.safetensors
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import load_file, save_file

BLOCK = 32


def shrink(
    source: Path,
    targets: list[Path],
    skip: tuple[str, ...] = ("pooler.", "position_ids", "encoder.layer.10.", "encoder.layer.11."),
) -> None:
    """Split the tensors we use over the target files by size, largest first."""
    tensors = {name: value for name, value in load_file(source).items() if not any(part in name for part in skip)}
    shelves: list[dict[str, np.ndarray]] = [{} for _ in targets]
    sizes = [0] * len(targets)
    for name, value in sorted(tensors.items(), key=lambda item: (-item[1].numel(), item[0])):
        at = sizes.index(min(sizes))
        sizes[at] += value.numel()
        shelves[at] |= _encode(name, value.numpy())
    for target, shelf in zip(targets, shelves, strict=True):
        np.savez(target, **shelf)


def grow(sources: list[Path], target: Path) -> None:
    tensors: dict[str, torch.Tensor] = {}
    for source in sources:
        with np.load(source) as file:
            for name in file.files:
                if name.endswith("/codes"):
                    stem = name.removesuffix("/codes")
                    value = (file[name].astype(np.float32) * file[f"{stem}/scale"].astype(np.float32)[:, None]).reshape(
                        file[f"{stem}/shape"]
                    )
                    tensors[stem] = torch.from_numpy(value)
                elif "/" not in name:
                    tensors[name] = torch.from_numpy(file[name].astype(np.float32))
    save_file({name: value.half().contiguous() for name, value in tensors.items()}, target)


def _encode(name: str, value: np.ndarray) -> dict[str, np.ndarray]:
    if value.ndim < 2 or value.size % BLOCK:
        return {name: value.astype(np.float16)}
    flat = value.reshape(-1, BLOCK)
    scale = (np.abs(flat).max(1) / 127).astype(np.float16)
    codes = np.clip(np.round(flat / np.maximum(scale.astype(np.float32), 1e-8)[:, None]), -127, 127).astype(np.int8)
    return {f"{name}/codes": codes, f"{name}/scale": scale, f"{name}/shape": np.array(value.shape)}


if __name__ == "__main__":
    action, *paths = sys.argv[1:]
    if action == "shrink":
        shrink(Path(paths[0]), [Path(path) for path in paths[1:]])
    else:
        grow([Path(path) for path in paths[:-1]], Path(paths[-1]))
