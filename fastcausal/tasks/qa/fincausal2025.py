"""FinCausal 2025 and 2026: answers from files of ``ID;Text;Question;Answer``."""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import numbers, strings
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Warnings
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.keys import match, require_unique
from fastcausal.files.records import Records, read_records
from fastcausal.files.texts import RowTexts, same_texts
from fastcausal.options import Policy
from fastcausal.tasks.qa.formula import JUDGE, SIMILARITY, QuestionFormula
from fastcausal.tasks.qa.marks import fill_marks

COLUMNS = ("id", "text", "question", "answer")
MEASURES = ("exact_match", "squad_exact_match", "squad_f1")
MARKS = range(1, 6)
TEXTS = ("questions of gold have no answer", "answers have no question in gold")
STOPS = "the program of fincausal-2025 ends here, expected "


class AnswerRows(NamedTuple):
    """Rows of one side."""

    records: Records  # The source
    # string[n]
    id: pa.Array
    text: pa.Array
    answer: pa.Array

    def besides(self, rows: Any) -> dict[str, pa.ChunkedArray]:
        """Return all other columns of some rows, including the question."""
        table = self.records.drop("id", "text", "answer").take(numbers(rows))
        return dict(zip(table.column_names, table.columns, strict=True))


class AnswerPair(NamedTuple):
    """Pairs of gold and predicted answers, with their rows on both sides; -1 without prediction."""

    keys: pa.Array
    gold: list[str]
    pred: list[str]
    of_gold: npt.NDArray[np.int64]
    rows: npt.NDArray[np.int64]
    warnings: Warnings


def count_marks(
    gold: Any,
    pred: Any,
    *,
    unmatched: Policy = "error",
    official_order: bool = False,
    similarity: str | None = None,
    judge: str | None = None,
) -> Statistics:
    """Mark every answer; see `fastcausal.qa` for parameters."""
    if official_order:
        sides = _join_like_program(_lines(gold, "gold"), _lines(pred, "pred"))
    else:
        sides = read_rows(gold, "gold"), read_rows(pred, "pred")
    pair = _pair_by_place(*sides) if official_order else _join_by_id(*sides, unmatched)
    each = zip(pair.gold, pair.pred, pair.rows.tolist(), strict=True)
    exact = [float(row >= 0 and _bare(a) == _bare(b)) for a, b, row in each]
    columns: dict[str, Any] = dict(zip(MEASURES, (exact, *_squad(pair).T), strict=True))
    for name, column in ((SIMILARITY, similarity), (JUDGE, judge)):
        if column is not None:
            columns[name] = _read_predictions(sides[1], column, pair.rows, name)
    order = "rows:place" if official_order else f"rows:id|unmatched:{unmatched}"
    return Statistics.of_units(
        QuestionFormula(tuple(columns), ()),
        f"fastcausal|{__version__}|answers|fincausal-2025|{order}",
        np.column_stack([np.array(values, np.float64) for values in columns.values()]),
        pa.table({"id": pair.keys} | sides[0].besides(pair.of_gold)),
        system=system_of(pred),
        gold=digest_of_texts(pair.keys, strings(pair.gold)),
        warnings=pair.warnings,
    )


def read_sides(
    gold: Any, *, similarity: str | None = None, judge: str | None = None, **options: Any
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return gold to score many systems with, and its own answers as predictions."""
    side = read_rows(gold, "gold")
    columns = {"id": side.id, "text": side.text, "answer": side.answer}
    question = side.besides(np.arange(len(side.id))).get("question")
    if question is not None:
        columns["question"] = question
    lists = [column.to_pylist() for column in columns.values()]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True)]
    best = {name: most for name, most in ((similarity, 1.0), (judge, MARKS[-1])) if name}
    return rows, [row | best for row in rows]


def clear_answers(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return gold with empty answers, also as predictions."""
    rows = [row | {"answer": ""} for row in read_sides(gold)[0]]
    return rows, rows


def read_rows(source: Any, name: str) -> AnswerRows:
    r"""Read rows by their header.

    >>> rows = read_rows(Source("x.csv", b'ID;Text;Question;Answer\n1;"a; b";Why?;a\n'), "gold")
    >>> rows.id.to_pylist(), rows.answer.to_pylist()
    (['1'], ['a'])
    """
    # Without one, the columns are ID, text, question, answer.
    records = _records(source, name)
    if not len(records):
        raise InputError(f"{records.name}: no rows, expected one or more")
    ids = records.keys(records.require("id"))
    require_unique(ids, records.locate)
    answers = records.texts(records.require("answer"))
    text = records.find("text")
    texts = pc.fill_null(records.texts(text), "") if text else strings([""] * len(records))
    return AnswerRows(records, ids, texts, pc.fill_null(answers, ""))


def _records(source: Any, name: str) -> Records:
    if isinstance(source, str | os.PathLike | Source):
        file = Source.open(source)
        is_other = binary.sniff(file.data) is not None or file.is_json
        if is_other or ";" not in file.text.partition("\n")[0]:
            return read_records(file, may_be_empty=True)
        return _read_lines(file)
    return read_records(source, name, may_be_empty=True)


def _read_lines(file: Source) -> Records:
    """Return the cells of a file with ``;``, with or without a header."""
    rows = [(n, cells) for n, cells in file.rows(";") if cells]
    header = [cell.strip().lower() for cell in rows[0][1]]
    names = [*COLUMNS]
    if header and header[0] == "id":
        names = [n.lower() if n.lower() in COLUMNS else n for n in map(str.strip, rows.pop(0)[1])]
    for line, cells in rows:
        if len(cells) != len(names):
            raise InputError(f"{file.name}:{line}: {len(cells)} fields, expected {len(names)}")
    columns = zip(*(cells for _, cells in rows), strict=True) if rows else ([] for _ in names)
    table = pa.table({n: strings([*column]) for n, column in zip(names, columns, strict=True)})
    return Records(file.name, table, lines=[line for line, _ in rows], typed=False)


def _join_by_id(gold: AnswerRows, pred: AnswerRows, unmatched: Policy) -> AnswerPair:
    """Join by id; drop rows that are not in gold, as the program drops a background set."""
    known = np.flatnonzero(np.asarray(pc.is_in(pred.id, value_set=gold.id)))
    both = match(gold.id, pred.id.take(numbers(known)), unmatched, TEXTS)
    texts = RowTexts(gold.text, gold.records.locate)
    others = RowTexts(
        pred.text.take(numbers(known)), lambda row: pred.records.locate(int(known[row]))
    )
    both = same_texts(both, texts, others, unmatched)
    warnings: Warnings = dict(both.warnings)
    if n := len(pred.id) - len(known):
        warnings["", f" {TEXTS[1]} and are left out"] = (n,)
    rows = np.where(both.pred >= 0, known[both.pred] if len(known) else -1, -1)
    answers = gold.answer.take(numbers(both.gold)).to_pylist()
    said = pred.answer.to_pylist()
    given = [said[row] if row >= 0 else "" for row in rows.tolist()]
    return AnswerPair(both.keys, answers, given, both.gold, rows, warnings)


def _pair_by_place(gold: AnswerRows, pred: AnswerRows) -> AnswerPair:
    """Pair rows by position as the program does; their number and their texts must be equal."""
    if len(gold.id) != len(pred.id) or not len(gold.id):
        n = len(gold.id)
        raise InputError(
            f"{pred.records.name}: {len(pred.id)} rows with ids of gold: "
            f"{STOPS}{n or 'one or more'}"
        )
    texts = zip(gold.text.to_pylist(), pred.text.to_pylist(), strict=True)
    for row, (a, b) in enumerate(texts):
        if a != b:
            where = f"{pred.records.locate(row)}: another text than {gold.records.locate(row)}"
            raise InputError(f"{where}: {STOPS}equal texts in order")
    rows = np.arange(len(gold.id))
    answers = gold.answer.to_pylist(), pred.answer.to_pylist()
    return AnswerPair(gold.id, *answers, rows, rows, {})


def _lines(source: Any, name: str) -> tuple[str, list[tuple[int, str]]]:
    """Return the lines of a file, stripped, with their numbers."""
    if not isinstance(source, str | os.PathLike | Source):
        raise InputError(f"{name}: the order of lines is that of files, expected a path")
    file = Source.open(source)
    lines = re.split("\r\n|\r|\n", file.text)
    lines = lines[:-1] if lines[-1] == "" else lines
    return file.name, [(n, line.strip()) for n, line in enumerate(lines, file.first)]


def _join_like_program(
    gold: tuple[str, list[tuple[int, str]]], pred: tuple[str, list[tuple[int, str]]]
) -> tuple[AnswerRows, AnswerRows]:
    """Return rows of both sides; drop submitted lines whose raw ID, with quotes, gold lacks."""
    known = {line.partition(";")[0] for _, line in gold[1]}
    kept = [(n, line) for n, line in pred[1] if line.partition(";")[0] in known]
    return _cells(*gold), _cells(pred[0], kept)


def _cells(name: str, lines: Sequence[tuple[int, str]]) -> AnswerRows:
    rows = []
    for number, line in lines:
        cells = next(csv.reader([line], delimiter=";"), [])
        if len(cells) != len(COLUMNS):
            raise InputError(f"{name}:{number}: {len(cells)} fields: {STOPS}{len(COLUMNS)}")
        rows.append([cells[0], *(cell.lstrip() for cell in cells[1:])])
    columns = list(map(list, zip(*rows, strict=True))) if rows else [[] for _ in COLUMNS]
    arrays = dict(zip(COLUMNS, map(strings, columns), strict=True))
    records = Records(name, pa.table(arrays), lines=[n for n, _ in lines], typed=False)
    return AnswerRows(records, arrays["id"], arrays["text"], arrays["answer"])


def _bare(answer: str) -> str:
    return answer.strip().lower()


def _squad(pair: AnswerPair) -> npt.NDArray[np.float64]:
    """Return exact match and F1 of each answer as in SQuAD; a missing answer is empty."""
    n = len(pair.gold)
    marks, rows = np.empty((n, 2)), np.arange(n)
    gold, pred = strings(pair.gold), strings(pair.pred)
    fill_marks(marks, gold, np.arange(n + 1), rows, pred, rows)
    return marks


def _read_predictions(side: AnswerRows, column: str, rows: Any, name: str) -> list[float]:
    """Return the values of a column of predictions; refuse missing answers and invalid values."""
    values = side.records.numbers(side.records.require(column))
    least, most = (1, 5) if name == JUDGE else (-1, 1)
    for row in rows[rows >= 0].tolist():
        value = values[row]
        if not least <= value <= most or (name == JUDGE and value not in MARKS):
            kind = "a whole number" if name == JUDGE else "a number"
            raise InputError(
                f"{side.records.locate(row)}: {column} is {value:g}, expected {kind} from {least} "
                f"to {most}"
            )
    if (rows < 0).any():
        raise InputError(f"{side.records.name}: {column} of a missing answer, expected all answers")
    taken: list[float] = values[rows].tolist()
    return taken
