"""Answers to what chance does to scores: everything here rests on ``scores(weights)`` alone.

::

    intervals.py     bootstrap percentile intervals, by unit or by cluster
    paired.py        differences of two systems on the same units: bounds, p, what such data show
    corrections.py   p of many tests
"""
