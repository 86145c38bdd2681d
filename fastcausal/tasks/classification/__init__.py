"""Classification of sentences as causal or not, or into any classes.

::

    files.py       labels from files, tables and arrays
    scorer.py      confusion counts of predicted labels
    report.py      the scores they give
    groups.py      macro-F1 and exact match of many small groups
"""
