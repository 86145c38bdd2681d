"""Published ways to count pairs, as sets of quirks."""

from __future__ import annotations

from dataclasses import dataclass

from fastcausal.options import check
from fastcausal.tasks.eci import TASK

EXISTS, DIRECTION, TYPED = GROUPS = ("exists", "direction", "typed")
OVERALL, INTRA, INTER = STRATA = ("overall", "intra", "inter")


@dataclass(frozen=True)
class PairProtocol:
    """Rules of a published program; without a program, every quirk is False."""

    name: str
    groups: tuple[str, ...] = GROUPS  # Groups of scores: the questions that the protocol answers
    by_sentences: bool = False  # Strata within and across sentences are scored too
    counts: tuple[str, str] = ("predicted", "gold")  # Counts of a report, besides tp
    last_type: bool = False  # A pair with two types keeps the last one
    # Pairs are ordered texts: no label is turned round, ``null`` is a label like others
    ordered: bool = False
    repeats: bool = False  # A repeated row counts twice
    untyped_misses: bool = False  # Misses of ``typed`` equal the misses of ``exists``
    gold_documents: bool = False  # Predictions in documents that gold does not name are ignored
    free_turns: bool = False  # A wrong direction or type of a gold pair costs only recall
    zero: float | None = None  # Value of 0/0 unless the caller gives one


QUIRKS = {
    "last_type": "a pair with two types keeps the one whose list comes last",
    "ordered": "pairs are ordered texts: no label is turned round, null is a label like others",
    "repeats": "a row given twice counts twice",
    "untyped_misses": "misses with types are counted without types",
    "gold_documents": "predictions in documents that gold does not name cost nothing",
    "free_turns": "a wrong direction costs recall, never precision",
}
PAIR_PROTOCOLS = {n: PairProtocol(n, **each.settings) for n, each in TASK.protocols.items()}
PAIRS, MAVEN_ERE, EVENTSTORYLINE = map(
    PAIR_PROTOCOLS.__getitem__, ("pairs", "maven-ere", "eventstoryline")
)


def pair_protocol(name: str) -> PairProtocol:
    """Return a protocol by name; ValueError for an unknown one lists the known names."""
    check("protocol", name, PAIR_PROTOCOLS)
    return PAIR_PROTOCOLS[name]
