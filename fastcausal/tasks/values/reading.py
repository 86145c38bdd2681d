"""Settings for reading a log or table of values."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from fastcausal.arrays.strata import name_cluster
from fastcausal.errors import InputError
from fastcausal.options import AUTO, CLUSTERS, MissingPolicy, check

if TYPE_CHECKING:
    from fastcausal.counts.formula import Formula

Progress = Callable[[int, int | None], None]

OF_SOURCES = (
    "scorer", "metric", "filter", "value", "numerator", "denominator", "id", "epoch", "system",
    "systems",
)  # fmt: skip
"""Options of logs and tables alone."""

OF_TABLES = ("system", "systems")
"""Options of tables alone."""

RULES = "mean, first, best, pass@K, pass^K, max or min"
_RULE = re.compile(r"mean|first|best|majority|max|min|pass[@^][1-9][0-9]{0,8}")


def is_rule(text: str) -> bool:
    """Return True for a rule that makes one of the answers to an example."""
    return _RULE.fullmatch(text) is not None


def choose_rule(over: str, answers: str | None) -> str:
    """Return the rule under one of its two names; ValueError for two rules."""
    if answers is not None and over not in ("mean", answers):
        raise ValueError(f'over is "{over}", but its other name answers is "{answers}"')
    return over if answers is None else answers


def choose_name(name: str, value: str | None, other: str, alias: str | None) -> str | None:
    """Return an argument under one of its two names; ValueError for two values."""
    if None not in (value, alias) and value != alias:
        raise ValueError(f'{name} is "{value}", but its other name {other} is "{alias}"')
    return value if alias is None else alias


@dataclass(frozen=True)
class ValueReading:
    """Scores and columns of a source, and policies for its examples."""

    scores: tuple[str, ...] = ()  # Scores by name; without any, the only one
    # Parts of the name of a score
    scorer: str | None = None
    metric: str | None = None
    filter: str | None = None
    value: str | None = None  # Column of values; names with dots lead into JSON
    # Columns whose sums make a ratio
    numerator: str | None = None
    denominator: str | None = None
    # Columns of a table; by default ``id``, else ``doc_id``, and ``epoch``
    id: str | None = None
    epoch: str | None = None
    # The column of a table that names the system of each row; or columns of values, one a system
    system: str | None = None
    systems: tuple[str, ...] | None = None
    # Column, or key of metadata, to keep; "auto": those of `CLUSTERS` that there are
    cluster: str | None = None
    columns: tuple[str, ...] = ()  # Other columns to keep
    # ``mean``, ``first``, ``best``, ``pass@K``, ``pass^K``, ``max`` or ``min`` of the answers of an
    # example
    over: str = "mean"
    # {"error", "skip", "zero"}: Refuse answers without a score, leave them out, or count them
    # as 0
    missing: MissingPolicy = "error"
    # True keeps what reads the texts of examples beside statistics; it may hold the whole source
    with_texts: bool = field(default=False, compare=False)
    # Called with the number of samples read from a log, and of all its samples (None:
    # unknown)
    progress: Progress | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        check("missing", self.missing, MissingPolicy)
        if not is_rule(str(self.over)):
            raise ValueError(f'over is "{self.over}", expected {RULES}, such as pass@2')
        if self.over == "majority":
            raise ValueError(f"over majority is for relations and labels, of values {RULES}")
        if self.systems is not None:
            if self.system is not None:
                raise ValueError("system is a column of names, systems are columns of values")
            if self.value is not None or self.is_ratio or len(self.scores) > 1:
                raise ValueError("systems are columns of values, of one score without others")
        if (self.numerator is None) != (self.denominator is None):
            raise ValueError("numerator and denominator go together, got one of them")
        if self.is_ratio and self.value is not None:
            raise ValueError("value is for means, numerator and denominator are for ratios")
        if self.is_ratio:
            self.require_plain()

    def require_plain(self) -> None:
        """Raise ValueError for a rule or a policy that a ratio of sums does not take."""
        if self.over != "mean" or self.missing == "zero":
            raise ValueError("a ratio of sums takes over mean, and missing error or skip")

    @property
    def is_ratio(self) -> bool:
        """True for a ratio of sums, False for means."""
        return self.numerator is not None

    def report(self, done: int, total: int | None) -> None:
        """Report the number of samples read to ``progress``."""
        if self.progress is not None:
            self.progress(done, total)

    def is_kept(self, key: str) -> bool:
        """Return True if a key of metadata is kept, or leads to a kept key."""
        return any(name == key or name.startswith(f"{key}.") for name in self.kept_columns)

    def refuse(self, name: str, noun: str, *options: str) -> None:
        """Raise InputError for the first given option of these, which the source does not have."""
        for option in options:
            if getattr(self, option) is not None:
                raise InputError(f"{name}: {noun} has no use for --{option}")

    def check_counts(self, name: str, formula: Formula) -> None:
        """Refuse options of logs and tables for a file of counts that was made with other ones."""
        self.refuse(name, "a file of counts", *OF_SOURCES)
        fields = asdict(formula) if formula.holds_values else {}
        made = {"over": fields.get("answers", "mean"), "missing": fields.get("missing", "error")}
        for option, has in made.items():
            asked = getattr(self, option)
            if asked not in (getattr(ValueReading, option), has):
                raise InputError(
                    f"{name}: a file of counts, expected --{option} {has}, got {asked}"
                )

    @property
    def kept_columns(self) -> tuple[str, ...]:
        """Columns to keep, each once."""
        named = name_cluster(self.cluster)
        asked = [*([] if named is None else [named]), *self.columns]
        return tuple(dict.fromkeys(asked))

    @property
    def found_columns(self) -> tuple[str, ...]:
        """Columns to keep where there are such."""
        return CLUSTERS if self.cluster == AUTO else ()
