"""Marks by native code equal plain Python's and an oracle's, for texts of any letters."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from fastcausal.arrays.arrow import offsets
from fastcausal.arrays.digests import digest_of_texts
from fastcausal.tasks.qa.count import digest_of
from fastcausal.tasks.qa.files import read_questions
from fastcausal.tasks.qa.marks import fill_marks, mark
from fastcausal.tasks.qa.questions import texts_array
from tests.oracles.answers import reference
from tests.support.profiles import trials

ODD = (
    "aAnthe THE.'\"-_\u0131İΣ\u03c3ς\u017f\u212a\u00a0\u2003\u0345ßé漢字\u0301\x1c\x00\x7f😀٣²Ⅷ|\n"
)
PIECES = ["a", "an", "The", "THE", "rain", "Rain!", "U.S.", "ΟΔΟΣ", "İ", "é", "漢字", "x-y"]
PIECES += ["eightletters", "nineletters", "\ud800", "\udcca", "\U0001d400", "\u3000"]
words = st.sampled_from(PIECES) | st.text(ODD, max_size=4) | st.text(max_size=4)
texts = st.tuples(st.lists(words, max_size=30), st.sampled_from(["", " ", "  ", "\t"])).map(
    lambda drawn: drawn[1].join(drawn[0])
)
gold = st.lists(texts, min_size=1, max_size=4)
# Answers that are right, or nearly so, beside any others.
turns = st.sampled_from([str, str.upper, str.title, " the {}!".format, "a. {}".format])
right = st.tuples(gold, turns).map(lambda drawn: (drawn[0], drawn[1](drawn[0][-1])))
rows = st.lists(right | st.tuples(gold, texts), max_size=6)


def filled(lists, answers, questions, at):
    """The marks of some questions, by number, and of their answers."""
    marks = np.full((len(at), 3), np.nan)
    sizes = offsets(map(len, lists))
    wanted = texts_array([text for answers in lists for text in answers])
    asked, said = np.array(questions, np.int64), np.array(at, np.int64)
    fill_marks(marks, wanted, sizes, asked, texts_array(answers), said)
    assert np.isnan(marks[:, 2]).all()
    return [(bool(exact), f1) for exact, f1, _ in marks.tolist()]


@trials(400)
@given(rows, st.randoms())
@example([(["ΑΣ", "rain"], "ας")] * 2 + [(["İ"], "i̇")], None)
def test_any_texts(rows, rng):
    lists, answers = [answers for answers, _ in rows], [answer for _, answer in rows]
    expected = [mark(*row) for row in rows]
    for row, (exact, f1) in zip(rows, expected, strict=True):
        wanted = reference(*row)
        assert exact == wanted[0]
        assert f1 == pytest.approx(float(wanted[1]), abs=1e-15)
    every = [*range(len(rows))]
    assert filled(lists, answers, every, every) == expected
    if rng is None:
        return
    rng.shuffle(every)
    missing = [row if rng.random() < 0.8 else -1 for row in every]
    found = filled(lists, answers, every, missing)
    assert found == [(False, 0.0) if row < 0 else expected[row] for row in missing]


SHAPES = [("a{0}the {0}A{0} an{0} x{0}y", "{0}y the{0}"), ("x{0} y", "X{0}Y"), ("{0}", "a")]


@pytest.mark.parametrize("first", [0, 0x1000, 0x2000, 0xD700, 0xFE00, 0x1F300, 0x10FFF0])
def test_every_letter(first):
    """Each letter is read like plain Python alone, beside articles and within words."""
    require_equal(range(first, min(first + 0x400, 0x110000)))


@pytest.mark.slow
def test_all_letters():
    for first in range(0, 0x110000, 0x4000):
        require_equal(range(first, first + 0x4000))


def require_equal(codes):
    rows = [[part.format(chr(code)) for part in shape] for code in codes for shape in SHAPES]
    answers = [answer for _, answer in rows]
    every = range(len(rows))
    found = filled([[text] for text, _ in rows], answers, every, every)
    assert found == [mark([text], answer) for text, answer in rows]


def test_many_answers_by_threads():
    """Blocks of several threads, each with words of the questions before."""
    lists = [[f"word{k % 7} rain", f"word{k} the rain"] for k in range(10_000)]
    answers = [f"Rain word{k % 11}" for k in range(10_000)]
    every = range(len(lists))
    assert filled(lists, answers, every, every) == [*map(mark, lists, answers)]


@given(st.lists(gold, max_size=5))
@example([["b", "a", '\x7f\x1f"\\/é\ud800😀\n']])
def test_digest(lists):
    """The digest equals the digest of the sorted answers as JSON."""
    ids = [f"q{k}" for k in range(len(lists))]
    questions = read_questions(
        [
            {"id": id, "question": "", "answers": {"text": texts}}
            for id, texts in zip(ids, lists, strict=True)
        ]
    )
    contents = pa.array([json.dumps(sorted(texts)) for texts in lists], pa.string())
    assert digest_of(questions) == digest_of_texts(pa.array(ids, pa.string()), contents)
