"""Statistical inference on scores: everything here uses ``scores(weights)`` alone.

::

    draws.py         method, confidence, resamples, seed and cluster as one value
    sampling.py      resamples and exchanges, from a seed and the number of the resample
    units.py         units of resampling: examples or clusters, equal ones stored once
    intervals.py     jackknife, BCa, percentiles, and shares without variation
    result.py        intervals of all scores of an evaluation
    paired.py        differences of two systems on the same units: bounds, p, minimum detectable
    corrections.py   p of many tests
"""
