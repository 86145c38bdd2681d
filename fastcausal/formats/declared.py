"""All formats; each is declared in its own file."""

from __future__ import annotations

from fastcausal.formats import bio, cnc, examples, fincausal, flat, jsonl, spans, table
from fastcausal.formats import model_output as raw
from fastcausal.formats.annotation import (
    brat,
    doccano,
    label_studio,
    prodigy,
    webanno,
    webanno_tsv,
    xmi,
)
from fastcausal.formats.export import nli, squad

# A new format is a file and a line here.
ALL = (
    cnc.FORMAT,
    flat.FORMAT,
    fincausal.FORMAT,
    bio.FORMAT,
    spans.FORMAT,
    raw.FORMAT,
    examples.FORMAT,
    table.PARQUET,
    table.ARROW,
    jsonl.FORMAT,
    doccano.FORMAT,
    prodigy.FORMAT,
    brat.FORMAT,
    webanno.FORMAT,
    webanno_tsv.FORMAT,
    xmi.FORMAT,
    label_studio.FORMAT,
    squad.FORMAT,
    nli.FORMAT,
)
FORMATS = {format.name: format for format in ALL if format.read is not None}
