"""Predictions as pre-annotations, which tools for annotation import and the reader reads back."""

from __future__ import annotations

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.relations import ROLES, Relations
from tests.support.cli import cli

FILES = {"doccano": "x.jsonl", "label-studio": "x.json", "webanno": "x.json"}
WORDS = st.sampled_from(["rain", "fell", ",", "so", "é", "floods", '"roads"', "😀", "\\n"])


@st.composite
def predictions(draw, most_parts=1):
    examples = []
    for k in range(draw(st.integers(1, 4))):
        words = draw(st.lists(WORDS, min_size=1, max_size=8))
        n = len(words)

        def spans(n=n, most=most_parts):
            starts = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=most, unique=True))
            return [(start, start + 1) for start in starts]

        relations = [
            {"cause": spans(), "effect": spans(), "signal": draw(st.sampled_from([[], spans()]))}
            for _ in range(draw(st.integers(0, 2)))
        ]
        text = " ".join(words)
        examples.append({"id": f"n{k}", "text": text, "relations": relations, "year": 2000 + k})
    return Relations.from_examples([{**e, "length": len(e["text"].split())} for e in examples])


def spans_of(relations):
    return [[{k: v for k, v in r.items() if v} for r in e["relations"]]
            for e in relations.to_examples()]  # fmt: skip


@pytest.mark.parametrize("tool", FILES)
@given(st.data())
def test_what_is_written_is_read_back(tmp_path_factory, tool, data):
    pred = data.draw(predictions())
    path = tmp_path_factory.mktemp("tool") / FILES[tool]
    lost = formats.write(pred, path, tool)
    if not pred.n_relations and tool == "webanno":
        lost = [message for message in lost if "columns" in message]
    known = "the columns id, year"
    assert lost == ([f"UIMA CAS JSON does not hold {known}"] if tool == "webanno" else [])
    again = formats.read(path)
    assert formats.opened(formats.Source.open(path)).format.name == tool
    assert spans_of(again) == spans_of(pred)
    assert again.table["text"].to_pylist() == pred.table["text"].to_pylist()
    if tool != "webanno":
        assert again.ids.to_pylist() == pred.ids.to_pylist()
        assert again.table["year"].to_pylist() == pred.table["year"].to_pylist()


ONE = {"id": "a", "text": "Rain fell 😀 so roads closed", "length": 6}
RELATION = {"cause": [(0, 2)], "effect": [(4, 6)], "signal": [(3, 4)]}


def written(tmp_path, tool, relations=(RELATION,)):
    path = tmp_path / FILES[tool]
    table = Relations.from_examples([{**ONE, "relations": list(relations)}])
    return formats.write(table, path, tool), path.read_text()


def test_lines_of_doccano(tmp_path):
    lost, text = written(tmp_path, "doccano")
    assert (lost, json.loads(text)) == ([], {
        "id": "a", "text": ONE["text"],
        "entities": [
            {"id": 0, "label": "Effect", "start_offset": 15, "end_offset": 27},
            {"id": 1, "label": "Cause", "start_offset": 0, "end_offset": 9},
            {"id": 2, "label": "Signal", "start_offset": 12, "end_offset": 14},
        ],
        "relations": [
            {"id": 0, "from_id": 1, "to_id": 0, "type": "Causes"},
            {"id": 1, "from_id": 2, "to_id": 0, "type": "Signals"},
        ],
    })  # fmt: skip


def test_predictions_of_label_studio(tmp_path):
    _, text = written(tmp_path, "label-studio")
    (task,) = json.loads(text)
    assert [task[key] for key in ("id", "data")] == ["a", {"text": ONE["text"]}]
    (prediction,) = task["predictions"]
    effect, _, _, link, _ = prediction["result"]
    assert effect == {
        "id": "s0", "type": "labels", "from_name": "label", "to_name": "text",
        "value": {"start": 16, "end": 28, "text": "roads closed", "labels": ["Effect"]},
    }  # fmt: skip
    assert link == {"type": "relation", "from_id": "s1", "to_id": "s0", "direction": "right",
                    "labels": ["Causes"]}  # fmt: skip


def test_uima_cas_json_loads_elsewhere(tmp_path):
    cassis = pytest.importorskip("cassis")
    _, text = written(tmp_path, "webanno")
    cas = cassis.load_cas_from_json(io.BytesIO(text.encode()))
    marks = {mark.label: mark for mark in cas.select("webanno.custom.Causal")}
    assert {label: mark.get_covered_text() for label, mark in marks.items()} == {
        "Cause": "Rain fell", "Effect": "roads closed", "Signal": "so"
    }  # fmt: skip
    links = {link.label: (link.Governor, link.Dependent)
             for link in cas.select("webanno.custom.CausalLink")}  # fmt: skip
    assert links == {"Causes": (marks["Cause"], marks["Effect"]),
                     "Signals": (marks["Signal"], marks["Effect"])}  # fmt: skip


@pytest.mark.parametrize("tool", FILES)
def test_losses_are_told(tmp_path, tool):
    relations = [
        {"cause": [(0, 1)]},
        {"cause": [(0, 1), (2, 3)], "effect": [(4, 5)], "signal": []},
        None,
    ]
    lost, _ = written(tmp_path, tool, relations)
    assert [message for message in lost if "relation" in message] == [
        "example a: relation 1 has no Effect and is left out",
        "example a: relation 2 has several spans of one role, each of which makes a relation",
        "example a: relation 3 is unread and left out",
    ]
    read = formats.read(tmp_path / FILES[tool])
    assert spans_of(read) == [[{"cause": [(0, 1)], "effect": [(4, 5)]},
                               {"cause": [(2, 3)], "effect": [(4, 5)]}]]  # fmt: skip
    with pytest.raises(InputError, match="example 0 has no text, which this format needs"):
        formats.write(Relations.from_examples([{"length": 1, "relations": []}]), tmp_path / "y",
                      tool)  # fmt: skip
    assert not (tmp_path / "y").exists()


@pytest.mark.parametrize("tool", FILES)
def test_the_command_writes_roles_in_order(tmp_path, tool):
    rows = [{**ONE, "relations": [{role: list(RELATION[role]) for role in ROLES}]}]
    formats.write(Relations.from_examples(rows), tmp_path / "gold.parquet")
    cli("convert", tmp_path / "gold.parquet", tmp_path / FILES[tool], "--to", tool)
    out, _ = cli("score", tmp_path / FILES[tool], tmp_path / FILES[tool], "--json")
    assert json.loads(out)["scores"]["overall"]["f1"] == 1


@pytest.mark.parametrize("text", ["😀 😀 😀", "😀 😀 a a"])
def test_words_that_fit_in_characters_and_in_utf16_units(tmp_path, text):
    tokens = [(k, k + 1) for k in range(len(text.split()))]
    relations = [{"cause": [a], "effect": [b], "signal": []} for a in tokens for b in tokens]
    pred = Relations.from_examples(
        [{"id": "n", "text": text, "length": len(tokens), "relations": relations}]
    )
    formats.write(pred, tmp_path / "x.json", "label-studio")
    assert spans_of(formats.read(tmp_path / "x.json")) == spans_of(pred)
