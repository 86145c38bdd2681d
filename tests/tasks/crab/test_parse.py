"""Answers of models are read by the documented rules, one by one and by the column."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.classification.choices.words import find_value
from fastcausal.tasks.crab.parse import REASONS, parse_column
from tests.oracles.crab_answers import answer_of as strictly

KINDS = {"score": "score", "binary": "binary"}
TASKS = ("score", "multiclass", "three", "mcq", "binary")
NAMES = {"binary": ("no", "yes"), "three": ("high", "medium_or_low", "none")}
PIECES = [
    "<Answer>", "</Answer>", "<answer>", "</ANSWER>", "<", ">", "/", "<An\u017fwer>",
    *"ABCDabcdEx10.,:;()[]%+-_*'\"", "yes", "No", "TRUE", "false", " or ", "OR", "order", "100",
    "85", "/100", "1e2", "e-4", "99.95", "1234567890123456789", " ", "\n", "\t", "\x1c", "\x85",
    "\u00a0", "\u2003", "\u3000", "\u2028", "\u200b", "\u2019", "\u201c", "\u2014", "\u00e9",
    "\u1fff", "\u4e2d", "\U0001f30a", "\0",
]  # fmt: skip
texts = st.lists(st.sampled_from(PIECES) | st.characters(codec="utf-8"), max_size=12).map("".join)


def answer_of(text, task):
    """Read an answer by the oracle's rules, else as everyday words; test_words.py tests these."""
    value, reason = strictly(text, task)
    words = find_value(text, KINDS.get(task, "letter")) if reason == "unreadable" else None
    if words is None:
        return value, reason
    return (words, "read") if task != "score" or words <= 100 else (value, "out_of_range")


@pytest.mark.parametrize("task", TASKS)
@given(said=st.lists(texts | st.none(), max_size=6))
@example(said=["<Answer>[B]</Answer></Answer>", "<Answer><Answer>7", "A.B. ", "(A] B)"])
@example(said=["\u1fffyes", "\u2000yes", "A. \u1fffB."])
@example(said=["9" * 400, "0." + "0" * 400 + "1", "1e400", "-1e-400", "+5%", "5 / 100 ."])
def test_texts_are_read_as_the_rules_say(task, said):
    expected = [(math.nan, "missing") if text is None else answer_of(text, task) for text in said]
    for kind in (pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())):
        column = pa.array([None, *said], pa.string()).cast(kind).slice(1)
        values, reasons = parse_column(column, task)
        assert [REASONS[reason] for reason in reasons] == [reason for _, reason in expected]
        assert np.array_equal(values, [value for value, _ in expected], equal_nan=True)
    for text, (value, reason) in zip(said, expected, strict=True):
        names = NAMES.get(task, "ABCD")
        word = value if task == "score" else None if math.isnan(value) else names[int(value)]
        assert fc.crab.parse_answer(text, task) == (word if reason == "read" else None)


@given(st.floats(-5, 105), st.sampled_from(["", "%", "/100", " / 100", "."]))
def test_written_scores_keep_every_bit(score, ending):
    read = fc.crab.parse_answer(f"{score!r}{ending}", "score")
    assert read == (score if 0 <= score <= 100 else None)


@pytest.mark.parametrize(
    ("task", "answer", "reason"),
    [
        ("score", 80, "read"),
        ("score", np.float32(80), "read"),
        ("score", Decimal("80.5"), "read"),
        ("score", -1, "out_of_range"),
        ("score", math.inf, "out_of_range"),
        ("score", math.nan, "missing"),
        ("score", True, "unreadable"),
        ("score", [80], "unreadable"),
        ("multiclass", 1, "unreadable"),
        ("mcq", math.nan, "missing"),
        ("three", "C", "read"),
        ("three", "D", "unreadable"),
        ("three", "[D] none", "unreadable"),
        ("three", 1, "unreadable"),
        ("binary", True, "read"),
        ("binary", 0.0, "read"),
        ("binary", 2, "unreadable"),
        ("binary", None, "missing"),
    ],
)
def test_other_values(task, answer, reason):
    values, reasons = parse_column(pa.array([answer]), task)
    assert REASONS[reasons[0]] == reason
    assert (fc.crab.parse_answer(answer, task) is None) == (reason != "read")
    assert np.isnan(values[0]) == (reason != "read")


@pytest.mark.parametrize("answer", [10**400, object(), b"80", float, {"a": 1}, "\ud800"])
def test_values_that_no_column_holds(answer):
    assert fc.crab.parse_answer(answer, "score") is None


def test_half_of_a_surrogate_is_text():
    assert fc.crab.parse_answer("A: \ud800", "mcq") == "A"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "piece", ["<Answer>", "<", "[A", "B. C", "yes ", "9", "\u2003", "</answer><answer>5"]
)
def test_long_answers(task, piece):
    """A long answer is read in one pass, whatever repeats in it, as a short one is."""
    long, short = (piece * n for n in (200_000 // len(piece.encode()), 50))
    found, expected = (
        parse_column(pa.array([text, text + "<Answer>A</Answer>"]), task) for text in (long, short)
    )
    for side, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(side, other)


def test_another_task():
    for call in (fc.crab.parse_answer, parse_column):
        with pytest.raises(ValueError, match='task is "letters", expected one of score'):
            call("A", "letters")
