"""Files of several raters as one table of items, in the order of their ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.arrow import joined, numbers
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.keys import ascend, order_by_number, places_of, require_unique
from fastcausal.files.packed import name_of, stem_of
from fastcausal.files.values import find_most_common
from fastcausal.options import UnsurePolicy
from fastcausal.tasks.answers.batches import NAMES, ItemTexts
from fastcausal.tasks.answers.files import ExtractionFile, Int8, Int64, read_file
from fastcausal.tasks.answers.votes import voted

Values: TypeAlias = "pa.Array | pa.ChunkedArray"


@dataclass(frozen=True)
class Extractions:
    """Model answers with source, reference and verdicts, ascending by id."""

    names: tuple[str, ...]  # Names of the files
    ids: pa.Array  # string[n]: Ids of items
    # string[n]: Ids, or ``SYSTEM/ID`` with several systems; ascending, by number if all are
    # integers
    keys: pa.Array
    texts: ItemTexts  # Source, reference and answer of each item
    raters: tuple[str, ...]  # Names of raters, ascending
    # int8[n, n_raters]: 1 valid, 0 invalid, -1 missing. Of several verdicts by one rater the
    # majority counts; a tie is invalid.
    verdicts: Int8
    unsure: npt.NDArray[np.bool_]  # bool[n, n_raters]: True if the rater was unsure
    # int8[n, n_raters, 2]: Side and kind in the reason of an invalid verdict, -1 for none. Of
    # several reasons by one rater the most frequent counts; a tie is none.
    reasons: Int8
    columns: pa.Table  # All other columns, n rows
    warnings: tuple[str, ...]
    _locate: Callable[[int], str] = field(repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.ids)

    def locate(self, item: int) -> str:
        """Return the place of an item for messages: file, row and id."""
        return self._locate(item)


def read_extractions(
    # One of three shapes: a list of ``{input, gold, output}``, with or without ``valid``; a list of
    # ``{input, annotation, output, gold}`` with the verdict in ``gold``; or ``{username, items:
    # [{id, data: {text, reference, model}, answer}]}``. A list ``answers`` or ``valid`` of
    # ``{name, answer}`` may replace a verdict. Files are JSON, JSON lines, CSV, Parquet or Arrow;
    # data frames are allowed. Several files are joined by id, or by position without ids; each has
    # the verdicts of a rater on the same items.
    source: Any,
    name: str = "answers",  # For messages of a source that is not a file
    unsure: UnsurePolicy = "invalid",  # The verdict that stands for "unsure"
) -> Extractions:
    """Read extractions with their references and verdicts."""
    sources = [*source] if _is_several(source) else [source]
    if not sources:
        raise InputError(f"{name} is an empty list, expected items")
    files = [
        read_file(each, *names) for each, names in zip(sources, _names(sources, name), strict=True)
    ]
    _require_alike(files)
    files = keyed(files)
    for file in files:
        require_unique(file.keys, file.records.locate, file.id_of)
    return _joined(files, unsure)


def _is_several(source: Any) -> bool:
    def is_file(value: Any) -> bool:
        return (
            isinstance(value, str | os.PathLike | Source | list)
            or hasattr(value, "__arrow_c_stream__")
            or (isinstance(value, Mapping) and "items" in value)
        )

    return isinstance(source, list | tuple) and all(map(is_file, source))


def _names(sources: Sequence[Any], name: str) -> list[tuple[str, str]]:
    """Return the name of each source and of its rater: the file's stem if all stems differ."""
    numbered = [name] if len(sources) == 1 else [f"{name}_{k + 1}" for k in range(len(sources))]
    names = [_path_of(each) or other for each, other in zip(sources, numbered, strict=True)]
    if again := find_most_common(names):
        raise InputError(f"{again[0]} is given twice")
    stems = [stem_of(each) for each in names]
    return [*zip(names, names if find_most_common(stems) else stems, strict=True)]


def _path_of(source: Any) -> str | None:
    if isinstance(source, Source):
        return source.name
    return name_of(source) if isinstance(source, str | os.PathLike) else None


def _require_alike(files: Sequence[ExtractionFile]) -> None:
    """Raise InputError if only some files have ids, or text in ``gold``."""
    kinds = {f.reference == "gold": f.records.name for f in files if "gold" in f.records}
    if len(kinds) > 1:
        raise InputError(f'"gold" is text in {kinds[True]} and the verdict in {kinds[False]}')
    named = {"id" in file.records: file.records.name for file in files}
    if len(named) > 1:
        raise InputError(f'{named[False]}: no column "id", but there is one in {named[True]}')


def keyed(files: list[ExtractionFile]) -> list[ExtractionFile]:
    """Add the system's name to the keys of items if there are several systems."""
    systems = [file.systems for file in files]
    if len({name for each in systems for name in each.unique().to_pylist()}) == 1:
        return files
    return [
        replace(file, keys=pc.binary_join_element_wise(each, file.ids, "/"))
        for file, each in zip(files, systems, strict=True)
    ]


def _joined(files: Sequence[ExtractionFile], unsure: UnsurePolicy) -> Extractions:
    keys = _ascending([file.keys for file in files])
    rows = [places_of(keys, file.keys) for file in files]
    where = partial(_locate, files, rows)

    raters = voted([file.ratings for file in files], rows, len(keys), unsure)
    columns, warnings = _columns(files, rows)
    return Extractions(
        tuple(sorted(file.records.name for file in files)),
        _merged([file.ids for file in files], rows)[0],
        keys,
        _texts(files, rows, where),
        *raters,
        columns,
        (*_several_times(files), *warnings),
        where,
    )


def _texts(
    files: Sequence[ExtractionFile], rows: Sequence[Int64], where: Callable[[int], str]
) -> ItemTexts:
    """Return the texts of items; texts of several files are kept in memory and must be equal."""
    if len(files) == 1:
        return files[0].texts.reorder(rows[0])
    columns = []
    for name in NAMES:
        merged, unlike = _merged([file.texts[name] for file in files], rows)
        if unlike is not None:
            raise InputError(f"{where(unlike)}: other files have another {name}")
        columns.append(merged)
    return ItemTexts.hold(*columns)


def _locate(files: Sequence[ExtractionFile], rows: Sequence[Int64], item: int) -> str:
    """Return the place of an item for messages, in the first file that has it."""
    [first, *_] = (k for k, own in enumerate(rows) if own[item] >= 0)
    return files[first].locate(int(rows[first][item]))


def _ascending(keys: Sequence[pa.Array]) -> pa.Array:
    """Return the distinct keys of all files, ascending: by number if all are integers."""
    unique = keys[0] if len(keys) == 1 else pa.concat_arrays(keys).unique()
    return unique if ascend(unique) else unique.take(order_by_number(unique))


def _merged(parts: Sequence[Values], rows: Sequence[Int64]) -> tuple[Values, int | None]:
    """Return one value per item, and the first item with different values; None if all agree."""
    merged, *further = map(_take, parts, rows)
    for part in further:
        unlike = pc.fill_null(pc.not_equal(merged, part), False)
        if pc.any(unlike).as_py():
            return merged, pc.index(unlike, True).as_py()
        merged = pc.coalesce(merged, part)
    return merged, None


def _take(part: Values, rows: Int64) -> Values:
    if np.array_equal(rows, np.arange(len(part))):
        return part
    return part.take(numbers(rows, rows >= 0))


def _several_times(files: Sequence[ExtractionFile]) -> tuple[str, ...]:
    """Warn of raters in several files; the majority counts."""
    names = [name for file in files for name in file.ratings.rater.unique().to_pylist()]
    return tuple(
        f'rater "{name}" is in {names.count(name)} files: the majority of the verdicts counts'
        for name in sorted(set(names))
        if names.count(name) > 1
    )


def _columns(
    files: Sequence[ExtractionFile], rows: Sequence[Int64]
) -> tuple[pa.Table, tuple[str, ...]]:
    """Join the other columns; leave out columns with different values in files, with a warning."""
    if len(files) == 1:
        [own] = rows
        columns = files[0].columns
        return pa.table({c: _take(joined(columns[c]), own) for c in columns.column_names}), ()
    kept, left_out = {}, []
    for name in sorted({name for file in files for name in file.columns.column_names}):
        having = [k for k, file in enumerate(files) if name in file.columns.column_names]
        try:
            parts = [joined(files[k].columns[name]) for k in having]
            kept[name], unlike = _merged(parts, [rows[k] for k in having])
        except pa.ArrowException:  # types differ, or values of the type cannot be compared
            unlike = 0
        if unlike is not None:
            kept.pop(name, None)
            left_out.append(f'column "{name}" is left out: files have unlike values')
    return pa.table(kept), tuple(left_out)
