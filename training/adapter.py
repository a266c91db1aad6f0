"""What the tutor learned, as the file that ships, and back.

    python -m training.adapter training/work/tutor/adapter.safetensors \\
        models/surefoot_models/grounder_thorough/adapter.gguf

The form is that of llama.cpp's adapters: two small matrices beside each frozen one, in blocks of eight bits where
the rank fills them.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFReader, GGUFWriter
from gguf.quants import dequantize, quantize
from safetensors.torch import load_file

from training.tutor import STRENGTH

EIGHT_BITS, BLOCK = GGMLQuantizationType.Q8_0, 32
ENDS = {"down": "lora_a", "up": "lora_b"}


def main() -> None:
    source, target = map(Path, sys.argv[1:3])
    target.parent.mkdir(parents=True, exist_ok=True)
    write(load_file(source), target)


def write(learned: dict[str, torch.Tensor], target: Path) -> None:
    rank = next(len(value) for name, value in learned.items() if name.endswith("down"))
    writer = GGUFWriter(target, "qwen2")
    writer.add_type("adapter")
    writer.add_name(f"surefoot {target.parent.name}")
    writer.add_string("adapter.type", "lora")
    writer.add_float32("adapter.lora.alpha", STRENGTH * rank)
    for name, value in sorted(learned.items()):
        _, layer, matrix, end = name.removeprefix("decoder.").split(".")
        data, place = np.ascontiguousarray(value.float().numpy()), f"blk.{layer}.{matrix}.weight.{ENDS[end]}"
        if data.shape[1] % BLOCK:
            writer.add_tensor(place, data.astype(np.float16))
        else:
            writer.add_tensor(place, quantize(data, EIGHT_BITS), raw_dtype=EIGHT_BITS)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def read(file: Path) -> dict[str, torch.Tensor]:
    """The learned matrices under the tutor's own names."""
    ends = {end: name for name, end in ENDS.items()}
    found = {}
    for tensor in GGUFReader(file).tensors:
        _, layer, matrix, _, end = tensor.name.split(".")
        shape = tuple(int(size) for size in reversed(tensor.shape))
        value = torch.from_numpy(dequantize(tensor.data, tensor.tensor_type).copy()).reshape(shape).float()
        found[f"decoder.layers.{layer}.{matrix}.{ends[end]}"] = value
    return found


if __name__ == "__main__":
    main()
