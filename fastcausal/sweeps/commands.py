"""The records of commands about several systems."""

from __future__ import annotations

from fastcausal.counts.command import PAGE, CommandRecord, Flag

PLAN = CommandRecord(
    "fastcausal.sweeps.plan:plan",
    {"a": "A", "b": "B"},
    ("fastcausal plan careful.parquet hasty.parquet --delta 0.05",),
)
SCHEMES = CommandRecord(
    "fastcausal.sweeps.schemes:schemes",
    {"gold": "GOLD", "pred": "PRED..."},
    (
        "fastcausal schemes gold.csv careful.jsonl hasty.jsonl",
        "fastcausal schemes gold.csv careful.jsonl hasty.jsonl --p --format latex",
    ),
    page=PAGE,
    flags={"schemes": Flag("--scheme", "NAME")},
)
