#!/usr/bin/env bash
cd "$(dirname "$0")/.." && make --quiet setup && exec .venv/bin/surefoot serve "$@"
