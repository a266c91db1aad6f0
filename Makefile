# Every target works on a machine that has only Python 3.11 and make: .venv is made on first use.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# the parts of make faults, quickest first
PART ?= gate hostile_files store_threads killed_ingest hardening disk
SHELL := /bin/bash
# Where this is set, Python compiles all it imports at every start anew, which takes longer than the start itself.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := demo
.PHONY: help setup demo test coverage check bench models faults load soak fuzz redteam replicas integrations wheels api docs \
	live lock serve ui clean

help: ## show the targets
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  \1\t\2/' | expand -t 12

setup: $(STAMP) ## make .venv with the locked dependencies, Surefoot and its models

$(STAMP): requirements.lock pyproject.toml $(wildcard models/pyproject.toml)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || python3 -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check uv 2>/dev/null || $(BIN)/python -m pip install --quiet uv
	@echo "installing the locked dependencies ..."
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock
	@$(BIN)/uv pip install --quiet --python $(BIN)/python --no-deps --no-build-isolation $(if $(wildcard models/pyproject.toml),-e ./models) -e .
	@$(BIN)/python -m compileall -q src
	-@kb=$$(mktemp -d); echo '{"answer": "Ready.", "sources": ["Ready."]}' | $(BIN)/surefoot verify - --kb $$kb >/dev/null; rm -rf $$kb
	@touch $(STAMP)

demo: setup ## the main job on a fresh machine: ingest, ask, verify, refuse, prove
	@$(BIN)/python -m surefoot.cli.demo

test: setup ## the test suite
	@PYTHONHASHSEED=0 $(BIN)/python -m pytest -n 2 --dist loadfile -m "not faults and not live" $(ARGS)

coverage: ## the same with the lines it does not reach (takes twice as long)
	@$(MAKE) --no-print-directory test ARGS="--cov --cov-report=term:skip-covered $(ARGS)"

check: setup ## ruff and mypy --strict
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy

docs: setup ## the documentation as a site in site/, every link checked; needs no network to read
	@NO_MKDOCS_2_WARNING=1 COLUMNS=96 $(BIN)/python -m mkdocs build --strict --quiet --site-dir site
	@echo "open site/index.html"

bench: setup ## benchmarks that print reports (start-up and install size, gate, mutations)
	@$(BIN)/python benchmarks/startup.py
	@$(BIN)/surefoot bench gate

faults: setup ## every fault 50 times against the wall clock; PART=gate, hostile_files, hardening, disk and so on
	@$(BIN)/python -m pytest -m faults -q -o timeout=0 $(PART:%=tests/faults/test_%.py) $(ARGS)

load: setup ## load on loopback: latency and errors at 1, 8 and 64 connections
	@$(BIN)/python benchmarks/load.py

soak: setup ## two hours of mixed requests on loopback: memory flat within a tenth, no 5xx; ARGS="--minutes 10" for less
	@$(BIN)/python benchmarks/soak.py $(ARGS)

replicas: setup ## two services over Postgres and Redis: a replica killed, the database killed, every answer compared
	@$(BIN)/python benchmarks/replicas.py

integrations: setup ## the LlamaIndex and Haystack adapters, in an environment of their own
	@test -x .venv/integrations/bin/python || $(BIN)/python -m venv .venv/integrations
	@$(BIN)/uv pip install --quiet --python .venv/integrations/bin/python -r requirements.lock
	@$(BIN)/uv pip install --quiet --python .venv/integrations/bin/python "llama-index-core>=0.14" "haystack-ai>=3.0"
	@$(BIN)/uv pip install --quiet --python .venv/integrations/bin/python --no-deps --no-build-isolation -e ./models -e .
	@.venv/integrations/bin/python -m pytest tests/integrations -q -rs

wheels: setup ## builds the three packages and installs them outside the checkout, on every Python from 3.11 to 3.13 found
	@$(BIN)/python scripts/wheels.py $(ARGS)

fuzz: setup ## every route, scope and odd path, then 5,000 requests made from the OpenAPI document: no 500, no odd answer
	@$(BIN)/python -m pytest -q -n 0 tests/server/test_scopes.py
	@$(BIN)/python benchmarks/fuzz.py

redteam: setup ## the attacks of docs/red-team.md on a service of its own on loopback, at most ten minutes
	@$(BIN)/python benchmarks/redteam.py

live: setup ## ask, verify, judge and a dataset session through a real local model
	@$(BIN)/python scripts/live.py

api: setup ## write docs/api.md again from the docstrings
	@$(BIN)/python scripts/api_page.py

models: setup ## how each shipped model is rebuilt
	@cat training/REBUILD.md

lock: ## resolve pyproject.toml again into requirements.lock
	@$(BIN)/uv pip compile pyproject.toml --extra all --group dev --group docs --universal --generate-hashes --no-emit-index-url --no-emit-find-links --no-header --python-version 3.11 -q -o requirements.lock

serve: setup ## the HTTP service on loopback
	@$(BIN)/surefoot serve

ui: setup ## the web page, against a running service
	@$(BIN)/surefoot ui

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
