"""Classification of sentences as causal or not, or into any classes.

::

    classify.py    confusion counts of predicted labels
    report.py      the scores they give
"""
