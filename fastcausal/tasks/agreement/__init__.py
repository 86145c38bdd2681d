"""Agreement between annotators of causal relations.

::

    files.py       annotations as one table of relations per annotator
    agree.py       all annotators, pair by pair
    pairs.py       two annotators: relations aligned, paired, measured and summed
    report.py      the result: pairs of annotators, their mean, tables
    measures.py    EM, OSB, TO and alpha of pairs of relations, summed by csrc/tasks/agreement.hpp
    formula.py     means of measures over pairs of annotators
    unitized.py    the alpha of the published program
    masks.py       alpha over the masks of all annotators at once
    verdicts.py    is an example causal? annotators as raters, measured by tasks/labels
    depths.py      agreement by class, on spans, links and types; each annotator against the rest
    replacement.py may one annotator stand in for another? the test of tasks/meta
    count.py       the examples of all annotators; statistics, a row per example
    tables.py      agreement as Arrow tables
    disagreements.py  relations with different marks, side by side
    page.py        the page of these relations
"""

from __future__ import annotations

from fastcausal.counts.task import Task

TASK = Task(
    job="agreement",
    formula="fastcausal.tasks.agreement.formula:RatioFormula",
    score="fastcausal.tasks.agreement.agree:agree",
    command="fastcausal.cli.agree:agree",
    page="agreement",
)
