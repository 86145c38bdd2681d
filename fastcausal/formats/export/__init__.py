"""Formats for writing only.

::

    arguments.py  relations as pairs of texts
    squad.py      questions with their answers
    nli.py        premises with hypotheses
"""
