"""Labels of sentences and of pairs, scored like UniCausal's program."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.errors import add_warnings
from fastcausal.options import LabelPolicy, LabelProtocol
from fastcausal.tasks.classification.count import ClassificationScorer
from fastcausal.tasks.classification.files import Labels
from fastcausal.tasks.classification.report import ClassificationReport, present
from fastcausal.tasks.unicausal.examples import BY, PAIR, CorpusExamples, examples_of
from fastcausal.tasks.unicausal.files import (
    KEYS,
    LABELS,
    keys_of,
    tables,
    texts_of_rows,
    zeros_and_ones,
)
from fastcausal.tasks.unicausal.formula import OccurringFormula


def labels(
    gold: Any,  # Grouped and ungrouped files, see `fastcausal.tasks.unicausal.examples.examples_of`
    # Tables with ``index`` (or ``id``) and a label in ``column``. Joined by index; rows with the
    # same index in their order. A bare list of labels is joined by place.
    pred: Any,
    *,
    protocol: LabelProtocol,
    # By default ``seq_pred`` (or ``pair_pred``, ``prediction``, ``pred``, ``label``)
    column: str | None = None,
    unparsed: LabelPolicy = "error",  # As in `fastcausal.classify`
    unmatched: LabelPolicy = "error",  # As in `fastcausal.classify`
    by: By = BY,  # Columns of gold; each of their values becomes a subset
    per_example: str | os.PathLike[str] | None = None,  # A file of counts
) -> ClassificationReport:
    """Score predicted labels of the sentences or pairs of UniCausal's files.

    >>> row = {"corpus": "ctb", "doc_id": "d", "text": "a", "text_w_pairs": "a", "pair_label": 0}
    >>> gold = [{**row, "sent_id": k, "eg_id": 0, "index": f"ctb_{k}", "seq_label": k % 2}
    ...         for k in range(4)]
    >>> labels(gold, [0, 1, 1, 1], protocol="unicausal-seq")["macro"].f1
    0.7333333333333334
    """
    examples = (
        gold if isinstance(gold, CorpusExamples) else examples_of(tables(gold, "gold"), protocol)
    )
    scorer = ClassificationScorer(
        labels=(0, 1), undefined=0.0, unparsed=unparsed, unmatched=unmatched
    )
    known, given = _read_gold(examples), _predicted(pred, column)
    if given.texts is not None:
        known = replace(known, texts=examples.plain())
    batch = scorer.align(known, given)
    scorer.add(batch)
    counted = scorer.report(batch, system_of(pred)).statistics
    warnings = dict(counted.warnings)
    add_warnings(warnings, examples.warnings)
    policies = f"0/0:0|unparsed:{unparsed}|unmatched:{unmatched}"
    statistics = replace(
        counted,
        formula=OccurringFormula((0, 1), True, 1, 0.0),
        signature=f"fastcausal|{__version__}|{protocol}|{policies}",
        warnings=warnings,
    )
    if per_example is not None:
        statistics.write(per_example)
    return present(statistics, by)


def read_gold(gold: Any, protocol: LabelProtocol, **options: Any) -> tuple[CorpusExamples, Labels]:
    """Read gold for many runs; return it as gold and as predictions."""
    examples = examples_of(tables(gold, "gold"), protocol)
    return examples, replace(_read_gold(examples), columns=None)


def public(
    gold: Any, protocol: LabelProtocol, **options: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the texts of gold, for pairs with marks, with labels 0 and 1 in turn, and always 0.

    >>> row = {"corpus": "altlex", "doc_id": "d", "sent_id": 0, "eg_id": 0, "index": "a",
    ...        "text": "Rain fell", "text_w_pairs": "", "seq_label": 1, "pair_label": 0}
    >>> rows, pred = public([row], "unicausal-seq")
    >>> rows[0]["text"], rows[0]["seq_label"], pred
    ('Rain fell', 0, [{'index': 'a', 'prediction': 0}])
    """
    examples = examples_of(tables(gold, "gold"), protocol)
    is_pair = protocol == PAIR
    marked = examples.texts.to_pylist()
    rows = []
    for k, (id, known) in enumerate(
        zip(examples.ids.to_pylist(), examples.columns.to_pylist(), strict=True)
    ):
        text = examples.tables[examples.table[k]].texts("text")[int(examples.row[k])].as_py()
        turn = k % 2
        labels = {"seq_label": 1, "pair_label": turn} if is_pair else {"seq_label": turn}
        marks = marked[k] if is_pair else text
        own = {"eg_id": "0", "index": id, "text": text, "text_w_pairs": marks, "pair_label": 0}
        rows.append(known | own | labels)
    return rows, [{"index": row["index"], "prediction": 0} for row in rows]


def _read_gold(examples: CorpusExamples) -> Labels:
    return Labels(
        examples.name, arrow.numbers(examples.labels), examples.ids, columns=examples.columns
    )


def _predicted(pred: Any, column: str | None) -> Labels:
    """Read predicted labels; null if missing."""
    if isinstance(pred, Labels):
        return pred
    found = tables(pred, "pred")
    values = [
        zeros_and_ones(records, records.require(*((column and (column,)) or LABELS)), may_lack=True)
        for records in found
    ]
    has_ids = any(records.find(*KEYS) for records in found)
    name = ", ".join(records.name for records in found)
    ids = keys_of(found) if has_ids else None
    return Labels(name, pa.concat_arrays(values), ids, texts_of_rows(found))
