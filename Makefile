# `make help` lists the targets. All of them work in an environment of their own, $(VENV).

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

CSRC   := $(shell find csrc -type f)
HEADERS := $(patsubst csrc/%,%,$(filter %.h %.hpp,$(CSRC)))
NATIVE := $(shell find fastcausal -name '*.pyx' -o -name '*.pxd')
STUBBED := $(subst /,.,$(patsubst %.pyi,%,$(shell find fastcausal -name '_[a-z]*.pyi')))
ON_ALL_CORES := -n auto --dist worksteal
# The library that finds wrong reads and writes, where the compiler has it.
ASAN   := $(filter /%,$(shell $(CXX) -print-file-name=libasan.so))
# What the installed package was built from: a change of any installs it anew.
INPUTS := pyproject.toml setup.py $(NATIVE) $(CSRC) $(VENV)/.switches

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
export PIP_PREFER_BINARY := 1
MKDOCS := NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs
# Tests start hundreds of processes: each would compile all modules again.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test test-all test-lowest format lint typecheck check site docs page build wheel-test bench gpu \
	capi sanitize fuzz clean FORCE

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.run  ## score the embedded sample
	$(BIN)/fastcausal demo
	@echo
	@echo "The command is $(BIN)/fastcausal. Next, with files to play with:"
	@echo "  $(BIN)/fastcausal demo --copy-to sample"
	@echo "  $(BIN)/fastcausal score sample/gold.csv sample/careful.jsonl"

# Without PyTorch and what needs it, which from the public index alone is some 5 GB of CUDA.
# A fraction of the random examples; the tests of a file stay together as far as they can.
test: $(VENV)/.test  ## run the quick tests of the core, and the examples in docstrings and documents
	$(BIN)/pytest -q $(ON_ALL_CORES) -m 'not slow' --hypothesis-profile=dev

# What `test` runs is not run again but for tests that draw: these draw all their examples.
test-all: $(VENV)/.test-all test $(if $(ASAN),sanitize) test-lowest  ## run all tests: also slow ones, those of training, sanitizers, lowest versions
	FASTCAUSAL_HARNESSES=$(abspath $(wildcard $(VENV)-harnesses/bin/python)) \
		$(BIN)/pytest -q $(ON_ALL_CORES) -m 'slow or drawn'

# Without fuzzing, training and documents, and without the examples in docstrings: 1 to 2 minutes.
test-lowest: $(VENV)-lowest/.test  ## run the quick tests of the core on the lowest versions that pyproject.toml declares
	$(VENV)-lowest/bin/pytest -q $(ON_ALL_CORES) tests -m 'not slow' --hypothesis-profile=dev \
		--ignore=tests/fuzz --ignore=tests/training --ignore=tests/test_docs.py

format: $(VENV)/.dev  ## bring all sources into shape, lists of kernels included
	$(BIN)/python -m tests.support.kernel_tables
	$(BIN)/ruff check --fix --exit-zero
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(filter %.h %.hpp %.cpp %.cu %.cuh,$(CSRC))

lint: $(VENV)/.dev  ## run formatters and linters, changing nothing
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	PATH="$(abspath $(BIN)):$$PATH" cython-lint fastcausal
	$(BIN)/clang-format --dry-run --Werror $(filter %.h %.hpp %.cpp %.cu %.cuh,$(CSRC))
	mkdir -p build
	printf '#include "%s"\n' $(HEADERS) >build/host.cpp
	echo '#include "grid.cpp" // NOLINT' >build/device.cpp # a device's code, as tests play it
	$(BIN)/clang-tidy --quiet build/host.cpp csrc/capi/fastcausal.cpp -- -std=c++17 -Icsrc -Icsrc/include
	$(BIN)/clang-tidy --quiet build/device.cpp -- -std=c++17 -Icsrc -Itests/support/emulation \
		-D__CUDA_ARCH__=900

typecheck: $(VENV)/.dev  ## run mypy --strict, and compare the stubs of native modules with these
	$(BIN)/mypy
	$(BIN)/stubtest $(STUBBED) --mypy-config-file pyproject.toml \
		--allowlist tests/support/stubtest.txt

check: lint typecheck wheel-test demo site test-all fuzz  ## run all that CI runs

site: $(VENV)/.docs $(VENV)/.page  ## build the documentation into build/site and test it: links, search, pages in a browser
	$(MKDOCS) build --quiet
	-npm install --silent --no-save --prefix build/axe axe-core
	FASTCAUSAL_SITE=site $(BIN)/pytest -q tests/site

docs: $(VENV)/.docs $(VENV)/.page  ## build the documentation and serve it at http://127.0.0.1:8000
	$(MKDOCS) serve

page: $(VENV)/.page  ## compile the page that scores to WebAssembly, which sdist and wheels carry

build: $(VENV)/.wheels $(VENV)/.page  ## build sdist and wheel into dist/
	rm -rf dist
	$(BIN)/python -m build --quiet

wheel-test: $(VENV)/.wheels $(VENV)/.page  ## build wheels by two compilers, look at them, and run one away from the sources
	FASTCAUSAL_WHEELS=1 $(BIN)/pytest -q tests/packaging

# Laid out as an installed tree; make capi CAPI=/usr/local builds it there.
CAPI := build/capi
CAPI_FLAGS := -std=c++17 -O3 -ffp-contract=off -fvisibility=hidden -fPIC -pthread -Icsrc -Icsrc/include
capi: $(CAPI)/lib/libfastcausal.so  ## build the C library, static and shared, into build/capi

$(CAPI)/lib/libfastcausal.so: csrc/capi/fastcausal.pc.in $(CSRC)
	mkdir -p $(CAPI)/include $(@D)/pkgconfig
	cp csrc/include/fastcausal.h $(CAPI)/include
	sed 's|@prefix@|$(abspath $(CAPI))|' $< >$(@D)/pkgconfig/fastcausal.pc
	$(CXX) $(CAPI_FLAGS) $(CXXFLAGS) -c csrc/capi/fastcausal.cpp -o $(@D)/fastcausal.o
	rm -f $(@D)/libfastcausal.a
	$(AR) rcs $(@D)/libfastcausal.a $(@D)/fastcausal.o
	$(CXX) -shared -pthread $(@D)/fastcausal.o -o $@
	rm $(@D)/fastcausal.o

bench: $(VENV)/.test-all  ## run the benchmarks
	$(BIN)/fastcausal bench

gpu:  ## on a machine with a GPU and CuPy: install, test, and write docs/cuda.md, in eight minutes
	PYTHON=$(PYTHON) VENV=$(VENV)-gpu bench/gpu.sh

# The rooms with native modules; `make sanitize SANITIZED=tests` takes ten times as long.
SANITIZED := tests/arrays tests/decoding tests/engine tests/formats tests/significance \
	tests/tasks/crab tests/tasks/answers tests/tasks/qa tests/tasks/meta \
	tests/tasks/relations/test_as_tagged.py
sanitize: $(VENV)/.test  ## run tests on native modules that check memory and undefined behaviour
	rm -rf build/tested
	FASTCAUSAL_SANITIZE=address,undefined $(BIN)/pip install -q --no-deps --target build/tested .
	LD_PRELOAD="$(ASAN) $$($(CXX) -print-file-name=libstdc++.so)" \
		ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
		PYTHONPATH=build/tested:. $(BIN)/pytest -q -o pythonpath=build/tested $(SANITIZED) $(ON_ALL_CORES) -m 'not slow' \
		--hypothesis-profile=dev --capture=sys -p no:faulthandler -o addopts=--import-mode=importlib

fuzz: $(VENV)/.test  ## run the command line and each native parser on mutated input, a quarter of a minute each
	FASTCAUSAL_FUZZ_SECONDS=15 $(BIN)/pytest -q $(ON_ALL_CORES) tests/fuzz

clean:  ## remove the environments and all that was built
	rm -rf $(VENV) $(VENV)-gpu $(VENV)-lowest $(VENV)-harnesses build dist *.egg-info
	find fastcausal -name '*.so' -delete
	rm -rf .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and \
		"Python 3.11 or newer is needed, for example: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)

# Rewritten only when a switch of setup.py changes, so that this too builds the module anew.
$(VENV)/.switches: FORCE | $(BIN)/python
	@now='$(FASTCAUSAL_DEBUG)/$(FASTCAUSAL_SANITIZE)/$(FASTCAUSAL_WERROR)'; \
		[ "$$now" = "$$(cat $@ 2>/dev/null)" ] || echo "$$now" >$@

# Installs groups of pyproject.toml, which older releases of pip do not know.
INSTALL := $(BIN)/pip install -q 'pip>=25.1' && $(BIN)/pip install -q

# Stamps for the package alone, with what the tests need, with what all tests need. Where the package
# is installed, pip adds what an extra of it needs, and builds nothing again.
$(VENV)/.run: $(INPUTS) | $(BIN)/python
	$(BIN)/pip install -q -e .
	touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/.run
	$(INSTALL) --group test
	touch $@

$(VENV)/.test-all: pyproject.toml $(VENV)/.page | $(VENV)/.run
	$(INSTALL) 'fastcausal[text,torch,hf,ray]' --group test-all
	touch $(VENV)/.test $@

# A minute of processor time, and 90 MB for the compiler.
$(VENV)/.page: setup.py $(CSRC) | $(BIN)/python
	$(BIN)/pip install -q 'setuptools>=77' 'ziglang>=0.14'
	$(BIN)/python setup.py -q build_page
	touch $@

# Harnesses write logs in an environment of their own (2 GB); test-all uses it where
# `make .venv-harnesses/.test` has built it, and skips their tests without it.
$(VENV)-harnesses/.test:
	$(PYTHON) -m venv $(VENV)-harnesses
	-$(VENV)-harnesses/bin/pip install -q inspect-ai openai lm-eval
	-$(VENV)-harnesses/bin/pip install -q deepeval mlflow
	-$(VENV)-harnesses/bin/pip install -q every-eval-ever  # Python 3.12 or newer
	touch $@

# The native modules are those that $(VENV) has built: a path entry leads to them.
$(VENV)-lowest/.test: $(VENV)/.test tests/support/lowest.py
	$(PYTHON) -m venv --clear $(VENV)-lowest
	mkdir -p build
	$(BIN)/python tests/support/lowest.py >build/lowest.txt
	$(VENV)-lowest/bin/pip install -q -r build/lowest.txt
	$(VENV)-lowest/bin/python -c 'import site, sys; from pathlib import Path; \
		Path(site.getsitepackages()[0], "fastcausal.pth").write_text(sys.argv[1])' '$(CURDIR)'
	touch $@

# And with what documentation, packages and developers need.
$(VENV)/.docs $(VENV)/.wheels $(VENV)/.dev: $(VENV)/.test
	$(INSTALL) --group $(patsubst .%,%,$(notdir $@))
	touch $@
