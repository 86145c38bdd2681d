"""The Treebank-style word counter, by hand and against NLTK."""

from __future__ import annotations

import csv
import re

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import sample
from fastcausal.arrays.arrow import strings
from fastcausal.tasks.describe.words import count_tagged_words, count_words, treebank_words
from tests.oracles import treebank as oracle
from tests.support.data import CNC


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("", ""),
        (" \n", ""),
        ("Rain fell.", "Rain fell ."),
        ("He said: 10,000 by 12:30, at 5%.", "He said : 10,000 by 12:30 , at 5 % ."),
        ("It isn't Anna's; the boys' dog's.", "It is n't Anna 's ; the boys ' dog 's ."),
        ("I'd go, they'll come, we've WON'T", "I 'd go , they 'll come , we 've WO N'T"),
        ("I cannot, gonna wanna gimme", "I can not , gon na wan na gim me"),
        ("'Tis more'n that, d'ye see?", "'T is more 'n that , d 'ye see ?"),
        ("\"Yes,\" (he) [sic] ``said''", "\" Yes , \" ( he ) [ sic ] `` said ''"),
        ("“Yes”, \u2018no’ «oui»", "“ Yes ” , \u2018 no ’ « oui »"),
        ("wait... what--now?!", "wait ... what -- now ? !"),
        ("a well-known e-mail to x@y.org", "a well-known e-mail to x @ y.org"),
        ("o'clock in the U.S. Congress", "o'clock in the U.S. Congress"),
        ("He said no. No. 5 won", "He said no . No. 5 won"),
        ("He met Dr. Ng on Jan. 5. They left", "He met Dr. Ng on Jan. 5 . They left"),
        ("J. Smith at 9 a.m. and 10 p.m. sharp", "J. Smith at 9 a.m. and 10 p.m. sharp"),
        ("It closed at 9 p.m. The end.", "It closed at 9 p.m . The end ."),
        ("over.” Then (over.) Then", "over . ” Then ( over . ) Then"),
        ("a <SIG0>to</SIG0> b", "a < SIG0 > to < /SIG0 > b"),
    ],
)
def test_by_hand(text, cut):
    assert treebank_words(text) == cut.split()


# Strings that the rules name, and letters of unusual kind or case.
PIECES = [
    *"ntsNCdglmw.,:;'`\"-<(5 _\n\x1c",
    *"“\u2018»éßÿÖ\u3000²٣\u017fK\u0131İ😀\U0001d538\udc80",
]
PIECES += [
    "cannot",
    "d'ye",
    "gimme",
    "gotta",
    "lemme",
    "more'n",
    "'Twas",
    "n't",
    "'ll",
    "'RE",
    "''",
]
PIECES += ["''", "--", "..", "Mr.", "U.S.", " No. 5", " No.", " A. ", "vs. ", '." ', "not", "can"]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=12).map("".join)


@given(TEXTS)
def test_words_of_the_pattern(text):
    assert treebank_words(text) == oracle.treebank_words(text)


@given(st.lists(TEXTS.filter(lambda text: "\udc80" not in text), max_size=4))
def test_counts(texts):
    counts = count_words(strings(texts)).tolist()
    assert counts == [len(oracle.treebank_words(text)) for text in texts]
    assert count_words(pa.array(texts, pa.large_string())).tolist() == counts


TAGS = [f"<{end}{name}>" for end in ("", "/") for name in ("ARG0", "ARG1", "SIG0", "SIG12")]
TAGS += ["<ARG0", "<SIG>", "</SIG>", "<SIG1\u0663>", "</", "<ARG2>", "ARG1>", "<"]
TAGGED = st.lists(st.one_of(st.sampled_from(TAGS), TEXTS), max_size=12).map("".join)


@given(st.lists(TAGGED.filter(lambda text: "\udc80" not in text), max_size=4))
def test_counts_between_tags(texts):
    spans = re.compile(r"<(ARG0|ARG1|SIG[0-9]+)>(?=(.*?)</\1>)", re.DOTALL)
    found = {"ARG0": [], "ARG1": [], "SIG": []}
    for text in texts:
        for name, within in spans.findall(text):
            found[name if name in found else "SIG"].append(len(oracle.treebank_words(within)))
    assert [*count_tagged_words(strings(texts))] == [*found.values()]
    assert [*count_tagged_words(pa.array(texts, pa.large_string()))] == [*found.values()]


@given(st.one_of(st.text(), st.text("ntsN.,:;'`\"-<(“5 ")))
def test_nothing_is_lost(text):
    assert "".join(treebank_words(text)) == "".join(text.split())


def released_texts():
    for name in ("train_subtask1.csv", "dev_subtask1.csv"):
        with (CNC / name).open(encoding="utf-8-sig", newline="") as file:
            yield from (row["text"] for row in csv.DictReader(file))


def sample_texts():
    with sample.GOLD.open(encoding="utf-8", newline="") as file:
        yield from (row["text"] for row in csv.DictReader(file))


@pytest.mark.parametrize(
    "texts",
    [
        sample_texts,
        pytest.param(
            released_texts,
            marks=pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc"),
        ),
    ],
)
def test_same_words_as_nltk(texts):
    """Words within a sentence equal NLTK's, whose trained model finds the ends of sentences."""
    nltk = pytest.importorskip("nltk")
    if tuple(map(int, nltk.__version__.split(".")[:3])) > (3, 9, 1):
        pytest.skip("later versions cut dashes and quotes in another way")
    tokenize = nltk.tokenize.NLTKWordTokenizer().tokenize
    quotes = {"``": '"', "''": '"'}
    for text in texts():
        ours = treebank_words(text)
        theirs = [word for part in sentences(text, ours) for word in tokenize(part)]
        assert [quotes.get(w, w) for w in ours] == [quotes.get(w, w) for w in theirs]


def sentences(text, words):
    """The parts of a text that end in the periods which are words of their own."""
    end = start = 0
    for word in words:
        end = text.index(word, end) + len(word)
        if word == ".":
            yield text[start:end]
            start = end
    yield text[start:]
