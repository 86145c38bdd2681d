"""Words of a tokenizer's sub-words, and their labels."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.training import align_labels, word_ids_of

IGNORED = -100
SENTENCES = [
    "Heavy rain caused delays on every line .",
    "The strike led to shortages because the warehouses were empty .",
    "Prices rose .",
]


@st.composite
def sentences(draw):
    """The labels of words, and the word of each token: each word has a token or more."""
    words = draw(st.lists(st.lists(st.integers(0, 6), max_size=6), max_size=4))
    lines = []
    for labels in words:
        line = [None] * draw(st.integers(0, 2))
        for word in range(len(labels) - draw(st.integers(0, min(2, len(labels))))):
            line += [word] * draw(st.integers(1, 3)) + [None] * draw(st.integers(0, 1))
        lines.append(line)
    return words, lines


@given(sentences())
def test_first_tokens_have_the_labels(pair):
    labels, lines = pair
    width = max(map(len, lines), default=0)
    expected = np.full((len(lines), width), IGNORED)
    words = np.full((len(lines), width), -1)
    for k, line in enumerate(lines):
        for token, word in enumerate(line):
            if word is not None:
                words[k, token] = word
                if word not in line[:token]:
                    expected[k, token] = labels[k][word]
    ids = word_ids_of(lines)
    found = align_labels(labels, ids)
    assert (ids.dtype, found.dtype) == (np.int32, np.int64)
    assert np.array_equal(ids, words)
    assert np.array_equal(found, expected)
    assert np.array_equal(align_labels(labels, words.astype(np.int64)), expected)
    assert np.array_equal(align_labels(labels, ids, -1), np.where(expected < 0, -1, expected))


@given(sentences())
def test_rows_in_words_are_those_of_the_words(pair):
    """Labels go to tokens and come back as spans of words."""
    scheme = fc.TagScheme(["O", *(f"{p}-{role}" for role in ("C", "E", "S") for p in "BI")])
    labels, lines = pair
    labels = [
        ids[: max((word + 1 for word in line if word is not None), default=0)]
        for ids, line in zip(labels, lines, strict=True)
    ]
    ids = word_ids_of(lines)
    found = scheme.rows(align_labels(labels, ids), word_ids=ids)
    width = max(map(len, labels), default=0)
    whole = np.full((len(labels), width), IGNORED)
    for k, line in enumerate(labels):
        whole[k, : len(line)] = line
    expected = scheme.rows(whole)
    for one, other in zip(found.arrays(), expected.arrays(), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(found.lengths, expected.lengths)


@pytest.fixture(scope="module")
def tokenizer():
    tokenizers = pytest.importorskip("tokenizers")
    transformers = pytest.importorskip("transformers")
    words = tokenizers.Tokenizer(tokenizers.models.WordPiece(unk_token="[UNK]"))
    words.pre_tokenizer = tokenizers.pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    trainer = tokenizers.trainers.WordPieceTrainer(
        vocab_size=60, special_tokens=special, show_progress=False
    )
    words.train_from_iterator(SENTENCES, trainer)
    words.post_processor = tokenizers.processors.TemplateProcessing(
        "[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="[PAD]", unk_token="[UNK]"
    )


@pytest.mark.slow  # imports PyTorch
@pytest.mark.parametrize("settings", [
    {}, {"padding": True}, {"padding": True, "return_tensors": "np"},
    {"padding": "max_length", "max_length": 40}, {"truncation": True, "max_length": 7},
    {"padding": True, "padding_side": "left"},
])  # fmt: skip
def test_with_a_tokenizer(tokenizer, settings):
    words = [sentence.split() for sentence in SENTENCES]
    labels = [list(range(10, 10 + len(line))) for line in words]
    encoding = tokenizer(words, is_split_into_words=True, **settings)
    ids = word_ids_of(encoding)
    assert np.array_equal(ids, word_ids_of([encoding.word_ids(k) for k in range(len(words))]))
    found = align_labels(labels, ids)
    for k, (line, tokens) in enumerate(zip(labels, encoding["input_ids"], strict=True)):
        pieces = tokenizer.convert_ids_to_tokens(tokens)
        assert set(ids[k, len(pieces) :]) <= {-1}
        text = "".join(
            piece.removeprefix("##")
            for piece, word in zip(pieces, ids[k], strict=False)
            if word >= 0
        )
        assert "".join(words[k]).startswith(text)
        labelled = found[k][found[k] != IGNORED].tolist()
        assert labelled == line[: len(labelled)]
        assert len(labelled) == len(line) or "truncation" in settings
        for piece, label in zip(pieces, found[k], strict=False):
            assert label == IGNORED or words[k][label - 10].startswith(piece)
    assert len(encoding["input_ids"][1]) > len(words[1]) + 2 or "truncation" in settings


@pytest.mark.slow  # imports PyTorch
def test_a_slow_tokenizer_knows_no_words():
    transformers = pytest.importorskip("transformers")
    encoding = transformers.BatchEncoding({"input_ids": [[1, 2]]})
    with pytest.raises(fc.InputError, match="expected one from a fast tokenizer"):
        word_ids_of(encoding)


@pytest.mark.parametrize(
    ("labels", "words", "message"),
    [
        ([[1, 2]], [[0, 1, 2]], "example 0: word 2 has no label, found labels of 2 words"),
        ([[1], []], [[0, -1], [-1, 0]], "example 1: word 0 has no label, found labels of 0 words"),
        ([[1]], [[0], [0]], "labels of 1 sentences, word_ids of 2"),
        ([[1, 2]], [[0, 1, -1, 0]], "example 0, token 3: word 0 after word 1, expected in order"),
        ([[1.5]], [[0]], "labels: found float64, expected lists of integers"),
        ([["O"]], [[0]], "labels: found <U1, expected lists of integers"),
        ([[None]], [[0]], "labels: found object, expected lists of integers"),
        ([[1]], [[-2]], "word_ids: found -2 to -2, expected -1 or a number"),
        ([[1]], [0], r"word_ids: found the shape (1,), expected [batch, tokens]"),
        ([[1]], [[0.0]], "word_ids: found float64, expected int8"),
        (
            [1],
            [[0]],
            "labels: object of type 'int' has no len(), expected a list for each sentence",
        ),
    ],
)
def test_mistakes(labels, words, message):
    with pytest.raises(fc.InputError, match=re.escape(message)):
        align_labels(labels, np.array(words))


def test_first_ten_problems():
    with pytest.raises(fc.InputError, match="\n") as caught:
        align_labels([[]] * 12, np.zeros((12, 1), int))
    lines = str(caught.value).splitlines()
    assert len(lines) == 11
    assert lines[-1] == "... and 2 more"


@pytest.mark.parametrize("lines", [[None, 0, 1], [["a"]], [[1.5]], 5, [[-2]]])
def test_no_word_ids(lines):
    with pytest.raises(fc.InputError, match="word_ids"):
        word_ids_of(lines)
