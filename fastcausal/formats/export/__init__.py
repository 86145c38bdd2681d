"""Formats for writing only.

::

    arguments.py  relations as pairs of texts
    squad.py      questions with their answers
    nli.py        premises with hypotheses
"""

from __future__ import annotations

from fastcausal.formats.reading.format import Format, late

FORMATS = (
    Format("squad", **late(f"{__name__}.squad", "write"), options=("seed",)),
    Format("nli", **late(f"{__name__}.nli", "write"), options=("premise",)),
)
