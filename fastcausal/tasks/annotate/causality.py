"""The form of the five tests of causality: a pair is causal if it passes all (RECESS, 3.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.lines import first_object
from fastcausal.files.packed import stem_of, suffix_of
from fastcausal.files.records import read_records
from fastcausal.formats.examples import examples
from fastcausal.tasks.annotate.collected import Collected, RaterLabel, require_once
from fastcausal.tasks.annotate.curation import draw_lines, no_length
from fastcausal.tasks.annotate.page import Sheet
from fastcausal.tasks.annotate.slots import cut_lines
from fastcausal.tasks.claims.reading import rater_of
from fastcausal.tasks.crab.humans import second_answers
from fastcausal.tasks.labels.files import RATERS, UNITS
from fastcausal.tasks.labels.report import brief, label_agreement
from fastcausal.tasks.relations.marked import numbered
from fastcausal.tasks.relations.sentences import sentences_of

# The tests by Grivaz (2010), as questions of which yes is a pass.
TESTS = {
    "why": "Does the cause answer a question that asks why the effect happened?",
    "temporal": "Does the cause come before the effect in time?",
    "counterfactual": "Without the cause, would the effect be less likely?",
    "asymmetry": "Is it wrong to swap cause and effect?",
    "linguistic": "Can you say “CAUSE causes EFFECT”, or “Because of CAUSE, EFFECT”?",
}
_ROW = pa.schema(
    [(name, pa.string()) for name in ("item", "rater", *TESTS)]
    + [("label", pa.int64()), ("failed", pa.string())]
)
TABLES = (".csv", ".tsv", ".parquet", ".arrow")  # suffixes of files without objects
AGREEMENT = ("percent_agreement", "cohen_kappa", "fleiss_kappa", "alpha")


def sheet_of_causality(source: str, rater: str | None = None) -> Sheet:
    """Make the sheet of the relations of a source, each to be tested."""
    relations = formats.read(source)
    told = sentences_of(relations.table, relations.arrays.lengths)
    items: list[dict[str, Any]] = []
    for example, sentence in zip(examples(relations), told, strict=True):
        if example.length is None:
            raise no_length(f"{source}: {example.name}")
        for number, spans in enumerate(example.relations, 1):
            if spans:
                drawn = draw_lines(spans, sentence or numbered(example.length), relations.roles)
                items.append({"id": f"{example.id}/{number}", "lines": drawn})
    if not items:
        raise InputError(f"{source} has no relation to test")
    return Sheet(
        "causality",
        "relations" if source == "-" else stem_of(source),
        rater or "",
        [*cut_lines({"item": item["id"]} for item in items)],
        [None] * len(items),
        items,
        {"tests": [*TESTS.items()]},
        ".jsonl",
    )


def has_tests(file: Source) -> bool:
    """Return True for a table with a column for each test."""
    is_table = suffix_of(file.name) in TABLES
    names = read_records(file, "tests").names if is_table else first_object(file)
    return {*TESTS} <= {*names}


def collect_tests(files: Sequence[Source], name: str | None) -> Collected:
    """Collect the answers of all raters to the five tests, and which of them fail."""
    labels: list[RaterLabel] = []
    rows: list[dict[str, Any]] = []
    for file in files:
        records = read_records(file, "tests")
        items = records.keys(*UNITS).to_pylist()
        given = rater_of(file.name, name)
        raters = records.keys(*RATERS).to_pylist() if given is None else [given] * len(items)
        answers = zip(*(second_answers(records, test).tolist() for test in TESTS), strict=True)
        for item, rater, said in zip(items, raters, answers, strict=True):
            row = dict(zip(TESTS, said, strict=True))
            labels.append(
                RaterLabel(None, item, rater, None if math.isnan(sum(said)) else min(said))
            )
            if not all(map(math.isnan, said)):
                rows.append({"item": item, "rater": rater, **row})
    require_once(labels, "pair")
    labels.sort(key=lambda label: (label.rater, label.item))
    return Collected(labels, rows=_tabulate(rows), tests=_summarize(rows))


def _tabulate(rows: Sequence[Mapping[str, Any]]) -> pa.Table:
    """Return the answers as yes and no, ``label`` 1 if all are yes and 0 if one is no."""
    words = {1.0: "yes", 0.0: "no"}
    return pa.Table.from_pylist(
        [
            {**row, **{test: words.get(row[test]) for test in TESTS}}
            | {"label": _judge(row), "failed": ", ".join(t for t in TESTS if row[t] == 0)}
            for row in rows
        ],
        _ROW,
    )


def _judge(row: Mapping[str, Any]) -> int | None:
    """Return 1 if all tests are passed, 0 if one fails, None if neither is known."""
    said = [row[test] for test in TESTS]
    return 0 if 0 in said else None if any(map(math.isnan, said)) else 1


def _summarize(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Count answers and failures of each test and of all together, with agreement of raters."""
    judged = [(row, {**row, "all five": _judge(row)}) for row in rows]
    return {
        test: _summarize_test([row for _, row in judged], test) for test in (*TESTS, "all five")
    }


def _summarize_test(rows: Sequence[Mapping[str, Any]], test: str) -> dict[str, Any]:
    said = [row for row in rows if row[test] is not None and not math.isnan(row[test])]
    n_failed = sum(row[test] == 0 for row in said)
    found = {"n": len(said), "n_failed": n_failed, "share": n_failed / len(said) if said else None}
    if len({row["rater"] for row in said}) < 2:
        return found
    columns = {"unit": "item", "rater": "rater", "label": test}
    table = pa.table({name: [row[column] for row in said] for name, column in columns.items()})
    agreement = brief(label_agreement(table))
    return found | {name: agreement.get(name) for name in AGREEMENT}
