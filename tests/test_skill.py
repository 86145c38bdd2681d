"""The skill for agents inside the package: its commands run as they stand, its keys are printed."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from functools import reduce
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from fastcausal.cli.shapes import SHAPES
from tests.cli.test_options import COMMANDS, options

SKILL = files("fastcausal") / ".agents" / "skills" / "fastcausal" / "SKILL.md"
TEXT = SKILL.read_text(encoding="utf-8")
LINES = [line for block in re.findall(r"^```sh\n(.*?)^```$", TEXT, re.M | re.S)
         for line in block.splitlines()]  # fmt: skip
ROW = re.compile(r"^\| `(\w+)[^|]*\| (`[\w.]+`(?:, `[\w.]+`)*) \|$", re.M)


def test_the_skill_has_front_matter_and_is_short():
    front = re.fullmatch(r"---\nname: ([a-z-]+)\ndescription: (.+)\n---\n.*", TEXT, re.S)
    assert front
    assert front[1] == "fastcausal"
    assert len(front[2].splitlines()[0]) <= 1024
    assert 150 <= len(TEXT.splitlines()) <= 200
    assert len(LINES) > 30


def test_the_skill_names_commands_and_options_that_are_there():
    flags = {option.opts[0] for _, option in options()}
    assert set(re.findall(r"(?<!-)--[a-z][a-z-]+", TEXT)) <= flags
    table = TEXT.partition("| you have | type |")[2].partition("\n\n")[0]
    named = [row[1] for row in re.finditer(r"\| `(\w+)[^`]*` \|$", table, re.M)]
    assert len(named) > 12
    assert {name for name in named if name not in COMMANDS} <= {"crab"}  # a group


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[int, str, str]]:
    """Run each line in a shell, one after the other, in an empty folder."""
    folder: Path = tmp_path_factory.mktemp("agent")
    programs = folder / "bin"
    programs.mkdir()
    for name, words in {"fastcausal": "-m fastcausal", "python": ""}.items():
        script = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {words} "$@"\n'
        (programs / name).write_text(script)
        (programs / name).chmod(0o755)
    found = {}
    for line in LINES:
        path = os.pathsep.join((str(programs), os.environ["PATH"]))
        done = subprocess.run(
            line,
            shell=True,
            cwd=folder,
            env={**os.environ, "PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
        found[line] = done.returncode, done.stdout, done.stderr
    return found


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES)
def test_a_line_of_the_skill_runs(line: str, printed: dict[str, tuple[int, str, str]]) -> None:
    code, out, err = printed[line]
    told = re.search(r"# exits (\d+)$", line)
    assert code == (int(told[1]) if told else 0), err
    if "--json" in line and ">" not in line:
        assert ("error" in json.loads(out)) == (code == 2)


@pytest.mark.slow
def test_keys_of_the_skill_are_printed(printed: dict[str, tuple[int, str, str]]) -> None:
    outputs: dict[str, list[Any]] = {}
    for line, (code, out, _) in printed.items():
        if line.startswith("fastcausal ") and "--json" in line and ">" not in line and code < 2:
            outputs.setdefault(line.split()[1], []).append(json.loads(out))
    table = TEXT.partition("| command | where the answer is |")[2].partition("\n\n")[0]
    rows = ROW.findall(table)
    assert len(rows) == table.count("\n") - 1
    for command, paths in rows:
        assert command in SHAPES
        for path in re.findall(r"`([\w.]+)`", paths):
            assert any(has(output, path.split(".")) for output in outputs[command]), path


def has(value: Any, path: list[str]) -> bool:
    """Tell if a value is at a path of keys and places."""
    try:
        reduce(lambda inner, key: inner[int(key) if key.isdigit() else key], path, value)
    except (KeyError, IndexError, TypeError):
        return False
    return True
