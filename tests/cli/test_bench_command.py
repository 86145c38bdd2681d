"""``fastcausal bench`` runs the benchmarks of bench/, from a checkout and from the package."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from inspect import isfunction
from pathlib import Path
from types import SimpleNamespace

import pytest

import fastcausal as fc
from bench import corpus, page, test_public
from bench.conftest import Clocks, Outcome, corpus_of
from fastcausal import crab, sample
from fastcausal.cli.bench import NEEDED, _folder

ENTRY = "from fastcausal.cli import main; main()"


def bench(*arguments: str, before: str = "", cwd: Path | None = None):
    # Benchmarks do not run if these variables show that the process is one of several.
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_XDIST")}
    return subprocess.run(
        [sys.executable, "-c", f"{before}{ENTRY}", "bench", *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=cwd,
        env=env,
    )


@pytest.mark.slow
def test_a_part_is_run(tmp_path):
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --no-such-option\n")  # not ours
    done = bench("kernels", "--sentences", "300", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "kernel in Python, by numba: rows to counts" in done.stdout
    assert "exact_spans, C++, built in" in done.stdout
    assert " GB/s " in done.stdout
    assert [path.name for path in tmp_path.iterdir()] == ["pytest.ini"]


def test_unknown_part():
    done = bench("everything")
    assert done.returncode == 2
    assert 'unknown benchmark "everything", expected one of agreement, ' in done.stderr


@pytest.mark.parametrize("module", ["sklearn", "pytest_benchmark"])
def test_what_is_missing(module):
    done = bench("kernels", before=f"import sys; sys.modules[{module!r}] = None; ")
    assert done.returncode == 2
    name = NEEDED[module]
    assert f"error: benchmarks need {name}: pip install {name}" in done.stderr


def test_figures_name_the_sentences_they_are_of(monkeypatch):
    """An installation has no corpus beside it: its figures are of the embedded sample."""
    request = SimpleNamespace(module=SimpleNamespace(CORPUS="340 sentences of CNC"), node=None)
    monkeypatch.setattr(corpus, "TRAIN", sample.GOLD)
    assert corpus_of(request) == "340 sentences of CNC"
    monkeypatch.setattr(corpus, "TRAIN", Path("nowhere"))
    assert corpus_of(request) == "340 sentences of embedded sample"


def test_every_import_of_the_benchmarks_is_looked_for():
    """Modules that bench/ imports are standard, or in fastcausal's requirements or NEEDED."""
    imported = set()
    for path in _folder().glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                imported.add(node.module.partition(".")[0])
    ours = {"fastcausal", "numpy", "pyarrow"} | set(sys.stdlib_module_names)
    assert imported - ours <= set(NEEDED)
    assert set(NEEDED) - {"pytest_benchmark"} <= imported


def test_the_growth_of_every_public_name_is_measured():
    named = set(test_public.CASES).union(*test_public.OF_NO_SIZE.values())
    of_crab = {f"crab.{name}" for name in crab.__all__ if isfunction(getattr(crab, name))}
    assert named == {*fc.__all__, *of_crab}


def test_every_part_of_the_page_names_its_corpus():
    parts = page.parts_to_run(page.marks_of(page.PAGE.read_text()))
    assert len(parts) == len(set(parts))
    for part in parts:
        assert '\nCORPUS = "' in (page.FOLDER / f"test_{part}.py").read_text(), part


def test_a_part_brings_the_others_of_its_mark():
    marks = [["start", "streams"], ["sweep"]]
    assert page.parts_to_run(marks, ["streams"]) == ["start", "streams"]
    assert page.parts_to_run(marks) == ["start", "streams", "sweep"]


def test_tables_of_a_page_are_written_between_its_marks(tmp_path):
    target = tmp_path / "page.md"
    head = "# Figures\n\n<!-- bench -->\n<!-- end -->\n\nkept\n<!-- bench: start streams -->\n"
    rest = "<!-- end -->\nkept\n<!-- bench: sweep -->\nkept\n<!-- end -->\n"
    target.write_text(f"{head}| old |\n{rest}")
    ours, reads, other = (Clocks(s, s, s) for s in (0.006, 0.003, 0.6))
    races = [
        Outcome("streams", "scored", "CNC", 100, ours, {}, {"read": reads}, 0, 0),
        Outcome("streams", "paired", "CNC", 1, ours, {"plain": other}, {}, 0, 0),
    ]
    for _ in range(2):  # the second time changes nothing
        page.write(target, races, {"start": ["peak memory 5 MB"]}, 100)
    text = target.read_text()
    assert text.endswith(rest)
    assert text.startswith("# Figures\n\n<!-- bench -->\n")
    assert "`--sentences 100`" in text
    assert "| old |" not in text
    fast, slow = (
        "| paired | CNC | 6 ms |  | plain | 100 |",
        "| scored | CNC | 6 ms | 60 µs | read | 2 |",
    )
    assert text.index("times as fast") < text.index(fast) < text.index("times of reading")
    assert text.index("times of reading") < text.index(slow) < text.index("* peak memory 5 MB\n")


FAKE = """#!/bin/sh
echo "$@" >>"$LOG"
case "$*" in *pytest*-m*gpu*) exit 124 ;; esac
"""


def test_a_part_of_make_gpu_over_its_limit_stops_no_other(tmp_path):
    """`timeout` is played: it notes each part, and says that the tests took too long."""
    (tmp_path / "timeout").write_text(FAKE)
    (tmp_path / "timeout").chmod(0o755)
    log = tmp_path / "log"
    env = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}", "LOG": str(log), "VENV": "v"}
    done = subprocess.run(["bench/gpu.sh"], env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout.endswith("== not done: tests\n")
    *_, tests, page_ = parts = log.read_text().splitlines()
    assert sum(int(part.split()[4]) + 5 for part in parts) <= 8 * 60
    assert "tests/engine/test_cuda.py" in tests
    assert "-m bench.page --page docs/cuda.md" in page_
