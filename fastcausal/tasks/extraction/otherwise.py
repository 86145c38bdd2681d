"""Protocols of spans that count no pairs of relations; each is a task of its own."""

from __future__ import annotations

import inspect
from typing import Any, get_args

from fastcausal.counts.task import resolve
from fastcausal.options import SpanProtocol

# Another protocol is a line here and its name in `options.SpanProtocol`: the entry point of the
# function ``(gold, pred, **settings) -> Report``, whose parameters are the settings that it takes.
OTHERWISE: dict[SpanProtocol, str] = {
    "unicausal-span": "fastcausal.tasks.unicausal.count:spans",
    "fincausal-2020": "fastcausal.tasks.fincausal.count:fincausal",
}


def is_counted_otherwise(protocol: Any) -> bool:
    """Return True for a protocol of `OTHERWISE`, False for a protocol of relations.

    Examples
    --------
    >>> is_counted_otherwise("unicausal-span"), is_counted_otherwise("recess")
    (True, False)
    """
    return isinstance(protocol, str) and protocol in get_args(SpanProtocol)


def score_otherwise(protocol: SpanProtocol, gold: Any, pred: Any, **settings: Any) -> Any:
    """Score by a protocol of `OTHERWISE`; settings that are None keep its defaults.

    Raises
    ------
    ValueError
        The protocol does not have a setting.
    """
    score = resolve(OTHERWISE[protocol])
    taken = inspect.signature(score).parameters
    given = {name: value for name, value in settings.items() if value is not None}
    for name, value in given.items():
        if name not in taken:
            raise ValueError(f"{name} is {value!r}, expected none with the protocol {protocol}")
    return score(gold, pred, **given)
