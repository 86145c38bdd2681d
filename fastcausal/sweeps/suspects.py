"""Suspected gold: what most systems find and gold lacks, and what gold has and no system finds."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import offsets
from fastcausal.engine.kernel import Int32, Int64
from fastcausal.errors import name_few
from fastcausal.formats import read_marked
from fastcausal.formats.cnc.rereading import GOLD_READING
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.options import ProtocolName
from fastcausal.protocols import Protocol, WholeProtocol
from fastcausal.recipe import Recipe
from fastcausal.report.grid import Grid
from fastcausal.report.page import ABOUT, ERRORS, Page, Section, write_page
from fastcausal.report.page.page import examples_part, title_of
from fastcausal.report.printed import Printed
from fastcausal.rows import Rows
from fastcausal.sweeps.schemes import name_systems
from fastcausal.tasks.extraction.counting import counting_of
from fastcausal.tasks.extraction.page import columns_of_systems
from fastcausal.tasks.extraction.sides import align_sides
from fastcausal.tasks.relations import whole
from fastcausal.tasks.relations.align import Aligned
from fastcausal.tasks.relations.marked import Line, Marked, grid_of, lines_of, numbered
from fastcausal.tasks.relations.sentences import Sentence, sentences_of
from fastcausal.tasks.relations.unread import described

SHARE = 0.5  # of the systems, to be exceeded
LACKING, UNFOUND = "lacking", "unfound"
WORDS = {LACKING: "gold lacks it", UNFOUND: "no system finds it"}
SPAN = pa.struct(
    {"role": pa.string(), "start": pa.int32(), "stop": pa.int32(), "words": pa.string()}.items()
)
RELATION = pa.struct(
    {"gold": pa.int64(), "systems": pa.list_(pa.string()), "spans": pa.list_(SPAN)}.items()
)
FIELDS = {"id": pa.string(), "kind": pa.string(), "n_systems": pa.int64(), "n_seen": pa.int64(),
          "share": pa.float64(), "text": pa.string(), "relations": pa.list_(RELATION)}  # fmt: skip


class HeldRelation(NamedTuple):
    """A relation of gold or of systems."""

    number: int | None  # In gold's example, from 1; None if gold lacks it
    systems: list[str]  # that have it
    rows: Int32  # Its role, start and stop

    def name(self) -> str:
        """Name those who have it."""
        gold = [] if self.number is None else [f"gold {self.number}"]
        return ", ".join([*gold, *self.systems])


class Suspect(NamedTuple):
    """A suspected relation, and the other relations of its example."""

    place: int  # of its example in gold
    id: str
    kind: str  # ``LACKING`` or ``UNFOUND``
    # Systems that have it, or have no relation with common tokens; and all that have the example
    n_systems: int
    n_seen: int
    relations: list[HeldRelation]  # The suspected one, then the others: of gold, of systems
    sentence: Sentence

    @property
    def share(self) -> float:
        """Share of the systems that speak against gold."""
        return self.n_systems / self.n_seen

    def marked(self) -> Marked:
        """Return the example as lines for display."""
        who = "have it" if self.kind == LACKING else "have nothing near"
        remark = f"{WORDS[self.kind]}, {self.n_systems} of {self.n_seen} {who}"
        return Marked(self.id, remark, [*self._lines()])

    def _lines(self) -> Iterator[Line]:
        for found in self.relations:
            yield from lines_of(found.name(), found.rows, self.sentence)
        if all(found.number is None for found in self.relations):
            yield from lines_of("gold", None, self.sentence)

    def to_dict(self, roles: Sequence[str]) -> dict[str, Any]:
        """Return plain values."""
        return {
            "id": self.id, "kind": self.kind, "n_systems": self.n_systems, "n_seen": self.n_seen,
            "share": self.share, "text": self.sentence.text,
            "relations": [
                {"gold": each.number, "systems": each.systems,
                 "spans": [{"role": roles[role], "start": start, "stop": stop,
                            "words": self.sentence.words(start, stop)}
                           for role, start, stop in each.rows.tolist()]}
                for each in self.relations
            ],
        }  # fmt: skip


class Suspects(Printed):
    """Suspected relations, the most suspected first, with gold and the systems side by side."""

    def __init__(
        self,
        signature: str,
        roles: tuple[str, ...],  # The role names
        systems: Sequence[str],
        n_of_kinds: Mapping[str, int],  # Numbers of all suspects
        suspects: list[Suspect],  # The most suspected; equal ones in the order of gold
        columns: dict[str, Any],  # of the page
        warnings: tuple[str, ...],
    ) -> None:
        self.signature = signature
        self.roles = roles
        self.systems = tuple(systems)
        self.n_of_kinds = dict(n_of_kinds)
        self.suspects = suspects
        self.warnings = warnings
        self._columns = columns
        n = sum(n_of_kinds.values())
        kinds = ", ".join(f"{WORDS[kind]}: {count}" for kind, count in n_of_kinds.items())
        shown = f", the first {len(suspects)}" if len(suspects) < n else ""
        relations = f"{n} suspected relation{'s' * (n != 1)}"
        of_systems = f"by more than {SHARE:.0%} of {len(systems)} systems"
        self.title: str = f"{relations} {of_systems} ({kinds}){shown}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values: kind, systems, and all relations of each example."""
        return {
            "signature": self.signature,
            "systems": [*self.systems],
            "share": SHARE,
            "n_suspects": self.n_of_kinds,
            "suspects": [suspect.to_dict(self.roles) for suspect in self.suspects],
            "warnings": [*self.warnings],
        }

    def to_arrow(self) -> pa.Table:
        """Return a row for each suspect."""
        return pa.Table.from_pylist(self.to_dict()["suspects"], pa.schema(FIELDS.items()))

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table with a part for each suspect and a row for each relation."""
        return grid_of(self.title, self.marked(), self.roles)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page of the suspects; its examples unfold to gold and the systems' relations."""
        sections = [
            Section("", [self.to_table()], tab=ERRORS),
            Section("", lines=self._notes(), tab=ABOUT),
        ]
        title = title_of(self.title, name_few(self.systems, "system"))
        write_page(path, Page(title, sections, examples_part(self._columns)))

    def marked(self) -> list[Marked]:
        """Return the suspects as lines for display."""
        return [suspect.marked() for suspect in self.suspects]

    def _notes(self) -> list[str]:
        return [*(f"warning: {warning}" for warning in self.warnings), self.signature]


class _Pool(NamedTuple):
    """Relations of several sides by example; those of the first side come first."""

    rows: Rows  # Spans of some roles
    # int64[n_relations]
    side: Int64
    number: Int64  # In its side
    example: Int64


def suspects(
    gold: RelationSource,
    pred: Mapping[str, RelationSource] | Sequence[RelationSource],
    protocol: ProtocolName | Protocol | Recipe = "relations",
    *,
    top: int | None = 10,
    **settings: Any,
) -> Suspects:
    """Find gold that most systems speak against: relations that it lacks, and that none finds.

    Relations are the same if their cause and effect are. A relation that gold lacks is suspected if
    more than half of the systems have it. A gold relation is suspected if no system has it,
    and more than half have no relation left that shares a token of both its cause and its effect.

    Parameters
    ----------
    gold : anything that `fastcausal.read` takes
        Gold annotations in any format.
    pred : mapping of names to such sources, or sources
        Predictions of two systems or more. A file without a name is named by its stem.
    protocol : "relations", Protocol or Recipe
        Compare relations by the arguments of this protocol.
    top : int, optional
        Show so many suspects; None for all.
    **settings
        Policies and settings of reading, as `fastcausal.score` takes them.

    Returns
    -------
    Suspects
        Greatest share of systems first. ``suspects`` has the relations of both sides, ``title``
        the numbers of suspects; ``to_html`` writes a page.

    Raises
    ------
    InputError
        A source cannot be read.
    ValueError
        There are fewer than two systems, or the protocol is another.

    Examples
    --------
    >>> import fastcausal as fc
    >>> from fastcausal import sample
    >>> found = fc.suspects(sample.GOLD, sample.SYSTEMS, top=1)
    >>> found.n_of_kinds
    {'lacking': 13, 'unfound': 6}
    """
    if top is not None and top < 1:
        raise ValueError(f"top is {top}, expected at least 1")
    recipe = Recipe.make(protocol, **settings)
    if not isinstance(recipe.protocol, WholeProtocol):
        raise ValueError(f"protocol is {recipe.protocol.name}, expected relations")
    systems = name_systems(pred)
    if len(systems) < 2:
        raise ValueError(f"expected two systems or more, found {len(systems)}")
    whole_gold = read_marked(gold, tags=GOLD_READING[recipe.protocol.tags], **recipe.of_gold)
    sides = {name: align_sides(recipe, whole_gold, each) for name, each in systems.items()}
    first = next(iter(sides.values()))
    golds = Rows.of(whole_gold)
    lengths = golds.lengths.copy()
    places = [
        np.arange(each.gold.n_examples) if each.places is None else each.places
        for each in sides.values()
    ]
    seen = np.zeros((len(sides), golds.n_examples), bool)
    for k, (own, each) in enumerate(zip(places, sides.values(), strict=True)):
        seen[k, own[own >= 0]] = True
        lengths[own[own >= 0]] = np.maximum(lengths[own[own >= 0]], each.gold.lengths[own >= 0])
    parts = [(golds, np.arange(golds.n_examples))]
    parts += [(each.pred, own) for each, own in zip(sides.values(), places, strict=True)]
    rules = whole.rules_of(recipe.protocol, first.roles)
    pool, has, is_near = _vote(rules, parts, lengths)
    of_gold = pool.side == 0
    at = seen[:, pool.example]
    against = np.where(of_gold, at & ~is_near, has).sum(axis=0)
    n_seen = at.sum(axis=0)
    is_suspect = (n_seen > 1) & (against > SHARE * n_seen) & ~(of_gold & has.any(axis=0))
    found = np.flatnonzero(is_suspect)
    chosen = found[np.argsort(-against[found] / n_seen[found], kind="stable")][:top]
    shown = np.unique(pool.example[chosen])
    examples = described(whole_gold)
    table = examples.take(pa.array(shown)) if examples.num_columns else examples
    sentences = dict(zip(shown.tolist(), sentences_of(table, lengths[shown]), strict=True))
    base = first._replace(columns=examples)
    made = [
        Suspect(
            int(pool.example[k]),
            base.name(int(pool.example[k])),
            LACKING if pool.side[k] else UNFOUND,
            int(against[k]),
            int(n_seen[k]),
            [*_list_relations(pool, parts, has, [*systems], int(k))],
            sentences[int(pool.example[k])] or numbered(int(lengths[pool.example[k]])),
        )
        for k in chosen.tolist()
    ]
    n_lacking = int((pool.side[found] > 0).sum())
    counting = counting_of(recipe.protocol, first.roles, "cpu", None)
    cut = {
        name: _cut(first.roles, table, parts[0], part, shown, lengths)
        for name, part in zip(systems, parts[1:], strict=True)
    }
    n_as_given = sum(each.n_as_given for each in sides.values())
    settings_found = frozenset().union(*(each.found for each in sides.values()))
    warnings = (f"{n}: {line}" for n, each in sides.items() for line in each.warnings)
    return Suspects(
        recipe.signature(n_as_given > 0, settings_found),
        first.roles,
        [*systems],
        {LACKING: n_lacking, UNFOUND: len(found) - n_lacking},
        made,
        columns_of_systems(counting, cut, (), len(shown)),
        tuple(warnings),
    )


def _vote(
    rules: Any, parts: Sequence[tuple[Rows, Int64]], lengths: Int32
) -> tuple[_Pool, npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Pool all relations; return which systems have each, and which have one near a gold one."""
    # Equal relations are paired first, in turn: the first one of its kind in the pool gets all
    # votes. The pool has all relations of a system, so that each of them has an equal partner.
    arguments = [role for role in rules.arguments if role >= 0]
    pool = _gather(parts, lengths, arguments)
    golds = np.flatnonzero(pool.side == 0)
    gold = _gather(parts[:1], lengths, arguments)
    has, is_near = np.zeros((2, len(parts) - 1, len(pool.side)), bool)
    for k, part in enumerate(parts[1:]):
        pred = _gather([part], lengths, arguments).rows
        has[k] = whole.run(rules, pool.rows, pred, None, 1).partner >= 0
        is_near[k, golds] = whole.run(rules, gold.rows, pred, None, 1).partner >= 0
    return pool, has, is_near


def _gather(parts: Sequence[tuple[Rows, Int64]], lengths: Int32, roles: Sequence[int]) -> _Pool:
    """Bring the relations of sides to common examples, with the spans of some roles alone.

    Each side comes with the number of each of its examples, -1 for those to leave out.
    """
    values = np.concatenate([rows.values for rows, _ in parts])
    widths = np.concatenate([np.diff(rows.row_offsets) for rows, _ in parts])
    n_kept = offsets(np.isin(values[:, 0], roles))
    values = values[np.isin(values[:, 0], roles)]
    starts = n_kept[offsets(widths)]
    example = np.concatenate([own[rows.example_of_relation()] for rows, own in parts])
    kept = np.flatnonzero((example >= 0) & (np.diff(starts) > 0))
    kept = kept[np.argsort(example[kept], kind="stable")]
    row_offsets = offsets(np.diff(starts)[kept])
    shifts = np.repeat(starts[:-1][kept] - row_offsets[:-1], np.diff(row_offsets))
    gathered = Rows(
        values[shifts + np.arange(len(shifts))],
        row_offsets,
        offsets(np.bincount(example[kept], minlength=len(lengths))),
        lengths,
    )
    sizes = [rows.n_relations for rows, _ in parts]
    side = np.repeat(np.arange(len(parts)), sizes)[kept]
    return _Pool(gathered, side, kept - offsets(np.array(sizes))[side], example[kept])


def _list_relations(
    pool: _Pool,
    parts: Sequence[tuple[Rows, Int64]],
    has: npt.NDArray[np.bool_],
    systems: Sequence[str],
    suspect: int,
) -> Iterator[HeldRelation]:
    """Yield the suspected relation, then the others of its example: of gold, of systems."""
    start, stop = pool.rows.relation_offsets[pool.example[suspect] :][:2].tolist()
    for k in (suspect, *(k for k in range(start, stop) if k != suspect)):
        rows, _ = parts[pool.side[k]]
        index, number = int(pool.number[k]), None
        if pool.side[k] == 0:
            number = index - int(rows.relation_offsets[pool.example[k]]) + 1
        names = [systems[n] for n in np.flatnonzero(has[:, k]).tolist()]
        if names or number is not None:
            yield HeldRelation(number, names, rows.relation(index))


def _cut(
    roles: tuple[str, ...],
    examples: pa.Table,
    gold: tuple[Rows, Int64],
    pred: tuple[Rows, Int64],
    shown: Int64,
    lengths: Int32,
) -> Aligned:
    """Return both sides of some examples of gold alone."""
    number = np.full(len(lengths) + 1, -1)  # the last is for examples that gold lacks
    number[shown] = np.arange(len(shown))
    a, b = (
        _gather([(rows, number[own])], lengths[shown], range(len(roles))).rows
        for rows, own in (gold, pred)
    )
    return Aligned(a, b, roles, examples, {}, places=shown)
