"""Answers of a model to questions with options: read by a rule, counted by policies."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import numbers, strings
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.arrays.strata import By, columns_by
from fastcausal.counts.files import system_of
from fastcausal.counts.labels import Label
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, Remedy, Warnings
from fastcausal.files.cells import encodable
from fastcausal.files.keys import Match, lacking, match
from fastcausal.files.targets import keep_apart
from fastcausal.files.texts import same_texts, texts_in
from fastcausal.files.values import shown
from fastcausal.formats.reading.sources import LabelSource
from fastcausal.options import AnswerKind, AnswerPolicy, AnswerReading, ChoiceProtocol, Policy
from fastcausal.significance.sums import Int64
from fastcausal.tasks.classification.choices.files import (
    Asked,
    Given,
    parse_numbers,
    read_given,
    read_questions,
)
from fastcausal.tasks.classification.choices.formula import ChoiceFormula
from fastcausal.tasks.classification.choices.protocols import Choosing, choosing
from fastcausal.tasks.classification.choices.readings import READINGS, YES, readings_of
from fastcausal.tasks.classification.choices.report import ANSWER, ChoiceReport, present
from fastcausal.tasks.classification.choices.words import match_pattern, pattern_of

TEXTS = ("questions have no answer", "answers are to no question")
QUESTION = ("question", "text", "sentence")  # columns with the text of a question
ALLOWED = Remedy("unmatched", ("wrong", "skip"), "would allow it")
TIED = " answers have several highest scores: the first of them counts"


class Chosen(NamedTuple):
    """Questions with the answers of a model to them."""

    settings: Choosing
    questions: Asked
    given: Given
    rows: Int64  # int64[n]: The row of the answer to each question, -1 for none
    distinct: list[Any]  # The distinct answers
    places: Int64  # int64[n]: The answer to each question, by index; -1 for none
    warnings: Warnings

    def codes(self, reading: AnswerReading) -> Int64:
        """Return the option of each answer by a reading, as an index: int64[n].

        The two indices after the options stand for an unparsed and for a missing answer.
        """
        options, read = self.questions.labels, READINGS[reading].read
        place = {option: k for k, option in enumerate(options)} | {None: len(options)}
        pattern = self.settings.pattern
        values = self.distinct if pattern is None else [_within(v, pattern) for v in self.distinct]
        of_values = [place[read(value, self.questions.forms)] for value in values]
        codes = np.array([*of_values, len(options) + 1], np.int64)
        return codes[self.places]

    def value(self, row: int) -> Any:
        """Return the answer to a question; None for a missing answer and for null."""
        place = int(self.places[row])
        return None if place < 0 else self.distinct[place]


def choices(
    gold: LabelSource,
    pred: LabelSource,
    *,
    protocol: ChoiceProtocol | None = None,
    answers: AnswerKind | None = None,
    read: AnswerReading | None = None,
    column: str | None = None,
    pattern: str | None = None,
    labels: Sequence[Label] | None = None,
    undefined: float | None = None,
    unparsed: AnswerPolicy | None = None,
    unmatched: AnswerPolicy | None = None,
    by: By = None,
    per_example: str | os.PathLike[str] | None = None,
) -> ChoiceReport:
    """Score a model's answers to questions with options.

    Parameters
    ----------
    gold : path, table or list
        Any source of `fastcausal.tasks.classification.choices.files.read_questions`.
    pred : path, table, mapping or list
        Any source of `fastcausal.tasks.classification.choices.files.read_given`; joined by id.
    protocol : str, optional
        A published program; other arguments override its settings.
    answers : {"binary", "letter", "choice"}, optional
        Yes and no; letters; or a number or text from a list. Needed without a protocol.
    read : str, optional
        The reading, of `fastcausal.tasks.classification.choices.readings.READINGS`.
    column : str, optional
        The column of the answers, or a path such as ``a.b.0.c``.
    pattern : str, optional
        A regular expression with one group; the text in the group is the answer. Text without a
        match, or with matches that differ, names no option.
    labels : sequence of int or str, optional
        The options of letters and choices.
    undefined : {None, 0.0, 1.0}
        The value of 0/0.
    unparsed, unmatched : {"wrong", "skip", "error"}, optional
        The policy for an answer that names no option, and for a question without an answer; by
        default ``"wrong"``.
    by : str or sequence of str, optional
        Columns of gold; each of their values becomes a subset.
    per_example : path, optional
        A ``.parquet`` or ``.arrow`` file for the readings of every answer.

    Raises
    ------
    InputError
        A source cannot be read or joined, no answer names an option, or the policy ``"error"``
        applies.
    ValueError
        A setting is unknown.

    Examples
    --------
    >>> gold = [{"id": 1, "label": "yes"}, {"id": 2, "label": "no"}, {"id": 3, "label": "no"}]
    >>> pred = [{"id": 1, "answer": "Yes, because"}, {"id": 2, "answer": "Nothing follows"}]
    >>> report = choices(gold, pred, answers="binary")
    >>> report["overall"].accuracy, report["as_cladder"].accuracy, report["read"].accuracy
    (0.3333333333333333, 0.6666666666666666, 1.0)
    >>> report.n, report.n_unparsed, report.n_missing
    (3, 1, 1)
    """
    keep_apart([per_example], [gold, pred])
    settings = choosing(
        protocol,
        answers=answers,
        read=read,
        pattern=pattern,
        undefined=undefined,
        unparsed=unparsed,
        unmatched=unmatched,
    )
    chosen = joined(gold, pred, settings, column, labels, by)
    columns = chosen.questions.columns
    wanted = columns_by(by) or tuple(name for name in settings.by if name in columns)
    statistics = statistics_of(chosen, system_of(pred))
    if per_example is not None:
        statistics.write(per_example)
    return present(statistics, wanted)


def joined(
    gold: Any,
    pred: Any,
    settings: Choosing,
    column: str | None = None,
    labels: Sequence[Label] | None = None,
    by: By = None,
) -> Chosen:
    """Read questions and answers, and join them by id."""
    given = read_given(pred, column)
    wanted = (*columns_by(by), *settings.by)
    questions = read_questions(gold, settings.answers, labels, wanted, given.n_options)
    warnings: Warnings = {("", TIED): (given.n_ties,)} if given.n_ties else {}
    rows = _rows(questions, given, settings, warnings)
    distinct, place = _distinct(_values(questions, given))
    places = np.append(place, -1)[rows]  # [-1] is the last
    return Chosen(settings, questions, given, rows, distinct, places, warnings)


def read_gold(
    gold: Any,
    protocol: ChoiceProtocol | None = None,
    answers: AnswerKind | None = None,
    read: AnswerReading | None = None,
    column: str | None = None,
    labels: Sequence[Label] | None = None,
    **options: Any,
) -> tuple[Any, Any]:
    """Read gold for many runs, and answer each question by its right option."""
    settings = choosing(protocol, answers=answers, read=read)
    questions = read_questions(gold, settings.answers, labels)
    values = [questions.labels[code] for code in questions.codes.tolist()]
    if settings.read == "same":
        by_option = {option: form for form, option in questions.forms.items()}
        values = [by_option[value] for value in values]
    if questions.ids is None:
        return questions.records, values
    ids = questions.ids.to_pylist()
    rows = [{"id": id, column or ANSWER: v} for id, v in zip(ids, values, strict=True)]
    return questions.records, rows


def public(gold: Any, **options: Any) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the questions of gold with all options in turn, and always with the first.

    >>> public([{"id": 1, "label": "yes"}, {"id": 2, "label": "yes"}], answers="binary")[0]
    [{'id': '1', 'label': 'no'}, {'id': '2', 'label': 'yes'}]
    """
    # Options are as in `read_gold`.
    settings = choosing(
        options.get("protocol"), answers=options["answers"], read=options.get("read")
    )
    questions = read_questions(gold, settings.answers, options.get("labels"))
    by_option = {option: form for form, option in questions.forms.items()}
    n = len(questions.codes)
    named = [{}] * n if questions.ids is None else [{"id": id} for id in questions.ids.to_pylist()]
    labels = questions.labels
    first = by_option[labels[0]] if settings.read == "same" else labels[0]
    turns = [{**row, "label": labels[k % len(labels)]} for k, row in enumerate(named)]
    return turns, [{**row, options.get("column") or ANSWER: first} for row in named]


def _distinct(values: list[Any]) -> tuple[list[Any], Int64]:
    """Return the distinct answers, and the index of each answer among them."""
    known: dict[Any, int] = {}
    places = [known.setdefault((value.__class__, value), len(known)) for value in values]
    return [value for _, value in known], np.array(places, np.int64)


def statistics_of(chosen: Chosen, system: str | None) -> Statistics:
    """Count the option of gold and of the answer to every question, by every reading."""
    settings, questions, warnings = chosen.settings, chosen.questions, chosen.warnings
    others = tuple(r for r in readings_of(settings.answers) if r != settings.read)
    codes = chosen.codes(settings.read)
    is_read = codes < len(questions.labels)
    if settings.unparsed == "error" or ((chosen.places >= 0).any() and not is_read.any()):
        _require_read(chosen, codes)
    formula = ChoiceFormula(
        questions.labels,
        given=True,
        positive=YES if settings.answers == "binary" else None,
        undefined=settings.undefined,
        readings=others,
        unparsed=settings.unparsed,
        unmatched=settings.unmatched,
        rarer=settings.rarer,
    )
    columns = [questions.codes, codes, *(chosen.codes(reading) for reading in others)]
    texts = [None if value is None else encodable(str(value)) for value in chosen.distinct]
    is_missing = chosen.places < 0
    answers = strings([*texts, None]).take(numbers(np.where(is_missing, len(texts), chosen.places)))
    ids = questions.ids
    units = {} if ids is None else {"id": ids}
    names = numbers(np.arange(len(codes))).cast(pa.string()) if ids is None else ids
    return Statistics.of_units(
        formula,
        settings.signature,
        np.stack(columns, axis=1),
        pa.table(units | questions.columns | {ANSWER: answers}),
        system=system,
        gold=digest_of_texts(names, strings(questions.labels).take(numbers(questions.codes))),
        warnings=warnings,
    )


def _values(questions: Asked, given: Given) -> list[Any]:
    """Return the answers in gold's form: convert indices of scores, and cells of CSV."""
    forms = [*questions.forms]
    if given.n_options:
        if given.n_options != len(questions.labels):
            raise InputError(
                f"{given.records.name} has {given.n_options} scores of each answer, "
                f"gold has {len(questions.labels)} options"
            )
        return [None if value is None else forms[value] for value in given.values]
    is_text = any(isinstance(form, str) for form in forms)
    return given.values if is_text or given.records.typed else parse_numbers(given.values)


def _rows(questions: Asked, given: Given, settings: Choosing, warnings: Warnings) -> Int64:
    """Return the row of the answer to each question: by id, or by place without ids."""
    n, records = len(questions.codes), given.records
    if questions.ids is None or given.ids is None:
        if questions.ids is not given.ids or n != len(given.values):
            lacks = records if given.ids is None else questions.records
            raise InputError(
                f"{lacks.name} has no ids to join by: {n} questions, {len(given.values)} answers"
            )
        both = Match(pa.nulls(n, pa.string()), np.arange(n), np.arange(n), {})
        return _compare_texts(both, questions, given, settings, warnings).pred
    policy: Policy = "error" if settings.unmatched == "error" else "empty"
    both = match(questions.ids, given.ids, policy, TEXTS, ALLOWED)
    if len(surplus := lacking(given.ids, questions.ids)):
        if settings.surplus == "error":
            row = int(surplus[0])
            raise InputError(f'{records.locate(row)}: id "{given.ids[row]}" is of no question')
        warnings["", f" {TEXTS[1]} and are left out"] = (len(surplus),)
    return _compare_texts(both, questions, given, settings, warnings).pred


def _compare_texts(
    both: Match, questions: Asked, given: Given, settings: Choosing, warnings: Warnings
) -> Match:
    """Compare the texts of questions, if the answers have them."""
    policy: Policy = "error" if settings.unmatched == "error" else "empty"
    asked, answered = (texts_in(side.records, *QUESTION) for side in (questions, given))
    compared = same_texts(both._replace(warnings={}), asked, answered, policy, ALLOWED)
    if compared.warnings:
        [counts] = compared.warnings.values()
        warnings[f"unmatched={settings.unmatched}: ", " answers are to another question"] = counts
    return compared


def _require_read(chosen: Chosen, codes: Int64) -> None:
    """Raise InputError for the first answer that names no option."""
    unread = np.flatnonzero(codes == len(chosen.questions.labels))
    if not len(unread):
        return
    row = int(unread[0])
    place = chosen.given.records.locate(int(chosen.rows[row]))
    ids = chosen.questions.ids
    name = "" if ids is None else f'id "{ids[row]}": '
    options = ", ".join(chosen.questions.labels[:10])
    more = f", nor do {len(unread) - 1} more" if len(unread) > 1 else ""
    message = (
        f"{place}: {name}the answer {shown(chosen.value(row))} names no option by the reading "
        f"{chosen.settings.read}, expected one of {options}{more}"
    )
    if len(unread) == int((chosen.places >= 0).sum()):
        remedy = Remedy("pattern", ("REGEX",), "with a group around the answer would find it")
        raise InputError(f"{message}: no answer is read", remedy)
    raise InputError(message, Remedy("unparsed", ("wrong", "skip"), "would allow it"))


def _within(value: Any, pattern: str) -> Any:
    """Return the part of a text that a pattern finds; other values unchanged."""
    return match_pattern(value, pattern_of(pattern)) if isinstance(value, str) else value
