"""The page of relations marked differently by two annotators; the first annotator is gold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from fastcausal.arrays.reading import arguments_of
from fastcausal.engine.kernel import Int32
from fastcausal.report.page import ABOUT, Page, Section, html_of
from fastcausal.report.page.page import examples_part
from fastcausal.tasks.agreement.disagreements import TYPE, Paired
from fastcausal.tasks.relations.marked import numbered
from fastcausal.tasks.relations.sentences import Sentence, sentences_of

SAID = {
    "wrong": "all differs", "partly": "partly the same", "right": "the same",
    "missed": "not here:", "spurious": "only here", "error": "difference", "row": "disagreement",
}  # fmt: skip


def page_of(
    pairs: Sequence[Paired],
    roles: Sequence[str],
    title: str,
    signature: str,
    sections: Sequence[Section],
) -> str:
    """Write a page of the examples with differences, for each pair of annotators."""
    columns = columns_of(pairs, roles)
    about = Section("", lines=[signature], tab=ABOUT)
    title = f"{title}: {len({*columns['ids']})} to adjudicate"
    return html_of(Page(title, [*sections, about], examples_part(columns)))


def columns_of(pairs: Sequence[Paired], roles: Sequence[str]) -> dict[str, Any]:
    """Return the columns of docs/pages.md for the examples in which two annotators differ."""
    # An example has an entry for each pair of annotators who differ. The counts of a pair of
    # relations are, for each role, 1 in the column "same" or in the kind of the disagreement.
    examples = [
        example for code, paired in enumerate(pairs) for example in _differing(paired, code)
    ]
    typed = any(paired.types for paired in pairs) and TYPE not in roles
    words = words_of(roles) | ({TYPE: "other type"} if typed else {})
    types = sorted({name for each in examples for of in each["types"] for name in of if name})
    fields = ("same", *words)  # counts of each role of a pair of relations
    width = len(roles) * len(fields)
    counts = [[_counts(pair, len(roles), fields) for pair in each["pairs"]] for each in examples]
    rows = [row for own in counts for row in own]
    sums = [[sum(column) for column in zip(*own, strict=True)] for own in counts]
    names = [f"{role}_{field}" for role in roles for field in fields]
    return {
        "roles": [*roles],
        **({"types_of_relations": types} if types else {}),
        "columns": names,
        "types": [*words],
        "words": words,
        "said": SAID,
        "errors": {kind: [*range(k, width, len(fields))] for k, kind in enumerate(words, 1)},
        "hits": {"same": [*range(0, width, len(fields))]},
        "cells": [],
        "sides": [[paired.a, paired.b] for paired in pairs],
        "n_examples": len(examples),
        "n_left_out": 0,
        "ids": [each["id"] for each in examples],
        "texts": [each["text"] for each in examples],
        "strata": [
            {
                "name": "annotators",
                "values": [f"{paired.a} / {paired.b}" for paired in pairs],
                "codes": [each["code"] for each in examples],
            }
        ],
        "gold": _flat([each["a"] for each in examples])
        | _number_types([each["types"][0] for each in examples], types),
        "systems": [
            {
                "name": "the other" if len(pairs) > 1 else pairs[0].b if pairs else "",
                "pred": _flat([each["b"] for each in examples])
                | _number_types([each["types"][1] for each in examples], types),
                "unparsed": [0] * len(examples),
                "unread": [],
                "pairs": _pairs(examples),
                "examples": [*range(len(examples))],
            }
        ],
        "count_rows": [*sums, *rows],
    }


def words_of(roles: Sequence[str]) -> dict[str, str]:
    """Return the kinds of disagreement, with their names for people."""
    arguments = [roles[k] for k in arguments_of(roles)]
    further = {role: f"{role} alone" for role in roles if role not in arguments}
    swapped = f"{' and '.join(arguments)} swapped"
    return {
        "bounds": "other bounds", "spans": "other spans", "swapped": swapped, **further,
        "alone": "only one of them",
    }  # fmt: skip


def _pairs(examples: Sequence[dict[str, Any]]) -> dict[str, list[int]]:
    """Return the pairs of relations; rows of their counts follow the rows of the examples."""
    pairs = [pair for each in examples for pair in each["pairs"]]
    return {
        "n": [len(each["pairs"]) for each in examples],
        "gold": [pair["a"] for pair in pairs],
        "pred": [pair["b"] for pair in pairs],
        "counts": [*range(len(examples), len(examples) + len(pairs))],
    }


def _differing(paired: Paired, code: int) -> list[dict[str, Any]]:
    """Describe the examples in which two annotators differ."""
    differences = [*paired.differing()]
    wanted = {difference.example for difference in differences}
    differing = {difference.pair for difference in differences}
    kinds = (difference.kind for difference in differences)
    sides = (paired.aligned.gold.marked(), paired.aligned.pred.marked())
    sentences = sentences_of(paired.aligned.examples, paired.aligned.gold.lengths)
    made = []
    for example, places in groupby(range(len(paired.example)), lambda k: int(paired.example[k])):
        if example not in wanted:
            continue
        sentence = sentences[example] or numbered(int(paired.aligned.gold.lengths[example]))
        first = [int(rows.relation_offsets[example]) for rows in sides]
        spans = [
            [_characters(rows.relation(r), sentence)
             for r in range(int(rows.relation_offsets[example]),
                            int(rows.relation_offsets[example + 1]))]
            for rows in sides
        ]  # fmt: skip
        pairs: list[dict[str, Any]] = []
        types: list[list[str | None]] = [[None] * len(own) for own in spans]
        for k in places:
            a, b = (
                int(index[k]) - start if index[k] >= 0 else -1
                for index, start in zip(paired.relations, first, strict=True)
            )
            of_a, of_b = (own[n] if n >= 0 else None for own, n in zip(spans, (a, b), strict=True))
            for own, n, name in zip(types, (a, b), paired.types_at(k), strict=True):
                if n >= 0:
                    own[n] = name
            kind = next(kinds) if k in differing else "same"
            pairs.append({"a": a, "b": b, "spans": (of_a, of_b), "kind": kind})
        name = paired.aligned.name(example)
        made.append({"id": name, "text": sentence.text, "code": code, "a": spans[0],
                     "b": spans[1], "types": types, "pairs": pairs})  # fmt: skip
    return made


def _characters(rows: Int32, sentence: Sentence) -> list[list[int]]:
    """Return role, start and stop of each span, in characters."""
    return [
        [role, sentence.starts[start], sentence.stops[stop - 1]]
        for role, start, stop in rows.tolist()
    ]


def _counts(pair: dict[str, Any], n_roles: int, fields: Sequence[str]) -> list[int]:
    """Return for each role a row of counts: 1 for equal spans or the kind of disagreement."""
    kind = pair["kind"] if pair["kind"] in fields else "alone"
    counts = []
    for role in range(n_roles):
        a, b = (sorted(span for span in side or [] if span[0] == role) for side in pair["spans"])
        field = kind if a != b or (a and kind == TYPE) else "same" if a else ""
        counts += [int(field == each) for each in fields]
    return counts


def _number_types(
    examples: Sequence[Sequence[str | None]], names: Sequence[str]
) -> dict[str, list[int]]:
    """Return the number of the type of each relation, -1 for none; nothing without types."""
    place: dict[str | None, int] = {name: k for k, name in enumerate(names)} | {None: -1}
    return {"types": [place[name] for of in examples for name in of]} if names else {}


def _flat(examples: Sequence[Sequence[Sequence[Sequence[int]]]]) -> dict[str, list[int]]:
    """Return relations as the flat lists of docs/pages.md."""
    return {
        "relations": [len(relations) for relations in examples],
        "spans": [len(spans) for relations in examples for spans in relations],
        "values": [
            n for relations in examples for spans in relations for span in spans for n in span
        ],
    }
