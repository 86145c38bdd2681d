"""Agreement between raters on labels and scores.

::

    files.py       files of labels
    ratings.py     ratings of units by raters as flat arrays
    alpha.py       Krippendorff's alpha and its intervals, percent agreement, Fleiss' kappa
    kappas.py      Cohen's kappa and its mean over pairs of raters
    votes.py       the majority, and all measures at once
"""
