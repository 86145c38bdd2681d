"""Keys: names that join the rows of two sources, each of them once.

::

    gold keys, pred keys ── match ──▶ rows of gold, rows of pred, warnings
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import _ids, arrow
from fastcausal.arrays import compute as pc
from fastcausal.errors import InputError, Remedy, Warnings, format_some, warning_lines
from fastcausal.options import Policy

Int64 = npt.NDArray[np.int64]
Keys: TypeAlias = "pa.Array | pa.ChunkedArray"
Where = Callable[[int], str]
GroupCodes = tuple[Int64, Int64]
"""The group of each row, and the first row of each group; groups are in the order of these."""

EXAMPLES = ("examples of gold have no prediction", "of pred are not in gold")
SHORT_RUN = 8  # values
ID_LIKE = re.compile(r"(^|[^A-Za-z])(uuid|uid|[iI][dD]|index|key)$|[a-z]I[dD]$")  # eg_id, egId
BY_NUMBER: ContextVar[bool] = ContextVar("id_numbers", default=False)
ALLOWED = Remedy("unmatched", ("empty", "skip"), "would allow it")


class RepeatedError(InputError):
    """A key that occurs twice."""


class Match(NamedTuple):
    """Matched rows of two sources."""

    keys: pa.Array
    # int64[n]: The row of each key in either source, -1 if missing
    gold: Int64
    pred: Int64
    warnings: Warnings  # The numbers of keys on one side alone


def match(
    gold: Keys,  # Keys without null, each once
    pred: Keys,
    # A key of one side alone is an error, keeps its row without a partner, or is left out
    unmatched: Policy,
    # The sentence about keys missing in pred, and about those missing in gold
    texts: tuple[str, str] = EXAMPLES,
    remedy: Remedy | None = ALLOWED,
    extra: bool = False,  # Append the rows of pred that gold lacks, under ``"empty"``
    # Returns the place of a row of gold, and of pred; the error message starts with it
    where: tuple[Where, Where] | None = None,
) -> Match:
    """Join the rows of two sources by key, in the order of gold."""
    gold, pred = arrow.joined(gold), arrow.joined(pred)
    rows = np.arange(len(gold))
    if gold.equals(pred):
        return Match(gold, rows, rows, {})
    if BY_NUMBER.get():
        ours, theirs = numbered(gold), numbered(pred)
        for side, keys in ((gold, ours), (pred, theirs)):
            require_unique(keys, called=partial(_read_number, side))
    else:
        ours, theirs = gold, pred
    at = places_of(ours, theirs)
    missing, surplus = np.flatnonzero(at < 0), lacking(theirs, ours)
    warnings: Warnings = {}
    if len(missing) or len(surplus):
        only_gold = f" {texts[0]}{format_keys(gold, missing)}, "
        only_pred = f" {texts[1]}{format_keys(pred, surplus)}"
        counts = (len(missing), len(surplus))
        if unmatched == "error":
            place = "" if where is None else f"{_first(where, missing, surplus)}: "
            message = warning_lines({(place, only_gold, only_pred): counts})[0]
            if 0 < len(gold) == len(missing) and 0 < len(pred) == len(surplus):
                raise strangers(gold, pred, f"{message}: ", remedy=remedy)
            raise InputError(message, remedy)
        warnings[f"unmatched={unmatched}: ", only_gold, only_pred] = counts
    if unmatched == "skip":
        rows, at = rows[at >= 0], at[at >= 0]
        return Match(gold.take(arrow.numbers(rows)), rows, at, warnings)
    if not extra:
        return Match(gold, rows, at, warnings)
    keys = pa.concat_arrays([gold, pred.take(arrow.numbers(surplus))])
    rows = np.append(rows, np.full(len(surplus), -1))
    return Match(keys, rows, np.append(at, surplus), warnings)


def strangers(
    gold: Keys,  # Keys, at least one each
    pred: Keys,
    place: str = "",  # Begins the message
    called: tuple[str, str] = ("id", "gold"),  # The names of a key and of the first source
    remedy: Remedy | None = None,
) -> InputError:
    """Return the error for two sources without a common key, with the first key of both.

    >>> print(strangers(pa.array(["1", "2"]), pa.array(["002", "001"])).problem)
    "id" is "002", and gold has no id of this file: its first is "1"; as numbers, all would join
    """
    key, side = called
    message = f'{place}"{key}" is "{pred[0]}", and {side} has no {key} of this file: '
    message += f'its first is "{gold[0]}"'
    if join_as_numbers(gold, pred):
        message += "; as numbers, all would join"
        remedy = Remedy("id_numbers", (), "would join them", remedy)
    return InputError(message, remedy)


def join_as_numbers(gold: Keys, pred: Keys) -> bool:
    """Return True if all keys of two sources are the same, each once, when read as numbers.

    >>> join_as_numbers(pa.array(["1", "2"]), pa.array(["2.0", "01"]))
    True
    """
    if len(gold) != len(pred) or gold.type != pred.type or gold.type != pa.string():
        return False
    ours, theirs = numbered(gold), numbered(pred)
    return repeated(ours) is None and not len(lacking(ours, theirs)) and repeated(theirs) is None


def numbered(keys: Keys) -> Keys:
    """Write keys that are whole numbers without zeros in front, decimal point and blanks.

    >>> numbered(pa.array(["001", " 1", "1.0", "0", "a1"])).to_pylist()
    ['1', '1', '1', '0', 'a1']
    """
    if keys.type != pa.string():
        return keys
    return pc.replace_substring_regex(keys, r"^\s*0*([0-9]+)(\.0+)?\s*$", r"\1")


@contextmanager
def id_numbers() -> Iterator[None]:
    """Join ids by number in a ``with`` block, so that 001, 1.0 and 1 are one id.

    All functions of the block that read or join ids do so, as with ``--id-numbers`` of every
    command. Other ids stay as they are.

    Examples
    --------
    >>> import fastcausal as fc
    >>> gold, pred = {"id": ["1", "2"], "label": [1, 0]}, {"id": ["002", "1.0"], "label": [0, 1]}
    >>> with fc.id_numbers():
    ...     fc.classify(gold, pred)["overall"].accuracy
    1.0
    """
    token = BY_NUMBER.set(True)
    try:
        yield
    finally:
        BY_NUMBER.reset(token)


def unknown_ids(pred: pa.Table, gold: Collection[str]) -> str | None:
    """Return the column of pred, which lacks the ids that gold has, that looks like ids.

    >>> unknown_ids(pa.table({"eg_id": ["1", "2"]}), ["id", "text"])
    'eg_id'
    """
    # Its name ends in ``id``, ``index`` or ``key`` and is not one of gold's columns, and its values
    # are distinct texts or integers.
    for name in pred.column_names:
        if name in gold or not ID_LIKE.search(name):
            continue
        of = pred[name].type
        are_keys = not pred[name].null_count and (pa.types.is_integer(of) or of == pa.string())
        if are_keys and repeated(pred[name]) is None:
            return str(name)
    return None


def refuse_unknown_ids(pred: pa.Table, gold: Collection[str], name: str) -> None:
    """Raise InputError if pred has `unknown_ids`, so that it is not joined by position."""
    if (column := unknown_ids(pred, gold)) is not None:
        raise InputError(
            f'{name} has no "id" as gold has, and "{column}" is unknown; name it "id", or leave it '
            "out to join by position"
        )


def _read_number(keys: Keys, row: int) -> str:
    return f'id "{keys[row]}", as a number,'


def _first(where: tuple[Where, Where], missing: Int64, surplus: Int64) -> str:
    """Return the place of the first row without a partner, of pred if it has one."""
    return where[1](int(surplus[0])) if len(surplus) else where[0](int(missing[0]))


def places_of(keys: Keys, known: Keys) -> Int64:
    """Return the index of each key among known ones, -1 if unknown: int64[n]."""
    keys, known = arrow.joined(keys), arrow.joined(known)
    if keys.equals(known):
        return np.arange(len(keys))
    return arrow.values_of(pc.index_in(keys, known), -1).astype(np.int64)


def lacking(keys: Keys, known: Keys) -> Int64:
    """Return the rows whose keys are unknown: int64[n]."""
    return np.flatnonzero(places_of(keys, known) < 0)


def format_keys(keys: Keys, rows: Int64) -> str:
    """Format the first keys of some rows, as in `format_some`.

    >>> format_keys(pa.array([7, 8, 9]), np.array([0, 2]))
    ' ("7", "9")'
    """
    return format_some([str(keys[row]) for row in rows[:4].tolist()])


def require_unique(
    keys: Keys | Int64,
    where: Where | None = None,  # Returns the place of a row
    called: Where | None = None,  # Returns the name of a row's key; by default an id
) -> None:
    """Raise InputError for the first repeated key; null may repeat."""
    if (rows := repeated(keys)) is None:
        return
    first, again = rows
    key = f'id "{keys[again]}"' if called is None else called(again)
    if where is None:
        raise RepeatedError(f"{key} occurs twice")
    raise RepeatedError(f"{where(again)}: {key} occurs twice, first in {where(first)}")


def repeated(keys: Iterable[Any]) -> tuple[int, int] | None:
    """Return both rows of the first repeated key; null may repeat."""
    if isinstance(keys, pa.Array | pa.ChunkedArray | np.ndarray):
        if are_unique(keys):
            return None
        keys = keys.tolist() if isinstance(keys, np.ndarray) else keys.to_pylist()
    first: dict[Any, int] = {}
    for row, key in enumerate(keys):
        if first.setdefault(key, row) != row and key is not None:
            return first[key], row
    return None


def are_unique(keys: Keys | Int64) -> bool:
    """Return True if all keys differ; False if equal hashes leave it open."""
    if isinstance(keys, np.ndarray):
        return not _ids.any_twice(keys.astype(np.int64))
    if keys.type == pa.string():
        return not _ids.any_twice(hashes_of(keys))
    return len(pc.unique(keys)) == len(keys)


def hashes_of(keys: Keys) -> Int64:
    """Return a hash of 64 bits for each text, equal for equal texts: int64[n].

    >>> a, b, c = hashes_of(pa.chunked_array([["a", "b"], ["a"]])).tolist()
    >>> a == b, a == c
    (False, True)
    """
    hashes = np.empty(len(keys), np.int64)
    start = 0
    for chunk in keys.chunks if isinstance(keys, pa.ChunkedArray) else [keys]:
        if len(chunk):
            _, places, text = chunk.buffers()
            stops = np.frombuffer(places, np.int32, len(chunk) + 1, 4 * chunk.offset)
            _ids.hash_texts(stops, text or b"", hashes[start : start + len(chunk)])
        start += len(chunk)
    return hashes


class SeenKeys:
    """Hashes of keys that come in batches, 8 bytes each, to find repeated ones.

    >>> seen = SeenKeys()
    >>> for batch in (pa.array(["a", "b"]), pa.array(["a"])):
    ...     seen.add(batch)
    >>> seen.has_repeats()
    True
    """

    def __init__(self) -> None:
        self._hashes = array("q")

    def add(self, keys: Keys) -> None:
        """Add a batch."""
        self._hashes.frombytes(hashes_of(keys).view(np.uint8).data)

    def has_repeats(self) -> bool:
        """Return True if two hashes are equal: most likely, a key occurs twice."""
        return bool(self._hashes) and _ids.any_twice(np.frombuffer(self._hashes, np.int64))


def encode(
    values: Keys,
    # From the distinct names to their order, as in `order_by_number`; by default ascending
    order_of: Callable[[Keys], Keys] | None = None,
) -> tuple[Int64, pa.Array]:
    """Number the distinct values in ascending order."""
    # Returns places int64[n], -1 for null, and the distinct values in order.
    values = arrow.joined(values)
    if (starts := _runs(values)) is not None:
        places, names = encode(values.take(arrow.numbers(starts)), order_of)
        return np.repeat(places, np.diff(starts, append=len(values))), names
    codes = values.dictionary_encode()
    if len(codes.dictionary) == 1:
        return arrow.values_of(codes.indices, -1).astype(np.int64), codes.dictionary
    order = (order_of or pc.array_sort_indices)(codes.dictionary)
    place = np.append(np.argsort(arrow.values_of(order)), -1)  # [-1] is the last
    return place[arrow.values_of(codes.indices, -1)], codes.dictionary.take(order)


def _runs(values: pa.Array) -> Int64 | None:
    """Return the starts of runs of equal integers; None if they are short, or of other values."""
    if not pa.types.is_integer(values.type) or values.null_count or len(values) < SHORT_RUN:
        return None
    numbers = arrow.values_of(values)
    begins = numbers[1:] != numbers[:-1]
    if SHORT_RUN * np.count_nonzero(begins) > len(values):
        return None
    return np.append(0, np.flatnonzero(begins) + 1)


def order_by_number(names: pa.Array) -> pa.Array:
    """Return the order of distinct names: by number if all are integers, else as text."""
    numbers = _numbers(names)
    if numbers is None:
        return pc.array_sort_indices(names)
    keys = pa.table({"number": numbers, "text": names})
    return pc.sort_indices(keys, [("number", "ascending"), ("text", "ascending")])


def ascend(keys: pa.Array) -> bool:
    """Return True if keys ascend: integers by number, else as text."""
    numbers = _numbers(keys)
    values = keys if numbers is None else numbers
    return bool(pc.all(pc.less(values[:-1], values[1:]), min_count=0).as_py())


def _numbers(names: pa.Array) -> pa.Array | None:
    """Return names as int64, None if one is not an integer."""
    try:
        return names.cast(pa.int64())
    except pa.ArrowInvalid:
        return None


def groups_of(columns: Sequence[Keys]) -> GroupCodes:
    """Group rows that are equal in all columns, which have no nulls."""
    group = np.zeros(len(columns[0]), np.int64)
    for values in columns:
        codes = arrow.joined(values).dictionary_encode()
        group = group * len(codes.dictionary) + arrow.values_of(codes.indices)
        _, group = np.unique(group, return_inverse=True)
    _, first, group = np.unique(group, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return np.argsort(order)[group], first[order]
