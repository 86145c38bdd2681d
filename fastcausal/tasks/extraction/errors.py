"""Examples with errors, worst first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from fastcausal.engine.kernel import Int32, Int64
from fastcausal.engine.run import chosen_pairs
from fastcausal.report.grid import Grid
from fastcausal.report.page import ABOUT, Page, Section, write_page
from fastcausal.report.page.page import examples_part
from fastcausal.report.printed import Printed
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.counting import Counting
from fastcausal.tasks.extraction.kinds import error_fields
from fastcausal.tasks.extraction.page import columns_of_systems
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.marked import Line, Marked, grid_of, lines_of, numbered
from fastcausal.tasks.relations.sentences import Sentence, sentences_of

Span = dict[str, Any]
SPAN = pa.struct(
    {"role": pa.string(), "start": pa.int32(), "stop": pa.int32(), "words": pa.string()}.items()
)
RELATIONS = pa.list_(pa.struct({"relation": pa.int64(), "spans": pa.list_(SPAN)}.items()))
SCHEMA = pa.schema(
    {
        "id": pa.string(),
        "errors": pa.int64(),
        "text": pa.string(),
        "gold": RELATIONS,
        "pred": RELATIONS,
    }
)


@dataclass(frozen=True)
class Wrong:
    """An example with errors."""

    id: str  # Its id, or its number if it has no id
    errors: int  # Number of errors of the chosen roles and kinds
    counts: dict[str, int]  # Their numbers by role and kind, such as ``cause_be``, without zeros
    # Number and rows (role, start, stop) of each gold relation and of the prediction paired
    # with it; None for no relation
    pairs: list[tuple[tuple[int, Int32] | None, tuple[int, Int32] | None]]
    sentence: Sentence | None
    n_tokens: int

    def relations(self, side: int, roles: Sequence[str]) -> list[dict[str, Any]]:
        """Return the relations of gold (side 0) or of the prediction (side 1) in their order."""
        present = {relation[0]: relation[1] for pair in self.pairs if (relation := pair[side])}
        return [
            {"relation": n, "spans": [self._span(row, roles) for row in present[n].tolist()]}
            for n in sorted(present)
        ]

    def _span(self, row: list[int], roles: Sequence[str]) -> Span:
        role, start, stop = row
        words = None if self.sentence is None else self.sentence.words(start, stop)
        return {"role": roles[role], "start": start, "stop": stop, "words": words}

    def marked(self, roles: Sequence[str]) -> Marked:
        """Return the example as lines for display."""
        counts = ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in self.counts.items())
        errors = f"{self.errors} error{'s' * (self.errors != 1)}"
        return Marked(self.id, f"{errors} ({counts})", list(self._lines()))

    def _lines(self) -> Iterator[Line]:
        sentence = self.sentence or numbered(self.n_tokens)
        for pair in self.pairs:
            for side, relation in zip(("gold", "pred"), pair, strict=True):
                number, rows = relation or (None, None)
                yield from lines_of(side if number is None else f"{side} {number}", rows, sentence)


class Errors(Printed):
    """Examples of a report with errors, worst first, with marked spans."""

    def __init__(
        self,
        signature: str,
        roles: tuple[str, ...],  # The role names
        counted: tuple[str, ...],
        types: tuple[str, ...],  # Counted kinds of errors
        n_wrong: int,  # Number of all examples with errors; `examples` has the worst of them
        examples: list[Wrong],  # Worst first; equally bad ones in the order of gold
        columns: Callable[[], dict[str, Any]],
    ) -> None:
        self.signature = signature
        self.roles = roles
        self.counted = counted
        self.types = types
        self.n_wrong = n_wrong
        self.examples = examples
        self._columns = columns
        kinds = f"{', '.join(types)} of {', '.join(counted)}"
        shown = f", the worst {len(examples)}" if len(examples) < n_wrong else ""
        sentences = f"{n_wrong} sentence{'s' * (n_wrong != 1)}"
        self.title: str = f"{sentences} with errors ({kinds}){shown}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: id, counts, and spans with their words of each example."""
        return {
            "signature": self.signature,
            "types": list(self.types),
            "roles": list(self.counted),
            "n_wrong": self.n_wrong,
            "examples": [
                {
                    "id": wrong.id,
                    "errors": wrong.errors,
                    "counts": wrong.counts,
                    "text": wrong.sentence and wrong.sentence.text,
                    "gold": wrong.relations(0, self.roles),
                    "pred": wrong.relations(1, self.roles),
                }
                for wrong in self.examples
            ],
        }

    def to_arrow(self) -> pa.Table:
        """Return a row per example: id, errors, text, and the relations of both sides."""
        return pa.Table.from_pylist(self.to_dict()["examples"], SCHEMA)

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table with a part per example and a row per relation."""
        return grid_of(self.title, self.marked(), self.roles)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page for the browser with the examples and their spans."""
        about = Section("", lines=self._notes(), tab=ABOUT)
        write_page(path, Page(self.title, [about], examples_part(self._columns())))

    def marked(self) -> list[Marked]:
        """Return the examples as lines for display."""
        return [wrong.marked(self.roles) for wrong in self.examples]

    def _notes(self) -> list[str]:
        return [self.signature]


def errors_of(
    counting: Counting,
    aligned: Aligned,
    signature: str,
    top: int | None,
    types: Sequence[str],
    roles: Sequence[str],
) -> Errors:
    """Find the examples with most errors, see `ExtractionReport.errors`."""
    kernel = counting.plan.kernel
    kinds = _known("type", types, kernel.fields) or error_fields(kernel)
    if not kinds:
        known = ", ".join(kernel.fields)
        raise ValueError(f"{kernel.name} says of no count that it is errors: name types of {known}")
    counted = _known("role", roles, counting.roles) or counting.roles
    if top is not None and top < 1:
        raise ValueError(f"top is {top}, expected at least 1")
    counts = counting.run(aligned, partners=False).counts
    names = kernel.columns(counting.roles)
    chosen = [names.index(f"{role}_{kind}") for role in counted for kind in kinds]
    n_errors = counts[:, chosen].sum(axis=1)
    order = np.argsort(-n_errors, kind="stable")
    wrong = order[n_errors[order] > 0]
    named = {names[k]: counts[:, k] for k in chosen}
    examples = _examples(counting, aligned, wrong[:top], n_errors, named)

    def columns() -> dict[str, Any]:
        sides = {"pred": aligned}
        return columns_of_systems(counting, sides, (), len(examples), kinds, counted)

    return Errors(signature, counting.roles, counted, kinds, len(wrong), examples, columns)


def _known(what: str, names: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
    for name in names:
        if name not in known:
            raise ValueError(f'unknown {what} "{name}", expected one of {", ".join(known)}')
    return tuple(dict.fromkeys(names))


def _examples(
    counting: Counting, aligned: Aligned, chosen: Int64, n_errors: Int64, counts: dict[str, Int64]
) -> list[Wrong]:
    """Make a `Wrong` of each chosen example."""
    gold, pred = aligned.gold, aligned.pred
    partner = counting.run(aligned, n_groups=1).partner
    example, *index = chosen_pairs(counting.plan, gold, pred, partner)
    lengths = gold.lengths[chosen]
    taken = (
        aligned.examples.take(pa.array(chosen)) if aligned.examples.num_columns else pa.table({})
    )
    sentences = sentences_of(taken, lengths)
    described = []
    for e, sentence, n_tokens in zip(chosen.tolist(), sentences, lengths.tolist(), strict=True):
        places = slice(*np.searchsorted(example, [e, e + 1]))
        sides = ([_relation(rows, e, r) for r in each[places].tolist()]
                 for rows, each in zip((gold, pred), index, strict=True))  # fmt: skip
        own = {name: int(each[e]) for name, each in counts.items() if each[e]}
        pairs = [pair for pair in zip(*sides, strict=True) if any(pair)]
        described.append(Wrong(aligned.name(e), int(n_errors[e]), own, pairs, sentence, n_tokens))
    return described


def _relation(rows: Rows, example: int, index: int) -> tuple[int, Int32] | None:
    """Return the number of a relation in its example, from 1, and its rows; None for no spans."""
    if index < 0 or not len(rows.relation(index)):
        return None
    return index - int(rows.relation_offsets[example]) + 1, rows.relation(index)
