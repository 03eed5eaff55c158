# Everyday commands; `make help` lists them. CMake does the C++ work
# (CMakePresets.json), pip the Python work (pyproject.toml, requirements.lock).
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON ?= python3
JOBS ?= $(shell nproc)
VENV := $(CURDIR)/.venv
PY := $(VENV)/bin/python
BUILD := build/release
STAMPS := build/stamps

.PHONY: help build configure test demo bench bench-peers docs stubs format lint clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- what the machine needs -------------------------------------------------

$(STAMPS)/system: scripts/debian-packages.txt scripts/install-system-packages
	@scripts/install-system-packages
	@mkdir -p $(@D) && touch $@

$(STAMPS)/system-lint: scripts/debian-packages-lint.txt
	@scripts/install-system-packages debian-packages-lint.txt
	@mkdir -p $(@D) && touch $@

$(STAMPS)/venv: $(STAMPS)/system
	@test -x $(PY) || $(PYTHON) -m venv $(VENV)
	@touch $@

# One stamp per group of Python packages named in pyproject.toml.
$(STAMPS)/python-%: $(STAMPS)/venv requirements.lock pyproject.toml
	@echo "Python packages: $*"
	@$(PY) -m pip install -q -c requirements.lock pip
	@$(PY) -m pip install -q -c requirements.lock --group $*
	@touch $@

# ---- build ------------------------------------------------------------------

configure: $(STAMPS)/python-build
	@if [ ! -f $(BUILD)/build.ninja ]; then \
	  cmake --preset release -DMLX_BUILD_PYTHON_BINDINGS=ON -DPython_EXECUTABLE=$(PY); fi

build: configure ## Build all; .venv/bin/python has mlx, build/install the C++ package
	@cmake --build $(BUILD) -j $(JOBS)
	@scripts/install-build $(BUILD) $(PY)

test: build $(STAMPS)/python-test ## Run the C++ and the Python tests
	@ctest --test-dir $(BUILD) --output-on-failure
	@$(PY) -P -m pytest tests/python

demo: build $(STAMPS)/python-demo ## Train a classifier of real digits, then use it from C++ (writes out/)
	@$(PY) -P examples/python/digits.py --output out
	@$(BUILD)/examples/cpp/digits out/digits.safetensors out/digits_test.safetensors

bench: build ## Time our package, this machine's limits and the peers (ROUNDS=5, CASES=regex)
	@cmake -B $(BUILD) -DMLX_BUILD_BENCHMARKS=ON >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)
	@$(PY) -P bench/python/run_suite.py compare.py --rounds $(or $(ROUNDS),5) --cases '$(CASES)'

bench-peers: $(STAMPS)/system ## Install upstream, PyTorch (5 GB) and JAX into .peers (PEERS="torch jax")
	@scripts/install-peers $(PYTHON) $(PEERS)

docs: build $(STAMPS)/python-docs ## Build the documentation into docs/_build/html
	@$(PY) -P -m sphinx -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

stubs: build ## Write the type stubs of mlx.core (python/mlx/core) anew
	@scripts/make-stubs $(PY)

format: $(STAMPS)/system-lint $(STAMPS)/python-lint ## Format the C++ (clang-format) and the Python (ruff)
	@git ls-files '*.h' '*.cpp' '*.inc' | xargs clang-format -i
	@$(PY) -m ruff check -q --fix . ; $(PY) -m ruff format -q .

lint: build $(STAMPS)/system-lint $(STAMPS)/python-lint ## clang-tidy on changed C++ files (FILES=... for others), ruff, mypy
	@$(PY) -m ruff check .
	@$(PY) -m mypy
	@files="$(or $(FILES),$$(git diff --name-only --diff-filter=d main -- '*.cpp' | grep -v 'tier.cpp\|v4bf16.cpp'))"; \
	  [ -z "$$files" ] || clang-tidy -p $(BUILD) --quiet $$files

clean: ## Remove everything built (not the virtual environments)
	rm -rf build dist docs/_build
