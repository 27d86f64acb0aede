# Two commands for a machine with Python and make only: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
# where a second run with kernels as plain Python would show nothing new
NO_KERNELS := --ignore=tests/cli --ignore=tests/corpus --ignore=tests/docs --ignore-glob='tests/reports/test_report_[bps]*'

.PHONY: demo test check bench docs dist clean

demo: .venv/ready  ## set up, then cluster the docstrings of Python's own library
	$(BIN)/consilience demo --out demo-run --force

test: .venv/ready-dev  ## set up, then all tests; corpora are found through CONSILIENCE_DATA
	$(BIN)/python -m pytest -n auto --dist loadgroup
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -q -m "not compiled and not slow" $(NO_KERNELS)

check: .venv/ready-dev  ## what to run before a commit: style, types, imports, quick tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n auto -q -m "not slow"

bench: .venv/ready-dev  ## side by side with others, in one run; prints ratios
	$(BIN)/python bench/tfidf.py
	$(BIN)/python bench/kmeans.py
	$(BIN)/python bench/agglomerative.py
	$(BIN)/python bench/em.py
	$(BIN)/python bench/entropy.py race growth
	$(BIN)/python bench/density.py
	$(BIN)/python bench/mantel.py
	$(BIN)/python bench/measures.py
	$(BIN)/python bench/internal.py
	$(BIN)/python bench/measures_together.py
	$(BIN)/python bench/report.py
	$(BIN)/python bench/senses.py
	$(BIN)/python bench/ensemble.py
	$(BIN)/python bench/methods.py
	$(BIN)/python bench/outliers.py
	$(BIN)/python bench/million.py
	$(BIN)/python bench/startup.py

docs: .venv/ready-docs  ## docs/_build/html, offline; a warning is an error
	$(BIN)/python -m sphinx -b html -n -W --keep-going -q docs docs/_build/html
	@echo docs/_build/html/index.html

dist: .venv/ready-dev  ## wheel and sdist, each installed and tried in an empty environment
	rm -rf dist
	$(BIN)/python -m build --outdir dist .
	PYTHON=$(PYTHON) sh tests/try_dist.sh dist

clean:
	rm -rf .venv dist build demo-run demo-run-docstrings.jsonl docs/_build docs/generated

.venv/ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

.venv/ready-dev: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[dev]"
	touch $@

.venv/ready-docs: .venv/ready
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e ".[docs]"
	touch $@
