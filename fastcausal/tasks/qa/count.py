"""Exact match and F1 of predicted answers, as Rajpurkar et al. (2016) define them."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import strings_at, texts_of
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.counts.task import find_protocol
from fastcausal.files.keys import match
from fastcausal.files.targets import keep_apart
from fastcausal.files.texts import same_texts
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import Policy, QuestionProtocol, check
from fastcausal.tasks.qa import _native
from fastcausal.tasks.qa.files import read_answers, read_questions, take_answers
from fastcausal.tasks.qa.formula import QuestionFormula
from fastcausal.tasks.qa.marks import fill_marks
from fastcausal.tasks.qa.questions import QuestionTexts
from fastcausal.tasks.qa.report import QAReport, present

# The columns of answers on both sides
COLUMNS = {"squad-1.1": ("answers", "prediction_text"), "fincausal-2025": ("answer", "answer")}
BLOCK = 1 << 16  # questions whose answers are written at a time
TEXTS = ("questions of gold have no answer", "predicted answers have no question")
WHY = ("reason", "why", "cause", "resulted")
"""Parts of words that mark a question about a cause (Tan et al. 2023, section 6.4)."""
# Both cases are spelt out: a pattern that ignores case would match some letters beyond ASCII, too.
_WHY = "|".join("".join(f"[{letter}{letter.upper()}]" for letter in part) for part in WHY)


def qa(
    gold: RecordSource,
    pred: RecordSource,
    *,
    unmatched: Policy = "error",
    per_example: str | os.PathLike[str] | None = None,
    protocol: QuestionProtocol = "squad-1.1",
    official_order: bool = False,
    similarity: str | None = None,
    judge: str | None = None,
    by: By = None,
    gold_column: str | None = None,
    pred_column: str | None = None,
) -> QAReport:
    """Score answers to questions: exact match and F1, also for questions about causes.

    Both compare words in lower case, without ASCII punctuation and the articles a, an, the. F1
    compares the two bags of words; it is 0 without a shared word, even if both are empty. With
    several gold answers the best one counts, separately for each score. Scores are fractions.

    Parameters
    ----------
    gold : path, mapping or iterable of mappings
        Gold; - for stdin. A source of `fastcausal.tasks.qa.files.read_questions`, joined by id.
    pred : path, mapping or iterable of mappings
        Predictions of a system. A source of `fastcausal.tasks.qa.files.read_answers`.
    unmatched : {"error", "empty", "skip"}
        Stop at ids that one side lacks, score missing answers 0 (empty), or skip them. The official
        program scores them 0. Answers without a question are left out, but in ``"error"``.
    per_example : path, optional
        A ``.parquet`` or ``.arrow`` file for the marks of every question.
    protocol : {"squad-1.1", "fincausal-2025"}
        Read and count as SQuAD does, or as FinCausal 2025. ``"fincausal-2025"`` reads
        ``ID;Text;Question;Answer`` on both sides: answers match exactly if they are equal in lower
        case, without white space at their ends.
    official_order : bool
        Compare rows in file order, as the program of fincausal-2025 does. InputError is raised if
        the program would end with an error.
    similarity : str, optional
        Average given similarities (SAS) of this column of PRED. They are from -1 to 1, under
        ``"fincausal-2025"``.
    judge : str, optional
        Average marks of a judge, 1 to 5, with their interval. The marks are a column of
        predictions.
    by : str or sequence of str, optional
        Other columns of gold; each of their values becomes a subset.
    gold_column, pred_column : str, optional
        Take answers of GOLD, and those of PRED, from this column; one table may be both.

    Returns
    -------
    QAReport
        The means over all questions (``overall``) and over those that contain one of `WHY`,
        whatever the case and also within a word (``why``).

    Raises
    ------
    InputError
        A source cannot be read, or an id is missing on one side.
    ValueError
        A policy is unknown.

    References
    ----------
    Rajpurkar et al. (2016), SQuAD: 100,000+ Questions for Machine Comprehension of Text, section
    6.1.

    Examples
    --------
    >>> gold = [
    ...     {"id": "a", "question": "Why did it flood?", "answers": {"text": ["the heavy rain"]}},
    ...     {"id": "b", "question": "What fell?", "answers": {"text": ["rain", "heavy rain"]}},
    ... ]
    >>> report = qa(gold, {"a": "Rain", "b": "Heavy rain."})
    >>> report["overall"].exact_match, report["why"].exact_match, report["why"].f1
    (0.5, 0.0, 0.6666666666666666)
    """
    check("unmatched", unmatched, Policy)
    chosen = find_protocol("qa", protocol)
    keep_apart([per_example], [gold, pred])
    settings = {
        "unmatched": unmatched,
        "official_order": official_order or None,
        "similarity": similarity,
        "judge": judge,
    }
    system = system_of(pred)
    of_gold, of_pred = COLUMNS[protocol]
    sides: list[Any] = [gold, pred]
    if gold_column is not None:
        sides[0] = take_answers(gold, gold_column, of_gold)
    if pred_column is not None:
        sides[1] = take_answers(pred, pred_column, of_pred)
    statistics = chosen.count(sides[0], sides[1], settings, "{name} is for {owner}")
    statistics = replace(statistics, system=system)
    if per_example is not None:
        statistics.write(per_example)
    return present(statistics, by)


def count_marks(gold: Any, pred: Any, *, unmatched: Policy = "error") -> Statistics:
    """Mark every answer as SQuAD 1.1 does."""
    questions, answers = read_questions(gold), read_answers(pred)
    both = match(questions.ids, answers.ids, unmatched, TEXTS)
    if questions.asked is not None and answers.asked is not None:
        both = same_texts(both, questions.asked, answers.asked, unmatched)
    rows = np.empty((len(both.keys), 3))
    fill_marks(rows, questions.answers, questions.lists, both.gold, answers.texts, both.pred)
    rows[:, 2] = asks_why(questions.texts)[both.gold]
    return Statistics.of_units(
        QuestionFormula(("exact_match", "f1"), ("why",)),
        f"fastcausal|{__version__}|answers|squad-1.1|why:{','.join(WHY)}|unmatched:{unmatched}",
        rows,
        pa.table({"id": both.keys} | questions.columns(both.gold)),
        system=system_of(pred),
        gold=digest_of(questions),
        warnings=both.warnings,
    )


def digest_of(questions: QuestionTexts) -> int:
    """Return the digest of gold answers, independent of order."""
    digest, (data, places), lists = 0, texts_of(questions.answers), questions.lists
    for start in range(0, len(questions.ids), BLOCK):
        own = slice(start, start + BLOCK)
        text, ends = _native.gold_lists((data, places, None), lists[start : start + BLOCK + 1])
        contents = strings_at(text, np.frombuffer(ends, np.int64).astype(np.int32).tobytes())
        digest += digest_of_texts(questions.ids[own], contents)
    return digest % 2**128


def asks_why(questions: pa.Array) -> npt.NDArray[np.bool_]:
    """Return a mask of questions with one of `WHY`, also within a word such as "because"."""
    return np.asarray(pc.match_substring_regex(questions, _WHY))
