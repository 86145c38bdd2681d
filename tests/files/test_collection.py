"""The garbage collector rests while objects are made, and runs again however that ends."""

from __future__ import annotations

import gc
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import fastcausal as fc
from fastcausal.files.values import pause_gc


@pytest.fixture(autouse=True)
def running():
    gc.enable()
    yield
    assert gc.isenabled()


@pause_gc()
def failing(error, inner=None):
    assert not gc.isenabled()
    if inner is not None:
        with pytest.raises(type(inner)):
            failing(inner)
        assert not gc.isenabled()
    raise error


@pytest.mark.parametrize("error", [ValueError(), KeyboardInterrupt()])
def test_calls_within_calls_and_errors(error):
    with pytest.raises(type(error)):
        failing(error, ValueError())


def test_a_collector_that_rests_already():
    gc.disable()
    with pause_gc():
        pass
    assert not gc.isenabled()
    gc.enable()


def test_a_generator_that_is_left():
    def rows():
        with pause_gc():
            yield gc.isenabled()

    assert next(rows()) is False


def test_threads():
    barrier = Barrier(2, timeout=20)

    def run(k):  # another thread may let the collector run before this one ends
        for _ in range(20):
            barrier.wait()
            with pytest.raises(ValueError, match=str(k)), pause_gc():
                raise ValueError(k)
        barrier.wait()
        return True

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(run, range(2)))


EXAMPLE = {"id": "a", "text": "rain fell", "length": 2}
READ = {
    "examples": [EXAMPLE | {"relations": [{"cause": [[0, 1]]}]}],
    "spans": [{"text": "rain", "Doc": 1, "relations": [{"cause": "RAIN"}]}],
    "jsonl": [EXAMPLE | {"x": [1], "relations": [[{"role": "cause", "start": 0, "stop": 1}]]}],
}


@pytest.mark.parametrize("name", READ)
@pytest.mark.parametrize("is_faulty", [False, True])
def test_readers(tmp_path, monkeypatch, name, is_faulty):
    """Every reader lets garbage collection rest, for sound files and for faulty ones."""
    seen = []
    monkeypatch.setattr(gc, "disable", lambda: seen.append(True))
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(map(json.dumps, READ[name])) + "\nx" * is_faulty)
    if is_faulty:
        with pytest.raises(fc.InputError, match=r"a\.jsonl:2: "):
            fc.read(path, format=name)
    else:
        fc.read(path, format=name)
    assert seen
