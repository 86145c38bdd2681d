"""Rows of data sets of a hub: the Causal News Corpus, and tags of tokens."""

from __future__ import annotations

import ast
import csv
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample

NAMES = ["O", "B-C", "I-C", "B-E", "I-E"]
TAGGED = [
    {"id": "a", "tokens": ["Heavy", "rain", "brings", "floods"], "ner_tags": [1, 2, 0, 3]},
    {"id": "b", "tokens": ["Dogs", "bark"], "ner_tags": [0, 0]},
]
AS_TEXT = [{**row, "ner_tags": [NAMES[tag] for tag in row["ner_tags"]]} for row in TAGGED]


def lay(rows, folder, metadata=None):
    """Yield rows in memory, as Parquet and as JSON lines."""
    table = pa.Table.from_pylist(rows).replace_schema_metadata(metadata)
    yield table
    pq.write_table(table, folder / "x.parquet")
    yield folder / "x.parquet"
    (folder / "x.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    yield folder / "x.jsonl"
    yield rows


@pytest.mark.parametrize("as_lists", [False, True])
def test_rows_of_the_causal_news_corpus(tmp_path, as_lists):
    rows = list(csv.DictReader(sample.GOLD.read_text().splitlines()))
    if as_lists:
        rows = [
            {**row, "causal_text_w_pairs": ast.literal_eval(row["causal_text_w_pairs"])}
            for row in rows
        ]
    expected = fc.read(sample.GOLD).to_examples()
    pred = sample.SYSTEMS["careful"]
    official = fc.score(sample.GOLD, pred, "cnc-2023").scores
    for source in lay(rows, tmp_path):
        assert fc.read(source).to_examples() == expected
        assert fc.score(source, pred, "cnc-2023").scores == official


def test_rows_of_tagged_tokens(tmp_path):
    (tmp_path / "x.conll").write_text(
        "# id = a\nHeavy\tB-C\nrain\tI-C\nbrings\tO\nfloods\tB-E\n\n# id = b\nDogs\tO\nbark\tO\n"
    )
    expected = fc.read(tmp_path / "x.conll").to_examples()
    for source in lay(AS_TEXT, tmp_path):
        assert fc.read(source).to_examples() == expected
    features = {"ner_tags": {"feature": {"names": NAMES, "_type": "ClassLabel"}, "_type": "List"}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    *tables, lines, dicts = lay(TAGGED, tmp_path, metadata)
    for source in tables:
        assert fc.read(source).to_examples() == expected
    for source in (lines, dicts):
        with pytest.raises(fc.InputError, match=r'example a: "ner_tags" has numbers, but there'):
            fc.read(source)
    named = [{**AS_TEXT[0], "ner_tags": ["B-Drug", "I-Drug", "O", "B-Harm"], "genre": "news"}]
    (found,) = fc.read(named, role=["cause=drug", "effect=harm"]).to_examples()
    assert (found["relations"], found["genre"]) == (expected[0]["relations"], "news")


def test_wrong_rows_of_tags():
    for row, message in (
        ({"tokens": "Heavy rain"}, '"tokens" is a string, expected a list of strings'),
        ({"ner_tags": "B-C"}, "expected lists of tags"),
        ({"ner_tags": ["B-X", "O", "O", "O"]}, 'unknown label "X"'),
    ):
        with pytest.raises(fc.InputError, match=message):
            fc.read([AS_TEXT[0] | row])
    features = {"ner_tags": {"feature": {"names": NAMES[:3]}}}
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    with pytest.raises(fc.InputError, match='"ner_tags" has numbers, but there are 3 classes'):
        fc.read(pa.Table.from_pylist(TAGGED).replace_schema_metadata(metadata))
    short = fc.read([AS_TEXT[0] | {"ner_tags": ["B-C"]}])
    assert short.unparsed["reason"].to_pylist() == ["has 1 tokens, expected 4"]


def test_a_data_set(tmp_path):
    datasets = pytest.importorskip("datasets")
    tags = datasets.Sequence(datasets.ClassLabel(names=NAMES))
    text = datasets.Value("string")
    features = datasets.Features({"id": text, "tokens": datasets.Sequence(text), "ner_tags": tags})
    rows = datasets.Dataset.from_list(TAGGED, features=features)
    assert fc.read(rows).to_examples() == fc.read(AS_TEXT).to_examples()
    rows.to_parquet(tmp_path / "x.parquet")
    assert fc.read(tmp_path / "x.parquet").to_examples() == fc.read(AS_TEXT).to_examples()
