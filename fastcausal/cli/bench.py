"""``fastcausal bench``."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import click

from fastcausal.cli.parameters import Argument, Option
from fastcausal.errors import InputError

PACKAGE = Path(__file__).parents[1]
# Packages that the benchmarks import: module name, then package name.
NEEDED = {
    "krippendorff": "krippendorff",
    "nervaluate": "nervaluate",
    "networkx": "networkx",
    "numba": "numba",
    "pytest": "pytest",
    "pytest_benchmark": "pytest-benchmark",
    "scipy": "scipy",
    "seqeval": "seqeval",
    "sklearn": "scikit-learn",
    "statsmodels": "statsmodels",
}


def bench(
    parts: Annotated[
        list[str] | None, Argument(help="Run only these parts, for example growth peers.")
    ] = None,
    sentences: Annotated[
        int, Option(min=1, max=10**9, help="Set the number of sentences in the large corpus.")
    ] = 100_000,
) -> None:
    """Time fastcausal against other libraries, after asserting equal answers.

    Examples
    --------
    fastcausal bench peers --sentences 1000
    """
    folder = _folder()
    parts_by_name = {path.stem.removeprefix("test_"): path for path in folder.glob("test_*.py")}
    for part in parts or ():
        if part not in parts_by_name:
            known = ", ".join(sorted(parts_by_name))
            raise InputError(f'unknown benchmark "{part}", expected one of {known}')
    missing = [name for module, name in NEEDED.items() if find_spec(module) is None]
    if missing:
        raise InputError(f"benchmarks need {', '.join(missing)}: pip install {' '.join(missing)}")
    from tempfile import TemporaryDirectory

    import pytest

    own = ("-c", str(folder / "pytest.ini"), "--rootdir", str(folder), "-p", "no:cacheprovider")
    chosen = [str(parts_by_name[part]) for part in parts or sorted(parts_by_name)]
    with TemporaryDirectory() as storage:  # else pytest-benchmark writes to the current directory
        only = ("--benchmark-only", f"--benchmark-storage=file://{storage}")
        status = pytest.main([*own, "-q", *only, f"--sentences={sentences}", *chosen])
    raise click.exceptions.Exit(int(status))


def _folder() -> Path:
    """Return the folder inside an installed package, or beside it in a checkout."""
    for folder in (PACKAGE / "_bench", PACKAGE.parent / "bench"):
        if (folder / "pytest.ini").exists():
            return folder
    raise InputError(f"{PACKAGE} was installed without its benchmarks")
