"""The recipes of docs/loggers.md and docs/evaluation-harnesses.md run with installed packages."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
HARNESSES = os.environ.get("FASTCAUSAL_HARNESSES")  # a Python that has them, and not this package
PATHS = {**os.environ, "PYTHONPATH": str(DOCS.parent)}
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# Settings that keep loggers quiet, and their files in this folder.
QUIET = {
    "HF_HUB_OFFLINE": "1",
    "MLFLOW_ALLOW_FILE_STORE": "true",
    "MLFLOW_TRACKING_URI": "mlruns",
    "WANDB_SILENT": "true",
}


def recipes():
    """Each section of the pages: the program of the page's start and of the section."""
    for page in ("loggers.md", "evaluation-harnesses.md"):
        start, *sections = re.split(r"^## ", (DOCS / page).read_text(), flags=re.MULTILINE)
        for section in sections:
            name = section.partition("\n")[0]
            yield pytest.param("\n".join(BLOCK.findall(start + section)), id=name)


def imported(program: str) -> set[str]:
    """The modules that a program imports: those above them have to be there too."""
    modules = set()
    for node in ast.walk(ast.parse(program)):
        match node:
            case ast.Import(names=names):
                modules |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module)):
                modules.add(module)
    return modules


@pytest.mark.slow
@pytest.mark.parametrize("program", [*recipes()])
def test_recipe(program, tmp_path):
    needed = {name.partition(".")[0] for name in imported(program)}
    needed |= {"tensorboard"} if "torch.utils.tensorboard" in imported(program) else set()
    python = sys.executable
    if lacking := [name for name in sorted(needed) if find_spec(name) is None]:
        python = HARNESSES
        if not python or subprocess.run([python, "-c", f"import {', '.join(needed)}"], env=PATHS,
                                        capture_output=True).returncode:  # fmt: skip
            pytest.skip(f"not installed: {', '.join(lacking)}")
    done = subprocess.run([python, "-c", program], cwd=tmp_path, capture_output=True,
                          encoding="utf-8", check=False, env={**PATHS, **QUIET})  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
