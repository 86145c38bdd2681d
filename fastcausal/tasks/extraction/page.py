"""Columns of the examples of a page: both sides, pairs of relations, and counts of each pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays.distinct import distinct
from fastcausal.arrays.span_arrays import span_arrays, span_lists
from fastcausal.arrays.strata import sorted_strata
from fastcausal.errors import InputError, counted
from fastcausal.files.keys import places_of
from fastcausal.report.page import ABOUT, Card, Page, Section
from fastcausal.report.page.page import examples_part
from fastcausal.report.report import Report
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.confusion import (
    WITHOUT_TYPE,
    confusion_of_examples,
    types_of_examples,
)
from fastcausal.tasks.extraction.counting import Counting
from fastcausal.tasks.extraction.evaluation import require_evaluation
from fastcausal.tasks.extraction.kinds import WORDS
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.marked import MAX_NUMBERS, numbered
from fastcausal.tasks.relations.sentences import Sentence, sentences_of

Int64 = npt.NDArray[np.int64]
Columns = dict[str, Any]
EXAMPLES = "examples; fastcausal report GOLD PRED --out FILE makes a page of both"
MAX_CELLS = 64  # cells of the confusion of roles; a larger one is not counted per example
MAX_LETTERS = 4000  # shown of an unparsed answer
NO_ROLE = "none"
OF_TYPES = "type "  # before the names of cells of the confusion of types
TYPES = "\0types"  # a column beside those of gold: the number of the type of each relation


class _System(NamedTuple):
    """Examples of one system."""

    aligned: Aligned
    # For each example: its predicted relations, the number of unparsed ones, and its pairs
    # (number of the gold relation, of the predicted relation, and of the pair)
    table: pa.Table
    # int64[n_examples, n_counts], int64[n_pairs, n_counts]: Counts of the kernel, followed by
    # the cells of the confusions of roles and of types
    of_examples: Int64
    of_pairs: Int64
    places: Int64  # int64[n_examples]: As in `Aligned`
    gold_types: Mapping[str, pa.Array]  # A column of gold; nothing without types


def page_of(
    title: str,
    sections: Sequence[Section],
    reports: Mapping[str, Report],
    n_examples: int,
    cards: Sequence[Card] = (),
) -> Page:
    """Make the page of one or more reports; arguments and errors as in `columns_of`."""
    columns = columns_of(reports, n_examples)
    lines = describe_left_out(columns)
    first = next(iter(reports.values()))
    facts = [
        ("protocol", str(first.facts["protocol"])),
        ("examples", f"{columns['n_examples']:,}"),
        ("gold relations", f"{first.facts['n_gold_relations']:,}"),
    ]
    if len(reports) > 1:
        facts.append(("systems", str(len(reports))))
    warned: dict[str, list[str]] = {}
    for name, report in reports.items():
        for warning in report.warnings:
            warned.setdefault(warning, []).append(name)
    warnings = [
        f"warning: {warning}"
        if len(names) == len(reports)
        else f"{', '.join(names)}: warning: {warning}"
        for warning, names in warned.items()
    ]
    about = [Section("", lines=lines, tab=ABOUT)] if lines else []
    return Page(
        title, [*sections, *about], examples_part(columns), cards, facts, [*warnings, *lines]
    )


def describe_left_out(columns: Mapping[str, Any]) -> list[str]:
    """Return a line on examples that the page leaves out; no line if it has all."""
    n = columns["n_left_out"]
    line = (
        f"{n} of {columns['n_examples']} examples are left out, those with fewest errors; "
        "fastcausal score --per-example FILE has them all"
    )
    return [line] if n else []


def columns_of(reports: Mapping[str, Report], n_examples: int) -> Columns:
    """Return the columns of docs/pages.md for systems scored alike on one gold, worst first."""
    if n_examples < 0:
        raise ValueError(f"examples is {n_examples}, expected 0 or more")
    details = [require_evaluation(report, EXAMPLES) for report in reports.values()]
    first, *_ = details
    aligned = {name: each.examples() for name, each in zip(reports, details, strict=True)}
    return columns_of_systems(first.counting, aligned, first.strata, n_examples)


def columns_of_systems(
    counting: Counting,
    aligned: Mapping[str, Aligned],
    by: Sequence[str],
    most: int,
    kinds: Sequence[str] | None = None,
    counted: Sequence[str] | None = None,
) -> Columns:
    """Return the columns of examples of systems, those with most errors of the kinds and roles."""
    only_wrong = kinds is not None
    if kinds is None:
        kinds = counting.error_kinds
    about = about_counts(counting, kinds, counting.counted if counted is None else counted)
    types = _names_of_types(aligned.values())
    sides = (*types, WITHOUT_TYPE) if 0 < len(types) < MAX_CELLS**0.5 else ()
    cells = [f"{OF_TYPES}{gold}>{pred}" for gold in sides for pred in sides]
    systems = [_counted(counting, each, about["cells"], types, cells) for each in aligned.values()]
    places, at = _joined(systems)
    shown = _worst(systems, at, [*chain(*about["errors"].values())], most, only_wrong)
    at = at[:, shown]
    gold = _gold(systems, at)
    sentences = _sentences(gold)
    characters = _Characters.concatenate(sentences, gold["length"])
    has_ids = "id" in gold.column_names
    return {
        **about,
        "cells": [*about["cells"], *cells],
        **({"types_of_relations": types} if types else {}),
        "n_examples": len(places),
        "n_left_out": 0 if only_wrong else len(places) - len(shown),
        "ids": gold["id"].to_pylist() if has_ids else [*map(str, places[shown].tolist())],
        "texts": [sentence.text for sentence in sentences],
        "strata": [_stratum(gold, column) for column in by],
        "gold": characters.relations(gold["relations"]) | _types_in(gold),
        **_list_systems([*aligned], systems, at, characters),
    }


def about_counts(counting: Counting, kinds: Sequence[str], counted: Sequence[str]) -> Columns:
    """Name the roles and counts, and the counts that are errors or hits."""
    roles, names = counting.roles, counting.detailed_columns
    errors, hits = (
        {kind: [names.index(f"{of}_{kind}") for of in groups] for kind in of_kind}
        for groups, of_kind in ((counted, kinds), (counting.counted, counting.hit_kinds))
    )
    sides = (*roles, NO_ROLE)
    cells = [f"{gold}>{pred}" for gold in sides for pred in sides]
    return {
        "roles": [*roles],
        "columns": [*names],
        "types": [*errors],
        "words": {name: WORDS[name] for name in counting.kinds if name in WORDS},
        "errors": errors,
        "hits": hits,
        "cells": cells if len(cells) <= MAX_CELLS else [],
    }


def _names_of_types(sides: Iterable[Aligned]) -> list[str]:
    """Return the names of all types, ascending."""
    return sorted({name for aligned in sides if aligned.types for name in aligned.types.names})


def _list_types(aligned: Aligned, side: int, names: Sequence[str]) -> dict[str, pa.Array]:
    """Return the column of the types of each example's relations, -1 for none; nothing untyped."""
    types, rows = aligned.types, (aligned.gold, aligned.pred)[side]
    if not names:
        return {}
    if types is None:
        numbers = np.full(rows.n_relations, -1)
    else:
        place = {name: k for k, name in enumerate(names)}
        known = np.array([-1, *(place[name] for name in types.names)])
        numbers = known[(types.gold, types.pred)[side]]
    return {TYPES: arrow.lists(np.diff(rows.relation_offsets), arrow.numbers(numbers))}


def _types_in(table: pa.Table) -> Columns:
    """Return the types of the relations in a table as one list; nothing without types."""
    if TYPES not in table.column_names:
        return {}
    return {"types": arrow.joined(table[TYPES]).flatten().to_pylist()}


def _counted(
    counting: Counting,
    aligned: Aligned,
    cells: Sequence[str],
    types: Sequence[str],
    cells_of_types: Sequence[str],
) -> _System:
    """Count the examples of a system, and its pairs; confusions are counts of examples alone."""
    gold, pred = aligned.gold, aligned.pred
    result = counting.run(aligned)
    example, of_gold, of_pred = counting.list_pairs(gold, pred, result.partner)
    pairs = [
        np.where(index < 0, -1, index - rows.relation_offsets[example])
        for rows, index in ((gold, of_gold), (pred, of_pred))
    ]
    struct = [arrow.numbers(each) for each in (*pairs, np.arange(len(example)))]
    n_pairs = np.bincount(example, minlength=gold.n_examples)
    n_unread = aligned.n_unread
    table = {
        "pred": _lists(pred),
        "unparsed": arrow.numbers(np.zeros_like(n_pairs) if n_unread is None else n_unread),
        "pairs": arrow.lists(n_pairs, pa.StructArray.from_arrays(struct, ["gold", "pred", "row"])),
        **_list_types(aligned, 1, types),
    }
    of_pairs = counting.detail(counting.count_pairs(gold, pred, of_gold, of_pred, aligned.types))
    places = np.arange(gold.n_examples) if aligned.places is None else aligned.places
    of_examples = counting.detail(result.counts)
    n_cells = len(cells) + len(cells_of_types)
    if cells:
        confused = confusion_of_examples(counting, aligned).reshape(-1, len(cells))
        of_examples = np.hstack([of_examples, confused])
    if cells_of_types:
        confused = types_of_examples(counting, aligned, types).reshape(-1, len(cells_of_types))
        of_examples = np.hstack([of_examples, confused])
    of_pairs = np.pad(of_pairs, ((0, 0), (0, n_cells)))
    gold_types = _list_types(aligned, 0, types)
    return _System(aligned, pa.table(table), of_examples, of_pairs, places, gold_types)


def _lists(rows: Rows) -> pa.ListArray:
    """Return the column ``relations`` of rows."""
    return span_lists(rows.values.T, np.diff(rows.row_offsets), np.diff(rows.relation_offsets))


def _joined(systems: Sequence[_System]) -> tuple[Int64, Int64]:
    """Return the places of the examples of all systems, and the index of each in every system.

    int64[n_examples]: places in gold, ascending; examples that gold lacks come after them.
    int64[n_systems, n_examples]: -1 if a system lacks the example.
    """
    first = 1 + max(int(system.places.max(initial=-1)) for system in systems)
    beyond = _beyond(systems)
    of_systems = [system.places.copy() for system in systems]
    for own, numbers in zip(of_systems, beyond, strict=True):
        own[own < 0] = first + numbers
    places = np.unique(np.concatenate(of_systems))
    at = np.full((len(systems), len(places)), -1)
    for row, own in zip(at, of_systems, strict=True):
        row[np.searchsorted(places, own)] = np.arange(len(own))
    return places, at


def _beyond(systems: Sequence[_System]) -> list[Int64]:
    """Number the examples of each system that gold lacks, by their ids."""
    ids = [s.aligned.examples["id"].filter(arrow.numbers(s.places < 0))
           if (s.places < 0).any() else pa.chunked_array([], pa.string())
           for s in systems]  # fmt: skip
    every = pa.chunked_array([chunk for own in ids for chunk in own.chunks], pa.string())
    return [places_of(own, every) for own in ids]


def _worst(
    systems: Sequence[_System], at: Int64, columns: list[int], most: int, only_wrong: bool
) -> Int64:
    """Return the examples with most errors over all systems, in the order of gold."""
    n_errors = np.zeros(at.shape[1], np.int64)
    for system, own in zip(systems, at, strict=True):
        n_errors[own >= 0] += system.of_examples[:, columns].sum(axis=1)[own[own >= 0]]
    if only_wrong:
        most = min(most, int((n_errors > 0).sum()))
    return np.sort(np.argsort(-n_errors, kind="stable")[:most])


def _gold(systems: Sequence[_System], at: Int64) -> pa.Table:
    """Return gold's columns, relations and lengths; each example from the first system with it."""
    owner = (at >= 0).argmax(axis=0)
    mine = [np.flatnonzero(owner == k) for k in range(len(systems))]
    parts = []
    for system, own, chosen in zip(systems, at, mine, strict=True):
        gold = system.aligned.gold
        columns = {"relations": _lists(gold), "length": arrow.numbers(gold.lengths)}
        columns |= system.gold_types
        table = system.aligned.examples
        columns |= dict(zip(table.column_names, table.columns, strict=True))
        parts.append(pa.table(columns).take(arrow.numbers(own[chosen])))
    return pa.concat_tables(parts).take(arrow.numbers(np.argsort(np.concatenate(mine))))


def _sentences(gold: pa.Table) -> list[Sentence]:
    """Return the text of each example; without a text, the numbers of its tokens."""
    lengths = arrow.values_of(arrow.joined(gold["length"]))
    texts = sentences_of(gold, lengths)
    without = [n for text, n in zip(texts, lengths.tolist(), strict=True) if text is None]
    if sum(without) > MAX_NUMBERS:
        raise InputError(
            f"{counted(len(without), 'example')} without text have {sum(without)} tokens, expected "
            f"at most {MAX_NUMBERS} on a page, which shows their numbers; write fewer examples"
        )
    return [
        numbered(length) if text is None else text
        for text, length in zip(texts, lengths.tolist(), strict=True)
    ]


class _Characters(NamedTuple):
    """Characters at which tokens start and stop in the texts of all examples, one after another."""

    # int64[n_tokens]
    starts: Int64
    stops: Int64
    offsets: Int64  # int64[n_examples + 1]
    lengths: pa.ChunkedArray  # Tokens of each example

    @classmethod
    def concatenate(cls, sentences: Sequence[Sentence], lengths: pa.ChunkedArray) -> _Characters:
        """Concatenate the tokens of all sentences."""
        starts, stops = (
            np.fromiter(chain.from_iterable(sentence[k] for sentence in sentences), np.int64)
            for k in (1, 2)
        )
        offsets = arrow.offsets(len(sentence.starts) for sentence in sentences)
        return cls(starts, stops, offsets, lengths)

    def relations(self, column: pa.ChunkedArray) -> Columns:
        """Return relations with their spans in characters."""
        flat = span_arrays(column, self.lengths)
        n_spans = np.diff(flat.row_offsets[flat.relation_offsets])
        first = np.repeat(self.offsets[:-1], n_spans)
        spans = flat.role, self.starts[first + flat.start], self.stops[first + flat.stop - 1]
        return {
            "relations": np.diff(flat.relation_offsets).tolist(),
            "spans": np.diff(flat.row_offsets).tolist(),
            "values": np.stack(spans, axis=1).ravel().tolist(),
        }


def _list_systems(
    names: Sequence[str], systems: Sequence[_System], at: Int64, characters: _Characters
) -> Columns:
    """Return the columns of each system, and the distinct rows of counts that they refer to."""
    columns, counts = [], []
    for name, system, own in zip(names, systems, at, strict=True):
        table = system.table.take(arrow.numbers(own, own >= 0))
        pairs, offsets = arrow.flattened(arrow.joined(table["pairs"]))
        of_gold, of_pred, row = (arrow.values_of(pairs.field(k)) for k in range(3))
        counts += [system.of_pairs[row], system.of_examples[own[own >= 0]]]
        columns.append(
            {
                "name": name,
                "pred": characters.relations(table["pred"]) | _types_in(table),
                "unparsed": arrow.values_of(arrow.joined(table["unparsed"])).tolist(),
                "unread": _unread(system, own),
                "pairs": {
                    "n": np.diff(offsets).tolist(),
                    "gold": of_gold.tolist(),
                    "pred": of_pred.tolist(),
                },
            }
        )
    rows, row_of = distinct(np.concatenate(counts))
    parts = iter(np.split(row_of, np.cumsum([len(each) for each in counts])))
    for column, own in zip(columns, at, strict=True):
        column["pairs"]["counts"] = next(parts).tolist()
        codes = np.full(len(own), -1)
        codes[own >= 0] = next(parts)
        column["examples"] = codes.tolist()
    return {"systems": columns, "count_rows": rows.tolist()}


def _unread(system: _System, own: Int64) -> list[list[Any]]:
    """Return place, number of the relation, reason and text of each unparsed prediction."""
    reasons = system.aligned.reasons
    if reasons is None or system.aligned.n_unread is None:  # of examples that are left out
        return []
    shown = {example: k for k, example in enumerate(own.tolist()) if example >= 0}
    columns = (reasons[name].to_pylist() for name in ("example", "relation", "reason", "text"))
    return sorted(
        ([shown[example], relation, reason, text and text[:MAX_LETTERS]]
         for example, relation, reason, text in zip(*columns, strict=True) if example in shown),
        key=lambda row: row[0],
    )  # fmt: skip


def _stratum(examples: pa.Table, column: str) -> Columns:
    values, codes = sorted_strata(examples, column)
    return {"name": column, "values": values, "codes": codes.tolist()}
