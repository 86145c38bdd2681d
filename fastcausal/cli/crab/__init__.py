"""``fastcausal crab COMMAND``: judgments of how strongly one event caused another."""

from __future__ import annotations

from fastcausal.cli.parameters import Group
from fastcausal.tasks.crab.commands import COMMANDS

crab = Group("crab", COMMANDS, "Score judgments of how strongly one event caused another.")
