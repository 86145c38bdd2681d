"""Protocols: named settings on which a score depends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from decimal import Decimal
from functools import cached_property
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from fastcausal.arrays.kept import Kept
from fastcausal.engine.kernel import Kernel, Objective, check_ratio
from fastcausal.engine.plan import Plan
from fastcausal.errors import InputError
from fastcausal.marking import CAUSAL_TRACKS
from fastcausal.options import (
    NonCausal,
    PairingTies,
    ProtocolName,
    Summing,
    Surplus,
    TagReading,
    check,
)

UNNAMED = ("program", "version", "protocol")  # settings that print as their value alone
CHOICES: dict[str, object] = {
    "tags": TagReading,
    "ties": PairingTies,
    "surplus": Surplus,
    "non_causal": NonCausal,
    "average": Summing,
}
PROTOCOLS: dict[ProtocolName, Protocol] = {}
"""The built-in protocols, by name."""


@dataclass(frozen=True)
class Protocol:
    """Rules of comparing predictions with gold; prints as one line, the signature of a score.

    Parameters
    ----------
    name : str
        The name of a built-in protocol requires its fields; ``|`` is reserved, it parts the line.
    kernel : str or Kernel
        Counts of a pair of relations: ``"fair_spans"``, ``"exact_spans"``, ``"span_overlap"``,
        ``"partial_spans"``, or your own (see `fastcausal.kernel`).
    objective : Objective, optional
        The quantity that the pairing of relations maximises; None takes the kernel's own.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        Reading of tagged sentences. The official readings apply to other spans as well, as if
        they had been written with tags; if that is impossible, reports print ``as-given``.
    ties : {"content", "first"}
        Choice among several best pairings. ``"content"``: most shared tokens, then the first by
        content of the relations, so file order does not matter. ``"first"``: the first in file
        order, as in the official scorer, which compares float F1 for up to six relations.
    surplus : {"charge", "truncate"}
        Predictions beyond the number of gold relations cost false positives, or are dropped.
    non_causal : {"charge", "ignore"}
        Predictions for an example without gold relations cost false positives, or are ignored.
    tracks : tuple of tuples of str
        Roles of one track form one sequence, in which one may be mistaken for another. A role is
        in one track at most; a role outside all tracks is alone. The data must have every listed
        role other than cause, effect and signal.
    undefined : float or None
        Value of 0/0, from 0 to 1; None: undefined, NaN in Python and null in JSON.
    average : {"counts", "cnc-2022"}
        Scores from summed counts, or the 2022 scorer's running mean of means.

    Raises
    ------
    ValueError
        A field is invalid; the objective names a field that the kernel lacks, or its denominator
        leaves out a hit or an error.

    Examples
    --------
    >>> from fastcausal import Protocol
    >>> print(Protocol("mine", kernel="exact_spans"))
    mine|kernel:exact_spans|objective:2tp/(2tp+fp+fn)|tags:strict|ties:content|surplus:charge|\
non-causal:charge|tracks:cause+effect,signal|0/0:undefined
    """

    name: str
    kernel: str | Kernel = "fair_spans"
    objective: Objective | None = None
    tags: TagReading = "strict"
    ties: PairingTies = "content"
    surplus: Surplus = "charge"
    non_causal: NonCausal = "charge"
    tracks: tuple[tuple[str, ...], ...] = CAUSAL_TRACKS
    undefined: float | None = None
    average: Summing = "counts"
    free: ClassVar[tuple[str, ...]] = ("tracks",)  # settings that a built-in name leaves open

    def __post_init__(self) -> None:
        for name, choices in CHOICES.items():
            check(name, getattr(self, name), choices)
        kernel = self.pair_kernel
        self.weights()
        if self.objective is not None or isinstance(self.kernel, Kernel):
            check_ratio(kernel, self.objective or kernel.objective)
        object.__setattr__(self, "tracks", _checked_tracks(self.tracks))
        object.__setattr__(self, "undefined", _checked_undefined(self.undefined))
        self._check_name()

    def _check_name(self) -> None:
        """Refuse a name that would make the printed line misleading or ambiguous."""
        name: Any = self.name
        if not isinstance(name, str) or not name or "|" in name or not name.isprintable():
            raise ValueError(f'name is {name!r}, expected text in one line without "|"')
        built_in = {str(key): protocol for key, protocol in PROTOCOLS.items()}.get(name)
        if built_in is None:
            return
        tags = self.tags if built_in.tags == "strict" else built_in.tags
        free = {name: self.settings[name] for name in self.free if name in self.settings}
        free |= {"tags": tags}  # as the arguments of score
        if self.settings != {**built_in.settings, **free}:
            raise ValueError(
                f'name is "{name}", that of a built-in protocol with other fields, '
                "expected another name"
            )

    @property
    def pair_kernel(self) -> Kernel:
        """The kernel as a `Kernel`."""
        from fastcausal.engine.reference.kernels import KERNELS

        if isinstance(self.kernel, Kernel):
            if KERNELS.get(self.kernel.name, self.kernel) is not self.kernel:
                raise ValueError(f"{self.kernel} has the name of a built-in kernel")
            return self.kernel
        if self.kernel not in KERNELS:
            raise ValueError(
                f'unknown kernel "{self.kernel}", expected one of {", ".join(KERNELS)}'
            )
        return KERNELS[self.kernel]

    def weights(self, n_roles: int = 1) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
        """Return int64[6, n_fields]: the weights of `fastcausal.engine.plan.Plan`."""
        kernel = self.pair_kernel
        objective = self.objective or kernel.objective
        forms = [objective.numerator, objective.denominator, {}, {}, {}, {}]
        if self._official:
            forms[2:] = {"tp": 1}, {"fp": 1}, {"fn": 1}, self._half
        return np.stack([kernel.weights(form, n_roles) for form in forms])

    @property
    def _half(self) -> dict[str, int]:
        """Errors that count half against precision and half against recall."""
        return dict.fromkeys({"le", "be", "lbe"} & set(self.pair_kernel.fields), 1)

    @property
    def _official(self) -> bool:
        """True if the official search, which compares F1, maximises this objective."""
        objective = self.objective or self.pair_kernel.objective
        f1 = Objective({"tp": 2}, {"tp": 2, "fp": 1, "fn": 1, **self._half})
        return self.ties == "first" and objective == f1

    def plan(self, roles: tuple[str, ...]) -> Plan:
        """Compile the protocol for relations with these roles; cached.

        Raises
        ------
        InputError
            A track names another role.
        """
        plans = self._plans
        made = plans.get(roles)
        if made is None:
            made = plans[roles] = self._plan(roles)
        return made

    @cached_property
    def _plans(self) -> dict[tuple[str, ...], Plan]:
        return {}

    @cached_property
    def derived(self) -> Kept:
        """Values that other modules derive from the protocol once."""
        return Kept()

    @cached_property
    def signature(self) -> str:
        """The printed line, cached."""
        return str(self)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Text of each field but the name, in the order of the line."""
        parts = {
            "kernel": self.pair_kernel.name,
            "objective": self.objective or self.pair_kernel.objective,
            "tags": self.tags,
            "ties": self.ties,
            "surplus": self.surplus,
            "non-causal": self.non_causal,
            "tracks": ",".join("+".join(track) for track in self.tracks),
            "0/0": "undefined" if self.undefined is None else self.undefined,
        }
        if self.average != "counts":
            parts["average"] = self.average
        return {name: str(value) for name, value in parts.items()}

    def __getstate__(self) -> dict[str, Any]:
        """Return only the fields, without the cache."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _plan(self, roles: tuple[str, ...]) -> Plan:
        track_of = {role: k for k, track in enumerate(self.tracks) for role in track}
        known = {*roles, *chain(*CAUSAL_TRACKS)}  # these may be absent from any data
        if unknown := [role for role in track_of if role not in known]:
            raise InputError(
                f'protocol {self.name}: tracks name the role "{unknown[0]}", '
                f"expected those of the data: {', '.join(roles)}"
            )
        tracks = [track_of.get(role, len(self.tracks) + k) for k, role in enumerate(roles)]
        numbers = {track: k for k, track in enumerate(dict.fromkeys(tracks))}
        return Plan(
            kernel=self.pair_kernel,
            params=np.array([len(roles), *(numbers[t] for t in tracks)], np.int64),
            weights=self.weights(len(roles)),
            official=self._official,
            never_costs=self.pair_kernel.never_costs
            and self.objective in (None, self.pair_kernel.objective),
            by_content=self.ties == "content",
            truncate=self.surplus == "truncate",
            ignore_non_causal=self.non_causal == "ignore",
        )

    def __str__(self) -> str:
        return line_of({"protocol": self.name, **self.settings})


@dataclass(frozen=True)
class ArgumentProtocol(Protocol):
    """Rules of counting relations by their arguments; kernels and pairing have no part in it."""

    # Roles of the two arguments; None: the first two roles of the data
    arguments: tuple[str, str] | None = None
    own: ClassVar[tuple[str, ...]] = ("arguments",)  # Settings beside those of all protocols
    free: ClassVar[tuple[str, ...]] = ("arguments",)

    def __post_init__(self) -> None:
        check("tags", self.tags, TagReading)
        kept = ("name", "tags", "tracks", "undefined", *self.own)
        for field in fields(self):
            if field.name not in kept and getattr(self, field.name) != field.default:
                raise ValueError(f"{field.name} is for kernels, expected none with {self.name}")
        object.__setattr__(self, "tracks", _checked_tracks(self.tracks))
        object.__setattr__(self, "arguments", _checked_arguments(self.arguments))
        object.__setattr__(self, "undefined", _checked_undefined(self.undefined))
        self._check_name()

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """Text of each field but the name, in the order of the line."""
        own = {name: self._text_of(getattr(self, name)) for name in self.own}
        return {
            "kernel": str(self.kernel),
            **own,
            "types": "ignore",
            "tags": self.tags,
            "0/0": str("undefined" if self.undefined is None else self.undefined),
        }

    def _text_of(self, value: Any) -> str:
        if isinstance(value, float):
            return format_decimal(value)
        return value if isinstance(value, str) else "+".join(value or CAUSAL_TRACKS[0])

    def arguments_of(self, roles: tuple[str, ...]) -> tuple[int, int]:
        """Return the numbers of the two arguments in roles, -1 for a second that is missing.

        Raises
        ------
        InputError
            The data have no such role.
        """
        for role in self.arguments or ():
            if role not in roles:
                raise InputError(
                    f'protocol {self.name}: arguments name the role "{role}", '
                    f"expected two of the data: {', '.join(roles)}"
                )
        names = self.arguments or roles[:2]
        first, second = [*map(roles.index, names), -1][:2]
        return first, second


@dataclass(frozen=True)
class WholeProtocol(ArgumentProtocol):
    """Rules of counting whole relations: a relation is right if its arguments are.

    Parameters
    ----------
    name, tags, undefined
        As in `Protocol`.
    arguments : tuple of two str, optional
        The roles of a relation that have to be right; None: the first two roles of the data.
    iou : float
        Least share of common tokens by which two arguments are alike, above 0 and at most 1.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fastcausal import PROTOCOLS
    >>> print(replace(PROTOCOLS["relations"], name="mine", iou=0.75))
    mine|kernel:relations|arguments:cause+effect|iou:0.75|types:ignore|tags:strict|0/0:undefined
    """

    kernel: str | Kernel = "relations"
    iou: float = 0.5
    own = ("arguments", "iou")
    free = own

    def __post_init__(self) -> None:
        ratio_of(self.iou, "iou")
        object.__setattr__(self, "iou", float(self.iou))
        super().__post_init__()


@dataclass(frozen=True)
class DepthsProtocol(ArgumentProtocol):
    """Rules of telling where relations are lost: seen as causal, spans found, spans linked.

    Parameters
    ----------
    name, tags, undefined
        As in `Protocol`.
    arguments : tuple of two str, optional
        The roles that a relation links; None: the first two roles of the data.
    match : str
        When two spans meet: ``"exact"``, ``"overlap"`` (a common token), or ``"iou:T"``, at least
        this share of common tokens, above 0 and at most 1.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from fastcausal import PROTOCOLS
    >>> print(replace(PROTOCOLS["depths"], name="mine", match="iou:0.5"))
    mine|kernel:depths|arguments:cause+effect|match:iou:0.5|types:ignore|tags:strict|0/0:undefined
    """

    kernel: str | Kernel = "depths"
    match: str = "exact"
    own = ("arguments", "match")
    free = own

    def __post_init__(self) -> None:
        numerator, denominator = match_of(self.match)
        if self.match.startswith(IOU):
            share = format_decimal(numerator / denominator)
            object.__setattr__(self, "match", f"{IOU}{share}")
        super().__post_init__()


MOST_DECIMALS = 9
IOU = "iou:"


def ratio_of(value: Any, name: str) -> tuple[int, int]:
    """Return a share above 0 and at most 1 as numerator and denominator."""
    try:
        exact = None if isinstance(value, bool) else Decimal(str(value))
    except ArithmeticError:
        exact = None
    if exact is None or not exact.is_finite() or not 0 < exact <= 1:
        raise ValueError(f"{name} is {value!r}, expected a number above 0 and at most 1")
    scaled = exact.scaleb(MOST_DECIMALS)
    if scaled != scaled.to_integral_value():
        raise ValueError(f"{name} is {value!r}, expected at most {MOST_DECIMALS} decimals")
    return int(scaled), 10**MOST_DECIMALS


def format_decimal(value: float) -> str:
    """Write a share without an exponent.

    >>> format_decimal(1e-09), format_decimal(0.5), format_decimal(1.0)
    ('0.000000001', '0.5', '1')
    """
    return f"{Decimal(str(value)).normalize():f}"


def match_of(match: Any) -> tuple[int, int]:
    """Return the least common / union of two spans that meet; 0: a common token is enough."""
    if match in ("exact", "overlap"):
        return int(match == "exact"), 1
    if not isinstance(match, str) or not match.startswith(IOU):
        raise ValueError(f"match is {match!r}, expected exact, overlap or iou:T, as iou:0.5")
    return ratio_of(match.removeprefix(IOU), "match")


def _checked_arguments(arguments: Any) -> tuple[str, str] | None:
    """Return the roles of two arguments, given as a sequence or as text with a comma."""
    if arguments is None:
        return None
    roles = arguments.split(",") if isinstance(arguments, str) else arguments
    if (
        not _is_sequence(roles)
        or len(roles) != 2
        or not all(isinstance(role, str) and role.strip() and "|" not in role for role in roles)
        or roles[0].strip() == roles[1].strip()
    ):
        raise ValueError(f"arguments is {arguments!r}, expected two different roles")
    return roles[0].strip(), roles[1].strip()


def line_of(settings: Mapping[str, str]) -> str:
    """Print settings as one line.

    >>> line_of({"protocol": "mine", "ties": "first"})
    'mine|ties:first'
    """
    # The name of a program, version or protocol stands alone.
    return "|".join(v if n in UNNAMED else f"{n}:{v}" for n, v in settings.items())


def _checked_tracks(tracks: Any) -> tuple[tuple[str, ...], ...]:
    """Return tracks as tuples; refuse empty tracks and repeated roles."""
    expected = "expected sequences of roles, each role once"
    sides = [tracks, *tracks] if _is_sequence(tracks) else [tracks]
    if not all(_is_sequence(side) and len(side) for side in sides):
        raise ValueError(f"tracks are {tracks!r}, {expected}")
    roles = list(chain(*tracks))
    for role in roles:
        if not isinstance(role, str) or not role or "|" in role:
            raise ValueError(f'tracks have the role {role!r}, expected text without "|"')
        if roles.count(role) > 1:
            raise ValueError(f'tracks have the role "{role}" {roles.count(role)} times, {expected}')
    return tuple(tuple(track) for track in tracks)


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _checked_undefined(value: Any) -> float | None:
    """Return the value of 0/0 as a float from 0 to 1."""
    if value is None:
        return None
    is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not is_number or not 0 <= value <= 1:
        raise ValueError(f"undefined is {value!r}, expected None or a number from 0 to 1")
    return float(value) + 0.0  # no minus before 0


RECESS = Protocol("recess")
CNC_2023 = Protocol(
    "cnc-2023",
    tags="cnc-2023",
    ties="first",
    surplus="truncate",
    non_causal="ignore",
    undefined=0.0,
)
CNC_2022 = replace(
    CNC_2023, name="cnc-2022", kernel="exact_spans", tags="cnc-2022", average="cnc-2022"
)
PROTOCOLS |= {
    "recess": RECESS,
    "cnc-2023": CNC_2023,
    "cnc-2022": CNC_2022,
    "relations": WholeProtocol("relations"),
    "depths": DepthsProtocol("depths"),
}


def protocol_named(protocol: ProtocolName | Protocol) -> Protocol:
    """Return the protocol of a name."""
    # A `Protocol` is returned unchanged.
    if isinstance(protocol, Protocol):
        return protocol
    check("protocol", protocol, ProtocolName)
    return PROTOCOLS[protocol]


def with_settings(protocol: Protocol, **settings: Any) -> Protocol:
    """Return a protocol with other settings of its own; those that are None stay."""
    given = {name: value for name, value in settings.items() if value is not None}
    own = protocol.own if isinstance(protocol, ArgumentProtocol) else ()
    for name in given:
        if name not in own:
            owners = [
                str(owner)
                for owner, each in PROTOCOLS.items()
                if isinstance(each, ArgumentProtocol) and name in each.own
            ]
            raise ValueError(f"{name} is for {' and '.join(owners)}, not for {protocol.name}")
    return replace(protocol, **given) if given else protocol


def batch_protocol(protocol: ProtocolName | Protocol) -> Protocol:
    """Return the protocol of a name, and refuse counts that do not add up over batches."""
    chosen = protocol_named(protocol)
    if chosen.average != "counts":
        raise ValueError(f"{chosen.name} does not add up over batches")
    return chosen
