#!/usr/bin/env bash
exec "$(dirname "$0")/../.venv/bin/surefoot" regress "$@"
