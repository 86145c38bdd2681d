"""The top of a page of several systems, and the page of a leaderboard: numbers of the JSON."""

from __future__ import annotations

import json

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.page import Page, html_of
from fastcausal.sweeps.sections import parts_of_systems
from fastcausal.tasks.extraction.kinds import WORDS
from tests.support.cli import cli
from tests.support.markup import Reader, check_cells, parts_of, tables_of

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
    """Hold a table to the JSON of a leaderboard: a cell for each value with its interval."""
    (_, score, _, *others), *rows = rows
    told = {each["system"]: each for each in board["systems"]}
    assert [name.removesuffix(" tied").removesuffix(" best") for name, *_ in rows] == [*told]
    for (_, value, rank, *cells), row in zip(rows, told.values(), strict=True):
        check_cells([["", score], ["", value]], {"": {score: row["value"]}},
                    {"": {score: (row["low"], row["high"])}})  # fmt: skip
        assert rank == f"{row['rank']} ({row['rank_low']} to {row['rank_high']})"
        if "delta" in row and row["delta"] is None:  # the baseline itself
            assert {*cells} == {""}
        elif "delta" in row:
            difference, p, p_adjusted = cells
            check_cells([["", ""], ["", difference]], {"": {"": row["delta"]}},
                        {"": {"": (row["delta_low"], row["delta_high"])}})  # fmt: skip
            check_cells([["", "p", "q"], ["", p, p_adjusted]],
                        {"": {"p": row["p"], "q": row["p_adjusted"]}})  # fmt: skip
    best = [name for name, *_ in rows if name.endswith((" best", " tied"))]
    assert len(best) == sum(row["best"] for row in told.values())
    assert len(others) == (3 if "delta" in row else 0)


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
    sections, cards = parts_of_systems(reports, **QUICK)
    tables = tables_of(sections)
    board = fc.leaderboard(reports, baseline=HOSTILE[0], **QUICK)
    [rows] = tables["Leaderboard"]
    check_board(rows, board.to_dict())
    parts = parts_of(tables["Errors"][0])
    assert [*parts] == ["overall", "cause", "effect", "signal"]
    for group, (head, *rows) in parts.items():
        assert head == ["system", *(WORDS[kind] for kind in KINDS), "total"]
        assert {name: cells[:-1] for name, *cells in rows} == {
            name: [str(report.to_dict()["scores"][group][kind]) for kind in KINDS]
            for name, report in reports.items()
        }
    check_systems(tables["Scores"][0], {n: r.to_dict()["scores"] for n, r in reports.items()})
    for name, rows in parts_of(tables["Subsets"][0]).items():
        check_systems(rows, {n: r.to_dict()["subsets"][name] for n, r in reports.items()})
    assert len(tables["Confusion of roles"]) == len(reports)
    lines = sections[-1].lines
    assert f"gold: {reports['careful'].statistics.gold:032x}" in lines
    assert reports["careful"]._notes()[-1] in lines
    assert [card.value for card in cards] == [each["overall"].f1 for each in reports.values()]
    best = {name for name, values in board.scores.items() if values["best"]}
    assert {card.name for card in cards if card.standing} == best


def test_cells_count_the_examples_that_tell_systems_apart(reports):
    sections, _ = parts_of_systems(reports, **QUICK)
    [[_, *rows]] = tables_of(sections)["Examples that tell them apart"]
    errors = [
        [sum(row[f"{role}_{kind}"] for role in ("cause", "effect", "signal") for kind in KINDS)
         for row in report.per_example.to_pylist()]
        for report in reports.values()
    ]  # fmt: skip
    for k, (_, *cells) in enumerate(rows):
        for n, cell in enumerate(cells):
            fewer = sum(a < b for a, b in zip(errors[k], errors[n], strict=True))
            assert cell == ("" if n == k else str(fewer))


def test_the_same_bytes(reports):
    pages = {html_of(Page("", *parts_of_systems(reports, **QUICK)[:1])) for _ in range(2)}
    assert len(pages) == 1


def test_systems_that_cannot_be_ranked():
    """With other examples, or scores that do not add, a line names the reason; the rest stays."""
    answers = sample.GOLD.with_name("raw_answers.jsonl")
    skipped = fc.score(sample.GOLD, answers, answers="output", unparsed="skip")
    whole = fc.score(sample.GOLD, sample.SYSTEMS["careful"], unparsed="skip")
    sections, cards = parts_of_systems({"a": whole, "b": skipped}, **QUICK)
    assert [section.title for section in sections] == [
        "Scores", "Subsets", "Errors", "Confusion of roles", "Unparsed predictions", "Leaderboard",
        "",
    ]  # fmt: skip
    assert not sections[5].grids
    assert sections[5].lines[0].startswith("no ranks: b: 5 ids are missing")
    assert {card.standing for card in cards} == {""}
    official = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2022")
    sections, _ = parts_of_systems({"a": official, "b": official})
    assert [section.title for section in sections] == ["Scores", "Leaderboard", ""]
    assert sections[1].lines[0].startswith("no ranks: ")
    with pytest.raises(fc.InputError, match="nowhere"):
        parts_of_systems({"a": whole, "b": whole}, cluster="nowhere", **QUICK)


def test_one_system_has_no_differences(reports):
    [name, *_] = reports
    sections, _ = parts_of_systems({name: reports[name]}, **QUICK)
    [board] = [section for section in sections if section.title == "Leaderboard"]
    assert board.grids[0].grid.header == ("system", "overall_f1", "rank")


@pytest.fixture
def sweep(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sample.copy_to(tmp_path)
    cli("sweep", "gold.csv", "careful.jsonl", "hasty.jsonl", "chatty.jsonl", "--out", "swept")
    return tmp_path


DRAWS = ("--n-resamples", "100")


def test_page_of_a_sweep(sweep):
    board = ("leaderboard", "swept", *DRAWS, "--baseline", "hasty")
    told, _ = cli(*board, "--json", "--html", "board.html")
    page = (sweep / "board.html").read_bytes()
    [rows] = Reader(page.decode()).tables
    check_board(rows, json.loads(told))
    assert json.loads(told)["signature"] in page.decode()
    printed, _ = cli(*board, "--html", "board.html")
    assert (sweep / "board.html").read_bytes() == page
    assert printed == cli(*board)[0]


def test_page_of_a_comparison(sweep):
    files = ("swept/runs/careful.parquet", "swept/runs/hasty.parquet")
    told, _ = cli("compare", *files, *DRAWS, "--json", "--html", "page.html")
    page = (sweep / "page.html").read_text()
    [[(_, *columns), [name, *cells]], _] = Reader(page).tables
    assert columns[:3] == ["a: careful", "b: hasty", "b minus a"]
    [(score, row)] = json.loads(told)["scores"].items()
    assert name == score
    difference = cells.pop(2)
    check_cells([["", ""], ["", difference]], {"": {"": row["delta"]}},
                {"": {"": (row["low"], row["high"])}})  # fmt: skip
    check_cells(
        [["", "a", "b", "p", "mde"], ["", *cells]],
        {"": {n: row[n] for n in ("a", "b", "p", "mde")}},
    )


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
