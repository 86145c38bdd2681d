"""Hyperparameters of systems: columns of a table, and groups of seeds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from fastcausal.errors import InputError
from fastcausal.files.keys import format_keys, lacking, places_of, require_unique
from fastcausal.files.patterns import expression_of, fields_in
from fastcausal.files.records import read_records
from fastcausal.files.values import write_cell

SYSTEM = ("system", "run")  # columns that name systems
SEED = "seed"  # the field of a pattern in which systems of a group differ


def hyperparameters_of(
    systems: Sequence[str],
    table: Any,  # a row for each system, named in its column system or run; others are ignored
    taken: Sequence[str] = (),  # names that its columns must not have
) -> dict[str, dict[str, Any]]:
    """Return the values of a table for each system, by column.

    >>> hyperparameters_of(["b"], [{"system": "a", "lr": 0.1}, {"system": "b", "lr": 0.2}])
    {'b': {'lr': 0.2}}
    """
    records = read_records(table, "table")
    key = records.require(*SYSTEM)
    keys, names = records.keys(key), pa.array(systems, pa.string())
    require_unique(keys, called=lambda row: f'{records.locate(row)}: {key} "{keys[row]}"')
    if len(missing := lacking(names, keys)):
        raise InputError(
            f"{records.name}: {len(missing)} systems without a row{format_keys(names, missing)}"
        )
    if clash := [name for name in records.names if name in taken]:
        raise InputError(f'{records.name}: column "{clash[0]}" is one of the leaderboard\'s own')
    places = places_of(names, keys).tolist()
    columns = {name: list(records.values(name)) for name in records.names if name != key}
    return {
        system: {name: column[place] for name, column in columns.items()}
        for system, place in zip(systems, places, strict=True)
    }


def groups_of(
    systems: Sequence[str],
    # A column of the table; a pattern of names with the field {seed}, whose other fields name the
    # group; or the group of each system
    by: str | Mapping[str, str],
    table: Any = None,  # as in `hyperparameters_of`
) -> dict[str, list[str]]:
    """Return the systems of each group, in the order of their names.

    >>> groups_of(["base_s1", "large_s1", "base_s2"], "{model}_s{seed}")
    {'base': ['base_s1', 'base_s2'], 'large': ['large_s1']}
    """
    groups: dict[str, list[str]] = {}
    group_of = dict(by) if isinstance(by, Mapping) else _find_groups(systems, by, table)
    for system in sorted(systems):
        if group_of.get(system) is None:
            raise InputError(f'system "{system}" has no group')
        groups.setdefault(str(group_of[system]), []).append(system)
    return groups


def _find_groups(systems: Sequence[str], by: str, table: Any) -> dict[str, str | None]:
    """Return the group of each system by a column or a pattern."""
    if not is_pattern(by):
        if table is None:
            raise ValueError(
                f'group is "{by}", expected a pattern such as {{model}}_s{{seed}}, or a table with '
                "that column"
            )
        rows = hyperparameters_of(systems, table)
        columns = next(iter(rows.values()), {})
        if by not in columns:
            raise InputError(f'no column "{by}" beside systems: found {", ".join(columns)[:200]}')
        return {system: write_cell(row[by]) for system, row in rows.items()}
    fields = fields_in(by)
    if SEED not in fields or len({*fields}) < len(fields) or not all(map(str.isidentifier, fields)):
        raise ValueError(f'group is "{by}", expected {{seed}} and other fields, each once')
    expression = expression_of(by, dict.fromkeys(fields, ".+"))
    group_of: dict[str, str | None] = {}
    for system in systems:
        match = expression.fullmatch(system)
        if match is None:
            raise InputError(f'system "{system}" does not fit "{by}"')
        others = [value for name, value in match.groupdict().items() if name != SEED]
        group_of[system] = ", ".join(others) or by
    return group_of


def is_pattern(by: str) -> bool:
    """Return True for a pattern of names, False for a column.

    >>> is_pattern("{model}_s{seed}"), is_pattern("model")
    (True, False)
    """
    return "{" in by
