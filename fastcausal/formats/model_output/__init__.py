"""Raw answers of language models: relations read from a column of text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from fastcausal.formats.reading.format import Format, late


def schema() -> dict[str, Any]:
    """Return the JSON Schema of an answer, for services of structured output.

    >>> schema()["required"]
    ['relations']
    """
    stored = Path(__file__).with_name("answers.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(stored)
    return loaded


FORMAT = Format(
    "answers",
    **late(f"{__name__}.reading", "read"),
    **late(f"{__name__}.sources", "load", sniff="is_log"),
    suffixes=(".eval",),
    takes=("like", "answers", "occurrence", "id", "words", "roles", "role"),
)
