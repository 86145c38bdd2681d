"""Labels and answers against gold, in one call: plainly, or by a published program's rules."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from fastcausal.arrays.strata import By
from fastcausal.counts.files import system_of
from fastcausal.counts.labels import Label
from fastcausal.counts.task import TaskProtocol, find_protocol, resolve
from fastcausal.files.targets import keep_apart
from fastcausal.formats.reading.sources import LabelSource
from fastcausal.options import (
    AnswerKind,
    AnswerPolicy,
    AnswerReading,
    LabelProtocol,
)
from fastcausal.tasks.classification import ANSWERS
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.classification.count import ClassificationScorer
from fastcausal.tasks.classification.report import ClassificationReport, present


def classify(
    gold: LabelSource,
    pred: LabelSource,
    *,
    labels: Sequence[Label] | None = None,
    map: Mapping[Label, Label] | str | None = None,
    positive: Label = 1,
    undefined: float | None = None,
    unparsed: AnswerPolicy | None = None,
    unmatched: AnswerPolicy | None = None,
    per_example: str | os.PathLike[str] | None = None,
    by: By = None,
    protocol: LabelProtocol | None = None,
    answers: AnswerKind | None = None,
    read: AnswerReading | None = None,
    column: str | None = None,
    pattern: str | None = None,
    gold_column: str | None = None,
    pred_column: str | None = None,
) -> ClassificationReport:
    """Score sentence labels, such as causal or not, or a model's answers to questions.

    Parameters
    ----------
    gold : path, list, array, column or table
        Gold; - for stdin. Any source of `fastcausal.tasks.classification.files.read`, or for
        answers of `fastcausal.tasks.classification.choices.count.choices`.
    pred : path, list, array, column or table
        Predictions of a system. Joined by name if both sides have names, else by position.
    labels : sequence of int or str, optional
        Expect only these classes, for example 0,1; any other label is an error. None takes the
        labels of gold and pred.
    map : mapping, or str such as ``"yes=1,no=0"``, optional
        Rename labels of both sides, for example yes=1,no=0.
    positive : int or str
        Treat this class as the positive one. Its scores are ``report["positive"]``.
    undefined : {None, 0.0, 1.0}
        Set scores of 0/0 to this value. None leaves them undefined: NaN in Python, null in JSON.
    unparsed : {"wrong", "skip", "error"}, optional
        Stop at unparsed predictions, skip them, or count answers as wrong (their default).
        Predictions are unparsed if they are null, answers if they name no option. Labels stop by
        default.
    unmatched : {"wrong", "skip", "error"}, optional
        Stop at ids that one side lacks, skip them, or count missing answers as wrong. The defaults
        are those of ``unparsed``.
    per_example : path, optional
        A ``.parquet`` or ``.arrow`` file for the pair of labels of every example.
    by : str or sequence of str, optional
        Columns of gold; each of their values becomes a subset.
    protocol : str, optional
        Read and count as a published program does.
    answers : {"binary", "letter", "choice"}, optional
        Read a model's answers: yes or no, a letter, a number or text from a list. See
        `fastcausal.tasks.classification.choices.count.choices`.
    read : str, optional
        Read answers by this rule; by default first-word, letter or same.
    column : str, optional
        Take answers from this column or path, such as a.b.0.c; by default answer.
    pattern : str, optional
        Take the text in this pattern's only group as the answer.
    gold_column, pred_column : str, optional
        Take labels of GOLD, and those of PRED, from this column; one table may be both.

    Returns
    -------
    ClassificationReport

    Raises
    ------
    InputError
        A source cannot be read, has an unknown label, or the sides do not match; or, without
        ``labels``, no label of pred occurs in gold.
    ValueError
        A policy or protocol is unknown, or the classes or their new names are invalid.

    Examples
    --------
    >>> import fastcausal as fc
    >>> report = fc.classify(gold=[1, 1, 0, 0], pred=[1, 0, 0, 0])
    >>> report["overall"].accuracy, report["positive"].recall, report.classes[0].fp
    (0.75, 0.5, 1)
    >>> fc.classify(["yes", "no"], ["Yes!", "Hardly"], answers="binary")["overall"].accuracy
    0.5
    """
    keep_apart([per_example], [gold, pred])
    of_answers = {"answers": answers, "read": read, "column": column, "pattern": pattern}
    if (published := _find_published(protocol, answers)) is not None:
        settings: dict[str, Any] = {
            "protocol": protocol,
            "labels": labels,
            "map": map,
            "undefined": undefined,
            "unparsed": unparsed,
            "by": by,
            "unmatched": unmatched,
            "per_example": per_example,
            **of_answers,
            "gold_column": gold_column,
            "pred_column": pred_column,
            "positive": None if positive == 1 else positive,
        }
        refusal = f"{{name}} is not for {protocol or 'answers'}, expected none"
        report: ClassificationReport = published.count(gold, pred, settings, refusal)
        return report
    for name, value in of_answers.items():
        if value is not None:
            raise ValueError(f"{name} is {value!r}, expected answers or a protocol as well")
    scorer = ClassificationScorer(
        labels=labels,
        map=map,
        positive=positive,
        undefined=undefined,
        unparsed=unparsed or "error",  # type: ignore[arg-type]  # the scorer checks it
        unmatched=unmatched or "error",  # type: ignore[arg-type]
    )
    system = system_of(pred)
    sides: list[Any] = [gold, pred]
    for k, column in enumerate((gold_column, pred_column)):
        if column is not None:
            sides[k] = label_format.read(sides[k], ("gold", "pred")[k], column)
    batch = scorer.align(*sides)
    scorer.add(batch)
    scorer.require_common()
    plain = scorer.report(batch, system)
    if per_example is not None:
        plain.statistics.write(per_example)
    return plain if by is None else present(plain.statistics, by)


def read_gold(
    gold: Any,
    protocol: LabelProtocol | None = None,
    answers: AnswerKind | None = None,
    **options: Any,
) -> tuple[Any, Any]:
    """Read gold for many runs, and make predictions that repeat it."""
    published = _find_published(protocol, answers)
    if published is None:
        return label_format.read_gold(gold, **options)
    sides: tuple[Any, Any] = resolve(published.read)(
        gold, protocol=protocol, answers=answers, **options
    )
    return sides


def public(
    gold: Any,
    protocol: LabelProtocol | None = None,
    answers: AnswerKind | None = None,
    **options: Any,
) -> tuple[Any, Any] | None:
    """Return gold with labels that reveal no answers (all in turn), and minimal predictions."""
    published = _find_published(protocol, answers)
    if published is None:
        return label_format.public(gold)
    if not published.public:
        return None
    parts: tuple[Any, Any] | None = resolve(published.public)(
        gold, protocol=protocol, answers=answers, **options
    )
    return parts


def _find_published(
    protocol: LabelProtocol | None, answers: AnswerKind | None
) -> TaskProtocol | None:
    """Return the protocol that the settings name; None if labels are counted plainly."""
    if protocol is None:
        return None if answers is None else ANSWERS
    return find_protocol("classify", protocol)
