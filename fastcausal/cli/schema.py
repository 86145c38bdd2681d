"""``fastcausal schema``."""

from __future__ import annotations

from fastcausal.cli.console import show


def schema() -> None:
    """Print the JSON Schema of an answer, for services of structured output.

    Examples
    --------
    fastcausal schema
    """
    import json

    from fastcausal.formats.model_output import schema

    show(json.dumps(schema(), indent=2))
