"""Questions with their right options, and answers of models: tables of many data sets."""

from __future__ import annotations

import os
import re
import string
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.arrow import strings
from fastcausal.arrays.strata import columns_by, source_of
from fastcausal.counts.labels import MAX_LABELS
from fastcausal.errors import InputError
from fastcausal.files import binary
from fastcausal.files.cells import column_of
from fastcausal.files.files import Source
from fastcausal.files.keys import require_unique
from fastcausal.files.lines import first_object
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import follow_path, kind, shown
from fastcausal.formats.logs.answers import answers_of
from fastcausal.options import AnswerKind
from fastcausal.significance.sums import Int64
from fastcausal.tasks.classification.choices.formula import MISSING, UNPARSED
from fastcausal.tasks.classification.choices.readings import NO, YES, Forms

# Names of columns; the first that a table has counts.
IDS = ("id", "index", "idx", "question_id", "ID")
GOLD = ("label", "gold", "relation", "answer")
PRED = ("answer", "pred", "prediction", "label")
FAMILIES: tuple[dict[Any, str], ...] = (
    {YES: YES, NO: NO},
    {"true": YES, "false": NO},
    {"1": YES, "0": NO},
    {"entailment": YES, "contradiction": NO, "neutral": NO},
    {1: YES, 0: NO},
)
"""Names of yes and no, in any case; those of one family stand together."""
WITHIN = ("", "meta.", "meta.query.")  # paths to CLadder's facts about a question
_SCORE = re.compile(r"score_([1-9][0-9]?)")
_FLAT = (pa.types.is_string, pa.types.is_large_string, pa.types.is_boolean, pa.types.is_integer,
         pa.types.is_floating)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Asked:
    """Questions with their right options."""

    records: Records
    ids: pa.Array | None  # None for a bare list of options, which has an order and no names
    labels: tuple[str, ...]  # The options
    codes: Int64  # int64[n]: The right option of each question, by index
    forms: Forms  # The option of each value that stands for one in gold
    columns: dict[str, Any]  # Further columns


class Given(NamedTuple):
    """Answers of a model."""

    records: Records
    ids: pa.Array | None
    values: list[Any]  # Text, a number, a boolean or None; for scores, the index of the highest
    n_options: int  # The number of scores of each answer; 0 without scores
    n_ties: int  # Answers with several highest scores


def read_questions(
    # Any source of `fastcausal.files.records.read_records`, with a column ``label`` (or ``gold``,
    # ``relation``, ``answer``) and one of `IDS`.
    source: Any,
    # Labels are yes and no in any usual form; letters; or whole numbers and text.
    answers: AnswerKind,
    # The options; by default letters up to the last of gold, numbers from 0, or all text.
    labels: Sequence[Any] | None = None,
    # Columns to look for within ``meta`` and within ids, as CLadder and Corr2Cause write them.
    by: Sequence[str] = (),
    n_options: int = 0,  # The least number of options
) -> Asked:
    """Read questions with their right options.

    >>> read_questions([{"id": 1, "label": "entailment"}, {"id": 2, "label": "no"}], "binary").codes
    array([1, 0])
    >>> read_questions([{"id": 1, "label": "C"}], "letter").labels
    ('A', 'B', 'C')
    """
    records = _table(source, "gold", GOLD[0])
    column = records.require(*GOLD)
    written, places = _written(records, column)
    find = _binary if answers == "binary" else _options
    options, forms = find(written, answers, labels, n_options)
    if clash := sorted({UNPARSED, MISSING} & {*options}):
        raise InputError(f'{records.name}: an option is named "{clash[0]}", expected another name')
    for k, value in enumerate(written):
        if value not in forms:
            where, known = records.locate(int((places == k).argmax())), ", ".join(options[:10])
            got = f'"{column}" is {shown(value)}'
            raise InputError(f"{where}: {got}, expected one of {known}")
    of_written = np.array([options.index(forms[value]) for value in written], np.int64)
    codes = of_written[places]
    ids = _ids(records)
    columns = _columns(records, {column, *IDS[:1]}) | _find_columns(records, ids, columns_by(by))
    return Asked(records, ids, options, codes, forms, columns)


def read_given(
    # A table as in `read_questions`, with answers in ``column``; by default ``answer`` (or
    # ``pred``, ``prediction``, ``label``), else scores in ``score_1``, ``score_2``, ... Or ``{id:
    # answer}``, or a log of `fastcausal.formats.logs.replies`. ``column`` may be a path into
    # values, such as ``a.b.0.c``.
    source: Any,
    column: str | None = None,
) -> Given:
    """Read the answers of a model.

    >>> read_given({"dev-0": 1, "dev-1": "0"}).values
    [1, '0']
    >>> read_given([{"id": 1, "score_1": -2.5, "score_2": -2}]).values
    [1]
    >>> read_given([{"id": 1, "choices": [{"text": "B"}]}], "choices.0.text").values
    ['B']
    """
    records = _table(source, "pred", column or PRED[0])
    if column is not None and column not in records and "." in column:
        at_path = [follow_path(row, column) for row in records.objects()]
        if any(value is not None for value in at_path):
            return _read_values(records, at_path)
    if records.find(column or PRED[0]) is None:
        records = answers_of(records, column or PRED[0])
    scores = sorted((n for n in records.names if _SCORE.fullmatch(n)), key=lambda n: int(n[6:]))
    if column is None and records.find(*PRED) is None and len(scores) > 1:
        return _choose_highest(records, scores)
    name = records.require(*PRED) if column is None else records.require(column)
    values = records.values(name) if records.typed else records.cells[name].to_pylist()
    return _read_values(records, values)


def _read_values(records: Records, values: Sequence[Any]) -> Given:
    """Return the answers as plain values; others become the name of their kind."""
    plain = [v if isinstance(v, str | int | float | None) else kind(v) for v in values]
    return Given(records, _ids(records), [None if v != v else v for v in plain], 0, 0)


def parse_numbers(values: list[Any]) -> list[Any]:
    """Convert cells of CSV that look like numbers.

    >>> parse_numbers(["1", "0.0", "one", ""])
    [1.0, 0.0, 'one', '']
    """

    def number(cell: Any) -> Any:
        try:
            return float(cell)
        except ValueError:
            return cell

    return [*map(number, values)]


def _table(source: Any, name: str, column: str) -> Records:
    """Read a table, or an object that has answers by id."""
    if isinstance(source, str | os.PathLike | Source):
        source = file = Source.open(source)
        is_object = binary.sniff(file.data) is None and file.data.lstrip()[:1] == b"{"
        if is_object and not _is_row(file):
            return _tabulate_object(file.document(), file.name, column)
    elif isinstance(source, Mapping) and not any(
        isinstance(v, list | tuple) or hasattr(v, "__array__") for v in source.values()
    ):
        return _tabulate_object(source, name, column)
    return read_records(source, name, column=column)


def _is_row(file: Source) -> bool:
    """Return True if the first line is a row of a table, False if an object of answers begins."""
    first = first_object(file)
    return not {*IDS, *GOLD, *PRED}.isdisjoint(first) or bool(first and b"\n" in file.data.strip())


def _tabulate_object(answers: Mapping[str, Any], name: str, column: str) -> Records:
    """Return an object as a table: a row of it, or answers by id."""
    if any(key in answers for key in IDS):
        return Records(name, [answers], places=[name])
    rows = [{"id": id, column: value} for id, value in answers.items()]
    if not rows:
        return Records(name, pa.table({"id": strings([]), column: strings([])}))
    return Records(name, rows, places=[name] * len(rows))


def _ids(records: Records) -> pa.Array | None:
    """Return the ids; None for a table of one column, which has only an order."""
    if records.find(*IDS) is None and len(records.names) == 1:
        return None
    ids = records.keys(*IDS)
    require_unique(ids, records.locate)
    return ids


def _written(records: Records, column: str) -> tuple[list[Any], Int64]:
    """Return the distinct labels of gold, all whole numbers or all text, and each label's index."""
    array = records.labels(column)
    encoded = array.dictionary_encode()
    values = [v if isinstance(v, str) else _whole(v) for v in encoded.dictionary.to_pylist()]
    places = arrow.values_of(encoded.indices, -1).astype(np.int64)
    wrong = np.isin(places, [k for k, value in enumerate(values) if value is None]) | (places < 0)
    if wrong.any():
        row = int(wrong.argmax())
        got = array[row].as_py()
        fault = f'"{column}" is {got}' if got == got and got is not None else f'no "{column}"'
        raise InputError(f"{records.locate(row)}: {fault}, expected a label")
    return values, places


def _whole(number: float) -> int | None:
    return int(number) if number == number and number.is_integer() else None


def _binary(
    written: list[Any], answers: AnswerKind, labels: Sequence[Any] | None, n_options: int
) -> tuple[tuple[str, ...], dict[Any, str]]:
    """Return yes and no, with the values that stand for them in gold."""
    if labels is not None:
        raise ValueError(
            "labels are for letters and choices, of binary answers they are yes and no"
        )
    forms: dict[Any, str] = {}
    for value in dict.fromkeys(written):
        folded = value.strip().lower() if isinstance(value, str) else value
        for family in FAMILIES:
            if folded in family:
                forms |= {**family, value: family[folded]}
    return (NO, YES), forms


def _options(
    written: list[Any], answers: AnswerKind, labels: Sequence[Any] | None, n_options: int
) -> tuple[tuple[str, ...], dict[Any, str]]:
    """Return the options of letters and choices, with the values that stand for them in gold."""
    found = [*dict.fromkeys(written)]
    if labels is not None:
        found = [*labels]
    elif all(type(value) is int for value in found) and answers == "choice":
        low = min(found, default=0) if max(found, default=0) > 1 else 0
        n = max(max(found, default=0) - low + 1, n_options, 2)
        found = [*range(low, low + n)] if n <= MAX_LABELS else sorted(found)
    elif answers == "letter":
        alphabets = (string.ascii_uppercase, string.ascii_lowercase)
        known = next((a for a in alphabets if all(v in [*a] for v in found)), "")
        found = [*known[: max(map(known.index, found), default=-1) + 1]] if known else []
    else:
        found = sorted(found)
    if len(found) > MAX_LABELS:
        raise InputError(f"{len(found)} different options, expected at most {MAX_LABELS}")
    return tuple(map(str, found)), {value: str(value) for value in found}


def _choose_highest(records: Records, names: list[str]) -> Given:
    """Return the index of the highest score of each answer, the first of equal ones."""
    values: list[int | None] = []
    n_ties = 0
    for scores in np.stack([records.numbers(name) for name in names], axis=1).tolist():
        highest = max(scores) if all(score == score for score in scores) else None  # not NaN
        n_ties += highest is not None and scores.count(highest) > 1
        values.append(None if highest is None else scores.index(highest))
    return Given(records, _ids(records), values, len(names), n_ties)


def _columns(records: Records, used: set[str]) -> dict[str, Any]:
    """Return the columns of text and numbers that are not in use."""
    table = records.table
    return {
        name: table[name]
        for name in table.column_names
        if name not in used and any(is_kind(table[name].type) for is_kind in _FLAT)
    }


def _find_columns(records: Records, ids: pa.Array | None, by: Iterable[str]) -> dict[str, Any]:
    """Return columns that the table keeps within ``meta``, or within its ids."""
    missing = [name for name in map(source_of, by) if name not in records]
    if not missing:
        return {}
    rows = records.objects() if "meta" in records else []
    columns = {}
    for name in missing:
        for values in (*_within(rows, name), _within_ids(ids, name)):
            if any(value is not None for value in values):
                columns[name] = column_of([None if v is None else str(v) for v in values])[0]
                break
    return columns


def _within(rows: Sequence[Mapping[str, Any]], name: str) -> Iterable[list[Any]]:
    return ([follow_path(row, f"{place}{name}") for row in rows] for place in WITHIN[1:])


def _within_ids(ids: pa.Array | None, name: str) -> list[str | None]:
    """Return the values of ``NAME=VALUE`` between double lines in ids."""
    if ids is None:
        return []
    parted = re.compile(rf"(?:^|__){re.escape(name)}=(.*?)(?=__|$)")
    found = [parted.search(id) for id in ids.to_pylist()]
    return [None if match is None else match[1] for match in found]
