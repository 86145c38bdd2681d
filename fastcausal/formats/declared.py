"""All formats; each is declared in its own file."""

from __future__ import annotations

from fastcausal.formats import (
    annotation,
    bio,
    cnc,
    examples,
    export,
    fincausal,
    flat,
    jsonl,
    model_output,
    spans,
    table,
)

# A new format is a file and a line here.
ALL = (
    cnc.FORMAT,
    flat.FORMAT,
    fincausal.FORMAT,
    bio.FORMAT,
    spans.FORMAT,
    model_output.FORMAT,
    examples.FORMAT,
    table.PARQUET,
    table.ARROW,
    jsonl.FORMAT,
    *annotation.FORMATS,
    *export.FORMATS,
)
FORMATS = {format.name: format for format in ALL if format.read is not None}
