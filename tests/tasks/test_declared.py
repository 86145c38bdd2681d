"""Every task declares itself: a record, its files, a page; a new one has all tools at once."""

from __future__ import annotations

import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

import fastcausal as fc
from fastcausal import cli as command_line
from fastcausal import options
from fastcausal.counts.command import CommandRecord
from fastcausal.counts.task import Task, declared, protocols_under, resolve
from fastcausal.report.report import Report
from fastcausal.tasks import declared as registry
from tests.support.cli import cli
from tests.tasks import toy

ROOT = Path(fc.__file__).parent / "tasks"
DOCS = Path(__file__).parents[2] / "docs"
BASES = {"relations"}  # no task: the base of extraction and agreement
FOLDERS = sorted(path.parent.name for path in ROOT.glob("*/__init__.py"))
# Files with another name: the formula of extraction is its base's, CRAB presents shapes elsewhere.
ELSEWHERE = {"extraction": {"files", "formula", "count"}}


def folder(entry: str) -> str:
    return entry.split(".")[2]


@pytest.mark.parametrize("name", [name for name in FOLDERS if name not in BASES])
def test_every_folder_declares_a_task(name):
    module = resolve(f"fastcausal.tasks.declared:{name}")
    records = getattr(module, "TASKS", None) or (module.TASK,)
    assert set(records) <= set(declared())
    assert all(type(record) is Task for record in records)
    if any(record.formula for record in records):
        files = {"files", "formula", "count", "report"} - ELSEWHERE.get(name, set())
        assert files <= {path.stem for path in (ROOT / name).glob("*.py")}


def test_jobs_are_unique():
    jobs = [task.job for task in declared()]
    assert len(set(jobs)) == len(jobs)


@pytest.mark.parametrize("task", declared(), ids=lambda task: task.job)
def test_entry_points_resolve(task):
    if task.formula:
        assert resolve(task.formula).job == task.job
    held = task.command.function if isinstance(task.command, CommandRecord) else task.command
    own = held if ":" in held else ""  # the name of a command of gold and systems otherwise
    for entry in filter(None, (task.present, task.score, task.load, task.list_logs, own)):
        assert callable(resolve(entry))
    if task.score:
        name = task.score.partition(":")[2]
        assert resolve(task.score) in (getattr(fc, name, None), getattr(fc.crab, name, None))
    assert (DOCS / f"{task.page}.md").is_file()


# The protocols of each public function, as type checkers know them.
PROTOCOLS = {
    "score": (options.ProtocolName, options.SpanProtocol),
    "classify": (options.LabelProtocol,),
    "qa": (options.QuestionProtocol,),
    "eci": (options.PairProtocolName,),
}


def test_type_checkers_know_every_protocol():
    published = {p.under for task in declared() for p in task.protocols.values()}
    assert published == {*PROTOCOLS}
    for function, literals in PROTOCOLS.items():
        names = [name for literal in literals for name in get_args(literal)]
        assert sorted(names) == sorted(protocols_under(function))


@pytest.mark.parametrize("function", PROTOCOLS)
def test_protocols_name_functions(function):
    for protocol in protocols_under(function).values():
        for entry in filter(None, (protocol.score, protocol.read, protocol.public)):
            assert callable(resolve(entry))
        for name in protocol.alone:
            assert name in inspect.signature(resolve(protocol.score)).parameters
    own = {*options.ScoreSettings.__annotations__} - {*options.MarkingSettings.__annotations__}
    of_whole = {"arguments", "iou", "match"}  # fields of the protocols relations and depths
    assert own - of_whole == {*protocols_under("score")["fincausal-2020"].alone}


def test_a_setting_of_zero_is_given():
    report = fc.classify(["yes"], ["Yes"], answers="binary", undefined=0.0)
    assert "|0/0:0" in report.signature


def test_an_unknown_argument_of_score_is_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'wordz'"):
        fc.score([], [], "fincausal-2020", wordz="blank")


def test_the_registry_imports_no_task():
    code = "import sys, fastcausal.tasks.declared; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("fastcausal")}
    packages = {"fastcausal", "fastcausal._version", "fastcausal.counts", "fastcausal.counts.task"}
    packages |= {"fastcausal.options", "fastcausal.tasks", "fastcausal.tasks.declared"}
    packages |= {"fastcausal.counts.command"}
    assert loaded - packages == {f"fastcausal.tasks.{name}" for name in FOLDERS} - {
        f"fastcausal.tasks.{name}" for name in BASES
    }


# ----------------------------------------------------------------------------------- a toy task


@pytest.fixture
def declare(monkeypatch, tmp_path):
    """Declare the toy task, and write gold and two systems."""
    monkeypatch.setattr(registry, "ALL", (*registry.ALL, toy.TASK))
    monkeypatch.setattr(command_line.app, "entries", command_line.entries())
    monkeypatch.setattr(command_line.app, "commands", dict(command_line.app.commands))
    gold = [{"id": f"w{k}", "weight": k % 5, "kind": "ab"[k % 2]} for k in range(40)]
    for name, shift in (("gold", 0), ("near", 3), ("far", 2)):
        rows = [{**row, "weight": row["weight"] + (k % shift == 1 if shift else 0)}
                for k, row in enumerate(gold)]  # fmt: skip
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return [str(tmp_path / f"{name}.jsonl") for name in ("gold", "near", "far")]


def test_a_toy_task_is_short():
    assert len(Path(toy.__file__).read_text().splitlines()) < 120


def test_a_toy_task_has_a_command(declare):
    gold, near, far = declare
    out, _ = cli("toy", gold, near)
    assert "40 weights" in out
    assert "toy|" in out
    report = json.loads(cli("toy", gold, near, "--json", "--by", "kind", "--intervals")[0])
    assert report["scores"] == {"overall": {"accuracy": 27 / 40, "n": 40}}
    assert set(report["subsets"]) == {"kind=a", "kind=b"}
    assert report["intervals"]["scores"]["overall"]["accuracy"][0] < 27 / 40
    out, _ = cli("toy", gold, near, far)
    assert re.search(r"2 systems.*near +0\.6750.*far +0\.5000", out, re.DOTALL)
    systems = json.loads(cli("toy", gold, near, far, "--json")[0])["systems"]
    assert [*systems] == ["near", "far"]
    assert "toy" in cli("--help")[0]
    assert (
        "--seed is for confidence intervals" in cli("toy", gold, near, "--seed", "1", expect=2)[1]
    )


def test_a_toy_task_has_every_tool(declare, tmp_path):
    gold, near, far = declare
    counts = str(tmp_path / "counts.parquet")
    cli("toy", gold, near, far, "--per-example", counts)
    options = ("--score", "overall_accuracy", "--n-resamples", "100", "--json")
    ranked = json.loads(cli("leaderboard", counts, *options)[0])
    assert [row["system"] for row in ranked["systems"]] == ["near", "far"]
    each = [str(tmp_path / f"{name}.parquet") for name in ("near", "far")]
    for path, system in zip(each, (near, far), strict=True):
        cli("toy", gold, system, "--per-example", path)
    compared = json.loads(cli("compare", *each, *options)[0])
    row = compared["scores"]["overall_accuracy"]
    assert (row["a"], row["b"]) == (27 / 40, 0.5)
    page = tmp_path / "page.html"
    cli("toy", gold, near, "--html", str(page))
    assert "40 weights" in page.read_text()
    assert "one system" in cli("toy", gold, near, far, "--html", str(page), expect=2)[1]
    report = fc.Statistics.read(each[0]).report("kind")
    assert type(report) is Report
    assert report == toy.weigh(gold, near, by="kind")
