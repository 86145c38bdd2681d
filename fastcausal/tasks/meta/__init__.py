"""Metrics and model judges against people.

::

    files.py           scores and judgments, joined by system and item
      wide.py          both in one wide table
      kinds.py         labels as numbers of a level, or as classes
      levels.py        a metric against human values: pooled, by item, by system
        correlations.py    Pearson, Spearman, tau-b, accuracy and AUC (native)
        soft.py            soft pairwise accuracy
        intervals.py       items or clusters drawn with all their rows
        swaps.py           two metrics compared by exchanging their scores
      humans.py        agreement of raters, and each of them as a metric: the ceiling
      thresholds.py, alt_test.py, estimates.py
    plan.py            how many labels; sample.py: which items to label next
    drift.py           a judge at two times on the same items
    judges.py          judges of classes against the majority, all of their numbers
    reasons.py         reasons of undefined numbers
    scorer.py          all results at once
    report.py          their display; class_tables.py: of judges
"""

from __future__ import annotations

from fastcausal.counts.command import CommandRecord, Flag, Refusal, Target, is_missing
from fastcausal.counts.task import Task

SOURCES = {"scores": "SCORES", "human": "[HUMAN]"}
FLAGS = {"metrics": Flag("--metric"), "raters": Flag("--human", "COLUMN")}
OF_PEOPLE = (
    Refusal(
        ("label",),
        lambda o: o["raters"] is not None,
        "names the column of labels in HUMAN, expected it without --human",
    ),
    Refusal(
        (),
        lambda o: (o["human"] is None) == (o["raters"] is None),
        "expected HUMAN, or --human COLUMN for raters in one wide table",
    ),
)
PLAN = CommandRecord(
    "fastcausal.tasks.meta.plan:plan_labels",
    SOURCES,
    ("fastcausal meta plan scores.csv judgments.csv --metric judge --delta 0.1",),
    flags=FLAGS | {"delta": Flag(default=0.05)},
    refused=OF_PEOPLE,
)
SAMPLE = CommandRecord(
    "fastcausal.tasks.meta.sample:sample_labels",
    SOURCES,
    (
        "fastcausal meta sample scores.csv --n 20 --by topic --out next.csv",
        "fastcausal meta sample scores.csv judgments.csv --metric judge --delta 0.14",
    ),
    writes={"out": Target("the drawn items", "items")},
    flags=FLAGS | {"n": Flag(min=1), "seed": Flag(min=0)},
    refused=(
        Refusal(("metric", "level"), is_missing("delta"), "is for --delta"),
        Refusal(
            ("label", "unmatched"),
            is_missing("human", "raters"),
            "is for labels of people: add HUMAN, or --human COLUMN",
        ),
        OF_PEOPLE[0],
        Refusal(
            (),
            lambda o: (o["n"] is None) == (o["delta"] is None),
            "expected --n N or --delta DISTANCE, and not both",
        ),
    ),
)
DRIFT = CommandRecord(
    "fastcausal.tasks.meta.drift:measure_drift",
    {"earlier": "EARLIER", "later": "LATER", "human": "[HUMAN]"},
    (
        "fastcausal meta drift scores.csv scores_now.csv --metric judge",
        "fastcausal meta drift scores.csv scores_now.csv judgments.csv --cluster topic",
    ),
    flags={"metrics": Flag("--metric")},
    refused=(
        Refusal(
            (),
            lambda o: o["human"] is None and o["metric"] is None,
            "expected --metric COLUMN, or HUMAN",
        ),
        Refusal(("label",), is_missing("human"), "is for labels of people: add HUMAN"),
    ),
)
TASK = Task(
    job="meta",
    score="fastcausal.tasks.meta.scorer:meta",
    command=CommandRecord(
        "fastcausal.tasks.meta.scorer:meta",
        SOURCES,
        (
            "fastcausal meta scores.csv judgments.csv",
            "fastcausal meta crab_labels.csv --human r4 --human r5 --metric letters",
        ),
        flags=FLAGS
        | {
            "n_resamples": Flag("--resamples", min=1),
            "folds": Flag(min=2, max=1000),
            "epsilon": Flag(min=0, max=1),
            "seed": Flag(min=0),
        },
        refused=(
            Refusal(
                ("method",),
                is_missing("intervals"),
                "is for confidence intervals: add --intervals",
            ),
            *OF_PEOPLE,
        ),
    ),
    page="meta",
)
