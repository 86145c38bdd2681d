"""Drawn projects of annotators: the oracle reads the files of all tools alike.

A project is determined by its number, which a failure names.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tests.oracles import drawn_marks, marks
from tests.support.profiles import trials

pytestmark = pytest.mark.drawn

FILES = ("brat", "webanno-tsv", "xmi")  # of documents; the others hold tasks


def counted(relations):
    """Relations as a multiset of (type, roles with their tokens)."""
    return Counter(
        relation and (relation[0], *sorted((role, *sorted(on)) for role, on in relation[1].items()))
        for relation in relations
    )


def test_the_oracle_reads_all_tools_alike(tmp_path):
    n_read = 0
    for number in range(trials(500).max_examples):
        rng = random.Random(number)
        words = rng.choice(("blank", "letters"))
        options = drawn_marks.options(rng, words)
        drawn = drawn_marks.project(rng, words, richly=False)
        found = {}
        for kind in marks.READERS:
            if kind == "webanno-tsv" and drawn.is_crossed:
                continue
            if kind == "brat" and options.link and None in {type for type, *_ in drawn.links}:
                continue  # a link has a name there
            path = drawn_marks.write(
                tmp_path / f"{number}{kind}" / "amy", kind, [drawn], words, rng
            )
            whole = options._replace(example="document") if kind in FILES else options
            try:
                (one,) = marks.READERS[kind](path, whole)
            except (marks.Unsettled, marks.Cut):
                continue
            found[kind] = len(one.tokens), counted(one.relations)
        assert all(one == next(iter(found.values())) for one in found.values()), number
        n_read += len(found) > 4
    assert n_read > trials(500).max_examples / 2
