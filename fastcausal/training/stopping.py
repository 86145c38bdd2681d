"""A loop that scores batch by batch stops when the gate's verdict is sure."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from fastcausal.counts.statistics import Statistics
from fastcausal.significance.draws import check_count
from fastcausal.sweeps.compare import request_scores
from fastcausal.sweeps.gate import Gate, gate
from fastcausal.sweeps.systems import load


class StoppingRule:
    """Stop a loop that scores batch by batch, once the verdict is sure or the budget is spent.

    The verdict is that of ``fastcausal.gate(anytime=True)``, which may be looked at after every
    batch: a false one has the chance ``1 - confidence`` at most, over all looks together.

    Parameters
    ----------
    budget : int, optional
        Number of examples after which the loop stops in any case.
    **judged
        Arguments of `fastcausal.gate`: ``min_delta`` with a baseline, or ``floors``; ``score``,
        ``confidence``, ``largest``, ``cluster``, ``lower_is_better``, ``reading``.

    Attributes
    ----------
    gate : Gate or None
        The verdict on all batches so far, None before the first.

    Examples
    --------
    >>> rule = StoppingRule(floors={"value": 0.5}, budget=1000)
    >>> for batch in range(100):
    ...     rows = [{"id": f"{batch}-{k}", "value": k > 0} for k in range(10)]
    ...     if rule.update(rows):
    ...         break
    >>> rule.gate.verdict, rule.gate.n_units
    ('pass', 20)
    """

    def __init__(self, *, budget: int | None = None, **judged: Any) -> None:
        if budget is not None:
            check_count("budget", budget)
        self.gate: Gate | None = None
        self._budget = budget
        self._judged: dict[str, Any] = judged
        self._sides: list[Statistics] = []

    def update(self, candidate: Any, baseline: Any = None) -> bool:
        """Add a batch and judge all so far; True if the loop should stop.

        Parameters
        ----------
        candidate : Statistics, Report, path or table
            Of new examples, as `fastcausal.gate` takes it.
        baseline : the same, optional
            The same examples; always, or never.

        Returns
        -------
        bool

        Raises
        ------
        InputError
            An example was in an earlier batch, or as `fastcausal.gate` raises it.
        ValueError
            Only some batches have a baseline, or as `fastcausal.gate` raises it.
        """
        batch = [self._load(side) for side in (candidate, baseline) if side is not None]
        if self._sides and len(batch) != len(self._sides):
            raise ValueError("only some batches have a baseline, expected one always or never")
        before = self._sides or [side.take(np.arange(0)) for side in batch]
        self._sides = [side.merge(more) for side, more in zip(before, batch, strict=True)]
        after, *others = self._sides
        self.gate = gate(others[0] if others else None, after, anytime=True, **self._judged)
        return self.stops

    @property
    def is_decided(self) -> bool:
        """True if the verdict is a pass or a fail."""
        found = self.gate
        if found is None or found.verdict == "inconclusive":
            return False
        return found.verdict != "unchanged" or found.low >= found.min_delta  # so far

    @property
    def stops(self) -> bool:
        """True if the verdict is sure or the budget is spent."""
        n = self._sides[0].n_units if self._sides else 0
        return self.is_decided or (self._budget is not None and n >= self._budget)

    def _load(self, source: Any) -> Statistics:
        judged = self._judged
        names: Iterable[str | None] = (judged.get("score"), *(judged.get("floors") or ()))
        asked = [name for name in names if name is not None]
        return load(
            source,
            request_scores(judged.get("reading"), asked or None, judged.get("cluster", "auto")),
        )
