"""Commands made of functions: the source says as much as the imported function."""

from __future__ import annotations

import inspect
import json
import re
import sys
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin, get_type_hints

import pytest

from fastcausal import cli as command_line
from fastcausal.cli.crab import crab
from fastcausal.cli.described import Described
from fastcausal.counts.command import CommandRecord
from fastcausal.counts.task import Task, resolve
from fastcausal.tasks import declared as registry
from tests.cli.test_options import COMMANDS
from tests.support.cli import cli
from tests.tasks import toy

LONGEST = 90
ENTRIES = command_line.entries()
HELD = [resolve(entry) if isinstance(entry, str) else entry for entry in ENTRIES.values()]
RECORDS = {
    record.function: record
    for record in (*HELD, *crab.entries.values())
    if isinstance(record, CommandRecord)
}


@pytest.fixture(params=RECORDS)
def record(request):
    return RECORDS[request.param]


def test_most_commands_of_tasks_are_derived():
    assert len(RECORDS) >= 20


def test_the_source_has_the_types_and_defaults_of_the_function(record):
    function = resolve(record.function)
    hints = get_type_hints(function)
    described = Described(record.function)
    assert [*described.parameters] == [*inspect.signature(function).parameters]
    assert described.summary == " ".join(inspect.getdoc(function).partition("\n\n")[0].split())
    for name, given in inspect.signature(function).parameters.items():
        read = described.parameters[name]
        assert read.required == (given.default is given.empty)
        assert read.default in (None, given.default)
        hint = hints[name]
        parts = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
        choices = [part for part in parts if get_origin(part) is Literal]
        assert read.kind.choices in (*choices, None)
        assert read.kind.nullable == (NoneType in parts)
        if not read.kind.several and not read.kind.is_source:
            assert set(read.kind.plain) == {*parts} & {str, int, float, bool}


def test_entry_points_of_a_record_resolve(record):
    readers = [flag.read for flag in record.flags.values()]
    for entry in filter(None, (record.read, record.report, record.draw, *readers)):
        assert callable(resolve(entry))


def test_help_is_one_short_sentence_for_each_parameter(record):
    parameters = Described(record.function).parameters
    for name in parameters.keys() - {"reading"}:
        text = parameters[name].text
        assert text, f"{record.function}: {name} is not described"
        assert len(text) <= LONGEST, f"{record.function}: {name}: {text}"
        assert text[0].isupper()
        assert text[-1] == "."


def test_options_of_a_record_are_options_of_its_function(record):
    parameters = Described(record.function).parameters
    assert {*record.flags} <= {*parameters}
    assert {*record.sources} <= {*parameters, *record.writes}
    command = next(
        c for c in COMMANDS.values() if record.examples and record.examples[0] in c.epilog
    )
    names = {option.name for option in command.params}
    for refusal in record.refused:
        assert {*refusal.options} <= names


def test_a_new_option_is_a_change_of_the_function_alone(tmp_path, monkeypatch):
    """The toy task gets an option: its parameter, its sentence and its use are all there is."""
    source = Path(toy.__file__).read_text()
    changed = source.replace(
        "by: By = None) -> Report:", "by: By = None, error: int = 0) -> Report:", 1
    )
    changed = changed.replace(
        "    by : str or", "    error : int\n        Allow this error.\n    by : str or", 1
    )
    changed = changed.replace(
        'np.asarray(wanted["weight"]) == np.asarray(given["weight"])',
        'abs(np.asarray(wanted["weight"]) - np.asarray(given["weight"])) <= error',
    ).replace("tests.tasks.toy:", "toy_with_option:")
    (tmp_path / "toy_with_option.py").write_text(changed)
    monkeypatch.syspath_prepend(tmp_path)
    task = resolve("toy_with_option:TASK")
    assert isinstance(task, Task)
    monkeypatch.setattr(registry, "ALL", (*registry.ALL, task))
    monkeypatch.setattr(command_line.app, "entries", command_line.entries())
    monkeypatch.setattr(command_line.app, "commands", dict(command_line.app.commands))
    for name, weights in (("gold", (1, 2, 3)), ("pred", (1, 3, 9))):
        rows = [json.dumps({"id": k, "weight": weight}) for k, weight in enumerate(weights)]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    files = [str(tmp_path / f"{name}.jsonl") for name in ("gold", "pred")]
    right = [
        json.loads(cli("toy", *files, "--json", *more)[0])["scores"]["overall"]["accuracy"]
        for more in ((), ("--error", "1"))
    ]
    assert right == [1 / 3, 2 / 3]
    assert re.search(r"--error INTEGER +Allow this error\.  \[default: 0\]", cli("toy", "-h")[0])
    del sys.modules["toy_with_option"]
