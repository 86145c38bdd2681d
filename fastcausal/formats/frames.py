"""Tables and lists of dicts in memory: their columns decide the way of reading.

::

    DataFrame, Dataset ──▶ table ──▶ read ──┬─▶ Relations     lists of {role, start, stop}: no copy
                                            ├─▶ located       texts, offsets in characters
    list of dicts ──▶ of_dicts ─────────────┴─▶ from_examples offsets in tokens
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.examples import FURTHER, TYPE, count_further, misnamed
from fastcausal.arrays.reading import METADATA_KEY
from fastcausal.errors import InputError, Problems, Remedy
from fastcausal.files.columns import is_coded_text, is_list
from fastcausal.files.keys import groups_of
from fastcausal.files.records import Records
from fastcausal.files.spelling import TEXT, notify_of_text, respell_columns
from fastcausal.files.values import find_most_common, kind
from fastcausal.formats import bio, spans
from fastcausal.formats.cnc import truth
from fastcausal.formats.reading.groups import find_changes, merge_groups
from fastcausal.formats.words import WordCutter, read_examples
from fastcausal.marking import MARKING, Marking
from fastcausal.options import Occurrence, ReadFormat
from fastcausal.relations import ROLES, Reading, Relations, import_table

CANONICAL = ("parquet", "arrow")  # formats with the columns of `Relations`
SHAPES = ("spans", "examples", "flat")
TYPE_ALONE = "type of a row without a span left out"  # a note
TEXTS, BOUNDS, PAIRS = "texts", "{start, stop}", "[start, stop]"  # forms of spans
ANNOTATOR = "annotator"  # several annotators may mark the same examples
COLUMNS = ("id", "text", "relations", "length", "tokens", ANNOTATOR)


def table_of(source: Any) -> Any:
    """Return an object with the Arrow table of a source in memory; None if it has none."""
    # A ``datasets.Dataset`` gives its selected rows, in their order.
    if hasattr(source, "__arrow_c_stream__"):
        return source
    if type(source).__module__.partition(".")[0] != "datasets":
        return None
    if isinstance(source, Mapping):
        raise InputError(f"a DatasetDict of {', '.join(source)}, expected a Dataset of it")
    return source.with_format("arrow")[:] if hasattr(source, "num_rows") else None


def read(
    # Arrow data: With the columns of `Relations`; or ``relations`` of type ``list<struct>`` with a
    # field for each role; or a row per relation, see `fastcausal.formats.flat`
    source: Any,
    format: ReadFormat | None = None,  # By default found from the types of the columns
    like: Relations | None = None,  # As in `fastcausal.formats.spans.located`
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
    name: str = "the table",  # The name of the table in messages
) -> Relations:
    """Read relations from the columns of a table."""
    if format is not None and format not in (*SHAPES, *CANONICAL):
        expected = ", ".join((*SHAPES, "arrow"))
        raise InputError(f'{name} cannot be read as "{format}", expected {expected}')
    try:
        table = import_table(source)
    except InputError:
        if not hasattr(source, "notna"):
            raise
        # Columns of pandas may have mixed values; columns of Arrow cannot.
        rows = source.astype(object).where(source.notna(), None).to_dict("records")
        return read_dicts(rows, format, like, occurrence, marking, name)
    if again := find_most_common(table.column_names):
        raise InputError(f'{name}: column "{again[0]}" occurs {again[1]} times')
    if format in CANONICAL or (format is None and is_canonical(table.schema)):
        _refuse_occurrence(occurrence, name)
        return read_canonical(table, marking, name)
    roles = marking.roles
    classes = classes_of(table.schema)
    table = respell_columns(table, (*COLUMNS, *roles))
    if format is None and _is_of_hub(table.column_names, marking):
        return _read_hub(Records(name, table), marking, classes)
    if format == "flat" or _is_flat(table.column_names, name, roles):
        return read_flat(Records(name, table), format, like, occurrence, marking)
    relations, marks, n = _split_structs(table, name, roles)
    counts = _counted(format, marks, table.column_names, name)
    made = _read_examples(Records(name, table), relations, counts, like, occurrence, marking)
    return made.with_reading(notes={**made.reading.notes, FURTHER: n}) if n else made


def read_dicts(
    examples: Sequence[Mapping[str, Any]],
    format: ReadFormat | None = None,
    like: Relations | None = None,
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
    name: str = "the list",
) -> Relations:
    """Read relations from dicts, each an example or, without "relations", a row of flat columns."""
    # Offsets count tokens, as in `Relations.from_examples`, unless ``format`` is ``"spans"`` or
    # spans are texts or ``{"start", "stop"}``.
    if format is not None and format not in SHAPES:
        raise InputError(f'{name} cannot be read as "{format}", expected {", ".join(SHAPES)}')
    if format is None and examples and _is_of_hub(examples[0], marking):
        return _read_hub(Records(name, examples), marking, {})
    if not any("relations" in example for example in examples) and (
        format == "flat" or any(role in example for example in examples for role in marking.roles)
    ):
        return read_flat(Records(name, examples), format, like, occurrence, marking)
    if format is None:
        marks = _marks_of(examples, marking.roles)
        first = next(marks, PAIRS)  # a text or {start, stop} requires the check of all
        format = "examples" if first == PAIRS else _counted(None, {first, *marks}, (), name)
    if format == "examples":
        _refuse_occurrence(occurrence, name)
        return read_examples(examples, marking)
    return spans.read(examples, like, occurrence, marking)


def _is_of_hub(columns: Container[str], marking: Marking) -> bool:
    """Return True for the columns of tagged sentences or of tags, as data sets of the hub have."""
    if any(column in columns for column in ("relations", *marking.roles[:2])):
        return False
    return truth.has_pairs(columns) or bio.has_tags(columns)


def _read_hub(
    records: Records, marking: Marking, classes: Mapping[str, Sequence[str]]
) -> Relations:
    if truth.has_pairs(records.names):
        return truth.read(truth.write_rows(records), "strict")
    return bio.read_rows(records, marking, classes)


def classes_of(schema: pa.Schema) -> dict[str, list[str]]:
    """Return the names of classes by column, from the metadata of a ``datasets.Dataset``."""
    try:
        about = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
        features = about["info"]["features"].items()
        return {name: feature["feature"]["names"] for name, feature in features
                if "names" in feature.get("feature", ())}  # fmt: skip
    except (ValueError, KeyError, TypeError, AttributeError):  # of another writer
        return {}


def read_canonical(table: pa.Table, marking: Marking, name: str) -> Relations:
    """Read a table of relations as they are; roles name its numbers where it names none itself."""
    given = None
    if marking.roles != ROLES and METADATA_KEY not in (table.schema.metadata or {}):
        given = Reading(marking.roles)
    relations = Relations.trusted(table, given)
    if marking.words is not None and relations.reading.words is None:
        relations = relations.with_reading(words=WordCutter.choose(marking.words).name)
    if marking.roles not in (ROLES, relations.roles):
        raise InputError(
            f"{name}: roles are {', '.join(relations.roles)}, expected {', '.join(marking.roles)}"
        )
    return relations


def is_canonical(schema: pa.Schema) -> bool:
    """Return True if a table's relations are not dicts: `Relations` reads or refuses it."""
    of = schema.field("relations").type if "relations" in schema.names else pa.string()
    return not (_are_dicts(of) or is_coded_text(of))


def _are_dicts(of: pa.DataType) -> bool:
    return is_list(of) and pa.types.is_struct(of.value_type)


def _is_flat(columns: Sequence[str], name: str, roles: Sequence[str]) -> bool:
    """Return True for columns of a row per relation, False for examples; refuse others."""
    if "relations" in columns:
        return False
    if any(role in columns for role in roles[:2]):
        return True
    if {"n_gold_relations", "n_pred_relations"} <= {*columns}:
        raise InputError(
            f"{name}: counts of examples, as --per-example writes them, expected relations; "
            "fastcausal leaderboard takes counts, and makes a page of them with --html"
        )
    raise InputError(
        f'{name}: no column "relations": found {_listed(columns)}; a row per relation has "id", '
        '"cause" and "effect", and answers= names a column of model answers'
    )


def _listed(columns: Sequence[str]) -> str:
    return ", ".join(columns)[:200] or "no columns"


def _counted(
    format: ReadFormat | None, marks: set[str], columns: Sequence[str], name: str
) -> ReadFormat:
    """Return the format for spans in a given form; raise InputError if offsets are ambiguous."""
    if format == "spans" or format == "examples":
        return format
    counts_tokens = "length" in columns or "tokens" in columns
    if PAIRS not in marks:
        return "examples" if counts_tokens and not marks else "spans"
    if counts_tokens and marks == {PAIRS}:
        return "examples"
    beside = " and ".join(sorted(marks - {PAIRS}))
    beside = f"beside {beside}" if beside else 'without a column "length" or "tokens"'
    raise InputError(
        f"{name}: [start, stop] {beside} may count characters or tokens",
        Remedy("format", ("spans", "examples"), "says which"),
    )


def _refuse_occurrence(occurrence: Occurrence, name: str) -> None:
    if occurrence != "gap":
        raise ValueError(f'occurrence is "{occurrence}", but {name} has no texts of spans')


def _split_structs(
    table: pa.Table, name: str, roles: tuple[str, ...]
) -> tuple[list[Any], set[str], int]:
    """Return relations as dicts of roles, the forms of their spans, and a count of further keys."""
    if "relations" not in table.column_names:
        raise InputError(f'{name}: no column "relations": found {_listed(table.column_names)}')
    column = table["relations"]
    if is_list(column.type) and pa.types.is_null(column.type.value_type):
        return column.to_pylist(), set(), 0
    if not _are_dicts(column.type):
        wanted = f"list<struct<{', '.join(roles)}>>"
        raise InputError(
            f'{name}: column "relations" is {column.type}, expected {wanted}',
            Remedy("answers", ("relations",), "reads texts")
            if is_coded_text(column.type)
            else None,
        )
    fields = {field.name: field.type for field in column.type.value_type}
    if (key := misnamed(fields, roles)) is not None:
        expected = ", ".join(roles)
        raise InputError(f'{name}: relations have a field "{key}", expected some of {expected}')
    marks = {_mark(fields[role], name, role) for role in roles if role in fields} - {""}
    relations = column.to_pylist()
    if fields.keys() <= {*roles, TYPE}:
        return relations, marks, 0
    given = [r for of in relations for r in of or () if r is not None]
    n_further = sum(count_further(relation, roles) for relation in given)
    for relation in given:
        for key in fields.keys() - {*roles, TYPE}:
            del relation[key]
    return relations, marks, n_further


def read_flat(
    records: Records,
    format: ReadFormat | None = "flat",
    like: Relations | None = None,
    occurrence: Occurrence = "gap",
    marking: Marking = MARKING,
) -> Relations:
    """Read a row per relation, see `fastcausal.formats.flat`."""
    for column in ("id", *marking.roles[:2]):
        records.require(column)
    roles = [role for role in marking.roles if role in records]
    types = [TYPE] if TYPE not in roles and records.find(TYPE) else []
    texts = ["text"] if _has_text(records, like) else []
    table, ids = records.table, records.keys("id")
    if types and not is_coded_text(table[TYPE].type) and table[TYPE].null_count < len(table):
        of = table[TYPE].type
        raise InputError(f'{records.name}: column "{TYPE}" is {of}, expected text')
    for column in (*roles, *types, *texts):
        if records.is_mixed(column):
            kinds = dict.fromkeys(kind(v) for v in records.values(column) if v is not None)
            named = f'{records.name}: column "{column}"'
            raise InputError(f"{named} is {' and '.join(kinds)}, expected one kind")
    marks = {_mark(table[role].type, records.name, role) for role in roles} - {""}
    counts = _counted(format, marks, records.names, records.name)
    keys = [ids]
    if ANNOTATOR in records:
        keys.append(pc.fill_null(records.texts(ANNOTATOR), ""))
    groups = groups_of(keys)
    problems = Problems()
    if texts:
        for row, first in find_changes(records.texts("text"), groups):
            where = f"{records.locate(row)}: example {ids[row]}"
            problems.add(f"{where}: another text than in {records.locate(first)}")
    problems.raise_if_any()
    notes: Counter[str] = Counter()
    held = [*roles, *types]
    further = {name: table[name] for name in records.names if name not in held} | {"id": ids}
    examples = pa.table(merge_groups(further, groups, ("id", "text"), notes))
    relations = _grouped(held, [table[name].to_pylist() for name in held], groups, notes)
    lines = None if records.lines is None else [records.lines[k] for k in groups[1].tolist()]
    of_examples = Records(records.name, examples, lines=lines)
    made = _read_examples(of_examples, relations, counts, like, occurrence, marking)
    return made.with_reading(notes={**made.reading.notes, **notes}) if notes else made


def _has_text(records: Records, like: Relations | None) -> bool:
    """Return True if there is a column of texts; another word for it counts if gold has none."""
    if "text" in records:
        return True
    if like is not None and "text" in like.table.column_names:
        return False
    other = records.find(*TEXT[1:])
    if other is None or not is_coded_text(records.column(other).type):
        return False
    notify_of_text(records.name, other)
    return records.spell(TEXT)


def _grouped(
    roles: Sequence[str], columns: list[list[Any]], groups: Any, notes: Counter[str]
) -> list[Any]:
    """Return the relations of each group of rows; a row without a span has none."""
    group, first = groups
    relations: list[list[Any]] = [[] for _ in first]
    for at, *values in zip(group.tolist(), *columns, strict=True):
        relation = {role: value for role, value in zip(roles, values, strict=True) if value}
        if relation.keys() - {TYPE}:
            relations[at].append(relation)
        elif relation:
            notes[TYPE_ALONE] += 1
    return relations


def _read_examples(
    records: Records,
    relations: list[Any],
    counts: ReadFormat,
    like: Relations | None,
    occurrence: Occurrence,
    marking: Marking,
) -> Relations:
    """Read a row per example, with the relations of each as dicts; keep its other columns."""
    columns: dict[str, list[Any]] = {"relations": relations}
    ids = None
    if "id" in records:
        columns["id"] = ids = records.keys("id").to_pylist()
    if _has_text(records, like):
        columns["text"] = records.texts("text").to_pylist()
    if counts != "examples" and "tokens" in records:
        columns["tokens"] = records.values("tokens")
    name, lines = records.name, records.lines
    if counts == "examples":
        _refuse_occurrence(occurrence, name)
        for length in {"length", "tokens"} & {*records.names}:
            columns[length] = records.values(length)
        columns["relations"] = [[None] if r is None else _filled(r) for r in relations]
        made = read_examples(_rows(columns), marking)
    else:
        places = [name] * len(records) if lines is None else [f"{name}:{n}" for n in lines]
        made = spans.located(name, _rows(columns), like, occurrence, places, lines, ids, marking)
    own = made.table.column_names if counts == "examples" else spans.HELD
    further = records.drop(*own, "length", "relations")
    whole = made.table
    for field, column in zip(further.schema, further.columns, strict=True):
        whole = whole.append_column(field.with_metadata(None), column)
    return made if whole is made.table else Relations.trusted(whole, made.reading)


def _filled(relations: list[Any]) -> list[Any]:
    """Drop null roles from relations, as native code requires."""
    return [r and {role: spans for role, spans in r.items() if spans} for r in relations]


def _rows(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    names = tuple(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _mark(of: pa.DataType, name: str, role: str) -> str:
    """Return the form of a column's spans, "" if all its values are null."""
    item = of.value_type if (lists := is_list(of)) else of
    if lists and pa.types.is_integer(item):
        return PAIRS
    if is_coded_text(item):
        return TEXTS
    if pa.types.is_struct(item) and {field.name for field in item} == {"start", "stop"}:
        return BOUNDS
    if lists and is_list(item) and pa.types.is_integer(item.value_type):
        return PAIRS
    if pa.types.is_null(item) or (is_list(item) and pa.types.is_null(item.value_type)):
        return ""
    raise InputError(
        f'{name}: "{role}" is {of}, expected texts, [start, stop], {{start, stop}} or lists'
    )


def _marks_of(examples: Sequence[Mapping[str, Any]], roles: Sequence[str]) -> Iterator[str]:
    """Yield the form of each role's spans in each relation, if it is visible."""
    listed = (r for e in examples if isinstance(r := e.get("relations"), list | tuple))
    for relation in chain.from_iterable(listed):
        for role in roles if isinstance(relation, Mapping) else ():
            value = relation.get(role)
            item = value[0] if isinstance(value, list | tuple) and value else value
            if isinstance(item, str):
                yield TEXTS
            elif isinstance(item, Mapping):
                yield BOUNDS
            elif isinstance(value, list | tuple) and value:
                yield PAIRS
