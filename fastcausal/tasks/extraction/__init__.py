"""Predicted relations against gold relations.

::

    scorer.py      score in one call or batch by batch
    batches.py     both sides of large sources in step
    tables.py      counts of examples and of chosen pairs
    counted.py     scores computed from counts
    tag_scorer.py  label ids to scores
    cnc2022.py     the running means of the 2022 scorer
    explain.py     what the quirks of the official scorer do to a score
"""
