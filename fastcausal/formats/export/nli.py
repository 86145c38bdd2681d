"""Relations as premises and hypotheses, for natural language inference."""

from __future__ import annotations

import json
import os
from collections import Counter

from fastcausal.files.files import replacing
from fastcausal.formats.export.arguments import arguments
from fastcausal.options import Premise, check
from fastcausal.relations import Relations


def write(
    relations: Relations,
    target: str | os.PathLike[str],
    premise: Premise = "cause",  # The argument used as premise; the other one is the hypothesis
) -> list[str]:
    """Write a pair per relation as JSON lines ``{"id", "premise", "hypothesis"}``."""
    # ``id`` is ``<example>_<k>``, k counting the pairs of an example from 0. There is no label: a
    # relation leaves open if its Cause entails its Effect (Tan et al. 2023, section 6.5).
    # InputError if an example with relations has no text, or one of another length.
    check("premise", premise, Premise)
    pairs, lost = arguments(relations)
    counts: Counter[int] = Counter()
    lines = []
    for example, text, cause, effect in pairs:
        first, second = (cause, effect) if premise == "cause" else (effect, cause)
        name = f"{relations.name(example)}_{counts[example]}"
        pair = {"id": name, "premise": text[first], "hypothesis": text[second]}
        lines.append(json.dumps(pair, ensure_ascii=False) + "\n")
        counts[example] += 1
    with replacing(target) as file:
        file.write("".join(lines).encode())
    return lost
