"""Large values: a power of two changes no digit, values beyond the limit are refused."""

from __future__ import annotations

import json
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.significance.sums import LARGEST
from tests.support.cli import cli, command
from tests.support.logs import lm_samples
from tests.support.profiles import trials

METHODS = ("jackknife", "bca", "percentile")


def rows_of(values, power=0):
    return [{"id": k, "value": float(v) * 2.0**power} for k, v in enumerate(values)]


def numbers_of(a, b, method):
    """Numbers in the unit of the values, and numbers without a unit."""
    sides = fc.statistics(a), fc.statistics(b)
    change = fc.compare(*sides, method=method, n_resamples=99)["value"]
    apart = fc.compare(*sides, unpaired=True)["value"]
    one = sides[0].interval("value", method=method, n_resamples=99)
    return (
        [*list(change.values())[:6], *list(apart.values())[:6], one.low, one.high],
        [change.p, apart.p],
    )


VALUES = st.lists(st.integers(2, 60), min_size=12, max_size=30)


@trials(40)
@given(VALUES, st.integers(0, 490), st.sampled_from(METHODS), st.data())
def test_a_power_of_two_changes_no_digit(a, power, method, data):
    b = data.draw(st.permutations(a))
    b[0] += 1
    plain, ps = numbers_of(rows_of(a), rows_of(b), method)
    large, others = numbers_of(rows_of(a, power), rows_of(b, power), method)
    assert others == ps or (str(others), "nan") == (str(ps), str(ps[-1]))
    assert str(large) == str([each * 2.0**power for each in plain])


@pytest.fixture
def files(tmp_path):
    """Tables of small values with one large value in the last row."""
    for name, large in (("a", 2e150), ("b", 9e149), ("c", 7e149)):
        rows = [*rows_of(range(9)), {"id": "last", "value": large}]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    return [tmp_path / f"{name}.jsonl" for name in "abc"]


def runs_of(a, b):
    return [
        ("aggregate", a, "--intervals"),
        *(("compare", a, b, "--method", method, "--n-resamples", 99) for method in METHODS),
        ("compare", a, b, "--unpaired"),
        ("plan", a, b, "--delta", 1e149),
        ("leaderboard", a, b, "--n-resamples", 99),
        ("gate", "--baseline", a, "--candidate", b, "--min-delta", 0),
    ]


def test_the_largest_values_pass_every_command(files):
    _, b, c = files
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for run in runs_of(b, c):
            printed, _ = cli(*run, expect=None)
            assert len(max(printed.splitlines(), key=len)) < 250, run
        _, err = cli("plan", b, c, "--delta", 0.1, expect=2)
    assert "needs 2^53 units or more" in err


def test_larger_values_are_refused_by_every_command(files, tmp_path):
    a, b, _ = files
    for run in runs_of(a, b):
        _, err = cli(*run, expect=2)
        assert 'a.jsonl:10: id "last": value is 2e+150, expected a finite number' in err, run
    rows = [[{"id": k, "numerator": 1, "denominator": d} for k, d in enumerate((1, 2e150))]]
    with pytest.raises(fc.InputError, match=r"denominator of .* is 2e\+150, expected 0 to 1e\+150"):
        fc.statistics(*rows)


def test_samples_of_a_harness_too(tmp_path):
    samples = [
        {"doc_id": k, "doc": {"q": k}, "target": "x", "filter": "none", "exact_match": v}
        for k, v in enumerate((0.0, 1.0, 1e200))
    ]
    lm_samples(tmp_path, samples)
    _, err = command("aggregate", tmp_path, "--intervals", expect=2)
    assert "exact_match,none is 1e+200, expected a finite number" in err
    assert "Warning" not in err


def test_counts_of_the_largest_values_are_read_again(tmp_path):
    path = tmp_path / "s.parquet"
    statistics = fc.statistics([*rows_of([1, 2]), {"id": "last", "value": -LARGEST}])
    statistics.write(path)
    assert fc.compare(path, statistics)["value"].delta == 0
