"""Counts: the state of every evaluation, and the formulas from counts to scores.

::

    statistics.py   a row of counts for each unit; they add, weights make scores
    formula.py      from rows and weights to scores
    labels.py       the formula of confusions, means.py of means and of ratios
    arithmetic.py   ratios, exact sums, correlations
    rules.py        rules for valid counts
    confusions.py   confusions of many groups in one pass
    files.py        files of statistics: columns.py, seals.py, signatures.py
    systems.py      such files of several systems
    units.py        units of rows, which are drawn; joint.py: units of two systems
    intervals.py    an interval of every score
    task.py         the formulas of all evaluations
    command.py      the record of a command
"""
