"""``fastcausal crab COMMAND``: one file per command."""

from __future__ import annotations

from fastcausal.cli.parameters import Group

COMMANDS = (
    "describe", "pairwise", "frames", "chains", "make_mcq", "graded", "agree", "experts", "events",
    "prompts", "split", "sweep",
)  # fmt: skip

crab = Group(
    "crab",
    {name.replace("_", "-"): f"fastcausal.cli.crab.{name}:{name}" for name in COMMANDS},
    "Score judgments of how strongly one event caused another.",
)
