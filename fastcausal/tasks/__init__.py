"""Evaluations: a folder each.

::

    relations/       the base of those that compare relations
    extraction/      predicted relations against gold
    agreement/       relations of several annotators
    labels/          labels of several raters
    classification/  predicted labels against gold
    eci/             causal pairs of events against gold
    qa/              answers to questions
    answers/         extracted causes and effects, against references and as raters judge them
    claims/          claims that people judged
    crab/            judged pairs of events: pairs, frames, chains, questions, raters
    meta/            metrics and model judges against people
    describe/        the content of a corpus; check/ the rules of its guidelines
    annotate/        the page on which raters judge
"""
