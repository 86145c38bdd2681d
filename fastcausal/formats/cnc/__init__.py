"""Files of the Causal News Corpus task: the truth as CSV, a submission as JSON lines."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Collection, Iterator
from typing import Any

from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.errors import InputError, Problems
from fastcausal.files.cells import header_of
from fastcausal.files.files import Source, replacing
from fastcausal.files.values import JsonTexts
from fastcausal.files.words import MISSING
from fastcausal.formats.cnc import submissions, truth
from fastcausal.formats.cnc.markup import holds_tags
from fastcausal.formats.cnc.markup import write as write_tags
from fastcausal.formats.cnc.truth import SENTENCE
from fastcausal.formats.examples import Example, examples, tagged_sentences, texts_of
from fastcausal.formats.reading import batches
from fastcausal.formats.reading.batches import Stream
from fastcausal.formats.reading.builder import messages, not_held
from fastcausal.formats.reading.folders import LINE_FILES
from fastcausal.formats.reading.format import Format, Opened
from fastcausal.relations import ROLES, Relations

MADE_UP = (*SENTENCE, "eg_id")  # columns of a truth file that a table may lack


def read(
    source: str | os.PathLike[str] | Source, like: Relations | None = None, tags: str = "strict"
) -> Relations:
    """Read a truth file (CSV, a row per sentence or per relation) or a submission (JSON lines).

    Parameters
    ----------
    source : path
        CSV needs the columns ``index, text, causal_text_w_pairs, num_rs``, or ``corpus, doc_id,
        sent_id, index, text, text_w_pairs`` (``pair_label`` 0: no relation). JSON lines:
        ``{"index": ..., "prediction": [tagged sentence, ...]}``, line k for example k.
    like : Relations, optional
        For a submission: the gold side. Ids, text and lengths come from it.
    tags : {"strict", "aligned", "cnc-2023", "cnc-2022"}
        The reading of tags, see `fastcausal.formats.cnc.markup.parse`. The official readings trust
        ``num_rs`` and the line order; the strict one requires ``num_rs`` to be the number of
        sentences, and joins lines by ``index``: positions from 0, or the ids of the examples.

    Returns
    -------
    Relations
        With columns ``id, text, corpus, doc_id, sent_id`` as far as known, all others of the
        source, and ``tagged``. A file with a row per relation keeps the columns of sentences.
        Columns of CSV are text; other keys of JSON lines are text, numbers or booleans.

    Raises
    ------
    InputError
        The source deviates from this description; the message has file and line. An unreadable
        tagged sentence is not an error but a null relation.
    """
    return _read(Source.open(source), like, tags)


def _read(source: Source, like: Relations | None, tags: str) -> Relations:
    if source.is_json:
        return submissions.read(source, like, tags)
    return truth.read(source, tags)


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write a truth file (target ends in ``.csv``) or a submission (any other target).

    Tagged sentences in the table are written unchanged, others are made from ``text`` and the
    spans. In a truth file, missing ``corpus``, ``doc_id`` or ``sent_id`` get stand-ins, which the
    official programs need and `read` removes.

    InputError if an example has relations but no text, or one of another length.
    """
    truth = str(target).lower().endswith(".csv")
    lost = Problems()
    sentences = _tagged_sentences(relations, lost)
    if truth:
        content, changed = _truth_text(relations, sentences)
        held = {*relations.table.column_names} - {"index", "causal_text_w_pairs"}
    else:
        lines = (
            json.dumps({"index": k, "prediction": row}, ensure_ascii=False) + "\n"
            for k, row in enumerate(sentences)
        )
        content, changed = "".join(lines), []
        held = {"length", "relations", "tagged", UNPARSED}
    with replacing(target) as file:
        file.write(content.encode())
    what = "a truth file" if truth else "a submission"
    missing = not_held(relations.table, held, f"{what} does not hold {{}}")
    return [*missing, *changed, *messages(lost)]


def _tagged_sentences(relations: Relations, lost: Problems) -> list[list[str]]:
    """Return the tagged sentences of every example, stored ones first."""
    numbers = [ROLES.index(role) if role in ROLES else len(ROLES) for role in relations.roles]
    rows = zip(tagged_sentences(relations), examples(relations), strict=True)
    return [
        list(_with_tags(example, numbers, lost)) if kept is None else kept for kept, example in rows
    ]


def _with_tags(example: Example, numbers: list[int], lost: Problems) -> Iterator[str]:
    """Yield a tagged sentence for each relation; ``numbers`` are tag numbers of its roles."""
    text = example.require_text() if len(example.row) else ""
    if holds_tags(text):
        lost.add(f"{example.name}: tags within its text will be read")
    for where, spans in example.readable(lost):
        sentence, left_out = write_tags(text, [(numbers[role], a, b) for role, a, b in spans])
        if left_out:
            lost.add(f"{where}: {len(left_out)} spans overlap others or have no tag")
        yield sentence


def _truth_text(relations: Relations, sentences: list[list[str]]) -> tuple[str, list[str]]:
    """Return the file's text, and messages about cells that could not be kept."""
    given, changed = _cells(relations)
    further = [name for name in given if name not in MADE_UP]
    no_corpus = f"no {', '.join(name for name in SENTENCE if name not in given)}"
    content = io.StringIO(newline="")
    writer = csv.writer(content)
    header = [*MADE_UP, "index", "text", "causal_text_w_pairs", "num_rs"]
    writer.writerow(header + further)
    for k, (text, row) in enumerate(zip(texts_of(relations), sentences, strict=True)):
        name = relations.name(k)
        if text is None:
            raise InputError(f"example {name}: a truth file needs its text")
        # Stand-ins: each example is the only sentence of its own document.
        known = {"corpus": no_corpus, "doc_id": k, "sent_id": k, "eg_id": 0}
        known |= {column: values[k] for column, values in given.items()}
        first = [known[column] for column in MADE_UP]
        writer.writerow([*first, name, text, row, len(row), *(known[n] for n in further)])
    return content.getvalue(), changed


def _cells(relations: Relations) -> tuple[dict[str, list[str]], list[str]]:
    """Return the columns of a table as text, and the names of columns with changed values."""
    own = {"id", "length", "relations", "tagged", "text", UNPARSED}
    own |= {"index", "causal_text_w_pairs", "num_rs"}  # written from the relations
    written = JsonTexts()
    cells, changed = {}, []
    for name in relations.table.column_names:
        if name in own:
            continue
        values = relations.table[name].to_pylist()
        texts = [_cell(value, written) for value in values]
        if any(value is not None and not isinstance(value, str) for value in values):
            changed.append(f'values of the column "{name}" are written as text')
        if name in SENTENCE and (odd := {*MISSING} & {*texts}):
            texts = [f"({text})" if text in odd else text for text in texts]
            changed.append(
                f'"{min(odd)}" and the like in the column "{name}" are written in brackets: '
                "the official programs would take them for missing"
            )
        elif None in values:
            changed.append(f'nulls in the column "{name}" are written as empty cells')
        cells[name] = texts
    return cells, changed


def _cell(value: Any, written: JsonTexts) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else written.json(value)


def _stream(source: Opened, columns: Collection[str | None] | None, tags: str) -> Stream:
    """Stream a submission; a truth file is recognised by its name or whole content."""

    def read_batches(golds: Iterator[Relations]) -> Iterator[batches.ReadingBatch]:
        return map(batches.batch, submissions.batches(source.path, golds, tags))

    # Without a name: messages of batches start with it already.
    return Stream("", read_batches, n_bytes=source.size(), follows=True)


def _is_truth(source: Source) -> bool:
    return not source.is_json and "text_w_pairs" in header_of(source).casefold()


FORMAT = Format(
    "cnc",
    _read,
    write,
    suffixes=(".csv",),
    folder=(".csv", *LINE_FILES),
    takes=("like", "tags"),
    key="prediction",
    sniff=_is_truth,
    stream=_stream,
)
