"""The top of a page of several systems, and the page of a leaderboard: numbers of the JSON."""

from __future__ import annotations

import json
import sys

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.page import Page, html_of
from fastcausal.sweeps.sections import sections_of_systems
from tests.support.cli import cli
from tests.support.markup import Reader, check_cells, parts_of, tables_of
from tests.support.pictures import check_pictures

QUICK = {"n_resamples": 100}
HOSTILE = ("<script>alert(1)</script>", "_$\\alpha$ & co", "careful")
KINDS = ("fp", "fn", "le", "be", "lbe")
FILES = dict(zip(HOSTILE, sample.SYSTEMS.values(), strict=True))


@pytest.fixture(scope="module")
def reports():
    return {
        name: fc.score(sample.GOLD, path, unparsed="empty", by="doc_id").with_intervals(
            **QUICK, by="doc_id"
        )
        for name, path in FILES.items()
    }


def check_board(rows, board):
    """Hold a table to the JSON of a leaderboard."""
    (_, *columns), *rows = rows
    told = {each.pop("system"): each for each in board["systems"]}
    assert [name for name, *_ in rows] == [*told]
    for name, *cells in rows:
        shown = dict(zip(columns, cells, strict=True))
        assert shown.pop("best") == ("yes" if told[name].pop("best") else "no")
        assert shown.keys() == told[name].keys()
        if "delta" in shown and not shown["delta"]:  # the baseline itself
            for column in ("delta", "delta_low", "delta_high", "p", "p_adjusted"):
                assert shown.pop(column) == ""
                assert told[name][column] is None
        check_cells([["", *shown], [name, *shown.values()]], {name: told[name]})


def check_systems(rows, told):
    """Hold a row of each system to its JSON: overall, and F1 by role, without their intervals."""
    (_, *columns), *rows = rows
    flat = {
        name: groups["overall"] | {f"{role} f1": groups[role]["f1"] for role in groups}
        for name, groups in told.items()
    }
    plain = [[name, *(cell.partition(" [")[0] for cell in cells)] for name, *cells in rows]
    check_cells([["", *columns], *plain], flat)
    assert columns == ["precision", "recall", "f1", "cause f1", "effect f1", "signal f1"]


def test_numbers_are_those_of_the_json(reports):
    sections = sections_of_systems(reports, **QUICK)
    tables = tables_of(sections)
    board = fc.leaderboard(reports, baseline=HOSTILE[0], **QUICK)
    [rows] = tables["Leaderboard"]
    check_board(rows, board.to_dict())
    parts = parts_of(tables["Errors"][0])
    assert [*parts] == ["overall", "cause", "effect", "signal"]
    for group, (head, *rows) in parts.items():
        assert head == ["system", *KINDS]
        assert {name: cells for name, *cells in rows} == {
            name: [str(report.to_dict()["scores"][group][kind]) for kind in KINDS]
            for name, report in reports.items()
        }
    check_systems(tables["Scores"][0], {n: r.to_dict()["scores"] for n, r in reports.items()})
    for name, rows in parts_of(tables["Subsets"][0]).items():
        check_systems(rows, {n: r.to_dict()["subsets"][name] for n, r in reports.items()})
    assert len(tables["Confusion of roles"]) == len(reports)
    lines = sections[1].lines
    assert f"gold: {reports['careful'].statistics.gold:032x}" in lines
    assert reports["careful"]._notes()[-1] in lines


def test_pictures_name_hostile_systems(reports):
    pytest.importorskip("matplotlib")
    sections = sections_of_systems(reports, **QUICK)
    pictures = [each for section in sections for each in section.pictures]
    assert {*HOSTILE} <= {*check_pictures(pictures)}
    again = sections_of_systems(reports, **QUICK)
    assert html_of(Page("", again)) == html_of(Page("", sections))


def test_systems_that_cannot_be_ranked():
    """Other examples, or scores that do not add: a line says why, and the rest is there."""
    answers = sample.GOLD.with_name("raw_answers.jsonl")
    skipped = fc.score(sample.GOLD, answers, answers="output", unparsed="skip")
    whole = fc.score(sample.GOLD, sample.SYSTEMS["careful"], unparsed="skip")
    first, *rest = sections_of_systems({"a": whole, "b": skipped}, **QUICK)
    assert not first.grids
    assert first.lines[0].startswith("no ranks: b: 5 ids are missing")
    assert [section.title for section in rest] == [
        "Scores", "Unparsed predictions", "Errors", "Confusion of roles", "Subsets",
    ]  # fmt: skip
    official = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2022")
    first, *rest = sections_of_systems({"a": official, "b": official})
    assert first.lines[0].startswith("no ranks: ")
    assert [section.title for section in rest] == ["Scores"]
    with pytest.raises(fc.InputError, match="nowhere"):
        sections_of_systems({"a": whole, "b": whole}, cluster="nowhere", **QUICK)


def test_one_system_has_no_differences(reports):
    [name, *_] = reports
    sections = sections_of_systems({name: reports[name]}, **QUICK)
    assert "delta" not in sections[0].grids[0].header


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sample.copy_to(tmp_path)
    cli("sweep", "gold.csv", "careful.jsonl", "hasty.jsonl", "chatty.jsonl", "--out", "swept")
    return tmp_path


DRAWS = ("--n-resamples", "100")


def test_page_of_a_sweep(sweep, monkeypatch):
    board = ("leaderboard", "swept", *DRAWS, "--baseline", "hasty")
    told, _ = cli(*board, "--json", "--html", "board.html")
    page = (sweep / "board.html").read_bytes()
    [rows] = Reader(page.decode()).tables
    check_board(rows, json.loads(told))
    assert json.loads(told)["signature"] in page.decode()
    printed, _ = cli(*board, "--html", "board.html")
    assert (sweep / "board.html").read_bytes() == page
    assert printed == cli(*board)[0]
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    cli(*board, "--html", "plain.html")
    plain = (sweep / "plain.html").read_text()
    assert plain.count("fastcausal[plots]") == 1
    assert "<svg" not in plain


def test_page_of_a_comparison(sweep):
    files = ("swept/runs/careful.parquet", "swept/runs/hasty.parquet")
    told, _ = cli("compare", *files, *DRAWS, "--json", "--html", "page.html")
    [(_, *columns), [name, *cells]] = Reader((sweep / "page.html").read_text()).rows
    check_cells([["", *columns], [name, *cells]], json.loads(told)["scores"])


RUNS = "swept/runs/careful.parquet swept/runs/hasty.parquet"


@pytest.mark.parametrize(
    ("command", "target"),
    [
        *(
            (f"leaderboard {RUNS}", target)
            for target in ("no/board.html", "swept", "", RUNS.split()[0])
        ),
        *((f"compare {RUNS}", target) for target in ("no/board.html", RUNS.split()[0])),
        ("leaderboard swept", "swept/board.html"),
    ],
)
def test_targets_that_cannot_be_written(sweep, command, target):
    before = {path: path.stat().st_mtime_ns for path in sweep.rglob("*")}
    cli(*command.split(), *DRAWS, "--html", target, expect=2)
    assert {path: path.stat().st_mtime_ns for path in sweep.rglob("*")} == before
