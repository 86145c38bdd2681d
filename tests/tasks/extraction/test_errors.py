"""The sentences that went wrong: which, in which order, and their spans in the running text."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import fastcausal as fc
from fastcausal import sample
from fastcausal.cli import app
from fastcausal.cli.errors import coloured
from fastcausal.tasks.relations.marked import bracketed
from tests.support.markup import Reader, data_of
from tests.support.profiles import trials
from tests.support.texts import cases

ROLES = ["cause", "effect", "signal"]


def spans_of(relations, tokens):
    return [
        [
            (role, start, stop, " ".join(tokens[start:stop]))
            for role, spans in relation.items()
            for start, stop in spans
        ]
        for relation in relations
        if relation
    ]


@given(cases(), st.sampled_from(["recess", "cnc-2023", "code"]))
@trials(60)
def test_marked_words_are_the_spans(case, protocol):
    gold, pred, texts = case
    protocol = fc.Protocol("code", "exact_spans") if protocol == "code" else protocol
    report = fc.score(gold, pred, protocol)
    found = report.errors(top=None)
    counts = {row["id"]: row for row in report.per_example.to_pylist()}
    kinds = found.types
    expected = [
        (-sum(counts[name][f"{role}_{kind}"] for role in ROLES for kind in kinds), k)
        for k, name in enumerate(gold.ids.to_pylist())
    ]
    order = [gold.ids[k].as_py() for n, k in sorted(expected) if n]
    assert [wrong.id for wrong in found.examples] == order
    assert found.n_wrong == len(order)
    at = {name: k for k, name in enumerate(gold.ids.to_pylist())}
    for wrong, row in zip(found.examples, found.to_dict()["examples"], strict=True):
        tokens = texts[at[wrong.id]]
        assert row["text"] == " ".join(tokens)
        for side in ("gold", "pred"):
            for relation in row[side]:
                for span in relation["spans"]:
                    assert span["words"] == " ".join(tokens[span["start"] : span["stop"]])
        for line in wrong.marked(found.roles).lines:
            if line.pieces != [("none", None)]:
                assert "".join(text for text, _ in line.pieces) == row["text"]
        marks = sorted(
            (found.roles[role], text)
            for line in wrong.marked(found.roles).lines
            for text, role in line.pieces
            if role is not None
        )
        both = [s for side in ("gold", "pred") for r in row[side] for s in r["spans"]]
        assert marks == sorted((span["role"], span["words"]) for span in both)
    if protocol == "recess":
        for side, relations in (("gold", gold), ("pred", pred)):
            rows = {r["id"]: r["relations"] for r in relations.to_examples()}
            for row in found.to_dict()["examples"]:
                shown = [
                    [(s["role"], s["start"], s["stop"], s["words"]) for s in r["spans"]]
                    for r in row[side]
                ]
                wanted = spans_of(rows[row["id"]], texts[at[row["id"]]])
                assert [sorted(each) for each in shown] == [sorted(each) for each in wanted]


@given(cases())
@trials(40)
def test_a_page_holds_the_errors(case):
    gold, pred, _ = case
    found = fc.score(gold, pred).errors(top=None, types=["be", "fn"], roles=["cause"])
    with TemporaryDirectory() as folder:
        path = Path(folder, "page.html")
        found.to_html(path)
        html = path.read_text(encoding="utf-8")
    page = data_of(html)
    assert Reader(html).tags.isdisjoint({"img", "iframe"})
    assert sorted(page["ids"]) == sorted(wrong.id for wrong in found.examples)
    places = [place for each in page["errors"].values() for place in each]
    rows = [page["count_rows"][k] for k in page["systems"][0]["examples"]]
    errors = {wrong.id: wrong.errors for wrong in found.examples}
    assert [sum(row[k] for k in places) for row in rows] == [errors[name] for name in page["ids"]]
    for written in (str(found), found.to_markdown(), found.to_latex(), found.to_csv()):
        assert found.n_wrong == 0 or "gold" in written


def test_without_text():
    gold = fc.Relations.from_examples([{"length": 4, "relations": [{"cause": (0, 2)}]}])
    pred = fc.Relations.from_examples([{"length": 4, "relations": []}])
    found = fc.score(gold, pred).errors()
    [wrong] = found.examples
    lines = [bracketed(line.pieces, found.roles) for line in wrong.marked(found.roles).lines]
    assert lines == ["[cause 0 1] 2 3", "none"]
    assert found.to_arrow().to_pylist()[0]["gold"] == [
        {"relation": 1, "spans": [{"role": "cause", "start": 0, "stop": 2, "words": None}]}
    ]


def test_types_and_roles():
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    boundary = report.errors(top=None, types=["be"], roles=["cause"])
    table = report.per_example
    assert boundary.n_wrong == sum(n > 0 for n in table["cause_be"].to_pylist())
    assert {name for wrong in boundary.examples for name in wrong.counts} == {"cause_be"}
    assert len(report.errors(top=3).examples) == 3
    with pytest.raises(ValueError, match='unknown type "x", expected one of tp, fp, fn, le, be'):
        report.errors(types=["x"])
    with pytest.raises(ValueError, match='unknown role "x", expected one of cause, effect, signal'):
        report.errors(roles=["x"])
    with pytest.raises(ValueError, match="top is 0, expected at least 1"):
        report.errors(top=0)
    with pytest.raises(fc.InputError, match="a report of counts alone has no errors to show"):
        report.statistics.report().errors()
    for kernel in ("span_overlap", "partial_spans"):
        other = fc.score(sample.GOLD, sample.SYSTEMS["careful"], fc.Protocol(kernel, kernel))
        assert other.errors().n_wrong


def command(*arguments, **environment):
    result = CliRunner().invoke(app, [*map(str, arguments)], env=environment)
    assert not isinstance(result.exception, Exception) or isinstance(result.exception, SystemExit)
    return result.exit_code, result.stdout, result.stderr


def test_on_the_command_line(tmp_path):
    gold, pred = sample.GOLD, sample.SYSTEMS["careful"]
    page = tmp_path / "page.html"
    code, out, _ = command("errors", gold, pred, "--top", 1, "--html", page)
    assert code == 0
    assert out.startswith("35 sentences with errors (fp, fn, le, be, lbe of cause, effect, signal)")
    assert "  gold 1  [cause The late frost] [effect cut the crop by half] , and" in out
    assert data_of(page.read_text())["ids"] == ["sample_orchard_2"]
    code, out, _ = command("errors", gold, pred, "--json", "--type", "be,le", "--role", "cause")
    found = json.loads(out)
    assert (found["types"], found["roles"], found["warnings"]) == (["be", "le"], ["cause"], [])
    assert (
        found["examples"]
        == fc.score(gold, pred).errors(10, ["be", "le"], ["cause"]).to_dict()["examples"]
    )
    assert command("errors", gold, pred, "--type", "x")[0] == 2
    code, _, err = command(
        "errors", gold, pred, "--protocol", "cnc-2022", "--html", tmp_path / "x.html"
    )
    assert code == 2
    assert "a report of counts alone has no errors to show" in err
    assert not (tmp_path / "x.html").exists()


def test_hostile_text_on_a_terminal(tmp_path, monkeypatch):
    text = "\x1b[31mRain [red]x[/red] \u202eabc </script> ש 👩‍🚒"
    rows = {"gold": [[{"role": "cause", "start": 0, "stop": 2}]], "pred": []}
    for name, relations in rows.items():
        row = {"id": "\x1b]0;a\x07", "text": text, "length": 6, "relations": relations}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    files = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    code, out, _ = command("errors", *files)
    assert code == 0
    assert r"[cause \x1b[31mRain [red]x[/red]] \u202eabc </script> ש 👩‍🚒" in out
    assert not {"\x1b", "\u202e", "\x07"} & set(out)
    code, out, _ = command("errors", *files, "--json")
    assert json.loads(out)["examples"][0]["text"] == text
    assert "\u202e" not in out


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}])
def test_colours(environment, monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    console = Console(
        force_terminal=True, width=10_000, color_system="standard", file=io.StringIO()
    )
    console.print(*coloured(report.errors(top=1)), sep="\n")
    written = console.file.getvalue()
    assert ("\x1b[1;33m" in written) == (not environment)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", written)
    assert "  gold 1  [cause The late frost] [effect cut the crop by half] , and" in plain


def test_reasons_on_the_command_line(tmp_path):
    gold, pred = sample.GOLD, sample.SYSTEMS["chatty"]
    text = pred.read_text().replace("<ARG0>", "<ARG0><ARG0>", 1)
    (tmp_path / "bad.jsonl").write_text(text)
    for suffix in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"reasons.{suffix}"
        options = ("--unparsed", "skip", "--reasons", path)
        assert command("score", gold, tmp_path / "bad.jsonl", *options)[0] == 0
        assert path.read_bytes()
    report = fc.score(gold, tmp_path / "bad.jsonl", unparsed="skip")
    lines = map(json.loads, (tmp_path / "reasons.jsonl").read_text().splitlines())
    assert list(lines) == report.unparsed.to_pylist()


def test_words_of_matches():
    for row in fc.score(sample.GOLD, sample.SYSTEMS["careful"]).matches.to_pylist():
        for side in ("gold", "pred"):
            if row[f"{side}_relation"] is None:
                assert all(row[f"{side}_{role}"] is None for role in ROLES)
            elif row["cause_tp"] == 1:
                assert row["gold_cause"] == row["pred_cause"] is not None
