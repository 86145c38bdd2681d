"""Evaluations: a folder each; what several of them share lies here.

::

    align.py         gold and predictions of relations brought to the same examples
    extraction/      predicted relations against gold
    agreement/       relations of several annotators
    reliability/     labels of several raters
    classification/  predicted labels against gold
    answers/         answers to questions
    corpus/          what a corpus holds, and the rules of its guidelines
"""
