"""Logs of inspect-ai: ``.eval`` zips and their JSON, read one sample at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any

from fastcausal.arrays.arrow import is_utf8
from fastcausal.errors import InputError, invalid_json
from fastcausal.files import _native
from fastcausal.files.json_stream import JsonStream
from fastcausal.files.zips import Archive

HEADER, START, SUMMARIES = "header.json", "_journal/start.json", "summaries.json"
SAMPLES = "samples/"


def is_archive(archive: Archive) -> bool:
    """Return True for the zip of a log."""
    return not {HEADER, START}.isdisjoint(archive.names)


def is_document(name: str, file: IO[bytes]) -> bool:
    """Return True for the JSON of a log, by its keys; the file is at its start before and after."""
    keys = set()
    stream = JsonStream(name, file)
    try:
        for key in stream.names():
            keys.add(key)
            if key == "samples" or {"eval", "status"} <= keys:
                break
            stream.value()
        else:
            stream.require_end()
    except (ValueError, RecursionError, InputError, TypeError):
        return False
    finally:
        file.seek(0)
    return "eval" in keys and not {"status", "samples"}.isdisjoint(keys)


def archived_samples(
    archive: Archive,
    kept: list[bytes] | None = None,  # The only keys needed; by default all
) -> Iterator[tuple[str, Any]]:
    """Yield the place and the JSON of each sample."""
    for path in archive.names:
        if path.startswith(SAMPLES):
            yield f"{archive.name}/{path!r:.80}", json_in(archive, path, kept)


def samples_of(name: str, file: IO[bytes]) -> list[Any]:
    """Return the samples in the JSON of a log; InputError for invalid JSON."""
    stream = JsonStream(name, file)
    samples: list[Any] = []
    try:
        for key in stream.names():
            if key == "samples" and stream.peek() == "[":
                samples = list(stream.items())
            else:
                stream.value()
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(name, error)) from error
    return samples


def json_in(archive: Archive, path: str, kept: list[bytes] | None = None) -> Any:
    """Return the JSON of a file in a log; InputError if it is damaged."""
    name = f"{archive.name}/{path!r:.80}"
    try:
        data = archive.read(path)
        if kept is not None and is_utf8(data):
            data = _native.prune_object(data, kept) or data
        return json.loads(data)
    except InputError:
        raise
    except (ValueError, RecursionError) as error:
        raise InputError(invalid_json(name, error)) from error
