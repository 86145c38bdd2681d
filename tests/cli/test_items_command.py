"""``items``, ``compare --items`` and ``gate --no-regression`` on the command line."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

A = "id,epoch,topic,score\n1,1,x,1\n1,2,x,0\n2,1,x,1\n2,2,x,1\n3,1,y,\n3,2,y,\n4,1,y,1\n"
B = "id,epoch,topic,score\n1,1,x,1\n1,2,x,1\n2,1,x,0\n2,2,x,0\n3,1,y,1\n3,2,y,1\n5,1,y,0\n"
TABLE = ("--value", "score")
LOW_OF_2 = pytest.approx(0.025**0.5)  # of 2 right answers of 2


@pytest.fixture
def files(tmp_path):
    for name, text in (("a", A), ("b", B)):
        (tmp_path / f"{name}.csv").write_text(text)
    rows = [f"{name},{line}\n" for name, text in (("a", A), ("b", B)) for line in text.split()[1:]]
    (tmp_path / "both.csv").write_text("model,id,epoch,topic,score\n" + "".join(rows))
    return tmp_path / "a.csv", tmp_path / "b.csv"


def test_json_is_that_of_the_contract(files):
    found = json.loads(cli("items", *files, *TABLE, "--json")[0])
    counts = {name: found[name] for name in found if name.startswith("n_")}
    assert counts == {"n_items": 5, "n_up": 1, "n_down": 1, "n_flaky": 1, "n_crashed": 1}
    assert (found["runs"], found["missing"]) == (["a", "b"], "skip")
    changes = {row["id"]: row["change"] for row in found["items"]}
    assert changes == {"1": "up", "2": "down", "3": "unknown", "4": "unknown", "5": "unknown"}
    assert found["items"][2] == {
        "id": "3", "cluster": "y", "change": "unknown", "flaky": {"a": False, "b": False},
        "values": {
            "a": {"value": None, "n": 0, "right": 0, "crashed": 2, "low": None, "high": None},
            "b": {"value": 1, "n": 2, "right": 2, "crashed": 0, "low": LOW_OF_2,
                  "high": 1},
        },
    }  # fmt: skip


def test_a_column_of_systems_is_a_file_each(files):
    both = files[0].with_name("both.csv")
    of_files, of_column = (
        cli("items", *each, *TABLE, "--json")[0] for each in (files, (both, "--system", "model"))
    )
    assert of_files == of_column


def test_text_fits_a_terminal(files):
    printed, _ = cli("items", *files, *TABLE)
    assert max(map(len, printed.splitlines()[:-1])) <= 80
    for shown in ("1/2 [0.01, 0.99]", "2 crashed", "missing", "unknown", "5 items of a and b"):
        assert shown in printed


def test_compare_writes_the_same(files, tmp_path):
    options = (*TABLE, "--missing", "zero")
    plain = cli("compare", *files, *options, "--json")[0]
    assert cli("compare", *files, *options, "--json", "--items", tmp_path / "x.json")[0] == plain
    written = json.loads((tmp_path / "x.json").read_text())
    assert written == json.loads(cli("items", *files, *options, "--json")[0])
    cli("compare", files[0].with_name("both.csv"), "--system", "model", "--pick", "b,a", *options,
        "--items", tmp_path / "x.jsonl")  # fmt: skip
    [first, *_] = (tmp_path / "x.jsonl").read_text().splitlines()
    assert [*json.loads(first)["values"]] == ["b", "a"]


def test_relations_and_labels_have_items(tmp_path):
    out = tmp_path / "items.parquet"
    names = ("careful", "hasty")
    pred = [sample.SYSTEMS[name] for name in names]
    printed, _ = cli("items", sample.GOLD, *pred, "--json", "--out", out)
    found = json.loads(printed)
    assert pq.read_table(out).equals(fc.items(
        {name: fc.score(sample.GOLD, each) for name, each in zip(names, pred, strict=True)}
    ).to_arrow())  # fmt: skip
    assert found["items"][0]["cluster"] == "air"
    labels = (tmp_path / "gold.csv", tmp_path / "a.csv", tmp_path / "b.csv")
    for path, values in zip(labels, ("0110", "0100", "1110"), strict=True):
        path.write_text("id,label\n" + "".join(f"{k},{v}\n" for k, v in enumerate(values)))
    found = json.loads(cli("items", *labels, "--task", "classify", "--json")[0])
    right = {run: [row["values"][run]["right"] for row in found["items"]] for run in "ab"}
    assert right == {"a": [1, 1, 0, 1], "b": [0, 1, 1, 1]}


def test_several_answers_of_relations(tmp_path):
    """Two answers to each item of one file are those of two files, and the score is pooled."""
    once, several, gold = tmp_path / "once.jsonl", tmp_path / "several.jsonl", sample.GOLD
    rows = [
        {**json.loads(line), "take": k}
        for k, name in enumerate(("careful", "hasty"))
        for line in sample.SYSTEMS[name].read_text().splitlines()
    ]
    for path, kept in ((once, rows[: len(rows) // 2]), (several, rows)):
        path.write_text("".join(f"{json.dumps(row)}\n" for row in kept))
    options = ("--sample", "take", "--unparsed", "empty", "--json")
    one, two = (
        fc.items(fc.score(gold, sample.SYSTEMS[name], unparsed="empty")).to_dict()["items"]
        for name in ("careful", "hasty")
    )
    found = json.loads(cli("items", gold, several, *options)[0])
    for row, a, b in zip(found["items"], one, two, strict=True):
        [both], [first], [second] = (each["values"].values() for each in (row, a, b))
        assert (both["n"], both["right"]) == (2, first["right"] + second["right"])
        assert both["value"] == pytest.approx((first["value"] + second["value"]) / 2)
    assert found["n_flaky"] == sum(any(row["flaky"].values()) for row in found["items"]) > 0
    sides = (gold, once, several)
    plain = cli("compare", *sides, *options)[0]
    assert cli("compare", *sides, *options, "--items", tmp_path / "items.json")[0] == plain
    judged = ("--baseline", once, "--candidate", several, "--no-regression")
    judged = json.loads(cli("gate", gold, *judged, *options, "--min-delta", "-0.9", expect=0)[0])
    assert (judged["regressions"], judged["delta"] < 0) == ([], True)


@pytest.mark.parametrize(
    ("options", "status", "regressions"),
    [
        (["--missing", "zero"], 1, ["2", "4"]),
        (["--missing", "skip"], 1, ["2"]),
        (["--missing", "skip", "--allow", "1"], 0, ["2"]),
        (["--missing", "skip", "--allow", "1", "--min-delta", "0.9"], 1, ["2"]),
        (["--missing", "skip", "--min", "score=0.1", "--point", "--allow", "1"], 0, ["2"]),
        (["--missing", "skip", "--allow-flaky"], 1, ["2"]),
    ],
)
def test_gate(files, options, status, regressions):
    a, b = files
    sides = ("--baseline", a, "--candidate", b, *TABLE, "--no-regression", "--json")
    found = json.loads(cli("gate", *sides, *options, expect=status)[0])
    assert found["regressions"] == regressions
    assert (found["verdict"] == "fail") == (status == 1 and "--min-delta" not in options)
    assert found["allowed"] == (1 if "--allow" in options else 0)
    both = files[0].with_name("both.csv")
    split = (both, "--system", "model", "--baseline", "a", "--candidate", "b", *sides[4:])
    assert json.loads(cli("gate", *split, *options, expect=status)[0])["regressions"] == regressions


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("gate --candidate B --baseline A --value score --no-regression", "2 of 7 answers without"),
        ("gate --candidate B --no-regression", "name a --baseline"),
        ("gate --candidate B --baseline A --allow 1 --min-delta 0", "--allow is for --no-reg"),
        ("items A B --value score --over pass@2", "items show all answers"),
        ("items A --value score --only down", "of two runs, got 1"),
        ("items A A --value score", "two runs have the name"),
        ("items A B --value score --out x.txt", "expected .json, .jsonl, .csv, .parquet"),
        ("items A B --task eci --value score", "--task is for predictions against gold"),
    ],
)
def test_bad_usage(files, command, message):
    places = dict(zip("AB", files, strict=True))
    _, err = cli(*(places.get(word, word) for word in command.split()), expect=2)
    assert message in err
