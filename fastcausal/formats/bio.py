"""Tags of tokens: CoNLL-style files and lists of tag lists, one column of tags per relation."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import compact, is_utf8, is_valid, strings_at
from fastcausal.arrays.reading import LETTERS
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.files import LineNumbers, Source, replacing
from fastcausal.files.lines import first_object
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import kind, shown
from fastcausal.files.writing import Strings
from fastcausal.formats import _writing
from fastcausal.formats._tokens import NO_LIST, read_sentences, tag_rows, token_bounds
from fastcausal.formats.cnc.markup import TOKEN, count_tokens
from fastcausal.formats.examples import Block, blocks
from fastcausal.formats.reading.builder import (
    Builder,
    Int32,
    Int64,
    RoleSpan,
    UnreadError,
    messages,
    not_held,
    placed,
    take_or_missing,
    unread_message,
)
from fastcausal.formats.reading.format import Format
from fastcausal.formats.schemes import BEGINS, ENDS, EXPECTED, MARKS, is_tag, role_of_label
from fastcausal.formats.words import WordCutter
from fastcausal.marking import MARKING, Marking
from fastcausal.relations import ROLES, Relations

TAGS = ("ner_tags", "tags")  # columns of rows with tokens
MAX_TOKENS = 2**20  # of a sentence to read
MAX_TAGS = 2**24  # of an example to write: more than 1 GB in memory
OVERLAPS = "spans overlap their own role or have no tag"
LINE_ENDS, NO_TOKENS, NO_LINES = 1, 2, 4  # bits of `TagLoss` in csrc/tags/marked.hpp
_COMMENT = re.compile(r"# (id|text) *= ?(.*)", re.DOTALL)
_SPACE = re.compile(r"[ \t\x0b\x0c]+")

# First line, id and text of comments, and the columns of its tokens
_Sentence = tuple[int, dict[str, str], list[list[str]]]


def read(
    # File: a token per line, then a tag per relation, split by tabs or white space; a blank line
    # ends a sentence; ``# id = ...`` names it, ``# text = ...`` gives its white space if it splits
    # into the same tokens; other lines that start with ``# `` and do not end in a tag are comments.
    # Sequence: per example one list of tags, or a list of such lists. Tags are ``O``, ``B-label``,
    # ``I-label``, in IOBES also ``E-label`` and ``S-label``, in BILOU ``L-label`` and ``U-label``,
    # or several joined by ``|``; labels are Cause, Effect, Signal; C, E, S; ARG0, ARG1, SIG, in any
    # case.
    source: str | os.PathLike[str] | Source | Sequence[Any],
    # The gold side, example by example: lengths come from it, and ids if the source has none
    like: Relations | None = None,
    marking: Marking = MARKING,
) -> Relations:
    """Read a CoNLL-style file, or lists of tags."""
    # The table has the column ``text`` if read from a file. A relation is null if an I-,
    # E- or L- tag continues no span, if two tags of a token have the same role, or if its number of
    # tags is not the number of tokens of its example.
    if isinstance(source, str | os.PathLike | Source):
        file = Source.open(source)
        if _is_of_rows(file):
            return read_rows(read_records(file), marking)
        return _read_file(file, like, marking)
    build = Builder("tag lists", marking.roles)
    rows, columns = placed(like, None, len(source), build.name)
    nested = not any(isinstance(item, str) for item in chain.from_iterable(source))
    examples = [list(example) for example in source] if nested else [[tags] for tags in source]
    problems = Problems()

    def where(k: int) -> str:
        return f"example {k if like is None else like.name(k)}"

    _add(build, where, examples, _lengths(like, rows), problems, marking)
    problems.raise_if_any()
    return build.table(columns)


def has_tags(columns: Container[str]) -> bool:
    """Return True for the columns of rows with tokens and their tags."""
    return "tokens" in columns and any(column in columns for column in TAGS)


def read_rows(
    records: Records,
    marking: Marking = MARKING,
    # The names of classes by column, where tags are numbers
    classes: Mapping[str, Sequence[str]] | None = None,
) -> Relations:
    """Read a row per example: its tokens, and a tag or the number of a class for each."""
    build = Builder(records.name, marking.roles)
    problems = Problems()
    tags_in = records.require(*TAGS)
    names = (classes or {}).get(tags_in)
    ids = records.keys("id").to_pylist() if "id" in records else None
    examples: list[list[Any]] = []
    tokens: list[list[str]] = []

    def where(k: int) -> str:
        return f"{records.locate(k)}: example {k if ids is None else ids[k]}"

    for k, row in enumerate(records.objects()):
        words, tags = row.get("tokens"), row.get(tags_in)
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            problems.add(f'{where(k)}: "tokens" is {kind(words)}, expected a list of strings')
            words, tags = [], []
        if isinstance(tags, list) and any(type(tag) is int for tag in tags):
            if names is None or not all(type(t) is int and 0 <= t < len(names) for t in tags):
                known = "no names of classes" if names is None else f"{len(names)} classes"
                problems.add(
                    f'{where(k)}: "{tags_in}" has numbers, but there are {known}: expected tags as '
                    "text, or a table of datasets or its Parquet, which holds the names"
                )
                tags = ["O"] * len(words)
            else:
                tags = [names[tag] for tag in tags]
        is_nested = isinstance(tags, list) and bool(tags) and not isinstance(tags[0], str)
        examples.append([*tags] if tags and is_nested else [tags])
        tokens.append(words)
    _add(build, where, examples, np.array([*map(len, tokens)], np.int32), problems, marking)
    problems.raise_if_any()
    columns: dict[str, Any] = {} if ids is None else {"id": ids}
    columns["text"] = _texts(build, tokens, [None] * len(tokens), marking)
    further = records.drop(tags_in, *columns, "tokens", "length", "relations", "tagged", "types")
    columns |= {name: further[name] for name in further.column_names}
    return build.table(columns, lines=records.lines)


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write a CoNLL-style file: token, then a column of tags per relation, split by tabs."""
    # A table without texts gets ``_`` for every token. A text with other white space than single
    # spaces between tokens is also written as a comment ``# text = ...``.
    # InputError if an example has neither text nor length, or a text of another length.
    for block in blocks(relations):
        _require_tokens(block, np.ones(len(block), bool))
    unfit, spaces = Problems(), Problems()
    lost: list[str] = []
    has_ids = _fit_in_lines(relations.ids, lost)
    is_bare, between = False, b""
    with replacing(target) as file:
        for block in blocks(relations):
            is_bare |= block.texts.null_count > 0
            losses = np.zeros(len(block), np.int8)
            if lines := _lines(block, has_ids, losses, unfit):
                file.write(between + lines[:-1])
                between = b"\n"
            for k in np.flatnonzero(losses).tolist():
                if losses[k] & LINE_ENDS:
                    spaces.add(f"{block.name(k)}: line ends in its text become spaces")
                if losses[k] & NO_LINES:
                    lost.append(f"{block.name(k)} has no tokens and is left out")
                if losses[k] & NO_TOKENS:
                    lost.append(f"{block.name(k)} has no tokens, its relations are left out")
    held = {"length", "relations", "text", "tagged", UNPARSED, *(["id"] if has_ids else [])}
    lost += not_held(relations.table, held, "tag columns do not hold {}") + messages(spaces)
    if is_bare:
        lost.append('where there is no text, every token is written as "_"')
    return messages(unfit) + lost


def tag_lists(relations: Relations) -> tuple[list[list[list[str]]], list[str]]:
    """Return the relations as IOB2 tags."""
    # Returns tags per example, relation and token, and losses: unread relations, and spans that
    # overlap a span of the same role.
    lost = Problems()
    names, slots = _tag_names(relations.roles), _slots(relations.roles)
    tags: list[list[list[str]]] = []
    for block in blocks(relations):
        _require_tokens(block, np.diff(block.relation_places) > 0)
        left_out = np.zeros(block.n_relations, np.int32)
        for example in _writing.tag_codes(
            block.spans, block.first, len(block), _token_counts(block), slots, left_out
        ):
            tags.append([[names[code] for code in codes] for codes in example])
        for _, message in block.losses(left_out, OVERLAPS):
            lost.add(message)
    return tags, messages(lost)


def _lines(block: Block, has_ids: bool, losses: Any, unfit: Problems) -> bytes:
    """Return the examples of a block as lines, each with an empty line behind."""
    left_out = np.zeros(block.n_relations, np.int32)
    lines = _writing.write_tag_lines(
        Strings.take(block.texts),
        Strings.take(block.names) if has_ids else None,
        block.spans,
        block.first,
        len(block),
        _token_counts(block),
        _slots(block.relations.roles),
        [name.encode() for name in _tag_names(block.relations.roles)],
        block.by_letters,
        losses,
        left_out,
    )
    for _, message in block.losses(left_out, OVERLAPS):
        unfit.add(message)
    return lines


def _token_counts(block: Block) -> npt.NDArray[np.int64]:
    """Return the tokens of each example, -1 if unknown."""
    return np.where(is_valid(block.texts), block.n_tokens, block.lengths).astype(np.int64)


def _require_tokens(block: Block, needed: npt.NDArray[np.bool_]) -> None:
    """Raise InputError for the first needed example that cannot be written as tags."""
    counts = _token_counts(block)
    n_tags = counts * np.maximum(np.diff(block.relation_places), 1)
    unfit = (n_tags < 0) | (n_tags > MAX_TAGS) | (block.unfit & is_valid(block.texts))
    if not (unfit & needed).any():
        return
    k = int((unfit & needed).argmax())
    example = block.example(k)
    if example.text is not None:
        example.require_text()
    elif example.length is None:
        raise InputError(f"{example.name} has neither text nor length")
    raise InputError(
        f"{example.name}: {len(example.relations)} relations of {counts[k]} tokens, "
        f"expected at most {MAX_TAGS} tags in an example"
    )


def _slots(roles: tuple[str, ...]) -> npt.NDArray[np.int8]:
    """Return the place of each role among those with tags, -1 for others."""
    places = np.cumsum([role in ROLES for role in roles]) - 1
    return np.where([role in ROLES for role in roles], places, -1).astype(np.int8)


def _tag_names(roles: tuple[str, ...]) -> list[str]:
    """Return the tag of each code of csrc/tags/marked.hpp: two bits for each role with tags."""
    labels = [role.capitalize() for role in roles if role in ROLES]
    marks = [("", f"B-{label}", f"I-{label}", "") for label in labels]
    return [
        "|".join(filter(None, (mark[code >> 2 * k & 3] for k, mark in enumerate(marks)))) or "O"
        for code in range(4 ** len(ROLES))
    ]


def _read_file(source: Source, like: Relations | None, marking: Marking) -> Relations:
    if not is_utf8(source.data):
        source.text  # noqa: B018 names the byte
    build = Builder(source.name, marking.roles)
    problems = Problems()
    marks_of = _Marks(marking)
    is_native = len(marking.roles) <= len(ROLES)
    sentences = read_sentences(
        source.data,
        source.first,
        MAX_TOKENS,
        partial(_sentences_of_lines, source.name, problems),
        partial(_code, marks_of) if is_native else None,
    )
    n, lines = len(sentences), LineNumbers(lambda: sentences.lines)
    ids = _column(*sentences.ids)
    named = ids.null_count < n
    if named and ids.null_count:
        for k in np.flatnonzero(~is_valid(ids)).tolist():
            problems.add(f"{source.name}:{lines[k]}: the sentence has no id, others have")
    if ids.null_count:
        ids = ids.to_pylist()
    rows, of_gold = placed(like, ids if named else None, n, source.name)
    columns = of_gold | ({"id": ids} if named else {})

    def where(k: int) -> str:
        return f"{source.name}:{lines[k]}: example {columns['id'][k] if 'id' in columns else k}"

    known = _lengths(like, rows)
    lengths = np.where(known < 0, sentences.lengths, known)
    if is_native:

        def tags_of(k: int, number: int) -> Any:
            return sentences.sentence(k)[2 + number]

        _add_rows(build, where, sentences.rows, tags_of, lengths, problems, marks_of)
    else:
        examples = [[*sentences.sentence(k)[2:]] for k in range(n)]
        _add_plainly(build, where, examples, lengths, problems, marks_of)
    problems.raise_if_any()
    if WordCutter.choose(marking.words).by_letters:
        said, tokens = [], []
        for k in range(n):
            text, words, *_ = sentences.sentence(k)
            said.append(text)
            tokens.append(words)
        columns["text"] = _texts(build, tokens, said, marking)
    else:
        columns["text"] = _column(*sentences.texts)
    return build.table(columns, lines=lines)


def _column(data: bytes, places: bytes, valid: npt.NDArray[np.bool_]) -> pa.Array:
    """Return strings that native code has collected."""
    return compact(strings_at(data, places, None if valid.all() else valid, large=True))


def _sentences_of_lines(
    name: str, problems: Problems, first: int, text: str
) -> Iterator[_Sentence]:
    """Yield sentences of any lines, and add their problems."""
    lines = enumerate(text.split("\n"), first)
    first = 0
    said: dict[str, str] = {}
    rows: list[list[str]] = []
    for number, line in lines:
        if not line.strip(" \t\x0b\x0c"):
            if rows or said:
                yield first, said, _columns(rows)
            said, rows, first = {}, [], 0
            continue
        first = first or number
        if match := _COMMENT.fullmatch(line):
            if match[1] in said:
                problems.add(f'{name}:{number}: "# {match[1]} =" twice in a sentence')
            said[match[1]] = match[2]
            continue
        columns = line.split("\t") if "\t" in line else _SPACE.split(line.strip(" \x0b\x0c"))
        if line.startswith("# ") and "\t" not in line and not is_tag(columns[-1]):
            continue
        if rows and len(columns) != len(rows[0]):
            problems.add(f"{name}:{number}: {len(columns)} columns, expected {len(rows[0])}")
            continue
        if len(rows) == MAX_TOKENS:
            raise InputError(
                f"{name}:{number}: a sentence of more than {MAX_TOKENS} tokens; a blank "
                "line ends a sentence"
            )
        rows.append(columns)
    if rows or said:
        yield first, said, _columns(rows)


def _columns(rows: list[list[str]]) -> list[list[str]]:
    """Return the columns of rows, one empty column if there are none."""
    return list(map(list, zip(*rows, strict=True))) or [[]]


def _lengths(like: Relations | None, rows: Int64) -> Int32:
    return take_or_missing(np.empty(0, np.int32) if like is None else like.arrays.lengths, rows)


def _texts(
    build: Builder, tokens: list[list[str]], said: list[str | None], marking: Marking
) -> list[str | None]:
    """Return the text of each sentence: by letters, if all their tokens are, else with blanks."""
    if WordCutter.choose(marking.words).by_letters:
        by_letters = list(map(_join_letters, tokens, said))
        if None not in by_letters:
            build.words = LETTERS
            return by_letters
    return list(map(_sentence, tokens, said))


def _join_letters(tokens: list[str], said: str | None) -> str | None:
    """Join tokens by letters, without blanks between letters; None for other tokens."""
    if said is not None and _cut_letters(said) == tokens:
        return said
    text = tokens[0] if tokens else ""
    for before, token in pairwise(tokens):
        text += token if _cut_letters(before + token) == [before, token] else f" {token}"
    return text if _cut_letters(text) == tokens else None


def _cut_letters(text: str) -> list[str]:
    return [text[a:b] for a, b in zip(*token_bounds(text, by_letters=True), strict=True)]


def _sentence(tokens: list[str], said: str | None) -> str | None:
    """Join the tokens to a text; return None if a token contains white space."""
    # The text of the comment is preferred if its tokens are the same.
    if said is not None and TOKEN.findall(said) == tokens:
        return said
    text = " ".join(tokens)
    return text if count_tokens(text) == len(tokens) else None


def _add(
    build: Builder,
    where: Callable[[int], str],
    examples: list[list[Any]],
    lengths: npt.NDArray[Any],
    problems: Problems,
    marking: Marking,
) -> None:
    """Add examples, each a list of tag lists; a length of -1 is taken from the first of them."""
    marks_of = _Marks(marking)
    if len(marking.roles) > len(ROLES):
        _add_plainly(build, where, examples, lengths, problems, marks_of)
        return

    def tags_of(k: int, number: int) -> Any:
        return examples[k][number]

    rows = tag_rows(examples, partial(_code, marks_of))
    _add_rows(build, where, rows, tags_of, lengths, problems, marks_of)


def _add_rows(
    build: Builder,
    where: Callable[[int], str],
    found: tuple[Int32, Int64, Int64, Int32],  # See `tag_rows`
    tags_of: Callable[[int, int], Any],  # Of a relation of an example
    lengths: npt.NDArray[Any],
    problems: Problems,
    marks_of: _Marks,
) -> None:
    """Add examples whose tags native code has read; find the reasons for faulty ones."""
    values, row_offsets, relation_offsets, outcomes = found
    n_tags = np.where(outcomes < 0, -1 - outcomes, outcomes)
    widths, counts = np.diff(row_offsets), np.diff(relation_offsets)
    example = np.repeat(np.arange(len(counts)), counts)
    length = lengths.astype(np.int64)
    unknown = (length < 0) & (counts > 0)
    length[unknown] = n_tags[relation_offsets[:-1][unknown]]
    wrong = outcomes != length[example]
    mixed = set(example[outcomes == NO_LIST].tolist())
    before = -1
    for r in np.flatnonzero(wrong):
        k = int(example[r])
        if k in mixed:
            if k != before:
                problems.add(f"{where(k)}: expected lists of tags, and all examples alike")
            before = k
            continue
        number = int(r - relation_offsets[k])
        tags = tags_of(k, number)
        try:
            reason = str(_unread(tags, length[k], marks_of))
            build.unread.add(unread_message(where(k), number + 1, reason))
            build.reasons.append((k, number + 1, reason, " ".join(tags)))
        except InputError as error:
            problems.add(f"{where(k)}: {error}")
    if wrong.any():
        values = values[np.repeat(~wrong, widths)]
        widths = np.where(wrong, -1, widths)
    build.set_all(values, widths, counts, length)


def _add_plainly(
    build: Builder,
    where: Callable[[int], str],
    examples: list[list[Any]],
    lengths: npt.NDArray[Any],
    problems: Problems,
    marks_of: _Marks,
) -> None:
    """Add examples as `_add` does, in Python."""
    for k, (example, given) in enumerate(zip(examples, lengths.tolist(), strict=True)):
        length = given if given >= 0 else len(example[0]) if example else -1
        for tags in example:
            try:
                if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
                    raise InputError("expected lists of tags, and all examples alike")
                build.relation(_read_tags(tags, length, marks_of))
            except UnreadError as reason:
                build.unread_relation(where(k), reason)
            except InputError as error:
                problems.add(f"{where(k)}: {error}")
                break
        build.end_example(length)


def _unread(tags: Sequence[str], length: int | None, marks_of: _Marks) -> UnreadError:
    """Return the reason why the tags of a relation are unreadable."""
    try:
        _read_tags(tags, length, marks_of)
    except UnreadError as reason:
        return reason
    raise AssertionError(tags)


def _read_tags(tags: Sequence[str], length: int | None, marks_of: _Marks) -> list[RoleSpan]:
    """Return the spans of tags; roles are independent."""
    spans: list[RoleSpan] = []
    opened: dict[int, int] = {}  # the first token of each open span, by role
    for k, tag in enumerate(tags):
        marks = marks_of(tag)
        if len({role for _, role in marks}) < len(marks):
            raise _tags_unread(f'token {k}: "{tag}" has two tags of one role', tags)
        if any(not mark & BEGINS and role not in opened for mark, role in marks):
            raise _tags_unread(f'token {k}: "{tag}" continues a span that has not begun', tags)
        goes_on = {role for mark, role in marks if not mark & BEGINS}
        for role in opened.keys() - goes_on:
            spans.append((role, opened.pop(role), k))
        for mark, role in marks:
            opened.setdefault(role, k)
            if mark & ENDS:
                spans.append((role, opened.pop(role), k + 1))
    if len(tags) != length:
        raise _tags_unread(f"has {len(tags)} tokens, expected {length}", tags)
    spans += [(role, start, len(tags)) for role, start in opened.items()]
    return sorted(spans)


def _tags_unread(reason: str, tags: Sequence[str]) -> UnreadError:
    return UnreadError(reason, " ".join(tags))


def _code(marks_of: _Marks, tag: str) -> int:
    """Return the bits of a tag for native code: roles that begin, continue and end."""
    try:
        marks = marks_of(tag)
    except InputError:
        return -1
    if len({role for _, role in marks}) < len(marks):
        return -1
    code = 0
    for mark, role in marks:
        code |= 1 << (role if mark & BEGINS else role + len(ROLES))
        code |= bool(mark & ENDS) << (role + 2 * len(ROLES))
    return code


class _Marks(dict[str, tuple[tuple[int, int], ...]]):
    """(mark, role) for each tag of a token, by the tags of the token."""

    def __init__(self, marking: Marking) -> None:
        self._marking = marking

    def __call__(self, tag: str) -> tuple[tuple[int, int], ...]:
        """Return the marks of a token; refuse anything but tags."""
        if tag not in self:
            self[tag] = self._read(tag)
        return self[tag]

    def _read(self, tag: str) -> tuple[tuple[int, int], ...]:
        if not is_tag(tag):
            raise InputError(f"{shown(tag)} is not a tag, expected {EXPECTED} a label")
        marks = []
        for part in tag.split("|"):
            if part == "O":
                continue
            role = role_of_label(part[2:], self._marking)
            if role is None:
                known = ", ".join(self._marking.roles)
                raise InputError(f"unknown label {shown(part[2:])}, expected one of {known}")
            marks.append((MARKS[part[0]], role))
        return tuple(marks)


def _fit_in_lines(ids: pa.ChunkedArray | None, lost: list[str]) -> bool:
    """Return True if there are ids and each fits in a comment line."""
    if ids is None:
        return False
    if any("\n" in name or "\r" in name for name in ids.to_pylist()):
        lost.append("ids with line ends have no place in a comment line")
        return False
    return True


def _sniff(source: Source) -> bool:
    if source.is_json:
        return _is_of_rows(source)
    return any(_is_line(line) for _, line in islice(source.lines(), 1000))


def _is_of_rows(source: Source) -> bool:
    """Return True for JSON lines of tokens and their tags."""
    row = first_object(source) if source.is_json else {}
    return has_tags(row) and "relations" not in row


def _is_line(line: str) -> bool:
    columns = line.split()
    return line.startswith("# id = ") or (len(columns) > 1 and is_tag(columns[-1]))


SUFFIXES = (".bio", ".iob", ".iob2", ".conll")
FORMAT = Format(
    "bio",
    read,
    write,
    suffixes=SUFFIXES,
    takes=("like", "roles", "role", "words"),  # its tokens win over ``words``
    sniff=_sniff,
    empty=False,
)
