"""Kernels count a pair of relations; pairing maximises objectives."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from types import FunctionType
from typing import NamedTuple, cast

import numpy as np
import numpy.typing as npt

from fastcausal.engine import kernel_checks
from fastcausal.errors import format_some
from fastcausal.options import RatioForm

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
PairFunction = Callable[[Int32, Int32, int, Int64, Int64], None]
COUNT_BITS = 36  # of a count of one pair: sums and products in 64 bits stay exact
MAX_WEIGHT = 1_000_000


@dataclass(frozen=True)
class Objective:
    """The number that the pairing of relations maximises: N or N / D, sums of weighted counts.

    Parameters
    ----------
    numerator, denominator : mapping of str to int
        Weight of each field of the kernel, the same for every role; ``overall_x`` names the field
        x counted for all roles together. Without a denominator the objective is N. A denominator
        has to count every hit and error, so that it is 0 only if no token is marked: 0/0 cannot
        be compared. A `fastcausal.Protocol` refuses others.

    Raises
    ------
    ValueError
        A weight is not an integer or beyond a million, or a denominator's weight is negative.

    Examples
    --------
    >>> print(Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1}))
    2tp/(2tp+fp+fn)
    """

    numerator: Mapping[str, int]
    denominator: Mapping[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, weight in (*self.numerator.items(), *self.denominator.items()):
            if not isinstance(weight, int | np.integer):
                raise ValueError(f"the weight of {name} is {weight!r}, expected an integer")
            if abs(int(weight)) > MAX_WEIGHT:
                raise ValueError(
                    f"the weight of {name} is {weight}, expected at most {MAX_WEIGHT} either way: "
                    "larger ones cannot be compared exactly"
                )
        for name, weight in self.denominator.items():
            if weight < 0:
                raise ValueError(
                    f"the weight of {name} is {weight}, expected at least 0 in a denominator"
                )

    def __str__(self) -> str:
        top, bottom = _linear(self.numerator), _linear(self.denominator)
        return f"{top}/({bottom})" if bottom else top


def _linear(weights: Mapping[str, int]) -> str:
    return "+".join(name if w == 1 else f"{w}{name}" for name, w in weights.items() if w)


Terms = Mapping[str, float]
"""A sum of counts: the weight of each field."""


class Measure(NamedTuple):
    """Scores by one formula, from sums of a kernel's counts."""

    # "share": numerator / denominator. "f1": precision, recall and F1 of hits, predicted and
    # wanted. "alpha": binary alpha of units, marked units and disagreeing units.
    formula: RatioForm
    name: str  # Of "f1": a prefix of its three names
    sums: tuple[Terms, ...]  # In the order above


Fields = tuple[str, ...]


def find_measures(fields: Collection[str]) -> tuple[Measure, ...]:
    """Return the scores of a kernel that declares none: F1 of tp, fp and fn if it counts these."""
    if not {"tp", "fp", "fn"} <= set(fields):
        return ()
    return (Measure("f1", "", ({"tp": 1}, {"tp": 1, "fp": 1}, {"tp": 1, "fn": 1})),)


def list_fields(scores: Iterable[Measure]) -> Fields:
    """Return the fields of scores, each once."""
    return tuple(dict.fromkeys(n for score in scores for terms in score.sums for n in terms))


@dataclass(frozen=True)
class Kernel:
    """A pair function: one gold relation against one predicted relation gives integer counts."""

    name: str  # Its name in reference/kernels.py and in csrc
    # ``function(gold, pred, length, params, counts)``: rows int32[n, 3] of both sides, tokens
    # of the example, ``params`` (number of roles, then the track of each role), and the int64
    # counts to write, all of them: the fields of every role in turn, then the overall fields
    function: PairFunction
    fields: tuple[str, ...]  # Counted for each role
    # Counted once for all roles together; other fields are summed over the roles
    overall: tuple[str, ...]
    objective: Objective  # The objective of protocols that name no other
    # True if two relations without a common token count like both unmatched, so that the
    # search may skip such pairs
    additive: bool
    # True if pairing two relations never lowers ``objective``, so that one against one needs
    # no comparison
    never_costs: bool
    boundscheck: bool = False  # True if compiled code checks that every index lies inside its array
    ordinal: bool = False  # True if counts depend only on the order and overlap of spans
    title: str = ""  # Of a built-in kernel, as pages show it
    scores: tuple[Measure, ...] = ()
    # Fields of the scores. Resampling sorts units by them, so their order decides the draws
    scored_fields: Fields = ()
    # Rules of valid counts, within a role and within all roles together: the sum of the first
    # fields is at most that of the second, a repeated field counts twice
    rules: tuple[tuple[Fields, Fields], ...] = ()
    gold_sums: tuple[Fields, ...] = ()  # Fields of a role whose sum depends on gold alone

    def __reduce__(self) -> tuple[Callable[[str, str], Kernel], tuple[str, str]]:
        # By name, as functions are pickled: reading returns the kernel of that module.
        module = self.function.__module__
        if getattr(sys.modules.get(module), self.name, None) is not self:
            raise pickle.PicklingError(
                f"{self} cannot be pickled, as it is not {module}.{self.name}: "
                "define it under its own name at the top level of a module"
            )
        return _kernel_of, (module, self.name)

    def __str__(self) -> str:
        code = cast("FunctionType", self.function).__code__
        return f"kernel {self.name} ({code.co_filename}:{code.co_firstlineno})"

    @cached_property
    def tried(self) -> kernel_checks.Tried | None:
        """Counts of a sample of pairs; None if the function raises an exception."""
        return kernel_checks.tried(self.function, len(self.fields), len(self.overall))

    def columns(self, roles: Sequence[str]) -> list[str]:
        """Return the names of all counts, in order: ``cause_tp``, ..., ``overall_em``."""
        of_roles = [f"{role}_{name}" for role in roles for name in self.fields]
        return of_roles + [f"overall_{name}" for name in self.overall]

    def weights(self, by_field: Mapping[str, int], n_roles: int) -> Int64:
        """Return a weight per count; key ``overall_x`` is the weight of the overall field x."""
        overall = tuple(f"overall_{name}" for name in self.overall)
        unknown = [f for f in by_field if f not in self.fields + overall]
        if unknown:
            known = ", ".join(self.fields + overall)
            raise ValueError(f'{self.name} has no field "{unknown[0]}", expected one of {known}')
        of_role = [by_field.get(f, 0) for f in self.fields]
        return np.array(of_role * n_roles + [by_field.get(f, 0) for f in overall], np.int64)


def check_ratio(kernel: Kernel, objective: Objective) -> None:
    """Refuse an objective with a denominator of 0 for a pair but not for its relations alone."""
    # The search for the best ratio could not compare such pairings; the reverse is refused too. If
    # the denominator is 0 for all pairings of an example, they must share one numerator.
    tried = kernel.tried
    if tried is None or not any(objective.denominator.values()):
        return
    weights = kernel.weights(objective.denominator, kernel_checks.N_ROLES)
    paired, alone = tried.paired @ weights > 0, tried.alone @ weights > 0
    hits = kernel.weights(objective.numerator, kernel_checks.N_ROLES)
    gain = (tried.paired - tried.alone) @ hits
    wrong = np.flatnonzero((paired != alone) | (~paired & (gain != 0)))
    if not len(wrong):
        return
    k = int(wrong[0])
    counts = tried.alone[k] if paired[k] else tried.paired[k]
    columns = [*kernel.fields] * kernel_checks.N_ROLES + [
        f"overall_{name}" for name in kernel.overall
    ]
    left_out = list(dict.fromkeys(columns[f] for f in np.flatnonzero(counts)))
    missing = f"fields{format_some(left_out)}" if left_out else "what the kernel does not count"
    how, other = ("apart", "as a pair") if paired[k] else ("as a pair", "apart")
    unlike = f"but not {other}" if paired[k] != alone[k] else "and the numerator is not"
    raise ValueError(
        f"the denominator of the objective {objective} leaves out {missing}: it is 0 for "
        f"{tried.shown[k]} {how}, {unlike}, and 0/0 cannot be compared"
    )


def _kernel_of(module: str, name: str) -> Kernel:
    kernel = getattr(import_module(module), name, None)
    if not isinstance(kernel, Kernel):
        raise pickle.UnpicklingError(
            f"no kernel {name} in {module}: define it in a module that both programs import"
        )
    return kernel


def outside_of_counts(kernel: Kernel) -> str:
    """Return the message for a kernel that left an invalid count."""
    return f"{kernel} left a count outside of 0 to {2**COUNT_BITS - 1}"


ARGUMENTS = ("gold", "pred", "length", "params", "counts")
F1 = Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1})


def kernel(
    fields: Sequence[str],
    objective: Objective | None = None,
    overall: Sequence[str] = (),
    additive: bool = False,
    never_costs: bool = False,
    boundscheck: bool = False,
    ordinal: bool = False,
) -> Callable[[PairFunction], Kernel]:
    """Make a kernel of a plain Python pair function; a decorator.

    The function is called as ``f(gold, pred, length, params, counts)`` for one gold relation and
    one predicted relation, and adds to ``counts``, which start at 0:

    * ``gold``, ``pred``: int32[n, 3], rows (role, start, stop) in tokens, sorted by (start, stop,
      role). Either may have no rows: an unmatched relation. Read-only.
    * ``length``: tokens of the example, -1 if unknown.
    * ``params``: int64[1 + n_roles], the number of roles, then the track of each role.
    * ``counts``: int64[n_roles * n_fields + n_overall], the fields of role 0, of role 1, ..., then
      the overall fields. From 0 to 2^36 - 1.

    Backend ``cpu`` compiles it with numba (extra ``jit``) at its first use; it must stay in the
    subset that numba compiles, unless it is ordinal. Backend ``reference`` runs the plain function,
    with bounds checked.

    Parameters
    ----------
    fields : sequence of str
        Counts of each role. Fields ``tp``, ``fp`` and ``fn`` give precision, recall and F1 in
        reports.
    objective : Objective, optional
        The quantity that the pairing of relations maximises; None is F1 of tp, fp and fn.
    overall : sequence of str, optional
        Counts of all roles together.
    additive : bool, optional
        A promise: relations without a common token count like both unmatched. The search then
        skips such pairs.
    never_costs : bool, optional
        A promise: pairing two relations never lowers the objective. One against one is then paired
        without comparing.
    boundscheck : bool, optional
        Make compiled code check every index, at some cost, and raise an exception for an invalid
        one; unchecked code would read and write foreign memory.
    ordinal : bool, optional
        A promise: counts depend only on order and overlap: the roles present, the order of spans
        in a relation, and the spans that meet, contain or equal each other; never on numbers of
        tokens. Backend ``cpu`` then calls the plain function once per pattern and needs no numba.
        The promise is tested on some hundreds of pairs.

    Returns
    -------
    callable
        Makes a `Kernel` of the function.

    Raises
    ------
    ValueError
        A field is invalid or listed twice, the objective names another field, fields tp, fp and fn
        and the objective are missing, the function is not plain or has other arguments, or it
        breaks the promise to be ordinal.

    Examples
    --------
    >>> import fastcausal as fc
    >>> @fc.kernel(fields=["tp", "fp", "fn"])
    ... def any_cause(gold, pred, length, params, counts):
    ...     n_gold, n_pred = (gold[:, 0] == 0).sum(), (pred[:, 0] == 0).sum()
    ...     counts[0] = min(n_gold, n_pred)
    ...     counts[1] = n_pred - counts[0]
    ...     counts[2] = n_gold - counts[0]
    >>> gold = fc.Relations.from_examples([{"length": 9, "relations": [{"cause": (0, 2)}]}])
    >>> pred = fc.Relations.from_examples([{"length": 9, "relations": [{"cause": (4, 5)}]}])
    >>> fc.score(gold, pred, fc.Protocol("any", any_cause), backend="reference")["cause"].f1
    1.0
    """
    for names in (fields, overall):
        for name in names:
            if not name.isidentifier() or list(names).count(name) > 1:
                raise ValueError(f'invalid field "{name}": expected identifiers, each of them once')
            if name.startswith("overall_"):
                raise ValueError(f'invalid field "{name}": an objective so names an overall field')
    if objective is None and not set(F1.denominator) <= set(fields):
        raise ValueError("a kernel without fields tp, fp and fn needs an objective")

    def wrap(function: PairFunction) -> Kernel:
        if not isinstance(function, FunctionType):
            raise ValueError(f"expected a plain Python function, got {function!r}")
        if function.__code__.co_argcount != len(ARGUMENTS):
            given = function.__code__.co_varnames[: function.__code__.co_argcount]
            raise ValueError(
                f"{function.__name__} takes ({', '.join(given)}), expected ({', '.join(ARGUMENTS)})"
            )
        made = Kernel(
            function.__name__,
            function,
            tuple(fields),
            tuple(overall),
            objective or F1,
            additive,
            never_costs,
            boundscheck,
            ordinal,
            scores=find_measures(fields),
            scored_fields=list_fields(find_measures(fields)),
        )
        for weights in (made.objective.numerator, made.objective.denominator):
            made.weights(weights, 1)
        if ordinal:
            kernel_checks.check_ordinal(function, str(made), len(made.fields), len(made.overall))
        return made

    return wrap


def scored(
    title: str,
    scores: Iterable[Measure] = (),
    scored_fields: Fields = (),  # By default in the order of their first use
    rules: Iterable[tuple[Fields, Fields]] = (),
    gold_sums: Iterable[Fields] = (),
) -> Callable[[Kernel], Kernel]:
    """Complete the record of a built-in kernel; a decorator."""

    def complete(made: Kernel) -> Kernel:
        measures = tuple(scores) or made.scores
        return replace(
            made,
            title=title,
            scores=measures,
            scored_fields=scored_fields or list_fields(measures),
            rules=tuple(rules),
            gold_sums=tuple(gold_sums),
        )

    return complete


def check_record(kernel: Kernel) -> Kernel:
    """Return a built-in kernel; ValueError if it has no scores, or names a field it lacks."""
    if not kernel.scores:
        raise ValueError(
            f"{kernel} has no scores: declare them with @scored, or count tp, fp and fn"
        )
    read = list_fields(kernel.scores)
    if {*read} != {*kernel.scored_fields}:
        raise ValueError(f"{kernel}: scored_fields are not the fields of its scores")
    ruled = [name for rule in kernel.rules for side in rule for name in side]
    kernel.weights(dict.fromkeys([*read, *ruled, *sum(kernel.gold_sums, ())], 1), 1)
    return kernel
