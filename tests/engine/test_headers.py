"""csrc/ without warnings, in any order of includes: no two headers define one name differently."""

from __future__ import annotations

import re

import pytest

from fastcausal.engine.device.sources import csrc
from tests.support import emulated

HEADERS = sorted(p.relative_to(csrc()).as_posix() for p in csrc().rglob("*.h*"))


@pytest.mark.slow  # as `make lint` and whatever is built see most faults
@pytest.mark.parametrize("order", [1, -1])
def test_all_headers_in_one_unit(order, tmp_path):
    source = tmp_path / "all.cpp"
    source.write_text("".join(f'#include "{header}"\n' for header in HEADERS[::order]))
    assert emulated.compiled(source, "-fsyntax-only").stderr == ""


def test_a_room_includes_rooms_above_it():
    text = (csrc() / "README.md").read_text(encoding="utf-8")
    rooms = re.findall(r"^\| `(\w+)/` \|", text, re.MULTILINE)
    assert sorted(rooms) == sorted(path.name for path in csrc().iterdir() if path.is_dir())
    for source in csrc().rglob("*.*"):
        for room in re.findall(r'^#include "(\w+)/', source.read_text("utf-8"), re.MULTILINE):
            assert rooms.index(room) <= rooms.index(source.parent.name), source
