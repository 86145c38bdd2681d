"""Answers to questions, as the SQuAD task scores them.

::

    answers.py    exact match and F1 of predicted answers
    report.py     their means, over all questions and those about causes
"""
