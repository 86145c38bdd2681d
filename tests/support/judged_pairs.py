"""Judged pairs of random stories, as plain tuples and as rows of a table.

A pair is (topic, a, b, class, answer); an answer is a letter or a text that names none.
"""

from __future__ import annotations

import pyarrow as pa
from hypothesis import strategies as st

from bench import stories as corpus

CLASSES = "ABCD"
UNREADABLE = "perhaps"


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


def random_stories(n_stories, n_events, seed=0):
    """A table of complete stories with the shares of the paper's table 1."""
    return pa.Table.from_pylist(corpus.stories(n_stories, n_events, seed).records())
