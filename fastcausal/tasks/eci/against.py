"""Predictions of MAVEN-ERE against its gold: known mentions, and ids confused by its program."""

from __future__ import annotations

from collections import Counter

import numpy as np

from fastcausal.arrays import arrow
from fastcausal.arrays.distinct import Int32, Int64
from fastcausal.errors import InputError, Warnings
from fastcausal.tasks.eci.corpora.documents import NONE, Booleans, Corpus

PRIME = 2_000_000_011
IGNORED = ("predicted relations of a mention that gold lacks, ignored: ", "")
EVENTS = ("ids of events in predictions, which name no mentions and score nothing: ", "")
SHARED = (
    "mention ids in two documents of gold, told apart here, while the program of maven-ere lays "
    "gold of the second over the first: ", "",
)  # fmt: skip
COLLIDE = (
    "joined ids that several pairs of mentions give, told apart here, while the program of "
    "maven-ere takes such pairs for one: ", "",
)  # fmt: skip


def known_mentions(
    gold: Corpus, pred: Corpus, lenient: bool = False
) -> tuple[Corpus, dict[str, int], Warnings]:
    """Leave out predictions with a mention that gold lacks."""
    # Returns predictions, the number of distinct pairs left out of each document, and warnings.
    # InputError if predictions name events of gold instead of mentions, unless ``lenient``.
    in_gold = {document.id: document for document in gold.documents}
    of_gold = [in_gold.get(pred.documents[k].id) for k, _ in pred.mentions]
    ids = [id for _, id in pred.mentions]
    known = np.array(
        [of is None or id in of.mentions for of, id in zip(of_gold, ids, strict=True)] + [True]
    )
    kept = known[pred.pairs.ends[:, 0]] & known[pred.pairs.ends[:, 1]]
    outside = pred.pairs.ends[~kept & _are_related(pred)]
    events = [
        k
        for k in np.unique(outside).tolist()
        if not known[k] and (of := of_gold[k]) is not None and ids[k] in of.clusters
    ]
    if events and not lenient:
        document = pred.documents[pred.mentions[events[0]][0]]
        mention = next(iter(in_gold[document.id].mentions), "")
        raise InputError(
            f'{document.file}: "{ids[events[0]]}" of document "{document.id}" is the id of an '
            f'event, expected ids of mentions, such as "{mention}"; '
            "eci --lenient (lenient=True) scores 0 for such relations, as the program does"
        )
    ignored = Counter(
        pred.documents[pred.mentions[a][0]].id for a in np.unique(outside, axis=0)[:, 0].tolist()
    )
    counts = {IGNORED: ignored.total(), EVENTS: len({ids[k] for k in events})}
    warnings: Warnings = {texts: (n,) for texts, n in counts.items() if n}
    return pred.only(kept), dict(ignored), warnings


def keep_last_types(corpus: Corpus) -> Corpus:
    """Keep the last label of each ordered pair, as the official program does."""
    pairs = _paired(corpus.pairs.ends, len(corpus.mentions))
    _, last = np.unique(pairs[::-1], return_index=True)
    kept = pairs < 0
    kept[len(pairs) - 1 - last] = True
    return corpus.only(kept)


def collisions(gold: Corpus, pred: Corpus) -> Warnings:
    """Warn of ids that occur in several documents: the official program confuses them."""
    owners = Counter(id for document in gold.documents for id in document.mentions)
    shared = sum(n > 1 for n in owners.values())
    counts = {SHARED: shared, COLLIDE: 0 if shared else _n_alike(gold, pred)}
    return {texts: (n,) for texts, n in counts.items() if n}


def _n_alike(*sides: Corpus) -> int:
    """Count the texts that several pairs of ids give when they are joined.

    Texts are joined only if their values modulo a prime are equal.
    """
    if len({len(id) for side in sides for _, id in side.mentions}) <= 1:
        return 0
    numbers: dict[str, int] = {}
    own = [
        np.array([numbers.setdefault(id, len(numbers)) for _, id in side.mentions], np.int32)
        for side in sides
    ]
    ends = [of[side.pairs.ends[_are_related(side)]] for of, side in zip(own, sides, strict=True)]
    pairs = np.sort(np.concatenate([_paired(each, len(numbers)) for each in ends]))
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    a, b = np.divmod(pairs, len(numbers) or 1)
    texts = [id.encode() for id in numbers]
    values = np.array([int.from_bytes(text) % PRIME for text in texts], np.int64)
    shifts = np.array([pow(256, len(text), PRIME) for text in texts], np.int64)
    joined = (values[a] * shifts[b] + values[b]) % PRIME
    ordered = np.sort(joined)
    alike = np.flatnonzero(np.isin(joined, ordered[1:][np.diff(ordered) == 0]))
    found = Counter(texts[a[k]] + texts[b[k]] for k in alike.tolist())
    return sum(n > 1 for n in found.values())


def _paired(ends: Int32, n: int) -> Int64:
    """Number the rows of pairs of numbers below n; negative for a negative end."""
    pairs: Int64 = ends[:, 0].astype(np.int64) * n + ends[:, 1]
    return pairs


def _are_related(corpus: Corpus) -> Booleans:
    """Return True for each row with a relation."""
    labels = arrow.joined(corpus.table["label"])
    is_none = np.array([label == NONE for label in (*labels.dictionary.to_pylist(), NONE)])
    related: Booleans = ~is_none[arrow.values_of(labels.indices, -1)]
    return related
