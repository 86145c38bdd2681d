"""Reports of every task are shown, flattened and stored in the same ways."""

from __future__ import annotations

import csv
import io
import json
import math
import pickle
from copy import copy

import pyarrow as pa
import pytest
from markupsafe import escape

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.escapes import latex_text, line_text, markdown_text
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables
from tests.support.cli import cli
from tests.support.markup import Reader

LABELS = {"unit": [1, 1, 2, 2, 3], "rater": ["a", "b"] * 2 + ["a"], "label": list("xyyyx")}
QUESTIONS = [{"id": "a", "question": "Why?", "answers": {"text": ["rain"]}}]
FAULTY = [
    {"id": "a", "text": "Rain brings floods", "relations": [{"cause": (0, 1)}]},
    {"id": "b", "text": "Rain brings mud", "relations": []},
]


def systems():
    return {name: fc.score(sample.GOLD, sample.SYSTEMS[name]) for name in ("careful", "hasty")}


MAKERS = {
    "extraction": lambda: fc.score(sample.GOLD, sample.SYSTEMS["careful"]),
    "cnc-2022": lambda: fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2022"),
    "answers": lambda: fc.qa(QUESTIONS, {"a": "rain", "b": ""}, unmatched="skip"),
    "classification": lambda: fc.classify([1, 1, 0, 2], [1, None, 0, 1], unparsed="skip"),
    "agreement": lambda: fc.agree(list(sample.ANNOTATORS.values())),
    "labels": lambda: fc.label_agreement(LABELS),
    "check": lambda: fc.check(fc.Relations.from_examples(FAULTY)),
    "check without findings": lambda: fc.check(sample.ANNOTATORS["annotator_3"]),
    "explain": lambda: fc.explain(sample.GOLD, sample.SYSTEMS["chatty"]),
    "corpus": lambda: fc.describe(sample.GOLD),
    "intervals": lambda: MAKERS["classification"]().with_intervals(method="jackknife"),
    "comparison": lambda: fc.compare(*systems().values(), n_resamples=99),
    "gate": lambda: fc.gate(*systems().values(), min_delta=0.0, n_resamples=99),
    "leaderboard": lambda: fc.leaderboard(systems(), n_resamples=99),
}
TABLES = {
    "extraction": ["per_example", "matches", "unparsed"],
    "cnc-2022": ["unparsed"],
    "classification": ["classes", "confusion", "per_example"],
    "answers": ["per_example"],
    "agreement": ["per_example", "matches", "disagreements", "pairs", "intervals"],
    "labels": ["disagreements"],
    "check": ["findings"],
    "explain": ["quirks"],
    "corpus": ["signals"],
}


@pytest.fixture(scope="module", params=MAKERS)
def case(request):
    return request.param, MAKERS[request.param]()


def test_every_report_has_every_method(case):
    _, report = case
    assert isinstance(report, fc.Report)
    plain = report.to_dict()
    assert json.loads(report.to_json()) == json.loads(json.dumps(plain, allow_nan=False))
    flat = report.to_flat("val/")
    assert all(name.startswith("val/") and isinstance(v, int | float) for name, v in flat.items())
    kept = {name for name, value in flat.items() if isinstance(value, float)}
    assert {f"val/{name}" for name in report.to_flat(counts=False)} == kept
    assert pa.table(report).equals(report.to_arrow())
    for text in (str(report), report._repr_html_(), report.to_markdown(), report.to_latex()):
        assert all(len(line) == len(line.rstrip()) for line in str(report).splitlines())
        assert report.signature.split("|")[0] in text
    assert str(report).splitlines()[0] == report.title
    assert str(report).splitlines()[-1] == report.signature
    assert report.title in repr(report)
    assert set(report.facts) <= set(dir(report))
    copied = pickle.loads(pickle.dumps(report))
    assert copied.to_dict() == plain
    assert copied == report


def test_a_page_has_the_tables(case, tmp_path):
    name, report = case
    page = tmp_path / "page.html"
    if name in ("extraction", "cnc-2022", "comparison", "leaderboard"):  # tests of their own
        return
    report.to_html(page)
    text = page.read_text(encoding="utf-8")
    for grid in report.to_tables():
        assert Reader(grid.to_html()).rows in Reader(text).tables
    assert all(escape(line) in text for line in report._notes())
    assert escape(report.title) in text


def test_all_results_are_shown_alike(tmp_path):
    """Results of many scores or runs, which are no reports, have the same forms."""
    intervals = MAKERS["extraction"]().statistics.intervals(cluster=None)
    swept = fc.sweep(sample.GOLD, sample.SYSTEMS["careful"], tmp_path / "out")
    for result, row in ((intervals, "overall f1"), (swept, "careful")):
        assert json.loads(result.to_json()) == result.to_dict()
        assert pa.table(result).equals(result.to_arrow())
        texts = (str(result), result.to_markdown(), result.to_latex(), result._repr_html_())
        assert all(row in text for text in (*texts, result.to_csv()))
    flat = intervals.to_flat("val/")
    assert flat["val/overall_f1_low"] < flat["val/overall_f1_high"]
    assert intervals.warnings
    assert all(f"warning: {said}" in str(intervals) for said in intervals.warnings)


def test_tables_are_made_on_demand(case):
    name, report = case
    if name == "check without findings":
        name = "check"
    if name == "intervals":
        name = "classification"
    assert list(report.tables) == TABLES.get(name, [])
    for table in report.tables.values():
        assert isinstance(table, pa.Table)
    copied = pickle.loads(pickle.dumps(report))
    assert all(copied.tables[name].equals(table) for name, table in report.tables.items())


def test_csv_has_all_digits(case):
    """A row per group with the very numbers of the report, undefined empty."""
    name, report = case
    if name not in ("extraction", "cnc-2022", "answers", "agreement"):
        return
    rows = list(csv.DictReader(io.StringIO(report.to_csv())))
    for row in rows:
        if row.get("part", "") in ("", *report.subsets):
            groups = report.subsets.get(row.get("part", ""), report.scores)
            for score, text in row.items():
                if score not in ("part", "name"):
                    value = groups[row["name"]][score]
                    assert text == ("" if math.isnan(value) else repr(value))


def test_warnings_are_shown_everywhere():
    odd = "50% of <b>them</b> | *are* lost\n\\end{tabular}"
    report = Report("title", "signature", {"a": Scores({"f1": 0.5})}, warnings=(odd,))
    assert f"warning: {odd}" in str(report)
    assert "<p>warning: 50% of &lt;b&gt;them&lt;/b&gt; | *are* lost" in report._repr_html_()
    assert markdown_text(f"warning: {odd}") in report.to_markdown()
    assert f"% warning: {line_text(odd)}" in report.to_latex().splitlines()
    assert report.to_csv() == "name,f1\na,0.5\n"
    assert report.to_dict()["warnings"] == [odd]


def test_a_report_that_says_little():
    report = Report("title", "signature", {"a": Scores({"f1": math.nan})})
    assert (report.subsets, report.tables, report.warnings, report.facts) == ({}, {}, (), {})
    assert report.to_dict() == {
        "signature": "signature", "scores": {"a": {"f1": None}}, "subsets": {}, "warnings": [],
        "hints": [],
    }  # fmt: skip
    assert report.to_arrow().to_pylist() == [{"subset": "all", "group": "a", "f1": None}]
    for name in ("n_examples", "matches"):
        with pytest.raises(AttributeError, match=f"^Report without {name}$"):
            getattr(report, name)


def test_facts_are_attributes():
    report = Report("title", "signature", {}, facts={"n_topics": 3})
    assert report.n_topics == 3
    assert "n_topics" in dir(report)
    assert report.to_dict()["n_topics"] == 3


def test_tab_offers_scores():
    scores = MAKERS["extraction"]()["overall"]
    assert {"f1", "precision", "tp", "items"} <= set(dir(scores))


def test_tables_are_made_once():
    made = []
    tables = Tables(a=lambda: made.append(1) or pa.table({"x": [1]}))
    assert "a" in tables
    assert not made
    assert tables["a"] is tables["a"]
    assert (len(made), len(tables), dict(tables).keys()) == (1, 1, {"a"})
    with pytest.raises(KeyError):
        tables["b"]


def test_confusions_and_classes():
    report = fc.classify(["a", "b", "b"], ["a", "a", "b"])
    assert report.tables["confusion"].to_pylist() == [
        {"gold": gold, "pred": pred, "n": n}
        for gold, pred, n in (("a", "a", 1), ("a", "b", 0), ("b", "a", 1), ("b", "b", 1))
    ]
    assert report.tables["classes"].to_pylist() == report.to_dict()["classes"]
    assert fc.classify([], []).to_dict()["classes"] == []


def test_intervals_of_agreement():
    report = MAKERS["agreement"]()
    drawn = report.intervals()
    for row in report.tables["intervals"].to_pylist():
        low, high = drawn[row["group"]][row["measure"]]
        assert (row["low"], row["high"]) == (low, high)


# -------------------------------------------------------------------------------- the command line


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("files")
    sample.copy_to(where)
    (where / "labels_1.csv").write_text("id,label\na,x\nb,y\n")
    (where / "labels_2.csv").write_text("id,label\na,x\nb,x\n")
    cli("convert", where / "gold.csv", where / "questions.json", "--to", "squad")
    for name in ("careful", "hasty"):
        fc.score(where / "gold.csv", where / f"{name}.jsonl", per_example=where / f"{name}.parquet")
    return where


COMMANDS = {
    "score gold.csv careful.jsonl": lambda: fc.score("gold.csv", "careful.jsonl"),
    "explain gold.csv chatty.jsonl": lambda: fc.explain("gold.csv", "chatty.jsonl"),
    "agree annotator_1.jsonl annotator_2.jsonl": lambda: fc.agree(
        ["annotator_1.jsonl", "annotator_2.jsonl"]
    ),
    "classify labels_1.csv labels_2.csv --positive y": lambda: fc.classify(
        "labels_1.csv", "labels_2.csv", positive="y"
    ),
    "qa questions.json answers.json": lambda: fc.qa("questions.json", "answers.json"),
    "answers judged_ann.json": lambda: fc.answers("judged_ann.json"),
    "describe gold.csv": lambda: fc.describe("gold.csv"),
    "check annotator_3.jsonl": lambda: fc.check("annotator_3.jsonl"),
    "aggregate careful.parquet": lambda: fc.Statistics.read("careful.parquet").report(),
    "compare careful.parquet hasty.parquet": lambda: fc.compare("careful.parquet", "hasty.parquet"),
    "leaderboard careful.parquet hasty.parquet": lambda: fc.leaderboard(
        ["careful.parquet", "hasty.parquet"]
    ),
    "gate --baseline hasty.parquet --candidate careful.parquet --min-delta 0": lambda: fc.gate(
        "hasty.parquet", "careful.parquet", min_delta=0
    ),
}
FORMATS = ("markdown", "latex", "csv", "json")


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_prints_every_format(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    report = copy(COMMANDS[command]())
    as_json = report.to_json() + "\n"
    vars(report).update(warnings=())  # which go to standard error, or are in the JSON
    wanted = [report.to_markdown(), report.to_latex(), report.to_csv(), as_json]
    for format, text in zip(FORMATS, wanted, strict=True):
        out, _ = cli(*command.split(), "--format", format)
        assert out == text
    assert cli(*command.split(), "--json")[0] == wanted[-1]
    assert cli(*command.split(), "--format", "text") == cli(*command.split())
    out, err = cli(*command.split(), "--json", "--format", "csv", expect=2)
    assert "--format is csv, but --json is another" in json.loads(out)["error"]
    assert not err


@pytest.mark.parametrize(
    "command",
    [
        "score gold.csv careful.jsonl hasty.jsonl",
        "describe gold.csv annotator_1.jsonl",
        "agree annotator_1.jsonl annotator_2.jsonl --intervals",
        "agree labels_1.csv labels_2.csv --labels label --intervals",
        "demo",
        "doctor",
    ],
)
def test_several_reports_in_every_format(command, folder, monkeypatch):
    monkeypatch.chdir(folder)
    texts = {format: cli(*command.split(), "--format", format)[0] for format in FORMATS}
    assert texts["markdown"].count("\n| :--") == texts["latex"].count("\\toprule")
    for table in texts["csv"].split("\n\n"):
        assert len({len(row) for row in csv.reader(io.StringIO(table))}) == 1
    assert json.loads(texts["json"]) == json.loads(cli(*command.split(), "--json")[0])


def test_wrong_usage_as_json():
    for option in (["--format", "json"], ["--format=json"]):
        out, err = cli("score", *option, expect=2)
        assert "Missing argument" in json.loads(out)["error"]
        assert not err
    _, err = cli("score", "--format", "xml", expect=2)
    assert "'xml' is not one of 'text', 'json', 'markdown', 'latex', 'csv'" in " ".join(err.split())


def test_latex_of_names():
    grid = fc.classify(["[x]", "a_b"], ["[x]", "[x]"]).to_latex()
    assert latex_text("[x]") in grid
    assert r"a\_b" in grid


def test_scores_of_classes_have_their_intervals():
    report = fc.classify([1, 1, 0, 0] * 4, [1, 0, 0, 1] * 4).with_intervals()
    assert report.classes is report.class_scores
    assert report.classes[1]["recall"].low < report.classes[1]["recall"]
