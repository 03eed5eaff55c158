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

.PHONY: help build configure test clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- what the machine needs -------------------------------------------------

$(STAMPS)/system: scripts/debian-packages.txt scripts/install-system-packages
	@scripts/install-system-packages
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

clean: ## Remove everything built (not the virtual environments)
	rm -rf build dist docs/_build
