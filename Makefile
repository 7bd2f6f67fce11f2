# `make demo` and `make test` are all a new machine needs (git, make, Python 3.11+).
# uv is used when it is installed, else it is brought into the project's own .venv.

PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null || echo .venv/bin/uv)
# The project is run from its own environment, whatever else is active.
RUN := .venv/bin/
unexport VIRTUAL_ENV
# Some machines forbid bytecode; without it each start compiles litellm's 1,269 modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: setup demo test lint types unit wheel docs bench clean

demo: setup ## An example agent on the embedded model: offline, no key
	@$(RUN)runner run agents.d/clock.yaml "What time is it in Tokyo?"

test: lint types unit wheel ## Everything CI runs

setup: .venv/.ready

.venv/.ready: pyproject.toml
	@test "$(UV)" != .venv/bin/uv || test -x .venv/bin/uv || \
	  { $(PYTHON) -m venv .venv && .venv/bin/python -m pip install --quiet --quiet --disable-pip-version-check 'uv>=0.5'; }
	@$(UV) sync --quiet --inexact
	@touch $@

lint: setup
	$(RUN)ruff check
	$(RUN)ruff format --check

types: setup
	$(RUN)mypy

unit: setup
	$(RUN)pytest -n 3

wheel: setup ## The built wheel, installed alone, does what the README says
	UV="$(UV)" $(RUN)python tests/smoke_wheel.py

docs: setup ## The pages made from the schemas and the explanations of codes
	$(RUN)python -m docs.generator

bench: setup ## How fast it is beside bare LiteLLM: all of it, or ONLY="loop-50 growth" PEERS=langchain ROUNDS=1 JSON=FILE CHECK=1
	@$(RUN)python -m tests.benchmarks $(ONLY) $(PEERS:%=--peers %) $(ROUNDS:%=--rounds %) $(JSON:%=--json %) $(CHECK:%=--check)

clean:
	rm -rf .venv build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
