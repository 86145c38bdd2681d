"""``fastcausal annotate COMMAND``: one file per command."""

from __future__ import annotations

from fastcausal.cli.parameters import Group

annotate = Group(
    "annotate",
    {
        "export": "fastcausal.cli.annotate.export:export",
        "import": "fastcausal.cli.annotate.bring_in:bring_in",
    },
    "Let people judge answers and claims on a page, and take their labels back.",
)
