"""Types of the sources that readers take."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy.typing as npt

from fastcausal.arrays.arrow import ArrowStreamExportable
from fastcausal.files.files import Source
from fastcausal.formats.reading.format import Opened
from fastcausal.relations import Relations

FileSource: TypeAlias = str | os.PathLike[str] | Source
"""The path of a file, ``"-"`` for standard input, or a file that is open already."""

RelationSource: TypeAlias = (
    Relations
    | ArrowStreamExportable
    | FileSource
    | Opened
    | Sequence[Mapping[str, Any]]
    | Sequence[Sequence[str]]
    | Sequence[Sequence[Sequence[str]]]
    | Iterator[Relations | ArrowStreamExportable]
)
"""Anything `fastcausal.read` takes."""

RelationSources: TypeAlias = RelationSource | Sequence[Any] | Mapping[str, Any]
"""One such source, or several: in a list of different ones checkers see no common type."""

LabelSource: TypeAlias = (
    ArrowStreamExportable | FileSource | Sequence[int | str | None] | npt.NDArray[Any]
)
"""Labels as `fastcausal.classify` takes them."""

RecordSource: TypeAlias = FileSource | Mapping[str, Any] | Iterable[Mapping[str, Any]]
"""Questions or answers as `fastcausal.qa` takes them."""
