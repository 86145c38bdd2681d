"""FinCausal's task 2, 2020 to 2023, scored like its program."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import Warnings
from fastcausal.files.targets import keep_apart
from fastcausal.formats.fincausal import Int64, SectionRows, documents_of
from fastcausal.marking import WordRule
from fastcausal.tasks.fincausal.files import read_side, side_by_side
from fastcausal.tasks.fincausal.formula import CLASSES, FIELDS, WordFormula
from fastcausal.tasks.fincausal.labels import WordLabels, label_words
from fastcausal.tasks.fincausal.report import FinCausalReport, present
from fastcausal.tasks.fincausal.sections import count_sections
from fastcausal.tasks.fincausal.stops import Stops
from fastcausal.tasks.fincausal.words import cutting

PROTOCOL = "fincausal-2020"
LONGEST = 990  # words of a chain that the program's recursion reaches


def fincausal(
    gold: Any,
    pred: Any,
    *,
    words: WordRule = "fincausal",
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
    labels = label_words(sides.gold.text, *columns, cut)
    taken = _find_words(sides.gold, labels, stops)
    section, names = _sections(sides.gold, labels.sizes, taken, stops)
    rows = count_sections(labels, section, len(names))
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


def _find_words(gold: SectionRows, labels: WordLabels, stops: Stops) -> npt.NDArray[np.bool_]:
    """Find rows with words; a text without words, or a long chain, ends the program."""
    empty = labels.sizes == 0
    if empty.any():
        row = int(empty.argmax())
        n = int(empty.sum())
        stops.add(f"{gold.locate(row)}: text without a word, {n} such rows", "ValueError")
    longest = labels.facts[:, :, 1].max(axis=1, initial=0)
    if (longest > LONGEST).any():
        row = int((longest > LONGEST).argmax())
        found = f"{gold.locate(row)}: a span of {longest[row]} words, expected at most {LONGEST}"
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
        found = f"{gold.locate(row)}: a text of {b} words in a section with one of {a}"
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
    rows = [*zip(labels.sizes.tolist(), labels.gold, strict=True)]
    bits = ["".join(f"{of[k]:0{n}b}"[: -n - 1 : -1] for n, of in rows) for k in (0, 1)]
    cause, effect = (np.frombuffer(text.encode(), np.uint8) - ord("0") for text in bits)
    data, places = (cause | effect << 1).tobytes(), arrow.offsets(labels.sizes).astype(np.int32)
    kept = arrow.numbers(np.flatnonzero(section >= 0))
    ids = names.take(arrow.numbers(section[section >= 0]))
    return digest_of_texts(ids, arrow.strings_at(data, places.tobytes()).take(kept))
