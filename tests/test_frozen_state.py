"""The promises of docs/stability.md are those of tests/frozen/: a change is meant, or fails here.

``FASTCAUSAL_FREEZE=1 pytest tests/test_frozen_state.py`` writes tests/frozen/ anew.
"""

from __future__ import annotations

import builtins
import inspect
import json
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import click
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample, training
from fastcausal.cli.parameters import EXIT_STATUS
from fastcausal.cli.shapes import SHAPES
from fastcausal.files.records import read_records
from fastcausal.options import AgreementProtocol, ProtocolName
from tests.cli.test_options import COMMANDS
from tests.cli.test_written_files import LINES, folder, write_file  # noqa: F401  # a fixture

TABLE = re.compile(r"^sweep |\{out\}\.(csv|jsonl|parquet)")
FROZEN = Path(__file__).parent / "frozen"


def hold(name: str, lines: Iterator[str]) -> None:
    """Compare lines with the frozen file of this name, or write it."""
    path = FROZEN / f"{name}.txt"
    text = "".join(f"{line}\n" for line in lines).replace(f"|{fc.__version__}|", "|VERSION|")
    if "FASTCAUSAL_FREEZE" in os.environ:
        path.write_text(text, encoding="utf-8")
    assert text.splitlines() == path.read_text(encoding="utf-8").splitlines()


# ------------------------------------------------------------------------------------- names


class Shown(str):
    """Words that an `inspect.Signature` prints as they are."""

    __repr__ = str.__str__


def show_parameter(parameter: inspect.Parameter) -> inspect.Parameter:
    given = default = parameter.default
    if given is not parameter.empty:
        default = Shown(given.name if isinstance(given, fc.Protocol) else repr(given))
    return parameter.replace(annotation=parameter.empty, default=default)


def show_call(function: Any) -> str:
    """Return parameters and their defaults, without types: `(a, b=None, *, seed=0)`."""
    parameters = inspect.signature(function).parameters.values()
    return str(inspect.Signature([show_parameter(parameter) for parameter in parameters]))


def list_members(value: type) -> list[str]:
    """Return the public attributes of a class beyond those of Python and of every report."""
    known = [base for base in value.__mro__[1:] if base in (fc.Report, *vars(builtins).values())]
    return sorted({name for name in dir(value) if name[0] != "_"}.difference(*map(dir, known)))


def list_names(name: str, value: Any) -> Iterator[str]:
    if isinstance(value, ModuleType):
        for inner in value.__all__:
            yield from list_names(f"{name}.{inner}", getattr(value, inner))
    elif isinstance(value, Mapping):
        yield f"{name}: {' '.join(map(str, value))}"
    elif callable(value):
        yield f"{name}{show_call(value)}"
        for member in list_members(value) if isinstance(value, type) else ():
            found = getattr(value, member)
            yield f"{name}.{member}{show_call(found) if callable(found) else ''}"
    else:
        yield name


def test_public_names() -> None:
    names = [line for name in fc.__all__ for line in list_names(name, getattr(fc, name))]
    hold("names", iter([*names, *(f"training.{name}" for name in training.__all__)]))


# ---------------------------------------------------------------------------------- commands


def list_options() -> Iterator[str]:
    yield EXIT_STATUS.replace("\n", " ")
    for words, command in COMMANDS.items():
        for option in command.params:
            choices = option.type.choices if isinstance(option.type, click.Choice) else ()
            count = f"{option.nargs}{'...' * getattr(option, 'multiple', False)}"
            shown = ["/".join([*option.opts, *option.secondary_opts]), "|".join(map(str, choices))]
            shown += ["required"] * option.required + [count] * (count != "1")
            shown += [f"default {option.default}"] * isinstance(option.default, str | int | float)
            yield " ".join([words, *filter(None, shown)])


def test_options_of_commands() -> None:
    hold("commands", list_options())


# -------------------------------------------------------------------------------------- keys


def list_keys(path: str, shape: Any) -> Iterator[str]:
    """Yield a line for each object of a JSON Schema: its keys, `?` after those that may lack."""
    fields = shape.get("properties", {})
    if fields:
        required = shape["required"]
        yield f"{path}: {' '.join(sorted(key + '?' * (key not in required) for key in fields))}"
    within = [(f"{path}.{key}", inner) for key, inner in fields.items()]
    within += [(f"{path}.*", shape.get("additionalProperties")), (f"{path}[]", shape.get("items"))]
    within += [(path, inner) for inner in shape.get("anyOf", ())]
    within += [(f"{path} {key}", inner) for key, inner in shape.get("$defs", {}).items()]
    for place, inner in within:
        if inner:
            yield from list_keys(place, inner)


def test_keys_of_json() -> None:
    lines = (line for name, shape in SHAPES.items() for line in list_keys(name, shape))
    hold("keys", iter(dict.fromkeys(lines)))


# ----------------------------------------------------------------------------- files, signatures


def list_columns(name: str, path: Path) -> Iterator[str]:
    """Yield a line for a file's columns, and one for the keys of its metadata."""
    if path.is_dir():
        for inner in sorted(path.rglob("*")):
            if inner.is_file():
                yield from list_columns(f"{name} {inner.relative_to(path)}", inner)
    elif path.suffix == ".parquet":
        schema = pq.read_schema(path)
        yield f"{name}: {', '.join(f'{field.name} {field.type}' for field in schema)}"
        about = json.loads((schema.metadata or {}).get(b"fastcausal", b"{}"))
        if "statistics" in about:
            yield f"{name} metadata: {' '.join(sorted(about))}"
            yield f"{name} statistics {about['statistics']}, fields: {' '.join(about['fields'])}"
            yield f"{name} signature: {about['signature']}"
    elif path.suffix in (".csv", ".jsonl"):
        yield f"{name}: {' '.join(read_records(path, 'table').table.column_names)}"
    elif path.suffix == ".json":
        yield f"{name}: {' '.join(sorted(json.loads(path.read_text())))}"


def test_signatures_of_protocols() -> None:
    gold, careful = sample.GOLD, sample.SYSTEMS["careful"]
    reports = [fc.score(gold, careful, name) for name in get_args(ProtocolName)]
    reports += [fc.agree([*sample.ANNOTATORS.values()], n) for n in get_args(AgreementProtocol)]
    hold("signatures", (report.signature for report in reports))


def list_files(out: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    for name in LINES:
        if TABLE.search(LINES[name][0]):
            yield from list_columns(name, write_file(name, out / name, monkeypatch))


def test_columns_of_files(folder, tmp_path, monkeypatch) -> None:  # noqa: F811
    monkeypatch.chdir(folder)
    hold("files", list_files(tmp_path, monkeypatch))
