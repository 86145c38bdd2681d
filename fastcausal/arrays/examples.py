"""Conversion of examples as Python objects to the columns of the canonical table."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.arrays import _objects
from fastcausal.arrays.arrow import strings
from fastcausal.arrays.span_arrays import RELATIONS, TYPES, relation_columns
from fastcausal.errors import InputError, Remedy

FURTHER = "further key"  # a note on relations
TYPE = "type"  # key of a relation, unless it is a role


def columns_of(examples: list[Any], numbers: dict[str, int]) -> tuple[dict[str, Any], int]:
    """Return the columns of Python examples, and the number of further keys of relations."""
    # ``numbers`` maps role names to numbers.
    names = [k for e in examples for k in e if k not in ("relations", "length", "tokens")]
    columns: dict[str, Any] = {k: [e.get(k) for e in examples] for k in dict.fromkeys(names)}
    plain = _objects.example_rows(examples, numbers, False)
    if plain is not None:
        values, row_offsets, relation_offsets, lengths, ids, is_typed = plain
        if ids is not None:
            columns["id"] = strings(ids)
        flat = values.T, np.diff(row_offsets), np.diff(relation_offsets)
        columns |= relation_columns(*flat, lengths)
        return columns | (_types_of(examples, numbers) if is_typed else {}), 0
    spans = [_example_spans(e, str(e.get("id", i)), numbers) for i, e in enumerate(examples)]
    listed = (r for e in examples for r in e["relations"] if r is not None)
    if "id" in columns:
        columns["id"] = pa.array(map(_text, columns["id"]), pa.string())
    columns["length"] = pa.array(map(_length, examples), pa.int32())
    columns["relations"] = pa.array(spans, RELATIONS)
    columns |= _types_of(examples, numbers)
    return columns, sum(count_further(relation, numbers) for relation in listed)


def _types_of(examples: list[Any], numbers: Mapping[str, int]) -> dict[str, pa.Array]:
    """Return the column ``types``, nothing if no relation has one."""
    types = [_example_types(e, str(e.get("id", i)), numbers) for i, e in enumerate(examples)]
    return {"types": pa.array(types, TYPES)} if any(map(any, types)) else {}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _length(example: Mapping[str, Any]) -> int | None:
    if example.get("length") is not None:
        return int(example["length"])
    if example.get("tokens") is not None:
        return len(example["tokens"])
    return len(example["text"].encode().split()) if isinstance(example.get("text"), str) else None


def _example_spans(example: Mapping[str, Any], name: str, numbers: Mapping[str, int]) -> list[Any]:
    """Return the relations of one Python example as lists of spans."""
    spans: list[Any] = []
    if "relations" not in example:
        keys = ", ".join(map(str, example)) or "no keys"
        raise InputError(f'example {name}: no "relations": found {keys[:200]}')
    relations = example["relations"]
    if not isinstance(relations, Sequence) or isinstance(relations, str):
        raise InputError(
            f"example {name}: relations is a {type(relations).__name__}, expected a list"
        )
    for relation in relations:
        if relation is None:
            spans.append(None)
            continue
        if not isinstance(relation, Mapping):
            raise InputError(
                f"example {name}: a relation is a {type(relation).__name__}, "
                "expected a mapping from role to spans"
            )
        if (key := misnamed(relation, numbers)) is not None:
            raise InputError(
                f'example {name}: unknown role "{key}", expected one of {", ".join(numbers)}'
            )
        flat = []
        for role, value in relation.items():
            for span in _spans_of(value, name) if role in numbers else ():
                flat.append((numbers[role], *span))
        spans.append([{"role": r, "start": a, "stop": b} for r, a, b in flat])
    return spans


def _example_types(
    example: Mapping[str, Any], name: str, roles: Collection[str]
) -> list[str | None]:
    """Return the type of each relation of one Python example."""
    try:
        return [None if r is None else read_type(r, roles) for r in example["relations"]]
    except InputError as error:
        raise InputError(f"example {name}: {error}") from error


def read_type(relation: Mapping[Any, Any], roles: Collection[str]) -> str | None:
    """Return the type of a relation, None if it is empty or missing.

    >>> read_type({"cause": (0, 1), "type": "Enables"}, ["cause"]), read_type({"type": ""}, [])
    ('Enables', None)
    """
    value = None if TYPE in roles else relation.get(TYPE)
    if value is not None and not isinstance(value, str):
        raise InputError(f'the "type" of a relation is {value!r:.80}, expected a text')
    return value or None


def misnamed(keys: Collection[Any], roles: Collection[str]) -> Any:
    """Return the key that may be meant as a missing role, None without one.

    >>> roles = ["cause", "effect"]
    >>> misnamed(["cause", "efect"], roles), misnamed(["cause", "type"], roles), misnamed([], roles)
    ('efect', None, None)
    """
    # Without any role it is the first key.
    further = [key for key in keys if key not in roles and key != TYPE]
    if not further:
        return None
    missing = [role for role in roles if role not in keys]
    if len(missing) == len(roles):
        return further[0]
    named = (key for key in further for role in missing if _objects.may_name(str(key), role))
    return next(named, None)


def count_further(relation: Mapping[Any, Any], roles: Collection[str]) -> int:
    """Count the keys of a relation, but its type, that are no roles and have a value."""
    known = {*roles, TYPE}
    return sum(value is not None for key, value in relation.items() if key not in known)


def _spans_of(value: Any, name: str) -> list[tuple[int, int]]:
    """Normalise one span or a list of spans to a list of (start, stop)."""
    if value is None:
        return []
    if isinstance(value, str):
        remedy = Remedy("format", ("spans",), "reads texts of spans")
        raise InputError(
            f"example {name}: span {value!r}, expected (start, stop) in tokens", remedy
        )
    if not isinstance(value, Sequence):
        raise InputError(f"example {name}: span {value!r}, expected (start, stop) in tokens")
    spans = [value] if len(value) == 2 and not isinstance(value[0], Sequence) else list(value)
    for span in spans:
        if (
            not isinstance(span, Sequence)
            or len(span) != 2
            or not all(isinstance(bound, int | np.integer) for bound in span)
        ):
            raise InputError(f"example {name}: span {span!r}, expected (start, stop) in tokens")
    return [(int(start), int(stop)) for start, stop in spans]
