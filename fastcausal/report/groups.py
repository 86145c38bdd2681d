"""Scores and counts of groups: overall, roles, classes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

from fastcausal.report.numbers import Bounded, number_text

Number = float | int


class Scores(Mapping[str, Number]):
    """Scores and counts of one group, by name or as attributes."""

    # Scores are fractions.

    __slots__ = ("_values",)
    _values: dict[str, Number]

    # For editors and type checkers; a group has the names of its kernel or task.
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
    exact_match_with_relation: float
    matched_precision: float
    matched_recall: float
    matched_f1: float
    contained: float
    rouge_l: float
    bleu: float
    shared: int
    predicted: int
    wanted: int
    n: int

    def __init__(self, values: Mapping[str, Number]) -> None:
        object.__setattr__(self, "_values", dict(values))

    @classmethod
    def make_groups(
        cls, groups: Iterable[str], values: Iterable[Mapping[str, Number]]
    ) -> dict[str, Scores]:
        """Make the scores of several groups by name."""
        return {group: cls(each) for group, each in zip(groups, values, strict=True)}

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

    def __dir__(self) -> list[str]:
        return [*self._values, *super().__dir__()]

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


def means_over(subsets: Mapping[str, Groups]) -> dict[str, dict[str, Scores]]:
    """Average the scores of the subsets of each column.

    >>> scores = [{"overall": Scores({"f1": f1, "n": 3})} for f1 in (0.5, 1.0)]
    >>> means_over({"lang=en": scores[0], "lang=et": scores[1]})
    {'lang': {'overall': Scores(f1=0.7500)}}
    """
    # Counts are left out, and so is NaN.
    columns: dict[str, list[Groups]] = {}
    for name, groups in subsets.items():
        columns.setdefault(name.partition("=")[0], []).append(groups)
    return {column: _means(parts) for column, parts in columns.items()}


def _means(parts: Sequence[Groups]) -> dict[str, Scores]:
    values: dict[str, dict[str, list[float]]] = {}
    for groups in parts:
        for group, scores in groups.items():
            for name, value in scores.items():
                if isinstance(value, float):
                    defined = values.setdefault(group, {}).setdefault(name, [])
                    defined += [] if math.isnan(value) else [float(value)]
    return {
        group: Scores({n: math.fsum(v) / len(v) if v else math.nan for n, v in named.items()})
        for group, named in values.items()
    }


def bounded(scores: Scores, group: str, intervals: Mapping[str, tuple[float, ...]]) -> Scores:
    """Add bounds to scores, by flat name; counts have none."""
    bounds = {name: intervals.get(f"{group}_{name}") for name in scores}
    return Scores({n: Bounded(v, *b[:2]) if (b := bounds[n]) else v for n, v in scores.items()})


def add_bounds(scores: Scores) -> dict[str, Number]:
    """Return scores and counts; bounded scores are followed by ``NAME_low`` and ``NAME_high``."""
    values: dict[str, Number] = {}
    for name, value in scores.items():
        values[name] = float(value) if isinstance(value, Bounded) else value
        if isinstance(value, Bounded):
            values |= {f"{name}_low": value.low, f"{name}_high": value.high}
    return values


def values_of(parts: Mapping[str, Groups]) -> dict[str, dict[str, dict[str, Number]]]:
    """Return the scores and counts of every part and group by name, in plain dicts."""
    return {
        part: {group: dict(scores) for group, scores in groups.items()}
        for part, groups in parts.items()
    }
