"""Protocols that come from files, kernels by name, and the hint at the official score."""

from __future__ import annotations

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import fields

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.cli.protocol_files import find_protocol, read_protocol
from fastcausal.options import KernelName
from fastcausal.protocols import CNC_2023, PROTOCOLS, RECESS
from tests.support.cli import cli

GOLD, CAREFUL = sample.GOLD, sample.SYSTEMS["careful"]
OFFICIAL = {
    "name": "cnc-2023",
    "tags": "cnc-2023",
    "ties": "first",
    "surplus": "truncate",
    "non_causal": "ignore",
    "undefined": 0,
}
OBJECTIVE = {"numerator": {"tp": 2}, "denominator": {"tp": 2, "fp": 1, "fn": 1}}


def saved(folder, name, text):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_file_of_an_official_protocol_scores_as_its_name(suffix, tmp_path):
    toml = "".join(f"{key} = {json.dumps(value)}\n" for key, value in OFFICIAL.items())
    path = saved(tmp_path, f"x.{suffix}", toml if suffix == "toml" else json.dumps(OFFICIAL))
    assert read_protocol(path) == CNC_2023
    assert cli("score", GOLD, CAREFUL, "--protocol", path) == cli(
        "score", GOLD, CAREFUL, "--protocol", "cnc-2023"
    )


def test_every_field_is_read(tmp_path):
    given = OFFICIAL | {
        "name": "mine",
        "kernel": "exact_spans",
        "objective": OBJECTIVE,
        "tracks": [["cause"], ["effect", "signal"]],
        "average": "counts",
    }
    protocol = read_protocol(saved(tmp_path, "x.json", json.dumps(given)))
    assert str(protocol) == (
        "mine|kernel:exact_spans|objective:2tp/(2tp+fp+fn)|tags:cnc-2023|ties:first"
        "|surplus:truncate|non-causal:ignore|tracks:cause,effect+signal|0/0:0.0"
    )
    assert protocol.name in cli("score", GOLD, CAREFUL, "--protocol", tmp_path / "x.json")[0]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.toml", 'ties = "last"', 'ties is "last", expected one of content, first'),
        ("x.toml", 'kernel = "f1"', 'unknown kernel "f1", expected one of fair_spans, '),
        ("x.toml", "kernal = 1", 'unknown "kernal", expected name, kernel, objective, tags, '),
        ("x.toml", "name = 1", '"name": a number, expected text'),
        ("x.toml", "tracks = 1", '"tracks": a number, expected a list of lists of roles'),
        ("x.toml", 'tracks = ["cause"]', '"tracks": a list, expected a list of lists of roles'),
        ("x.toml", 'undefined = "0"', '"undefined": a string, expected a number'),
        ("x.toml", "objective = 1", '"objective": a number, expected numerator and denominator'),
        ("x.toml", "[objective.x]", '"objective": unknown "x", expected numerator and'),
        ("x.toml", "[objective.numerator]\ntp = 0.5", '"objective": the weight of tp is 0.5, '),
        (
            "x.toml",
            "[objective]\nnumerator = { tp = 2 }\ndenominator = { tp = 2, fp = 1, fn = 1 }",
            'the denominator of the objective 2tp/(2tp+fp+fn) leaves out fields ("be", "bel")',
        ),
        ("x.toml", "ties = ", "invalid TOML: "),
        ("x.json", "{", ":1: invalid JSON: "),
        ("x.json", "[]", "a list, expected an object"),
        ("x.toml", "", " is empty"),
        ("x.toml", " \n", " is empty"),
        ("x.toml", ".".join("a" * 50_000) + " = 1", "more than 8,192 bytes"),
        ("x.json", "[" * 100_000, "more than 8,192 bytes"),
        ("recess.toml", "undefined = 0", 'name is "recess", that of a built-in protocol with'),
        ("x.toml", "\xff", "invalid TOML"),
    ],
)
def test_bad_files_are_told_with_file_and_key(name, text, message, tmp_path):
    path = saved(tmp_path, name, text)
    out, err = cli("score", GOLD, CAREFUL, "--protocol", path, expect=2)
    assert not out
    assert err.startswith(f"error: {path}")
    assert message in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("values", "message"),
    [
        *(({"undefined": number}, "undefined is ") for number in (math.nan, math.inf, 1e308, -5)),
        ({"undefined": 10**400}, "undefined is 1000"),
        ({"tracks": [["cause", "effect", "cause"]]}, 'the role "cause" 2 times'),
        ({"tracks": [["cause"], ["signal", "cause"]]}, 'the role "cause" 2 times'),
        ({"tracks": [["cause"], []]}, "expected sequences of roles"),
        ({"tracks": []}, "expected sequences of roles"),
        ({"tracks": [["cause", ""]]}, "the role '', expected text"),
        ({"name": "recess", "undefined": 0}, "that of a built-in protocol with other fields"),
        ({"name": "cnc-2023", "tags": "cnc-2023"}, "that of a built-in protocol"),
        ({"name": "cnc-2022"}, "that of a built-in protocol with other fields"),
        ({"name": "recess|kernel:fair_spans"}, "expected text in one line"),
        ({"name": "two\nlines"}, "expected text in one line"),
        ({"name": ""}, "expected text in one line"),
    ],
)
def test_a_protocol_and_its_file_refuse_alike(values, message, tmp_path):
    with pytest.raises(ValueError, match=re.escape(message)):
        fc.Protocol(**{"name": "x"} | values)
    path = saved(tmp_path, "x.json", json.dumps(values))
    out, err = cli("score", GOLD, CAREFUL, "--protocol", path, expect=2)
    assert not out
    assert err.startswith(f"error: {path}: ")
    assert message in err


def test_tracks_name_roles_of_the_data(tmp_path):
    path = saved(tmp_path, "x.toml", 'tracks = [["cause", "efect"], ["signal"]]')
    out, err = cli("score", GOLD, CAREFUL, "--protocol", path, expect=2)
    expected = 'error: protocol x: tracks name the role "efect", expected those of the data: '
    assert (out, err) == ("", f"{expected}cause, effect, signal\n")
    # Roles of their own, which neither the default tracks nor a file has to know.
    spans = {"trigger": (0, 2), "efect": (3, 4)}
    gold = fc.Relations.from_examples([{"length": 5, "relations": [spans]}], tuple(spans))
    for tracks in ((("trigger", "efect"),), (("cause", "efect"),), RECESS.tracks):
        report = fc.score(gold, gold, fc.Protocol("mine", tracks=tracks))
        assert report["efect"].f1 == 1.0


def test_a_built_in_protocol_may_be_spelled_out():
    for name, protocol in PROTOCOLS.items():
        values = {field.name: getattr(protocol, field.name) for field in fields(protocol)}
        tracks = {"tracks": [["cause", "effect"], ["signal"]]}
        assert type(protocol)(**values | tracks) == protocol
        assert values["name"] == name
    assert str(fc.Protocol("recess", tags="aligned")) == str(RECESS).replace("strict", "aligned")


@pytest.mark.parametrize("kernel", KernelName.__args__)
@pytest.mark.parametrize("name", PROTOCOLS)
def test_kernels_by_name(kernel, name):
    if PROTOCOLS[name].average != "counts":
        with pytest.raises(ValueError, match="kernel is for sums of counts"):
            find_protocol(name, kernel)
        return
    if name in ("relations", "depths"):
        with pytest.raises(ValueError, match="kernel is for pairs of relations"):
            find_protocol(name, kernel)
        return
    out, _ = cli("score", GOLD, CAREFUL, "--protocol", name, "--kernel", kernel, "--json")
    found = json.loads(out)
    assert f"|{name}+{kernel}|kernel:{kernel}|" in found["signature"]
    expected = fc.score(GOLD, CAREFUL, find_protocol(name, kernel))
    assert found["scores"] == expected.to_dict()["scores"]


@pytest.mark.parametrize("systems", [("careful",), ("careful", "hasty")])
def test_the_hint_is_the_official_score(systems):
    paths = [sample.SYSTEMS[name] for name in systems]
    _, err = cli("score", GOLD, *paths)
    for name, path in zip(systems, paths, strict=True):
        out, quiet = cli("score", GOLD, path, "--protocol", "cnc-2023", "--json")
        f1 = json.loads(out)["scores"]["overall"]["f1"]
        assert f"{name} {f1:.4f}" in err if len(systems) > 1 else f"{f1:.4f}; see" in err
        assert not quiet


def test_no_hint_where_it_says_nothing_or_costs(tmp_path, monkeypatch):
    gold = fc.read(GOLD)
    for name in ("gold", "pred"):
        fc.write(gold, tmp_path / f"{name}.jsonl")
    for arguments in (
        (GOLD, CAREFUL, "--json"),
        (GOLD, CAREFUL, "--format", "csv"),
        (GOLD, CAREFUL, "--kernel", "exact_spans"),
        (tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"),
    ):
        assert cli("score", *arguments)[1] == ""
    monkeypatch.setattr("fastcausal.cli.score.SCORED_AGAIN", 100)
    assert cli("score", GOLD, CAREFUL)[1] == ""


def test_help_version_and_completion_by_short_names():
    assert cli("-h") == cli("--help")
    assert cli("crab", "agree", "-h") == cli("crab", "agree", "--help")
    assert cli("-V") == cli("--version")
    for shell in ("bash", "zsh", "fish"):
        assert "_FASTCAUSAL_COMPLETE" in cli("--show-completion", shell)[0]
    asked = {"_FASTCAUSAL_COMPLETE": "bash_complete", "COMP_CWORD": "2"}
    asked["COMP_WORDS"] = "fastcausal score --proto"
    done = subprocess.run([sys.executable, "-m", "fastcausal"], env={**os.environ, **asked},
                          capture_output=True, text=True, check=True)  # fmt: skip
    assert done.stdout == "plain,--protocol\n"


def test_files_of_whole_relations(tmp_path):
    path = tmp_path / "strict.toml"
    path.write_text('kernel = "relations"\narguments = ["cause", "signal"]\niou = 0.75\n')
    found = find_protocol(str(path))
    assert "strict|kernel:relations|arguments:cause+signal|iou:0.75|" in str(found)
    path.write_text('kernel = "relations"\niou = 2\n')
    with pytest.raises(fc.InputError, match="iou is 2, expected a number above 0"):
        find_protocol(str(path))
