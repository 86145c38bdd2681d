"""The content of a corpus: counts of sentences, relations, words and signals.

::

    describe.py      counts, from relations or labels
    words.py         ways to count words
    description.py   the result: tables, JSON
    plots.py         figures
"""
