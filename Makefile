# Everything a fresh machine needs is set up by the targets themselves: Python 3.11+ and make.
SHELL := /bin/bash
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
JUDGES := $(VENV)/.judges
PEERS := .venv-peers/.ready
SERVERS := .venv-servers/.ready
TYPES := .venv-types/.ready
# Published MCP servers that tests talk to, from both worlds.
PIP_SERVERS := mcp-server-git==2026.10.19 mcp-server-time==2026.10.19
NPM_SERVERS := @modelcontextprotocol/server-everything@2026.8.31 @modelcontextprotocol/server-filesystem@2026.8.31
# Types that judge, and the compiler that judges by them; schemas would be anything without theirs.
NPM_TYPES := ai@7.0.170 @types/json-schema@7.0.15 typescript@7.0.2
CHROMIUM := $(VENV)/.chromium
NATIVE := $(wildcard src/toolcanon/bulk/_*.[ch])
FUZZ_SECONDS ?= 240
FUZZ_SEED ?= 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Tests start hundreds of processes, each of which would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test check corpus mutants digests fuzz bench release-check docs clean

help: ## Show what there is to do
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/'

$(READY): pyproject.toml setup.py $(NATIVE)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || \
	  { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -y -q python3-venv && \
	    $(PYTHON) -m venv --clear $(VENV); } || \
	  { echo "cannot make a virtual environment: install python3-venv"; exit 1; }
	@command -v cc >/dev/null || { test "$$(id -u)" = 0 && apt-get update -q && \
	  apt-get install -y -q gcc libc6-dev python3-dev; } || echo "no compiler: rows are read in Python"
	@echo "setting up $(VENV) …"
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1" 2>&1 | grep -v "is ignored" || true
	@$(BIN)/python -m pip install --quiet --editable . --group dev 2>&1 | grep -v "is ignored" || true
	@$(BIN)/python -c "import toolcanon.cli, pytest"
	@touch $@

$(JUDGES): $(READY)
	@echo "installing the providers' SDKs as judges …"
	@$(BIN)/python -m pip install --quiet --group oracle 2>&1 | grep -v "is ignored" || true
	@$(BIN)/python -c "import agents, anthropic, boto3, google.genai, langchain_core, llguidance, mcp, openai, outlines_core, pydantic_ai"
	@touch $@

# Peers pin other versions of the SDKs, so they live apart. Without an index their tests skip.
$(PEERS): pyproject.toml $(READY)
	@echo "setting up $(@D) with the peers we measure against …"
	@test -x $(@D)/bin/python || $(BIN)/python -m venv $(@D)
	@$(@D)/bin/python -m pip install --quiet --upgrade "pip>=25.1" 2>&1 | grep -v "is ignored" || true
	@$(@D)/bin/python -m pip install --quiet --editable . --group peers 2>&1 | grep -v "is ignored" || true
	@$(@D)/bin/python -c "import toolcanon, mcp, pydantic_ai; from importlib.metadata import version; version('litellm')" && \
	  touch $@ || echo "no peers: what needs them is skipped"

# The page is looked at in a browser. Without one its tests skip.
$(CHROMIUM): $(READY)
	@test -x /usr/bin/chromium || { test "$$(id -u)" = 0 && apt-get update -q && \
	  apt-get install -y -q chromium; } && touch $@ || echo "no chromium: the tests of the page are skipped"

# Servers pin versions of the protocol's SDK of their own. Without an index their tests skip.
$(SERVERS): Makefile | $(READY)
	@echo "setting up $(@D) with the servers we talk to …"
	@command -v npm >/dev/null || \
	  { test "$$(id -u)" = 0 && apt-get update -q && apt-get install -y -q nodejs npm; } || true
	@test -x $(@D)/bin/python || $(BIN)/python -m venv $(@D)
	@{ $(@D)/bin/python -m pip install --quiet $(PIP_SERVERS) 2>&1 | grep -v "is ignored" || true; } && \
	  npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(@D) $(NPM_SERVERS) && \
	  test -x $(@D)/bin/mcp-server-git && touch $@ || echo "no servers: what needs them is skipped"

# What npm has of SDKs. Without an index their tests skip. Servers come first: they bring npm.
$(TYPES): Makefile | $(SERVERS)
	@echo "setting up $(@D) with the types that judge …"
	@npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(@D) $(NPM_TYPES) && \
	  test -x $(@D)/node_modules/.bin/tsc && touch $@ || echo "no types: what needs them is skipped"

demo: $(READY) ## Show the main job on real examples
	@PATH="$(CURDIR)/$(BIN):$$PATH" bash examples/demo.sh

# A test runs the type checker, beside the other tests.
check: $(READY) ## Format, lint, types, layers and the fast tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest -q -n 2 --dist worksteal -m "not corpus" --ignore tests/oracle --ignore tests/e2e

test: $(READY) $(JUDGES) $(PEERS) $(CHROMIUM) $(SERVERS) $(TYPES) ## Everything, with a sample of the corpus
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/pytest -n 2 --dist worksteal

corpus: $(READY) $(JUDGES) $(SERVERS) ## The whole corpus
	TOOLCANON_CORPUS_ALL=1 $(BIN)/pytest -n 2 --dist worksteal -m corpus

mutants: $(READY) ## Plant known faults in a copy of the source: the tests named for each must fail
	$(BIN)/python tools/mutants.py

digests: $(READY) ## What this code produces otherwise than the sample, or than BASE=<git ref> on the corpus
	$(BIN)/python tools/digests.py $(if $(BASE),--base $(BASE)) $(if $(UPDATE),--update)

fuzz: $(READY) ## The compiled reader with sanitizers on damaged rows; FUZZ_SECONDS=240, FUZZ_SEED=1
	mkdir -p build/fuzz
	cc -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -shared -fPIC \
	  -I"$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("include"))')" \
	  src/toolcanon/bulk/_templates.c -o build/fuzz/_templates.so
	LD_PRELOAD="$$(cc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 \
	  timeout 1200 $(BIN)/python -m tests.damaged_rows $(FUZZ_SECONDS) $(FUZZ_SEED) build/fuzz/_templates.so

bench: $(READY) $(JUDGES) $(PEERS) ## Measure ratios against orjson and the peers
	$(BIN)/python -m compileall -q src
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/cold.py --peers
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/repeated.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/growth.py
	test ! -e $(PEERS) || env -u PYTHONDONTWRITEBYTECODE $(dir $(PEERS))bin/python benchmarks/conversations.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/check.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/define.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/calls.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/drift.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/shapes.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/watch.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/rows.py
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python benchmarks/startup.py

release-check: $(READY) ## Build, install and use a release with every Python this machine has
	$(BIN)/python tools/release_check.py

docs: $(READY) ## Regenerate the generated pages
	$(BIN)/python docs/generate.py

clean: ## Remove what was made
	rm -rf $(VENV) $(dir $(PEERS)) $(dir $(SERVERS)) $(dir $(TYPES)) .pytest_cache .mypy_cache .ruff_cache .hypothesis
	rm -rf build src/*.egg-info src/toolcanon/bulk/_*.so
