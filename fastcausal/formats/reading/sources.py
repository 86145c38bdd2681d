"""Types of sources for readers."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy.typing as npt

from fastcausal.arrays.arrow import ArrowStreamExportable
from fastcausal.files.files import Source
from fastcausal.files.records import Records
from fastcausal.formats.reading.format import Opened
from fastcausal.relations import Relations

FileSource: TypeAlias = str | os.PathLike[str] | Source
"""The path of a file, ``"-"`` for standard input, or a file that is open already."""

RelationSource: TypeAlias = (
    Relations
    | ArrowStreamExportable
    | FileSource
    | Opened
    | Records
    | Sequence[Mapping[str, Any]]
    | Sequence[Sequence[str]]
    | Sequence[Sequence[Sequence[str]]]
    | Iterator[Relations | ArrowStreamExportable]
)
"""Any source of `fastcausal.read`."""

RelationSources: TypeAlias = RelationSource | Sequence[Any] | Mapping[str, Any]
"""One source or several: type checkers find no common type in a mixed list."""

LabelSource: TypeAlias = (
    ArrowStreamExportable | FileSource | Sequence[int | str | None] | npt.NDArray[Any]
)
"""Any source of labels of `fastcausal.classify`."""

RecordSource: TypeAlias = FileSource | Mapping[str, Any] | Iterable[Mapping[str, Any]]
"""Questions or answers as `fastcausal.qa` takes them."""
