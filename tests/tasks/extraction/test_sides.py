"""The kinds of sides: in memory, readable again, streamed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.extraction.sides import are_in_memory, are_rereadable, are_streamed

GOLD = fc.read(sample.GOLD)
TABLE = GOLD.table


@pytest.mark.parametrize(
    ("side", "in_memory", "rereadable", "streamed"),
    [
        (GOLD, True, True, False),
        ([{"length": 1, "relations": []}], True, True, False),
        (str(sample.GOLD), False, True, True),
        (Path(sample.GOLD), False, True, True),
        (iter([{"length": 1, "relations": []}]), False, False, True),
        (pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches()), False, False, True),
        (TABLE, False, False, False),
    ],
    ids=["relations", "list", "text", "path", "iterator", "reader", "table"],
)
def test_kinds(side, in_memory, rereadable, streamed):
    assert are_in_memory(GOLD, side) == in_memory
    assert are_rereadable(GOLD, side) == rereadable
    assert are_streamed(GOLD, side) == streamed


def test_statistics_of_memory_keep_only_wanted_columns():
    table = TABLE.append_column("note", pa.array(["x"] * len(TABLE)))
    gold = fc.Relations(table, GOLD.reading)
    examples = fc.read(sample.SYSTEMS["careful"], like=gold).to_examples()
    examples[0]["relations"] = [None]
    pred = fc.Relations.from_examples(examples)
    report = fc.score(gold, pred, unparsed="skip", statistics="doc_id")
    for kept in (report.statistics.units, report.statistics.left_out):
        assert "doc_id" in kept.column_names
        assert not {"note", "text"} & {*kept.column_names}
