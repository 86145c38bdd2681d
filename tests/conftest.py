"""Tests marked ``gpu`` run where there is one; no test fails because the machine is busy."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

# Both look at the clock.
settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("busy")


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
