"""Relations as texts of their spans, the way language models give them: JSON lines."""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

from fastcausal.arrays.arrow import without
from fastcausal.errors import InputError, Problems
from fastcausal.formats._tokens import offset_spans, token_bounds
from fastcausal.formats.cnc import tagged
from fastcausal.formats.examples import examples
from fastcausal.formats.io.builder import (
    Builder,
    Columns,
    Span,
    UnreadError,
    ids_of,
    messages,
    placed,
)
from fastcausal.formats.io.files import Source, replacing
from fastcausal.formats.io.format import Format
from fastcausal.formats.io.values import Written, kind, shown
from fastcausal.options import Occurrence
from fastcausal.relations import ROLES, Relations

NUMBERS = {role: k for k, role in enumerate(ROLES)}
HELD = ("id", "text", "length", "relations", "tagged")  # no columns of their own
WHITE = " \t\n\r\x0b\x0c"


def read(
    source: str | os.PathLike[str] | Source | Sequence[Mapping[str, Any]],
    like: Relations | None = None,
    occurrence: Occurrence = "gap",
) -> Relations:
    """Read relations given as span texts or character offsets.

    Parameters
    ----------
    source : path or sequence of mappings
        A line or mapping per example: ``{"id", "text", "relations": [{"cause": ..., "effect":
        ..., "signal": ...}]}``. A role has a text, ``[start, stop]`` or ``{"start", "stop"}``
        (characters of ``text``, stop exclusive), or a list of these; an empty text, null or a
        missing role marks nothing. A relation may be null: unread.
    like : Relations, optional
        The gold side: its column ``text`` stands in for a missing ``text``, by id, or by place
        where the source has no ids.
    occurrence : {"gap", "first"}
        As in `located`.

    Returns
    -------
    Relations
        A text is located as it stands, else regardless of case and white space; occurrences that
        are whole tokens come first, then the first one is taken. ``reading.notes`` counts
        ``"ambiguous span"`` (it occurs again) and ``"span cut a token"`` (widened to whole
        tokens). A relation is null where a text is not found, offsets are out of the text or mark
        no token, or the text has another number of tokens than ``like`` says.

    Raises
    ------
    InputError
        A line is not of this form, names an unknown role, or needs a text that is nowhere.

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
        numbered = list(source.objects(problems))
        lines, examples = [n for n, _ in numbered], [dict(e) for _, e in numbered]
    else:
        name = "span texts"
        examples = list(map(dict, source))
    places = [f"{name}:{n}" for n in lines] if lines else [name] * len(examples)
    ids = ids_of([example.get("id") for example in examples], places, problems)
    problems.raise_if_any()
    return located(name, examples, like, occurrence, places, lines, ids)


def located(
    name: str,
    examples: Sequence[Mapping[str, Any]],
    like: Relations | None,
    occurrence: Occurrence,
    places: Sequence[str],
    lines: Sequence[int] | None = None,
    ids: Sequence[str] | None = None,
) -> Relations:
    """Find the spans of examples in their texts.

    Parameters
    ----------
    name : str
        The source, for messages.
    examples : sequence of mappings
        As `read` takes them. In place of a relation may stand an `UnreadError`, the reason why it
        cannot be read.
    like : Relations, optional
        As in `read`.
    occurrence : {"gap", "first"}
        Which occurrence a text means that occurs several times: for a signal the one inside the
        gap between Cause and Effect, else nearest to them; or the first one.
    places : sequence of str
        Where each example stands, for messages.
    lines : sequence of int, optional
        The line of each example.
    ids : sequence of str, optional
        Their ids.
    """
    problems = Problems()
    rows, of_gold = placed(like, ids, len(examples), name)
    columns: dict[str, Any] = of_gold | ({"id": ids} if ids is not None else {})
    texts = columns["text"].to_pylist() if "text" in columns else [None] * len(examples)
    counts = tagged.token_counts(like, "strict", rows).tolist()
    build = Builder(name)
    further = Columns(HELD)
    for k, example in enumerate(examples):
        where = f"{places[k]}: example {columns['id'][k] if 'id' in columns else k}"
        own = example.get("text")
        texts[k] = own if own is not None else texts[k]
        try:
            _add(build, where, example, texts[k], None if counts[k] < 0 else counts[k])
            further.add(example)
        except InputError as error:
            problems.add(f"{where}: {error}")
    problems.raise_if_any()
    return build.table({**columns, "text": texts, **further.typed(name)}, lines=lines)


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write span texts as JSON lines, with character offsets where a text would mislead.

    InputError where an example with relations has no text, or one of another length.
    """
    lost = Problems()
    lines = []
    written = Written()
    further = without(relations.table, HELD).to_pylist()
    for example, columns in zip(examples(relations), further, strict=True):
        line: dict[str, Any] = {"id": example.id} if relations.ids is not None else {}
        if example.text is not None or len(example.row):
            line["text"] = example.require_text()
        sentence = Sentence(example.text or "")
        line["relations"] = []
        for number, spans in enumerate(example.relations, 1):
            named: dict[str, list[Any]] = {}
            for role, start, stop in spans or ():
                name = relations.roles[role]
                if name in ROLES:
                    named.setdefault(name, []).append(_value(sentence, start, stop))
                else:
                    lost.add(f'{example.name}: relation {number}: role "{name}" is left out')
            line["relations"].append(None if spans is None else named)
        lines.append(written.json(line | columns) + "\n")
    with replacing(target) as file:
        file.write("".join(lines).encode())
    return written.lost + messages(lost)


class Sentence:
    """A text whose spans are looked up, in characters and in tokens."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts: list[int]
        self.stops: list[int]
        self.starts, self.stops = token_bounds(text)

    def locate(self, wanted: str) -> tuple[int, int, bool]:
        """Find the characters [start, stop) of a span text, and whether it occurs again.

        Raises
        ------
        UnreadError
            It does not occur.
        """
        wanted = wanted.strip(WHITE)
        for occurrences in (_whole_occurrences, _occurrences):
            for letters in (self._exact, self._loose):
                folded = letters.fold(wanted)
                places = list(islice(occurrences(letters, folded), 2))
                if places:
                    return *letters.place(places[0], len(folded)), len(places) > 1
        raise UnreadError(f"{shown(wanted)} is not in the text")

    def tokens(self, start: int, stop: int) -> tuple[int, int, bool]:
        """Find the tokens that characters [start, stop) touch, and whether one is cut."""
        first = bisect_right(self.stops, start)
        last = bisect_left(self.starts, stop)
        if first >= last:
            raise UnreadError(f"characters {start} to {stop} mark no token")
        return first, last, self.starts[first] < start or stop < self.stops[last - 1]

    @cached_property
    def _exact(self) -> Letters:
        return Letters(self.text, range(len(self.text)), self.starts, frozenset(self.stops))

    @cached_property
    def _loose(self) -> Letters:
        """The text without case and white space."""
        letters: list[str] = []
        origins: list[int] = []
        for k, letter in enumerate(self.text):
            if not letter.isspace():
                folded = letter.casefold()  # may be several characters
                letters.append(folded)
                origins += [k] * len(folded)
        starts, stops = set(self.starts), set(self.stops)
        return Letters(
            "".join(letters),
            origins,
            [place for place, origin in enumerate(origins) if origin in starts],
            frozenset(place for place, origin in enumerate(origins, 1) if origin + 1 in stops),
            loose=True,
        )


@dataclass(frozen=True)
class Letters:
    """The letters of a text that are compared.

    Attributes
    ----------
    text : str
    origins : sequence of int
        Where each of them stands in the sentence.
    starts, stops : sequence and set of int
        Where tokens start and where they stop, in this text.
    loose : bool
        Whether case and white space were taken out.
    """

    text: str
    origins: Sequence[int]
    starts: Sequence[int]
    stops: frozenset[int]
    loose: bool = False

    def fold(self, wanted: str) -> str:
        """Return the letters that another text is compared by."""
        return "".join(wanted.casefold().split()) if self.loose else wanted

    def place(self, start: int, n: int) -> tuple[int, int]:
        """Return the characters [start, stop) of the sentence that n letters are from."""
        return self.origins[start], self.origins[start + n - 1] + 1


def _occurrences(letters: Letters, wanted: str) -> Iterator[int]:
    """Find where a text that is not empty occurs."""
    start = letters.text.find(wanted) if wanted else -1
    while start >= 0:
        yield start
        start = letters.text.find(wanted, start + 1)


def _whole_occurrences(letters: Letters, wanted: str) -> Iterator[int]:
    """Find where a text occurs as whole tokens.

    A search for all occurrences would take quadratic time in texts that repeat themselves; this
    looks at token starts alone, from the first place where it occurs at all.
    """
    near = letters.text.find(wanted) if wanted else -1
    while near >= 0:
        for start in letters.starts[bisect_left(letters.starts, near) :]:
            if start + len(wanted) in letters.stops and letters.text.startswith(wanted, start):
                yield start
                near = letters.text.find(wanted, start + 1)
                break
        else:
            return


def _add(
    build: Builder, where: str, example: Mapping[str, Any], text: Any, length: int | None
) -> None:
    """Add one example; InputError says what is wrong with its form."""
    relations = example.get("relations")
    if "relations" not in example:
        raise InputError('no "relations"')
    if relations is None:
        relations = [None]
    if not isinstance(relations, list | tuple):
        raise InputError(f'"relations" is {kind(relations)}, expected a list')
    if text is not None and not isinstance(text, str):
        raise InputError(f'"text" is {kind(text)}, expected a string')
    sentence = None if text is None else Sentence(text)
    n_tokens = length if sentence is None else len(sentence.starts)
    for number, relation in enumerate(relations, 1):
        try:
            if relation is None:
                raise UnreadError("it is null")
            if isinstance(relation, UnreadError):
                raise relation
            fits = length is None or n_tokens == length
            located = None
            if sentence is not None and fits:
                located = offset_spans(
                    relation, NUMBERS, sentence.starts, sentence.stops, len(sentence.text)
                )
            if located is not None:
                build.relation(located[0])
                build.notes["span cut a token"] += located[1]
                continue
            values = list(_values(relation))
            if not fits:
                raise UnreadError(f"the text has {n_tokens} tokens, expected {length}")
            build.relation(sorted(_locate(build, sentence, role, v) for role, v in values))
        except UnreadError as reason:
            build.unread_relation(f"{where}: relation {number}: {reason}")
    build.end_example(length if length is not None else n_tokens)


def _values(relation: Any) -> Iterable[tuple[int, Any]]:
    """Yield (role, text or (start, stop)) of each span of a relation."""
    if not isinstance(relation, Mapping):
        raise InputError(f"a relation is {kind(relation)}, expected an object")
    for role, value in relation.items():
        if role not in ROLES:
            raise InputError(f"unknown role {shown(role)}, expected one of {', '.join(ROLES)}")
        many = isinstance(value, list | tuple) and not _is_pair(value)
        for item in value if many else [value]:
            if item is None or (isinstance(item, str) and not item.strip(WHITE)):
                continue
            place = (item.get("start"), item.get("stop")) if isinstance(item, Mapping) else item
            if not isinstance(place, str) and not _is_pair(place):
                raise InputError(f'"{role}" is {kind(item)}, expected a text or character offsets')
            yield ROLES.index(role), place


def _is_pair(value: Any) -> bool:
    """Tell whether a value is [start, stop]."""
    return isinstance(value, list | tuple) and [type(item) for item in value] == [int, int]


def _locate(build: Builder, sentence: Sentence | None, role: int, value: Any) -> Span:
    if sentence is None:
        raise InputError('no "text" here, and none in the examples to be like')
    if isinstance(value, str):
        start, stop, again = sentence.locate(value)
        build.notes["ambiguous span"] += again
    else:
        start, stop = value
        if not 0 <= start < stop <= len(sentence.text):
            raise UnreadError(
                f"characters {start} to {stop} do not fit a text of {len(sentence.text)}"
            )
    first, last, cut = sentence.tokens(start, stop)
    build.notes["span cut a token"] += cut
    return role, first, last


def _value(sentence: Sentence, start: int, stop: int) -> str | dict[str, int]:
    """Return the text of a span, or its characters where the text would be found elsewhere."""
    bounds = (sentence.starts[start], sentence.stops[stop - 1])
    text = sentence.text[slice(*bounds)]
    if sentence.locate(text)[:2] == bounds:
        return text
    return dict(zip(("start", "stop"), bounds, strict=True))


def _is_row(row: Mapping[str, Any]) -> bool:
    relations = row["relations"]
    kinds = {type(r) for r in relations} if isinstance(relations, list) else set()
    is_another = "length" in row or "entities" in row  # jsonl, doccano
    return dict in kinds and list not in kinds and not is_another


FORMAT = Format(
    "spans",
    read,
    write,
    takes=("like", "occurrence"),
    key="relations",
    is_row=_is_row,
    empty=False,
)
