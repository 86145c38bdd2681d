"""FinCausal's task 2, 2020 to 2023, scored like its program."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.letters import kinds_of
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import Warnings
from fastcausal.files.targets import keep_apart
from fastcausal.formats.fincausal import Int64, SectionRows, TextSlices, documents_of
from fastcausal.tasks.fincausal import _native
from fastcausal.tasks.fincausal.files import read_side, side_by_side
from fastcausal.tasks.fincausal.formula import CLASSES, FIELDS, WordFormula
from fastcausal.tasks.fincausal.report import FinCausalReport, present
from fastcausal.tasks.fincausal.stops import Stops
from fastcausal.tasks.fincausal.words import Cutting, Words, abbreviations, cutting

PROTOCOL = "fincausal-2020"
LONGEST = 990  # words of a chain that the program's recursion reaches


class WordLabels(NamedTuple):
    """Labels of the words of each text: 1 cause, 2 effect, 3 both."""

    sizes: Int64  # int64[n]: Words of each text
    # A label for each word
    gold: bytes
    pred: bytes
    # int64[n, 2, 2]: For gold and pred: words that the text lacks, and words of the longest
    # chain
    facts: Int64


def fincausal(
    gold: Any,
    pred: Any,
    *,
    words: Words = "fincausal",
    lenient: bool = False,
    by: By = None,
    per_example: str | os.PathLike[str] | None = None,
) -> FinCausalReport:
    """Score causes and effects of texts as FinCausal's task 2 did from 2020 to 2023.

    Parameters
    ----------
    gold, pred : path, table or list of mappings
        Rows of ``index``, ``text``, ``cause`` and ``effect``, paired by their place; a file has
        FinCausal's layout with ``;``.
    words : {"fincausal", "blank", "nltk"}, path or callable
        Tokenizer of texts, causes and effects: the published rules, white space, nltk with its
        model of sentences, a file with rows of ``text`` and ``words``, or a function.
    lenient : bool
        True scores with a warning if the published program would end.
    by : str or sequence of str, optional
        ``document``, the first part of the index, or ``relations``, their number in a section.
    per_example : path, optional
        A ``.parquet`` or ``.arrow`` file for the counts of every section.

    Returns
    -------
    FinCausalReport
        ``official``: the published scores; ``spans``: the same without the class of no span;
        ``pairs``: exact match after rows of a section are paired.

    Raises
    ------
    InputError
        A source cannot be read, or the published program ends on it.
    ValueError
        ``words`` is unknown.

    Examples
    --------
    >>> gold = [{"index": "1", "text": "tax rose so firms shut", "cause": "tax rose",
    ...     "effect": "firms shut"}]
    >>> report = fincausal(gold, [gold[0] | {"cause": "tax"}])
    >>> report["official"].recall, report["spans"].recall, report.classes["C"].hits
    (0.8, 0.75, 1)
    """
    keep_apart([per_example], [gold, pred])
    cut = cutting(words)
    stops = Stops(lenient)
    of_gold, of_pred = read_side(gold, "gold", lenient), read_side(pred, "pred", lenient)
    sides = side_by_side(of_gold, of_pred, stops)
    columns = (sides.gold.cause, sides.gold.effect), (sides.cause, sides.effect)
    labels = labels_of(sides.gold.text, *columns, cut)
    taken = _taken(sides.gold, labels, stops)
    section, names = _sections(sides.gold, labels.sizes, taken, stops)
    rows = count(labels, section, len(names))
    _check_classes(rows, stops)
    policy = "scored" if lenient else "error"
    settings = f"{PROTOCOL}|words:{cut.name}|classes:-,C,E|pairs:greedy|stops:{policy}"
    statistics = Statistics.of_units(
        WordFormula(),
        f"fastcausal|{__version__}|{settings}",
        rows,
        pa.table(_columns(sides.gold, section, names)),
        {"protocol": PROTOCOL},
        system=system_of(pred),
        gold=_digest(names, section, labels),
        warnings={**sides.warnings, **_unknown(labels), **stops.warnings},
    )
    if per_example is not None:
        statistics.write(per_example)
    return present(statistics, by)


def labels_of(
    text: TextSlices, gold: Sequence[TextSlices], pred: Sequence[TextSlices], cut: Cutting
) -> WordLabels:
    """Label the words of texts by the causes and effects of both sides."""
    prepared = cut.prepared([text, *gold, *pred])
    n = len(text.starts)
    sizes, facts = np.empty(n, np.int64), np.empty((n, 4), np.int64)
    different = {id(column.data): column.data for column in prepared}.values()
    kinds = max((kinds_of(data) for data in different), key=len)
    text, *spans = prepared
    labels = _native.label(
        text, spans[:2], spans[2:], kinds, abbreviations(), cut.kind, sizes, facts, _threads()
    )
    return WordLabels(sizes, labels[0], labels[1], facts.reshape(n, 2, 2))


def count(
    labels: WordLabels, section: Int64, n: int, *, best: bool = False, both: bool = False
) -> Int64:
    """Count the labels of sections; rows of section -1 are left out.

    Parameters
    ----------
    best : bool
        True pairs the rows of a section for the most words with equal labels, False greedily.
    both : bool
        True allows a word to be cause and effect.
    """
    order = np.argsort(section, kind="stable").astype(np.int64)
    starts = np.searchsorted(section[order], np.arange(n + 1)).astype(np.int64)
    fields = np.empty((n, len(FIELDS)), np.int64)
    places = arrow.offsets(labels.sizes)
    _native.count(starts, order, places, labels.gold, labels.pred, best, both, fields, _threads())
    return fields


def _threads() -> int:
    return os.cpu_count() or 1


def _taken(gold: SectionRows, labels: WordLabels, stops: Stops) -> npt.NDArray[np.bool_]:
    """Find rows with words; a text without words, or a long chain, ends the program."""
    empty = labels.sizes == 0
    if empty.any():
        row = int(empty.argmax())
        n = int(empty.sum())
        stops.add(f"{gold.where(row)}: text without a word, {n} such rows", "ValueError")
    longest = labels.facts[:, :, 1].max(axis=1, initial=0)
    if (longest > LONGEST).any():
        row = int((longest > LONGEST).argmax())
        found = f"{gold.where(row)}: a span of {longest[row]} words, expected at most {LONGEST}"
        stops.add(found, "RecursionError")
    taken: npt.NDArray[np.bool_] = ~empty
    return taken


def _sections(
    gold: SectionRows, sizes: Int64, taken: npt.NDArray[np.bool_], stops: Stops
) -> tuple[Int64, pa.Array]:
    """Group rows by section; rows without words get -1."""
    section, names = gold.sections()
    first = np.unique(section, return_index=True)[1]
    other = (sizes != sizes[first][section]) & taken & taken[first][section]
    if other.any():
        row = int(other.argmax())
        a, b = sizes[first[section[row]]], sizes[row]
        found = f"{gold.where(row)}: a text of {b} words in a section with one of {a}"
        stops.add(found, "ValueError")
        section, names = gold.sections(by_text=True)
    if taken.all():
        return section, names
    kept, codes = np.unique(section[taken], return_inverse=True)
    if not len(kept):
        stops.always(f"{gold.name}: no text with a word", "ValueError")
    section = np.full(len(section), -1, np.int64)
    section[taken] = codes
    return section, names.take(arrow.numbers(kept))


def _check_classes(rows: Int64, stops: Stops) -> None:
    sums = dict(zip(FIELDS, rows.sum(axis=0).tolist(), strict=True))
    for label, name in CLASSES.items():
        if not sums[f"{name}_predicted"] + sums[f"{name}_gold"]:
            stops.add(f'no word has the label "{label}" in gold or in the submission', "ValueError")


def _unknown(labels: WordLabels) -> Warnings:
    n = int(labels.facts[:, 1, 0].sum())
    texts = ("", " words of predicted spans are not in their texts and are passed over")
    return {texts: (n,)} if n else {}


def _columns(gold: SectionRows, section: Int64, names: pa.Array) -> dict[str, Any]:
    """Return the columns of sections: id, document, number of relations."""
    relations = np.bincount(section[section >= 0], minlength=len(names)).astype(np.int64)
    return {
        "id": names,
        "document": documents_of(names),
        "relations": arrow.numbers(relations),
    }


def _digest(names: pa.Array, section: Int64, labels: WordLabels) -> int:
    """Return the digest of gold's labels, independent of the order of sections."""
    places = arrow.offsets(labels.sizes).astype(np.int32).tobytes()
    kept = arrow.numbers(np.flatnonzero(section >= 0))
    ids = names.take(arrow.numbers(section[section >= 0]))
    return digest_of_texts(ids, arrow.strings_at(labels.gold, places).take(kept))
