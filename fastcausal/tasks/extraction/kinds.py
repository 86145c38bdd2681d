"""Kinds of errors: the counts of a kernel that are errors, or hits, and their names."""

from __future__ import annotations

from fastcausal.engine.kernel import Kernel

WORDS = {
    "tp": "right", "fp": "spurious", "fn": "missed", "le": "label error", "be": "boundary error",
    "lbe": "label and boundary error", "bes": "too small", "bel": "too large",
    "beo": "partly beside", "em": "exact match", "osb": "one-sided boundary",
    "to": "token overlap", "not_causal": "not seen as causal", "both": "neither span found",
    "cause": "cause not found", "effect": "effect not found", "mistyped": "of another type",
    "turned": "turned round", "unlinked": "linked wrongly", "partial": "without both arguments",
}  # fmt: skip


def error_fields(kernel: Kernel) -> tuple[str, ...]:
    """Return the counts of a kernel that are errors: in its objective's denominator, no hits."""
    divisors = [n.removeprefix("overall_") for n in kernel.objective.denominator or ("fp", "fn")]
    hits = hit_fields(kernel)
    return tuple(n for n in divisors if n not in hits and n in kernel.fields)


def hit_fields(kernel: Kernel) -> tuple[str, ...]:
    """Return the counts of a kernel that are hits: in its objective's numerator."""
    hits = dict.fromkeys(name.removeprefix("overall_") for name in kernel.objective.numerator)
    return tuple(name for name in hits if name in kernel.fields)
