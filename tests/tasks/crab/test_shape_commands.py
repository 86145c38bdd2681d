"""crab frames and crab chains from files to tables, JSON and files of units; bad input."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from tests.support.cli import cli
from tests.support.judged_pairs import gold_of

# A story of five events, its classes and the letters of two systems.
PAIRS = [
    (7, 1, 2, "A", "A"), (7, 1, 3, "B", "B"), (7, 2, 3, "A", "C"), (7, 1, 4, "C", "C"),
    (7, 3, 4, "A", "A"), (7, 2, 4, "D", "D"), (7, 1, 5, "D", "D"), (7, 2, 5, "D", "A"),
]  # fmt: skip
SHAPES = {"frames": "per_frame", "chains": "per_chain"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines(tmp_path / "gold.jsonl", gold_of(PAIRS))
    lines(tmp_path / "letters.jsonl", [{"prediction": f"[{p[4]}]"} for p in PAIRS])
    lines(tmp_path / "others.jsonl", [{"prediction": "A"} for _ in PAIRS])
    return tmp_path


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_frames_by_hand(files):
    out, err = cli("crab", "frames", "gold.jsonl", "letters.jsonl")
    assert err == ""
    assert out.splitlines()[:11] == [
        "4 causal frames, 8 pairs, 8 answers read (100.0%)",
        "",
        "type     frames  pairs  scored         F1         EM",
        "─" * 52,
        "overall       4      8       4     0.6667     0.5000",
        "SD            1      1       1     1.0000     1.0000",
        "D             0      0       0  undefined  undefined",
        "SC            0      0       0  undefined  undefined",
        "C             0      0       0  undefined  undefined",
        "M             1      2       1     0.3333     0.0000",
        "N             1      2       1     0.3333     0.0000",
    ]


@pytest.mark.parametrize("shapes", SHAPES)
def test_the_command_says_what_the_function_says(shapes, files):
    make = getattr(fc.crab, shapes)
    each = {name: make("gold.jsonl", f"{name}.jsonl") for name in ("letters", "others")}
    out, _ = cli("crab", shapes, "gold.jsonl", "letters.jsonl", "--json")
    assert json.loads(out) == each["letters"].to_dict()
    out, _ = cli("crab", shapes, "gold.jsonl", "letters.jsonl", "others.jsonl", "--json")
    assert json.loads(out) == {"systems": {name: each[name].to_dict() for name in each}}
    out, _ = cli("crab", shapes, "gold.jsonl", "--json")
    assert json.loads(out) == make("gold.jsonl").to_dict()


@pytest.mark.parametrize(("shapes", "table"), SHAPES.items())
def test_files_of_units(shapes, table, files):
    option = f"--{table.replace('_', '-')}"
    cli("crab", shapes, "gold.jsonl", "letters.jsonl", option, "one.parquet")
    expected = getattr(getattr(fc.crab, shapes)("gold.jsonl", "letters.jsonl"), table)
    assert pq.read_table("one.parquet").select(expected.column_names).equals(expected)
    cli("crab", shapes, "gold.jsonl", "letters.jsonl", "others.jsonl", option, "two.parquet")
    assert pq.read_table("two.parquet")["system"].unique().to_pylist() == ["letters", "others"]
    out, _ = cli("aggregate", "two.parquet", "--json")
    systems = json.loads(out)["systems"]
    whole = json.loads(
        cli("crab", shapes, "gold.jsonl", "letters.jsonl", "others.jsonl", "--json")[0]
    )
    for name, report in systems.items():
        assert report["scores"] == whole["systems"][name]["scores"]


def test_tables_fit_a_terminal(files):
    for shapes in SHAPES:
        report = getattr(fc.crab, shapes)("gold.jsonl", "letters.jsonl")
        assert max(map(len, str(report).splitlines()[:-1])) <= 80


BAD_OPTIONS = {
    "unknown rule": (("frames", "--rule", "table"), "'table' is not one of"),
    "overlap": (
        ("chains", "--high", "AB"),
        'mediation is "BC" and high is "AB": a weak pair may not be strong, expected no B in one',
    ),
    "strong pairs that are not there": (
        ("chains", "--high", "A-"), 'high is "A-", expected some of the letters ABCD'),
    "no letters": (("chains", "--collider", ""), 'collider is "", expected some of the letters'),
    "letter twice": (("chains", "--collider", "DD"), 'collider is "DD", expected some of the'),
    "unknown letter": (("chains", "--confounding", "c"), 'confounding is "c", expected some of'),
    "answers' option without answers": (("frames", "--unparsed", "skip"), "--unparsed is for answ"),
    "intervals without answers": (("chains", "--intervals"), "--intervals is for answers: name"),
    "same file": (("frames", "--per-frame", "gold.jsonl"), "gold.jsonl"),
    "no metadata": (("frames", "--per-frame", "f.csv"), "f.csv: a CSV file has no metadata"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_OPTIONS)
@pytest.mark.parametrize("as_json", [False, True])
def test_bad_options(case, as_json, files):
    (shapes, *options), message = BAD_OPTIONS[case]
    refused(files, message, as_json, "crab", shapes, "gold.jsonl", *options)


BAD_ROWS = {
    "key twice": ([*PAIRS, PAIRS[0]], None, 'gold.jsonl:9: pair "7/1/2" occurs twice'),
    "order": ([(7, 3, 3, "A", "A")], None, "expected a before b"),
    "class": ([(7, 1, 3, "E", "A")], None, '"class" is "E", expected one of A, B, C, D'),
    "unread": (PAIRS, "perhaps", "letters.jsonl:1"),
    "missing": (PAIRS, None, "letters.jsonl:1"),
    "out of range": (PAIRS, "F", "letters.jsonl:1"),
}


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize("case", BAD_ROWS)
def test_bad_rows(shapes, case, files):
    pairs, answer, message = BAD_ROWS[case]
    lines(files / "gold.jsonl", gold_of(pairs))
    lines(files / "letters.jsonl", [{"prediction": answer} for _ in pairs])
    option = f"--{SHAPES[shapes].replace('_', '-')}"
    refused(
        files, message, False, "crab", shapes, "gold.jsonl", "letters.jsonl", option, "u.parquet"
    )


def refused(folder, message, as_json, *arguments):
    before = sorted(folder.iterdir())
    out, err = cli(*arguments, *["--json"] * as_json, expect=2)
    said = " ".join((json.loads(out)["error"] if as_json else err).replace("│", " ").split())
    assert message in said
    assert sorted(folder.iterdir()) == before
