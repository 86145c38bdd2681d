"""Means over causal frames and chains, of all of them and of every type."""

from __future__ import annotations

from dataclasses import dataclass

from fastcausal.counts.means import MeanFormula


@dataclass(frozen=True)
class FrameFormula(MeanFormula):
    """Means over causal frames; the subsets are types, and a frame may lack its measures.

    Examples
    --------
    >>> import numpy as np
    >>> formula = FrameFormula(("f1",), ("SD",))
    >>> formula.scores(np.array([[0.5, 1], [np.nan, 1], [1.0, 0]]), np.array([[1, 1, 1]]))
    {'overall_f1': array([0.75]), 'SD_f1': array([0.5])}
    """

    job = "crab-frames"
    room = "crab.frames"
    gaps = True


@dataclass(frozen=True)
class ChainFormula(MeanFormula):
    """Means over causal chains, likewise."""

    job = "crab-chains"
    room = "crab.chains"
    gaps = True
