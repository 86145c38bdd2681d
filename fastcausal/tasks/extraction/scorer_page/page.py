"""The page that scores: its parts, and the protocols that it offers."""

from __future__ import annotations

import base64
import gzip
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastcausal._version import __version__
from fastcausal.options import Policy
from fastcausal.protocols import PROTOCOLS, RECESS, Protocol
from fastcausal.recipe import Recipe
from fastcausal.relations import ROLES
from fastcausal.report.page.page import ABOUT, Page, Scripted, Section, examples_table
from fastcausal.tasks.extraction.counting import counting_of
from fastcausal.tasks.extraction.kinds import error_fields
from fastcausal.tasks.extraction.page import about_counts
from fastcausal.tasks.extraction.scorer_page.core import core

FOLDER = Path(__file__).parent
POLICIES: tuple[Policy, ...] = ("error", "empty", "skip")
MEASURES = {
    "recess": "fair spans (RECESS)",
    "cnc-2023": "official scorer of CNC 2023",
    "cnc-2022": "official scorer of CNC 2022",
    "exact_spans": "exact spans",
    "span_overlap": "overlap: EM, OSB, TO, alpha",
    "partial_spans": "schemes of SemEval-2013",
}


def scorer_page() -> Page:
    """Make the page that scores: one file dropped for gold, one for predictions.

    Raises
    ------
    InputError
        Its native part has to be compiled, and compiling fails.
    """
    own = Scripted.of_folder(FOLDER, "scorer", "Score", ("core", "results", "scorer"), _data())
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
    facts = [("version", __version__), ("your files", "stay on this machine")]
    return Page("Score causal relations", sections, part, facts=facts)


def protocols_of_page() -> dict[str, Protocol]:
    """Return the protocols that the page offers, by the name of `MEASURES`."""
    kernels = {
        name: replace(RECESS, name=f"{RECESS.name}+{name}", kernel=name)
        for name in MEASURES
        if name not in PROTOCOLS
    }
    return {**{str(name): protocol for name, protocol in PROTOCOLS.items()}, **kernels}


def _data() -> dict[str, Any]:
    """Return the data of the script: protocols with their signatures and names of counts."""
    chosen = protocols_of_page()
    return {
        "version": __version__,
        "policies": [*POLICIES],
        "protocols": [
            {"words": MEASURES[name], **_protocol(name, protocol)}
            for name, protocol in chosen.items()
        ],
    }


def _protocol(name: str, protocol: Protocol) -> Mapping[str, Any]:
    counting = counting_of(protocol, ROLES, "cpu", None)
    about = about_counts(counting, error_fields(protocol.pair_kernel), ROLES)
    by_kernel = protocol.name != name
    return {
        "option": f"--kernel {name}" if by_kernel else f"--protocol {name}",
        "settings": {"line": str(protocol), "protocol": protocol.name, **protocol.settings},
        "signatures": {policy: _signatures(protocol, policy) for policy in POLICIES},
        "about": {**about, "cells": [], "strata": []},
    }


def _signatures(protocol: Protocol, policy: Policy) -> dict[str, str]:
    """Return signatures under two flags: relations are used as they are; spans are located."""
    recipe = Recipe(protocol, policy)
    return {
        f"{as_given:d}{located:d}": recipe.signature(
            bool(as_given), [("spans", "gap")] if located else []
        )
        for as_given in (0, 1)
        for located in (0, 1)
    }
