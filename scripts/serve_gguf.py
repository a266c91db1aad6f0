"""Serves one GGUF file over the OpenAI protocol on loopback until its standard input closes.

Run by scripts/live.py with the interpreter of its own environment; prints the base URL when it is ready.
"""

from __future__ import annotations

import sys

import xllamacpp


def main(model: str, threads: int) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx = 8192
    params.n_parallel = 1
    params.n_predict = 1024
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.warmup = False
    params.verbosity = -1
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
