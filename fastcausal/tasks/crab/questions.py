"""Answers to the question which of four events most likely caused one: graded causality."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.counts.files import system_of
from fastcausal.errors import Problems
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import shown
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import Policy
from fastcausal.tasks.crab.choices import Choices
from fastcausal.tasks.crab.count import READ, read_answers
from fastcausal.tasks.crab.files import CLASSES, Booleans, Int64, scores_of
from fastcausal.tasks.crab.formula import IN_DOCUMENT
from fastcausal.tasks.crab.pairwise import judged
from fastcausal.tasks.crab.parse import parse_column
from fastcausal.tasks.crab.report import JudgmentReport, present
from fastcausal.tasks.crab.same_document import NEAR, RIGHT

N = len(CLASSES)  # candidates and letters of a question
BY_ID = ("article_id_effect", *(f"{i}_article_id" for i in range(N)))
BY_TEXT = ("article_effect", *(f"{i}_article" for i in range(N)))

# In a column that mixes texts and lists, lists are read as JSON.
_BETWEEN = re.compile(r'[\s,;/|\[\]"]')


@dataclass(frozen=True, eq=False)
class Questions:
    """Questions with four candidates each."""

    records: Records
    right: Booleans  # bool[n, 4]: True for right letters, at least one per question
    # bool[n, 4] or None: True for letters of candidates in the effect's article; None if
    # articles are unknown
    near: Booleans | None

    @property
    def first(self) -> Int64:
        """The first right letter of each question, 0 to 3: int64[n]."""
        places: Int64 = self.right.argmax(axis=1)
        return places

    def units(self, gold: Int64) -> pa.Table:
        """Return ids, the columns of the questions, their right letters, and near ones if known."""
        # The gold letter of each question, int64[n], decides if it is within one document.
        table = self.records.table
        columns: dict[str, Any] = {"id": arrow.numbers(np.arange(len(table))).cast(pa.string())}
        ours = ("id", "answer", IN_DOCUMENT, RIGHT, NEAR)
        columns |= {name: table[name] for name in table.column_names if name not in ours}
        columns[RIGHT] = _letters_of(self.right)
        if self.near is not None:
            in_document = np.take_along_axis(self.near, gold[:, None], axis=1)[:, 0]
            columns |= {NEAR: _letters_of(self.near), IN_DOCUMENT: arrow.numbers(in_document)}
        return pa.table(columns)


def read_questions(source: RecordSource | Questions) -> Questions:
    """Read questions.

    >>> letters = {f"{i}_choice": letter for i, letter in enumerate("DBCA")}
    >>> read_questions([letters | {"answer": "A or C"}]).right.tolist()
    Traceback (most recent call last):
    fastcausal.errors.FaultsError: questions: row 0: "answer" is "A or C", expected letters ...
    >>> read_questions([letters | {"answer": "A, C"}]).right.tolist()
    [[True, False, True, False]]

    Parameters
    ----------
    source : path, table or list of mappings
        A row per question: ``{i}_choice``, the letter of candidate i from 0 to 3; ``answer``, one
        or several right letters, or else ``{i}_score``, of which the highest is right; optionally
        ``article_id_effect`` and ``{i}_article_id``, or else ``article_effect`` and
        ``{i}_article``. Other columns are kept.
    """
    if isinstance(source, Questions):
        return source
    records = read_records(source, "questions")
    problems = Problems()
    codes = choices_of(records, problems)
    problems.raise_if_any()
    right = _answers(records, problems)
    problems.raise_if_any()
    if rows := np.flatnonzero(~right.any(axis=1)).tolist():
        right[rows] = _order_by_letter(_best(records, rows, problems), codes)[rows]
    problems.raise_if_any()
    return Questions(records, right, _near(records, codes))


def graded(
    questions: RecordSource | Questions,
    pred: Any,
    *,
    column: str = "prediction",
    by: str | Sequence[str] = (),
    undefined: float | None = None,
    unparsed: Policy = "error",
    unmatched: Policy = "error",
    pattern: str | None = None,
) -> JudgmentReport:
    """Score choices among four causes: table 2 of the paper, and bias to the effect's document.

    If a question has several right letters, gold is the chosen one if right, else the first.

    Parameters
    ----------
    questions : path, table or list of mappings
        Questions with four causes each, as make-mcq writes; - for stdin. See `read_questions`.
    pred : path, table or list
        Answers of a system. See `fastcausal.tasks.crab.count.read_answers`.
    by : str or sequence of str
        Columns of the questions; each of their values is a subset.
    column, undefined, unparsed, unmatched, pattern
        See `fastcausal.tasks.crab.pairwise.pairwise`; answers are letters, units are questions.

    Returns
    -------
    JudgmentReport
        The subsets ``in_document`` and ``cross_document`` depend on the article of the gold
        candidate; ``same_document`` counts choices of a candidate in the effect's article, with
        the number expected by chance.

    Raises
    ------
    InputError
        A source cannot be read or joined, or a policy forbids it.
    ValueError
        A policy is unknown.

    References
    ----------
    Romanou et al. (2023), CRAB, section 5.2 and Table 2: macro-F1 over letters.

    Examples
    --------
    >>> from fastcausal import crab
    >>> question = {f"{i}_choice": letter for i, letter in enumerate("ABCD")}
    >>> question |= {f"{i}_article_id": i // 2 for i in range(4)} | {"article_id_effect": 0}
    >>> gold = [question | {"answer": letter} for letter in "ACD"]
    >>> report = crab.graded(gold, ["<Answer>A</Answer>", "B.", "[A] It came first."])
    >>> report["overall"].accuracy, report.subsets["cross_document"]["overall"].accuracy
    (0.3333333333333333, 0.0)
    >>> report.same_document["wrong"]
    {'n': 2, 'n_same_document': 2, 'share': 1.0, 'chance': 0.6666666666666666}
    """
    choices = Choices(
        "mcq", column, undefined=undefined, unparsed=unparsed, unmatched=unmatched, pattern=pattern
    )
    asked = read_questions(questions)
    n = len(asked.records)
    answers = read_answers(pred, n, choices)
    chosen_is_right = (answers.reasons == READ) & asked.right[np.arange(n), answers.codes]
    gold = np.where(chosen_is_right, answers.codes, asked.first)
    units = asked.units(gold)
    statistics = judged(
        choices,
        choices.signature("crab-graded", {}),
        gold,
        answers,
        units,
        system=system_of(pred),
        gold=digest_of_texts(arrow.joined(units["id"]), arrow.joined(units[RIGHT])),
        warnings={},
    )
    return present(statistics, by)


def choices_of(records: Records, problems: Problems) -> Int64:
    """Return the letter of each candidate, 0 to 3: int64[n, 4]; report missing letters."""
    columns = [records.texts(f"{i}_choice") for i in range(N)]
    codes = np.stack([np.nan_to_num(parse_column(c, "mcq")[0], nan=-1) for c in columns], axis=1)
    for row in np.flatnonzero((np.sort(codes, axis=1) != np.arange(N)).any(axis=1)).tolist():
        letters = ", ".join(str(column[row].as_py()) for column in columns)
        problems.add(
            f"{records.locate(row)}: the choices are {letters[:60]}, "
            "expected A, B, C and D once each"
        )
    return codes.astype(np.int64)


def _answers(records: Records, problems: Problems) -> Booleans:
    """Return a mask of the letters in ``answer``: bool[n, 4]."""
    right = np.zeros((len(records), N), np.bool_)
    if "answer" not in records:
        return right
    for row, answer in enumerate(records.answers("answer").to_pylist()):
        text = ",".join(map(str, answer)) if isinstance(answer, list) else str(answer or "")
        letters = _BETWEEN.sub("", text)
        right[row] = [letter in letters for letter in CLASSES]
        if len(letters) != right[row].sum():
            problems.add(
                f'{records.locate(row)}: "answer" is {shown(answer)}, expected letters from A to D'
            )
    return right


def _best(records: Records, rows: list[int], problems: Problems) -> Booleans:
    """Return a mask of the candidates with the highest score in these rows: bool[n, 4]."""
    scores = np.stack([scores_of(records, problems, f"{i}_score") for i in range(N)], axis=1)
    problems.raise_if_any()
    best: Booleans = scores == scores.max(axis=1, keepdims=True)
    for row in rows:
        if np.isnan(scores[row]).any():
            problems.add(f'{records.locate(row)}: no "answer", and not four scores either')
        elif (n := best[row].sum()) > 1:
            what = f"{n} causes have the highest score, {scores[row].max():g}"
            problems.add(f'{records.locate(row)}: no "answer", and {what}: expected one of them')
    return best


def _near(records: Records, codes: Int64) -> Booleans | None:
    """Return a mask of the letters of candidates in the effect's article: bool[n, 4]."""
    for effect, *candidates in (BY_ID, BY_TEXT):
        if all(name in records for name in (effect, *candidates)):
            article = records.texts(effect)
            same = [pc.equal(records.texts(name), article).fill_null(False) for name in candidates]
            return _order_by_letter(
                np.stack([np.asarray(column) for column in same], axis=1), codes
            )
    return None


def _order_by_letter(candidates: Booleans, codes: Int64) -> Booleans:
    """Reorder a mask of candidates by their letters."""
    by_letter: Booleans = np.take_along_axis(candidates, np.argsort(codes, axis=1), axis=1)
    return by_letter


def _letters_of(marked: Booleans) -> pa.Array:
    """Join the marked letters: string[n]."""
    texts = [
        pa.array(np.where(column, letter, ""))
        for letter, column in zip(CLASSES, marked.T, strict=True)
    ]
    return pc.binary_join_element_wise(*texts, "")
