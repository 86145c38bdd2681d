"""Agreement between raters on labels and scores.

::

    files.py       files of labels
    reading.py     arrays and tables of labels
    alpha.py       Krippendorff's alpha and its intervals, percent agreement, Fleiss' kappa, AC1
    kappas.py      Cohen's kappa and its mean over pairs of raters
    coefficients.py  all coefficients under any weights of the units
    ratings.py     ratings as flat arrays
    votes.py       the majority of each unit
    report.py      all measures at once
    disagreements.py  units with different labels, side by side
    suspicion.py   raters with the same labels throughout
    formula.py     coefficients from rows of ratings
    count.py       statistics: a row per unit
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="labels",
    formula="fastcausal.tasks.labels.formula:RatingsFormula",
    score="fastcausal.tasks.labels.report:label_agreement",
    command="fastcausal.cli.agree:agree",
    page="labels",
)
