"""Statistical inference on scores, from their values under weights of the units.

::

    draws.py         method, confidence, number of resamples, seed and cluster as one value
    keyed.py         draws that depend only on a seed and names
    sampling.py      resamples and exchanges, from a seed and the number of the resample
    sums.py          weighted sums: exact for integers, rounded once for floats
    units.py         units of resampling: examples or clusters, equal ones stored once
    intervals.py     jackknife, BCa, percentiles, and shares without variation
    paired.py        differences of two systems on the same units: bounds, p, minimum detectable
    unpaired.py      differences of two systems on different units
    planning.py      numbers of units needed to find a difference
    ranks.py         ranks of many systems with simultaneous intervals
    corrections.py   corrections of p for many tests
"""
