"""Results of every task: named scores, facts, warnings and tables, to print and to store."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import fields, is_dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

from fastcausal.errors import InputError, warning_lines
from fastcausal.report.facts import Facts
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Groups, Number, Scores, add_bounds, bounded, values_of
from fastcausal.report.numbers import FRACTION, Scale
from fastcausal.report.printed import Printed

if TYPE_CHECKING:
    import pyarrow as pa

    from fastcausal.arrays.strata import By
    from fastcausal.counts.statistics import Statistics
    from fastcausal.report.page import Page, Section

MAX_COLUMNS = 12
LOGGED = (
    "n_unparsed", "n_unparsed_answers", "n_unparsed_relations", "unparsed_answers_rate",
    "unparsed_relations_rate",
)  # fmt: skip
RATES = dict.fromkeys(LOGGED[-2:], Scale("share", "lower", FRACTION))
BOUNDARY_ERRORS = ("bes", "bel", "beo")  # too small, too large, partial: together be


NO_STATISTICS = "a report of scores that do not add has no statistics"


class Tables(Mapping[str, "pa.Table"]):
    """Arrow tables by name, each made on first access."""

    def __init__(
        self,
        # Functions without arguments that make the tables. Can be pickled if these can.
        **makers: Callable[[], pa.Table],
    ) -> None:
        self._makers = makers
        self._made: dict[str, pa.Table] = {}

    def __getitem__(self, name: str) -> pa.Table:
        if name not in self._made:
            self._made[name] = self._makers[name]()
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)


class Report(Printed, Facts):
    """Results of one task: groups of scores, facts, warnings, tables, in all forms of output.

    ``report["cause"].f1`` is a score of a group, ``report.subsets["multi_relation"]["cause"].f1``
    the same score over a subset of the examples. Every task returns a report; facts and tables
    of a task are also attributes.

    Parameters
    ----------
    title : str
        Title line: the protocol or task, and the size of the data.
    signature : str
        Signature line: all settings that the scores depend on.
    scores : mapping of str to Scores
        By group.
    facts : mapping of str to object, optional
        Results besides the scores; also attributes of the report.
    subsets : mapping of str to mapping, optional
        Groups of scores by subset of the examples.
    class_scores : mapping of int or str to Scores, optional
        Groups of scores by label, ``class_LABEL`` in flat names.
    warnings : tuple of str
        Warnings about the scores, in every form of output but CSV. The attribute ``hints`` has
        mends of the predictions that would raise a low score.
    tables : mapping of str to pyarrow.Table, optional
        Details by name; also attributes of the report.
    statistics : Statistics, callable or str
        The counts, a function that makes them on first access, or the reason why there are none.
    legend : tuple of str
        Lines below the tables that explain them.
    keys : sequence of str, optional
        Facts, tables and attributes to put into JSON; ``NAME?`` is left out if it is empty. None:
        signature, facts, scores, subsets, warnings and hints.
    values : mapping of str to callable, optional
        Makers of other values for these keys, from the report.
    logged : sequence of str
        Facts to add to `to_flat`.
    scales : mapping of str to Scale, optional
        Scales of scores, by name within a group, that `statistics` does not declare.
    grids : callable, optional
        Makes the tables to print from the report and ``counts``; None: one table of all scores.
    summary : callable, optional
        Makes `summary` from the report and the name of a subset.
    arrow : callable, optional
        Makes `to_arrow` from the report.
    sections : callable, optional
        Makes the sections of its page from the report.
    page : callable, optional
        Makes the whole page from the report.

    Examples
    --------
    >>> report = Report("2 ants", "ants v1", {"legs": Scores({"mean": 6.0, "n": 2})})
    >>> report["legs"].mean, report.to_flat("val/"), report.to_flat(counts=False)
    (6.0, {'val/legs_mean': 6.0, 'val/legs_n': 2}, {'legs_mean': 6.0})
    >>> print(report.to_markdown(), end="")
    2 ants
    <BLANKLINE>
    |  | mean | n |
    | :-- | --: | --: |
    | legs | 6.0000 | 2 |
    <BLANKLINE>
    ants v1
    """

    def __init__(
        self,
        title: str,
        signature: str,
        scores: Groups,
        *,
        facts: Mapping[str, Any] | None = None,
        subsets: Mapping[str, Groups] | None = None,
        class_scores: Mapping[Any, Scores] | None = None,
        warnings: tuple[str, ...] = (),
        tables: Mapping[str, pa.Table] | None = None,
        statistics: Statistics | Callable[[], Statistics] | str = NO_STATISTICS,
        legend: tuple[str, ...] = (),
        keys: Sequence[str] | None = None,
        values: Mapping[str, Callable[[Any], Any]] | None = None,
        logged: Sequence[str] = LOGGED,
        scales: Mapping[str, Scale] | None = None,
        grids: Callable[[Any, bool], Sequence[Grid]] | None = None,
        summary: Callable[[Any, str], Scores] | None = None,
        arrow: Callable[[Any], pa.Table] | None = None,
        sections: Callable[[Any], Sequence[Section]] | None = None,
        page: Callable[[Any], Page] | None = None,
    ) -> None:
        self.title = title
        self.signature = signature
        self.scores = scores
        self.facts: Mapping[str, Any] = facts or {}
        self.subsets: Mapping[str, Groups] = subsets or {}
        self.class_scores = class_scores or {}
        self.warnings = warnings
        self.hints: tuple[str, ...] = ()
        self.tables: Mapping[str, pa.Table] = tables or {}
        self.legend = legend
        self._statistics = statistics
        self._keys, self._values, self._logged, self._scales = keys, values, logged, scales
        self._grids, self._summary, self._arrow, self._sections = grids, summary, arrow, sections
        self._page = page

    @classmethod
    def of(cls, title: str, statistics: Statistics, by: By = None, **fields: Any) -> Self:
        """Make the report of statistics; values of the columns ``by`` become subsets."""
        scores, subsets = statistics.groups(by)
        own: dict[str, Any] = {
            "subsets": subsets,
            "warnings": warning_lines(statistics.warnings),
            "tables": Tables(per_example=statistics.table),
            "statistics": statistics,
        }
        return cls(title, statistics.signature, scores, **(own | fields))

    if not TYPE_CHECKING:  # type checkers refuse attributes that `Facts` does not declare

        def __getattr__(self, name: str) -> Any:
            if not name.startswith("__") and name not in ("facts", "tables"):
                for named in (self.facts, self.tables):
                    if name in named:
                        return named[name]
            raise AttributeError(f"{type(self).__name__} without {name}")

    class_scores: Mapping[Any, Scores] = MappingProxyType({})
    _keys: Sequence[str] | None = None
    _logged: Sequence[str] = LOGGED
    _scales: Mapping[str, Scale] | None = None
    _values: Mapping[str, Callable[[Any], Any]] | None = None
    _grids: Callable[[Any, bool], Sequence[Grid]] | None = None
    _summary: Callable[[Any, str], Scores] | None = None
    _arrow: Callable[[Any], pa.Table] | None = None
    _sections: Callable[[Any], Sequence[Section]] | None = None
    _page: Callable[[Any], Page] | None = None
    _intervals: Mapping[str, Any] | None = None

    @cached_property
    def statistics(self) -> Statistics:
        """Counts of every unit, or only the sums of a scorer's batches; made on first access."""
        source = self._statistics
        if isinstance(source, str):
            raise InputError(source)
        return source() if callable(source) else source

    @property
    def scales(self) -> Mapping[str, Scale]:
        """Scales of scores by name within a group; empty if unknown."""
        own = self._scales or {}
        return own if isinstance(self._statistics, str) else {**self.statistics.scales, **own}

    def scale(self, group: str, score: str) -> Scale | None:
        """Return the scale of a score of a group; None if it is unknown."""
        scale = self.scales.get(score)
        is_own = isinstance(self._statistics, str) or score in (self._scales or {})
        if scale is None or is_own:
            return scale
        return self.statistics.formula.scale(group, score)

    def flat_scales(self) -> dict[str, Scale]:
        """Return the known scales of scores and rates, by their names in `to_flat`."""
        scales = {
            f"{flat}_{name}": self.scale(group, name)
            for flat, group, scores in self._flat_groups()
            for name in scores
        }
        return RATES | {name: scale for name, scale in scales.items() if scale is not None}

    @property
    def _drawn(self) -> Statistics:
        """Statistics to draw from, which no user sees."""
        return self.statistics

    def with_intervals(self, **options: Any) -> Self:
        """Return this report with an interval of every score, shown in tables and JSON.

        Options and errors are as in `Statistics.intervals`.
        """
        intervals = self._drawn.intervals(**options)
        flat = intervals.flat()
        report = copy(self)
        report.scores = {name: bounded(s, name, flat) for name, s in self.scores.items()}
        report.subsets = {
            subset: {name: bounded(s, f"{subset}_{name}", flat) for name, s in groups.items()}
            for subset, groups in self.subsets.items()
        }
        report.class_scores = {
            label: bounded(s, f"class_{label}", flat) for label, s in self.class_scores.items()
        }
        for name, value in self.facts.items():
            if value is self.class_scores:
                report.facts = {**report.facts, name: report.class_scores}
        report.legend = (*self.legend, intervals.title)
        report.warnings = (*self.warnings, *intervals.warnings)
        report._intervals = intervals.to_dict()
        return report

    def without_details(self) -> Self:
        """Return this report without tables and statistics, to keep it small."""
        report = copy(self)
        report.tables, report._statistics = {}, NO_STATISTICS
        report.__dict__.pop("statistics", None)
        return report

    def __getitem__(self, group: str) -> Scores:
        return self.scores[group]

    def __dir__(self) -> list[str]:
        return [*self.facts, *super().__dir__()]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Report):
            return NotImplemented
        mine, others = self.to_dict(), other.to_dict()
        return mine | {"hints": None} == others | {"hints": None}  # of examples, not of counts

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.title})"

    def _table(self, name: str) -> pa.Table:
        if name not in self.tables:
            raise InputError(f"{self.title}: a report of counts alone has no {name}")
        return self.tables[name]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON: an undefined score is None."""
        names = self._keys or (
            "signature", *self.facts, "scores", "subsets", "warnings", "hints",
        )  # fmt: skip
        values = {name.rstrip("?"): self._value(name) for name in names}
        values = {n: plain(v) for n, v in values.items() if f"{n}?" not in names or v}
        return values if self._intervals is None else values | {"intervals": self._intervals}

    def _value(self, key: str) -> Any:
        name = key.rstrip("?")
        if self._values and name in self._values:
            return self._values[name](self)
        if name in self.facts:
            return self.facts[name]
        return self.tables[name] if name in self.tables else getattr(self, name)

    def to_flat(self, prefix: str = "", counts: bool = True) -> dict[str, Number]:
        """Return numbers under flat names for loggers: ``{"val/overall_f1": ...}`` for ``"val/"``.

        ``counts=False`` leaves out all counts.
        """
        flat: dict[str, Number] = {n: self.facts[n] for n in self._logged if n in self.facts}
        for of, _, scores in self._flat_groups():
            flat |= {f"{of}_{name}": value for name, value in scores.items()}
        for bound, values in (self.facts.get("bounds") or {}).items():
            flat |= {f"overall_{name}_{bound}": v for name, v in (values or {}).items()}
        return {f"{prefix}{name}": v for name, v in flat.items() if counts or isinstance(v, float)}

    def _flat_groups(self) -> Iterator[tuple[str, str, Scores]]:
        """Yield the flat name, the name and the scores of all groups."""
        for subset, groups in {"": self.scores, **self.subsets}.items():
            for group, scores in groups.items():
                yield (f"{subset}_{group}" if subset else group), group, scores
        for label, scores in self.class_scores.items():
            yield f"class_{label}", f"class_{label}", scores

    def to_arrow(self) -> pa.Table:
        """Return a row per subset and group, a column per score and count; undefined is null."""
        import pyarrow as pa

        if self._arrow is not None:
            return self._arrow(self)
        rows = [
            {"subset": subset, "group": group, **add_bounds(scores)}
            for subset, groups in {"all": self.scores, **self.subsets}.items()
            for group, scores in groups.items()
        ]
        of = {str: pa.string(), int: pa.int64(), float: pa.float64()}
        types: dict[str, pa.DataType] = {}
        for row in rows:
            types |= {name: of[type(v)] for name, v in row.items() if types.get(name) != of[float]}
        return pa.Table.from_pylist(plain(rows), pa.schema(types))

    def summary(self, subset: str = "") -> Scores:
        """Return the scores of this report or a subset for a table of systems; may be empty."""
        return Scores({}) if self._summary is None else self._summary(self, subset)

    def to_table(self, counts: bool = False) -> Grid:
        """Return a table for the terminal; ``counts`` adds further counts."""
        if self._grids is not None:
            return self._grids(self, counts)[0]
        return scores_table(self.title, {"": self.scores, **self.subsets}, counts)

    def to_tables(self, counts: bool = False) -> Sequence[Grid]:
        """Return all printed tables."""
        return super().to_tables(counts) if self._grids is None else self._grids(self, counts)

    def to_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page for the browser: one self-contained file.

        Raises
        ------
        OutputError
            The file cannot be written; nothing of it is left.
        """
        from fastcausal.report.page import Page, write_page

        if self._page is not None:
            page = self._page(self)
        else:
            warnings = [f"warning: {warning}" for warning in self.warnings]
            page = Page(self.title, self.sections(), warnings=warnings)
        write_page(path, page)

    def sections(self) -> Sequence[Section]:
        """Return the sections of its page."""
        from fastcausal.report.page import Section

        if self._sections is not None:
            return self._sections(self)
        return [Section("", self.to_tables()), describe_settings(self)]

    def _notes(self) -> list[str]:
        warnings = [f"warning: {warning}" for warning in self.warnings]
        return [*self.legend, *warnings, self.signature]


def scores_table(title: str, parts: Mapping[str, Groups], counts: bool = False) -> Grid:
    """Make a table with a row per group of every part, below the part's name unless it is empty.

    Unless ``counts`` is set, the kinds of boundary errors are left out, and all counts if there
    are more than `MAX_COLUMNS` columns.
    """
    rows = values_of(parts)
    first = next(iter(next(iter(rows.values())).values()))
    columns = list(first)
    if not counts:
        columns = [name for name in columns if name not in BOUNDARY_ERRORS]
    if not counts and len(columns) > MAX_COLUMNS:
        columns = [name for name in columns if isinstance(first[name], float)]
    cells = {
        part: {g: [values.get(name, "") for name in columns] for g, values in groups.items()}
        for part, groups in rows.items()
    }
    return Grid(title, columns, parts=cells)


def describe_settings(report: Report) -> Section:
    """Make the section of a page with the legend and the signature."""
    from fastcausal.report.page import ABOUT, Section

    return Section("", lines=[*report.legend, report.signature], tab=ABOUT)


def plain(value: Any) -> Any:
    """Make a value ready for JSON."""
    # NaN is None, tables and arrays are lists. Dataclass fields without ``repr`` are left out.
    if isinstance(value, str):
        return str(value)  # not a subclass: checkpoints hold only plain values
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, Mapping):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, Report):
        return value.to_dict()
    if is_dataclass(value):
        return {f.name: plain(getattr(value, f.name)) for f in fields(value) if f.repr}
    as_list = getattr(value, "to_pylist", None) or value.tolist
    return plain(as_list())
