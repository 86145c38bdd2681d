"""Damaged files of counts: one message, or statistics that a report can be made of."""

from __future__ import annotations

import json
from contextlib import contextmanager

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.systems import read_systems
from tests.support.profiles import trials


@contextmanager
def one_message():
    """Let pass the errors that the command line reports as a message."""
    try:
        yield
    except ValueError as error:
        if type(error) not in (ValueError, fc.InputError):
            raise


@pytest.fixture(scope="module", params=[".parquet", ".arrow"])
def whole_file(request, tmp_path_factory) -> tuple[bytes, str]:
    path = tmp_path_factory.mktemp("damaged") / f"counts{request.param}"
    fc.score(sample.GOLD, sample.SYSTEMS["careful"], per_example=path)
    return path.read_bytes(), request.param


@trials(300)
@given(data=st.data())
def test_damaged_files(tmp_path_factory, whole_file, data):
    """A damaged file gives one message, or statistics that make a report."""
    content, suffix = whole_file
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.mktemp("damaged") / f"x{suffix}"
    path.write_bytes(damaged[: data.draw(st.sampled_from([None, None, len(content) // 2]))])
    with one_message():
        for statistics in read_systems(path).values():
            statistics.report("corpus").to_json()
            statistics.merge()


@trials(200)
@given(
    key=st.sampled_from(
        ["signature", "protocol", "roles", "fields", "system", "gold", "warnings", "formula",
         "sums", "n_rows", "systems"]
    ),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=5,
    ),
    inside=st.sampled_from([None, "kernel", "role_fields", "overall_fields", "roles", "undefined"]),
)  # fmt: skip
def test_any_metadata(tmp_path_factory, whole_file, key, value, inside):
    content, suffix = whole_file
    path = tmp_path_factory.mktemp("metadata") / f"x{suffix}"
    path.write_bytes(content)
    table = fc.Statistics.read(path).table()
    source = pq.read_table(path) if suffix == ".parquet" else pa.ipc.open_file(path).read_all()
    about = json.loads(source.schema.metadata[b"fastcausal"])
    about["seal"] = None
    about |= {"formula": about["formula"] | {inside: value}} if inside else {key: value}
    if key == "systems":
        table = table.add_column(0, "system", pa.array(["a"] * len(table)))
    pq.write_table(table.replace_schema_metadata({b"fastcausal": json.dumps(about)}), path)
    with one_message():
        for statistics in read_systems(path).values():
            statistics.report().to_dict()
