"""Strength of causes in news: judged pairs of events, as pairs, frames, chains and questions.

Facts of the data and of every score: Romanou et al. (2023), CRAB: Assessing the Strength of Causal
Relationships Between Real-world Events.

::

    choices.py        options that all evaluations share
    files.py          the table of judged pairs, and the classes of scores
    parse.py          texts of models read as scores, letters, yes and no
    count.py          answers joined with pairs or questions, and counted
    batches.py        prompts as batches of OpenAI
    crab.py           the public names
    commands.py       the records of the commands
    corpus.py         judged pairs in numbers
    corpus_report.py  the report on these numbers
    story_page.py     the page of judged pairs; its files are in page/
    graph.py          edges and paths of judged pairs
    formula.py        scores, from rows of counts
    pairwise.py       answers on pairs against gold
    report.py         the scores of judgments
    sweep.py          yes and no against many thresholds
    shapes.py         groups of pairs with a type: the common part of frames and chains
    frames.py         all causes of one event
    chains.py         three events with two strong causes
    mcq.py            questions made from frames: which of four events caused one
    questions.py      answers to these questions
    same_document.py  choices of an event in the effect's document
    prompts.py        prompts for pairs and questions
    prompt_texts.py   the wording of prompts
    raters.py         agreement of raters, and the pairs that go to experts
    raters_report.py  the report on raters
    humans.py         raters one by one
    experts.py        experts' classes in place of gold's
    event_lists.py    a model's events in documents
    event_filters.py  filters that drop events
    splits.py         train and test: by date, story or pair
    plots.py          pictures
"""

from __future__ import annotations

from fastcausal.counts.task import Task

COMMAND = "fastcausal.cli.crab:crab"
TASKS = (
    Task(
        job="crab-judgments",
        formula="fastcausal.tasks.crab.formula:JudgedFormula",
        present="fastcausal.tasks.crab.report:present",
        score="fastcausal.tasks.crab.pairwise:pairwise",
        command=COMMAND,
        page="crab",
    ),
    Task(
        job="crab-scores",
        formula="fastcausal.tasks.crab.formula:ScoredFormula",
        present="fastcausal.tasks.crab.report:present",
        score="fastcausal.tasks.crab.pairwise:pairwise",
        command=COMMAND,
        page="crab",
    ),
    Task(
        job="crab-frames",
        formula="fastcausal.tasks.crab.formula:FrameFormula",
        present="fastcausal.tasks.crab.frames:present",
        score="fastcausal.tasks.crab.frames:frames",
        command=COMMAND,
        page="crab",
    ),
    Task(
        job="crab-chains",
        formula="fastcausal.tasks.crab.formula:ChainFormula",
        present="fastcausal.tasks.crab.chains:present",
        score="fastcausal.tasks.crab.chains:chains",
        command=COMMAND,
        page="crab",
    ),
)
