"""Readers of corpora: counts of files in their layout, and faults with file, line and reason."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import fastcausal as fc
from fastcausal.tasks.eci.corpora import is_corpus, read_corpus
from fastcausal.tasks.eci.files import read_pairs
from fastcausal.tasks.eci.labels import LabelScheme
from tests.support import event_pairs as data
from tests.support.cli import cli

STORY = """<?xml version='1.0' encoding='UTF-8'?>
<Document doc_name="1_1ecb.xml">
  <token t_id="1" sentence="0" number="0">Rain</token>
  <token t_id="2" sentence="0" number="1">fell</token>
  <token t_id="3" sentence="1" number="0">Roads</token>
  <token t_id="4" sentence="1" number="1">flooded</token>
  <Markables>
    <ACTION_OCCURRENCE m_id="7"><token_anchor t_id="1"/><token_anchor t_id="2"/></ACTION_OCCURRENCE>
    <NEG_ACTION_STATE m_id="8"><token_anchor t_id="4"/></NEG_ACTION_STATE>
    <HUMAN_PART_PER m_id="9"><token_anchor t_id="3"/></HUMAN_PART_PER>
    <ACTION_OCCURRENCE m_id="10" TAG_DESCRIPTOR="rain"/>
  </Markables>
  <Relations>
    <PLOT_LINK r_id="1" relType="PRECONDITION"><source m_id="7"/><target m_id="8"/></PLOT_LINK>
    <PLOT_LINK r_id="2"><source m_id="8"/><target m_id="9"/></PLOT_LINK>
  </Relations>
</Document>
"""
TIMEBANK = """<Document doc_name="wsj_1">
  <Markables>
    <TIMEX3 id="0" />
    <EVENT class="OCCURRENCE" id="15"><token_anchor id="1" /></EVENT>
    <EVENT class="OCCURRENCE" id="18"><token_anchor id="2" /></EVENT>
  </Markables>
  <Relations>
    <CLINK c-signalID="16" id="10"><source id="15" /><target id="18" /></CLINK>
    <TLINK id="11" relType="BEFORE"><source id="15" /><target id="18" /></TLINK>
  </Relations>
  <token id="1" number="0" sentence="0">On</token>
  <token id="2" number="1" sentence="0">fire</token>
</Document>
"""
MECI = (
    "Text\tA dam broke .\tRoads flooded .\n"
    "Event\tT1\tbroke\tEVENT\t6\nEvent\tT2\tflooded\tEVENT\t20\nEvent\tT3\tdam\tEVENT\t2\n"
    "Relation\tT1\tT2\tCauseEffect\ttrue\tbroke\tflooded\n"
    "Relation\tT2\tT1\tEffectCause\ttrue\tflooded\tbroke\n"
    "Relation\tT3\tT2\tNoRel\ttrue\tdam\tflooded\nRelation\tT2\tT3\tNoRel\ttrue\tx\ty\n"
)


def written(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def rows(source: Any, *columns: str) -> list[tuple[Any, ...]]:
    table = read_corpus(source).table
    return [tuple(row[c] for c in columns) for row in table.to_pylist()]


ENDS = ("doc_id", "a", "b", "label")


def test_extended_pairs_of_eventstoryline(tmp_path):
    files = {"1__1_1ecb_DOT_tab": "1_2\t4\tPRECONDITION\n", "2__2_1ecb_DOT_tab": "\n"}
    folder = written(tmp_path, **files)
    assert rows(folder, *ENDS, "topic") == [
        ("1_1ecb", "1_2", "4", "PRECONDITION", "1"),
        ("2_1ecb", None, None, None, "2"),
    ]
    assert fc.eci(folder, folder).facts["n_documents"] == 2
    (folder / "2" / "2_1ecb.tab").write_text("")
    assert fc.eci(folder, folder).facts["n_documents"] == 2


def test_outputs_of_a_system(tmp_path):
    gold = written(tmp_path / "gold", **{"1__1_1ecb_DOT_tab": "3\t8\tPRECONDITION\n"})
    pred = written(tmp_path / "pred", **{"1_1ecb_DOT_xml_DOT_base3_DOT_out": "3\t8\tnull\n"})
    report = fc.eci(gold, pred, protocol="eventstoryline")
    assert (report["exists"].tp, report["typed"].tp) == (1, 0)


def test_story_xml(tmp_path):
    folder = written(tmp_path, **{"1__1_1ecb_DOT_xml_DOT_xml": STORY})
    assert rows(folder, *ENDS, "sentence_a", "sentence_b", "topic") == [
        ("1_1ecb", "1_2", "4", "PRECONDITION", 0, 1, "1"),
        ("1_1ecb", "4", "3", "UNKNOWN", 1, 1, "1"),
    ]
    (document,) = read_corpus(folder).documents
    assert [name for name, m in document.mentions.items() if m.is_event] == ["1_2", "4"]
    assert document.sentences == {0: "Rain fell", 1: "Roads flooded"}


def test_causal_timebank(tmp_path):
    folder = written(tmp_path / "ctb", **{"wsj_1_DOT_xml": TIMEBANK})
    expected = [("wsj_1", "15", "18", "CLINK", 0, 0)]
    columns = (*ENDS, "sentence_a", "sentence_b")
    assert rows(folder, *columns) == expected
    with zipfile.ZipFile(tmp_path / "ctb.zip", "w") as archive:
        archive.write(folder / "wsj_1.xml", "Causal-TimeBank/wsj_1.xml")
        archive.writestr("Causal-TimeBank/wsj_2.xml", TIMEBANK)
    assert rows(tmp_path / "ctb.zip", *columns)[:1] == expected


def test_catena_list(tmp_path):
    path = tmp_path / "Causal-TimeBank.CLINK.txt"
    path.write_text(
        "wsj_1.col\te1\te2\tCLINK\nwsj_1.col\te4\te3\tCLINK-R\nwsj_2.col\ta\tb\tCLINK\n"
    )
    assert rows(path, *ENDS)[1:] == [
        ("wsj_1", "e4", "e3", "CLINK-R"),
        ("wsj_2", "a", "b", "CLINK"),
    ]


def test_meci(tmp_path):
    folder = written(tmp_path, **{"causal-en__dev__x_DOT_ann_DOT_tsvx": MECI})
    assert rows(folder, *ENDS, "sentence_a", "sentence_b", "lang", "split") == [
        ("x", "T1", "T2", "CauseEffect", 0, 1, "en", "dev"),
        ("x", "T3", "T2", "NoRel", 0, 1, "en", "dev"),
    ]
    report = fc.eci(folder, folder, candidates="listed")
    assert (report["exists"].gold, report.facts["n_candidates"]) == (1, 2)


def test_maven_as_a_table(tmp_path):
    path = tmp_path / "valid.jsonl"
    path.write_text("\n".join(map(json.dumps, data.MAVEN_GOLD)))
    assert rows(path, *ENDS) == [
        ("d1", "m1", "m3", "CAUSE"),
        ("d1", "m2", "m3", "CAUSE"),
        ("d1", "m4", "m3", "PRECONDITION"),
        ("d2", "n1", "n2", "CAUSE"),
    ]
    cli("convert", str(path), str(tmp_path / "gold.csv"))
    (tmp_path / "pred.jsonl").write_text("\n".join(map(json.dumps, data.MAVEN_PRED)))
    table = fc.eci(tmp_path / "gold.csv", tmp_path / "pred.jsonl")
    assert table["exists"].predicted == 4  # a table does not list all mentions


def test_other_relations_of_maven():
    line = data.MAVEN_GOLD[0] | {
        "TIMEX": [{"id": "t"}],
        "temporal_relations": {"BEFORE": [["E1", "t"]]},
        "subevent_relations": [["E1", "E2"]],
    }
    said = {
        "id": "d1",
        "temporal_relations": {"BEFORE": [["m1", "t"]]},
        "subevent_relations": [["m3", "m1"]],
    }
    for protocol in ("maven-ere", "pairs"):
        report = fc.eci([line], [said], protocol=protocol, relation="temporal")
        assert (report["typed"].tp, report["typed"].gold) == (1, 2)
        report = fc.eci([line], [said], protocol=protocol, relation="subevent")
        assert (report["typed"].tp, report["typed"].gold) == (0, 2)


def test_chains_of_eventstoryline(tmp_path):
    lines = "45\t65_66 32_33\tPRECONDITION\n150 45\t150 45\tnull\n56\t58\tnull\n"
    folder = written(tmp_path / "chains", **{"1__1_18ecbplus_DOT_tab": lines})
    assert rows(folder, *ENDS) == [
        ("1_18ecbplus", "45", "65_66 32_33", "PRECONDITION"),
        ("1_18ecbplus", "56", "58", "UNKNOWN"),
    ]
    report = fc.eci(folder, folder)
    assert (report["exists"].gold, report["direction"].tp) == (2, 1)
    left_out = "pairs of a chain of mentions with itself, left out: 1"
    assert report.warnings == (f"gold: {left_out}", f"pred: {left_out}")
    _, messages = cli("convert", str(folder), str(tmp_path / "a.csv"))
    assert f"chains: {left_out}" in messages
    assert fc.eci(tmp_path / "a.csv", folder)["exists"].f1 == 1


def test_tables_are_no_corpora(tmp_path):
    table = data.write_csv(tmp_path / "gold.csv", data.STORY_GOLD)
    assert not is_corpus(table)
    lines = tmp_path / "gold.jsonl"
    lines.write_text("\n".join(map(json.dumps, data.STORY_GOLD)))
    assert not is_corpus(lines)
    for suffix in ("json", "parquet", "arrow"):
        other = tmp_path / f"gold.{suffix}"
        if suffix == "json":
            other.write_text(json.dumps(data.STORY_GOLD))
        else:
            cli_table(other)
        assert fc.eci(other, lines)["typed"].f1 == 1
    tabs = tmp_path / "gold.tsv"
    tabs.write_text(table.read_text().replace(",", "\t"))
    assert fc.eci(tabs, table)["typed"].f1 == 1


def cli_table(path: Path) -> None:
    import pyarrow as pa

    from fastcausal.files.binary import appending

    with appending(path) as write:
        write(pa.Table.from_pylist(data.STORY_GOLD))


BAD = {
    "x_DOT_tab": [
        ("1\t2\n", 'x.tab:1: "1\\t2", expected two events and a label between tabs'),
        ("1\t2\tCAUSE\n3\t4\tWHY\n", "x.tab:2: label "),
        ("1\t1\tCAUSE\n", 'x.tab:1: event "1" is paired with itself'),
    ],
    "x_DOT_xml": [
        ("<Document><token", "x.xml:1: invalid XML: unclosed token"),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><Document/>", "XML with a document type"),
        (
            STORY.replace('<source m_id="7"/>', '<source m_id="77"/>'),
            "x.xml:14: PLOT_LINK with the",
        ),
        (STORY.replace('<token_anchor t_id="4"/>', '<token_anchor t_id="44"/>'), 'token "44"'),
        (STORY.replace('sentence="1"', f'sentence="{10**30}"'), 'x.xml:5: sentence "1000'),
    ],
    "x_DOT_tsvx": [
        ("Event\tT1\tx\tEVENT\t3\n", "x.tsvx:1: offset"),
        (MECI + "What\n", "x.tsvx:9: "),
        (MECI + "Relation\tT1\tT9\tNoRel\n", 'x.tsvx:9: relation of an unknown event "T9"'),
        (MECI + "Relation\tT1\tT3\tBecause\n", "x.tsvx:9: label "),
    ],
}


@pytest.mark.parametrize(
    ("name", "text", "message"), [(n, *b) for n, of in BAD.items() for b in of]
)
def test_bad_files(tmp_path, name, text, message):
    folder = written(tmp_path / "gold", **{name: text})
    good = data.write_csv(tmp_path / "pred.csv", data.STORY_PRED)
    target = tmp_path / "counts.parquet"
    printed, messages = cli("eci", str(folder), str(good), "--per-document", str(target), expect=2)
    assert message in messages
    assert not printed
    assert not target.exists()


def mention_of(sentence: int) -> dict[str, Any]:
    return {"events": [{"id": "E1", "mention": [{"id": "m", "sent_id": sentence}]}]}


def lines_of(*changes: dict[str, Any]) -> list[dict[str, Any]]:
    return [data.MAVEN_GOLD[0] | change for change in changes]


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (lines_of({"id": 3}), '"id" is a number'),
        (lines_of({"causal_relations": {"WHY": []}}), 'label "WHY"'),
        (lines_of({"causal_relations": {"CAUSE": [["E1"]]}}), "expected two ids"),
        (lines_of({"causal_relations": {"CAUSE": [["E1", "E9"]]}}), 'a relation of "E9"'),
        (lines_of({"causal_relations": {"CAUSE": [["E2", "E2"]]}}), "is paired with itself"),
        (lines_of({"causal_relations": {"CAUSE": 1}}), "expected a list of pairs"),
        (lines_of({"events": {}}), '"events" is an object'),
        (lines_of(mention_of(2**63)), '"sent_id" of mention "m" is 92233720368547'),
        (lines_of(mention_of(-1)), "expected an integer from 0 to 2147483647"),
        (lines_of({}, {}), 'document "d1" is also in'),
    ],
)
def test_bad_lines(tmp_path, gold, message):
    path = tmp_path / "gold.jsonl"
    path.write_text("\n".join(map(json.dumps, gold)))
    with pytest.raises(fc.InputError, match=r"gold\.jsonl:[12]") as error:
        fc.eci(path, data.MAVEN_PRED, protocol="maven-ere")
    assert message in str(error.value)


def test_texts_of_maven_may_be_of_another_kind():
    events = [data.event("E1", "m1"), data.event("E2", "m2")]
    line = {"id": "d", "events": events, "causal_relations": {"CAUSE": [["E1", "E2"]]}}
    for sentences in ([1], ["m1 m2"], "m1", None):
        gold = [line | {"sentences": sentences, "tokens": [["m1", "m2"]]}]
        assert fc.eci(gold, gold, protocol="maven-ere")["typed"].f1 == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "BECAUSE"}, "gold: row 1: label "),
        ({"a": "3", "b": "3"}, 'gold: row 1: event "3" is paired with itself'),
        ({"b": None}, 'gold: row 1: no "b"'),
        ({"doc_id": None}, 'gold: row 1: no "doc_id"'),
        (
            {"a": "3", "sentence_a": 9},
            'mention "3" of document "doc1" is in sentence 9, expected 1',
        ),
    ],
)
def test_bad_rows(change, message):
    gold = [{**row, "sentence_a": 1, "sentence_b": 1} for row in data.STORY_GOLD[:2]]
    gold[1] |= change
    with pytest.raises(fc.InputError) as error:
        fc.eci(gold, data.STORY_PRED)
    assert message in str(error.value)


def test_missing_columns_and_folders(tmp_path):
    with pytest.raises(fc.InputError, match='no column "label"'):
        fc.eci([{"doc_id": "d", "a": "x", "b": "y"}], data.STORY_PRED)
    (tmp_path / "empty").mkdir()
    with pytest.raises(fc.InputError, match="without a file that ends in"):
        fc.eci(tmp_path / "empty", data.STORY_PRED)
    folder = written(tmp_path / "two", **{"a_DOT_tab": "1\t2\tnull\n", "b_DOT_xml": STORY})
    with pytest.raises(fc.InputError, match="files of two kinds"):
        fc.eci(folder, data.STORY_PRED)
    twice = written(tmp_path / "twice", **{"1__a_DOT_tab": "", "2__a_DOT_tab": ""})
    with pytest.raises(fc.InputError, match='document "a" is also in'):
        fc.eci(twice, data.STORY_PRED)
    with pytest.raises(fc.InputError, match="JSON lines of MAVEN-ERE for maven-ere"):
        fc.eci(data.STORY_GOLD, data.STORY_PRED, protocol="maven-ere")
    with pytest.raises(fc.InputError, match="relation temporal"):
        fc.eci(data.STORY_GOLD, data.STORY_PRED, relation="temporal")


def test_labels_of_ones_own():
    rows = [{"doc_id": "d", "a": "x", "b": "y", "label": "leads to"}]
    pairs = read_pairs(rows, LabelScheme(("leads to",)))
    assert pairs.label.tolist() == [10]
    for given in (("CAUSE",), ("null",), ("x", "X ")):
        with pytest.raises(ValueError, match="label "):
            LabelScheme(given)
    with pytest.raises(ValueError, match="declared twice"):
        LabelScheme(none=("x",), unknown=("x",))
    with pytest.raises(ValueError, match="at most 26"):
        LabelScheme(tuple(map(str, range(2, 29))))
    most = LabelScheme(tuple(map(str, range(2, 28))))
    assert most.code("27") == 60
