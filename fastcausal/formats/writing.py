"""Writing relations, in the format of the suffix or the caller."""

from __future__ import annotations

import os
from pathlib import Path

from fastcausal.errors import InputError, OutputError
from fastcausal.files.outputs import is_replaced
from fastcausal.formats import declared
from fastcausal.formats.blockwise import Conversion, Progress, StreamWrite
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.format import Format
from fastcausal.formats.reading.opening import choice
from fastcausal.options import Premise, WriteFormat, check
from fastcausal.relations import Relations


def write(
    relations: Relations,
    target: str | os.PathLike[str],
    format: WriteFormat | None = None,
    *,
    seed: int | None = None,
    premise: Premise | None = None,
) -> list[str]:
    """Write causal relations to a file, which appears complete or not at all.

    Parameters
    ----------
    relations : Relations
    target : path
        Its suffix decides the format: ``.csv`` cnc; ``.bio``, ``.iob``, ``.iob2``, ``.conll``
        bio; ``.parquet``; ``.arrow``, ``.ipc``, ``.feather``, ``.arrows`` (stream) arrow;
        ``.jsonl``, ``.ndjson`` jsonl; ``.ann`` brat.
    format : str, optional
        One of `fastcausal.options.WriteFormat`; overrides the suffix. ``cnc`` without ``.csv`` is
        a submission. No suffix means ``spans``, ``doccano``, ``webanno`` (INCEpTION),
        ``label-studio``, ``squad`` or ``nli``.
    seed : int, optional
        For ``squad`` alone: the seed of the questions, 0 by default.
    premise : {"cause", "effect"}, optional
        For ``nli`` alone: the argument used as premise, the cause by default.

    Returns
    -------
    list of str
        Messages on losses; empty if there are none.

    Raises
    ------
    InputError
        The name does not decide the format, the table lacks columns that the format needs, or
        writing failed.
    ValueError
        The format is unknown, is not written, or has no such option.
    """
    known = _format_to_write(target, format)
    given = {"seed": seed, "premise": premise}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in known.options:
            of = next(f.name for f in declared.ALL if name in f.options)
            raise ValueError(f"{name} is for {of}, the format of {target} is {known.name}")
    assert known.write is not None
    lost = known.write(relations, target, **options)
    return lost if len(relations) else lost + _describe_empty(known)


def write_stream(
    examples: Stream,
    target: str | os.PathLike[str],  # As `write` takes them
    format: WriteFormat | None = None,
    # Called with the number of finished examples and of all examples, None if unknown
    progress: Progress | None = None,
) -> Conversion | None:
    """Write the examples of a stream in bounded memory: the same file as `write` makes of all."""
    # None, and no file, if `write` has to take all examples at once: for a pipe or a format that is
    # not `StreamWrite`, or to report a fault of the examples or of the target's name.
    try:
        known = _format_to_write(target, format)
        if not isinstance(known.write, StreamWrite) or not is_replaced(target):
            return None
        made = known.write.stream(examples, target, progress)
    except OutputError:
        raise
    except InputError:
        return None
    return made if made.n_examples else made._replace(lost=made.lost + _describe_empty(known))


def _describe_empty(known: Format) -> list[str]:
    """Return the message on a file without examples."""
    return [] if known.empty else ["a file without examples is empty and cannot be read back"]


def _format_to_write(target: str | os.PathLike[str], format: WriteFormat | None) -> Format:
    if format is None:
        names = [known.name for known in declared.ALL]
        suffix = Path(target).suffix.lower()
        chosen = next(
            (known for known in declared.ALL if suffix in known.suffixes + known.written), None
        )
        if chosen is None:
            raise InputError(f"{target}: the name does not tell the format, {choice(names)}")
        if chosen.write is None:
            raise InputError(f"{target}: {chosen.name} can be read but not written")
        return chosen
    written = {known.name: known for known in declared.ALL if known.write is not None}
    check("format", format, written)
    return written[format]
