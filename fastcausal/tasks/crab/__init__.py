"""Strength of causes in news: judged pairs of events, as pairs, frames, chains and questions.

Facts of the data and of every score: Romanou et al. (2023), CRAB: Assessing the Strength of Causal
Relationships Between Real-world Events.

::

    pairs.py       the table of judged pairs, and the classes of scores
    parse.py       what models say, read as scores, letters, yes and no
    answers.py     what models say of them: joined, counted
    pairwise.py    answers on pairs against gold
    report.py      the scores of judgments
    sweep.py       yes and no against many thresholds
    plots.py       pictures
"""

from __future__ import annotations

from fastcausal.tasks.crab.pairwise import pairwise
from fastcausal.tasks.crab.parse import parse_answer
from fastcausal.tasks.crab.sweep import sweep

__all__ = ["pairwise", "parse_answer", "sweep"]
