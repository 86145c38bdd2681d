"""Score the label ids of a tagger batch by batch, on their own device."""

from __future__ import annotations

from fastcausal.decoding.tags import TagScheme
from fastcausal.options import DeviceBackend, ProtocolName
from fastcausal.protocols import RECESS, Protocol
from fastcausal.recipe import Recipe
from fastcausal.tasks.extraction.scorer import ExtractionScorer


class TagScorer(ExtractionScorer):
    """An `ExtractionScorer` whose ``decoder`` is a `TagScheme`.

    All spans of a sequence are one relation. Tokens that gold ignores are dropped from both sides.

    Parameters
    ----------
    scheme : TagScheme
        The meaning of each label id.
    protocol : {"recess", "cnc-2023", "cnc-2022", "relations", "depths"}, Protocol or Recipe
        As in `fastcausal.score`.
    backend : {"cpu", "cuda"}
        ``cuda`` takes arrays on the device (CuPy, torch, or any array with DLPack or
        ``__cuda_array_interface__``) and adds up counts there: an update does not wait for the
        device, `compute` does. The scores are the same.
    num_threads : int, optional
        For ``cpu``; the scores never depend on it.

    Raises
    ------
    InputError
        Backend ``cuda`` without CuPy or a GPU.

    Examples
    --------
    >>> import fastcausal as fc
    >>> import numpy as np
    >>> scheme = fc.TagScheme(["O", "B-Cause", "I-Cause", "B-Effect", "I-Effect"])
    >>> scorer = fc.TagScorer(scheme)
    >>> gold, pred = np.array([[1, 2, 0, 3, -100]]), np.array([[1, 2, 0, 3, 4]])
    >>> scorer.update(gold=gold, pred=pred)
    >>> scorer.compute()["cause"].tp
    1
    """

    def __init__(
        self,
        scheme: TagScheme,
        protocol: ProtocolName | Protocol | Recipe = RECESS,
        *,
        backend: DeviceBackend = "cpu",
        num_threads: int | None = None,
    ) -> None:
        super().__init__(protocol, decoder=scheme, backend=backend, num_threads=num_threads)
        self.scheme = scheme
