"""What chance does to scores: everything here rests on ``scores(weights)`` alone.

::

    intervals.py   bootstrap percentile intervals, by unit or by cluster
"""
