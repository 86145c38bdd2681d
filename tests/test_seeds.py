"""The tables of docs/seeds.md: no cell is empty, and each command, option and file is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fastcausal.cli import app

ROOT = Path(__file__).parents[1]
HEAD = ["quantity", "command", "test"]
FILES = {path.name for path in (ROOT / "tests").rglob("*.py")}


def rows():
    """The cells of each row."""
    for line in (ROOT / "docs" / "seeds.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            if cells != HEAD and not set(line) <= set("|-: "):
                yield cells


def command_of(words):
    """The command that some words start with."""
    found = app
    for word in words:
        if not hasattr(found, "get_command") or (inner := found.get_command(None, word)) is None:
            break
        found = inner
    return found


def test_there_are_rows():
    assert len([*rows()]) > 30


@pytest.mark.parametrize("row", [*rows()], ids=lambda row: row[0])
def test_each_row_names_a_command_and_a_test(row):
    quantity, command, test = row
    assert quantity
    first = re.match(r"`([^`]+)`", command)
    assert first, row
    found = command_of(first[1].split())
    assert found is not app, row
    assert not hasattr(found, "commands"), row
    options = {name for each in found.params for name in each.opts}
    assert set(re.findall(r"--[a-z-]+", first[1])) <= options, row
    named = re.findall(r"`([^`]+)`", test)
    assert named or test == "the same", row
    for name in named:
        assert name in FILES or (ROOT / name).exists(), row
