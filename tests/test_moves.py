"""The way of the data through the files of the package stays short."""

from __future__ import annotations

from collections import Counter

from bench.moves import moves_of, scored


def test_no_file_is_told_twice():
    moves = moves_of(scored)
    told = Counter(name for (*_, name), n in moves.items() for _ in range(n))
    assert told["suffix_of"] <= 3  # that of the submission tells nothing, its content does
    assert told["first_object"] == told["_is_truth"] == told["with_tags"] == 1
