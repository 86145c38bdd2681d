"""The command line from end to end."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.systems import read_systems
from tests.support.cli import cli, command

GOLD, SYSTEMS = str(sample.GOLD), {name: str(path) for name, path in sample.SYSTEMS.items()}
CAREFUL = SYSTEMS["careful"]
SCORES = ["precision", "recall", "f1", "tp", "fp", "fn", "le", "be", "lbe"]
GROUPS = ["overall", "cause", "effect", "signal"]


def scored(gold=GOLD, pred=CAREFUL, *options):
    return json.loads(cli("score", gold, pred, "--json", *options)[0])


@pytest.fixture(scope="module")
def report():
    gold = fc.read(sample.GOLD)
    return fc.score(gold, fc.read(sample.SYSTEMS["careful"], like=gold))


# ------------------------------------------------------------------------------------------ score


def test_one_system_as_a_table(report):
    out, err = command("score", GOLD, CAREFUL)
    assert out.split() == str(report).split()
    assert "\x1b" not in out
    assert err == "official, cnc-2023: 0.8169; see fastcausal explain\n"


def test_one_system_as_json(report):
    out, err = cli("score", GOLD, CAREFUL, "--json")
    assert out == report.to_json() + "\n"
    assert not err
    found = json.loads(out)
    assert list(found) == ["signature", "protocol", "n_examples", "n_gold_relations",
                           "n_pred_relations", "n_unparsed", "n_unparsed_answers",
                           "n_unparsed_relations", "unparsed_answers_rate",
                           "unparsed_relations_rate",
                           "bounds", "scores", "subsets", "warnings", "hints"]  # fmt: skip
    assert (found["n_examples"], found["n_gold_relations"]) == (61, 72)
    assert list(found["subsets"]) == ["multi_relation"]
    for groups in (found["scores"], found["subsets"]["multi_relation"]):
        assert list(groups) == GROUPS
        for scores in groups.values():
            assert list(scores)[:9] == SCORES
            assert {name: type(scores[name]) for name in SCORES} == dict.fromkeys(
                SCORES, int
            ) | dict.fromkeys(SCORES[:3], float)


@pytest.mark.parametrize("protocol", fc.PROTOCOLS)
@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_options_reach_the_score(protocol, backend):
    found = scored(GOLD, CAREFUL, "--protocol", protocol, "--backend", backend, "--threads", 2)
    gold = fc.read(sample.GOLD, tags=fc.PROTOCOLS[protocol].tags)
    assert found == fc.score(gold, fc.read(CAREFUL, like=gold), protocol).to_dict()
    assert found["protocol"] == protocol


def test_several_systems():
    out, err = cli("score", GOLD, *SYSTEMS.values())
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    found = json.loads(cli("score", GOLD, *SYSTEMS.values(), "--json")[0])
    assert list(found) == ["systems"]
    assert list(found["systems"]) == list(SYSTEMS)
    for name, path in SYSTEMS.items():
        assert found["systems"][name] == scored(GOLD, path)
        overall = found["systems"][name]["scores"]["overall"]
        assert rows[name][:3] == [f"{overall[score]:.4f}" for score in SCORES[:3]]
    assert err.startswith("official, cnc-2023: careful 0.8169, ")


def test_columns_of_several_systems():
    """A table of several systems has F1 of every role, under any protocol."""
    for protocol in fc.PROTOCOLS:
        out, _ = cli("score", GOLD, *SYSTEMS.values(), "--protocol", protocol)
        if protocol == "depths":
            assert "links f1  causal f1  spans f1    seen   found  linked" in out
            continue
        header = next(line for line in out.splitlines() if "precision" in line)
        groups = ["signal", "undirected", "boundary", "overlap", "iou"]
        if protocol != "relations":
            groups = ["cause", "effect", "signal"]
        assert re.split(r"  +", header.strip())[: 3 + len(groups)] == [
            "precision", "recall", "f1", *(f"{group} f1" for group in groups),
        ]  # fmt: skip


def test_details(tmp_path, report):
    examples, matches = tmp_path / "examples.parquet", tmp_path / "matches.parquet"
    cli("score", GOLD, CAREFUL, "--per-example", examples, "--matches", matches)
    assert fc.Statistics.read(examples).report() == report
    assert pq.read_table(matches).to_pylist() == report.matches.to_pylist()
    cli("score", GOLD, *SYSTEMS.values(), "--per-example", examples, "--matches", matches)
    table = pq.read_table(examples)
    assert table.column_names[0] == "system"
    assert table["system"].to_pylist() == [name for name in SYSTEMS for _ in range(61)]
    systems = read_systems(examples)
    assert systems["careful"].report() == report
    assert list(systems) == list(SYSTEMS)
    with pytest.raises(fc.InputError, match=r"several systems \(.*\), expected a file of one"):
        fc.Statistics.read(examples)
    assert set(pq.read_table(matches)["system"].to_pylist()) == set(SYSTEMS)


def test_details_that_a_protocol_does_not_have(tmp_path):
    target = tmp_path / "table.parquet"
    for option in (("--matches", target), ("--per-example", target), ("--by", "doc_id")):
        _, err = cli("score", GOLD, CAREFUL, "--protocol", "cnc-2022", *option, expect=2)
        assert err.startswith("error: ")
        assert "cnc-2022" in err
    assert not target.exists()


def test_by():
    found = scored(GOLD, CAREFUL, "--by", "doc_id")
    parts = {name: g for name, g in found["subsets"].items() if name != "multi_relation"}
    assert len(parts) == 12
    for group in GROUPS:
        for count in SCORES[3:]:
            total = sum(groups[group][count] for groups in parts.values())
            assert total == found["scores"][group][count]


def test_unparsed_and_unmatched(tmp_path):
    gold, pred = tmp_path / "gold.jsonl", tmp_path / "pred.jsonl"
    row = '{"id": "%s", "length": 4, "relations": [%s]}\n'
    span = '[{"role": "cause", "start": 0, "stop": 2}]'
    gold.write_text(row % ("a", span) + row % ("b", span) + row % ("c", span))
    pred.write_text(row % ("c", span) + row % ("b", "null") + row % ("x", span))
    cli("score", gold, pred, expect=2)
    cli("score", gold, pred, "--unparsed", "skip", expect=2)
    found = {}
    for unparsed in ("empty", "skip"):
        for unmatched in ("empty", "skip"):
            options = ("--unparsed", unparsed, "--unmatched", unmatched)
            cause = scored(gold, pred, *options)["scores"]["cause"]
            found[unparsed, unmatched] = [cause[name] for name in ("tp", "fp", "fn")]
            _, err = cli("score", gold, pred, *options)
            assert err.count("warning: ") == 2
            assert f"warning: unparsed={unparsed}: " in err
    assert found == {
        ("empty", "empty"): [1, 1, 2], ("empty", "skip"): [1, 0, 1],
        ("skip", "empty"): [1, 1, 1], ("skip", "skip"): [1, 0, 0],
    }  # fmt: skip


def test_more_threads_than_there_is_work():
    out, _ = cli("score", GOLD, CAREFUL, "--json", "--threads", 100_000)
    assert json.loads(out) == scored()


def test_standard_input():
    from_stdin = cli("score", GOLD, "-", "--json", stdin=Path(CAREFUL).read_text())[0]
    assert json.loads(from_stdin) == scored()


# --------------------------------------------------------------------------------- other commands


def test_explain():
    found = json.loads(cli("explain", GOLD, SYSTEMS["chatty"], "--json")[0])
    assert found == fc.explain(GOLD, fc.read(SYSTEMS["chatty"], like=fc.read(GOLD))).to_dict()
    for named in (["--from", "cnc-2023", "--to", "recess"], ["--to", "recess"],
                  ["--from", "cnc", "--to", "recess"]):  # fmt: skip
        assert json.loads(cli("explain", GOLD, SYSTEMS["chatty"], "--json", *named)[0]) == found
    for start, end, message in (
        ("cnc-2022", "recess", "cnc-2022 is a mean of means, which no step from rule to rule"),
        ("cnc-2023", "pairs", "no steps from cnc-2023 to pairs: cnc-2023 and fincausal-2020 go"),
        ("fincausal-2020", "cladder", "no steps from fincausal-2020 to cladder"),
        ("ilif-direction", "recess", "no steps from ilif-direction to recess"),
    ):
        _, err = cli("explain", GOLD, CAREFUL, "--from", start, "--to", end, expect=2)
        assert message in " ".join(err.split())
    out, err = cli("explain", GOLD, SYSTEMS["chatty"])
    for quirk in found["quirks"]:
        line = next(line for line in out.splitlines() if quirk["meaning"] in line)
        assert line.split()[-4:] == [
            str(quirk["n_examples"]), f"{quirk['f1']:.4f}", f"{quirk['change']:+.4f}",
            f"{quirk['change_alone']:+.4f}",
        ]  # fmt: skip
    assert not err


TARGETS = ["x.csv", "x.jsonl", "x.parquet", "x.arrow", "x.arrows", "x.conll"]


@pytest.mark.parametrize("target", TARGETS)
def test_convert_there_and_back(tmp_path, target):
    """Every format keeps the sample's relations, and reports its other losses."""
    middle, back = tmp_path / target, tmp_path / "back.csv"
    out, err = cli("convert", GOLD, middle)
    assert out == f"{middle}: 61 examples, 72 relations\n"
    assert all(line.startswith("warning: lost: ") for line in err.splitlines())
    cli("convert", middle, back)
    found, gold = fc.read(back), fc.read(GOLD)
    assert found.table["relations"].equals(gold.table["relations"])
    assert found.ids.equals(gold.ids)
    assert fc.score(gold, found)["overall"].f1 == 1.0
    if target == "x.csv":
        assert middle.read_bytes() == back.read_bytes()


def test_convert_predictions(tmp_path):
    spans = tmp_path / "spans.jsonl"
    out, err = cli("convert", CAREFUL, spans, "--like", GOLD, "--to", "spans")
    assert "61 examples" in out
    assert scored(GOLD, spans)["scores"] == scored()["scores"]
    assert not err
    official = tmp_path / "official.parquet"
    cli("convert", GOLD, official, "--tags", "cnc-2023")
    assert fc.read(official).reading.tags == "cnc-2023"
    _, err = cli("score", official, official)
    assert "the tags of gold were read as cnc-2023, but recess reads them as strict" in err


def test_demo(tmp_path):
    out, err = cli("demo")
    assert "61 sentences, 72 gold relations, 3 systems" in out
    assert all(name in out for name in SYSTEMS)
    assert "fastcausal|" in out
    assert not err
    cli("demo", "--copy-to", tmp_path / "new" / "folder")
    assert (
        scored(tmp_path / "new/folder/gold.csv", tmp_path / "new/folder/careful.jsonl") == scored()
    )


def test_version_and_help():
    assert command("--version") == (f"fastcausal {fc.__version__}\n", "")
    about = (Path(fc.__file__).parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    title = re.search(r'^title: "(.*)"$', about, re.MULTILINE)[1]
    entry, err = command("--cite")
    assert (f"version: {fc.__version__}\n" in about, title in entry, err) == (True, True, "")
    assert f"version = {{{fc.__version__}}}" in entry
    for name in ("score", "explain", "convert", "demo"):
        assert cli(name, "--help")[0].count(name)


# ------------------------------------------------------------------------------- pipes, terminals


def test_wide_tables_are_not_cut(tmp_path):
    """Long names in a pipe: every line is whole, and names are not taken for markup."""
    gold = tmp_path / "gold.jsonl"
    kind = "[/b] [red]x :cat: " + 30 * "long "
    gold.write_text(json.dumps({"id": "a", "length": 3, "kind": kind, "relations": []}) + "\n")
    out, _ = cli("score", gold, gold, "--by", "kind")
    assert f"kind={kind.strip()}" in out
    paths = [tmp_path / (f"[/red]{k}" * 20) / "x.jsonl" for k in range(2)]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.write_bytes(gold.read_bytes())
    out, _ = cli("score", gold, *paths)
    for path in paths:
        line = next(line for line in out.splitlines() if str(path) in line)
        assert line.split()[-6:] == ["undefined"] * 6
    assert "…" not in out
    assert all(line == line.rstrip() for line in out.splitlines())


def test_a_terminal_has_colours_and_a_pipe_may_close():
    lead, follow = pty.openpty()
    code = "from fastcausal.cli import main; main()"
    args = [sys.executable, "-c", code, "score", GOLD, CAREFUL]
    env = os.environ | {"TERM": "xterm-256color"}
    with subprocess.Popen(args, stdout=follow, stderr=follow, env=env) as process:
        os.close(follow)
        shown = b""
        try:
            while part := os.read(lead, 65536):
                shown += part
        except OSError:  # the other end is closed
            pass
        assert process.wait() == 0
    os.close(lead)
    assert b"\x1b[" in shown
    assert b"Traceback" not in shown
    read, write = os.pipe()
    os.close(read)
    done = subprocess.run([*args, "--json"], stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert b"Traceback" not in done.stderr
    assert done.stderr.count(b"\n") <= 1
