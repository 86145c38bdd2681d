"""The public functions and reports of CRAB: ``fastcausal.crab``."""

from __future__ import annotations

from fastcausal.tasks.crab.chains import ChainReport, chains
from fastcausal.tasks.crab.corpus import describe
from fastcausal.tasks.crab.corpus_report import CorpusReport
from fastcausal.tasks.crab.event_lists import events
from fastcausal.tasks.crab.experts import ExpertReport, experts
from fastcausal.tasks.crab.frames import FrameReport, frames
from fastcausal.tasks.crab.mcq import describe_questions, make_questions
from fastcausal.tasks.crab.pairwise import pairwise
from fastcausal.tasks.crab.parse import parse_answer
from fastcausal.tasks.crab.prompts import PromptReport, prompts
from fastcausal.tasks.crab.questions import graded
from fastcausal.tasks.crab.raters import agree
from fastcausal.tasks.crab.raters_report import RaterReport
from fastcausal.tasks.crab.report import JudgmentReport
from fastcausal.tasks.crab.splits import describe_split, split
from fastcausal.tasks.crab.sweep import SweepReport, sweep

__all__ = [
    "ChainReport", "CorpusReport", "ExpertReport", "FrameReport", "JudgmentReport", "PromptReport",
    "RaterReport", "SweepReport", "agree", "chains", "describe", "describe_questions",
    "describe_split", "events", "experts", "frames", "graded", "make_questions", "pairwise",
    "parse_answer", "prompts", "split", "sweep",
]  # fmt: skip
