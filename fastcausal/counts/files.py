"""Files of statistics: a row of counts for each example, and metadata as one JSON object.

Values that add over parts are in the rows. The metadata have the number of rows, so that rows
joined or filtered by other programs are recognised.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from fastcausal.arrays.arrow import drop_columns, no_rows
from fastcausal.arrays.digests import digest_text, sum_digests
from fastcausal.counts.columns import (
    SYSTEM,
    TIMES,
    Part,
    check_totals,
    counts_of,
    parted,
    require_free,
)
from fastcausal.counts.formula import Formula
from fastcausal.counts.seals import (
    COLUMNS,
    ROWS,
    SEAL,
    Written,
    require_digest,
    require_seal,
    sealed,
)
from fastcausal.counts.signatures import joint_signature
from fastcausal.counts.task import formula_of
from fastcausal.errors import InputError, Warnings, add_warnings, warning_lines
from fastcausal.recipe import Signature

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
VERSION = 2
KEY = b"fastcausal"  # in the metadata of a file
SOURCE = "source"  # the fact on a log of values: its format, model and task
FACTS = ("protocol", "roles", SOURCE)  # equal in all parts
About = dict[str, Any]
JOINED: Warnings = {
    ("rows were joined or left out by another program: warnings are those of a part",): ()
}
GOLD_DIGEST, BATCH_WARNINGS = IN_ROWS = ("gold_digest", "batch_warnings")
AS_GIVEN = "n_as_given"  # the total of relations that are used as they are
LIKE = "the file to be like"
TYPES: dict[str, Any] = {
    "job": str,
    "signature": str,
    "recipe": dict | None,
    "protocol": str | None,
    "roles": list | None,
    SOURCE: dict | None,
    "fields": list,
    "system": str | None,
    "gold": str | None,
    "warnings": list,
    "totals": dict | None,
    "formula": dict,
    "sums": bool,
    "n_rows": int | None,
    "systems": dict | None,
    ROWS: str | None,
    COLUMNS: list | None,
    SEAL: str | None,
}  # of the values of the metadata


def about_of(statistics: Any, written: Written | None) -> About:
    """Return the file metadata for the written rows (None: any rows)."""
    formula, signature = statistics.formula, statistics.signature
    return {
        "statistics": VERSION,
        "job": formula.job,
        "signature": signature,
        "recipe": signature.settings if isinstance(signature, Signature) else None,
        **dict.fromkeys(FACTS),
        **statistics.facts,
        "fields": [*formula.fields],
        "system": statistics.system,
        "gold": digest_text(statistics.gold),
        "warnings": [*statistics.warnings.items()],
        "totals": {name: n for name, n in statistics.totals.items() if n},
        "formula": formula.to_dict(),
        "sums": statistics.units is None,
        "n_rows": None if written is None else written.n_rows,
        ROWS: None if written is None else digest_text(written.digest),
        COLUMNS: None if written is None else [*written.columns],
    }


def metadata_of(about: About) -> dict[bytes, bytes]:
    """Return the encoded metadata of a file, with their seal."""
    return {KEY: json.dumps(sealed(about), ensure_ascii=False).encode(errors="backslashreplace")}


def _move_from_rows(name: str, table: pa.Table, about: About) -> tuple[pa.Table, About]:
    """Move facts that `score_batch` stores in rows to the metadata; return rows and metadata."""
    import pyarrow as pa

    if not {*IN_ROWS} <= {*table.column_names}:
        return table, about
    warnings: Warnings = {}
    n_as_given = 0
    try:
        gold = sum_digests(table[GOLD_DIGEST])
        for line in table[BATCH_WARNINGS].drop_null().to_pylist():
            more, n = json.loads(line)
            add_warnings(warnings, {tuple(texts): tuple(counts) for texts, counts in more})
            n_as_given += int(n)
    except (pa.ArrowException, TypeError, ValueError, RecursionError) as error:
        columns = " or ".join(f'"{column}"' for column in IN_ROWS)
        raise InputError(f"{name}: column {columns} was changed: {error}") from error
    said: About = {"gold": digest_text(gold), "warnings": [*warnings.items()], "n_rows": len(table)}
    said["totals"] = {AS_GIVEN: n_as_given}
    if n_as_given and about.get("recipe"):
        signature = Signature(about["recipe"]).mark_as_given()
        said |= {"signature": signature, "recipe": signature.settings}
    return table.drop_columns([*IN_ROWS]), {**about, **said}


def system_of(pred: Any) -> str | None:
    """Return the name of predictions from their file; None if they are not in a file."""
    from fastcausal.files.packed import stem_of

    is_path = isinstance(pred, str | os.PathLike) and pred != "-"
    return stem_of(pred) if is_path else None


def about_systems(abouts: Mapping[str, About]) -> About:
    """Return the metadata of a file of several systems: shared ones, and each system's own."""
    first = next(iter(abouts.values()))
    golds = {about["gold"] for about in abouts.values()}
    own = (
        "signature",
        "recipe",
        "gold",
        "warnings",
        "totals",
        "formula",
        SOURCE,
        "n_rows",
        ROWS,
        COLUMNS,
    )
    return {
        **first,
        "system": None,
        "gold": golds.pop() if len(golds) == 1 else None,
        "warnings": [],
        "totals": {},
        "n_rows": sum(about["n_rows"] for about in abouts.values()),
        ROWS: None,
        COLUMNS: None,
        "systems": {
            name: {key: about[key] for key in own} for name, about in abouts.items()
        },
    }  # fmt: skip


def add_system(table: pa.Table, system: str) -> pa.Table:
    """Add a first column with the name of the system."""
    import pyarrow as pa

    require_free(table.column_names, (SYSTEM,))
    return table.add_column(0, SYSTEM, pa.array([system] * len(table), pa.string()))


def write(path: str | os.PathLike[str], tables: Sequence[pa.Table], about: About) -> None:
    """Write tables of one schema to a Parquet or Arrow IPC file."""
    from fastcausal.files.binary import appending

    require_metadata(path)
    with appending(path, lambda: metadata_of(about)) as append:
        for table in tables:
            append(table)


def require_metadata(path: str | os.PathLike[str]) -> None:
    """Refuse a path in a format without metadata."""
    suffix = Path(path).suffix.lower()
    if name := {".csv": "CSV", ".jsonl": "JSON lines"}.get(suffix):
        raise InputError(f"{path}: a {name} file has no metadata, expected .parquet or .arrow")


def load(path: str | os.PathLike[str], like: About | None = None) -> tuple[str, pa.Table, About]:
    """Read the name, the table and the metadata of a file."""
    # `like` is the metadata of another file, from `about_like`, for a file without any.
    import pyarrow as pa

    from fastcausal.files.binary import load as load_table
    from fastcausal.files.binary import sniff
    from fastcausal.files.files import Source
    from fastcausal.files.schemas import require_version
    from fastcausal.relations import cast

    source = Source.open(path)
    table: Any = load_table(source) if sniff(source.data) else None
    about = like
    if table is not None and KEY in (table.schema.metadata or {}):
        about = about_in(table.schema)
    if table is None or about is None:
        lost = "" if table is None else "; fastcausal merge --like takes its metadata from another"
        raise InputError(
            f"{source.name}: not a file of statistics, as "
            f"fastcausal score GOLD PRED --per-example FILE writes{lost}"
        )
    require_version(about["statistics"], VERSION, source.name, "statistics")
    _require_types(about, source.name)
    require_seal(about, source.name)
    for key in ("job", "fields", *FACTS) if like else ():
        if like is not None and about.get(key) != like.get(key):
            raise InputError(
                f"{source.name}: {key} {about.get(key)}, expected {like.get(key)} as in {LIKE}"
            )
    if "id" in table.column_names:  # large strings of an engine
        try:
            ids = cast(table["id"], pa.string(), "id")
        except InputError as error:
            raise InputError(f"{source.name}: {error}") from error
        table = table.set_column(table.column_names.index("id"), "id", ids)
    return source.name, table.replace_schema_metadata(None), about


def about_in(schema: pa.Schema) -> About | None:
    """Return the metadata of statistics in a schema; None for other tables."""
    try:
        about = json.loads((schema.metadata or {}).get(KEY, b"null"))
    except (TypeError, ValueError, RecursionError):
        return None
    return about if isinstance(about, dict) and "statistics" in about else None


def _require_types(about: About, name: str) -> None:
    """Refuse metadata with a value of another type, also within one system."""
    for key, kinds in TYPES.items():
        if not isinstance(about.get(key), kinds):
            got = f"{key} is {json.dumps(about.get(key))[:40]}"
            raise InputError(f"{name}: invalid metadata of statistics: {got}")
    for system, own in (about.get("systems") or {}).items():
        if not isinstance(own, dict):
            raise InputError(f"{name}: invalid metadata of statistics: of {system} nothing is told")
        _require_types({**about, **own, "systems": None}, f"{name}: {system}")


def about_like(path: str | os.PathLike[str]) -> About:
    """Read the metadata that a file shares with others of its kind."""
    about = load(path)[2]
    unknown: About = {"gold": None, "warnings": [], "totals": {}, "n_rows": None}
    unknown |= {ROWS: None, COLUMNS: None}
    systems = about.get("systems") or {}
    return {
        **about,
        **unknown,
        SEAL: None,
        "system": None,
        "systems": {name: {**own, **unknown} for name, own in systems.items()},
    }


def batches_in(path: str | os.PathLike[str]) -> tuple[About, Iterator[pa.Table]]:
    """Read a Parquet file of fastcausal: its metadata, and its rows batch by batch."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    file = pq.ParquetFile(path)
    about: About = json.loads(file.schema_arrow.metadata[KEY])
    tables = (pa.Table.from_batches([batch]) for batch in file.iter_batches())
    return about, (table.replace_schema_metadata(None) for table in tables)


def formula_in(about: About, name: str) -> Formula:
    """Return the formula described in the metadata; raise InputError if it is invalid."""
    try:
        return _tried_formula(json.dumps(about["formula"]))
    except Exception as error:  # arbitrary content
        raise InputError(f"{name}: unknown formula of scores in the metadata") from error


@lru_cache(maxsize=16)  # a thousand runs of a sweep have one
def _tried_formula(described: str) -> Formula:
    """Return a formula that can score."""
    formula = formula_of(json.loads(described))
    no_rows = np.zeros((0, len(formula.fields)), formula.dtype)
    formula.scores(no_rows, np.zeros((1, 0), np.int64))
    return formula


def read(path: str | os.PathLike[str], like: About | None = None) -> dict[str, dict[str, Any]]:
    """Read a file of one or several systems: arguments of `Statistics` for each, by name.

    ``like`` is as in `load`.

    Raises
    ------
    InputError
        The file is damaged, has other content, or contradicts ``like``.
    """
    systems = _read_systems(path, like)
    for parts in systems.values() if like else ():
        joint_signature(parts["signature"], signature_in(like or {}), (str(path), LIKE))
    return systems


def take_one(path: Any, systems: Mapping[str, T]) -> T:
    """Return the system of a file of one; InputError for several."""
    if len(systems) > 1:
        names = ", ".join(systems)
        raise InputError(f"{path}: several systems ({names}), expected a file of one")
    return next(iter(systems.values()))


def _read_systems(path: str | os.PathLike[str], like: About | None) -> dict[str, dict[str, Any]]:
    """Return the arguments of `Statistics` for each system of a file."""
    from fastcausal.arrays import compute as pc
    from fastcausal.files.packed import stem_of

    name, table, about = load(path, like)
    if SYSTEM not in table.column_names:
        parts = parts_of(Part(name, table), about)
        return {parts["system"] or stem_of(name): parts}
    systems = pc.unique(table[SYSTEM]).to_pylist()
    if not systems or not all(isinstance(system, str) for system in systems):
        raise InputError(f'{name}: column "{SYSTEM}" has {systems[:3]}, expected names')
    return {
        system: parts_of(
            Part(f"{name}: {system}", table).select(pc.equal(table[SYSTEM], system)),
            {**about, **_find_system(about.get("systems"), system), "system": system},
        )
        for system in systems
    }


def _find_system(systems: Any, system: str) -> About:
    """Return the metadata of one system; other systems have an unknown number of rows."""
    own: About = (systems or {}).get(system, {"n_rows": None, ROWS: None})
    return own


def parts_of(part: Part, about: About) -> dict[str, Any]:
    """Return the arguments of `Statistics` for the rows of one system."""
    name = part.name
    formula = formula_in(about, name)
    table, about = _move_from_rows(name, drop_columns(part.table, (SYSTEM,)), about)
    part = part._replace(table=table)
    said = _parse_about(about, len(table), name)
    sums = bool(about.get("sums"))
    kept, left_out = (part, None) if sums else parted(formula, part)
    if left_out is not None:
        check_totals(formula, left_out)
    known, rows = counts_of(formula, kept, totals=not sums)
    times = part.numbers(TIMES) if sums else np.ones(len(rows), np.int64)
    require_digest(about, formula, table, name)
    parts = {**said, "formula": known, "rows": rows, "times": times}
    if sums:
        return parts
    units = kept.table.drop_columns(list(formula.fields))
    return {
        **parts,
        "units": units if units.column_names else no_rows(units.schema),
        "left_out": None if left_out is None else left_out.table,
    }


def _parse_about(about: About, n_rows: int, name: str) -> dict[str, Any]:
    """Return the arguments in the metadata for n rows."""
    try:
        gold = None if about["gold"] is None else int(about["gold"], 16)
        warnings = {tuple(texts): tuple(counts) for texts, counts in about["warnings"]}
        whole = about["n_rows"] == n_rows
        facts = {key: about[key] for key in FACTS if about[key] is not None}
        system, signature = about["system"], signature_in(about)
        totals = {name: int(n) for name, n in (about.get("totals") or {}).items()}
        warning_lines(warnings)
        if not isinstance(system, str | None) or not isinstance(signature, str):
            raise TypeError("names")
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{name}: invalid metadata of statistics: {error}") from error
    return {
        "signature": signature,
        "facts": facts,
        "system": system,
        "gold": gold if whole else None,
        "warnings": warnings if whole else warnings | JOINED,
        "totals": totals,
    }


def signature_in(about: About) -> str:
    """Return the signature with its settings, if the file has these; ValueError for others."""
    line: str = about["signature"]
    if not about.get("recipe"):
        return line
    signature = Signature(about["recipe"])
    if signature != line:
        raise ValueError(f"the settings of the signature are those of {signature}")
    return signature
