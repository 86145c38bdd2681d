"""Raw answers read natively: the same relations and notes as Python reads."""

from __future__ import annotations

import json
import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats.model_output import plain
from fastcausal.formats.model_output.shapes import Notes
from fastcausal.formats.model_output.texts import relations_in

TEXTS = ["rain", "floods", "the storm", "", "None", "N/A", "é", "<think>", "a```b", " x", "x\x85"]
TEXTS += ["it's", "{b}]", ",]", "a\\b", "null", "\U0001f600", "\x7f", "#"]
WORDS = st.sampled_from(TEXTS)
VALUES = WORDS | st.none() | st.lists(WORDS, max_size=2)
RELATIONS = st.lists(
    st.dictionaries(
        st.sampled_from(["cause", "effect", "signal", "type", "why"]), VALUES, max_size=3
    ),
    max_size=2,
)
BEFORE = ["Sure: ", "json ", " \n", '"so" ', "The cause: ", "relations: ", "5 ", "[x] ", "<b> "]
BEFORE += ["a -> b ", "|a|\n|-|\n", "`x` ", "\x0c", "Sûr ", "null ", "", "no\n", "```"]
BEFORE += ["The causes are ", "Cause,Effect\n", "Cause: none\nResult: none\n", "Answer: no cause "]
# The Kelvin sign is a k in another case.
THINKING = [
    "<think>{ é</think>\n",
    " <reasoning></b></REASONING>",
    "<think>é</thin\u212a>{}</think>",
]
THINKING += [
    "<thinking></think></thinking>no",
    "<think>a</think><think>b</think>",
    "<THINK></think>",
]
THINKING += [
    "<think></think\x1e",
    "<reason></reason>",
    "<think> [",
    "a</think>",
    "<think>\n</think>|a|\n|-|\n",
]
BEHIND = ["", ".", " I hope so.", " }", " <b>", " -> ", " CAUSE", "é", "```", "``", "\x1c", " {"]
BEHIND += [" as asked.", "\nEffect: no", ", outcome,cause"]
FENCES = ["```json\n", "```\n", "```", "``` js on\n", "````", "```json {\n", "x```"]


@st.composite
def answers(draw):
    value = json.dumps({"relations": draw(RELATIONS)}, indent=draw(st.sampled_from([None, 2])))
    value = draw(
        st.sampled_from([value] * 9 + [value[:-1], value[14:-1], "[]", "x", value + value])
    )
    ends = [each.start() for each in re.finditer(r"(?<=[^\[{\s])\s*[\]}]", value)]
    commas = st.sampled_from([",", ",", " , ", ",\r", ",,", ";"])
    for at in sorted(draw(st.sets(st.sampled_from(ends or [0]), max_size=2)), reverse=True):
        value = value[:at] + draw(commas) + value[at:]
    if draw(st.integers(0, 9)) == 5:
        value = value.replace('"', "'")
    if draw(st.booleans()):
        close = draw(st.sampled_from(["\n```", "```", " ```x", "", "``"]))
        value = draw(st.sampled_from(FENCES)) + value + close
    return (
        draw(st.sampled_from(BEFORE + THINKING)) * draw(st.booleans())
        + value
        + draw(st.sampled_from(BEHIND))
    )


def check(text, times=1):
    notes, expected = Notes(), Notes()
    relations = [relations_in(text, expected) for _ in range(times)]
    found = plain.parsed([text] * times, notes)
    assert list(notes.items()) == list(expected.items())
    if not found.others:
        lengths, is_plain = np.full(times, -1, np.int32), np.ones(times, np.int8)
        located = found.written.find(["rain fell <think>"] * times, lengths, is_plain, True, False)
        assert located[4:] == (0, 0, times * len(relations[0]), 0)


VALUES = ['{"relations": []}', '{"relations": [{"cause": "rain"}]}']
ODD = ['{"relations": [{"cause": ["rain",],},],}', '{"relations": [{"cause": "r\\u0061in"}],}']
ODD += ['{"relations": [{"cause": "rain", "type": null}],}', '{"relations": [],}']
ODD += ['[{"cause": "rain"},]', '{"relations": [{"cause": "rain"},,]}', '{"relations": [,]}']


@pytest.mark.slow
def test_all_texts_around_answers():
    fences = ["", *FENCES]
    for before, fence, value, close, behind in product(
        BEFORE, fences, VALUES + ODD[:2], ["", "\n```"], BEHIND
    ):
        check(before + fence + value + close + behind)


@pytest.mark.slow
def test_all_thinking_before_answers():
    values = [*VALUES, *ODD, "[]", '[{"cause": "rain"}]', '{"relations": [{"cause": "<think>"}]}']
    texts = [*THINKING, "", " ", "so "]
    for before, fence, value, behind in product(texts, ["", "```\n"], values, BEHIND):
        check(before + fence + value + behind, times=2)


@given(st.lists(answers(), min_size=1, max_size=4), st.integers(1, 2))
def test_native_answers(texts, times):
    texts *= times  # equal ones are read once
    notes, expected = Notes(), Notes()
    relations = [relations_in(text, expected) for text in texts]
    parsed = plain.parsed(texts, notes)
    assert list(notes.items()) == list(expected.items())
    assert {k: repr(each) for k, each in parsed.others.items()} == {
        k: repr(relations[k]) for k in parsed.others
    }
    for k, text in enumerate(texts):
        if k not in parsed.others:
            sentence = " , ".join(["rain", "floods", "the storm", "é", "<think>", "a```b"])
            rows = [{"text": sentence, "relations": relations[k]}]
            read = fc.read([{"text": sentence, "output": text}], answers="output")
            assert read.table.equals(fc.read(rows, format="spans").table)


WAYS = ["{}", "```json\n{}\n```", "Sure: {} That is all.", "json\n{}", "The causes are {} so."]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "relations", [[], [{"cause": "rain", "effect": ["a", "b"], "type": "Enables"}]]
)
def test_plain_answers_are_read_natively(way, relations):
    value = json.dumps({"relations": relations}, indent=1)
    assert plain.parsed([way.replace("{}", value)], Notes()).others == {}
    if relations:
        text = way.replace("{}", re.sub(r"(?=[\]}])", ",", value))
        assert plain.parsed([text], Notes()).others == {}


def test_answers_that_files_cannot_store():
    parsed = plain.parsed(['{"relations": []}', "\ud800", None], Notes())
    assert [*parsed.others] == [1, 2]
