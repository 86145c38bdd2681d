"""Files of counts of pairs, questions, frames and chains: columns are sealed and checked."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from fastcausal import crab
from tests.support.cli import cli

NAMES = ("topic_id", "event_order_a", "event_order_b", "class", "article_id_a", "article_id_b")
PAIRS = [
    dict(zip(NAMES, (7, a, b, letter, "x", "x" if b < 3 else "y"), strict=True))
    for a, b, letter in (
        (1, 2, "A"), (1, 3, "B"), (2, 3, "A"), (1, 4, "C"), (3, 4, "A"), (2, 4, "D"), (1, 5, "D")
    )
]  # fmt: skip
QUESTION = {
    **{f"{i}_choice": letter for i, letter in enumerate("ABCD")},
    **{f"{i}_article_id": article for i, article in enumerate("xxyy")},
    "article_id_effect": "x",
}
QUESTIONS = [QUESTION | {"answer": letter} for letter in "ACD"]


def reports():
    letters = [*"ABCCAD", "unknown"]
    return {
        "pairs": crab.pairwise(PAIRS, letters, "multiclass", unparsed="empty"),
        "frames": crab.frames(PAIRS, letters, "multiclass", unparsed="empty"),
        "chains": crab.chains(PAIRS, letters, "multiclass", unparsed="empty"),
        "questions": crab.graded(QUESTIONS, ["A", "B", "A"]),
    }


@pytest.fixture(scope="module")
def of_kinds():
    return {kind: report.statistics for kind, report in reports().items()}


READ = [
    ("pairs", "answer", "readx"),
    ("pairs", "in_document", None),
    ("questions", "answer", "readx"),
    ("questions", "right", None),
    ("questions", "same_document", None),
    ("frames", "type", "readx"),
    ("frames", "n_pairs", -3),
    ("frames", "n_in_document", -3),
    ("frames", "n_scored_pairs", None),
    ("chains", "type", None),
    ("chains", "n_scored_pairs", -1),
]


@pytest.mark.parametrize("sealed", [True, False])
@pytest.mark.parametrize(("kind", "column", "value"), READ)
def test_columns_that_become_numbers(tmp_path, of_kinds, kind, column, value, sealed):
    """A changed, missing or mistyped column is bad input, with a seal or without."""
    path = tmp_path / "counts.parquet"
    of_kinds[kind].write(path)
    table = pq.read_table(path)
    metadata = dict(table.schema.metadata)
    if not sealed:
        about = json.loads(metadata[b"fastcausal"]) | {"seal": None}
        metadata[b"fastcausal"] = json.dumps(about).encode()
    place = table.column_names.index(column)
    first = pa.array([value, *table[column].to_pylist()[1:]], table[column].type)
    changed = [
        table.set_column(place, column, first),
        table.set_column(place, column, pa.array([b"x"] * len(table))),
    ]
    may_lack = {"in_document", "same_document"}
    if sealed or column not in may_lack:
        changed.append(table.drop_columns([column]))
    for new in changed:
        pq.write_table(new.replace_schema_metadata(metadata), path)
        _, err = cli("aggregate", path, expect=2)
        assert f'"{column}"' in err or "were changed" in err


def test_clusters_are_sealed(tmp_path, of_kinds):
    path = tmp_path / "counts.parquet"
    of_kinds["frames"].write(path)
    table = pq.read_table(path)
    topics = pa.array(["u"] * len(table))
    changed = table.set_column(table.column_names.index("topic_id"), "topic_id", topics)
    pq.write_table(changed, path)
    _, err = cli("aggregate", path, "--cluster", "topic_id", "--intervals", expect=2)
    assert "ids, counts or columns were changed since the file was sealed" in err
