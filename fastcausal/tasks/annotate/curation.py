"""The form of curation: take what annotators propose into gold, or drop it (RECESS, 3.4)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fastcausal.errors import InputError
from fastcausal.formats.examples import Example, examples
from fastcausal.formats.reading.builder import RoleSpan
from fastcausal.relations import Relations
from fastcausal.tasks.agreement.files import (
    check_texts,
    number_examples,
    read_annotators,
    require_common,
)
from fastcausal.tasks.annotate.page import Sheet
from fastcausal.tasks.annotate.slots import cut_lines
from fastcausal.tasks.relations.marked import numbered
from fastcausal.tasks.relations.sentences import Sentence, sentences_of

CURATOR, PROPOSED = "curator", "proposed_by"  # columns that the page adds
HELD = ("length", "relations", CURATOR, PROPOSED)  # columns that it writes anew
Proposal = tuple[tuple[RoleSpan, ...], str | None]  # spans by their places, and the type


@dataclass
class Curated:
    """An example with the proposals of all its annotators."""

    columns: dict[str, Any]  # that gold keeps
    sentence: Sentence
    annotators: list[str] = field(default_factory=list)
    proposals: dict[Proposal, list[str]] = field(default_factory=dict)  # Annotators of each


def sheet_of_curation(sources: Sequence[str], curator: str | None = None) -> Sheet:
    """Make the sheet of the relations that annotators propose, example by example."""
    sides = number_examples(read_annotators(sources))
    try:
        sides = check_texts(sides, "error", {})
        require_common(sides)
    except InputError as error:
        raise InputError(error.problem) from None  # remedies are options of `agree`
    roles = _require_roles(sides)
    curated: dict[str, Curated] = {}
    for name, side in sides.items():
        _add(curated, name, side)
    return Sheet(
        "curation",
        "gold",
        curator or "",
        [*cut_lines((each.columns for each in curated.values()), CURATOR)],
        [None] * len(curated),
        [_describe(id, each, roles) for id, each in curated.items()],
        {
            "words": ["all", "none"],
            "typed": any(side.types is not None for side in sides.values()),
        },
        ".jsonl",
    )


def _require_roles(sides: Mapping[str, Relations]) -> tuple[str, ...]:
    """Return the roles of all annotators; InputError if they differ."""
    roles = {side.roles: name for name, side in sides.items()}
    if len(roles) > 1:
        told = " and ".join(f"{name} has {', '.join(own)}" for own, name in roles.items())
        raise InputError(f"annotators have different roles: {told}")
    return next(iter(roles))


def _add(curated: dict[str, Curated], name: str, side: Relations) -> None:
    """Add the examples of an annotator."""
    told = sentences_of(side.table, side.arrays.lengths)
    for example, sentence, row in zip(examples(side), told, side.table.to_pylist(), strict=True):
        where = f'annotator "{name}": {example.name}'
        if None in example.relations:
            raise InputError(f"{where}: a relation cannot be read; `fastcausal check` names it")
        if example.length is None:
            raise no_length(where)
        if example.id not in curated:
            columns = _keep_plain(row) | {"length": example.length}
            curated[example.id] = Curated(columns, sentence or numbered(example.length))
        each = curated[example.id]
        if each.columns["length"] != example.length:
            known = f"expected {each.columns['length']} as of {each.annotators[0]}"
            raise InputError(f"{where}: {example.length} tokens, {known}")
        each.annotators.append(name)
        for proposal in _proposals(example):
            each.proposals.setdefault(proposal, []).append(name)


def no_length(where: str) -> InputError:
    """Return the error for an example whose number of tokens is unknown."""
    return InputError(f"{where}: no length, expected the number of its tokens")


def _keep_plain(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of an example that gold keeps: texts, numbers, and tokens."""
    return {
        name: value
        for name, value in row.items()
        if name not in HELD
        and (name == "tokens" or (isinstance(value, str | int | float) and value == value))
    }


def _proposals(example: Example) -> Iterator[Proposal]:
    """Yield the different relations of an annotator."""
    types = example.types or [None] * len(example.relations)
    yield from dict.fromkeys(
        (tuple(sorted(spans, key=lambda span: (*span[1:], span[0]))), kind)
        for spans, kind in zip(example.relations, types, strict=True)
        if spans
    )


def _describe(id: str, example: Curated, roles: Sequence[str]) -> dict[str, Any]:
    """Return what the page shows of an example, and writes of each proposal."""
    ordered = sorted(
        example.proposals.items(), key=lambda each: ([s[1:] for s in each[0][0]], each[0][1] or "")
    )
    active = {name for _, names in ordered for name in names}
    return {
        "id": id,
        "text": example.sentence.text,
        "without": ", ".join(name for name in example.annotators if name not in active),
        "proposals": [
            {
                "by": ", ".join(names),
                "n": f"{len(names)} of {len(example.annotators)}",
                "type": kind,
                "relation": json.dumps(
                    [{"role": roles[role], "start": a, "stop": b} for role, a, b in spans],
                    ensure_ascii=False,
                ),
                "lines": draw_lines(spans, example.sentence, roles),
            }
            for (spans, kind), names in ordered
        ],
    }


def draw_lines(
    spans: Sequence[RoleSpan], sentence: Sentence, roles: Sequence[str]
) -> list[list[tuple[str, tuple[int, str] | None]]]:
    """Cut a sentence at the spans of a relation: pieces with number and name of their role."""
    ordered = sorted(spans, key=lambda span: span[1:])
    return [
        [(text, None if role is None else (role, roles[role])) for text, role in line]
        for line in sentence.marked(np.array(ordered, np.int32))
    ]
