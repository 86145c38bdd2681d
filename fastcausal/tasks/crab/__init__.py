"""Strength of causes in news: judged pairs of events, as pairs, frames, chains and questions.

Facts of the data and of every score: Romanou et al. (2023), CRAB: Assessing the Strength of Causal
Relationships Between Real-world Events.

::

    pairs.py       the table of judged pairs, and the classes of scores
    parse.py       what models say, read as scores, letters, yes and no
    answers.py     what models say of them: joined, counted
    pairwise.py    answers on pairs against gold
    report.py      the scores of judgments
    shapes.py      groups of pairs with a type: what frames and chains share
    frames.py      all causes of one event
    chains.py      three events with two strong causes
"""

from __future__ import annotations

from fastcausal.tasks.crab.chains import ChainReport, chains
from fastcausal.tasks.crab.frames import FrameReport, frames
from fastcausal.tasks.crab.pairwise import pairwise
from fastcausal.tasks.crab.parse import parse_answer, parse_column

__all__ = [
    "ChainReport", "FrameReport", "chains", "frames", "pairwise", "parse_answer", "parse_column",
]  # fmt: skip
