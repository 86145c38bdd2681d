"""Evaluations: a folder each.

::

    relations/       the base of tasks that compare relations
    extraction/      predicted relations against gold
    agreement/       relations of several annotators
    labels/          labels of several raters
    classification/  predicted labels against gold
    eci/             causal pairs of events against gold
    qa/              answers to questions
    answers/         extracted causes and effects, with references and raters' verdicts
    claims/          claims judged by people
    crab/            judged pairs of events: pairs, frames, chains, questions, raters
    meta/            metrics and model judges against people
    describe/        the content of a corpus; check/ the rules of its guidelines
    annotate/        the page for raters
"""
