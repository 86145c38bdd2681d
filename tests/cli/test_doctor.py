"""``fastcausal doctor`` lists installed parts, and ends well whatever is missing."""

from __future__ import annotations

import json
import os
from importlib.metadata import version
from unittest.mock import patch

import fastcausal
from tests.support import played_cupy
from tests.support.cli import cli


def doctor(*options: str) -> str:
    out, err = cli("doctor", *options)
    assert not err
    return out


def test_json():
    found = json.loads(doctor("--json"))
    assert found["fastcausal"] == fastcausal.__version__
    assert found["numpy"] == version("numpy")
    assert found["pyarrow"] == version("pyarrow")
    assert found["training"].keys() == {"torch", "torchmetrics", "transformers", "evaluate"}
    assert 1 <= found["cores"]["usable"] <= found["cores"]["machine"] == os.cpu_count()
    native = found["native"]
    assert native["compiler"]
    assert native["instructions"]
    assert "++17" in native["flags"]  # -std=c++17 or /std:c++17
    assert (found["cuda"]["device"] is None) == (found["cuda"]["missing"] is not None)


def test_table():
    with (
        patch.dict("sys.modules", {"cupy": None}),
        patch("fastcausal.cli.doctor._version", {"numpy": "2"}.get),
    ):
        bare = doctor()
    for line in (
        "torch         not installed: pip install 'fastcausal[torch]'",
        "CuPy          not installed",
        "backends      cpu, reference\n",
    ):
        assert line in bare
    assert "pip install 'fastcausal[cuda12]'" in bare
    with played_cupy.instead():
        full = doctor()
    for line in (
        "CuPy          14.2.0",
        "CUDA          13.2, driver for 13.1",
        "device        played, compute capability 9.0, 2 multiprocessors, 1 GiB",
        "backends      cpu, reference, cuda\n",
    ):
        assert line in full
    assert "missing" not in full
