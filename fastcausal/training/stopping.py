"""A loop that scores batch by batch stops when the gate's verdict is sure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastcausal.counts.statistics import Statistics
from fastcausal.significance.draws import check_count
from fastcausal.sweeps.gate import Gate, gate
from fastcausal.sweeps.systems import load, request_scores
from fastcausal.tasks.values.reading import ValueReading

# Examples are judged when there are more by one in so many: a look costs time in proportion to all
# examples, so looks at every batch would cost its square.
GROWTH = 50


class Stop:
    """Stop a loop that scores batch by batch, once the verdict is sure or the budget is spent.

    The verdict is that of ``fastcausal.gate(anytime=True)``, which may be looked at whenever one
    likes: a false one has the chance ``1 - confidence`` at most, over all looks together.

    Parameters
    ----------
    score : str, optional
        Flat name, such as ``"overall_f1"``; with a baseline by default as in `fastcausal.gate`.
    floor : float, optional
        The least value of the score that passes.
    min_delta : float, optional
        The least difference that passes, if batches have a baseline.
    budget : int, optional
        Number of examples after which the loop stops in any case.
    **judged
        Arguments of `fastcausal.gate`: ``floors`` of further scores, ``confidence``, ``largest``,
        ``cluster``, ``lower_is_better``, ``reading``.

    Raises
    ------
    ValueError
        A floor has no score, or there is neither a floor nor ``min_delta``.

    Examples
    --------
    >>> stop = Stop("value", floor=0.5, budget=1000)
    >>> for batch in range(100):
    ...     rows = [{"id": f"{batch}-{k}", "value": k > 0} for k in range(10)]
    ...     if stop.update(rows):
    ...         break
    >>> stop.gate.verdict, stop.gate.n_units
    ('pass', 20)
    """

    def __init__(
        self,
        score: str | None = None,
        *,
        floor: float | None = None,
        min_delta: float | None = None,
        budget: int | None = None,
        floors: Mapping[str, float] | None = None,
        reading: ValueReading | None = None,
        cluster: str | None = "auto",
        **judged: Any,
    ) -> None:
        if budget is not None:
            check_count("budget", budget)
        floors = dict(floors or {})
        if floor is not None:
            if score is None:
                raise ValueError(f"the floor is {floor}, expected the name of its score too")
            floors[score] = floor
        if not floors and min_delta is None:
            raise ValueError("nothing to judge by, expected a floor, or min_delta for a baseline")
        asked = [name for name in dict.fromkeys((score, *floors)) if name is not None]
        self._reading = request_scores(reading, asked or None, cluster)
        self._judged: dict[str, Any] = {**judged, "floors": floors, "cluster": cluster}
        if min_delta is not None:
            self._judged |= {"score": score, "min_delta": min_delta}
        self._budget = budget
        self._gate: Gate | None = None
        self._sides: list[Statistics] = []  # that were judged: the candidate, and the baseline
        self._waiting: list[list[Statistics]] = []  # batches since
        self._n_units = 0

    def update(self, candidate: Any, baseline: Any = None) -> bool:
        """Add a batch; True if the loop should stop.

        The first 50 examples are judged at every batch, later ones when there are 2% more: any
        number of batches takes time in proportion to the number of examples.

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
            An example was in an earlier batch, or as `fastcausal.gate` raises it. Batches since the
            last look are then left out.
        ValueError
            Only some batches have a baseline, or as `fastcausal.gate` raises it.
        """
        batch = [load(side, self._reading) for side in (candidate, baseline) if side is not None]
        if len(batch) != len(next(iter([*self._waiting, self._sides]), None) or batch):
            raise ValueError("only some batches have a baseline, expected one always or never")
        self._waiting.append(batch)
        self._n_units += batch[0].n_units
        judged = self._sides[0].n_units if self._sides else 0
        if self._n_units - judged > judged // GROWTH or self._is_spent:
            self._look()
        return self.stops

    @property
    def gate(self) -> Gate | None:
        """The verdict on all batches so far, judged anew if need be; None before the first."""
        self._look()
        return self._gate

    @property
    def is_decided(self) -> bool:
        """True if the last look found a pass or a fail."""
        found = self._gate
        if found is None or found.verdict == "inconclusive":
            return False
        return found.verdict != "unchanged" or found.low >= found.min_delta  # so far

    @property
    def stops(self) -> bool:
        """True if the verdict is sure or the budget is spent."""
        return self.is_decided or self._is_spent

    @property
    def _is_spent(self) -> bool:
        return self._budget is not None and self._n_units >= self._budget

    def _look(self) -> None:
        """Judge all batches so far; a batch that cannot be judged with the others is left out."""
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        try:
            before = [self._sides] if self._sides else []
            sides = [first.merge(*more) for first, *more in zip(*before, *waiting, strict=True)]
            after, *others = sides
            self._gate = gate(
                others[0] if others else None,
                after,
                anytime=True,
                reading=self._reading,
                **self._judged,
            )
        except Exception:
            self._n_units = self._sides[0].n_units if self._sides else 0
            raise
        self._sides = sides
