"""The decoder of a metric in a loop, and the recipe by which it reads and counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from fastcausal.decoding.spans import SpanDecoder
from fastcausal.decoding.tags import TagScheme
from fastcausal.marking import Marking
from fastcausal.options import MarkingSettings, ProtocolName, ScoreSettings
from fastcausal.protocols import Protocol, batch_protocol
from fastcausal.recipe import Recipe
from fastcausal.relations import ROLES

# Arguments of `fastcausal.score` that sums can follow, and others that need each example
SETTINGS = {*ScoreSettings.__annotations__, *MarkingSettings.__annotations__} - {"lenient"}
NO_SUMS = ("by", "statistics", "per_example")


def take_settings(options: dict[str, Any]) -> dict[str, Any]:
    """Take the settings of `fastcausal.score` out of options; ValueError for what is no sum."""
    for name in NO_SUMS:
        if name in options:
            raise ValueError(f"{name}: states are sums over all examples, use fastcausal.score")
    return {name: options.pop(name) for name in SETTINGS & options.keys()}


def decoder_of(decoder: Any, roles: Any) -> TagScheme | SpanDecoder | None:
    """Return the decoder of a model's output; labels make a `TagScheme` with these roles."""
    own = Marking.make(roles=roles).roles
    if isinstance(decoder, Mapping | Sequence) and not isinstance(decoder, str):
        return TagScheme(decoder, all_roles=own)
    if decoder is None:
        return None
    if not isinstance(decoder, TagScheme | SpanDecoder):
        raise ValueError(
            f"decoder is {decoder!r}, expected a TagScheme, a SpanDecoder, or labels: their names "
            "in order, id2label or label2id"
        )
    has = roles_of(decoder)
    if roles is not None and own != has:
        raise ValueError(f"roles is {roles!r}, but the decoder has {', '.join(has)}")
    return decoder


def roles_of(decoder: TagScheme | SpanDecoder) -> tuple[str, ...]:
    """Return the roles of a decoder: those of a `SpanDecoder` are cause, effect and signal."""
    return tuple(decoder.all_roles) if isinstance(decoder, TagScheme) else ROLES


def recipe_of(
    decoder: TagScheme | SpanDecoder | None,
    protocol: ProtocolName | Protocol,
    settings: dict[str, Any],  # as `take_settings` returns them
) -> Recipe:
    """Return the recipe of a protocol that adds up over batches, with the decoder's roles."""
    if decoder is not None and (roles := roles_of(decoder)) != ROLES:
        settings = {**settings, "roles": roles}
    return Recipe.make(batch_protocol(protocol), **settings)
