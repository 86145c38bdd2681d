"""Exact match and F1 of predicted answers, as Rajpurkar et al. (2016) define them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays.arrow import strings
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.statistics import Statistics
from fastcausal.files.cells import columns_of
from fastcausal.files.keys import match
from fastcausal.files.targets import keep_apart
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import Policy, QuestionProtocol, check
from fastcausal.tasks.qa import fincausal2025
from fastcausal.tasks.qa.files import Question, read_answers, read_questions
from fastcausal.tasks.qa.formula import QuestionFormula
from fastcausal.tasks.qa.report import QAReport, present
from fastcausal.tasks.words import f1, words

AnswerMark = tuple[bool, float]
"""Exact match and F1 of one answer."""
TEXTS = ("questions of gold have no answer", "predicted answers have no question")
WHY = ("reason", "why", "cause", "resulted")
"""Parts of words that mark a question about a cause (Tan et al. 2023, section 6.4)."""


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
) -> QAReport:
    """Score predicted answers by exact match and F1, as SQuAD 1.1 does.

    Both compare words: lower case, without punctuation (ASCII) and the articles a, an, the. F1 is
    that of the two bags of words, 0 without a shared word, even if both are empty. With several
    gold answers the best one counts, separately for each score. Scores are fractions.

    Parameters
    ----------
    gold, pred : path, mapping or iterable of mappings
        Sources of `fastcausal.tasks.qa.files.read_questions` and ``read_answers``, joined by
        id.
    unmatched : {"error", "empty", "skip"}
        The policy for ids on one side alone. ``"empty"``: a question without an answer scores 0,
        as in the official program; ``"skip"``: it is left out. Either way, answers without a
        question are left out.
    per_example : path, optional
        A ``.parquet`` or ``.arrow`` file for the marks of every question.
    protocol : {"squad-1.1", "fincausal-2025"}
        ``"fincausal-2025"`` reads ``ID;Text;Question;Answer`` on both sides: answers match exactly
        if they are equal in lower case, without white space at their ends.
    official_order : bool
        Compare rows in file order, as the program of ``"fincausal-2025"`` does, and end where it
        ends.
    similarity, judge : str, optional
        Columns of predictions under ``"fincausal-2025"``: given similarities of each answer with
        gold, and marks from 1 to 5.
    by : str or sequence of str, optional
        Other columns of gold; each of their values becomes a subset.

    Returns
    -------
    QAReport
        The means over all questions (``overall``) and over those that contain one of `WHY`,
        whatever the case and also within a word (``why``).

    Raises
    ------
    InputError
        A source cannot be read, or an id has no counterpart.
    ValueError
        An unknown policy.

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
    check("protocol", protocol, QuestionProtocol)
    keep_apart([per_example], [gold, pred])
    if protocol == "fincausal-2025":
        marked = fincausal2025.statistics_of(
            gold,
            pred,
            official_order=official_order,
            similarity=similarity,
            judge=judge,
            unmatched=unmatched,
            system=system_of(pred),
        )
        if per_example is not None:
            marked.write(per_example)
        return present(marked, by)
    of_other = {"official_order": official_order, "similarity": similarity, "judge": judge}
    for name, value in of_other.items():
        if value:
            raise ValueError(f"{name} is for fincausal-2025")
    questions, answers = read_questions(gold), read_answers(pred)
    both = match(_ids(questions), _ids(answers), unmatched, TEXTS)
    every, said = [*questions.values()], [*answers.values()]
    asked = [every[row] for row in both.gold.tolist()]
    marks = [
        mark(question.answers, said[row]) if row >= 0 else (False, 0.0)
        for question, row in zip(asked, both.pred.tolist(), strict=True)
    ]
    why = [asks_why(question.text) for question in asked]
    signature = (
        f"fastcausal|{__version__}|answers|squad-1.1|why:{','.join(WHY)}|unmatched:{unmatched}"
    )
    statistics = Statistics.of_units(
        QuestionFormula(("exact_match", "f1"), ("why",)),
        signature,
        np.column_stack([np.array(marks, np.float64).reshape(-1, 2), np.array(why, np.float64)]),
        pa.table({"id": both.keys} | columns_of([question.besides for question in asked])),
        system=system_of(pred),
        gold=digest_of(questions),
        warnings=both.warnings,
    )
    if per_example is not None:
        statistics.write(per_example)
    return present(statistics, by)


def digest_of(questions: Mapping[str, Question]) -> int:
    """Return the digest of gold answers, independent of order."""
    contents = [json.dumps(sorted(question.answers)) for question in questions.values()]
    return digest_of_texts(_ids(questions), strings(contents))


def _ids(questions: Iterable[str]) -> pa.Array:
    # JSON can write half of a surrogate pair, but no other text can hold it.
    return strings([id.encode(errors="backslashreplace").decode() for id in questions])


def asks_why(question: str) -> bool:
    """Return True if a question contains one of `WHY`, also within a word such as "because"."""
    lowered = question.lower()
    return any(word in lowered for word in WHY)


def mark(gold: Sequence[str], pred: str) -> AnswerMark:
    """Tell if an answer is one of the gold answers, and give its best F1 with one of them."""
    answered = words(pred)
    wanted = [words(answer) for answer in set(gold)]
    if answered in wanted:
        return True, 1.0 if answered else 0.0
    return False, max(f1(answer, answered) for answer in wanted)
