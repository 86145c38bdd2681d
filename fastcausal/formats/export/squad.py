"""Questions about relations in SQuAD's layout: each question asks for one argument by the other."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from typing import Any

from fastcausal._version import __version__
from fastcausal.files.files import replacing
from fastcausal.formats.export.arguments import HELD, Arguments, arguments
from fastcausal.relations import Relations

# Wording and the number of questions are of Tan et al. (2023), section 6.4.
FOR_THE_CAUSE = ('What caused "{}"?', 'What led to "{}"?', 'Why did "{}" occur?')
FOR_THE_EFFECT = (
    'What resulted from "{}"?', 'What happened because of "{}"?', 'What did "{}" cause?',
)  # fmt: skip
TEMPLATES = FOR_THE_CAUSE + FOR_THE_EFFECT
DRAWS = tuple(combinations(TEMPLATES, 2))


def write(
    relations: Relations,
    target: str | os.PathLike[str],
    seed: int = 0,  # The seed of the choice of questions
) -> list[str]:
    """Write two questions per relation, each answered by its Cause or its Effect."""
    # ``{"version": ..., "data": [...]}``, a record ``{"id", "title", "context", "question",
    # "answers": {"text": [...], "answer_start": [...]}}`` per question: the layout that Hugging
    # Face's ``datasets`` reads with ``field="data"``. ``answer_start`` counts characters of
    # ``context``, the sentence; ``id`` is ``<example>_<k>``, k counting the questions of an example
    # from 0; ``title`` is the column ``doc_id``, or empty.
    # InputError if an example with relations has no text, or one of another length.
    pairs, lost = arguments(relations, (*HELD, "doc_id"))
    version = f"fastcausal|{__version__}|squad|seed:{seed}"
    lines = (json.dumps(r, ensure_ascii=False) for r in records(relations, pairs, seed))
    data = ",\n".join(lines)
    with replacing(target) as file:
        file.write(f'{{"version": {json.dumps(version)}, "data": [\n{data}\n]}}\n'.encode())
    return lost


def records(
    relations: Relations, pairs: list[Arguments], seed: int = 0
) -> Iterator[dict[str, Any]]:
    """Yield the questions about relations with these arguments, in the form of `write`."""
    titles = None
    if "doc_id" in relations.table.column_names:
        titles = relations.table["doc_id"].to_pylist()
    asked: Counter[int] = Counter()
    for example, text, cause, effect in pairs:
        name = relations.name(example)
        title = "" if titles is None or titles[example] is None else str(titles[example])
        for template in draw(seed, name, cause, effect):
            known, answer = (effect, cause) if template in FOR_THE_CAUSE else (cause, effect)
            yield {
                "id": f"{name}_{asked[example]}",
                "title": title,
                "context": text,
                "question": template.format(text[known]),
                "answers": {"text": [text[answer]], "answer_start": [answer.start]},
            }
            asked[example] += 1


def draw(seed: int, name: str, cause: slice, effect: slice) -> tuple[str, str]:
    """Draw two of the six templates for a relation of the example with this name."""
    # A hash decides: all 15 pairs are equally likely, and neither the order of examples and
    # relations nor a split into files changes the draw.
    from hashlib import sha256  # 4 ms of OpenSSL, needed only here

    spans = f"{cause.start}:{cause.stop} {effect.start}:{effect.stop}"
    number = int.from_bytes(sha256(f"{seed} {spans} {name}".encode()).digest())
    return DRAWS[number % len(DRAWS)]
