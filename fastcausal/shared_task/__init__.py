"""A shared task in a box: a bundle for a platform, the judge in it, and the board of submissions.

::

    record.py      task.json: the task, its options, gold, scores and limits
    scoring.py     the public function of a task, called with the options of a record
    submission.py  the only file of predictions in a file, folder or zip
    judge.py       one submission: its scores, or the reason for refusing it
    program.py     runs the judge in a process with limits; also the bundle's scoring program
    wheels.py      installed packages as wheels
    kit.py         the starting kit of participants: gold without answers, a baseline
    bundle.py      all files of a bundle
    board.py       all submissions ranked, refused ones with the reason
    archive.py     the material for readers of the paper
"""

from __future__ import annotations
