"""Random ratings of units by raters, and the same in other shapes."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

# Two raters: the ratings that the documentation works through by hand.
WORKED = np.array([[1, 1], [1, 2], [2, 4], [4, 4], [2, math.nan]])
DIGITS = st.integers(0, 9)


@st.composite
def rated(draw: st.DrawFn, values: st.SearchStrategy[float] = DIGITS) -> np.ndarray:
    """Units × raters with missing ratings, of few different values, so that raters agree often."""
    n_raters = draw(st.integers(1, 6))
    pool = draw(st.lists(values, min_size=1, max_size=5))
    cell = st.sampled_from([*pool, *pool, math.nan])
    rows = draw(st.lists(st.lists(cell, min_size=n_raters, max_size=n_raters), max_size=12))
    return np.array(rows, float).reshape(len(rows), n_raters)


def present(row: list[float]) -> list[float]:
    return [value for value in row if not math.isnan(value)]


def same(a: float, b: float) -> bool:
    return a == b or (math.isnan(a) and math.isnan(b))


def close(a: float, b: float, tolerance: float = 1e-12) -> bool:
    return same(a, b) or abs(a - b) <= tolerance * max(1, abs(b))


def shuffled(data: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return data[rng.permutation(data.shape[0])][:, rng.permutation(data.shape[1])]


def long_form(data: np.ndarray, seed: int = 0) -> pa.Table:
    """A row per rating, in any order, missing ones partly as null and partly as no row."""
    rng = np.random.default_rng(seed)
    rows = [
        {"item": f"u{u}", "who": f"r{r}", "said": None if math.isnan(v) else v}
        for (u, r), v in np.ndenumerate(data)
        if not math.isnan(v) or rng.random() < 0.5
    ]
    schema = pa.schema([("item", pa.string()), ("who", pa.string()), ("said", pa.float64())])
    table = pa.Table.from_pylist(rows, schema=schema)
    return table.take(rng.permutation(len(rows)))


COLUMNS = {"unit": "item", "rater": "who", "label": "said"}
