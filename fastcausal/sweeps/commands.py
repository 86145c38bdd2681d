"""The records of commands about several systems."""

from __future__ import annotations

from fastcausal.counts.command import CommandRecord

PLAN = CommandRecord(
    "fastcausal.sweeps.plan:plan",
    {"a": "A", "b": "B"},
    ("fastcausal plan careful.parquet hasty.parquet --delta 0.05",),
)
