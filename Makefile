PYTHON ?= python3
REPO ?= .
QUESTION ?= where is an edited file noticed and indexed again
VENV := .venv
BIN := $(VENV)/bin

.PHONY: run test check bench install hosts

# Everything a first look needs: venv, install, index, one question through the official client.
run: install
	$(BIN)/python -m codeviews.servers.demo "$(REPO)" "$(QUESTION)"

test: install
	$(BIN)/python -m pytest

check: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python
	$(BIN)/lint-imports

bench: install
	$(BIN)/python benchmarks/speed.py "$(REPO)" --copy

install: $(VENV)/installed

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade "pip>=25.1"
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[report,cluster,llm]" --group dev
	touch $(VENV)/installed
