"""The page that scores: its parts, and the protocols that it offers."""

from __future__ import annotations

import base64
import gzip
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import compute as pc
from fastcausal.arrays.strata import texts_of_column
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.errors import InputError
from fastcausal.files.packed import name_of, readable_again, stem_of
from fastcausal.formats import read
from fastcausal.formats.cnc.copies import texts_like
from fastcausal.formats.cnc.rereading import GOLD_READING, needs_other_tags, reread
from fastcausal.options import CLUSTERS, Policy
from fastcausal.protocols import PROTOCOLS, RECESS, ArgumentProtocol, Protocol
from fastcausal.recipe import Recipe
from fastcausal.relations import ROLES
from fastcausal.report.page.page import ABOUT, Page, Scripted, Section, examples_table
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.counting import counting_of
from fastcausal.tasks.extraction.kinds import error_fields
from fastcausal.tasks.extraction.page import about_counts
from fastcausal.tasks.extraction.scorer_page.core import core
from fastcausal.tasks.relations.align import describe_tags
from fastcausal.tasks.relations.official import KEY
from fastcausal.tasks.relations.unread import unread_message

FOLDER = Path(__file__).parent
POLICIES: tuple[Policy, ...] = ("error", "empty", "skip")
MEASURES = {
    "recess": "fair spans (RECESS)",
    "cnc-2023": "official scorer of CNC 2023",
    "cnc-2022": "official scorer of CNC 2022",
    **{name: kernel.title or name for name, kernel in KERNELS.items() if name != RECESS.kernel},
}


def scorer_page(gold: str | os.PathLike[str], check: Check | None = None) -> Page:
    """Make the page that scores predictions against gold, which it holds, or checks them alone."""
    scripts = ("core", "unpack", "results", "scorer")
    golds = read_golds(gold)
    data = {**_data(golds), "check": check and check._asdict()}
    own = Scripted.read_folder(FOLDER, "scorer", "Check" if check else "Score", scripts, data)
    packed = base64.b64encode(gzip.compress(core(), mtime=0)).decode()
    held = f'<script type="text/plain" id="core">{packed}</script>'
    table = examples_table()
    part = own._replace(
        markup=own.markup + held, script=f"{table.script}\n{own.script}", runs_wasm=True
    )
    about = (FOLDER / "about.html").read_text(encoding="utf-8")
    sections = [
        Section("", tab=table.title, markup=table.markup),
        Section("", tab=ABOUT, markup=about),
    ]
    n = next(len(each.rows["lengths"]) for each in golds.values() if isinstance(each, Gold))
    facts = [("gold", stem_of(name_of(gold))), ("examples", f"{n:,}"), ("version", __version__),
             ("your files", "stay on this machine")]  # fmt: skip
    if check is not None:
        return Page("Check a submission", sections[:1], part, facts=facts[1:])
    return Page("Score causal relations", sections, part, facts=facts)


class Check(NamedTuple):
    """Settings of a page that checks submissions to a shared task, against gold without answers."""

    protocol: int  # Place in `protocols_of_page`
    unparsed: str  # A policy
    size: int  # Largest submission, in bytes
    silenced: Sequence[str]  # Warnings that gold gives because its answers are left out
    rules: Sequence[str]  # Lines below the counts


def protocols_of_page() -> dict[str, Protocol]:
    """Return the protocols that the page offers, by the name of `MEASURES`."""
    kernels = {
        name: replace(RECESS, name=f"{RECESS.name}+{name}", kernel=name)
        for name in MEASURES
        if name not in PROTOCOLS
    }
    by_kernel = {
        str(name): protocol
        for name, protocol in PROTOCOLS.items()
        if not isinstance(protocol, ArgumentProtocol)
    }
    return {**by_kernel, **kernels}


class Gold(NamedTuple):
    """Gold under one reading of tags."""

    rows: Mapping[str, Any]  # As csrc/page/gold.hpp takes them
    found: list[tuple[str, str]]  # Settings of signatures that come from its content


def read_golds(source: str | os.PathLike[str]) -> dict[str, Gold | InputError]:
    """Read gold under each reading of tags of `MEASURES`; an error stands for a refused reading.

    Raises InputError if all readings are refused.
    """
    source = readable_again(source)
    golds: dict[str, Gold | InputError] = {}
    for protocol in protocols_of_page().values():
        if protocol.tags in golds:
            continue
        try:
            golds[protocol.tags] = read_gold(source, protocol)
        except InputError as error:
            golds[protocol.tags] = error
    faults = [gold for gold in golds.values() if isinstance(gold, InputError)]
    if len(faults) == len(golds):
        raise faults[0]
    return golds


def read_gold(source: str | os.PathLike[str], protocol: Protocol) -> Gold:
    """Read gold as plain columns; raise InputError unless the page can score it."""
    tags = GOLD_READING[protocol.tags]
    relations = read(source, tags=tags)
    if needs_other_tags(relations, tags):
        relations = reread(relations, tags)
    reading, table = relations.reading, relations.table
    if reading.predicted:
        raise InputError("gold is a submission file, expected gold annotations")
    if reading.roles != ROLES:
        raise InputError(
            f"gold has the roles {', '.join(reading.roles)}, the page that scores expects "
            f"{', '.join(ROLES)}"
        )
    if reading.words is not None:
        raise InputError(
            f"gold has the words {reading.words}, the page that scores expects tokens between "
            "blanks"
        )
    if relations.n_unread:
        raise InputError(unread_message(reading, "gold", relations.n_unread))
    rows = Rows.of(relations)
    texts = texts_like(relations, np.arange(len(relations)))
    columns = {
        "ids": [] if relations.ids is None else relations.ids.to_pylist(),
        "texts": [None] * len(relations) if texts is None else texts.to_pylist(),
        "keys": [_keys(table, name) for name in KEY],
        "clusters": {name: codes for name in CLUSTERS if (codes := _codes(table, name))},
        "lengths": rows.lengths.tolist(),
        "relations": np.diff(rows.relation_offsets).tolist(),
        "spans": np.diff(rows.row_offsets).tolist(),
        "values": rows.values.ravel().tolist(),
        "tagged": reading.tags == tags,
        "notes": dict(reading.notes),
        "warnings": []
        if reading.tags in (None, tags)
        else [describe_tags(reading.tags, tags, "gold", protocol.name)],
    }
    return Gold(columns, reading.content_settings())


def _keys(table: pa.Table, name: str) -> list[str]:
    """Return a column as texts; none unless every example has one."""
    if name not in table.column_names or table[name].null_count:
        return []
    try:
        keys: list[str] = pc.cast(table[name], pa.string()).to_pylist()
    except pa.ArrowException:
        return []
    return keys


def _codes(table: pa.Table, name: str) -> list[int]:
    """Return a number for the value of each example, -1 for none; no numbers without the column."""
    if name not in table.column_names:
        return []
    try:
        values, codes = texts_of_column(table, name)
    except InputError:  # as `find_cluster`
        return []
    made: list[int] = np.where([values[code] is None for code in codes], -1, codes).tolist()
    return made


def _data(golds: Mapping[str, Gold | InputError]) -> dict[str, Any]:
    """Return the data of the script: gold; protocols with their signatures and names of counts."""
    return {
        "version": __version__,
        "policies": [*POLICIES],
        "golds": {
            tags: gold.rows if isinstance(gold, Gold) else {"error": str(gold)}
            for tags, gold in golds.items()
        },
        "protocols": [
            {"words": MEASURES[name], **_protocol(name, protocol, golds[protocol.tags])}
            for name, protocol in protocols_of_page().items()
        ],
    }


def _protocol(name: str, protocol: Protocol, gold: Gold | InputError) -> Mapping[str, Any]:
    found = gold.found if isinstance(gold, Gold) else []
    counting = counting_of(protocol, ROLES, "cpu", None)
    about = about_counts(counting, error_fields(protocol.pair_kernel), ROLES)
    by_kernel = protocol.name != name
    return {
        "option": f"--kernel {name}" if by_kernel else f"--protocol {name}",
        "settings": {"line": str(protocol), "protocol": protocol.name, **protocol.settings},
        "signatures": {policy: _signatures(protocol, policy, found) for policy in POLICIES},
        "about": {**about, "cells": [], "strata": []},
    }


def _signatures(protocol: Protocol, policy: Policy, found: list[tuple[str, str]]) -> dict[str, str]:
    """Return signatures under two flags: relations are used as they are; spans are located."""
    recipe = Recipe(protocol, policy)
    return {
        f"{as_given:d}{located:d}": recipe.signature(
            bool(as_given), {*found, ("spans", "gap")} if located else found
        )
        for as_given in (0, 1)
        for located in (0, 1)
    }
