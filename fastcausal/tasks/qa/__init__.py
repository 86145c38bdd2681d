"""Answers to questions, as the SQuAD task scores them.

::

    files.py      questions and answers from files
    scorer.py     exact match and F1 of predicted answers
    report.py     their means, over all questions and those about causes
"""
