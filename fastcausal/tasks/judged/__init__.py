"""Extracted causes and effects with reference, and verdicts of raters on them.

::

    parse.py      what an answer says: causes, effects, relation
    files.py      answers, references and verdicts from files of all shapes
    join.py       files of several raters, joined by id
"""
