"""Tests marked ``gpu`` run where there is one; no test fails because the machine is busy."""

from __future__ import annotations

import pytest

from tests.support.profiles import register

register()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
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
