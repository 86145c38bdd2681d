"""Files of the Causal News Corpus task: the truth as CSV, a submission as JSON lines."""

from __future__ import annotations

import ast
import csv
import io
import json
import os
import re
import warnings
from typing import Any

from fastcausal.errors import InputError, Problems
from fastcausal.formats import submissions, tagged
from fastcausal.formats.builder import Builder, messages
from fastcausal.formats.source import Source, replacing
from fastcausal.formats.tags import count_tokens, holds_tags
from fastcausal.formats.tags import write as write_tags
from fastcausal.relations import ROLES, Relations

GROUPED = ("index", "text", "causal_text_w_pairs", "num_rs")
SINGLE = ("corpus", "doc_id", "sent_id", "index", "text", "text_w_pairs")
SENTENCE = ("corpus", "doc_id", "sent_id")
_ONE_SENTENCE = re.compile(r"""\['[^'\\\n\r\0]*'\]|\["[^"\\\n\r\0]*"\]""")
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
    return _read_truth(source, tags)


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


def _read_truth(source: Source, tags: str) -> Relations:
    (line, header), *rows = source.rows()
    if set(header) >= set(GROUPED):
        return _read_grouped(source, header, rows, tags)
    if set(header) >= set(SINGLE):
        return _read_single(source, header, rows, tags)
    wanted = GROUPED if "causal_text_w_pairs" in header else SINGLE
    missing = [name for name in wanted if name not in header]
    if "text_w_pairs" not in header and "causal_text_w_pairs" not in header:
        missing = ["causal_text_w_pairs", "or text_w_pairs"]
    raise InputError(
        f"{source.name}:{line}: no column {', '.join(missing)}: found {', '.join(header)[:200]}"
    )


def _read_grouped(
    source: Source, header: list[str], rows: list[tuple[int, list[str]]], tags: str
) -> Relations:
    index, text, pairs, num_rs = map(header.index, GROUPED)
    problems = Problems()
    build = Builder(source.name)
    kept: list[list[str]] = []
    lines: list[int] = []
    cells: list[list[str]] = []
    for line, row in rows:
        where = f"{source.name}:{line}: example {row[index]}"
        try:
            sentences = _sentences(row[pairs])
            sentences = _trusted(sentences, row[num_rs], tags, build)
        except ValueError as error:
            problems.add(f"{where}: {error}")
            continue
        _add_gold(build, where, sentences, row[text], tags, problems)
        kept.append(sentences)
        lines.append(line)
        cells.append(row)
    problems.raise_if_any()
    return build.table({**_columns(header, cells), "tagged": kept}, tags=tags, lines=lines)


def _read_single(
    source: Source, header: list[str], rows: list[tuple[int, list[str]]], tags: str
) -> Relations:
    key = [header.index(name) for name in SENTENCE]
    index, text, pair = map(header.index, ("index", "text", "text_w_pairs"))
    label = header.index("pair_label") if "pair_label" in header else None
    problems = Problems()
    groups: dict[tuple[str, ...], tuple[int, list[str], list[str]]] = {}
    for line, row in rows:
        first, cells, sentences = groups.setdefault(tuple(row[k] for k in key), (line, row, []))
        if cells[text] != row[text]:
            problems.add(
                f"{source.name}:{line}: example {row[index]}: another text than line {first} "
                "has for the same sentence"
            )
        if row[pair] and (label is None or row[label] != "0"):
            sentences.append(row[pair])
    build = Builder(source.name)
    for line, cells, sentences in groups.values():
        where = f"{source.name}:{line}: example {cells[index]}"
        _add_gold(build, where, sentences, cells[text], tags, problems)
    problems.raise_if_any()
    columns = _columns(header, [cells for _, cells, _ in groups.values()])
    columns["tagged"] = [sentences for _, _, sentences in groups.values()]
    return build.table(columns, tags=tags, lines=[line for line, _, _ in groups.values()])


def _add_gold(
    build: Builder, where: str, sentences: list[str], text: str, tags: str, problems: Problems
) -> None:
    mismatched = problems if tags == "strict" else None
    length = count_tokens(text, tags)
    tagged.add(build, where, sentences, length, tags, mismatched=mismatched)


def _columns(header: list[str], cells: list[list[str]]) -> dict[str, Any]:
    names = {"id": "index", "text": "text"} | {n: n for n in SENTENCE if n in header}
    return {name: [row[header.index(old)] for row in cells] for name, old in names.items()}


def _sentences(cell: str) -> list[str]:
    """The list of strings that a cell writes as a Python literal."""
    if cell == "[]":
        return []
    if _ONE_SENTENCE.fullmatch(cell):  # most cells, and ten times as fast
        return [cell[2:-2]]
    wanted = "causal_text_w_pairs: expected a list of strings"
    try:
        if "\\" in cell:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of escapes that Python does not know
                value = ast.literal_eval(cell)
        else:
            value = ast.literal_eval(cell)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError) as error:
        raise InputError(f"{wanted}, found {_short(cell)}") from error
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise InputError(f"{wanted}, found {_short(cell)}")
    return value


def _short(cell: str) -> str:
    return repr(cell if len(cell) <= 60 else cell[:57] + "...")


def _trusted(sentences: list[str], num_rs: str, tags: str, build: Builder) -> list[str]:
    """The sentences that count: all of them, or the first ``num_rs`` under an official reading."""
    if not num_rs.isascii() or not num_rs.isdigit() or len(num_rs) > 9:
        raise InputError(f"num_rs is {_short(num_rs)}, expected a number")
    n = int(num_rs)
    if n == len(sentences):
        return sentences
    if tags == "strict" or n > len(sentences):
        raise InputError(f"num_rs is {n}, but the list has {len(sentences)} sentences")
    build.notes["sentences beyond num_rs left out"] += len(sentences) - n
    return sentences[:n]


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
