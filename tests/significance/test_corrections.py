"""Corrections equal statsmodels', and Holm's number of resamples is the smallest that suffices."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from fastcausal.significance.corrections import adjusted, benjamini_yekutieli, resamples_needed

NAMES = {"holm": "holm", "bh": "fdr_bh"}


@pytest.mark.slow  # to import statsmodels
@pytest.mark.parametrize("correction", NAMES)
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05, 1.0]), min_size=1, max_size=20))
def test_statsmodels(correction, p):
    expected = multipletests(p, method=NAMES[correction])[1]
    assert adjusted(p, correction) == pytest.approx(expected, abs=1e-15)
    with_undefined = adjusted([math.nan, *p], correction)
    assert math.isnan(with_undefined[0])
    assert with_undefined[1:].tolist() == adjusted(p, correction).tolist()


@pytest.mark.slow  # to import statsmodels
@given(p=st.lists(st.floats(0, 1) | st.sampled_from([0.01, 0.05, 1.0]), min_size=1, max_size=20))
def test_statsmodels_under_any_dependence(p):
    expected = multipletests(p, method="fdr_by")[1]
    assert benjamini_yekutieli(np.array(p)) == pytest.approx(expected, abs=1e-15)


def test_no_correction():
    assert adjusted([0.2, math.nan], "none")[0] == 0.2
    assert math.isnan(adjusted([math.nan], "bh")[0])
    assert not len(adjusted([], "holm"))


@given(st.integers(1, 5000), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999]))
def test_the_fewest_resamples(n_tests, confidence):
    needed = resamples_needed(n_tests, confidence)
    p = np.ones(n_tests)
    for n_resamples in (needed, needed - 1):
        p[0] = 1 / (n_resamples + 1) if n_resamples >= 0 else math.inf
        passes = adjusted(p, "holm")[0] <= 1 - confidence + 1e-13 and n_resamples >= 0
        assert passes == (n_resamples == needed)
