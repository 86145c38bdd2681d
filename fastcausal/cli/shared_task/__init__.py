"""``fastcausal task COMMAND``: one file per command."""

from __future__ import annotations

from fastcausal.cli.parameters import Group

COMMANDS = ("init", "check", "leaderboard", "archive")

task = Group(
    "task",
    {name: f"fastcausal.cli.shared_task.{name}:{name}" for name in COMMANDS},
    "Run a shared task: a bundle for a platform, a check for participants, the leaderboard.",
)
