"""Texts of spans, looked up in their sentence: places, choice of an occurrence, mapped texts."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.formats import spans
from fastcausal.formats.reading.builder import UnreadError
from fastcausal.formats.sentences import IN_PIECES, OTHER_ENDS, OTHER_SIGNS, WHITE, SearchedSentence
from fastcausal.relations import Relations
from tests.support.data import CNC
from tests.support.format_cases import needs_cnc, sentences


@given(sentences(), st.data())
@example(("a a", 2), None)
def test_every_run_of_tokens_is_found(sentence, data):
    text, n = sentence
    if n == 0 or data is None:
        return
    looked_up = SearchedSentence(text)
    first = data.draw(st.integers(0, n - 1))
    last = data.draw(st.integers(first, n - 1))
    wanted = text[looked_up.starts[first] : looked_up.stops[last]]
    start, stop, again, way = looked_up.locate(wanted)
    assert way == ""
    assert text[start:stop] == wanted
    assert again or looked_up.tokens(start, stop) == (first, last + 1, False)
    if any(not letter.isspace() for letter in wanted):
        mangled = "".join(wanted.split()).swapcase()
        start, stop, *_ = looked_up.locate(mangled)
        found = "".join(text[start:stop].split()).casefold()
        assert found == "".join(wanted.split()).casefold()


@given(st.text(max_size=20), st.text(max_size=5))
def test_locating_never_fails_otherwise(text, wanted):
    try:
        start, stop, *_ = SearchedSentence(text).locate(wanted)
    except UnreadError:
        assert not wanted.strip() or wanted not in text
    else:
        assert 0 <= start < stop <= len(text)


class Everything:
    def __contains__(self, text: str) -> bool:
        return True


LETTERS = "aA\u00df s-\u2013\u2026.\"'\u201c\u201d`,\u3000"


@given(st.text(LETTERS, max_size=9), st.text(LETTERS, max_size=6))
@example("a--A", "-a")
@example("a \u2026 s", "a ... S.")
def test_texts_that_are_nowhere_are_known_at_once(text, wanted):
    quick, slow = SearchedSentence(text), SearchedSentence(text)
    slow.__dict__["_loosest"] = Everything()
    found = []
    for sentence in (quick, slow):
        try:
            found.append(sentence.pieces(wanted))
        except UnreadError as reason:
            found.append(str(reason))
    assert found[0] == found[1]


def located(text, wanted):
    """Locate a text as `SearchedSentence.locate` is defined: all occurrences, then a choice."""
    white, wanted = WHITE, wanted.strip(WHITE)
    letters = [(c, k) for k, letter in enumerate(text) for c in letter.casefold()]
    letters = [(c, k) for c, k in letters if not text[k].isspace()]
    squeezed = "".join(wanted.casefold().split())
    exact = [(k, k + len(wanted)) for k in range(len(text)) if text.startswith(wanted, k)]
    loose = [
        (letters[k][1], letters[k + len(squeezed) - 1][1] + 1)
        for k in range(len(letters) - len(squeezed) + 1)
        if squeezed and "".join(c for c, _ in letters[k : k + len(squeezed)]) == squeezed
    ]
    every = [exact if wanted else [], loose]
    whole = [
        [
            (a, b)
            for a, b in found
            if not text[:a][-1:].strip(white) and not text[b:][:1].strip(white)
        ]
        for found in every
    ]
    for found in whole + every:
        if found:
            return *found[0], len(found) > 1, ""
    return None


pieces = st.lists(
    st.sampled_from(["a", "A", "b", "ß", "ss", "\u00a0", " ", "\t", "  "]), max_size=12
)


@given(pieces.map("".join), pieces.map("".join))
def test_locating_is_what_it_is_defined_to_be(text, wanted):
    try:
        assert tuple(SearchedSentence(text).locate(wanted)) == located(text, wanted)
    except UnreadError:
        assert located(text, wanted) is None


@pytest.mark.slow
@pytest.mark.parametrize("text", ["b" + "a" * 150_000 + "b", "ax " * 50_000 + "b", "a " * 75_000])
def test_texts_that_repeat_themselves_take_no_quadratic_time(text):
    """These once took minutes, when each occurrence of the wanted text was compared in full."""
    middle = text[1 : len(text) // 2].strip()
    sentence = SearchedSentence(text)
    for wanted in (middle, middle.upper(), middle[:-1], middle[1:]):
        start, stop, *_ = sentence.locate(wanted)
        assert text[start:stop].lower().split() == wanted.lower().split()


REPEATED = "rain to the north led to floods , to mud"


@pytest.mark.parametrize(
    ("relation", "signal"),
    [
        ({"cause": "rain", "effect": "floods"}, (1, 2)),  # between them, the first
        ({"cause": "north", "effect": "floods"}, (5, 6)),  # between them
        ({"effect": "floods", "cause": "mud"}, (8, 9)),  # wherever the Cause is
        ({"cause": "the north", "effect": "led"}, (5, 6)),  # nearest to the border between them
        ({"cause": ["rain", "north"], "effect": "floods"}, (5, 6)),  # after the last Cause
        ({"cause": "the north led", "effect": "led"}, (5, 6)),  # they overlap
        ({"effect": "mud"}, (8, 9)),  # nearest to the one there is
        ({"cause": "rain"}, (1, 2)),
        ({}, (1, 2)),
        ({"signal": [[22, 24], "to"]}, (1, 2)),
        ({"signal": ["to", "to", "to", "to"]}, (1, 2)),
    ],
)
def test_a_signal_is_nearest_to_the_gap_between_cause_and_effect(relation, signal):
    for named in ({"signal": "to"} | relation, relation | {"signal": relation.get("signal", "to")}):
        for occurrence, expected in (("gap", signal), ("first", (1, 2))):
            read = spans.read([{"text": REPEATED, "relations": [named]}], occurrence=occurrence)
            found = read.to_examples()[0]["relations"][0]["signal"]
            assert expected in found
            assert read.reading.spans == occurrence
            several = isinstance(named["signal"], list)
            assert not several or occurrence == "first" or len(set(found)) == min(len(found), 3)


QUOTED = "`` It \u2019s rain \u2014 and more , '' he said ( twice ) ."
SIGNS, ENDS, PIECES = OTHER_SIGNS, OTHER_ENDS, IN_PIECES


@pytest.mark.parametrize(
    ("wanted", "expected", "way"),
    [
        ("it\u2019s rain", [(1, 4)], ""),
        ("it's rain--and", [(1, 6)], SIGNS),
        ('"It\u2018s rain', [(0, 4)], SIGNS),
        ("rain - and", [(3, 6)], SIGNS),
        ("rain.", [(3, 4)], ENDS),
        ("\u201crain\u201d.", [(3, 4)], ENDS),
        ('"(twice)".', [(11, 14)], ENDS),  # signs that the text has stay
        ("twice", [(12, 13)], ""),
        ("- It's", [(1, 3)], ENDS),
        ("It ... more", [(1, 2), (6, 7)], PIECES),
        ("rain\u2026he SAID\u2026", [(3, 4), (9, 11)], PIECES),
        ("more ... rain", None, '"rain" is not in the text'),  # not after the other
        ("sun ... rain", None, '"sun" is not in the text'),
        ("sun.", None, '"sun." is not in the text'),
        ("...", None, '"..." is not in the text'),
        ("?", None, '"?" is not in the text'),
    ],
)
def test_what_is_mapped_or_left_out_is_counted(wanted, expected, way):
    read = spans.read([{"text": QUOTED, "relations": [{"cause": wanted}]}])
    if expected is None:
        assert read.reading.unread == (f"span texts: example 0: relation 1: {way}",)
        return
    assert read.to_examples()[0]["relations"] == [{"cause": expected}]
    assert read.reading.notes == ({way: len(expected)} if way else {})


@needs_cnc
def test_signals_of_the_corpus_that_occur_again():
    """Of 272 signals that occur again in any case, 261 are found by the gap, 108 as the first."""
    gold = [ex for split in ("train", "dev") for ex in of_corpus(split)]
    right = {"gap": 0, "first": 0}
    n = 0
    for occurrence in right:
        read = spans.read([{**ex, "relations": ex["texts"]} for ex in gold], occurrence=occurrence)
        for ex, found in zip(gold, read.to_examples(), strict=True):
            for one, other in zip(ex["relations"], found["relations"], strict=True):
                (signal,) = one["signal"]
                if occurs_again(ex["text"], signal):
                    n += occurrence == "gap"
                    right[occurrence] += other["signal"] == [signal]
    assert (n, right) == (272, {"gap": 261, "first": 108})


def occurs_again(text, span):
    """Return True if the tokens of a span occur elsewhere, in any case of letters."""
    tokens = text.lower().split()
    first, last = span
    wanted = tokens[first:last]
    n = last - first
    return sum(tokens[k : k + n] == wanted for k in range(len(tokens) - n + 1)) > 1


def of_corpus(split):
    """The examples of a split, one for each signal, with the texts of its spans."""
    for ex in formats.read(CNC / f"{split}_subtask2_grouped.csv").to_examples():
        tokens = ex["text"].split()
        for relation in ex["relations"]:
            for signal in relation.get("signal", []):
                one = {**relation, "signal": [signal]}
                texts = {
                    role: [" ".join(tokens[a:b]) for a, b in found] for role, found in one.items()
                }
                yield {"text": ex["text"], "relations": [one], "texts": [texts]}


def capital(text):
    return text[:1].upper() + text[1:]


def straight(text):
    for curly, plain in zip("\u2018\u2019\u201c\u201d\u2013\u2014", "''\"\"--", strict=True):
        text = text.replace(curly, plain)
    return text.replace("``", '"').replace("''", '"')


def shortened(text):
    words = text.split()
    return " ".join([*words[:3], "...", *words[-3:]]) if len(words) > 6 else text


REWRITINGS = {
    "as they are": (lambda text: text, 0.99),
    "detokenised": (lambda text: re.sub(r" ([.,;:!?)]|n't|'s)", r"\1", text), 0.99),
    "capital": (capital, 0.99),
    "straight quotes": (straight, 0.99),
    "quoted": (lambda text: f'"{text}"', 0.99),
    "shortened": (shortened, 0.99),
    "final dot": (lambda text: f"{text}.", 0.98),
}


@needs_cnc
@pytest.mark.parametrize("name", REWRITINGS)
def test_signals_of_a_perfect_system_that_rewrites_texts(name):
    rewrite, least = REWRITINGS[name]
    gold = formats.read(CNC / "dev_subtask2_grouped.csv")
    gold = Relations(gold.table.slice(0, 300))
    pred = []
    for ex in gold.to_examples():
        tokens = ex["text"].split(" ")
        texts = [
            {
                role: [rewrite(" ".join(tokens[a:b])) for a, b in found]
                for role, found in one.items()
            }
            for one in ex["relations"]
        ]
        pred.append({"id": ex["id"], "relations": texts})
    report = fc.score(gold, pred, format="spans")
    assert report["signal"].f1 > least
    assert report.signature.endswith("|spans:gap")
    assert report["overall"].f1 > {"shortened": 0.49, "final dot": 0.85}.get(name, 0.99)
    by_first = fc.score(gold, pred, format="spans", occurrence="first")
    assert by_first["signal"].f1 < 0.91
    assert by_first.signature.endswith("|spans:first")
