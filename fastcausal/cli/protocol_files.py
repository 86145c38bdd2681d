"""Protocols in files: TOML or JSON with the fields of `Protocol`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import fields, replace
from typing import Any

from fastcausal.counts.task import declared
from fastcausal.engine.kernel import Objective
from fastcausal.errors import InputError, invalid_json
from fastcausal.files.files import Source
from fastcausal.files.packed import stem_of, suffix_of
from fastcausal.files.values import kind
from fastcausal.options import KernelName
from fastcausal.protocols import PROTOCOLS, ArgumentProtocol, Protocol, WholeProtocol

SUFFIXES = (".toml", ".json")
MAX_BYTES = 8192  # of a file: TOML takes quadratic time and memory for a long dotted key
KINDS: dict[object, type[Protocol]] = {"relations": WholeProtocol}  # by the value of ``kernel``


def find_protocol(given: str, kernel: KernelName | None = None) -> Protocol:
    """Return the protocol of a name, or of a .toml or .json file, perhaps with another kernel."""
    if suffix_of(given) in SUFFIXES:
        protocol = read_protocol(given)
    elif given in PROTOCOLS:
        protocol = PROTOCOLS[given]
    else:
        for task in declared():
            if given in task.protocols:
                job = task.protocols[given].under
                raise ValueError(
                    f"{given} is a protocol of fastcausal {job}, and for several systems "
                    f"--task {job} --set protocol={given}"
                )
        raise ValueError(
            f'protocol is "{given}", expected one of {", ".join(PROTOCOLS)}, or a file that ends '
            f"in {' or '.join(SUFFIXES)}"
        )
    if kernel is None:
        return protocol
    if isinstance(protocol, ArgumentProtocol):
        raise ValueError(f"kernel is for pairs of relations, {protocol.name} has none")
    if protocol.average != "counts":
        raise ValueError(f"kernel is for sums of counts, {protocol.name} has none")
    return replace(protocol, name=f"{protocol.name}+{kernel}", kernel=kernel)


def read_protocol(path: str | os.PathLike[str]) -> Protocol:
    """Read a protocol from a TOML or JSON file with the fields of `Protocol`."""
    # A missing field has its default; the default name is the name of the file.
    source = Source.open(path, most=MAX_BYTES + 1)
    if not source.data.strip():
        raise InputError(f"{source.name} is empty")
    if len(source.data) > MAX_BYTES:
        raise InputError(
            f"{source.name}: more than {MAX_BYTES:,} bytes, expected at most so many of a protocol"
        )
    values = {"name": stem_of(source.name)} | _content(source)
    kernel = values.get("kernel")
    kind_of = KINDS.get(kernel, Protocol) if isinstance(kernel, str) else Protocol
    known = [field.name for field in fields(kind_of)]
    for key, value in values.items():
        if key not in known:
            raise InputError(f'{source.name}: unknown "{key}", expected {", ".join(known)}')
        read, expected = _READERS.get(key, (_text, "text"))
        try:
            values[key] = read(value)
        except (TypeError, ValueError, AttributeError) as error:
            got = f"{kind(value)}, expected {expected}" if not str(error) else str(error)
            raise InputError(f'{source.name}: "{key}": {got}') from error
    try:
        return kind_of(**values)
    except ValueError as error:  # for a value outside the choices; it names them
        raise InputError(f"{source.name}: {error}") from error


def _content(source: Source) -> dict[str, Any]:
    """Return the fields of a file."""
    if suffix_of(source.name) == ".json":
        try:
            values = json.loads(source.text)
        except (ValueError, RecursionError) as error:
            raise InputError(invalid_json(source.name, error)) from error
        if not isinstance(values, dict):
            raise InputError(f"{source.name}: {kind(values)}, expected an object")
        return values
    import tomllib

    try:
        return tomllib.loads(source.text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source.name}: invalid TOML: {error}") from error


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError
    return value


def _roles(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise TypeError
    return tuple(map(_text, value))


def _tracks(value: Any) -> tuple[tuple[str, ...], ...]:
    if not isinstance(value, list) or not all(isinstance(track, list) for track in value):
        raise TypeError
    return tuple(tuple(_text(role) for role in track) for track in value)


def _objective(value: Any) -> Objective | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(v, Mapping) for v in value.values()):
        raise TypeError
    if unknown := [key for key in value if key not in ("numerator", "denominator")]:
        raise ValueError(f'unknown "{unknown[0]}", expected numerator and denominator')
    return Objective(dict(value.get("numerator", {})), dict(value.get("denominator", {})))


_READERS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "objective": (_objective, "numerator and denominator: fields of the kernel and their weights"),
    "tracks": (_tracks, "a list of lists of roles"),
    "undefined": (_number, "a number"),
    "iou": (_number, "a number"),
    "arguments": (_roles, "a list of two roles"),
}
