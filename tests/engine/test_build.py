"""The native modules under test are those that were built for it."""

from __future__ import annotations

import os

import pytest

from fastcausal.engine._native import build_info


@pytest.mark.skipif("asan" not in os.environ.get("LD_PRELOAD", ""), reason="no sanitizers")
def test_sanitized_modules_are_tested():
    assert "-fsanitize=address,undefined" in build_info()["flags"]
