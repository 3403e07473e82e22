# Every command a person needs. CI calls the same targets and nothing else.
.DEFAULT_GOAL := help
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data
PORT ?= 8080
DEMO_PORT ?= 8800

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/' | expand -t 12

$(VENV)/.done: requirements/dev.txt requirements/router.txt layers/gossamer/pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes -r requirements/dev.txt
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements/router.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e layers/gossamer
	$(BIN)/python -m compileall -q layers/gossamer/src # pip does this for what it copies
	touch $@

setup: $(VENV)/.done ## put everything into .venv

run: setup ## crawl the demo site (or SEEDS="https://…"), index it and serve the search page
	$(BIN)/python -m scripts.run --data $(DATA) --port $(DEMO_PORT) --search-port $(PORT) -- $(SEEDS)

test: setup ## run the tests
	$(BIN)/pytest -q

check: setup ## lint, types, import contracts, schemas
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/export_schemas.py --check

format: setup ## format the code and write the schemas
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python scripts/export_schemas.py

bench: setup ## measure against Scrapy and wget (needs nginx and Debian's doc packages)
	$(BIN)/python -m scripts.bench all

lock: setup ## pin every dependency by hash
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --no-deps --generate-hashes --no-emit-index-url --no-header \
	    -o requirements/router.txt requirements/router.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-header --allow-unsafe -o requirements/dev.txt requirements/dev.in layers/gossamer/pyproject.toml requirements/build.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-header -o layers/deps/requirements.txt layers/gossamer/pyproject.toml

clean: ## remove the demo's data and all caches (keeps .venv)
	rm -rf data .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup run test check format bench lock clean
