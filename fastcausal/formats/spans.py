"""Relations as texts of their spans, in the form of language models: JSON lines."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import numpy as np

from fastcausal.arrays.arrow import is_valid
from fastcausal.arrays.examples import FURTHER, TYPE, count_further, misnamed, read_type
from fastcausal.arrays.unparsed import IS_NULL, UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import Source
from fastcausal.files.spelling import TEXT, Spelling, notify_of_text, spelled
from fastcausal.files.values import JsonTexts, kind, pause_gc, shown
from fastcausal.files.writing import JSON, Strings, WrittenColumn, json_cells, json_lines
from fastcausal.formats import _writing, span_lines
from fastcausal.formats._tokens import spans_of
from fastcausal.formats.blockwise import Blockwise
from fastcausal.formats.cnc.tagged import token_counts
from fastcausal.formats.examples import Block
from fastcausal.formats.reading.builder import (
    Builder,
    ColumnBuilder,
    RoleSpan,
    UnreadError,
    ids_of,
    placed,
    roles_not_held,
)
from fastcausal.formats.reading.folders import LINE_FILES
from fastcausal.formats.reading.format import Format
from fastcausal.formats.sentences import AMBIGUOUS, CUT, WHITE, CharRange, Found, SearchedSentence
from fastcausal.formats.words import WordCutter, join_tokens, token_column, tokens_like
from fastcausal.marking import MARKING, Marking
from fastcausal.options import Occurrence
from fastcausal.relations import ROLES, Reading, Relations

NUMBERS = {role: k for k, role in enumerate(ROLES)}
HELD = ("id", "text", "length", "tokens", "relations", "tagged", UNPARSED)  # not further columns
SIGNAL = NUMBERS["signal"]
NO_TEXT = (
    'no "text" to find its spans in, expected one here or in gold; without texts, [start, stop] in '
    'tokens with a "length" would do'
)


@pause_gc()
def read(
    source: str | os.PathLike[str] | Source | Sequence[Mapping[str, Any]],
    like: Relations | None = None,
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
) -> Relations:
    """Read relations from span texts or character offsets.

    Parameters
    ----------
    source : path or sequence of mappings
        A line or mapping per example: ``{"id", "text", "relations": [{"cause": ..., "effect":
        ..., "signal": ...}]}``. A role has a text, ``[start, stop]`` or ``{"start", "stop"}``
        (characters of ``text``, stop exclusive), or a list of these; an empty text, null or a
        missing role marks nothing. Its ``type`` is a text. A relation may be null: unread.
        ``reading.notes`` counts its further keys, such as ``confidence``. A list ``tokens`` has
        the tokens of the example, whatever ``words`` says.
    like : Relations, optional
        The gold side: its column ``text`` replaces a missing ``text``, by id, or by place without
        ids.
    occurrence : {"gap", "first"}
        As in `located`.

    Returns
    -------
    Relations
        A text is searched exactly, then regardless of case and white space; occurrences of whole
        tokens come first. Then quotes and dashes are mapped to one form, then punctuation around
        the text is dropped, then an ellipsis splits it into several spans. ``reading.notes``
        counts each of these ways, ``"ambiguous span"`` (the text occurs again) and ``"span cut a
        token"`` (widened to whole tokens). A relation is null if a text is not found, if offsets
        are outside the text or mark no token, or if the text has another number of tokens than in
        ``like``.

    Raises
    ------
    InputError
        A line has another form, has a key that may be meant as a missing role, or needs a text
        that is missing.

    Examples
    --------
    >>> relations = read([{"text": "Heavy rain causes floods", "relations": [
    ...     {"cause": "heavy rain", "effect": [18, 24]}]}])
    >>> relations.to_examples()[0]["relations"]
    [{'cause': [(0, 2)], 'effect': [(3, 4)]}]
    """
    problems = Problems()
    lines: list[int] | None = None
    if isinstance(source, str | os.PathLike | Source):
        source = Source.open(source)
        name = source.name
        rule = WordCutter.choose(marking.words, like)
        if marking.roles == ROLES:
            quick = span_lines.read(source, like, occurrence == "gap", rule, HELD, add_example)
            if quick is not None:
                return quick
        numbered = list(source.objects(problems))
        lines, examples = [n for n, _ in numbered], [example for _, example in numbered]
        examples = Spelling("id", "text", "relations").respell(examples)
    else:
        name = "span texts"
        examples = list(map(dict, source))
    places = [f"{name}:{n}" for n in lines] if lines else [name] * len(examples)
    ids = ids_of([example.get("id") for example in examples], places, problems)
    problems.raise_if_any()
    return located(name, examples, like, occurrence, places, lines, ids, marking)


@pause_gc()
def located(
    name: str,  # The source, for messages
    # In the form of `read`. An `UnreadError`, the reason for failure, may replace a relation, or
    # all relations of an example.
    examples: Sequence[Mapping[str, Any]],
    like: Relations | None,  # As in `read`
    # The choice among several occurrences of a text. "gap": for a signal the one inside the gap
    # between Cause and Effect, else nearest to it; for Cause or Effect the one nearest to the
    # other; a repeated text means two occurrences. "first": always the first one.
    occurrence: Occurrence,
    places: Sequence[str],  # Of each example, for messages
    lines: Sequence[int] | None = None,
    ids: Sequence[str] | None = None,
    marking: Marking = MARKING,
) -> Relations:
    """Find the spans of examples in their texts."""
    problems = Problems()
    rows, of_gold = placed(like, ids, len(examples), name)
    columns: dict[str, Any] = of_gold | ({"id": ids} if ids is not None else {})
    texts = columns["text"].to_pylist() if "text" in columns else [None] * len(examples)
    counts = token_counts(like, "strict", rows).tolist()
    build = Builder(name, marking.roles)
    further = ColumnBuilder(HELD)
    rule, by_gap = WordCutter.choose(marking.words, like), occurrence == "gap"
    build.words = rule.name
    others: set[str] = set()
    tokens = tokens_like(like, rows)

    def where(k: int) -> str:
        return f"{places[k]}: example {columns['id'][k] if 'id' in columns else k}"

    for k, example in enumerate(examples):
        own = example.get("text")
        text = own if own is not None else texts[k]
        if text is None and (found := _sentence(example)):
            text = example[found]
            others.add(found)
        try:
            given = tokens[k] if example.get("tokens") is None else example["tokens"]
            tokens[k] = given = rule.tokens_of(text, given)
            texts[k] = text = join_tokens(given) if text is None and given else text
            if given is not None or not add_plain(build, example, text, counts[k], by_gap, rule):
                length = None if counts[k] < 0 else counts[k]
                add_example(build, where(k), example, text, length, by_gap, rule, given)
            further.add(example)
        except InputError as error:
            problems.add(f"{where(k)}: {error.problem}", error.remedy)
    problems.raise_if_any()
    if others:
        notify_of_text(name, next(iter(others)))
    columns |= {"text": texts, **token_column(tokens), **further.typed(name)}
    return build.table(columns, lines=lines)


class _SpanWriter:
    """The writer of span texts as JSON lines, with character offsets for ambiguous texts.

    InputError if an example with relations has no text, or one of another length.
    """

    header: bytes = b""

    def __init__(self, relations: Relations, target: str | os.PathLike[str]) -> None:
        self.checks: tuple[Callable[[Block], None], ...] = (_require_texts,)
        self._written = JsonTexts()
        self._roles = [json.dumps(role, ensure_ascii=False).encode() for role in relations.roles]
        names = relations.table.column_names
        held = (*HELD, *([] if relations.types is None else ["types"]))
        self._further = [name for name in names if name == "tokens" or name not in held]
        self._has_ids = relations.ids is not None

    def rows(self, block: Block) -> bytes:
        """Return the lines of a block."""
        texts = Strings.take(block.texts)
        types = None if block.types is None else Strings.take(block.types)
        rows = block.spans, block.first, len(block)
        made = _writing.write_span_texts(texts, types, *rows, self._roles, block.by_letters)
        cells = {"id": json_cells(block.names, self._written)} if self._has_ids else {}
        cells |= {
            "text": WrittenColumn(texts, JSON, null=None),
            "relations": WrittenColumn(Strings.wrap(*made)),
        }
        cells |= {name: json_cells(block.table[name], self._written) for name in self._further}
        return json_lines(cells, len(block))

    def lost(self, reading: Reading) -> list[str]:
        """Return messages on values and roles."""
        return [*self._written.lost, *roles_not_held(reading.roles)]


def _require_texts(block: Block) -> None:
    """Raise InputError for a missing text of relations, or one of another length."""
    block.require_texts(is_valid(block.texts) | (np.diff(block.relation_places) > 0))


def _sentence(example: Mapping[str, Any]) -> str | None:
    """Return the key of a text under another word for it."""
    found = spelled(example, [TEXT])
    return next((name for name in found if isinstance(example[name], str)), None)


def add_plain(
    build: Builder,
    example: Mapping[str, Any],
    text: Any,
    length: int,
    by_gap: bool,
    rule: WordCutter,
) -> bool:
    """Add a plain example as `add_example` does, but fast; return False for other examples."""
    if build.roles != ROLES:
        return False
    signal = SIGNAL if by_gap else -1
    relations = example.get("relations")
    located = spans_of(relations, NUMBERS, signal, text, length, rule.by_letters)
    if located is None:
        return False
    n_tokens, relations, n_again, n_cut, n_texts = located
    for spans, relation in zip(relations, example["relations"], strict=True):
        build.relation(spans, relation.get(TYPE))
    build.end_example(n_tokens)
    if n_texts:
        build.spans = "gap" if by_gap else "first"
    if n_again or n_cut:
        build.notes[AMBIGUOUS] += n_again
        build.notes[CUT] += n_cut
    return True


def add_example(
    build: Builder,
    where: str,
    example: Mapping[str, Any],
    text: Any,
    length: int | None,
    by_gap: bool,
    rule: WordCutter,
    tokens: Sequence[str] | None = None,  # The tokens given for it
) -> None:
    """Add one example; raise InputError for a malformed one."""
    relations = example.get("relations")
    if "relations" not in example:
        raise InputError('no "relations"')
    if relations is None or isinstance(relations, UnreadError):
        build.unread_answer(where, relations or UnreadError(IS_NULL))
        relations = ()
    if not isinstance(relations, list | tuple):
        raise InputError(f'"relations" is {kind(relations)}, expected a list')
    if text is not None and not isinstance(text, str):
        raise InputError(f'"text" is {kind(text)}, expected a string')
    sentence = None if text is None else rule.sentence(text, tokens)
    n_tokens = length if sentence is None else len(sentence.starts)
    for relation in relations:
        try:
            if relation is None:
                raise UnreadError(IS_NULL)
            if isinstance(relation, UnreadError):
                raise relation
            fits = length is None or n_tokens == length
            values = sorted(_values(relation, build.roles), key=itemgetter(0))
            of_type = _read_type(relation, build.roles)
            build.notes[FURTHER] += count_further(relation, build.roles)
            if not fits:
                raise UnreadError(f"the text has {n_tokens} tokens, expected {length}")
            if sentence is None and values:
                raise InputError(NO_TEXT)
            located = _spans(build, sentence or SearchedSentence(""), values, by_gap)
            build.relation(located, of_type)
        except UnreadError as reason:
            build.unread_relation(where, reason)
    build.end_example(length if length is not None else n_tokens)


def _read_type(relation: Mapping[str, Any], roles: Sequence[str]) -> str | None:
    value = relation.get(TYPE)
    if TYPE not in roles and not isinstance(value, str | None):
        raise InputError(f'"{TYPE}" is {kind(value)}, expected a text')
    return read_type(relation, roles)


def _values(relation: Any, roles: Sequence[str]) -> Iterable[tuple[int, Any]]:
    """Yield (role, text or (start, stop)) of each span of a relation."""
    if not isinstance(relation, Mapping):
        raise InputError(f"a relation is {kind(relation)}, expected an object")
    if (key := misnamed(relation, roles)) is not None:
        raise InputError(f"unknown role {shown(key)}, expected one of {', '.join(roles)}")
    for role, value in relation.items():
        if role not in roles:
            continue
        many = isinstance(value, list | tuple) and not _is_pair(value)
        for item in value if many else [value]:
            if item is None or (isinstance(item, str) and not item.strip(WHITE)):
                continue
            place = (item.get("start"), item.get("stop")) if isinstance(item, Mapping) else item
            if not isinstance(place, str) and not _is_pair(place):
                raise InputError(f'"{role}" is {kind(item)}, expected a text or character offsets')
            yield roles.index(role), place


def _is_pair(value: Any) -> bool:
    """Return True for [start, stop]."""
    return isinstance(value, list | tuple) and [type(item) for item in value] == [int, int]


def _spans(
    build: Builder, sentence: SearchedSentence, values: Sequence[tuple[int, Any]], by_gap: bool
) -> list[RoleSpan]:
    """Return the spans of a relation from (role, text or characters), with signals last."""
    spans: list[RoleSpan] = []
    taken: set[tuple[int, CharRange]] = set()
    numbers = _roles_around_gap(build.roles)
    rank = partial(_search_rank, sentence, numbers[2])
    order = sorted(values, key=rank) if by_gap else values
    for role, value in order:
        if isinstance(value, str):
            others = [span for span in spans if span[0] != role]
            near = _gaps(sentence, others, numbers) if by_gap else ()
            of_role = {place for other, place in taken if other == role} if by_gap else ()
            places = sentence.pieces(value, near, of_role)
            build.spans = "gap" if by_gap else "first"
        else:
            places = [_locate_offsets(sentence, *value)]
        for start, stop, again, way in places:
            first, last, cut = sentence.tokens(start, stop)
            spans.append((role, first, last))
            taken.add((role, (start, stop)))
            for note, noted in ((AMBIGUOUS, again), (CUT, cut), (way, way != "")):
                build.notes[note] += noted
    return sorted(spans)


def _search_rank(sentence: SearchedSentence, signal: int, value: tuple[int, Any]) -> int:
    """Return the order of search: 0 unique texts, 1 repeated Cause or Effect, 2 signals.

    UnreadError if a text does not occur.
    """
    role, place = value
    if role == signal:
        return 2
    return isinstance(place, str) and any(piece.again for piece in sentence.pieces(place))


def _roles_around_gap(roles: Sequence[str]) -> tuple[int, int, int]:
    """Return the numbers of cause, effect and signal, -1 for a role that there is not."""
    cause, effect, signal = (roles.index(role) if role in roles else -1 for role in ROLES)
    return cause, effect, signal


def _gaps(
    sentence: SearchedSentence, spans: Iterable[RoleSpan], numbers: tuple[int, int, int]
) -> list[CharRange]:
    """Return the expected places of a signal: between Cause and Effect, else beside one."""
    given = [
        (min(start for start, _ in bounds), max(stop for _, stop in bounds))
        for bounds in (
            [(sentence.starts[a], sentence.stops[b - 1]) for role, a, b in spans if role == of]
            for of in numbers[:2]
        )
        if bounds
    ]
    if len(given) == 2:
        (_, start), (stop, _) = sorted(given)
        return [(min(start, stop), max(start, stop))]
    return [(bound, bound) for bounds in given for bound in bounds]


def _locate_offsets(sentence: SearchedSentence, start: int, stop: int) -> Found:
    if not 0 <= start < stop <= len(sentence.text):
        raise UnreadError(f"characters {start} to {stop} do not fit a text of {len(sentence.text)}")
    return Found(start, stop, again=False)


def _is_row(row: Mapping[str, Any]) -> bool:
    relations = row["relations"]
    kinds = {type(r) for r in relations} if isinstance(relations, list) else set()
    is_another = "length" in row or "entities" in row  # jsonl, doccano
    if dict not in kinds or list in kinds or is_another:
        return False
    objects = (each for each in relations if isinstance(each, dict))
    return not any({"head", "child"} <= each.keys() for each in objects)  # prodigy


FORMAT = Format(
    "spans",
    read,
    Blockwise(_SpanWriter),
    takes=("like", "occurrence", "roles", "words"),
    folder=LINE_FILES,
    key="relations",
    is_row=_is_row,
    empty=False,
)
