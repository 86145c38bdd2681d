"""``fastcausal annotate COMMAND``: one file per command."""

from __future__ import annotations

from fastcausal.cli.parameters import Group

annotate = Group(
    "annotate",
    "fastcausal.cli.annotate",
    {"export": "export", "import": "bring_in"},
    "Let people judge answers and claims on a page, and take their labels back.",
)
