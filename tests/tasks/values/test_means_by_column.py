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


def test_difference_of_two_subsets(tmp_path):
    """The difference of two labels has Welch's interval and p-value, in text and in JSON."""
    rng = np.random.default_rng(5)
    rows = [(k, float(rng.normal(k % 3 == 0)), ("causal", "none")[k % 3 == 0]) for k in range(60)]
    path = tmp_path / "sentences.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("id", "score", "label"), *rows])
    sides = [[v for _, v, of in rows if of == label] for label in ("causal", "none")]
    welch = stats.ttest_ind(sides[1], sides[0], equal_var=False)
    low, high = welch.confidence_interval()
    command = ["aggregate", path, "--score", "score", "--by", "label"]
    report = json.loads(cli(*command, "--compare", "causal,none", "--json")[0])["comparison"]
    [found] = report["scores"].values()
    expected = [np.mean(sides[1]) - np.mean(sides[0]), low, high, welch.pvalue]
    assert [found[name] for name in ("delta", "low", "high", "p")] == pytest.approx(expected)
    assert report["systems"] == {"a": "label=causal", "b": "label=none"}
    text, _ = cli(*command, "--compare", "causal,none")
    assert "label=none minus label=causal, unpaired: 20 examples and 40" in text
    _, err = cli(*command, "--compare", "causal,unknown", expect=2)
    assert 'column "label" has no value "unknown": found causal, none' in err
    for wrong in (["--compare", "causal"], ["--by", "id", "--compare", "causal,none"]):
        assert "expected A,B of one --by" in cli(*command, *wrong, expect=2)[1]


def at(values, path):
    for name in path:
        values = values[name]
    return values
