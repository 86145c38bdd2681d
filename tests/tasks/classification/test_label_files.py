"""Files of labels, and examples that one side lacks."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastcausal.errors import InputError
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.classify import classify
from fastcausal.tasks.classification.count import ClassificationScorer
from tests.support.cli import cli


def write(path, *rows):
    path.write_text("".join(f"{row}\n" for row in rows))
    return path


@pytest.fixture
def gold(tmp_path):
    return write(tmp_path / "gold.csv", "index,text,label", 'x1,"Rain , so",1', "x2,Sun,0", "x3,,1")


def test_csv_against_json_lines(gold, tmp_path):
    by_position = write(
        tmp_path / "a.jsonl", '{"index": 0, "prediction": 1}', '{"index": 2, "prediction": 1}',
        '{"index": 1, "prediction": 1}',
    )  # fmt: skip
    by_name = write(
        tmp_path / "b.jsonl", '{"id": "x3", "label": true}', '{"id": "x1", "label": 1}', "",
        '{"id": "x2", "label": 1}',
    )  # fmt: skip
    in_order = write(tmp_path / "c.json", *['{"prediction": 1}'] * 3)
    table = tmp_path / "d.parquet"
    pq.write_table(pa.table({"id": ["x2", "x1", "x3"], "label": [1, 1, 1]}), table)
    csv = write(tmp_path / "e.csv", "id,prediction", "x2,1", "x1,1", "x3,1")
    semicolons = write(tmp_path / "f.csv", "id;prediction", "x2;1", "x1;1", "x3;1")
    tabs = write(tmp_path / "g.tsv", "prediction\tid", "1\tx2", "1\tx1", "1\tx3")
    rows = [{"id": f"x{k}", "label": 1} for k in (3, 1, 2)]
    (tmp_path / "h.json").write_text(json.dumps(rows, indent=1))
    files = (by_position, by_name, in_order, table, csv, semicolons, tabs, tmp_path / "h.json")
    for pred in (*files, rows, pa.Table.from_pylist(rows), {"label": [1, 1, 1]}, [1, 1, 1]):
        report = classify(gold, pred)
        assert report.labels == (0, 1)
        assert report.confusion.tolist() == [[0, 1], [0, 2]]
    assert label_format.read(gold).texts.to_pylist() == ["Rain , so", "Sun", ""]


def test_labels_are_integers_if_both_sides_are(tmp_path):
    gold = write(tmp_path / "gold.csv", "index,label", "a,1", "b,2")
    assert classify(gold, ["1", "2"]).labels == (1, 2)
    assert classify(gold, gold).labels == (1, 2)
    odd = write(tmp_path / "odd.csv", "index,label", "a,01", "b,-2")
    assert classify(odd, odd).labels == (-2, 1)
    plus = write(tmp_path / "plus.csv", "index,label", "a,1", "b,+2")
    assert classify(plus, plus).labels == ("+2", "1")
    mixed = write(tmp_path / "mixed.csv", "index,label", "a,1", "b,x")
    assert classify(gold, mixed).labels == ("1", "2", "x")
    assert classify(gold, mixed, labels=["1", "2", "x"]).n_examples == 2
    assert classify(mixed, [1, 2]).labels == ("1", "2", "x")
    with pytest.raises(InputError, match=r'mixed.csv:3: example b: label "x", but .* set are int'):
        classify([1, 2], mixed, labels=[1, 2])


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (['{"index": 0}'], ': no column "label" or "prediction": found index'),
        (['{"prediction": 1.5}'], ':1: "prediction" is 1.5, expected an integer or a string'),
        (['{"prediction": []}'], ':1: "prediction" is a list, expected an integer or a string'),
        (
            ['{"index": true, "prediction": 1}'],
            ':1: "index" is true, expected an integer or a string',
        ),
        (
            ['{"prediction": 1}', '{"prediction": "a"}'],
            ':2: "prediction" is "a", expected a number as in',
        ),
        (['{"index": 0, "label": 1}', '{"label": 1}'], ':2: no "index", expected one in every row'),
        (['{"id": "a", "label": 1}', '{"id": "a", "label": 0}'], ':2: id "a" occurs twice'),
        (["{"], ":1: invalid JSON"),
        (["[1]"], ": row 0 is a number, expected an object"),
        (
            ['{"prediction": 99999999999999999999}'],
            ':1: "prediction" is 99999999999999999999, expected integers below 2^63',
        ),
    ],
)
def test_json_lines_that_cannot_be_read(lines, message, tmp_path):
    path = write(tmp_path / "pred.jsonl", *lines)
    with pytest.raises(InputError) as caught:
        label_format.read(path)
    assert f"pred.jsonl{message}" in str(caught.value)


def test_csv_that_cannot_be_read(tmp_path):
    with pytest.raises(
        InputError, match=r'bad.csv:1: no column "label" or "prediction": found index, text'
    ):
        label_format.read(write(tmp_path / "bad.csv", "index,text", "a,b"))
    with pytest.raises(
        InputError, match=r'twice.csv:3: id "a" occurs twice, first in .*twice.csv:2'
    ):
        label_format.read(write(tmp_path / "twice.csv", "id,label", "a,1", "a,0"))
    with pytest.raises(InputError, match=r"gold.csv:3: example b: no label"):
        classify(write(tmp_path / "gold.csv", "id,label", "a,1", "b,"), [1, 0])
    with pytest.raises(InputError, match="No such file"):
        label_format.read(tmp_path / "none.csv")


# ---------------------------------------------------------------------------------------- matching


def test_examples_that_one_side_lacks(gold):
    pred = pa.table({"id": ["x3", "x9", "x1"], "label": [0, 1, 1]})
    with pytest.raises(InputError) as caught:
        classify(gold, pred)
    assert str(caught.value) == (
        '1 examples of gold have no prediction ("x2"), 1 of pred are not in gold ("x9"); '
        'unmatched="skip" would leave them out'
    )
    report = classify(gold, pred, unmatched="skip")
    assert report.confusion.tolist() == [[0, 0], [1, 1]]
    assert report.warnings[0].startswith("unmatched=skip: 1 examples of gold")
    with pytest.raises(
        InputError, match=r'1 examples of gold have no prediction \("2"\), 0 of pred'
    ):
        classify(gold, [1, 0])


def test_predictions_without_a_label(gold, tmp_path):
    pred = write(tmp_path / "pred.jsonl", '{"label": 1}', '{"label": null}', '{"label": 0}')
    with pytest.raises(InputError, match=r"pred.jsonl:2: example 1: no label, nor have 0 more"):
        classify(gold, pred)
    report = classify(gold, pred, unparsed="skip")
    assert report.n_examples == 2
    assert report.to_dict()["warnings"] == [
        "gold lacks the label 0 of pred, examples: 1",
        "unparsed=skip: 1 of 3 predicted examples have no label (33.3%) and are left out",
    ]
    for text in (str(report), report._repr_html_()):
        assert f"warning: {report.warnings[0]}" in text
    assert classify(["a"], [None], unparsed="skip").n_examples == 0


def test_examples_without_a_label_add_up_over_batches():
    scorer, other = ClassificationScorer(unparsed="skip"), ClassificationScorer(unparsed="skip")
    for _ in range(2):
        scorer.update(gold=[0, 1, 1], pred=[0, None, 1])
    other.update(gold=[1], pred=[None])
    scorer.merge(other)
    report = scorer.compute()
    assert report.n_unparsed == report.to_dict()["n_unparsed"] == 3
    assert report.warnings == (
        "unparsed=skip: 3 of 7 predicted examples have no label (42.9%) and are left out",
    )


def test_command(gold, tmp_path):
    pred = write(tmp_path / "pred.jsonl", *(f'{{"index": {k}, "prediction": 1}}' for k in range(3)))
    out, _ = cli("classify", str(gold), str(pred), "--json", "--labels", "0,1")
    found = json.loads(out)
    assert found["confusion"] == [[0, 1], [0, 2]]
    assert found["scores"]["overall"]["mcc"] is None
    out, _ = cli("classify", str(gold), str(pred), "--undefined", "0", "--positive", "0")
    assert "0 (positive)" in out
    assert "0/0:0.0" in out


def test_command_with_bad_input(gold, tmp_path):
    _, err = cli("classify", str(gold), str(tmp_path / "none.jsonl"), expect=2)
    assert "No such file" in err
    out, err = cli("classify", str(gold), str(gold), "--labels", "0,2", "--json", expect=2)
    assert "gold.csv:2: example x1: label 1, expected one of 0, 2" in json.loads(out)["error"]
    cli("classify", str(gold), str(gold), "--labels", "0,0", expect=2)


@pytest.mark.parametrize("nulls", [pa.nulls(3), pa.nulls(3, pa.list_(pa.int32()))])
@pytest.mark.parametrize("key", ["index", None])
def test_a_column_of_ids_without_values_is_no_id(nulls, key, tmp_path):
    keyed = {} if key is None else {key: ["a", "b", "c"]}
    labels = pa.table({"id": nulls, **keyed, "label": [0, 1, 1]})
    report = classify(labels, labels, per_example=tmp_path / "counts.parquet")
    units = pq.read_table(tmp_path / "counts.parquet")
    assert ("id" in units.column_names) == (key is not None)
    if key is not None:
        assert units["id"].to_pylist() == ["a", "b", "c"]
    assert report.to_dict()["scores"]["overall"]["accuracy"] == 1
