"""Predictions of MAVEN-ERE against its gold: known mentions, and ids confused by its program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from fastcausal.errors import InputError, Warnings
from fastcausal.tasks.eci.corpora import maven
from fastcausal.tasks.eci.corpora.documents import NONE, Corpus, EventDocument, corpus_of

IGNORED = ("", " predicted relations have a mention that gold lacks, and are ignored")
EVENTS = ("", " ids in predictions name events, not mentions, and score nothing")
SHARED = (
    "", " mention ids occur in two documents of gold: they are told apart here, the program of "
    "maven-ere lays gold of the second over the first",
)  # fmt: skip
COLLIDE = (
    "", " pairs of mentions whose joined ids are those of another pair: they are told apart here, "
    "the program of maven-ere takes them for one",
)  # fmt: skip


def known_mentions(
    gold: Corpus, pred: Corpus, lenient: bool = False
) -> tuple[Corpus, dict[str, int], Warnings]:
    """Leave out predictions with a mention that gold lacks.

    Returns
    -------
    pred : Corpus
    ignored : dict of str to int
        Number of distinct pairs left out of each document.
    warnings : dict

    Raises
    ------
    InputError
        Predictions name events of gold instead of mentions, unless ``lenient``.
    """
    in_gold = {document.id: document for document in gold.documents}
    kept, ignored = [], {}
    clusters: set[str] = set()
    for document in pred.documents:
        of_gold = in_gold.get(document.id)
        if of_gold is None:
            kept.append(document)
            continue
        known = of_gold.mentions
        inside = [p for p in document.pairs if p.a in known and p.b in known]
        others = [p for p in document.pairs if p.a not in known or p.b not in known]
        pairs = {(p.a, p.b) for p in others if p.label != NONE}
        ends = {end for pair in pairs for end in pair}
        events = ends & of_gold.clusters
        if events and not lenient:
            raise InputError(
                f'{document.file}: "{min(events)}" of document "{document.id}" is the id of an '
                f'event, expected ids of mentions, such as "{next(iter(known), "")}"; '
                "eci --lenient (lenient=True) scores 0 for such relations, as the program does"
            )
        clusters |= events
        if pairs:
            ignored[document.id] = len(pairs)
        kept.append(replace(document, pairs=inside))
    counts = {IGNORED: sum(ignored.values()), EVENTS: len(clusters)}
    warnings: Warnings = {texts: (n,) for texts, n in counts.items() if n}
    return corpus_of(pred.name, kept, True), ignored, warnings


def with_last_types(corpus: Corpus) -> Corpus:
    """Keep the last label of each pair of every document."""
    documents = [maven.last_types(document) for document in corpus.documents]
    return corpus_of(corpus.name, documents, True)


def collisions(gold: Corpus, pred: Corpus) -> Warnings:
    """Warn of ids that occur in several documents: the official program confuses them."""
    owners = Counter(id for document in gold.documents for id in document.mentions)
    shared = sum(n > 1 for n in owners.values())
    joined = Counter(a + b for a, b in _pairs([*gold.documents, *pred.documents]))
    twice = sum(n > 1 for n in joined.values())
    counts = {SHARED: shared, COLLIDE: 0 if shared else twice}
    return {texts: (n,) for texts, n in counts.items() if n}


def _pairs(documents: Sequence[EventDocument]) -> set[tuple[str, str]]:
    return {(p.a, p.b) for document in documents for p in document.pairs if p.label != NONE}
