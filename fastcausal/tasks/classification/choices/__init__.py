"""Answers of models to questions with options: yes and no, letters, choices.

::

    files.py       questions and answers from the tables of many data sets
    reader.py      an answer as a letter, yes or no, or a score, for `crab` too; in words.py
    readings.py    named rules from an answer to an option
    protocols.py   settings of published programs
    count.py       answers joined with questions, read by every rule
    formula.py     accuracies by the policies; report.py shows them
    explain.py     answers on which two readings differ
"""
