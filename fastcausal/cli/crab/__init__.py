"""``fastcausal crab COMMAND``: one file per command."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer

from fastcausal.cli.crab.agree import agree
from fastcausal.cli.crab.chains import chains
from fastcausal.cli.crab.events import events
from fastcausal.cli.crab.frames import frames
from fastcausal.cli.crab.graded import graded
from fastcausal.cli.crab.make_mcq import make_mcq
from fastcausal.cli.crab.pairwise import pairwise
from fastcausal.cli.crab.split import split
from fastcausal.cli.crab.sweep import sweep
from fastcausal.cli.options import Command, expanded

COMMANDS: dict[str, Callable[..., Any]] = {
    "pairwise": pairwise,
    "frames": frames,
    "chains": chains,
    "make-mcq": make_mcq,
    "graded": graded,
    "agree": agree,
    "events": events,
    "split": split,
    "sweep": sweep,
}

crab: typer.Typer = typer.Typer(
    name="crab",
    help="Score judgments of how strongly one event caused another.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
for _name, _command in COMMANDS.items():
    crab.command(_name, cls=Command)(expanded(_command))
