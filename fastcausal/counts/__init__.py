"""Counts: the state of every evaluation, and the way from it to scores.

::

    statistics.py   a row of counts for each unit; they add, weights make scores
    formula.py      from rows and weights to the scores of an evaluation
    labels.py       the formula of confusions, means.py of means and of ratios
    arithmetic.py   ratios, exact sums, correlations
    rules.py        rules that counts keep
    confusions.py   confusions of many groups in one pass
    files.py        files of statistics: columns.py, seals.py, signatures.py
    units.py        statistics as units that are drawn
    intervals.py    an interval of every score
    task.py         the formulas of all evaluations
"""
