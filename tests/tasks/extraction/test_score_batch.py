"""`score_batch` on any split, whatever an engine does to it, is `score` on the whole."""

from __future__ import annotations

import json
import pickle
from functools import partial
from itertools import pairwise

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.arrays.reading import METADATA_KEY, Reading
from fastcausal.relations import RELATIONS
from tests.support.cli import cli
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import table_of

PROTOCOLS = ("recess", "cnc-2023", *(fc.Protocol(k, k) for k in ("exact_spans", "span_overlap")))


def batch_of(gold: fc.Relations, pred: fc.Relations) -> pa.Table:
    table = gold.table.append_column("predicted", pred.table["relations"])
    if "unparsed" in pred.table.column_names:  # why, of each
        table = table.append_column("unparsed", pred.table["unparsed"])
    return table


@pytest.fixture(scope="module")
def batch() -> pa.Table:
    gold = fc.read(sample.GOLD)
    return batch_of(gold, fc.read(sample.SYSTEMS["careful"], like=gold))


def replaced(table: pa.Table, name: str, column: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, column)


def cut(table: pa.Table, places: list[int]) -> list[pa.Table]:
    ends = [0, *sorted(place % (len(table) + 1) for place in places), len(table)]
    return [table.slice(a, b - a) for a, b in pairwise(ends)]


def by_id(statistics: fc.Statistics) -> dict[str, list]:
    units, rows = statistics.units.to_pylist(), statistics.rows_of_units().tolist()
    return {row["id"]: [row, counts] for row, counts in zip(units, rows, strict=True)}


def of_the_same(one: fc.Statistics, other: fc.Statistics) -> None:
    """Check that two files agree in all but the order of rows and the name of the system."""
    assert by_id(one) == by_id(other)
    left_out = [s.left_out and s.left_out.sort_by("id").to_pylist() for s in (one, other)]
    assert left_out[0] == left_out[1]
    for name in ("signature", "gold", "warnings", "facts", "formula"):
        assert getattr(one, name) == getattr(other, name), name


@trials(80)
@given(
    both=sides(),
    cuts=st.lists(st.integers(0, 99), max_size=7),
    more_cuts=st.lists(st.integers(0, 99), max_size=3),
    protocol=st.sampled_from(PROTOCOLS),
    unparsed=st.sampled_from(["error", "empty", "skip"]),
    metadata=st.sampled_from(["own", "of one", "lost", "lost, like the whole"]),
    rng=st.randoms(),
)
def test_any_split(tmp_path_factory, both, cuts, more_cuts, protocol, unparsed, metadata, rng):
    folder = tmp_path_factory.mktemp("split")
    names = {
        "id": [f"e{k}" for k in range(len(both[0]))],
        "genre": [*map(str, range(len(both[0])))],
    }
    gold, pred = (table_of(side, **names) for side in both)
    if unparsed != "error" and len(pred):
        lost = [None if rng.random() < 0.3 else row for row in pred.table["relations"].to_pylist()]
        relations = pa.array(lost, RELATIONS)
        pred = fc.Relations(replaced(pred.table, "relations", relations))
    options = {"protocol": protocol, "unparsed": unparsed}
    whole = fc.score(gold, pred, per_example=folder / "whole.parquet", **options)
    parts = [fc.score_batch(part, **options) for part in cut(batch_of(gold, pred), cuts)]
    assert {str(part.schema.remove_metadata()) for part in parts} == {
        str(parts[0].schema.remove_metadata())
    }
    pq.write_table(parts[0], folder / "like.parquet")
    if metadata != "own":  # blocks are joined and cut anew
        parts = cut(pa.concat_tables(parts).combine_chunks(), more_cuts)
    if metadata.startswith("lost"):
        parts = [part.replace_schema_metadata(None) for part in parts]
    rng.shuffle(parts)
    (folder / "parts").mkdir()
    for k, part in enumerate(parts):
        pq.write_table(part, folder / "parts" / f"{k}.parquet")
    like = "whole" if metadata.endswith("whole") else "like"
    like = ["--like", folder / f"{like}.parquet"] if metadata.startswith("lost") else []
    cli("merge", folder / "parts", "--out", folder / "merged.parquet", *like)
    merged = fc.Statistics.read(folder / "merged.parquet")
    of_the_same(merged, fc.Statistics.read(folder / "whole.parquet"))
    if len(gold):
        assert (
            merged.report("genre").to_json()
            == fc.score(gold, pred, by="genre", **options).to_json()
        )
    assert merged.report()["overall"] == whole["overall"]


def test_it_is_what_per_example_writes(batch, tmp_path):
    gold = fc.Relations(batch.drop_columns(["predicted"]))
    pred = fc.Relations(pa.table({"id": batch["id"], "relations": batch["predicted"]}))
    fc.score(gold, pred, per_example=tmp_path / "counts.parquet")
    written = pq.read_table(tmp_path / "counts.parquet")
    counts = fc.score_batch(batch)
    assert counts.column_names == [*written.column_names, "gold_digest", "batch_warnings"]
    assert counts.select(written.column_names).equals(written)
    own, other = (json.loads(t.schema.metadata[b"fastcausal"]) for t in (counts, written))
    names = ("columns", "gold", "n_rows", "rows", "seal", "system")
    assert own == {**other, **dict.fromkeys(names)}


def test_relations_as_given_are_a_matter_of_rows(tmp_path):
    """The block whose metadata stands for all has none of them."""
    relations = [[{"cause": (0, 2), "effect": (3, 5)}]], [[{"cause": [(0, 3), (1, 2)]}]]
    rows = [
        fc.Relations.from_examples([{"id": str(k), "length": 6, "relations": each[0]}])
        for k, each in enumerate(relations)
    ]
    parts = [fc.score_batch(batch_of(row, row), "cnc-2023") for row in rows]
    joined = pa.concat_tables(parts).replace_schema_metadata(parts[0].schema.metadata)
    pq.write_table(joined, tmp_path / "joined.parquet")
    whole = fc.Relations(pa.concat_tables([row.table for row in rows]))
    report = fc.Statistics.read(tmp_path / "joined.parquet").report()
    assert report.to_json() == fc.score(whole, whole, "cnc-2023").to_json()
    assert "tags:as-given" in report.signature
    assert len(report.warnings) >= 1


def as_engines_make_them(batch: pa.Table) -> dict[str, pa.Table]:
    span = pa.struct([("role", pa.int64()), ("start", pa.int64()), ("stop", pa.int64())])
    large = pa.large_list(pa.large_list(span))
    wide = {"relations": large, "predicted": large, "id": pa.large_string(), "length": pa.int64()}
    ids = batch["id"].dictionary_encode()
    lists = [[[row[0][0]] * 2] * 2 for row in [[[{"role": 0, "start": 0, "stop": 1}]]] * len(batch)]
    fixed = pa.array(lists, pa.list_(pa.list_(RELATIONS.value_type.value_type, 2), 2))
    return {
        "wide": pa.table(
            {n: batch[n].cast(wide.get(n, batch[n].type)) for n in batch.column_names}
        ),
        "dictionary": replaced(batch, "id", ids),
        "other order": batch.select(batch.column_names[::-1]),
        "no metadata": batch.replace_schema_metadata(None),
        "chunks": pa.concat_tables([batch.slice(0, 9), batch.slice(9)]),
        "fixed": replaced(batch, "predicted", fixed),
    }


KINDS = ("wide", "dictionary", "other order", "no metadata", "chunks", "fixed")


@pytest.mark.parametrize("kind", KINDS)
def test_types_of_engines(batch, kind):
    table = as_engines_make_them(batch)[kind]
    plain = batch
    if kind == "fixed":
        relations = pa.array(table["predicted"].to_pylist(), RELATIONS)
        plain = replaced(batch, "predicted", relations)
    names = [n for n in fc.score_batch(plain).column_names if n != "id"]
    counts = fc.score_batch(table)
    assert counts.select(names).to_pylist() == fc.score_batch(plain).select(names).to_pylist()
    assert counts["id"].to_pylist() == batch["id"].to_pylist()


def test_a_record_batch_and_other_names(batch):
    counts = fc.score_batch(batch)
    (record_batch,) = batch.combine_chunks().to_batches()
    assert fc.score_batch(record_batch).equals(counts)
    named = batch.rename_columns({"relations": "gold", "predicted": "relations"})
    stage = partial(fc.score_batch, gold="gold", pred="relations")
    assert pickle.loads(pickle.dumps(stage))(named).equals(counts)
    assert fc.score_batch(batch, backend="reference").equals(counts)
    polars = pytest.importorskip("polars")
    of_polars = fc.score_batch(polars.from_arrow(batch))
    assert of_polars.column_names == counts.column_names
    assert of_polars.to_pylist() == counts.to_pylist()


def test_of_no_rows(batch):
    counts = fc.score_batch(batch.slice(0, 0), unparsed="skip")
    assert counts.schema.equals(fc.score_batch(batch, unparsed="skip").schema)
    assert len(counts) == 0


def test_all_predictions_are_null(batch):
    """An engine may give such a column the type null."""
    lost = replaced(batch, "predicted", pa.nulls(len(batch)))
    assert sum(fc.score_batch(lost, unparsed="empty")["n_unparsed"].to_pylist()) == len(batch)
    with pytest.raises(fc.InputError, match="61 relations of pred could not be read"):
        fc.score_batch(lost)


def bad(batch: pa.Table) -> dict[str, tuple[pa.Table, str]]:
    n = len(batch)
    nulls = pa.array([None, *batch["relations"].to_pylist()[1:]], RELATIONS)
    roles = Reading(roles=("reason", "result")).serialise()
    field = pa.field("predicted", RELATIONS, metadata={METADATA_KEY: roles})
    beyond = pa.array([[[{"role": 7, "start": 0, "stop": 1}]]] * n, RELATIONS)
    return {
        "no gold": (batch.drop_columns(["relations"]), r'gold: expected one column "relations"'),
        "no pred": (batch.drop_columns(["predicted"]), 'pred: expected one column'),
        "no columns": (pa.table({}), "found no columns"),
        "type": (replaced(batch, "predicted", batch["id"]), 'is string, exp'),
        "null gold": (replaced(batch, "relations", nulls), "sample_harbour_1 has a null relat"),
        "a role beyond": (replaced(batch, "predicted", beyond), "pred: .* has role 7, exp"),
        "other roles": (
            batch.set_column(len(batch.column_names) - 1, field, batch["predicted"]),
            "pred has the roles reason, result, expected cause, effect, signal as in gold",
        ),
        "a column of counts": (batch.append_column("cause_tp", batch["id"]), '"cause_tp" of gold'),
        "a column of ours": (batch.append_column("gold_digest", batch["id"]), '"gold_digest" of'),
        "an id twice": (pa.concat_tables([batch, batch]), "gold: id .* occurs twice"),
        "no table": ("x", "the Arrow data cannot be read"),
    }  # fmt: skip


BAD = ("no gold", "no pred", "no columns", "type", "null gold", "a role beyond", "other roles",
       "a column of counts", "a column of ours", "an id twice", "no table")  # fmt: skip


@pytest.mark.parametrize("kind", BAD)
def test_bad_input(batch, kind):
    table, message = bad(batch)[kind]
    with pytest.raises(fc.InputError, match=message):
        fc.score_batch(table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"protocol": "cnc-2022"}, "cnc-2022 does not add up over batches"),
        ({"protocol": "x"}, "x"),
        ({"unparsed": "x"}, "unparsed"),
        ({"pred": "relations"}, 'gold and pred are both "relations"'),
    ],
)
def test_bad_arguments(batch, options, message):
    with pytest.raises(ValueError, match=message):
        fc.score_batch(batch, **options)
