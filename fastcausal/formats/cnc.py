"""Files of the Causal News Corpus task: the truth as CSV, a submission as JSON lines."""

from __future__ import annotations

import csv
import io
import json
import os

from fastcausal.errors import InputError, Problems
from fastcausal.formats import submissions, tagged, truth
from fastcausal.formats.builder import messages
from fastcausal.formats.source import Source, replacing
from fastcausal.formats.tags import holds_tags
from fastcausal.formats.tags import write as write_tags
from fastcausal.formats.truth import SENTENCE
from fastcausal.relations import ROLES, Relations

JSON_SUFFIXES = (".jsonl", ".json", ".ndjson")


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
    tags : {"strict", "cnc-2023", "cnc-2022"}
        How tags are read, see `fastcausal.formats.tags.parse`. The official readings trust
        ``num_rs`` and the line order; the strict one requires ``num_rs`` to be the number of
        sentences and ``index`` to be the line's position, or the ids of the examples.

    Returns
    -------
    Relations
        With columns ``id, text, corpus, doc_id, sent_id, tagged`` as far as known.

    Raises
    ------
    InputError
        Anything that is not as described above, with file and line. A tagged sentence that
        cannot be read is no error but a null relation.
    """
    source = Source.open(source)
    if source.name.lower().endswith(JSON_SUFFIXES) or source.data.lstrip().startswith(b"{"):
        return submissions.read(source, like, tags)
    return truth.read(source, tags)


def write(relations: Relations, target: str | os.PathLike[str]) -> list[str]:
    """Write a truth file (target ends in ``.csv``) or a submission (any other target).

    Tagged sentences that the table keeps are written as they are, others are made from ``text``
    and the spans.

    Returns
    -------
    list of str
        What the file cannot hold.

    Raises
    ------
    InputError
        An example has relations but no text, or a text of another length.
    """
    truth = str(target).lower().endswith(".csv")
    lost = Problems()
    sentences = _tagged_sentences(relations, lost)
    if truth:
        content = _truth_text(relations, sentences)
        held = {"id", "length", "relations", "tagged", "text", *SENTENCE}
    else:
        lines = (
            json.dumps({"index": k, "prediction": row}, ensure_ascii=False) + "\n"
            for k, row in enumerate(sentences)
        )
        content = "".join(lines)
        held = {"length", "relations", "tagged"}
    with replacing(target) as file:
        file.write(content.encode())
    missing = [name for name in relations.table.column_names if name not in held]
    what = "a truth file" if truth else "a submission"
    return [
        *([f"{what} does not hold the columns {', '.join(missing)}"] if missing else []),
        *messages(lost),
    ]


def _tagged_sentences(relations: Relations, lost: Problems) -> list[list[str]]:
    """The tagged sentences of every example, kept ones first."""
    table = relations.table
    kept = tagged.kept_sentences(relations)
    numbers = [ROLES.index(role) if role in ROLES else len(ROLES) for role in relations.roles]
    result = []
    texts = tagged.plain_texts(relations)
    rows = zip(kept, texts, table["length"].to_pylist(), table["relations"], strict=True)
    for k, (sentences, text, length, row) in enumerate(rows):
        if sentences is None:
            sentences = []
            if len(row):
                text = tagged.require_text(f"example {relations.name(k)}", text, length)
                if holds_tags(text):
                    lost.add(f"example {relations.name(k)}: tags within its text will be read")
            for number, relation in enumerate(row.as_py(), 1):
                where = f"example {relations.name(k)}: relation {number}"
                if relation is None:
                    lost.add(f"{where} is unread and left out")
                    continue
                spans = [(numbers[s["role"]], s["start"], s["stop"]) for s in relation]
                sentence, left_out = write_tags(text or "", spans)
                if left_out:
                    lost.add(f"{where}: {len(left_out)} spans overlap others or have no tag")
                sentences.append(sentence)
        result.append(sentences)
    return result


def _truth_text(relations: Relations, sentences: list[list[str]]) -> str:
    table = relations.table
    given = {name: table[name].to_pylist() for name in SENTENCE if name in table.column_names}
    content = io.StringIO(newline="")
    writer = csv.writer(content)
    writer.writerow([*SENTENCE, "eg_id", "index", "text", "causal_text_w_pairs", "num_rs"])
    for k, (text, row) in enumerate(zip(tagged.plain_texts(relations), sentences, strict=True)):
        name = relations.name(k)
        if text is None:
            raise InputError(f"example {name}: a truth file needs its text")
        # What is not known: each example is the only sentence of its own document.
        known = {"corpus": "", "doc_id": name, "sent_id": 0}
        known |= {column: values[k] for column, values in given.items()}
        writer.writerow([*known.values(), 0, name, text, row, len(row)])
    return content.getvalue()
