"""Causal pairs of events in documents, against gold, by every published rule.

::

    files.py       pairs and candidates from tables; corpora/ from published corpora
    labels.py      labels as codes of type and direction
    protocols.py   the rules of published programs, as quirks
    against.py     predictions of MAVEN-ERE against its gold
    count.py       the function `eci`: from both sides to Statistics
    by_document.py counts of each document; columns.py its topic and fold
    formula.py     precision, recall, F1
    report.py      groups, strata, columns, folds
    explain.py     from one protocol to another, a quirk at a time
    errors.py      wrong pairs by document
"""

from __future__ import annotations

from typing import Any

from fastcausal.counts.command import PAGE, CommandRecord, Flag, Refusal, is_missing
from fastcausal.counts.task import Task, TaskProtocol

# Fields of `protocols.PairProtocol`
PROTOCOLS: dict[str, dict[str, Any]] = {
    "pairs": {"by_sentences": True},
    "maven-ere": {"groups": ("typed",), "last_type": True, "gold_documents": True, "zero": 0.0},
    "eventstoryline": {
        "groups": ("exists", "typed"), "counts": ("fp", "fn"), "ordered": True, "repeats": True,
        "untyped_misses": True, "gold_documents": True,
    },
    "ilif-direction": {"groups": ("direction",), "free_turns": True},
}  # fmt: skip
TASK = Task(
    job="eci",
    formula="fastcausal.tasks.eci.formula:PairFormula",
    present="fastcausal.tasks.eci.report:present",
    score="fastcausal.tasks.eci.count:eci",
    read="fastcausal.tasks.eci.files:read_gold",
    public="fastcausal.tasks.eci.files:public",
    protocols={name: TaskProtocol("eci", settings=own) for name, own in PROTOCOLS.items()},
    command=CommandRecord(
        "fastcausal.tasks.eci.count:eci",
        {"gold": "GOLD", "pred": "PRED..."},
        (
            "fastcausal eci pairs_gold.csv pairs_careful.csv",
            "fastcausal eci pairs_gold.csv pairs_careful.csv --candidates pairs_events.csv "
            "--by topic",
            "fastcausal eci pairs_gold.csv pairs_careful.csv --intervals --cluster topic",
        ),
        each="pred",
        unit="document",
        page=PAGE,
        flags={"fold": Flag(metavar="COLUMN")}
        | dict.fromkeys(("forward", "backward", "none", "unknown"), Flag(metavar="LABEL")),
        refused=(
            Refusal(("outside",), is_missing("candidates"), "is for candidates: add --candidates"),
        ),
    ),
    page="eci",
)
