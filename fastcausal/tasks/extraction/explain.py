"""Effects of the quirks of the official scorer on a score: cnc-2023 to recess, step by step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import numpy as np

from fastcausal._version import __version__
from fastcausal.arrays.arrow import numbers
from fastcausal.errors import InputError
from fastcausal.formats import read
from fastcausal.formats.cnc.rereading import read_with_tags
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.protocols import CNC_2023, RECESS, Protocol
from fastcausal.report.report import Report
from fastcausal.report.steps import present_steps, walk
from fastcausal.significance.sums import Int64
from fastcausal.tasks.extraction.evaluation import require_evaluation
from fastcausal.tasks.extraction.score import score
from fastcausal.tasks.relations.align import Aligned

if TYPE_CHECKING:
    from fastcausal.tasks.extraction.report import ExtractionReport

QUIRKS = {
    "tags": "a one-word argument never closes; nested and adjacent tags are misread",
    "surplus": "predictions beyond the number of gold relations are dropped, in file order",
    "non_causal": "predictions for sentences without a relation cost nothing",
    "ties": "of equally good pairings the first in file order is taken",
}

COMPARED = 1 << 16  # examples at a time: counts of all take more memory than the examples
COLUMNS = {"examples": "n_examples", "F1": "f1", "change": "change", "alone": "change_alone"}


def explain(gold: RelationSource, pred: RelationSource) -> Report:
    """Split the difference between cnc-2023 and recess F1 into the effects of single quirks.

    Parameters
    ----------
    gold, pred : Relations read from tagged sentences, or anything `fastcausal.read` takes
        Unparsed predictions count as no relation.

    Returns
    -------
    Report
        Scores under both protocols, ``official`` and ``recess``, and the steps ``quirks``.

    Raises
    ------
    InputError
        As `fastcausal.score`.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold = fc.read([["<ARG0>Rain</ARG0> floods <ARG1>roads</ARG1>"], []])
    >>> pred = fc.read([["<ARG0>Rain</ARG0> floods roads"], ["<ARG0>It</ARG0> is so"]], like=gold)
    >>> for quirk in fc.explain(gold, pred).quirks:
    ...     print(quirk.field, quirk.n_examples, f"{quirk.change:+.3f}")
    tags 1 +0.667
    surplus 0 +0.000
    non_causal 1 -0.167
    ties 0 +0.000
    """
    gold = read(gold)
    pred = read(pred, like=gold)
    as_read = cache(partial(read_with_tags, gold, pred))  # once for each reading of tags

    def measure(protocol: Protocol) -> MeasuredExamples:
        try:
            return MeasuredExamples(score(*as_read(protocol.tags), protocol, unparsed="empty"))
        except InputError as error:  # its remedy is an argument of `score`, not of `explain`
            raise InputError(error.problem) from None

    quirks, official, _ = walk(
        [(field, meaning, {field: getattr(RECESS, field)}) for field, meaning in QUIRKS.items()],
        CNC_2023,
        lambda protocol, change: replace(protocol, name="less official", **change),
        measure,
        lambda measured: float(measured.report["overall"].f1),
        list_changed,
    )
    first, last = official.report, measure(RECESS).report
    reports = {CNC_2023.name: first, RECESS.name: last}
    return present_steps(
        f"from {CNC_2023.name} to {last.title}",
        f"fastcausal|{__version__}|explain|{CNC_2023.name}:to:{RECESS.name}|unparsed:empty",
        {name: report["overall"] for name, report in reports.items()},
        quirks,
        COLUMNS,
        {**reports, "official": first},
        warnings=tuple(dict.fromkeys((*first.warnings, *last.warnings))),
        keys=(*reports, "quirks"),
    )


@dataclass(frozen=True)
class MeasuredExamples:
    """A report, and its examples, which two steps look at."""

    report: ExtractionReport

    @cached_property
    def aligned(self) -> Aligned:
        """The examples of both sides."""
        return require_evaluation(self.report, "examples").examples()

    def counts(self, start: int, stop: int) -> Int64:
        """Return counts of examples [start, stop), [n_examples, ...]."""
        gold, pred = (side.part(start, stop) for side in (self.aligned.gold, self.aligned.pred))
        counting = require_evaluation(self.report, "examples").counting
        part = self.aligned._replace(gold=gold, pred=pred, types=None)
        return counting.run(part, partners=False).counts

    def names(self, at: Int64) -> list[str]:
        """Return the ids of some examples, or their numbers."""
        columns = self.aligned.examples
        if "id" not in columns.column_names:
            return [*map(str, at.tolist())]
        return [str(id) for id in columns["id"].take(numbers(at)).to_pylist()]


def list_changed(before: MeasuredExamples, after: MeasuredExamples) -> list[str]:
    """Return the names of the examples whose counts differ."""
    n = before.aligned.gold.n_examples
    changed = [np.zeros(0, np.int64)]
    for start in range(0, n, COMPARED):
        part = start, min(n, start + COMPARED)
        unlike = before.counts(*part) != after.counts(*part)
        changed.append(start + np.flatnonzero(unlike.reshape(len(unlike), -1).any(axis=1)))
    return before.names(np.concatenate(changed))
