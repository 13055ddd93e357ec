# The one runner. `make run` and `make test` do all their own set-up on a fresh machine.
# The first Python that will do; `make run PYTHON=...` names another.
ifndef PYTHON
PYTHON := $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; done; echo python3)
endif
VENV := .venv
# What `make run` needs and no more: a third of what the tests take.
RUN := .venv-run
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# `make test` runs the short version of the kill tests; `pytest tests/faults` runs 200 cycles.
FAULT_CYCLES ?= 25
PYTEST = $(BIN)/python -m pytest -rs --fault-cycles $(FAULT_CYCLES)

.PHONY: run install uninstall python test docs strace chromium console console-packages console-check fmt lint type bench proto schemas lock clean
.DEFAULT_GOAL := help

help:
	@echo "make run    set up and start the daemon and its console"
	@echo "make install     put palyra and palyrad on this user's PATH; make uninstall takes them away"
	@echo "make test   set up, then lint, types, layers and every test"
	@echo "make docs   write into README and guides what the commands in them print"
	@echo "make console   build the web console after a change in console/ or schemas/openapi.json (needs Node)"
	@echo "also: console-check fmt lint type bench proto schemas lock clean"

python:
	@command -v "$(PYTHON)" >/dev/null || { echo "error: Palyra needs Python 3.11 or newer, and there is no $(PYTHON)   hint: install it, or name another: make PYTHON=python3.12" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit("error: Palyra needs Python 3.11 or newer, and $(PYTHON) is " + sys.version.split()[0] + "   hint: install a newer one, or name it: make PYTHON=python3.12") if sys.version_info < (3, 11) else None'

$(READY): pyproject.toml requirements-dev.lock | python
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	$(BIN)/python -m compileall -q src  # as pip does for a package it installs: a start need not compile 570 files
	touch $@

run: python
	@"$(PYTHON)" setup/environment.py $(RUN)
	@$(RUN)/bin/palyra serve

# For this user: an environment of its own, and links to it in ~/.local/bin (or BIN_DIR=DIR).
install: python
	@"$(PYTHON)" setup/install.py $(if $(BIN_DIR),--bin "$(BIN_DIR)")

uninstall: python
	@"$(PYTHON)" setup/install.py --remove $(if $(BIN_DIR),--bin "$(BIN_DIR)")

test: lint type strace chromium
	$(PYTEST) --numprocesses auto --maxprocesses 4 --dist loadfile || { \
		echo "what failed beside the others is run once more, alone"; $(PYTEST) --last-failed --last-failed-no-failures none; }

# Runs every console block of README.md, docs/guides and docs/operations.md on a fresh home and writes what it printed into the page.
docs: $(READY)
	$(PYTEST) --numprocesses auto --maxprocesses 4 --dist loadfile --write-docs tests/docs

# Some fault tests stop the process at chosen system calls. Without strace they are skipped, and say so.
strace:
	@command -v strace >/dev/null || { command -v apt-get >/dev/null && test "$$(id -u)" = 0 && \
		{ apt-get install -y -q strace >/dev/null 2>&1 || { apt-get update -q >/dev/null 2>&1 && apt-get install -y -q strace >/dev/null 2>&1; }; } ; } || \
		echo "strace is not installed: the tests that kill at system calls will be skipped"

# The tests of the console need a browser. Without one they are skipped, and say so.
chromium:
	@command -v chromium >/dev/null || { command -v apt-get >/dev/null && test "$$(id -u)" = 0 && \
		{ apt-get install -y -q chromium >/dev/null 2>&1 || { apt-get update -q >/dev/null 2>&1 && apt-get install -y -q chromium >/dev/null 2>&1; }; } ; } || \
		echo "CHROMIUM IS NOT INSTALLED: THE TESTS OF THE CONSOLE WILL BE SKIPPED"

# Node's packages: to build the console. Nobody needs them to run or to test Palyra. (Not `npm ci`: it wants the lock to
# name the parts of rolldown for every other system, too.)
console-packages:
	@{ command -v npm >/dev/null && { test console/node_modules -nt console/package-lock.json || \
		{ cd console && npm install --no-save --silent --no-progress >/dev/null && touch node_modules; }; }; } || \
		echo "Node's packages are not installed: the console cannot be built"

# The pages that palyrad serves, from console/; committed, so that nobody needs Node to run it.
console: console-packages
	cd console && npm run --silent types && npm run --silent build

# Whether the committed pages are what the sources give: built anew, byte by byte.
console-check: console
	git diff --exit-code --stat -- src/palyra/transports/http/pages console/src/api/schema.d.ts

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache

type: $(READY)
	$(BIN)/mypy

fmt: $(READY)
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(READY)
	$(BIN)/python bench/journal.py
	$(BIN)/python bench/redaction.py
	$(BIN)/python bench/search_latency.py --sizes 1000,10000
	$(BIN)/python bench/load.py --seconds 5
	$(BIN)/python bench/prompt.py
	$(BIN)/python bench/chat.py
	$(BIN)/python bench/cron.py
	$(BIN)/python bench/external.py --items 5000 --queries 100
	$(BIN)/python bench/scale.py --principals 12 --items 100

# The code in src/palyra/transports/grpc/generated, from schemas/proto; a test compares the two.
proto: $(READY)
	$(BIN)/python schemas/generate_proto.py

# What is derived from the table of operations; tests/contract fails when it is out of date.
schemas: $(READY)
	$(BIN)/python -m palyra.transports.http.openapi > schemas/openapi.json.new
	mv schemas/openapi.json.new schemas/openapi.json
	$(BIN)/python -m palyra.wire.run_events > schemas/run_events.json.new
	mv schemas/run_events.json.new schemas/run_events.json

# Hashes for every platform, and no index addresses: the lock must say the same on every machine.
lock:
	$(PYTHON) -m venv $(VENV)/lock
	$(VENV)/lock/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml --group run --excludes setup/left-out.txt -o requirements.lock
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --no-annotate pyproject.toml --group dev -o requirements-dev.lock

clean:
	rm -rf $(VENV) $(RUN) $(RUN).lock .mypy_cache .ruff_cache .pytest_cache .hypothesis dist console/node_modules
