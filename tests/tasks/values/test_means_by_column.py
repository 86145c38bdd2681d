"""Mean and interval of a number by the values of another column, against scipy."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from scipy import stats

from tests.support.cli import cli


def test_mean_of_a_number_by_label(tmp_path):
    """Events of a sentence by its label, as section 6.3 of RECESS counts them."""
    rng = np.random.default_rng(4)
    rows = [(k, int(rng.integers(1, 9)), ("causal", "none")[k % 3 == 0]) for k in range(60)]
    path = tmp_path / "sentences.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "n_events", "label"), *rows])
    found = cli("aggregate", path, "--score", "n_events", "--by", "label", "--intervals", "--json")
    report = json.loads(found[0])
    for label in ("causal", "none"):
        values = [n for _, n, of in rows if of == label]
        mean = float(np.mean(values))
        bounds = stats.t.interval(0.95, len(values) - 1, mean, stats.sem(values))
        part = f"label={label}", "overall", "n_events"
        assert at(report["intervals"]["subsets"], part) == pytest.approx(bounds)
        assert at(report["subsets"], part) == pytest.approx(mean)


def at(values, path):
    for name in path:
        values = values[name]
    return values
