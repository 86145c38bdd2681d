"""Sources scored part by part: whatever the parts, the numbers and messages of the whole."""

from __future__ import annotations

import io
import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fastcausal as fc
from bench import corpus
from fastcausal import formats, sample, streams
from fastcausal.formats import _ids, pieces
from fastcausal.formats.batches import cut
from tests.strategies import sides
from tests.tables import table_of

POLICIES = ["error", "empty", "skip"]


@contextmanager
def parts_of(rows: int):
    before, pieces.ROWS = pieces.ROWS, rows
    try:
        yield
    finally:
        pieces.ROWS = before


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the message of its error."""
    try:
        return call()
    except fc.InputError as error:
        return str(error)


# ------------------------------------------------------------------------------ sources of one side


def as_parquet(relations, folder, data):
    path = folder / "x.parquet"
    pq.write_table(relations.table, path, row_group_size=data.draw(st.integers(1, 9)))
    return path


def as_nameless(relations, folder, data):
    return as_parquet(relations, folder, data).rename(folder / "x.data")


def as_arrow(relations, folder, data):
    path = folder / data.draw(st.sampled_from(["x.arrow", "x.arrows"]))
    new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
    with new(path, relations.table.schema) as writer:
        writer.write_table(relations.table, max_chunksize=data.draw(st.integers(1, 9)))
    return path


def as_directory(relations, folder, data):
    """Files in folders; what the reading noted is said in the first one only."""
    table, n = relations.table, len(relations)
    step = data.draw(st.integers(1, 9))
    for k, start in enumerate(range(0, max(n, 1), step)):
        path = folder / f"parts/{k // 3:03}/part-{k:03}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = fc.Relations(table.slice(start, step), relations.reading)
        pq.write_table((part if k == 0 else part.with_reading(notes={}, unread=())).table, path)
    (folder / "parts/_SUCCESS").touch()
    return folder / "parts"


def as_reader(relations, folder, data):
    return relations.table.to_reader(max_chunksize=data.draw(st.integers(1, 9)))


def as_iterator(relations, folder, data):
    step = data.draw(st.integers(1, 9))
    kind = data.draw(st.sampled_from([fc.Relations, lambda t, _: t.combine_chunks()]))
    quiet = relations.with_reading(notes={}, unread=())
    tables = [quiet.table.slice(at, step) for at in range(step, len(relations), step)]
    return iter(
        [kind(relations.table.slice(0, step), None), *(kind(table, None) for table in tables)]
    )


def as_relations(relations, folder, data):
    return relations


KINDS = [as_parquet, as_nameless, as_arrow, as_directory, as_reader, as_iterator, as_relations]
ONCE = (as_reader, as_iterator)


@st.composite
def tables(draw):
    """Both sides, with ids or without, unread predictions, notes, and a column to score by."""
    both = draw(sides(most_examples=12, most_relations=3))
    n = len(both[0])
    columns = {"kind": draw(st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n))}
    ids = {"id": [f"{'ab' * (k % 5)}{k}" for k in range(n)]}
    gold, pred = (
        table_of(side, **columns, **(ids if draw(st.booleans()) else {})).table for side in both
    )
    unread = draw(st.sets(st.integers(0, n - 1), max_size=2))
    lists = [
        [None, *row] if k in unread else row for k, row in enumerate(pred["relations"].to_pylist())
    ]
    at = pred.column_names.index("relations")
    pred = pred.set_column(at, "relations", pa.array(lists, pred["relations"].type))
    return (
        fc.Relations(gold).with_reading(notes={"odd": 3}),
        fc.Relations(pred).with_reading(notes={"strange": 1}, unread=("x",) * len(unread)),
    )


@settings(deadline=None, max_examples=150)
@given(both=tables(), rows=st.integers(1, 7), data=st.data())
def test_streamed_is_whole(tmp_path_factory, both, rows, data):
    folder = tmp_path_factory.mktemp("streams")
    makes = [data.draw(st.sampled_from(KINDS)) for _ in both]
    options = {
        "protocol": data.draw(st.sampled_from(["recess", "cnc-2023"])),
        "by": data.draw(st.sampled_from([None, "kind"])),
        "unparsed": data.draw(st.sampled_from(POLICIES)),
    }
    whole = outcome(lambda: fc.score(*both, **options))
    done = []

    def streamed(**more):
        sources = []
        for k, (make, relations) in enumerate(zip(makes, both, strict=True)):
            (folder / str(len(done)) / str(k)).mkdir(parents=True)
            sources.append(make(relations, folder / str(len(done)) / str(k), data))
        done.append([])
        with parts_of(rows):
            return fc.score(
                *sources, **options, **more, progress=lambda *args: done[-1].append(args)
            )

    target = folder / "examples.parquet"
    found = outcome(partial(streamed, per_example=target))
    if isinstance(whole, str):
        assert isinstance(found, str)
        assert not set(makes) & set(ONCE) or found.startswith("from example ")
        assert set(makes) & set(ONCE) or found == whole
        assert not target.exists()
        return
    assert found == whole
    assert list(found.subsets) == list(whole.subsets)
    assert pq.read_table(target).equals(whole.per_example)
    n = len(both[0])
    if set(makes) != {as_relations}:
        assert [part for part, _ in done[-1]] == [*range(rows, n, rows), n]
        assert {total for _, total in done[-1]} <= {n, None}
    if not set(makes) & set(ONCE):
        found = pickle.loads(pickle.dumps(streamed()))  # reads only the columns needed
        assert found.to_json() == whole.to_json()
        assert found.matches.equals(whole.matches)
        assert found.per_example.equals(whole.per_example)


@settings(deadline=None, max_examples=100)
@given(both=tables(), rows=st.integers(1, 4), data=st.data())
def test_sides_out_of_step(tmp_path_factory, both, rows, data):
    """Other orders, missing and additional examples, ids that occur twice: as when read whole."""
    folder = tmp_path_factory.mktemp("streams")
    tables = []
    for k, side in enumerate(both):
        n = len(side)
        order = data.draw(
            st.permutations(range(n)) | st.lists(st.integers(0, n - 1), min_size=1, max_size=n + 1)
        )
        path = folder / f"{k}.parquet"
        pq.write_table(side.table.take(order), path)
        tables.append(path)
    options = {
        "unparsed": data.draw(st.sampled_from(POLICIES)),
        "unmatched": data.draw(st.sampled_from(POLICIES)),
    }
    target = folder / "examples.parquet"
    whole = outcome(lambda: fc.score(*map(fc.read, tables), **options))
    with parts_of(rows):
        found = outcome(lambda: fc.score(*tables, **options, per_example=target))
    assert found == whole
    assert target.exists() == (not isinstance(whole, str))
    assert not list(folder.glob(".*"))
    if target.exists():
        assert pq.read_table(target).equals(whole.per_example)


@settings(deadline=None, max_examples=60)
@given(both=tables(), rows=st.integers(1, 4), data=st.data())
def test_json_lines(tmp_path_factory, both, rows, data):
    folder = tmp_path_factory.mktemp("streams")
    paths = [folder / "gold.jsonl", folder / "pred.jsonl"]
    for relations, path in zip(both, paths, strict=True):
        formats.write(relations, path)
    options = {
        "by": data.draw(st.sampled_from([None, "kind"])),
        "unparsed": data.draw(st.sampled_from(POLICIES)),
    }
    target = folder / "examples.parquet"
    whole = outcome(lambda: fc.score(*map(fc.read, paths), **options))
    with parts_of(rows):
        found = outcome(lambda: fc.score(*paths, **options, per_example=target))
    assert found == whole
    if not isinstance(whole, str):
        assert pq.read_table(target).equals(whole.per_example)


@settings(deadline=None, max_examples=40)
@given(
    system=st.sampled_from([*sample.SYSTEMS]),
    rows=st.integers(1, 61),
    protocol=st.sampled_from(["recess", "cnc-2023", "cnc-2022"]),
    unparsed=st.sampled_from(POLICIES),
    faults=st.sampled_from(["", "lines missing", "lines swapped", "line broken", "line added"]),
)
def test_submissions(tmp_path_factory, system, rows, protocol, unparsed, faults):
    """Predictions that take their text and length from gold."""
    lines = sample.SYSTEMS[system].read_text().splitlines()
    pred = tmp_path_factory.mktemp("streams") / "pred.jsonl"
    if faults == "lines missing":
        lines = lines[:40]
    elif faults == "lines swapped":
        lines[7], lines[50] = lines[50], lines[7]
    elif faults == "line broken":
        lines[33] = lines[33][:-3]
    elif faults == "line added":
        lines.append(lines[-1])
    pred.write_text("\n".join(lines))
    tags = fc.PROTOCOLS[protocol].tags
    gold = fc.read(sample.GOLD, tags=tags)
    options = {"protocol": protocol, "unparsed": unparsed}

    def read_whole():
        return fc.score(gold, fc.read(pred, like=gold, tags=tags), **options)

    whole = outcome(read_whole)
    with parts_of(rows):
        found = outcome(lambda: fc.score(sample.GOLD, pred, **options))
    if isinstance(whole, str):
        assert found == whole
    else:
        assert found.to_json() == whole.to_json()
        if protocol != "cnc-2022":
            assert found.per_example.equals(whole.per_example)
