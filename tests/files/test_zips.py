"""Zips of unknown origin: read in memory, or one message and nothing written."""

from __future__ import annotations

import random

import pytest

from fastcausal.errors import InputError
from fastcausal.files import zips
from tests.support.zips import GOOD, HOSTILE, PAYLOAD, packed


def read(data):
    archive = zips.Archive("x.zip", data)
    return {name: archive.read(name) for name in archive.names}


@pytest.mark.parametrize("name", [name for name in HOSTILE if name != "nested"])
def test_hostile(name):
    data, message = HOSTILE[name]
    with pytest.raises(InputError, match=message):
        read(data)


def test_every_cut_is_refused():
    for stop in range(4, len(GOOD)):
        with pytest.raises(InputError, match=r"^x\.zip.*damaged"):
            read(GOOD[:stop])


def test_files_of_directories():
    assert read(packed({"b/": b"", "b/y.txt": b"Rain", "a.ann": PAYLOAD})) == {
        "a.ann": PAYLOAD,
        "b/y.txt": b"Rain",
    }


def test_a_large_log_is_read_file_by_file(monkeypatch):
    """A log may unpack to more than other zips, in proportion to its size."""
    monkeypatch.setattr(zips, "MAX_BYTES", 10_000)
    files = {f"{k}": random.Random(k).randbytes(4000) for k in range(5)}
    archive = zips.Archive("x.eval", packed(files), zips.Room(10_000), is_log=True)
    assert [archive.read(name) for name in archive.names] == [*files.values()]
    bomb = packed({f"{k}": bytes(10_000) for k in range(50)})
    archive = zips.Archive("x.eval", bomb, zips.Room(10_000), is_log=True)
    n_free = zips.MAX_RATIO * len(bomb) // 10_000
    assert n_free > 1
    for _ in range(n_free):
        archive.read("7")
    with pytest.raises(InputError, match=r"x.eval: unpacks to more than 10000 bytes"):
        archive.read("7")
    archive = zips.Archive("x.eval", packed({"a": bytes(10_001)}), zips.Room(10_000), is_log=True)
    with pytest.raises(InputError, match="unpacks to more than"):
        archive.read("a")


def test_zips_inside_share_the_room(monkeypatch):
    inner = packed({"x": bytes(1 << 16)})
    archive = zips.Archive("x.zip", packed({"1.zip": inner, "2.zip": inner}), zips.Room(100_000))
    one, two = map(archive.inside, archive.names)
    one.read("x")
    with pytest.raises(InputError, match=r"^x\.zip/2\.zip: unpacks to 65536 bytes"):
        two.read("x")
