"""Examples with errors, worst first."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from fastcausal.engine.kernel import Int32, Int64
from fastcausal.report.grid import Grid
from fastcausal.report.page import ABOUT, Page, Section, write_page
from fastcausal.report.page.page import examples_part, title_of
from fastcausal.report.printed import Printed
from fastcausal.rows import Rows
from fastcausal.tasks.extraction.counting import Counting
from fastcausal.tasks.extraction.page import columns_of_systems
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.marked import Line, Marked, grid_of, lines_of, numbered
from fastcausal.tasks.relations.sentences import Sentence, sentences_of
from fastcausal.tasks.relations.types import Types

Span = dict[str, Any]
SPAN = pa.struct(
    {"role": pa.string(), "start": pa.int32(), "stop": pa.int32(), "words": pa.string()}.items()
)
FIELDS = {"relation": pa.int64(), "spans": pa.list_(SPAN)}  # of a relation
TYPE = {"type": pa.string()}


class MarkedRelation(NamedTuple):
    """A relation with a span."""

    number: int  # In its example, from 1
    rows: Int32  # Its role, start and stop
    type: str | None = None


@dataclass(frozen=True)
class Wrong:
    """An example with errors."""

    id: str  # Its id, or its number if it has no id
    errors: int  # Number of errors of the chosen roles and kinds
    counts: dict[str, int]  # Their numbers by role and kind, such as ``cause_be``, without zeros
    # Each gold relation, and the prediction paired with it; None for no relation
    pairs: list[tuple[MarkedRelation | None, MarkedRelation | None]]
    sentence: Sentence | None
    n_tokens: int

    def relations(self, side: int, roles: Sequence[str], typed: bool) -> list[dict[str, Any]]:
        """Return the relations of gold (side 0) or of the prediction (side 1) in their order."""
        present = {marks.number: marks for pair in self.pairs if (marks := pair[side])}
        return [
            {
                "relation": n,
                **({"type": present[n].type} if typed else {}),
                "spans": [self._span(row, roles) for row in present[n].rows.tolist()],
            }
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
            for side, marks in zip(("gold", "pred"), pair, strict=True):
                if marks is None:
                    yield from lines_of(side, None, sentence)
                else:
                    of_type = f" ({marks.type})" if marks.type else ""
                    yield from lines_of(f"{side} {marks.number}{of_type}", marks.rows, sentence)


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
        typed: bool,  # True if a relation of either side has a type
        names: tuple[str, str],  # The system and the protocol, for the page
    ) -> None:
        self.signature = signature
        self.roles = roles
        self.counted = counted
        self.types = types
        self.n_wrong = n_wrong
        self.examples = examples
        self._columns, self._typed, self._names = columns, typed, names
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
                    "gold": wrong.relations(0, self.roles, self._typed),
                    "pred": wrong.relations(1, self.roles, self._typed),
                }
                for wrong in self.examples
            ],
        }

    def to_arrow(self) -> pa.Table:
        """Return a row per example: id, errors, text, and the relations of both sides."""
        relations = pa.list_(pa.struct(({**FIELDS, **TYPE} if self._typed else FIELDS).items()))
        schema = {"id": pa.string(), "errors": pa.int64(), "text": pa.string()}
        schema |= {"gold": relations, "pred": relations}
        return pa.Table.from_pylist(self.to_dict()["examples"], pa.schema(schema))

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table with a part per example and a row per relation."""
        return grid_of(self.title, self.marked(), self.roles)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page for the browser with the examples and their spans."""
        about = Section("", lines=self._notes(), tab=ABOUT)
        title = title_of(self.title, *self._names)
        write_page(path, Page(title, [about], examples_part(self._columns())))

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
    system: str,
    protocol: str,
) -> Errors:
    """Find the examples with most errors, see `ExtractionReport.errors`."""
    kinds = _known("type", types, counting.kinds) or counting.error_kinds
    if not kinds:
        known = ", ".join(counting.kinds)
        raise ValueError(
            f"{counting.plan.kernel.name} says of no count that it is errors: name types of {known}"
        )
    counted = _known("role", roles, counting.counted) or counting.counted
    if top is not None and top < 1:
        raise ValueError(f"top is {top}, expected at least 1")
    counts = counting.detail(counting.run(aligned, partners=False).counts)
    names = counting.detailed_columns
    chosen = [names.index(f"{role}_{kind}") for role in counted for kind in kinds]
    n_errors = counts[:, chosen].sum(axis=1)
    order = np.argsort(-n_errors, kind="stable")
    wrong = order[n_errors[order] > 0]
    named = {names[k]: counts[:, k] for k in chosen}
    examples = _examples(counting, aligned, wrong[:top], n_errors, named)

    def columns() -> dict[str, Any]:
        sides = {system: aligned}
        return columns_of_systems(counting, sides, (), len(examples), kinds, counted)

    typed = aligned.types is not None
    return Errors(
        signature, counting.roles, counted, kinds, len(wrong), examples, columns, typed,
        (system, protocol),
    )  # fmt: skip


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
    example, *index = counting.list_pairs(gold, pred, partner)
    lengths = gold.lengths[chosen]
    taken = (
        aligned.examples.take(pa.array(chosen)) if aligned.examples.num_columns else pa.table({})
    )
    sentences = sentences_of(taken, lengths)
    described = []
    types = aligned.types
    codes = (None, None) if types is None else (types.gold, types.pred)
    for e, sentence, n_tokens in zip(chosen.tolist(), sentences, lengths.tolist(), strict=True):
        places = slice(*np.searchsorted(example, [e, e + 1]))
        sides = ([_marks(rows, e, r, types, of) for r in each[places].tolist()]
                 for rows, each, of in zip((gold, pred), index, codes, strict=True))  # fmt: skip
        own = {name: int(each[e]) for name, each in counts.items() if each[e]}
        pairs = [pair for pair in zip(*sides, strict=True) if any(pair)]
        described.append(Wrong(aligned.name(e), int(n_errors[e]), own, pairs, sentence, n_tokens))
    return described


def _marks(
    rows: Rows, example: int, index: int, types: Types | None, codes: Int64 | None
) -> MarkedRelation | None:
    """Return a relation with a span of an example; None for none."""
    if index < 0 or not len(rows.relation(index)):
        return None
    number = index - int(rows.relation_offsets[example]) + 1
    of_type = None if types is None or codes is None else types.name(int(codes[index]))
    return MarkedRelation(number, rows.relation(index), of_type)
