"""Flat columns: a row per relation in CSV, JSON lines or a table in memory."""

from __future__ import annotations

import os

from fastcausal.files.cells import header_of, separator_of
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.records import read_records
from fastcausal.files.spelling import spelled
from fastcausal.formats import frames
from fastcausal.formats.reading.format import Format
from fastcausal.marking import MARKING, Marking
from fastcausal.options import Occurrence
from fastcausal.relations import Relations

REQUIRED = ("id", "cause", "effect")
OTHERS = ("relations", "prediction")  # columns of other formats


def read(
    # CSV with a header, its cells separated by commas, tabs or semicolons, or JSON lines. Names of
    # columns have any case, and ``sentence`` is a ``text``. Cells of CSV are texts of spans; JSON
    # may have character offsets; with a column ``length`` or ``tokens``, ``[start, stop]`` counts
    # tokens.
    source: str | os.PathLike[str] | Source,
    like: Relations | None = None,  # As in `fastcausal.formats.spans.located`
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
) -> Relations:
    r"""Read a row per relation: ``id, cause, effect``, perhaps ``signal``, ``type`` and ``text``.

    >>> rows = Source("x.csv", b"id,text,cause,effect\na,Rain caused floods,rain,floods\n")
    >>> read(rows).to_examples()[0]["relations"]
    [{'cause': [(0, 1)], 'effect': [(2, 3)]}]
    """
    # Rows of one ``id`` are one example; a row without cause, effect and signal has no relation.
    # Other columns are kept if all rows of an example agree.
    return frames.read_flat(read_records(source), "flat", like, occurrence, marking)


def _is_flat(source: Source) -> bool:
    """Return True if the header of CSV, or the first JSON line, has a row per relation."""
    if source.is_json:
        names = set(first_object(source))
    else:
        header = header_of(source)
        names = {name.strip('"\r ') for name in header.split(separator_of(header))}
    names |= {*spelled(names, (*REQUIRED, *OTHERS)).values()}
    return names.issuperset(REQUIRED) and names.isdisjoint(OTHERS)


FORMAT = Format(
    "flat",
    read,
    suffixes=(".csv",),
    takes=("like", "occurrence", "roles", "words"),
    sniff=_is_flat,
)
