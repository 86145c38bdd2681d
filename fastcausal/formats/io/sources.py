"""Types of the sources that readers take."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from fastcausal.arrays.arrow import ArrowStreamExportable
from fastcausal.formats.io.files import Source
from fastcausal.relations import Relations

FileSource: TypeAlias = str | os.PathLike[str] | Source
"""The path of a file, ``"-"`` for standard input, or a file that is open already."""

RelationSource: TypeAlias = (
    Relations
    | ArrowStreamExportable
    | FileSource
    | Sequence[Mapping[str, Any]]
    | Sequence[Sequence[str]]
    | Sequence[Sequence[Sequence[str]]]
    | Iterator[Relations | ArrowStreamExportable]
)
"""Anything `fastcausal.read` takes."""
