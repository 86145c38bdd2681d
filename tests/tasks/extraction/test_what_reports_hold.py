"""Memory of reports: sources, and no arrays made of them."""

from __future__ import annotations

import gc
import pickle
import tracemalloc

import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.formats.reading import batches
from tests.support.tables import table_of

N = 2_000
RELATIONS = [[(0, 0, 2), (1, 3, 5)], [(0, 6, 7)]]
PER_REPORT = 8_000  # bytes: four of each example


@pytest.fixture
def sides():
    ids = [str(k) for k in range(N)]
    gold = table_of([RELATIONS] * N, id=ids)
    pred = table_of([RELATIONS[:1]] * N, id=ids)
    return gold, pred


def sources(sides, kind, folder):
    if kind == "Relations":
        return sides
    if kind == "Rows":
        return tuple(map(fc.Rows.of, sides))
    if kind == "lists":
        return tuple(side.to_examples() for side in sides)
    paths = folder / "gold.parquet", folder / "pred.parquet"
    for side, path in zip(sides, paths, strict=True):
        fc.write(side, path)
    return paths


def held(make, n=5):
    """Bytes that each of n reports keeps, of Python and of Arrow."""
    make()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes()
    reports = [make() for _ in range(n)]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0] + pa.total_allocated_bytes()
    tracemalloc.stop()
    return (after - before) / len(reports)


@pytest.mark.parametrize(
    ("protocol", "kind"),
    [
        ("recess", "Rows"),
        ("recess", "files"),
        ("cnc-2023", "Relations"),
        pytest.param("recess", "Relations", marks=pytest.mark.slow),
        pytest.param("recess", "lists", marks=pytest.mark.slow),
        pytest.param("cnc-2023", "Rows", marks=pytest.mark.slow),
        pytest.param("cnc-2023", "lists", marks=pytest.mark.slow),
        pytest.param("cnc-2023", "files", marks=pytest.mark.slow),
    ],
)
def test_a_report_holds_no_arrays(tmp_path, sides, kind, protocol):
    both = sources(sides, kind, tmp_path)
    assert held(lambda: fc.score(*both, protocol)) < PER_REPORT
    report = fc.score(*both, protocol)
    if kind == "files":
        assert len(pickle.dumps(report)) < PER_REPORT
    expected = fc.score(*sides, protocol)
    assert report == expected
    assert report.matches.column("gold_relation").equals(expected.matches["gold_relation"])
    assert report.per_example["objective"].equals(expected.per_example["objective"])
    assert (report.statistics.rows == expected.statistics.rows).all()
    made = report.with_intervals(method="jackknife")
    assert {"statistics", "tables"} <= vars(made).keys()
    bare = made.without_details()
    assert (bare.to_dict(), dict(bare.tables)) == (made.to_dict(), {})
    assert len(pickle.dumps(bare)) < 2 * PER_REPORT


def test_sources_that_change(tmp_path, sides):
    gold, pred = sources(sides, "files", tmp_path)
    report = fc.score(gold, pred)
    examples = report.per_example
    fc.write(sides[0], pred)
    assert report.per_example is examples
    with pytest.raises(fc.InputError, match="gold or predictions have changed since they were"):
        report.matches  # noqa: B018
    pred.unlink()
    with pytest.raises(fc.InputError, match=r"pred\.parquet: No such file"):
        report.statistics  # noqa: B018


def test_a_source_that_is_gone_leaves_its_only_batch(sides):
    found = fc.score(iter([sides[0]]), iter([sides[1]]))
    assert found.matches.equals(fc.score(*sides).matches)


@pytest.mark.parametrize("rows", [N - 1, N])
def test_gold_in_one_batch(monkeypatch, sides, rows):
    monkeypatch.setattr(batches, "WHOLE", rows)
    tables = sides[0].table.to_batches(max_chunksize=600)
    for n_examples in (None, N):
        side = batches.Stream("", lambda _: map(batches.batch, tables), n_examples)
        assert side.is_one_batch == (n_examples is not None and rows == N)
        whole = side.read_if_small()
        assert (whole is None) == (rows < N)
        if whole is not None:
            assert whole.table.equals(sides[0].table)
