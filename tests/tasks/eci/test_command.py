"""The command eci, its count files, and explain, errors and convert of pairs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.eci.errors import KINDS, pair_errors
from fastcausal.tasks.eci.explain import explain_pairs
from fastcausal.tasks.eci.protocols import PAIR_PROTOCOLS
from tests.support import event_pairs as data
from tests.support.cli import cli

GOLD, CAREFUL, HASTY = map(str, (sample.PAIRS_GOLD, *sample.PAIRS.values()))
EVENTS = str(sample.PAIRS_EVENTS)


def as_json(*arguments: str) -> Any:
    return json.loads(cli(*arguments, "--json")[0])


def test_json_is_that_of_the_function():
    told = as_json(
        "eci", GOLD, CAREFUL, "--candidates", EVENTS, "--by", "topic", "--fold", "fold",
        "--undefined", "0",
    )  # fmt: skip
    report = fc.eci(
        GOLD, CAREFUL, candidates=EVENTS, by=["topic"], fold="fold", undefined=0.0
    ).to_dict()
    assert told == report
    assert told["n_outside"] == 1
    assert [*told["by"]["topic"]] == ["dam", "glass"]
    assert told["folds"]["direction"]["intra"]["n"] == 2


@pytest.mark.parametrize("protocol", ["pairs", "eventstoryline", "ilif-direction"])
def test_intervals_by_topic(protocol):
    told = as_json(
        "eci", GOLD, CAREFUL, "--protocol", protocol, "--intervals", "--cluster", "topic"
    )
    group = PAIR_PROTOCOLS[protocol].groups[-1]
    low, high = told["intervals"]["scores"][group]["f1"]
    assert low <= told["scores"][group]["overall"]["f1"] <= high
    # a document that gold does not name is a cluster of its own
    assert told["intervals"]["n_units"] == (2 if protocol == "eventstoryline" else 3)


def test_outside():
    for outside, effect in (("charge", "charged"), ("ignore", "left out")):
        given = ("eci", GOLD, CAREFUL, "--candidates", EVENTS, "--outside", outside)
        assert f"1 predicted pair outside of the candidates, {effect}" in cli(*given)[1]
        assert as_json(*given)["n_outside"] == 1
    ignored = as_json("eci", GOLD, CAREFUL, "--candidates", EVENTS, "--outside", "ignore")
    assert (ignored["n_ignored"], ignored["scores"]["exists"]["overall"]["predicted"]) == (1, 17)
    _, messages = cli("eci", GOLD, CAREFUL, "--candidates", EVENTS, "--outside", "error", expect=2)
    assert 'pairs_careful.csv:19: the pair "e1", "e2" of document "glass_3"' in messages
    assert "--outside charge or ignore would" in messages


def test_unknown_labels_name_line_and_options(tmp_path):
    path = tmp_path / "pred.csv"
    path.write_text("doc_id,a,b,label\ndam_1,e1,e2,CAUSE\ndam_1,e1,e3,leads to\n")
    _, messages = cli("eci", GOLD, str(path), expect=2)
    assert f'{path}:3: label "leads to" in 1 row' in messages
    assert "\n--forward LABEL means" in messages
    told = as_json("eci", GOLD, str(path), "--forward", "leads to")
    assert told["scores"]["exists"]["overall"]["predicted"] == 2
    assert told["signature"].endswith("|forward:leads to")
    error = json.loads(cli("eci", GOLD, str(path), "--json", expect=2)[0])
    assert "leads to" in error["error"]


@pytest.mark.parametrize("options", [
    ("--protocol", "maven-ere"), ("--by", "label"), ("--by", "genre"), ("--fold", "genre"),
    ("--forward", "CAUSE"), ("--relation", "temporal"), ("--cluster", "topic"),
    ("--protocol", "maven-ere", "--candidates", "listed"),
])  # fmt: skip
def test_refused(options, tmp_path):
    target = tmp_path / "counts.parquet"
    printed, messages = cli("eci", GOLD, CAREFUL, *options, "--per-document", str(target), expect=2)
    assert messages.startswith("error: ")
    assert not printed
    assert not target.exists()


def counts(folder: Path) -> tuple[str, str]:
    files = []
    for pred in (CAREFUL, HASTY):
        files.append(str(folder / f"{Path(pred).stem}.parquet"))
        cli("eci", GOLD, pred, "--per-document", files[-1])
    return files[0], files[1]


def test_files_of_counts(tmp_path):
    a, b = counts(tmp_path)
    table = pq.read_table(a)
    assert table["id"].to_pylist() == ["dam_1", "dam_2", "glass_1", "glass_2", "glass_3"]
    assert table["topic"].to_pylist() == ["dam", "dam", "glass", "glass", None]
    assert as_json("aggregate", a, "--by", "topic") == as_json(
        "eci", GOLD, CAREFUL, "--by", "topic"
    )
    compared = as_json("compare", a, b, "--score", "direction_f1", "--cluster", "topic")
    assert "direction_f1" in json.dumps(compared)
    assert cli("leaderboard", a, b, "--score", "exists_f1")[0]
    gate = ("--candidate", b, "--baseline", a, "--score", "direction_f1", "--min-delta", "0.5")
    assert "direction_f1" in cli("gate", *gate, expect=1)[0]
    assert as_json("aggregate", a, b)["systems"].keys() == {"pairs_careful", "pairs_hasty"}


def test_shards_merge_into_the_whole(tmp_path):
    lines = [Path(path).read_text().splitlines() for path in (GOLD, CAREFUL)]
    parts = []
    for name in ("dam", "glass"):
        files = [tmp_path / f"{name}_{side}.csv" for side in ("gold", "pred")]
        for file, (head, *rows) in zip(files, lines, strict=True):
            file.write_text("\n".join([head, *(row for row in rows if row.startswith(name))]))
        parts.append(str(tmp_path / f"{name}.parquet"))
        cli("eci", *map(str, files), "--per-document", parts[-1])
    whole = as_json("eci", GOLD, CAREFUL)
    merged = str(tmp_path / "merged.parquet")
    cli("merge", *parts, "--out", merged)
    assert as_json("aggregate", merged) == whole
    assert as_json("aggregate", *parts)["scores"] == whole["scores"]


def test_shards_with_and_without_sentences():
    gold = data.THREE_GOLD
    other = [{"doc_id": "e", "a": "x", "b": "y", "label": "CAUSE"}]
    parts = [fc.eci(rows, rows).statistics for rows in (gold, other)]
    merged = parts[0].merge(parts[1]).report()
    whole = fc.eci(gold + other, gold + other)
    assert merged.to_dict()["scores"] == whole.to_dict()["scores"]
    assert parts[1].merge(parts[0]).report().to_dict()["scores"] == whole.to_dict()["scores"]


def test_systems_side_by_side(tmp_path):
    told = as_json("eci", GOLD, CAREFUL, HASTY, "--per-document", str(tmp_path / "both.parquet"))
    assert [*told["systems"]] == ["pairs_careful", "pairs_hasty"]
    assert told["systems"]["pairs_hasty"] == as_json("eci", GOLD, HASTY)
    board = as_json("leaderboard", str(tmp_path / "both.parquet"), "--score", "direction_f1")
    assert len(board["systems"]) == 2


def test_html(tmp_path):
    cli("eci", GOLD, CAREFUL, "--html", str(tmp_path / "page.html"))
    assert "direction" in (tmp_path / "page.html").read_text()


def test_explain_walks_from_the_first_protocol_to_the_last():
    for start in ("ilif-direction", "eventstoryline", "pairs"):
        for end in ("ilif-direction", "eventstoryline", "pairs"):
            if start == end:
                continue
            report = explain_pairs(GOLD, CAREFUL, start, end)
            quirks = report.facts["quirks"]
            group = PAIR_PROTOCOLS[end].groups
            asked = "typed" if "eventstoryline" in (start, end) else "direction"
            asked = asked if asked in group else group[-1]
            assert report[end].f1 == fc.eci(GOLD, CAREFUL, protocol=end)[asked].f1
            assert quirks[-1].f1 == report[end].f1
            assert sum(q.change for q in quirks) == pytest.approx(report[end].f1 - report[start].f1)
            assert all(q.change == 0 for q in quirks if not q.n_documents)
    report = explain_pairs(data.MAVEN_GOLD, data.MAVEN_PRED, "maven-ere")
    assert report["maven-ere"].f1 == 0.5


def test_explain_command():
    told = as_json("explain", GOLD, CAREFUL, "--from", "ilif-direction", "--to", "pairs")
    assert [quirk["field"] for quirk in told["quirks"]] == ["free_turns"]
    assert told["quirks"][0]["n_documents"] == 2
    _, messages = cli("explain", GOLD, CAREFUL, "--from", "pairs", expect=2)
    assert "expected two" in messages
    _, messages = cli("explain", str(sample.GOLD), CAREFUL, "--forward", "x", expect=2)
    assert "--forward is for pairs of events" in messages


def test_errors_worst_first():
    text = str(sample.PAIRS_TEXT)
    told = as_json("errors", GOLD, CAREFUL, "--text", text, "--top", "2")
    assert [document["doc_id"] for document in told["documents"]] == ["dam_1", "glass_2"]
    first = told["documents"][0]
    assert first["counts"] == {"missed": 1, "wrong type": 1, "invented": 1}
    assert first["pairs"][0]["text"].startswith("Rain [fell] on")
    assert told["n_wrong"] == 5
    missed = as_json("errors", GOLD, CAREFUL, "--type", "missed")
    assert {p["kind"] for d in missed["documents"] for p in d["pairs"]} == {"missed"}
    _, messages = cli("errors", GOLD, CAREFUL, "--role", "cause", expect=2)
    assert "--role is for relations" in messages


def test_kinds_of_errors():
    gold = data.rows(
        ("d", "a", "b", "CAUSE"), ("d", "b", "c", "CAUSE"), ("d", "c", "e", "UNKNOWN"),
        ("d", "e", "f", "CAUSE"), ("d", "g", "h", "CLINK"),
    )  # fmt: skip
    pred = data.rows(
        ("d", "b", "a", "CAUSE"), ("d", "b", "c", "PRECONDITION"), ("d", "c", "e", "CAUSE"),
        ("d", "x", "y", "CAUSE"), ("d", "h", "g", "CLINK-R"),
    )  # fmt: skip
    (pairs,) = pair_errors(gold, pred).documents.values()
    kinds = {(pair.a, pair.b): pair.kind for pair in pairs}
    assert kinds == {
        ("a", "b"): "turned round", ("b", "c"): "wrong type", ("c", "e"): "unknown direction",
        ("e", "f"): "missed", ("x", "y"): "invented",
    }  # fmt: skip
    assert {*kinds.values()} == {*KINDS}


def test_mentions_are_shown_in_sentences_of_a_corpus():
    line = {
        "id": "d",
        "tokens": [["Rain", "floods", "roads"]],
        "sentences": ["Rain floods roads"],
        "events": [
            {"id": f"e{k}", "mention": [{"id": f"m{k}", "sent_id": 0, "offset": [k, k + 1]}]}
            for k in range(2)
        ],
        "causal_relations": {"CAUSE": [["e0", "e1"]]},
    }
    (pair,) = pair_errors([line], []).documents["d"]
    assert pair.text == "[Rain] [floods] roads"


MENTIONS = [
    {"doc_id": "d", "sentence": "s", "text": "It did drive them out"},
    {"doc_id": "d", "sentence": "t", "text": "Loss"},
    {"doc_id": "d", "sentence": "s", "event": "x", "start": 7, "stop": 12},
    {"doc_id": "d", "sentence": "s", "event": "x", "start": 18, "stop": 21},
    {"doc_id": "d", "sentence": "t", "event": "y", "start": 0, "stop": 4},
]


def test_mentions_are_shown_in_sentences_of_rows():
    gold = [{"doc_id": "d", "a": "x", "b": "y", "label": "CAUSE"}]
    (pair,) = pair_errors(gold, [], text=MENTIONS[::-1]).documents["d"]
    assert pair.text == "It did [drive] them [out] / [Loss]"
    (pair,) = pair_errors(gold, [], text=MENTIONS[:3]).documents["d"]
    assert pair.text == "It did [drive] them out"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            {"start": 2, "stop": 5},
            '"y" has the characters 2 to 5, expected whole numbers from 0 to 4',
        ),
        ({"start": 2, "stop": 2}, "characters 2 to 2"),
        ({"start": 0.5, "stop": 2}, "characters 0.5 to 2"),
        ({"start": None, "stop": 2}, "characters nan to 2"),
        ({"sentence": "u"}, "characters 0 to 4, expected whole numbers from 0 to 0"),
    ],
)
def test_characters_outside_a_sentence_are_refused(words, message):
    gold = [{"doc_id": "d", "a": "x", "b": "y", "label": "CAUSE"}]
    rows = [*MENTIONS[:4], {**MENTIONS[4], **words}]
    with pytest.raises(fc.InputError, match=message) as caught:
        pair_errors(gold, [], text=rows)
    assert "text: row 4" in str(caught.value)


def test_convert_refuses_options_of_relations(tmp_path):
    folder = tmp_path / "esc"
    folder.mkdir()
    (folder / "a.tab").write_text("1\t2\tnull\n")
    printed, _ = cli("convert", str(folder), str(tmp_path / "a.jsonl"))
    assert printed == f"{tmp_path / 'a.jsonl'}: 1 document, 1 pair\n"
    assert fc.eci(tmp_path / "a.jsonl", folder)["exists"].f1 == 1
    for name in ("a.csv", "a.parquet", "a.arrow"):
        cli("convert", str(folder), str(tmp_path / name))
        assert fc.eci(folder, tmp_path / name)["exists"].gold == 1
    _, messages = cli("convert", str(folder), str(tmp_path / "b.csv"), "--to", "cnc", expect=2)
    assert "--to is for relations" in messages
    assert not (tmp_path / "b.csv").exists()


@pytest.mark.parametrize("value", [{"of": 1}, [1], {"of": None}])
def test_columns_of_objects(tmp_path, value):
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row | {"topic": value}) + "\n" for row in data.STORY_GOLD))
    assert as_json("eci", str(path), str(path))["scores"]["typed"]["overall"]["f1"] == 1
    for option in ("--intervals --cluster", "--by", "--fold"):
        _, messages = cli("eci", str(path), str(path), *option.split(), "topic", expect=2)
        assert 'column "topic" is ' in messages
        assert "expected text or numbers" in messages


def test_events_of_other_names():
    pred = [{**row, "a": f"T{row['a']}", "b": f"T{row['b']}"} for row in data.STORY_PRED]
    told = 'no predicted event occurs in gold: "T12_13" is predicted, gold has "12_13"'
    for rows in (pred, pred[::-1]):
        assert fc.eci(data.STORY_GOLD, rows).warnings == (told,)
    events = [{"doc_id": "doc1", "event": "T3"}]
    assert told not in fc.eci(data.STORY_GOLD, pred, candidates=events).warnings
    assert not fc.eci(data.STORY_GOLD, []).warnings[1:]


def test_named_documents_without_pairs():
    gold = [*data.STORY_GOLD, {"doc_id": "doc3"}]
    pred = data.rows(("doc3", "3", "8", "PRECONDITION"))
    report = fc.eci(gold, pred)
    assert report.facts["n_documents"] == 3
    assert not report.warnings
    assert "does not name: 1" in fc.eci(data.STORY_GOLD, pred).warnings[0]
