"""Judged pairs of random stories, as plain tuples and as rows of a table.

A pair is (topic, a, b, class, answer); an answer is a letter or a text that names none.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

CLASSES = "ABCD"
UNREADABLE = "perhaps"
SHARES = np.array([729, 696, 981, 324]) / 2730  # of A, B, C and D: CRAB, table 1


@st.composite
def stories(draw, most=3, events=6):
    """Pairs of a few stories with gaps, of events whose numbers may be far apart."""
    pairs = []
    for topic in draw(
        st.lists(st.sampled_from([1, 2, 10]), min_size=1, max_size=most, unique=True)
    ):
        numbers = st.integers(0, 8) | st.integers(-(2**40), 2**40)
        orders = sorted(draw(st.lists(numbers, min_size=2, max_size=events, unique=True)))
        edges = [(a, b) for k, a in enumerate(orders) for b in orders[k + 1 :]]
        kept = draw(st.lists(st.sampled_from(edges), min_size=1, unique=True))
        for a, b in kept:
            letter = draw(st.sampled_from("AAABCD"))
            pairs.append(
                (topic, a, b, letter, draw(st.sampled_from([letter, *CLASSES, UNREADABLE])))
            )
    return draw(st.permutations(pairs))


def gold_of(pairs, **columns):
    """Rows of gold."""
    names = ("topic_id", "event_order_a", "event_order_b", "class")
    return [dict(zip(names, pair[:4], strict=True)) for pair in pairs]


def random_stories(n_stories, n_events, seed=0, *, shares=SHARES, in_document=0.13):
    """A table of complete stories of `shares`, with the share of pairs in a document of table 1."""
    rng = np.random.default_rng(seed)
    a, b = np.triu_indices(n_events, 1)
    n = n_stories * len(a)
    article = np.zeros(n, np.int64)
    return pa.table(
        {
            "topic_id": np.repeat(np.arange(n_stories), len(a)),
            "event_order_a": np.tile(a, n_stories),
            "event_order_b": np.tile(b, n_stories),
            "article_id_a": article,
            "article_id_b": article + (rng.random(n) >= in_document),
            "class": pa.array([*CLASSES]).take(pa.array(rng.choice(4, n, p=shares))),
        }
    )
