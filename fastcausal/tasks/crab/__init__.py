"""Strength of causes in news: judged pairs of events, as pairs, frames, chains and questions.

Facts of the data and of every score: Romanou et al. (2023), CRAB: Assessing the Strength of Causal
Relationships Between Real-world Events.

::

    choices.py        options that all of these share
    pairs.py          the table of judged pairs, and the classes of scores
    parse.py          what models say, read as scores, letters, yes and no
    answers.py        what models say of them: joined, counted
    pairwise.py       answers on pairs against gold
    report.py         the scores of judgments
    sweep.py          yes and no against many thresholds
    shapes.py         groups of pairs with a type: what frames and chains share
    frames.py         all causes of one event
    chains.py         three events with two strong causes
    mcq.py            questions made of frames: which of four events caused one
    questions.py      answers to such questions
    same_document.py  how many of these chose an event of the effect's document
    raters.py         agreement of raters, and which pairs go to experts
    event_lists.py    events that a model finds in documents
    splits.py         train and test: by date, story or pair
    draws.py          draws by a seed and a name alone
    plots.py          pictures
"""

from __future__ import annotations

from fastcausal.tasks.crab.chains import ChainReport, chains
from fastcausal.tasks.crab.event_lists import events
from fastcausal.tasks.crab.frames import FrameReport, frames
from fastcausal.tasks.crab.mcq import describe_questions, make_questions
from fastcausal.tasks.crab.pairwise import pairwise
from fastcausal.tasks.crab.parse import parse_answer
from fastcausal.tasks.crab.questions import graded
from fastcausal.tasks.crab.raters import RaterReport, agree
from fastcausal.tasks.crab.report import JudgmentReport
from fastcausal.tasks.crab.splits import describe_split, split
from fastcausal.tasks.crab.sweep import SweepReport, sweep

__all__ = [
    "ChainReport", "FrameReport", "JudgmentReport", "RaterReport", "SweepReport", "agree", "chains",
    "describe_questions", "describe_split", "events", "frames", "graded", "make_questions",
    "pairwise", "parse_answer", "split", "sweep",
]  # fmt: skip
