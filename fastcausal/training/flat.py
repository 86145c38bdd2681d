"""The scores that training loops log."""

from __future__ import annotations

from fastcausal.report import Report


def flat_scores(report: Report) -> dict[str, float]:
    """The scores of all examples without the counts: ``overall_f1``, ``cause_precision``, ...

    Examples
    --------
    >>> import fastcausal as fc
    >>> list(flat_scores(fc.ExtractionScorer().compute()))[:4]
    ['overall_precision', 'overall_recall', 'overall_f1', 'cause_precision']
    """
    return {
        f"{group}_{name}": value
        for group, scores in report.scores.items()
        for name, value in scores.items()
        if isinstance(value, float)
    }
