"""`fastcausal schema --of COMMAND` describes what each command prints with --json, to the key."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

import fastcausal
from fastcausal.cli.shapes import SHAPES, describe_output
from tests.cli.test_options import (
    COMMANDS,
    ELSEWHERE,
    USES,
    _quick_boxes,  # noqa: F401
    files,  # noqa: F401
    options,
    typed,
    value_of,
)
from tests.support.cli import cli
from tests.support.schemas import faults, validator

WITH_JSON = {name for name, option in options() if option.opts[0] == "--json"}


def test_every_command_with_json_has_a_shape():
    assert set(SHAPES) == WITH_JSON


@pytest.mark.slow  # parses the package
def test_every_key_of_a_report_is_in_a_shape():
    """Also those that no use of a test prints."""
    told = json.dumps(SHAPES)
    keys = {
        word.value.rstrip("?")
        for path in sorted(Path(fastcausal.__file__).parent.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Tuple)
        and {"signature", "warnings"} <= {getattr(word, "value", "") for word in node.elts}
        for word in node.elts
        if isinstance(word, ast.Constant) and path.name != "files.py"  # of counts
    }
    assert len(keys) > 80
    assert not {key for key in keys if f'"{key}": {{' not in told}


def test_schema_prints_the_shape_of_a_command():
    assert json.loads(cli("schema", "--of", "crab pairwise")[0]) == describe_output("crab pairwise")
    assert "relations" in json.loads(cli("schema")[0])["properties"]  # of an answer
    assert 'no command "scores"' in cli("schema", "--of", "scores", expect=2)[1]


def test_a_key_that_the_schema_lacks_is_a_fault():
    printed = json.loads(cli("demo", "--json")[0])
    assert not faults("demo", printed)
    printed["systems"]["careful"]["scores"]["cause"]["f2"] = 0.5
    assert faults("demo", printed)
    assert not faults("demo", {"error": "no such file"})
    assert faults("demo", {"error": "no such file", "warnings": []})


@pytest.mark.slow  # tests/cli/test_options.py holds the first use of each, without options
@pytest.mark.parametrize("name", SHAPES)
def test_printed_json_is_as_the_schema_says(name, files):  # noqa: F811
    """Every use with every option, and refusals."""
    validator(name).check_schema(describe_output(name))
    n_held = 0
    for use in USES[name].values():
        arguments = [each for each in use.split() if each != "--json"]
        flags = [option for of, option in options() if of == name]
        for option in [None, *flags]:
            flag = option.opts[0] if option else ""
            if flag in (*arguments, "--json", "--format") or f"{name} {flag}" in ELSEWHERE:
                continue
            value = [] if option is None or option.is_flag else [value_of(name, flag)]
            given = [*arguments, *([flag] if flag else []), *value]
            _, out, err, _ = typed(files, name, [*given, "--json"])
            try:
                printed = json.loads(out)
            except json.JSONDecodeError:
                assert "expected" in err or out  # a result that was sent to standard output
                continue
            assert not faults(name, printed), (given, faults(name, printed))
            n_held += "error" not in printed
    assert n_held


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_aggregate_prints_any_report_as_its_schema_says(name, files):  # noqa: F811
    for of, option in options():
        if of == name and option.opts[0].startswith("--per-"):
            arguments = next(iter(USES[name].values())).split()
            code, out, _, written = typed(files, name, [*arguments, option.opts[0], "u.parquet"])
            if code:
                continue
            (files / "u.parquet").write_bytes(written["u.parquet"])
            code, out, _, _ = typed(files, "aggregate", ["u.parquet", "--json"])
            assert not faults("aggregate", json.loads(out)), option.opts[0]
