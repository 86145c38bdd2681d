"""Describe a corpus: count its sentences, relations, words and signals."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Unpack, get_args

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import arrow
from fastcausal.arrays import compute as pc
from fastcausal.arrays.reading import LETTERS
from fastcausal.engine.kernel import Int64
from fastcausal.errors import InputError
from fastcausal.files.files import Source
from fastcausal.files.packed import suffix_of
from fastcausal.formats import read
from fastcausal.formats.cnc import rereading
from fastcausal.formats.cnc.tagged import tokens_in
from fastcausal.formats.examples import blocks, column_of_texts, examples
from fastcausal.formats.reading.sources import RelationSource
from fastcausal.formats.span_texts import joined_by_relation, span_texts
from fastcausal.formats.traits import (
    FLOWS,
    NEVER,
    PLACES,
    flows_of,
    hulls_of,
    places_of,
    relation_of_row,
    signals_of,
)
from fastcausal.options import MarkingSettings, Tokenizer, check
from fastcausal.relations import ROLES, Relations
from fastcausal.rows import Rows
from fastcausal.tasks.classification import files
from fastcausal.tasks.describe.description import (
    SENTENCES,
    SIGNAL,
    CorpusDescription,
    Histogram,
    orders_of,
)
from fastcausal.tasks.describe.words import count_tagged_words, count_words

TOKENIZERS = get_args(Tokenizer)
NEEDED = {"whitespace": "lengths", "nltk-style": "texts", "nltk-style+tags": "tagged sentences"}

Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.integer[Any]]
Histograms = dict[str, dict[str, Histogram]]


def describe(
    source: RelationSource,
    tokenizer: Tokenizer | None = None,
    **marking: Unpack[MarkingSettings],
) -> CorpusDescription:
    """Describe a corpus: the figures of the RECESS paper (Tan et al. 2023), tables 3, 4 and 6.

    Parameters
    ----------
    source : path, Relations, or anything `fastcausal.read` takes
        Or a CSV file with a column ``label`` (1 causal, 0 not), for counts of sentences only.
    tokenizer : {"whitespace", "nltk-style", "nltk-style+tags"}, optional
        The way of counting words; None counts in every possible way, and tables show the first:
        ``nltk-style`` needs texts, ``nltk-style+tags`` also tagged sentences.
    **marking
        Settings of reading relations, see `fastcausal.marking.Marking`.

    Returns
    -------
    CorpusDescription

    Raises
    ------
    InputError
        The source cannot be read, or lacks the input of the tokenizer.
    ValueError
        The tokenizer is unknown.

    Examples
    --------
    >>> import fastcausal as fc
    >>> corpus = describe(fc.Relations.from_examples(
    ...     [{"text": "Rain fell , so roads closed .",
    ...       "relations": [{"cause": (0, 2), "effect": (4, 6), "signal": (3, 4)}]}]))
    >>> corpus.n_relations, corpus.n_explicit, corpus.signals
    (1, 1, Counter({'so': 1}))
    """
    if tokenizer is not None:
        check("tokenizer", tokenizer, Tokenizer)
    wanted = TOKENIZERS if tokenizer is None else (tokenizer,)
    file = None
    if isinstance(source, str | os.PathLike) and suffix_of(source) == ".csv":
        file = Source.open(source)
    if file is not None and not marking and files.is_label_file(file):
        description = _describe_labels(files.read(file), wanted)
    else:
        description = _describe_relations(read(source, **marking), wanted)
    if tokenizer is not None and not description.words:
        raise InputError(f'there are no {NEEDED[tokenizer]}, which "{tokenizer}" needs')
    return description


def _describe_labels(labels: files.Labels, wanted: Sequence[str]) -> CorpusDescription:
    causal = labels.require_causal().to_numpy() == 1
    words: Histograms = {}
    if labels.texts is not None:
        texts = arrow.joined(labels.texts)
        counters: dict[str, Callable[[pa.Array], Ints]] = {
            "whitespace": tokens_in,
            "nltk-style": count_words,
        }
        for tokenizer in wanted:
            if tokenizer in counters:
                words[tokenizer] = _count_by_sentence(counters[tokenizer](texts), causal)
    return CorpusDescription(_sentences(causal), words=words)


def _describe_relations(relations: Relations, wanted: Sequence[str]) -> CorpusDescription:
    if relations.reading.tags not in (None, "strict"):
        relations = rereading.reread(relations, "strict")
    rows = Rows.of(relations)
    example, marked = rows.example_of_relation(), np.diff(rows.row_offsets) > 0
    unread = ~arrow.is_valid(pc.list_flatten(arrow.joined(relations.table["relations"])))
    order, n_signals = _kinds(relations, rows)
    kinds = Counter(zip(order[marked].tolist(), n_signals[marked].tolist(), strict=True))
    per_sentence = np.bincount(example[marked], minlength=rows.n_examples)
    causal = np.bincount(example[marked | unread], minlength=rows.n_examples) > 0
    sentences = _sentences(causal)
    sentences["explicit"] = int(np.count_nonzero(np.bincount(example[n_signals > 0])))
    orders = [*orders_of(relations.roles)]
    texts, spans = _texts(relations, rows)
    return CorpusDescription(
        sentences,
        Counter(per_sentence.tolist()),
        Counter({(orders[order], n): count for (order, n), count in kinds.items()}),
        _words(relations, rows, texts, spans, unread, causal, wanted),
        Counter() if spans is None else _signals(relations, rows, spans),
        int(unread.sum()),
        Counter(relations.reading.notes),
        (relations.roles,),
        _count_types(relations, marked),
        _count_places(relations, rows, n_signals),
        _count_flows(relations, rows),
    )


def _count_places(relations: Relations, rows: Rows, n_signals: Int64) -> Counter[tuple[str, bool]]:
    """Count what parts the arguments, of explicit and of implicit relations."""
    marked = np.diff(rows.row_offsets) > 0
    places, explicit = places_of(relations, rows)[marked], n_signals[marked] > 0
    counted = Counter(zip(places.tolist(), explicit.tolist(), strict=True))
    return Counter({(PLACES[place], kind): n for (place, kind), n in counted.items()})


def _count_flows(relations: Relations, rows: Rows) -> Counter[tuple[str, str]]:
    """Count relations and causal sentences by their flow of events."""
    marked = np.diff(rows.row_offsets) > 0
    flows, example = flows_of(relations, rows)[marked], rows.example_of_relation()[marked]
    most = np.full(rows.n_examples, -1)
    np.maximum.at(most, example, flows)
    return Counter(
        {
            (kind, FLOWS[flow]): n
            for kind, of in (("relations", flows), ("sentences", most[most >= 0]))
            for flow, n in Counter(of.tolist()).items()
        }
    )


def _count_types(relations: Relations, marked: Bools) -> Counter[str]:
    """Count the types of the relations with a span; nothing without any type."""
    if relations.types is None:
        return Counter()
    types = pc.filter(arrow.flattened(relations.types)[0], arrow.numbers(marked))
    counted = pc.value_counts(pc.fill_null(types, ""))
    return Counter({each["values"]: each["counts"] for each in counted.to_pylist()})


def _kinds(relations: Relations, rows: Rows) -> tuple[Int64, Int64]:
    """Return the order (of `orders_of`; -1: neither) and the number of signals: int64[n] each."""
    (first, second), _ = hulls_of(relations, rows)
    neither = (first == second) | (first == NEVER) | (second == NEVER)
    signals = relation_of_row(rows)[signals_of(relations, rows)]
    return (
        np.where(neither, -1, second < first),
        np.bincount(signals, minlength=rows.n_relations),
    )


def _signals(relations: Relations, rows: Rows, spans: pa.Array) -> Counter[str]:
    """Return the signals of each relation as one text."""
    if SIGNAL not in relations.roles:
        return Counter()
    signals = joined_by_relation(spans, rows, relations.roles.index(SIGNAL), " ... ")
    counted: Counter[str] = Counter()
    for each in pc.value_counts(pc.drop_null(signals)).to_pylist():
        counted[each["values"].lower()] += each["counts"]
    return counted


def _has_role(relations: Relations, rows: Rows, role: str) -> Bools:
    number = relations.roles.index(role) if role in relations.roles else -1
    return np.equal(rows.values[:, 0], number)


def _words(
    relations: Relations,
    rows: Rows,
    texts: pa.Array | None,
    spans: pa.Array | None,
    unread: Bools,
    causal: Bools,
    wanted: Sequence[str],
) -> Histograms:
    """Return histograms of the requested tokenizers that are possible."""
    counts: Histograms = {}
    of_rule = relations.reading.words
    if of_rule is not None or "whitespace" in wanted:
        widths = rows.values[:, 2] - rows.values[:, 1]
        counts[of_rule or "whitespace"] = _count_by_sentence(rows.lengths, causal) | _count_by_role(
            relations, rows, widths
        )
    if of_rule is not None:  # other words of a text of these scripts mean nothing
        return counts
    if texts is None or spans is None or wanted == ("whitespace",):
        return counts
    by_sentence = _count_by_sentence(count_words(texts), causal)
    if "nltk-style" in wanted:
        counts["nltk-style"] = by_sentence | _count_by_role(relations, rows, count_words(spans))
    if "nltk-style+tags" in wanted:
        by_role = _words_with_tags(relations, rows, unread)
        if by_role is not None:
            counts["nltk-style+tags"] = by_sentence | by_role
    return counts


def _words_with_tags(
    relations: Relations, rows: Rows, unread: Bools
) -> dict[str, Histogram] | None:
    """Count words between the tags of each span, with inner tags as words."""
    found: dict[str, Histogram] = {role: Counter() for role in ROLES}
    for block in blocks(relations):
        if block.tagged is None or block.tagged.null_count:
            return None
        sentences, places = arrow.flattened(block.tagged)
        if not np.array_equal(places, block.relation_places - block.relation_places[0]):
            return None
        of_block = unread[block.relation_places[0] : block.relation_places[-1]]
        read = sentences.filter(arrow.numbers(~of_block)) if of_block.any() else sentences
        for histogram, n_words in zip(found.values(), count_tagged_words(read), strict=True):
            histogram.update(n_words)
    return found


def _sentences(causal: Bools) -> Counter[str]:
    n = int(causal.sum())
    return Counter({"causal": n, "non_causal": len(causal) - n})


def _count_by_sentence(n_words: Ints, causal: Bools) -> dict[str, Histogram]:
    """Return histograms of causal and other sentences; -1 is an unknown length."""
    known = n_words >= 0
    return {
        "causal": Counter(n_words[known & causal].tolist()),
        "non_causal": Counter(n_words[known & ~causal].tolist()),
    }


def _count_by_role(relations: Relations, rows: Rows, n_words: Ints) -> dict[str, Histogram]:
    return {
        f"role {role}" if role in SENTENCES else role: Counter(
            n_words[_has_role(relations, rows, role)].tolist()
        )
        for role in relations.roles
    }


def _texts(relations: Relations, rows: Rows) -> tuple[pa.Array | None, pa.Array | None]:
    """Return the sentences and the tokens of each row; None if an example has no text."""
    texts = column_of_texts(relations)
    if texts.null_count:
        return None, None
    by_letters = relations.reading.words == LETTERS
    found = span_texts(texts, rows, spaced=not by_letters, by_letters=by_letters)
    if ((found.n_tokens != rows.lengths) & (rows.lengths >= 0)).any():
        for example in examples(relations):
            example.require_text()  # names the first
    return texts, found.texts
