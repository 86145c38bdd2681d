"""A sweep over any task gives the results of its function, run by run."""

from __future__ import annotations

import inspect
import json

import pyarrow.compute as pc
import pytest

import fastcausal as fc
from fastcausal.counts.task import declared, resolve
from fastcausal.sweeps.folder import about_of
from tests.support.cli import cli
from tests.sweeps.runs import content

PAIRS = "doc_id,topic,a,b,label\n"
GOLD = PAIRS + "d,1,x,y,CAUSE\nd,1,y,z,NONE\ne,2,x,y,FALLING_ACTION\nf,2,p,q,\n"
EVENTS = [{"doc_id": "d", "event": "x"}]
QUESTIONS = [
    {"id": k, "question": f"Why {k}?", "answers": {"text": ["rain", "a flood"]}, "topic": k % 2}
    for k in range(4)
]


def pairs(folder):
    runs = {
        "a.csv": GOLD,
        "b.csv": PAIRS.replace("topic,", "") + "d,y,x,CAUSE\ng,x,y,CAUSE\n",
        "c.jsonl": '{"doc_id": "e", "a": "y", "b": "x", "label": "CAUSE"}\n',
    }
    return written(folder, "gold.csv", GOLD, runs)


def labels(folder):
    gold = "id,label,topic\n1,0,u\n2,1,u\n3,1,v\n"
    runs = {"a.csv": "id,label\n1,0\n2,0\n3,1\n", "b.csv": "id,label\n3,1\n2,\n1,1\n"}
    return written(folder, "gold.csv", gold, runs)


def questions(folder):
    runs = {"a.json": '{"0": "rain", "1": "a", "2": "flood", "3": "x"}', "b.json": '{"1": "rain"}'}
    return written(folder, "gold.json", json.dumps(QUESTIONS), runs)


def sections(folder):
    def file(*spans):
        rows = zip(("1.1", "1.2", "2.1"), spans, strict=True)
        return "Index; Text; Cause; Effect\n" + "".join(f"{k}; a b c d e; {s}\n" for k, s in rows)

    runs = {
        "a.csv": file("a; b", "a b; d", "c; e"),
        "b.csv": file("c; e", "a; e", "a; d"),
    }
    return written(folder, "gold.csv", file("a; b", "a; d e", "b c; e"), runs)


def written(folder, name, gold, runs):
    (folder / "runs").mkdir()
    for file, text in runs.items():
        (folder / "runs" / file).write_text(text)
    (folder / name).write_text(gold)
    return folder / name, folder / "runs"


TASKS = {
    "eci": (pairs, {"candidates": "listed", "outside": "ignore"}),
    "classify": (labels, {"unparsed": "skip"}),
    "qa": (questions, {"unmatched": "empty"}),
    "fincausal": (sections, {"words": "blank"}),
}
BY = {"fincausal": "document"}  # its files have no other columns


def test_every_task_that_reads_gold_is_swept():
    names = [resolve(task.score).__name__ for task in declared() if task.read]
    assert sorted(names) == sorted(TASKS)


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("by", [None, "topic"])
def test_scores_are_those_of_the_function(tmp_path, task, by):
    make, options = TASKS[task]
    by = by and BY.get(task, by)
    gold, runs = make(tmp_path)
    out = tmp_path / "out"
    swept = fc.sweep(gold, runs, out, task=task, options=options, by=by)
    assert (swept.scored, swept.failed) == (len([*runs.iterdir()]), ())
    function = getattr(fc, task)
    for path in runs.iterdir():
        alone = function(gold, path, **options)
        expected = alone.statistics.report(by).to_arrow()
        found = swept.to_arrow().filter(pc.field("run") == path.stem)
        names = [n for n in found.column_names if n in expected.column_names]
        assert found.select(names).to_pylist() == expected.select(names).to_pylist()
        assert names == expected.column_names
        counted = fc.Statistics.read(out / "runs" / f"{path.stem}.parquet")
        assert counted.report(by).to_dict() == alone.statistics.report(by).to_dict()
        assert counted.gold == alone.statistics.gold
        assert counted.system == path.stem
        assert counted.units.column_names == ["id", by or BY.get(task, "topic")]  # clusters
        assert about_of(out)["signature"] == alone.statistics.signature


@pytest.mark.parametrize("task", TASKS)
def test_neither_order_nor_calls_nor_threads_change_a_byte(tmp_path, task):
    make, options = TASKS[task]
    gold, runs = make(tmp_path)
    every = sorted(runs.iterdir())

    def swept(out, runs, **besides):
        return fc.sweep(gold, runs, tmp_path / out, task=task, options=options, **besides)

    swept("whole", every, jobs=1)
    swept("parts", every[::-1], shard=(0, 2), jobs=2)
    swept("parts", every, shard=(1, 2))
    assert content(tmp_path / "parts") == content(tmp_path / "whole")
    (tmp_path / "parts" / "runs" / "a.parquet").write_bytes(b"damaged")
    again = swept("parts", every)
    assert (again.scored, again.kept) == (1, len(every) - 1)
    assert content(tmp_path / "parts") == content(tmp_path / "whole")


def test_a_changed_file_of_candidates_is_another_sweep(tmp_path):
    gold, runs = pairs(tmp_path)
    events = tmp_path / "events.csv"
    events.write_text("doc_id,event\nd,x\nd,y\nd,z\n")
    out = tmp_path / "out"

    def swept():
        return fc.sweep(gold, runs, out, task="eci", options={"candidates": events})

    assert swept().scored == 3
    assert swept().kept == 3
    events.write_text("doc_id,event\nd,x\nd,y\n")
    with pytest.raises(fc.InputError, match=r"its sweep has the options .*candidates"):
        swept()
    events.write_text("doc_id,event\nd,x\nd,y\nd,z\n")
    gold.write_text(GOLD + "h,3,x,y,CAUSE\n")
    with pytest.raises(fc.InputError, match="its sweep has the gold"):
        swept()


def test_a_run_may_be_a_folder_of_parts(tmp_path):
    gold, runs = pairs(tmp_path)
    gold.write_text("doc_id,a,b,label\n1_1ecb,1,2,PRECONDITION\n")
    (runs / "folder").mkdir()
    (runs / "folder" / "1_1ecb.tab").write_text("1\t2\tPRECONDITION\n")
    swept = fc.sweep(gold, [runs / "folder" / "1_1ecb.tab"], tmp_path / "one", task="eci")
    whole = fc.sweep(gold, runs, tmp_path / "out", task="eci")
    assert whole.scored == 4
    assert swept.scored == 1
    of_folder = whole.to_arrow().filter(pc.field("run") == "folder")
    assert of_folder["f1"].to_pylist()[:3] == [1.0, 1.0, 1.0]


def test_a_run_that_cannot_be_read_is_set_aside(tmp_path):
    gold, runs = pairs(tmp_path)
    (runs / "bad.csv").write_text(PAIRS + "d,1,x,y,WHY\n")
    swept = fc.sweep(gold, runs, tmp_path / "out", task="eci")
    assert swept.scored == 3
    [failed] = swept.failed
    assert failed["run"] == "bad"
    assert "bad.csv:2: label" in failed["error"]
    (runs / "bad.csv").write_text(PAIRS + "d,1,x,y,CAUSE\n")
    assert fc.sweep(gold, runs, tmp_path / "out", task="eci").scored == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"task": "crab"}, ValueError, 'no sweep over the task "crab", expected one of score, '),
        ({"options": {"by": "topic"}}, ValueError, 'eci has no option "by", expected protocol'),
        ({"options": {"protocol": "x"}}, ValueError, "x"),
        ({"options": {"candidates": [{"doc_id": "d"}]}}, fc.InputError, 'no columns "a" '),
        (
            {"options": {"candidates": EVENTS}},
            ValueError,
            "candidates of a sweep is dict, expected",
        ),
        ({"unparsed": "skip"}, ValueError, "for relations, eci has options"),
        ({"run_column": "run", "system": "model"}, ValueError, 'its other name system is "model"'),
        ({"by": "nothing"}, fc.InputError, 'no column "nothing" of documents'),
        ({"columns": ["nothing"]}, fc.InputError, 'no column "nothing" of documents'),
        ({"task": "score", "options": {"x": 1}}, ValueError, "options are for other tasks"),
    ],
)
def test_bad_arguments_write_nothing(tmp_path, arguments, error, message):
    gold, runs = pairs(tmp_path)
    with pytest.raises(error, match=message):
        fc.sweep(gold, runs, tmp_path / "out", **{"task": "eci"} | arguments)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("task", ["classify", "qa"])
def test_a_column_that_gold_lacks_writes_nothing(tmp_path, task):
    gold, runs = TASKS[task][0](tmp_path)
    with pytest.raises(fc.InputError, match='"nothing"'):
        fc.sweep(gold, runs, tmp_path / "out", task=task, by="nothing")
    assert not (tmp_path / "out").exists()


def test_bad_gold_writes_nothing(tmp_path):
    gold, runs = pairs(tmp_path)
    gold.write_text(PAIRS + "d,1,x,y,WHY\n")
    with pytest.raises(fc.InputError, match=r"gold.csv:2: label"):
        fc.sweep(gold, runs, tmp_path / "out", task="eci")
    assert not (tmp_path / "out").exists()


def test_a_candidates_file_in_the_folder_is_refused(tmp_path):
    gold, runs = pairs(tmp_path)
    (tmp_path / "out").mkdir()
    events = tmp_path / "out" / "events.csv"
    events.write_text("doc_id,event\nd,x\nd,y\nd,z\n")
    with pytest.raises(fc.InputError, match="is read, but the sweep writes to"):
        fc.sweep(gold, runs, tmp_path / "out", task="eci", options={"candidates": events})


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ([], {}),
        (["forward=5"], {"forward": ["5"]}),
        (["forward=A", "forward=B=C", "undefined=0"], {"forward": ["A", "B=C"], "undefined": 0.0}),
        (["undefined=null", "protocol=pairs"], {"undefined": None, "protocol": "pairs"}),
    ],
)
def test_the_command_reads_settings(tmp_path, settings, options):
    gold, runs = pairs(tmp_path)
    given = [word for setting in settings for word in ("--set", setting)]
    out, _ = cli("sweep", gold, runs, "--out", tmp_path / "out", "--task", "eci", *given)
    assert out == f"{tmp_path / 'out'}: 3 runs, 3 scored, 0 kept, 0 failed\n"
    assert about_of(tmp_path / "out")["options"] == options
    fc.sweep(gold, runs, tmp_path / "out", task="eci", options=options)


def test_the_command_reads_numbers_of_lists(tmp_path):
    gold, runs = labels(tmp_path)
    settings = ("--set", "labels=0", "--set", "labels=1", "--set", "unparsed=skip")
    cli("sweep", gold, runs, "--out", tmp_path / "out", "--task", "classify", *settings)
    assert about_of(tmp_path / "out")["options"] == {"labels": [0, 1], "unparsed": "skip"}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["forward"], '"forward", expected NAME=VALUE'),
        (["undefined=x"], 'undefined is "x", expected a number'),
        (["outside=charge", "outside=ignore"], "outside is set 2 times"),
        (["outsid=charge"], 'eci has no option "outsid"'),
        (["outside=no"], 'outside is "no"'),
    ],
)
def test_bad_settings(tmp_path, settings, message):
    gold, runs = pairs(tmp_path)
    given = [word for setting in settings for word in ("--set", setting)]
    command = ("sweep", gold, runs, "--out", tmp_path / "out", "--task", "eci", *given)
    _, error = cli(*command, expect=2)
    assert message in error
    assert not (tmp_path / "out").exists()


def test_rooms_behind_a_sweep(tmp_path):
    """Leaderboards and comparisons take a sweep over pairs like a sweep over relations."""
    gold, runs = pairs(tmp_path)
    fc.sweep(gold, runs, tmp_path / "out", task="eci", by="topic")
    board = fc.leaderboard(tmp_path / "out", "exists_f1", n_resamples=100)
    assert [*board.scores] == ["a", "c", "b"]
    one = tmp_path / "out" / "runs" / "a.parquet"
    other = tmp_path / "out" / "runs" / "b.parquet"
    assert fc.compare(one, other, "exists_f1", cluster="topic").n_units == 3


def test_functions_take_what_a_sweep_gives_them():
    for task in declared():
        if task.read:
            names = [*inspect.signature(resolve(task.score)).parameters]
            assert names[:2] == ["gold", "pred"]
