"""Relations read from a column of raw answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays.arrow import compact, is_valid
from fastcausal.errors import InputError, Remedy
from fastcausal.files.records import Records
from fastcausal.files.values import pause_gc
from fastcausal.formats import span_lines, spans
from fastcausal.formats.cnc.tagged import token_counts
from fastcausal.formats.logs.replies import log_of
from fastcausal.formats.model_output.forms import FORMS, noted
from fastcausal.formats.model_output.plain import ParsedAnswers, parsed, value_at
from fastcausal.formats.model_output.shapes import Notes
from fastcausal.formats.model_output.sources import RawAnswers, saying
from fastcausal.formats.model_output.texts import relations_in
from fastcausal.formats.reading.builder import Builder, Int32, Int64, UnreadError, placed
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.formats.words import WordCutter, join_tokens, token_column, tokens_like
from fastcausal.marking import MARKING, Marking
from fastcausal.options import Occurrence, ReadFormat
from fastcausal.relations import Relations


def format_of(rows: Records) -> ReadFormat | None:
    """Return the format of rows of a log; None for other rows."""
    return "answers" if not rows.is_table and log_of(rows.objects()[0]) is not None else None


@pause_gc()
def read(
    # A row per example, in the form of `read_records`: the answer, and perhaps ``id`` and ``text``.
    # All other columns are carried along. Or a log, which needs no further arguments; nothing else
    # of it is carried along.
    source: RelationSource,
    # The gold side: its column ``text`` replaces a missing one, by id, or by place without ids
    like: Relations | None = None,
    # The column of answers, as text or as parsed values; or a path such as ``a.b.0.c`` into them
    answers: str | None = None,
    occurrence: Occurrence = "gap",  # As in `fastcausal.formats.spans.located`
    # The column of ids, or a path; by default ``id``, else ``custom_id``, or the ids of the log
    id: str | None = None,
    marking: Marking = MARKING,
) -> Relations:
    r"""Read relations from a column of raw answers, or from a log of a model.

    >>> relations = read([{"text": "Rain brings floods", "output":
    ...     '```json\n{"relations": [{"cause": "rain", "effect": "floods"}]}\n```'}],
    ...     answers="output")
    >>> relations.to_examples()[0]["relations"], relations.reading.notes
    ([{'cause': [(0, 1)], 'effect': [(2, 3)]}], {'answer in a fence': 1})
    """
    # Thinking is removed. Answers are read in fences, then in prose: as JSON,
    # Python literals, or JSON repaired by json_repair (extra ``llm``). ``reading.notes`` counts
    # each of these. An answer without JSON of relations is one null relation, and so is each
    # malformed relation: `Relations.unparsed` has the reasons.
    said = saying(source, answers, id)
    records, n = said.records, len(said.answers)
    rows, columns = placed(like, said.ids, n, records.name)
    if said.ids is not None:
        columns["id"] = said.ids
    notes = Notes.of_roles(marking)
    answered = parsed(said.answers, notes)
    answered.others.update(_unknown(said, like, rows))
    lengths = token_counts(like, "strict", rows)
    rule, tokens = WordCutter.choose(marking.words, like), tokens_like(like, rows)
    carried = dict(said.carried)
    if "tokens" in carried:
        own = carried.pop("tokens").to_pylist()
        tokens = [a if b is None else b for a, b in zip(tokens, own, strict=True)]
    relations = _located(
        said, answered, columns, lengths, occurrence == "gap", rule, tokens, marking
    )
    notes.update(relations.reading.notes)
    table = relations.table
    for name_of_column, column in carried.items():
        table = table.append_column(name_of_column, column)
    reading = replace(
        relations.reading, notes=dict(+notes), predicted=True, forms=_forms(answered, notes)
    )
    return Relations.trusted(table, reading)


def _located(
    said: RawAnswers,
    answered: ParsedAnswers,
    columns: Mapping[str, Any],
    lengths: Int32,
    by_gap: bool,
    rule: WordCutter,
    tokens: list[Any],
    marking: Marking,
) -> Relations:
    """Find the spans of answers in their own texts, or in gold's texts."""
    records, of_gold = said.records, columns.get("text")
    texts = span_lines.texts_among(said.texts, of_gold, len(said.answers))

    def where(k: int) -> str:
        return f"{records.locate(k)}: example {columns['id'][k] if 'id' in columns else k}"

    def text_of(k: int) -> Any:
        text = texts[k].as_py()
        # A missing text is reported later.
        return of_gold[k].as_py() if text is None and of_gold is not None else text

    letters = span_lines.open_texts(texts, answered.plain)
    located = find_spans(
        records.name, said.answers, answered, letters, lengths, by_gap, rule, tokens, marking,
        text_of, where,
    )  # fmt: skip
    columns = {**columns, "text": compact(texts), **token_column(tokens)}
    return located.table(columns, lines=records.lines)


def find_spans(
    name: str,  # The source, for messages
    answers: pa.Array | Sequence[Any],
    answered: ParsedAnswers,
    texts: span_lines.TextBytes,
    lengths: Int32,  # As in `span_lines.find_spans`
    by_gap: bool,
    rule: WordCutter,
    tokens: list[Any],  # The tokens of each example if they are given; those of a rule are set
    marking: Marking,
    text_of: Callable[[int], Any],  # Returns the text of an example
    where: Callable[[int], str],  # Names an example in messages
    lenient: bool = False,  # True makes an answer unread where it would be refused
) -> Builder:
    """Find the spans of answers in texts, and return the builder of their relations."""
    plain = answered.plain.copy()
    if others := [*answered.others, *(k for k, of in enumerate(tokens) if of is not None)]:
        plain[others] = 0
    if rule.cutting is not None:
        plain[:] = 0

    def add(build: Builder, k: int) -> None:
        relations = answered.others.get(k)
        if relations is None:
            relations = relations_in(value_at(answers, k), Notes.of_roles(marking))
        text = text_of(k)
        try:
            tokens[k] = given = rule.tokens_of(text, tokens[k])
            text = join_tokens(given) if text is None and given else text
            example = {"relations": relations}
            n = int(lengths[k])
            if given is None and spans.add_plain(build, example, text, n, by_gap, rule):
                return
            length = None if n < 0 else n
            spans.add_example(build, where(k), example, text, length, by_gap, rule, given)
        except InputError as error:
            if not lenient:
                raise InputError(f"{where(k)}: {error.problem}", error.remedy) from error
            build.unread_answer(where(k), UnreadError(error.problem))
            build.end_example(int(lengths[k]))

    return span_lines.find_spans(
        name, answered.written, texts, lengths, plain, by_gap, rule, add, marking.roles
    )


def _forms(answered: ParsedAnswers, notes: Notes) -> tuple[str, ...]:
    """Return the forms of the parsed answers; an answer without a note on its form is JSON."""
    forms = [form.name for form in FORMS if notes[noted(form)]]
    unread = sum(isinstance(each, UnreadError) for each in answered.others.values())
    n_noted = sum(notes[noted(form)] for form in FORMS)
    return tuple(sorted([*forms, *(["json"] if len(answered.plain) - unread > n_noted else [])]))


def _unknown(said: RawAnswers, like: Relations | None, rows: Int64) -> dict[int, UnreadError]:
    """Return the reasons of answers whose ids gold lacks: unread, for want of a text."""
    # InputError if gold lacks all ids.
    if like is None or like.ids is None or said.ids is None:
        return {}
    is_unknown = rows < 0
    if len(like.ids) and is_unknown.all():
        raise InputError(
            f'{said.records.locate(0)}: "{said.id}" is "{said.ids[0]}", and gold has no id of this '
            f'file: its "id" is "{like.ids[0]}" in the first example',
            Remedy("id", ("PATH",), "would name another column of ids"),
        )
    if said.texts is not None:
        is_unknown &= ~is_valid(said.texts)
    return {
        k: UnreadError(f'gold has no "{said.ids[k]}", and the answer no text')
        for k in np.flatnonzero(is_unknown).tolist()
    }
