"""The base of tasks that compare relations: extraction and agreement.

::

    align.py      the same examples on both sides, in one order
    official.py   rules of the official programs besides counting
    unread.py     unreadable predictions, and their policy
    formula.py    scores of relations from the counts of every role
    scores.py     scores of one group of counts
    groups.py     scores of all groups, computed at the first use
    sentences.py  the running text of examples; marked.py marks spans in it
"""
