"""Extracted causes and effects with reference, and verdicts of raters on them.

::

    parse.py      what an answer says: causes, effects, relation
    files.py      answers, references and verdicts from files of all shapes
    join.py       files of several raters, joined by id
    counts.py     words that an answer shares with its reference
    texts.py      ROUGE-L and BLEU of whole answers
    tables.py     scores of items and verdicts as tables
    scorer.py     scores of all answers of a system
    report.py     how they are shown
"""
