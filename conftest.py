"""Tests marked ``gpu`` run where there is one; no test fails because the machine is busy."""

from __future__ import annotations

import gc
from collections.abc import Generator
from importlib.util import find_spec

import pytest

from tests.support.profiles import register

register()

pytest_plugins = ["tests.support.browser"]

# Their examples run where the extra is installed. Any other module has to be imported: pytest's own
# switch for it would leave out, without a word, a test file that cannot be.
BEHIND_EXTRAS = {
    "docs/train_tagger.py": "torch",
    "fastcausal/training/evaluation.py": "evaluate",
    "fastcausal/training/inspect_ai.py": "inspect_ai",
    "fastcausal/training/span_score.py": "torchmetrics",
}
collect_ignore_glob = ["tests/support/harnesses/*"]  # programs that other environments run
collect_ignore = [path for path, module in BEHIND_EXTRAS.items() if find_spec(module) is None]


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
