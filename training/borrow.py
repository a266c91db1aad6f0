"""Cut a GGUF language model down to what a judge needs, in parts small enough to travel, and put it together again.

    python -m training.borrow qwen1.5b.gguf --data training/work/data/*_reader.npz --out training/work/reader

Kept: the lower layers, the word pieces that the rows use, and the rows of the output layer for Yes and No. Weights stay
in their four and six bits until `load` widens them on the training machine.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
import torch
from gguf import GGMLQuantizationType, GGUFReader
from gguf.quants import dequantize
from tokenizers import Tokenizer

from surefoot.encoders.reader_file import Model
from training.language import Decoder, DecoderShape

TUTOR_PROMPT = (
    "<|im_start|>user\nRead the source. After it, for each claim, say Yes if all of it follows from the source, No if"
    " anything in it does not, None if it claims nothing.\nSource:\n",
    "\n",
    " ",
    ("\nBefore: ", "\nClaim: "),
    "<|im_end|>\n<|im_start|>assistant\n",
)
"""Before the source, between passages, between sentences, before a claim (around what stood before it), after it."""
ANSWERS = ("Yes", "No", "None")
PART = 56_000_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("--data", type=Path, nargs="+", required=True)
    parser.add_argument("--layers", type=int, default=28)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    used = [number for path in options.data for number in _used(path)]
    cut(options.model, used, options.layers, options.out)


def _used(path: Path) -> list[int]:
    with np.load(path) as file:
        return np.unique(np.concatenate([file["claim_data"], file["text_data"], file["before_data"]])).tolist()


def tokenizer(model: Path) -> Tokenizer:
    """The model's own tokenizer, from the file's vocabulary and merges."""
    return Model(model, None).tokenizer()


def cut(model: Path, pieces: list[int], layers: int, out: Path) -> None:
    """Write `index.json` and `part-NN.bin`: tensors back to back, each with its type, shape and place."""
    reader = GGUFReader(model)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    field = {name.split(".", 1)[1]: value.contents() for name, value in reader.fields.items() if name[:6] == "qwen2."}
    words = tokenizer(model)
    prompt = [words.encode(text, add_special_tokens=False).ids for text in flat(TUTOR_PROMPT)]
    used = np.unique([*pieces, *(piece for part in prompt for piece in part)])
    answers = [words.encode(text, add_special_tokens=False).ids[0] for text in ANSWERS]
    wanted = {"words": tensors["token_embd.weight"].data[used], "verdict": tensors["output.weight"].data[answers]}
    kinds = {"words": tensors["token_embd.weight"].tensor_type, "verdict": tensors["output.weight"].tensor_type}
    for name, tensor in tensors.items():
        if name == "output_norm.weight" or (name.startswith("blk.") and int(name.split(".")[1]) < layers):
            wanted[name], kinds[name] = tensor.data, tensor.tensor_type
    out.mkdir(parents=True, exist_ok=True)
    places: list[dict[str, Any]] = []
    whole = bytearray()
    for name, data in wanted.items():
        raw = np.ascontiguousarray(data)
        places.append({"name": name, "kind": int(kinds[name]), "shape": raw.shape, "type": str(raw.dtype)})
        whole += raw.tobytes()
    for number, start in enumerate(range(0, len(whole), PART)):
        (out / f"part-{number:02d}.bin").write_bytes(whole[start : start + PART])
    shape = {
        "words": len(used),
        "hidden": field["embedding_length"],
        "inner": field["feed_forward_length"],
        "layers": layers,
        "heads": field["attention.head_count"],
        "shared_heads": field["attention.head_count_kv"],
        "turn": field["rope.freq_base"],
        "epsilon": field["attention.layer_norm_rms_epsilon"],
    }
    (out / "index.json").write_text(
        json.dumps({"shape": shape, "used": used.tolist(), "prompt": prompt, "tensors": places})
    )


def flat(prompt: tuple[str | tuple[str, ...], ...]) -> list[str]:
    return [text for part in prompt for text in ((part,) if isinstance(part, str) else part)]


def load_tutor(folder: Path) -> tuple[Decoder, torch.Tensor, list[Any], np.ndarray]:
    """The decoder with borrowed weights, the output rows of its answers, the prompt in its own numbers, and the number
    that each of the model's word pieces has in it."""
    index = json.loads((folder / "index.json").read_text())
    whole = b"".join(path.read_bytes() for path in sorted(folder.glob("part-*.bin")))
    decoder = Decoder(DecoderShape(**index["shape"]))
    state, at = {}, 0
    answers = torch.zeros(0)
    for place in index["tensors"]:
        count = int(np.prod(place["shape"])) * np.dtype(place["type"]).itemsize
        raw = np.frombuffer(whole[at : at + count], place["type"]).reshape(place["shape"])
        at += count
        value = torch.from_numpy(dequantize(raw, GGMLQuantizationType(place["kind"])).copy())
        if place["name"] == "verdict":
            answers = value
        else:
            state |= _named(place["name"], value)
    decoder.load_state_dict(state)
    used = np.array(index["used"])
    number = np.zeros(used.max() + 1, np.int64)
    number[used] = np.arange(len(used))
    opening, _, _, before, claim, closing = ([int(number[p]) for p in part] for part in index["prompt"])
    # passages are put together in the model's own numbers, the frame in the cut-down ones
    raw = index["prompt"]
    return decoder, answers, [opening, raw[1], raw[2], [before, claim], closing], number


def _named(name: str, value: torch.Tensor) -> dict[str, torch.Tensor]:
    if name == "words":
        return {"words.weight": value}
    if name == "output_norm.weight":
        return {"norm.weight": value}
    return {f"layers.{name.removeprefix('blk.')}": value}


if __name__ == "__main__":
    main()
