"""Tools of all readers of logs: the choice of scores, values as numbers, digests of examples."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import strings
from fastcausal.errors import InputError
from fastcausal.files.values import shown, write_cell
from fastcausal.tasks.values.answers import number_of
from fastcausal.tasks.values.reading import ValueReading

if TYPE_CHECKING:
    import pyarrow as pa

REMOVED = "Key removed from summary (> 1k)"
STEP = 1 << 14  # texts written at a time
THINNED = 1000  # characters from which a text of metadata may be cut


class UnnamedScoreError(InputError):
    """A log has several scores, or none, and no name of one is given."""

    def __init__(self, message: str, known: Sequence[str]) -> None:
        super().__init__(message)
        self.known = known


def chosen(
    name: str,
    known: Iterable[str],
    reading: ValueReading,
    is_asked: Callable[[str], bool],
) -> list[str]:
    """Return the scores requested by name; without names, the only score that fits ``is_asked``."""
    known = sorted(known)
    if not known:
        raise InputError(f"{name}: no answer has a score, expected a value for each score by name")
    listed = ", ".join(known)
    if unknown := [score for score in reading.scores if score not in known]:
        raise InputError(f'{name}: no score "{unknown[0]}", expected one of: {listed}')
    if other := [score for score in reading.scores if not is_asked(score)]:
        raise InputError(f'{name}: score "{other[0]}" has another scorer, metric or filter')
    if reading.scores:
        return [*reading.scores]
    left = [score for score in known if is_asked(score)]
    if len(left) != 1:
        raise UnnamedScoreError(
            f"{name}: {len(left)} scores, name one with --score: {listed}", left or known
        )
    return left


def score_number(value: Any, where: str, id: Any, score: str) -> float:
    """Return a value of a score as a number; InputError for a text or a list."""
    try:
        return number_of(value)
    except ValueError as error:
        parts = ""
        if isinstance(value, list) and all(isinstance(v, int | float) for v in value):
            parts = f"; --numerator {score}.0 --denominator {score}.1 name its parts, or --value"
        raise InputError(
            f'{where}: id "{id}": {score} is {shown(value)}, expected a number{parts}'
        ) from error


def is_long(value: Any) -> bool:
    """Return True for a text that a log's summary has cut or may cut."""
    return isinstance(value, str) and (value == REMOVED or len(value) >= THINNED)


def is_label(value: Any) -> bool:
    """Return True for a short text or a number, which can name a cluster."""
    return isinstance(value, str | int | float) and not is_long(value)


def find_labels(documents: Sequence[Any], reading: ValueReading) -> dict[str, pa.Array]:
    """Return the columns of labels that documents have and clusters may be made of."""
    found = {}
    for key in reading.found_columns if any(documents) else ():
        values = [each.get(key) if isinstance(each, dict) else None for each in documents]
        if any(map(is_label, values)):
            found[key] = strings([write_cell(v) if is_label(v) else None for v in values])
    return found


def text_id(value: Any, where: str) -> str:
    """Return an id as text; InputError if it is neither text nor an integer."""
    if isinstance(value, str):
        return value.encode(errors="backslashreplace").decode()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise InputError(f"{where}: id is {shown(value)}, expected text or an integer")


def digest_of(*parts: Any) -> str:
    """Return a short digest of values of JSON."""
    from hashlib import sha256  # loads OpenSSL

    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, default=str)
    return sha256(text.encode()).hexdigest()[:16]


def digest_of_texts(texts: pa.Array) -> str:
    """Return `digest_of` the sorted list of texts, which may be long.

    >>> import pyarrow as pa
    >>> digest_of_texts(pa.array(["b", "a"])) == digest_of(["a", "b"])
    True
    """
    from hashlib import sha256

    digest = sha256(b"[[")
    order = pc.sort_indices(texts)
    for start in range(0, len(texts), STEP):
        listed = json.dumps(pc.take(texts, order[start : start + STEP]).to_pylist())
        digest.update((", " * (start > 0) + listed[1:-1]).encode())
    digest.update(b"]]")
    return digest.hexdigest()[:16]


def require_objects(value: Any, where: str) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the objects of a list with their places; InputError for any other value."""
    if not isinstance(value, list):
        raise InputError(f"{where}: {shown(value)}, expected a list of objects")
    places = [f"{where}[{k}]" for k in range(len(value))]
    return [(place, require(each, place)) for place, each in zip(places, value, strict=True)]


def require(record: Any, where: str) -> Mapping[str, Any]:
    """Return an object; InputError for any other value."""
    if not isinstance(record, Mapping):
        raise InputError(f"{where}: {shown(record)}, expected an object")
    return record


def write_text(value: Any) -> str | None:
    """Return a value of JSON as a text to read: a list of texts below each other."""
    if value is None:
        return None
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        value = "\n".join(value)
    is_text = isinstance(value, str)
    text: str = value if is_text else json.dumps(value, ensure_ascii=False, default=str)
    # Half of a surrogate pair, invalid in UTF-8, becomes an escape
    return text.encode(errors="backslashreplace").decode()
