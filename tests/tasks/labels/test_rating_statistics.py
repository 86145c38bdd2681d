"""Coefficients under weights equal the coefficients of the drawn units, bit for bit."""

from __future__ import annotations

import pickle

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.options import Level
from fastcausal.tasks.labels.coefficients import LEVELS, kappa
from tests.support.rated import rated, same, shuffled

COLUMNS = ("label", "unit", "rater")


def long_form(data: np.ndarray, units: list[str] | None = None, names: str = "") -> pa.Table:
    """A row per rating; with ``names``, labels are its letters."""
    cells = [(u, r, v) for (u, r), v in np.ndenumerate(data) if v == v]
    labels = pa.array([names[int(v)] if names else v for *_, v in cells])
    called = units or [f"u{u}" for u in range(len(data))]
    columns = [labels, [called[u] for u, *_ in cells], [f"r{r}" for _, r, _ in cells]]
    types = [pa.string() if names else pa.float64(), pa.string(), pa.string()]
    return pa.table([pa.array(c, t) for c, t in zip(columns, types, strict=True)], COLUMNS)


def agreed(data: np.ndarray, level: Level = "nominal", **options) -> fc.LabelAgreement:
    return fc.label_agreement(long_form(data, **options), *COLUMNS, level)


def of_draw(statistics: fc.Statistics, weights: np.ndarray | None = None) -> dict[str, float]:
    scores = statistics.scores(None if weights is None else weights[None])
    return {name: float(value[0]) for name, value in scores.items()}


def equal(a: dict[str, float], b: dict[str, float]) -> bool:
    return a.keys() == b.keys() and all(same(a[name], b[name]) for name in a)


def alike(a: fc.Statistics, b: fc.Statistics) -> None:
    """The formula, and every score of any unit."""
    assert (a.formula, a.signature) == (b.formula, b.signature)
    a, b = a.compressed(), b.compressed()
    assert np.array_equal(a.rows, b.rows)
    assert np.array_equal(a.times, b.times)
    assert equal(of_draw(a), of_draw(b))


@pytest.mark.parametrize("level", LEVELS)
@given(data=rated(), names=st.booleans(), more=st.data())
def test_units_drawn_anew(level, data, names, more):
    options = {"names": "abcdefghij"} if names and level == "nominal" else {}
    whole = agreed(data, level, **options)
    statistics = whole.statistics
    assert equal(of_draw(statistics), flat(whole))
    places = [int(name[1:]) for name in statistics.units["id"].to_pylist()]
    weights = more.draw(st.lists(st.integers(0, 3), min_size=len(places), max_size=len(places)))
    weights = np.array(weights, np.int64)
    anew = flat(agreed(data[np.repeat(np.array(places, int), weights)], level, **options))
    for form in (statistics, statistics.compressed()):
        assert equal(of_draw(form, weights), anew)


def flat(report: fc.LabelAgreement) -> dict[str, float]:
    """Return the coefficients of all ratings."""
    return {name: v for name, v in report.to_flat().items() if name.startswith("overall_")}


@given(data=rated(), cuts=st.tuples(st.integers(0, 12), st.integers(0, 12)))
def test_parts_add_to_the_whole(data, cuts):
    """Statistics of parts add to the whole, even if a part lacks raters or labels."""
    i, j = sorted(cuts)
    ends = slice(0, i), slice(i, j), slice(j, None)
    called = [f"u{u}" for u in range(len(data))]
    a, b, c = (agreed(data[k], "interval", units=called[k]).statistics for k in ends)
    whole = agreed(data, "interval").statistics
    alike((a + b) + c, a + (b + c))
    alike((a + b) + c, whole)
    assert ((a + b) + c).units.equals(whole.units)


@given(data=rated(), seed=st.integers(0, 9))
def test_order_of_units_and_raters(data, seed):
    orders = data, data[::-1]
    a, b = (agreed(rows, units=None).statistics.without_units() for rows in orders)
    alike(a, b)
    intervals = [fc.alpha_interval(rows, n_resamples=9) for rows in (data, shuffled(data, seed))]
    alike(*(interval.statistics.without_units() for interval in intervals))


@pytest.mark.parametrize("suffix", ["parquet", "arrow"])
@pytest.mark.parametrize("units", [True, False])
def test_a_file_gives_the_same(tmp_path, suffix, units):
    data = np.array([[1, 2.5, np.nan], [2.5, 2.5, 1], [1, 1, np.nan], [1, 1, np.nan]])
    clusters = fc.alpha_interval(data, "interval", clusters=["a", "b", "a", "a"], n_resamples=9)
    text = agreed(data[:, 1:], names="abcdef")
    of_none = agreed(data[:0]).statistics
    ratios = agreed(data, "ratio").statistics
    for k, statistics in enumerate((ratios, clusters.statistics, of_none)):
        kept = statistics if units else statistics.without_units()
        path = tmp_path / f"{k}.{suffix}"
        kept.write(path)
        alike(fc.Statistics.read(path), kept)
    assert clusters.statistics.by("cluster").keys() == {"a", "b"}
    alike(pickle.loads(pickle.dumps(text)).statistics, text.statistics)


def test_a_damaged_file(tmp_path):
    statistics = agreed(np.ones((2, 2))).statistics
    for value in (2, -1):
        table = statistics.units.append_column("rater_r0", pa.array([value, 1]))
        table = table.append_column("rater_r1", pa.array([1, 1]))
        statistics.write(path := tmp_path / "x.arrow")
        with pa.ipc.open_file(path) as file:
            table = table.replace_schema_metadata(file.schema.metadata)
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        with pytest.raises(fc.InputError, match='column "rater_r0" has values that no count has'):
            fc.Statistics.read(path)


def test_alpha_rests_on_units_of_two_ratings():
    data = np.array([[2, 1, np.nan], [np.nan, 1, 2], [1, np.nan, np.nan], [1, 2, 2]])
    statistics = fc.alpha_interval(data, n_resamples=9).statistics
    assert statistics.rows.tolist() == [[1, 2, 0], [1, 2, 0], [1, 2, 2]]
    assert of_draw(statistics) == {"overall_alpha": fc.krippendorff_alpha(data)}


@pytest.mark.parametrize("weights", [None, "linear", "quadratic"])
def test_kappa_with_times(weights):
    """Costs beyond the native sums are counted in Python: by times as by copies."""
    rng = np.random.default_rng(0)
    a, b, times = rng.integers(0, 5, 9), rng.integers(0, 5, 9), rng.integers(0, 4, 9)
    copies = np.repeat(a, times), np.repeat(b, times)
    assert kappa(a, b, 5, weights, times) == kappa(*copies, 5, weights)


def test_what_is_refused():
    numbers, text = agreed(np.ones((2, 2))), agreed(np.ones((2, 2)), names="ab")
    with pytest.raises(ValueError, match="ratings are numbers on one side and text on the other"):
        numbers.statistics + text.statistics
    with pytest.raises(ValueError, match="depend on all ratings, not on sums"):
        numbers.statistics.formula.terms(numbers.statistics.rows)
    with pytest.raises(ValueError, match="a draw of 4294967296 ratings, expected at most"):
        numbers.statistics.scores([[2**30, 2**30]])
