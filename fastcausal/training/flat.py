"""Scores for the logs of training loops."""

from __future__ import annotations

from typing import Any

from fastcausal.decoding.tags import TagScheme
from fastcausal.report.report import Report


def flat_scores(report: Report, decoder: Any = None) -> dict[str, float]:
    """Return all scores without counts: ``overall_f1``, ``cause_precision``, ...

    >>> import fastcausal as fc
    >>> report = fc.ExtractionScorer().compute()
    >>> list(flat_scores(report))[:4]
    ['overall_precision', 'overall_recall', 'overall_f1', 'cause_precision']
    >>> list(flat_scores(report, TagScheme(["O", "B-Cause"])))[3:]
    ['cause_precision', 'cause_recall', 'cause_f1']
    """
    # Roles without a label in the `TagScheme` are left out; "signal" is also a criterion of
    # whole relations, whose groups are no roles.
    left_out = set[str]()
    if isinstance(decoder, TagScheme):
        of_roles = "" if "overall" in report.scores else "spans_"
        left_out = {of_roles + role for role in {*decoder.all_roles} - {*decoder.roles}}
    return {
        f"{group}_{name}": value
        for group, scores in report.scores.items()
        for name, value in scores.items()
        if isinstance(value, float) and group not in left_out
    }
