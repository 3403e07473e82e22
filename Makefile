# Every command a person needs. CI calls the same targets and nothing else.
.DEFAULT_GOAL := help
PYTHONS := python3.11 python3.12 python3.13 python3.14
PYTHON ?= $(firstword $(foreach name,$(PYTHONS),$(shell command -v $(name) 2>/dev/null)))
NO_PYTHON = Python 3.11 to 3.14 was not found: none of $(PYTHONS) is on the path. Install one (Debian, Ubuntu: apt install \
python3 python3-venv; macOS: brew install python@3.13), or name one: make PYTHON=/path/to/python3.12
VENV := .venv
BIN := $(VENV)/bin
DATA ?= data
# Ports that are not named are 8080 for the search page and 8800 for the demo, or the next free ones.
PORT ?=
DEMO_PORT ?=
KIND ?= ministack
EMULATOR_PORT ?= 4566
STAGE ?= dev
START ?= 0
ON ?= local
MINUTES ?= 30
# Two more than there are cores: many tests wait, for servers, browsers and delays.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
# Bytecode is kept whatever the environment says: without it every worker compiles every test, ten seconds each.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -q -n $(WORKERS) --dist worksteal
SAM := .venv-sam/bin
PYTHON_VERSION ?= 3.13

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):[^#]*## (.*)/\1\t\2/' | expand -t 12

# Two `make`s may begin in a new clone beside each other: the second one waits, and finds it done.
$(VENV)/.done: requirements/dev.txt layers/deps/router.txt layers/gossamer/pyproject.toml
ifdef ALONE
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements/dev.txt
	$(BIN)/pip install --quiet --require-hashes --no-deps -r layers/deps/router.txt
	$(BIN)/pip install --quiet --no-deps --no-build-isolation -e layers/gossamer
	$(BIN)/python -m compileall -q layers/gossamer/src # pip does this for what it copies
	touch $@
else
	@$(if $(PYTHON),,$(error $(NO_PYTHON)))$(PYTHON) -m scripts.one_at_a_time $(VENV) $(MAKE) --no-print-directory ALONE=1 $@
endif

setup: $(VENV)/.done ## put everything into .venv

run: setup ## crawl the demo site (or SEEDS="https://…"), index it and serve the search page
	$(BIN)/gossamer $(if $(SEEDS),run --data $(DATA),demo --data $(DATA)/demo $(if $(DEMO_PORT),--site-port $(DEMO_PORT))) $(if $(PORT),--port $(PORT)) $(SEEDS)

test: setup ## run the tests (some minutes)
	$(PYTEST)

test-long: setup ## what takes longer: more worlds, more examples, half a minute of kills
	GOSSAMER_HYPOTHESIS=long $(PYTEST) -m "long or hypothesis"

simulate: setup ## run SEEDS=10000 simulated worlds from START=0 on (ON=local or cloud)
	$(BIN)/python -m tests.simulation --seeds $(or $(SEEDS),10000) --start $(START) --stage $(ON)

# The emulator and SAM have venvs of their own, which are made beside ours: an install keeps one core busy.
BESIDE = $(if $(PYTHON),,$(error $(NO_PYTHON)))$(PYTHON) -m scripts.emulator install sam $(if $(AWS_ENDPOINT_URL),,$(1)) & $(MAKE) --no-print-directory setup && wait $$!

test-cloud: ## deploy to MiniStack and test there (or at AWS_ENDPOINT_URL)
	$(call BESIDE,ministack)
	GOSSAMER_CLOUD=ministack $(BIN)/pytest -q tests/cloud

test-localstack: ## the same on LocalStack in host mode, without Docker
	$(call BESIDE,localstack)
	GOSSAMER_CLOUD=localstack $(BIN)/pytest -q tests/cloud tests/localstack

test-spark: setup ## the Spark jobs against the ordinary way (needs a JRE)
	$(BIN)/python -m scripts.emulator install spark
	GOSSAMER_SPARK=1 $(BIN)/pytest -q tests/spark

dist: setup ## build the wheel for `pip install` into dist/
	$(BIN)/python -m scripts.dist

test-dist: setup ## install the wheel into an empty venv and use it (needs a package index)
	GOSSAMER_DIST=1 $(BIN)/pytest -q -rs tests/packaging

emulator: setup ## run an emulator until Ctrl-C (KIND=ministack or localstack, EMULATOR_PORT)
	@$(BIN)/python -m scripts.emulator $(KIND) --port $(EMULATOR_PORT)

check: setup ## lint, types, import contracts, schemas
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m scripts.export_schemas --check

format: setup ## format the code and write the schemas
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m scripts.export_schemas

bench: setup ## QUESTION=search or another; else all: measure against Scrapy and wget (needs nginx and Debian's doc packages)
	$(BIN)/python -m scripts.bench $(or $(QUESTION),all)

scale: setup ## simulate a week of a stack at 1, 10 and 100 million pages and a billion (docs/scale.md)
	$(BIN)/python -m scripts.scale $(if $(PAGES),--pages $(PAGES))

soak: setup ## crawl, search, kill and restart for MINUTES=30; bounds and plot in build/soak.*
	$(BIN)/pip install --quiet --require-hashes --no-deps -r requirements/soak.txt
	$(BIN)/python -m scripts.soak --minutes $(MINUTES) --out build/soak.json --plot build/soak.png

sam: setup
	$(BIN)/python -m scripts.emulator install sam

validate: sam ## lint template.yaml
	$(SAM)/sam validate --lint --region us-east-1
	$(SAM)/cfn-lint template.yaml

build: sam ## build what Lambda runs (PYTHON_VERSION and PLATFORM for another machine), check its size
	found="$$($(BIN)/python -m scripts.runtime_python $(PYTHON_VERSION) --stage $(STAGE))" && \
	PATH="$(abspath $(BIN)):$$PATH" PYTHON_VERSION=$(PYTHON_VERSION) PYTHON_OF_RUNTIME="$$found" $(SAM)/sam build
	$(BIN)/python -m scripts.layer_sizes

deploy: build ## put it into an AWS account (STAGE=dev or prod; the first time with CONTACT=who crawls; PARAMETERS="Name=Value …")
	$(BIN)/python -m scripts.deploy $(STAGE) $(if $(CONTACT),Contact=$(CONTACT)) $(PARAMETERS)

lock: setup ## pin every dependency by hash
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --no-deps --generate-hashes --no-emit-index-url --no-header \
	    -o layers/deps/router.txt requirements/router.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-header --allow-unsafe --extra aws -o requirements/dev.txt requirements/dev.in layers/gossamer/pyproject.toml requirements/build.in
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-header --extra aws -o layers/deps/requirements.txt layers/gossamer/pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-header --allow-unsafe --constraint requirements/dev.txt -o requirements/build.txt requirements/build.in
	for name in ministack localstack sam spark; do \
	    $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	        --no-header --allow-unsafe -o requirements/$$name.txt requirements/$$name.in || exit 1; \
	done
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	    --no-header --constraint requirements/dev.txt -o requirements/soak.txt requirements/soak.in

clean: ## remove the demo's data and all caches (keeps .venv)
	rm -rf data .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help setup run test test-long simulate test-cloud test-localstack test-spark dist test-dist emulator check format bench scale soak sam validate build deploy lock clean
