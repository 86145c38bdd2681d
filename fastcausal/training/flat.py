"""Scores for the logs of training loops."""

from __future__ import annotations

from typing import Any

from fastcausal.decoding.tags import TagScheme
from fastcausal.relations import ROLES
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
    by_role = isinstance(decoder, TagScheme) and "overall" in report.scores
    roles = decoder.roles if by_role else ROLES
    return {
        f"{group}_{name}": value
        for group, scores in report.scores.items()
        for name, value in scores.items()
        if isinstance(value, float) and (group in roles or group not in ROLES)
    }
