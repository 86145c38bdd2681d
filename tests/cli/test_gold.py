"""Commands that take counts also take GOLD and predictions, or floors."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli

SYSTEMS = {name: sample.SYSTEMS[name] for name in ("careful", "chatty")}
FILES = [*SYSTEMS.values()]
EVENTS = [sample.GOLD.parent / f"pairs_{name}.csv" for name in ("gold", "careful", "hasty")]


@pytest.fixture(scope="module")
def counts(tmp_path_factory):
    """A file of counts for each system."""
    folder = tmp_path_factory.mktemp("counts")
    for name, path in SYSTEMS.items():
        cli("score", sample.GOLD, path, "--per-example", folder / f"{name}.parquet")
    return [folder / f"{name}.parquet" for name in SYSTEMS]


USES = {
    "compare": lambda files: ["compare", *files],
    "leaderboard": lambda files: ["leaderboard", *files, "--n-resamples", 200],
    "gate": lambda files: ["gate", *files[:-2], "--baseline", files[-2], "--candidate", files[-1],
                           "--min-delta", "-0.1", "--min", "overall_f1=0.6"],
}  # fmt: skip


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
def test_predictions_in_tables_are_no_counts(suffix, tmp_path):
    """Predictions in tables are not taken for counts, although both have our metadata."""
    gold = fc.read(sample.GOLD)
    files = [tmp_path / f"{name}.{suffix}" for name in ("gold", *SYSTEMS)]
    for file, side in zip(files, (gold, *(fc.read(p, like=gold) for p in FILES)), strict=True):
        fc.write(side, file)
    for use in USES.values():
        printed = cli(*use(files), "--json", expect=None)[0]
        assert printed == cli(*use([sample.GOLD, *FILES]), "--json", expect=None)[0]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("options", [[], ["--cluster", "doc_id"]])
def test_gold_and_predictions_count_as_files_of_counts_do(use, options, counts):
    of_counts = cli(*USES[use](counts), *options, "--json", expect=None)
    assert cli(*USES[use]([sample.GOLD, *FILES]), *options, "--json", expect=None) == of_counts
    assert json.loads(of_counts[0])
    one_is_counted = [sample.GOLD, counts[0], FILES[1]]
    assert cli(*USES[use](one_is_counted), *options, "--json", expect=None) == of_counts


def test_another_task(tmp_path):
    files = []
    for path in EVENTS[1:]:
        files.append(tmp_path / f"{path.stem}.parquet")
        cli("eci", EVENTS[0], path, "--candidates", "listed", "--per-document", files[-1])
    options = ["--score", "direction_f1", "--json"]
    of_task = ["--task", "eci", "--set", "candidates=listed"]
    of_counts = cli("compare", *files, *options)[0]
    assert cli("compare", *EVENTS, *of_task, *options)[0] == of_counts
    assert cli("compare", *EVENTS, "--task", "eci", *options)[0] != of_counts


def test_settings_of_scoring_hold(counts):
    recipe = ["--protocol", "cnc-2023", "--unparsed", "empty", "--json"]
    printed = json.loads(cli("compare", sample.GOLD, *FILES, *recipe)[0])
    sides = [fc.score(sample.GOLD, path, "cnc-2023", unparsed="empty") for path in FILES]
    assert printed["scores"] == fc.compare(*sides).to_dict()["scores"]
    assert "cnc-2023" in printed["signature"]


def test_raw_answers_of_models(tmp_path):
    answers = [json.loads(line) for line in sample.RAW_ANSWERS.read_text().splitlines()]
    files = [tmp_path / f"{name}.jsonl" for name in "ab"]
    for k, file in enumerate(files):
        rows = [{"key": row["id"], "said": row["output"] if k else "[]"} for row in answers]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = ["--answers", "said", "--id", "key", "--unparsed", "empty", "--json"]
    printed = json.loads(cli("compare", sample.GOLD, *files, *options)[0])
    assert printed["systems"] == {"a": "a", "b": "b"}
    assert printed["scores"]["overall_f1"]["b"] > printed["scores"]["overall_f1"]["a"] == 0
    board = json.loads(cli("leaderboard", sample.GOLD, *files, *options)[0])
    best = board["systems"][0]
    assert (best["system"], best["value"]) == ("b", printed["scores"]["overall_f1"]["b"])
    judged = ["--baseline", files[0], "--candidate", files[1], "--min-delta", "0"]
    gate = json.loads(cli("gate", sample.GOLD, *judged, *options)[0])
    assert gate["verdict"] == "pass"


@pytest.mark.parametrize("command", ["compare", "leaderboard", "gate", "aggregate", "plan"])
def test_answers_of_tables_are_taken_over_a_rule(tmp_path, command):
    """`--over` names the rule; `--answers` names it too where no GOLD has raw answers."""
    files = []
    for name, least in (("a", 5), ("b", 3)):
        rows = [
            {"id": f"q{k}", "epoch": e, "value": int((k + e) % 7 >= least)}
            for k in range(12)
            for e in range(3)
        ]
        files.append(tmp_path / f"{name}.jsonl")
        files[-1].write_text("".join(json.dumps(row) + "\n" for row in rows))
    given = files
    if command == "gate":
        given = ["--baseline", files[0], "--candidate", files[1], "--min-delta", "0"]
    one, other, mean = (
        json.loads(cli(command, *given, *rule, "--json")[0])
        for rule in (["--over", "pass@2"], ["--answers", "pass@2"], [])
    )
    assert one == other
    assert one != mean
    assert "|answers:pass@2|" in str(one)
    message = " ".join(cli(command, *given, "--answers", "output", expect=2)[1].split())
    assert "--answers output is a column of raw answers" in message
    assert "--over mean, first, best, pass@K" in message
    two = cli(command, *given, "--answers", "max", "--over", "min", expect=2)[1]
    assert 'over is "min", but its other name answers is "max"' in two


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compare", *FILES], "score GOLD FILE --per-example COUNTS.parquet makes counts"),
        (["leaderboard", FILES[0]], "score GOLD FILE --per-example COUNTS.parquet makes counts"),
        (["merge", FILES[0], "--out", "x.parquet"], "score GOLD PRED --per-example"),
        (["compare", FILES[0]], "1 files, expected A B, or GOLD A B"),
        (["compare", sample.GOLD, *FILES, "--value", "x"], "--value is for logs and tables"),
        (["compare", sample.GOLD, *FILES, "--over", "most"], 'over is "most"'),
        (["compare", sample.GOLD, FILES[0], FILES[0]], "is given twice"),
        (["gate", "--candidate", "x"], "expected --baseline and --min-delta, or --min"),
        (["gate", "--candidate", "x", "--min", "0.8"], "expected SCORE=VALUE such as overall_f1"),
        (["gate", "--candidate", "x", "--min", "a=1", "--min", "a=2"], '"a=2", twice'),
        (["gate", "--candidate", "x", "--min", "a=1", "--min-delta", "0"], "name a --baseline"),
        (["gate", "--candidate", "x", "--baseline", "y"], "expected --min-delta"),
        (["gate", sample.GOLD, "--candidate", FILES[0], "--min", "f1=1"], 'unknown score "f1"'),
        (["gate", sample.GOLD, "--candidate", FILES[0], "--min", "overall_f1=nan"], "finite"),
    ],
)  # fmt: skip
def test_messages(arguments, message):
    assert message in " ".join(cli(*arguments, expect=2)[1].split())


def test_options_of_predictions_need_gold(counts):
    for use in USES.values():
        _, said = cli(*use(counts), "--unparsed", "empty", expect=2)
        assert "--unparsed is for predictions against gold: name GOLD first" in said


def floors(value, *options, expect):
    least = ["--min", f"overall_f1={value}", *options]
    printed, _ = cli("gate", sample.GOLD, "--candidate", FILES[0], *least, "--json", expect=expect)
    return json.loads(printed)


def test_floors_are_compared_with_one_sided_bounds():
    report = fc.score(sample.GOLD, FILES[0])
    low, high, _ = report.statistics.interval("overall_f1", confidence=0.9)
    for value, verdict in (
        (low, "pass"),
        (report["overall"].f1, "inconclusive"),
        (high + 1e-9, "fail"),
    ):
        found = floors(value, expect=int(verdict != "pass"))
        assert found["verdict"] == verdict
        [floor] = found["floors"]
        assert (floor["low"], floor["high"]) == pytest.approx((low, high), abs=1e-12)
    assert floors(report["overall"].f1, "--point", expect=0)["verdict"] == "pass"
    assert floors(report["overall"].f1 + 1e-9, "--point", expect=1)["verdict"] == "fail"


def test_floors_in_junit_and_annotations(tmp_path):
    report = tmp_path / "gate.xml"
    least = ["--min", "overall_f1=0.9", "--min", "cause_f1=0.1", "--junit", report, "--github"]
    printed, _ = cli("gate", sample.GOLD, "--candidate", FILES[0], *least, expect=1)
    [case] = ElementTree.fromstring(report.read_text())
    assert case.get("name") == "overall_f1, cause_f1: careful"
    message = "overall_f1 is 0.8189 [0.7827, 0.8503], below 0.9000: significant at 5% (one-sided)"
    assert case[0].get("message").startswith(message)
    assert f"::error title=fastcausal gate::fail: careful; {message[:46]}" in printed


def test_the_same_predictions_in_any_order_are_unchanged(tmp_path):
    """They pass unless a gain is required; other predictions with the same counts may differ."""
    lines = FILES[0].read_text().splitlines()
    turned, other = tmp_path / "turned.jsonl", tmp_path / "other.jsonl"
    turned.write_text("\n".join(reversed(lines)))
    nearer = lines[0].replace("storm</ARG0> flooded", "storm flooded</ARG0>")
    other.write_text("\n".join([nearer, *lines[1:]]))
    gate = ("gate", sample.GOLD, "--candidate")
    for least, status in ((-0.01, 0), (0, 0), (0.01, 1)):
        use = (*gate, turned, "--baseline", FILES[0], "--min-delta", least, "--json")
        found = json.loads(cli(*use, expect=status)[0])
        assert (found["verdict"], found["n_differ"]) == ("unchanged", 0)
    printed, _ = cli(*gate, other, "--baseline", FILES[0], "--min-delta", -0.01, expect=1)
    assert printed.startswith("inconclusive")
    assert "none of 12 differ; up to 22.1% may" in printed


def test_one_condition_that_fails_decides():
    sides = [fc.score(sample.GOLD, path) for path in FILES]
    better, worse = {"min_delta": -0.3}, {"min_delta": 0.3}
    verdicts = [
        fc.gate(*sides, floors={"overall_f1": least}, **delta).verdict
        for delta in (better, worse)
        for least in (0.1, 0.67, 0.9)
    ]
    assert verdicts == ["pass", "inconclusive", "fail", "fail", "fail", "fail"]


def test_a_floor_where_less_is_better_is_refused():
    side = fc.score(sample.GOLD, FILES[0])
    with pytest.raises(ValueError, match="overall_f1: higher is better"):
        fc.gate(None, side, floors={"overall_f1": 0.5}, lower_is_better=True)
    few = side.statistics.take([0, 1, 2])
    assert fc.gate(None, few, floors={"overall_f1": 0.0}).verdict == "inconclusive"
    assert fc.gate(None, few, floors={"overall_f1": 0.0}, point=True).verdict == "pass"
