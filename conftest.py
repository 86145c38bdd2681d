"""Tests marked ``gpu`` run where there is one; no test fails because the machine is busy."""

from __future__ import annotations

import gc
import re
from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest
from _pytest.doctest import DoctestModule

from tests.support.profiles import register

register()

pytest_plugins = ["tests.support.browser"]

# Their examples run where the extra is installed. Any other module has to be imported: pytest's own
# switch for it would leave out, without a word, a test file that cannot be.
BEHIND_EXTRAS = {
    "docs/docstrings.py": "griffe",
    "docs/train_tagger.py": "torch",
    "fastcausal/training/evaluation.py": "evaluate",
    "fastcausal/training/inspect_ai.py": "inspect_ai",
    "fastcausal/training/span_score.py": "torchmetrics",
}
collect_ignore_glob = ["tests/support/harnesses/*"]  # programs that other environments run
collect_ignore = [path for path, module in BEHIND_EXTRAS.items() if find_spec(module) is None]
ALL_SLOW = re.compile(r"^pytestmark = \[?\s*pytest\.mark\.slow", re.MULTILINE)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """A quick run does not import files of slow tests alone: PyTorch takes a worker seconds."""
    if config.option.markexpr != "not slow" or collection_path.suffix != ".py":
        return None
    is_slow = is_behind_extras(collection_path, config) or ALL_SLOW.search(
        collection_path.read_text(encoding="utf-8")
    )
    return True if is_slow else None


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, list[object], list[object]]:
    """Only modules with examples are searched for these, function by function."""
    found = yield
    if file_path.suffix == ".py" and ">>>" not in file_path.read_text(encoding="utf-8"):
        return [collector for collector in found if not isinstance(collector, DoctestModule)]
    return found


def is_behind_extras(path: Path, config: pytest.Config) -> bool:
    return path in (config.rootpath / name for name in BEHIND_EXTRAS)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Thousands of tests stay to the end: the collector looks through what comes after them."""
    gc.disable()
    found = yield
    gc.freeze()
    gc.enable()
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("drawn")
        if is_behind_extras(item.path, item.config) or "browser" in item.fixturenames:
            item.add_marker("slow")  # a quick test needs the dependency group "test" alone
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    from fastcausal.engine.device import cuda
    from fastcausal.errors import InputError

    try:
        cuda.cupy()
    except InputError as error:
        for item in marked:
            item.add_marker(pytest.mark.skip(reason=str(error)))
