"""Answers to what chance does to scores: everything here rests on ``scores(weights)`` alone.

::

    draws.py         method, confidence, resamples, seed and cluster as one value
    sampling.py      resamples and exchanges, from a seed and the number of the resample
    units.py         what is drawn: examples or clusters, equal ones once
    intervals.py     jackknife, BCa, percentiles, and what never varies
    result.py        intervals of all scores of an evaluation
    paired.py        differences of two systems on the same units: bounds, p, what such data show
    corrections.py   p of many tests
"""
