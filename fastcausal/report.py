"""What scoring gives back: named scores, the counts behind them, ways to print and store them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fastcausal.errors import InputError
from fastcausal.tables import Grid

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.statistics import Statistics

Number = float | int
MOST_COLUMNS = 12
BOUNDARY_ERRORS = ("bes", "bel", "beo")  # too small, too large, partial: together be


class Scores(Mapping[str, Number]):
    """Scores and counts of one group, by name or as attributes; scores are fractions.

    Examples
    --------
    >>> scores = Scores({"f1": 0.5, "tp": 2})
    >>> scores.f1, scores["tp"], dict(scores)
    (0.5, 2, {'f1': 0.5, 'tp': 2})
    """

    __slots__ = ("_values",)
    _values: dict[str, Number]

    # What editors and type checkers offer; a group has those of its kernel or task.
    precision: float
    recall: float
    f1: float
    tp: int
    fp: int
    fn: int
    le: int
    be: int
    lbe: int
    bes: int
    bel: int
    beo: int
    em: float
    osb: float
    to: float
    alpha: float
    alpha_unitized: float
    token_precision: float
    token_recall: float
    token_f1: float
    accuracy: float
    mcc: float
    support: int
    exact_match: float
    n_questions: int

    def __init__(self, values: Mapping[str, Number]) -> None:
        object.__setattr__(self, "_values", dict(values))

    def __getitem__(self, name: str) -> Number:
        return self._values[name]

    def __getattr__(self, name: str) -> Number:
        try:
            return self._values[name]
        except KeyError:
            known = ", ".join(self._values)
            raise AttributeError(f'no score "{name}", expected one of {known}') from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("scores do not change")

    def __reduce__(self) -> tuple[type[Scores], tuple[dict[str, Number]]]:
        return Scores, (self._values,)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        shown = ", ".join(f"{k}={number_text(v)}" for k, v in self._values.items())
        return f"Scores({shown})"


Groups = Mapping[str, Scores]


class Shown:
    """What prints as a table, the warnings that belong to it, and the signature."""

    signature: str
    warnings: tuple[str, ...]
    _statistics: Callable[[], Statistics] | None

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of every unit, or the sums alone of a scorer's batches; made when asked for."""
        if self._statistics is None:
            raise InputError("a report of scores that do not add has no statistics")
        return self._statistics()

    def to_table(self) -> Grid:
        """A table for the terminal."""
        raise NotImplementedError

    def __str__(self) -> str:
        return "\n".join((str(self.to_table()), *self._notes(), self.signature))

    def _repr_html_(self) -> str:
        return self.to_table().to_html(self.signature, self._notes())

    def _notes(self) -> list[str]:
        return [f"warning: {warning}" for warning in self.warnings]


@dataclass(frozen=True)
class Report(Shown):
    """Scores of one system under one protocol.

    ``report["cause"].f1`` is a score of a role, ``report["overall"]`` of all roles together;
    ``report.subsets["multi_relation"]`` has the same groups over the examples with more than one
    gold relation.

    Attributes
    ----------
    protocol : str
        Name of the protocol.
    signature : str
        One line that says everything the numbers depend on.
    n_examples, n_gold_relations, n_pred_relations : int
        What was scored; relations without any span do not count.
    n_unparsed : int
        Predicted relations that could not be read, as far as the protocol looks at them.
    scores : mapping of str to Scores
        By group: ``overall`` and every role.
    subsets : mapping of str to mapping
        The same for parts of the examples.
    warnings : tuple of str
        What a reader of the numbers should know.
    per_example, matches : pyarrow.Table
        Computed when first asked for.
    """

    protocol: str
    signature: str
    n_examples: int
    n_gold_relations: int
    n_pred_relations: int
    scores: Groups
    subsets: Mapping[str, Groups] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    n_unparsed: int = 0
    _details: Callable[[str], pa.Table] | None = field(default=None, repr=False, compare=False)
    _statistics: Callable[[], Statistics] | None = field(default=None, repr=False, compare=False)

    def __getitem__(self, group: str) -> Scores:
        return self.scores[group]

    @property
    def per_example(self) -> pa.Table:
        """A row per example: its columns in gold, relations on both sides, and all counts."""
        return self._detail("per_example")

    @property
    def matches(self) -> pa.Table:
        """A row per pair: example, gold and predicted relation (null: unmatched), its counts."""
        return self._detail("matches")

    def _detail(self, name: str) -> pa.Table:
        if self._details is None:
            raise InputError(f"{self.protocol}: a report of counts alone has no {name}")
        return self._details(name)

    def to_dict(self) -> dict[str, Any]:
        """Plain values, ready for JSON: an undefined score is None."""
        return {
            "signature": self.signature,
            "protocol": self.protocol,
            "n_examples": self.n_examples,
            "n_gold_relations": self.n_gold_relations,
            "n_pred_relations": self.n_pred_relations,
            "n_unparsed": self.n_unparsed,
            "scores": plain_scores(self.scores),
            "subsets": {name: plain_scores(groups) for name, groups in self.subsets.items()},
            "warnings": list(self.warnings),
        }

    def to_json(self) -> str:
        """`to_dict` as one line of JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_flat(self, prefix: str = "") -> dict[str, Number]:
        """Numbers under flat names for loggers: ``{"val/overall_f1": ...}`` for ``"val/"``."""
        flat: dict[str, Number] = {f"{prefix}n_unparsed": self.n_unparsed}
        for subset, groups in {"": self.scores, **self.subsets}.items():
            start = f"{prefix}{subset}_" if subset else prefix
            for group, scores in groups.items():
                flat |= {f"{start}{group}_{name}": value for name, value in scores.items()}
        return flat

    def to_arrow(self) -> pa.Table:
        """A row per subset and group, a column per score and count; undefined is null."""
        import pyarrow as pa

        some = self.scores["overall"]
        kinds = {
            name: pa.float64() if isinstance(v, float) else pa.int64() for name, v in some.items()
        }
        rows = [
            {"subset": subset, "group": group, **scores}
            for subset, groups in {"all": self.scores, **self.subsets}.items()
            for group, scores in plain_scores(groups).items()
        ]
        text = {"subset": pa.string(), "group": pa.string()}
        return pa.Table.from_pylist(rows, pa.schema(text | kinds))

    def to_table(self, counts: bool = False) -> Grid:
        """A table for the terminal; ``counts`` adds those that it leaves out."""
        facts = [f"{self.n_examples} sentences", f"{self.n_gold_relations} gold relations"]
        facts.append(f"{self.n_pred_relations} predicted")
        if self.n_unparsed:
            facts.append(f"{self.n_unparsed} unparsed")
        parts = {"": self.scores, **self.subsets}
        return scores_table(f"{self.protocol}: {', '.join(facts)}", parts, counts)


def scores_table(title: str, parts: Mapping[str, Groups], counts: bool = False) -> Grid:
    """A row per group of every part, the name of the part above them unless it is empty.

    Unless ``counts`` is set, the kinds of a boundary error are left out, and all counts where there
    are many.
    """
    some = next(iter(next(iter(parts.values())).values()))
    columns = list(some)
    if not counts:
        columns = [name for name in columns if name not in BOUNDARY_ERRORS]
    if not counts and len(columns) > MOST_COLUMNS:
        columns = [name for name in columns if isinstance(some[name], float)]
    grid = Grid(title, columns)
    for part, groups in parts.items():
        if part:
            grid.part(part)
        for group, scores in groups.items():
            grid.add(group, *(number_text(scores.get(name, "")) for name in columns))
    return grid


def plain_scores(groups: Groups) -> dict[str, dict[str, Number | None]]:
    """Scores ready for JSON: undefined is None."""
    return {
        group: {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in s.items()}
        for group, s in groups.items()
    }


def number_text(value: Number | str) -> str:
    """How tables show a number."""
    if isinstance(value, float):
        return "undefined" if math.isnan(value) else f"{value:.4f}"
    return str(value)
