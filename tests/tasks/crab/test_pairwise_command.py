"""``fastcausal crab pairwise``: its files, tables and errors, and the commands that read its
files."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

CRAB = ("crab", "pairwise")
SYSTEMS = ("careful", "chatty", "hasty")


@pytest.fixture
def files(tmp_path, monkeypatch):
    sample.copy_to(tmp_path)
    monkeypatch.chdir(tmp_path)
    return ["crab_gold.jsonl", *(f"crab_scores_{name}.jsonl" for name in SYSTEMS)]


def test_one_system(files):
    out, err = cli(*CRAB, *files[:2], "--by", "period", "--by", "topic_id")
    report = fc.crab.pairwise(*files[:2], by=["period", "topic_id"])
    assert all(len(line) <= 80 or "|" in line for line in out.splitlines())
    assert out.endswith(report.signature + "\n")
    for text in ("accuracy", "spearman", "in_document", "topic_id=4", "as D", "(100.0%)"):
        assert text in out
    assert err == ""
    out, _ = cli(*CRAB, *files[:2], "--by", "period", "--by", "topic_id", "--json")
    assert json.loads(out) == report.to_dict()
    assert {"in_document", "cross_document", "topic_id=4"} <= json.loads(out)["subsets"].keys()


def test_several_systems(files):
    options = ("--unparsed", "empty", "--unmatched", "empty")
    out, err = cli(*CRAB, *files, *options, "--json")
    systems = json.loads(out)["systems"]
    assert [*systems] == [f"crab_scores_{name}" for name in SYSTEMS]
    for name, file in zip(systems, files[1:], strict=True):
        report = fc.crab.pairwise(files[0], file, unparsed="empty", unmatched="empty")
        assert systems[name] == report.to_dict()
        assert sum(report.unanswered) == report.n_pairs - report.coverage["n_read"]
    out, err = cli(*CRAB, *files, *options)
    assert "3 systems" in out
    assert "crab_scores_hasty: 2 of 59 answers could not be read or are missing" in err


def test_binary_and_multiclass(files):
    out, _ = cli(
        *CRAB, files[0], "crab_yes_no.jsonl", "--task", "binary", "--threshold", 80, "--json"
    )
    report = json.loads(out)
    assert report["labels"] == ["no", "yes"]
    assert report["scores"]["positive"]["support"] == sum(
        row["score"] >= 80 for row in map(json.loads, Path(files[0]).read_text().splitlines())
    )
    out, _ = cli(*CRAB, files[0], "crab_letters.jsonl", "--task", "multiclass", "--json")
    assert "score" not in json.loads(out)["scores"]


def test_files_of_pairs_are_statistics(files):
    """compare, leaderboard, gate and aggregate read the written files; stories are clusters."""
    options = ("--unparsed", "empty", "--unmatched", "empty")
    for name, file in zip(SYSTEMS, files[1:], strict=True):
        cli(*CRAB, files[0], file, *options, "--per-pair", f"{name}.parquet")
    table = pq.read_table("chatty.parquet")
    assert {"id", "topic_id", "in_document", "answer", "gold", "pred"} <= {*table.column_names}
    assert set(table["pred"].to_pylist()) == {*"ABC", "D", "unanswered"} & {
        *table["pred"].to_pylist()
    }
    few = ("--n-resamples", 200)
    out, _ = cli("compare", "careful.parquet", "hasty.parquet", "--score", "macro_f1",
                 "--score", "score_mae", "--cluster", "topic_id", *few, "--json")  # fmt: skip
    left, right = (fc.crab.pairwise(files[0], f"crab_scores_{n}.jsonl", unparsed="empty",
                                    unmatched="empty") for n in ("careful", "hasty"))  # fmt: skip
    delta = right["macro"].f1 - left["macro"].f1
    assert json.loads(out)["scores"]["macro_f1"]["delta"] == pytest.approx(delta)
    parquets = [f"{name}.parquet" for name in SYSTEMS]
    out, _ = cli("leaderboard", *parquets, "--score", "macro_f1", "--cluster", "topic_id", *few)
    assert out.index("careful") < out.index("hasty")
    cli("gate", "--baseline", "careful.parquet", "--candidate", "hasty.parquet", "--score",
        "macro_f1", "--min-delta", "-0.9", *few, expect=None)  # fmt: skip
    out, _ = cli("aggregate", *parquets, "--by", "topic_id", "--json")
    systems = json.loads(cli(*CRAB, *files, *options, "--by", "topic_id", "--json")[0])["systems"]
    assert [*json.loads(out)["systems"].values()] == [*systems.values()]
    cli(*CRAB, *files, *options, "--per-pair", "all.parquet")
    assert json.loads(cli("aggregate", "all.parquet", "--by", "topic_id", "--json")[0]) == {
        "systems": systems
    }
    _, err = cli("compare", *parquets[:2], "--score", "score_spearman", *few, expect=2)
    assert "score_spearman" in err


def test_intervals(files):
    options = ("--intervals", "--cluster", "topic_id", "--n-resamples", 100, "--json")
    out, _ = cli(*CRAB, *files[:2], *options, "--by", "period")
    intervals = json.loads(out)["intervals"]
    assert intervals["unit"] == "topic_id"
    assert len(intervals["scores"]["score"]["spearman"]) == 2
    assert any(name.startswith("period=") for name in intervals["subsets"])


@pytest.mark.slow
def test_plot(files, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    for kind, start in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        cli(*CRAB, *files, "--unparsed", "skip", "--unmatched", "skip", "--plot", f"all.{kind}")
        assert (tmp_path / f"all.{kind}").read_bytes().startswith(start)
    _, err = cli(*CRAB, *files[:2], "--plot", "all.txt", "--per-pair", "p.parquet", expect=2)
    assert "all.txt: expected a name that ends in .png, .svg or .pdf" in err
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    _, err = cli(*CRAB, *files[:2], "--plot", "b.png", "--per-pair", "p.parquet", expect=2)
    assert 'pip install "fastcausal[plots]"' in err
    assert not (tmp_path / "p.parquet").exists()
    assert not (tmp_path / "b.png").exists()


# ---------------------------------------------------------------------------------------- bad input

PAIR = {"topic_id": 1, "event_order_a": 1, "event_order_b": 2, "score": 30}
KEY = {name: PAIR[name] for name in [*PAIR][:3]}
GOOD = [PAIR, {**PAIR, "event_order_b": 3}]
ANSWERED = [{**row, "prediction": "30"} for row in GOOD]
NAN, INF = float("nan"), float("inf")

BAD_GOLD = {
    "a key twice": ([PAIR, PAIR], 'gold.jsonl:2: pair "1/1/2" occurs twice, first in gold.jsonl:1'),
    "a = b": ([{**PAIR, "event_order_b": 1}], "gold.jsonl:1: .*expected a before b"),
    "b before a": ([PAIR, {**PAIR, "event_order_a": 3}], "gold.jsonl:2: .*expected a before b"),
    "101": ([{**PAIR, "score": 101}], 'gold.jsonl:1: "score" is 101, expected a number from 0'),
    "-1": ([{**PAIR, "score": -1}], 'gold.jsonl:1: "score" is -1, expected a number from 0'),
    "nan": ([{**PAIR, "score": NAN}], "gold.jsonl:1: .*expected"),
    "infinite": ([{**PAIR, "score": INF}], "gold.jsonl:1: .*expected"),
    "a string": ([PAIR, {**KEY, "event_order_b": 9, "score": "high"}], 'gold.jsonl:2: .*"high"'),
    "class E": ([{**KEY, "class": "E"}], 'gold.jsonl:1: "class" is "E", expected one of A, B, C'),
    "neither": ([KEY], 'gold.jsonl:1: no "score" and no "class"'),
    "one of neither": ([PAIR, {**KEY, "event_order_b": 9}], "gold.jsonl:2: no .score. and no"),
    "order missing": ([{"topic_id": 1, "score": 3}], 'gold.jsonl: no column "event_order_a"'),
    "order a text": ([{**PAIR, "event_order_a": "x"}], 'gold.jsonl:1: "event_order_a"'),
    "no topic": ([{**PAIR, "topic_id": None}], 'gold.jsonl:1: no "topic_id"'),
    "an article missing": (
        [{**PAIR, "article_id_a": 1, "article_id_b": None}], 'gold.jsonl:1: no "article_id_b"'
    ),
}  # fmt: skip


def indexed(*places):
    return [{"index": place, "prediction": "30"} for place in places]


BAD_ANSWERS = {
    "no column": ([{**row, "said": 1} for row in GOOD], 'pred.jsonl: no column "prediction"'),
    "another length": ([{"prediction": "30"}] * 3, "pred.jsonl has 3 rows, gold has 2"),
    "twice": ([*ANSWERED, ANSWERED[0]], "pred.jsonl:3: .*occurs twice, first in pred.jsonl:1"),
    "of no pair": (
        [*ANSWERED, {**ANSWERED[0], "topic_id": 9}],
        r'pred.jsonl:3: .*1 answers .* \("9/1/2"\); --unmatched',
    ),
    "a pair without": (ANSWERED[:1], "gold.jsonl:2: topic 1, events 1 and 3: 1 pairs of gold have"),
    "negative index": (indexed(0, -1), 'pred.jsonl:2: "index" is -1, expected an integer from 0'),
    "index twice": (indexed(1, 1), 'pred.jsonl:2: index "1" occurs twice, first in pred.jsonl:1'),
    "index too large": (indexed(0, 1, 2), "pred.jsonl:3: 0 pairs .* 1 answers of pred.json"),
    "unread": ([*ANSWERED[:1], {**ANSWERED[1], "prediction": "high"}],
               'pred.jsonl:2: "prediction" is unreadable: "high"; --unparsed empty or skip'),
    "too large": ([*ANSWERED[:1], {**ANSWERED[1], "prediction": "800"}],
                  'pred.jsonl:2: "prediction" is out of range: "800"'),
    "null": ([*ANSWERED[:1], {**ANSWERED[1], "prediction": None}], "pred.jsonl:2: .*is missing"),
}  # fmt: skip


def refused(tmp_path, gold, pred, *options):
    """The one message of a command that ends with 2 and writes nothing."""
    for name, rows in (("gold", gold), ("pred", pred)):
        content = rows if isinstance(rows, bytes) else lines(rows)
        (tmp_path / f"{name}.jsonl").write_bytes(content)
    before = {*tmp_path.iterdir()}
    arguments = (*CRAB, "gold.jsonl", "pred.jsonl", *options, "--per-pair", "out.parquet")
    out, err = cli(*arguments, expect=2)
    assert not out
    message = json.loads(cli(*arguments, "--json", expect=2)[0])["error"]
    assert err == f"error: {message}\n"
    assert {*tmp_path.iterdir()} == before
    return message


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.mark.parametrize("name", BAD_GOLD)
def test_bad_gold(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    rows, message = BAD_GOLD[name]
    assert re.search(message, refused(tmp_path, rows, ANSWERED))


@pytest.mark.parametrize("name", BAD_ANSWERS)
def test_bad_answers(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    rows, message = BAD_ANSWERS[name]
    assert re.search(message, refused(tmp_path, GOOD, rows))


def test_files_that_are_no_tables(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "gold.jsonl" in refused(tmp_path, b"", ANSWERED)
    assert "pred.jsonl" in refused(tmp_path, GOOD, b"")
    assert "gold.jsonl:1" in refused(tmp_path, b'{"topic_id": "\xff"}\n', ANSWERED)
    assert "pred.jsonl:2" in refused(tmp_path, GOOD, lines(ANSWERED[:1]) + b"\xfe\n")
    of_class = [{**KEY, "class": "A"}]
    message = refused(tmp_path, of_class, ANSWERED[:1], "--task", "binary")
    assert message == 'gold.jsonl:1: topic 1, events 1 and 2: no "score"'
    message = refused(tmp_path, of_class, ANSWERED[:1], "--gold-from", "score")
    assert message.endswith("--gold-from class would take classes")
    message = refused(tmp_path, GOOD, ANSWERED, "--plot", "none/plot.png")
    assert message == "none/plot.png: no folder none"


@pytest.mark.slow
def test_a_long_answer(tmp_path, monkeypatch):
    """An answer of 10 MB is read; if it cannot be, the message stays short."""
    monkeypatch.chdir(tmp_path)
    endless = "So it goes. <Answer>" * 500_000
    message = refused(tmp_path, GOOD, [{"prediction": "30"}, {"prediction": endless}])
    assert len(message) < 300
    rows = [{"prediction": "30"}, {"prediction": endless + "30</Answer>"}]
    assert fc.crab.pairwise(GOOD, rows)["overall"].accuracy == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"task": "mcq"}, "task is"),
        ({"border": "left"}, "border is"),
        ({"gold_from": "raters"}, "gold_from is"),
        ({"unparsed": "ignore"}, "unparsed is"),
        ({"undefined": 0.5}, "undefined is"),
        ({"task": "binary", "threshold": NAN}, "threshold is nan"),
        ({"by": "genre"}, 'no column "genre"'),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        fc.crab.pairwise(GOOD, ["30", "30"] if "task" not in options else ["no", "no"], **options)


def test_a_task_that_reads_the_answers_is_named(files):
    _, err = cli(*CRAB, files[0], "crab_letters.jsonl", expect=2)
    assert 'crab_letters.jsonl:1: "prediction" is unreadable: "[C]"' in err
    assert "--task multiclass reads 59 of 59 answers" in err
    _, err = cli(*CRAB, files[0], "crab_letters.jsonl", "--task", "binary", expect=2)
    assert "--task" not in err
