"""A metric for the library evaluate; `evaluate.load` reads this file."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import datasets
import evaluate

from fastcausal.decoding.tags import TagScheme
from fastcausal.errors import InputError
from fastcausal.options import ProtocolName
from fastcausal.protocols import RECESS, Protocol, batch_protocol
from fastcausal.tasks.extraction.tag_scorer import TagScorer
from fastcausal.training.flat import flat_scores
from fastcausal.training.words import padded

DESCRIPTION = """Precision, recall and F1 of causes, effects and signals in sequences of tags."""
INPUTS = """
Args:
    predictions, references: for every sentence the tags of its tokens: O, or B-, I-, E- or S- and
        Cause, Effect, Signal. With labels=[...] given to the metric, label ids.
Returns:
    dict of str to float: overall_f1, cause_precision, ...; 0/0 is NaN, or what the protocol says.
"""


def tag_metric_path() -> str:
    """Return the path of this file, from which ``evaluate.load`` makes a `TagMetric` offline.

    Pass arguments of `TagMetric` to ``evaluate.load``. evaluate copies every version of the file to
    its cache of modules.

    Examples
    --------
    >>> Path(tag_metric_path()).name
    'evaluation.py'
    """
    return str(Path(__file__))


class TagMetric(evaluate.Metric):
    """Scores of tagged sentences: ``add``, ``add_batch``, and ``compute`` of evaluate.

    evaluate stores sentences in Arrow files until ``compute``, so that processes can share them.
    All spans of a sentence are one relation.

    Parameters
    ----------
    labels : sequence of str, optional
        The name of each label id, as in `TagScheme`; predictions and references are then label ids.
        Without labels they are the tags themselves.
    protocol : {"recess", "cnc-2023", "cnc-2022", "relations", "depths"} or Protocol
        As in `fastcausal.score`.
    ignore_index : int
        With ``labels``: the label id of absent tokens.
    **settings
        Arguments of ``evaluate.Metric``: cache_dir, keep_in_memory, num_process, process_id, ...

    Raises
    ------
    InputError
        From ``compute``: a tag is invalid, a label id has no label, or a sentence has another
        number of predicted tags.

    Examples
    --------
    >>> metric = TagMetric(keep_in_memory=True)
    >>> metric.add(prediction=["B-Cause", "I-Cause", "O"], reference=["B-Cause", "I-Cause", "O"])
    >>> metric.add(prediction=["B-Effect", "O"], reference=["B-Cause", "O"])
    >>> metric.compute()["overall_f1"]
    0.6666666666666666
    """

    def __init__(
        self,
        *,
        labels: Sequence[str] | None = None,
        protocol: ProtocolName | Protocol = RECESS,
        ignore_index: int = -100,
        **settings: Any,
    ) -> None:
        unknown = settings.keys() - inspect.signature(evaluate.Metric).parameters.keys()
        if unknown:
            raise TypeError(f"TagMetric takes no argument {', '.join(sorted(unknown))}")
        self.scheme: TagScheme | None = None if labels is None else TagScheme(labels, ignore_index)
        self.protocol: Protocol = batch_protocol(protocol)
        super().__init__(**settings)

    def _info(self) -> evaluate.MetricInfo:
        tags = datasets.Sequence(datasets.Value("string" if self.scheme is None else "int64"))
        return evaluate.MetricInfo(
            description=DESCRIPTION,
            citation="",
            inputs_description=INPUTS,
            features=datasets.Features({"predictions": tags, "references": tags}),
        )

    def _compute(
        self, *, predictions: Sequence[Sequence[Any]], references: Sequence[Sequence[Any]]
    ) -> dict[str, float]:
        for k, (gold, pred) in enumerate(zip(references, predictions, strict=True)):
            if len(gold) != len(pred):
                raise InputError(
                    f"example {k}: found {len(pred)} predicted tags, expected {len(gold)}"
                )
        scheme = self.scheme
        if scheme is None:
            sides = chain(references, predictions)
            numbers = {tag: k for k, tag in enumerate(dict.fromkeys(chain.from_iterable(sides)))}
            scheme = TagScheme([str(tag) for tag in numbers])
            references, predictions = (
                [[numbers[tag] for tag in line] for line in side]
                for side in (references, predictions)
            )
        scorer = TagScorer(scheme, self.protocol)
        scorer.update(
            gold=padded("references", references, scheme.ignore_index),
            pred=padded("predictions", predictions, scheme.ignore_index),
        )
        return flat_scores(scorer.compute(), self.scheme)
