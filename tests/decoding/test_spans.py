"""Logits of span boundaries to relations: native code against plain Python, bit for bit."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax

import fastcausal as fc
from fastcausal.decoding import span_selection
from fastcausal.decoding.spans import METHODS
from tests.oracles.selection import published
from tests.support.profiles import trials

FEW = (0.0, 0.0, 0.5, 1.0, -1.0, -3.0, -math.inf)  # so that ties abound
KINDS = ("float16", "float32", "float64")


@st.composite
def decoders(draw):
    return fc.SpanDecoder(
        draw(st.sampled_from(list(METHODS))),
        draw(st.sampled_from([(0, 1, 2), (1, 0, 2), (2, 0, 1)])),
        draw(st.integers(1, 6)),
        draw(st.integers(1, 6)),
        draw(st.sampled_from([None, None, -4.0, -30.0])),
        draw(st.sampled_from([5, 1, 2, 3, None])),
    )


@st.composite
def batches(draw):
    """Logits, mask, words and signals of a few sequences."""
    n, width = draw(st.integers(0, 3)), draw(st.integers(0, 9))
    shape = (n, width, draw(st.sampled_from([4, 6])))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    if draw(st.booleans()):
        logits = rng.choice(FEW, shape)
    else:
        logits = rng.normal(size=shape) * draw(st.sampled_from([1, 30, 1e4]))
        logits[rng.random(shape) < draw(st.sampled_from([0, 0.2, 0.9]))] = -np.inf
    logits = logits.astype(draw(st.sampled_from(KINDS)))
    if draw(st.booleans()):  # columns one after the other in memory
        logits = np.ascontiguousarray(logits.transpose(2, 0, 1)).transpose(1, 2, 0)
    mask = rng.random((n, width)) < draw(st.sampled_from([0, 0.7, 1]))
    words = np.sort(rng.integers(0, 6, (n, width)), axis=1)
    words[rng.random((n, width)) < 0.2] = -1
    gate = rng.random(n) < 0.7
    return logits, *(value if draw(st.booleans()) else None for value in (mask, words, gate))


def expected(decoder, logits, mask, words, gate):
    """Return rows of relations by example, and scores, by the plain Python specification."""
    found, scores = [], []
    for e, example in enumerate(logits):
        mine = [None if side is None else side[e] for side in (mask, words)]
        signal = True if gate is None else bool(gate[e])
        one = span_selection.select(example.T, *mine, signal, *decoder._settings())
        found.append([span_selection.rows_of(s, decoder.roles) for s in one])
        scores += [s.score for s in one]
    return found, scores


def by_example(rows):
    return [
        [list(map(tuple, rows.relation(r).tolist())) for r in range(first, last)]
        for first, last in zip(rows.relation_offsets[:-1], rows.relation_offsets[1:], strict=True)
    ]


@trials(1000)
@given(decoders(), batches())
def test_native_equals_plain_python(decoder, batch):
    found = decoder.decode(*batch)
    rows, scores = expected(decoder, *batch)
    assert by_example(found.rows) == rows
    assert found.scores.tolist() == scores
    assert found.rows.lengths.tolist() == [-1] * len(batch[0])
    found.rows.check("found", 3)


@given(decoders(), batches())
def test_arguments_keep_apart(decoder, batch):
    """Cause and effect do not overlap, unless by argmax; signals may be anywhere."""
    rows = decoder.decode(*batch).rows
    assert (rows.values[:, 1] < rows.values[:, 2]).all()
    relations = [relation for example in by_example(rows) for relation in example]
    arguments = [sorted(r[1:] for r in relation if r[0] in decoder.roles[:2])
                 for relation in relations]  # fmt: skip
    if decoder.method != "argmax":
        assert all(len(pair) == 2 and pair[0][1] <= pair[1][0] for pair in arguments)
    for example in by_example(rows):
        marked = [tuple(r for r in relation if r[0] in decoder.roles[:2]) for relation in example]
        assert len(set(marked)) == len(marked) <= decoder.n_best


@pytest.mark.parametrize("shape", [(2, 40, 6), (1, 200, 4), (3, 128, 6)])
@pytest.mark.parametrize("kind", ["normal", "equal", "rising", "falling", "few"])
def test_long_and_adversarial(shape, kind):
    rng = np.random.default_rng(3)
    line = {
        "normal": rng.normal(size=shape) * 5,
        "equal": np.zeros(shape),
        "rising": np.broadcast_to(np.arange(shape[1])[None, :, None] / 8, shape),
        "falling": np.broadcast_to(-np.arange(shape[1])[None, :, None] / 8, shape),
        "few": rng.choice(FEW, shape),
    }[kind].astype(np.float32)
    words = np.sort(rng.integers(0, shape[1] // 2, shape[:2]), axis=1)
    for decoder in (fc.SpanDecoder(), fc.SpanDecoder(top_k=32, n_best=32)):
        top = min(decoder.top_k, 8)  # plain Python lists top_k ** 3 combinations
        decoder = fc.SpanDecoder(top_k=top, n_best=decoder.n_best)
        for word_ids in (None, words):
            found = decoder.decode(line, word_ids=word_ids)
            rows, scores = expected(decoder, line, None, word_ids, None)
            assert by_example(found.rows) == rows
            assert found.scores.tolist() == scores


def test_widest_beam():
    line = np.random.default_rng(0).normal(size=(1, 40, 4))
    decoder = fc.SpanDecoder(top_k=32, n_best=32)
    found = decoder.decode(line)
    rows, scores = expected(decoder, line, None, None, None)
    assert by_example(found.rows) == rows
    assert found.scores.tolist() == scores
    assert len(scores) == 32


def test_a_beam_wide_enough_finds_the_best_of_all():
    rng = np.random.default_rng(1)
    for _ in range(50):
        logits = rng.normal(size=(1, 8, 4))
        chances = log_softmax(logits[0, 1:-1], axis=0)
        n = len(chances)
        most = max(
            chances[a, 0] + chances[b, 1] + chances[c, 2] + chances[d, 3]
            for a in range(n) for b in range(a, n) for c in range(n) for d in range(c, n)
            if b < c or d < a
        )  # fmt: skip
        found = fc.SpanDecoder(top_k=32, n_best=1).decode(logits)
        assert found.scores[0] == pytest.approx(most, abs=1e-12)


@given(st.floats(-800, 0), st.floats(1, 1e9))
def test_logarithms(x, y):
    assert span_selection.exp_of(x) == pytest.approx(math.exp(x), rel=1e-14, abs=5e-18)
    assert span_selection.log_of(y) == pytest.approx(math.log(y), rel=1e-15, abs=1e-16)


def test_by_hand():
    """Cause words 1 and 2, effect 4 and 5, signal 3; the second best has a shorter effect."""
    logits = np.full((1, 8, 6), -8.0)
    for column, token in enumerate([1, 2, 4, 5, 3, 3]):
        logits[0, token, column] = 4.0
    logits[0, 4, 3] = 3.0
    decoder = fc.SpanDecoder()
    both = [[[(0, 1, 3), (2, 3, 4), (1, 4, 6)], [(0, 1, 3), (2, 3, 4), (1, 4, 5)]]]
    assert by_example(decoder.decode(logits).rows) == both
    silent = decoder.decode(logits, has_signal=np.array([False])).rows
    assert by_example(silent) == [[[(0, 1, 3), (1, 4, 6)], [(0, 1, 3), (1, 4, 5)]]]
    words = np.array([[-1, 0, 0, 1, 2, 2, 3, -1]])
    same_words = fc.SpanDecoder(n_best=1).decode(logits, word_ids=words).rows
    assert by_example(same_words) == [[[(0, 0, 1), (2, 1, 2), (1, 2, 3)]]]
    two = decoder.decode(logits, word_ids=words).rows
    assert len(set(map(str, by_example(two)[0]))) == 2
    gold = fc.Rows(same_words.values, same_words.row_offsets, np.array([0, 1]),
                   np.array([4], np.int32))  # fmt: skip
    assert fc.score(gold, same_words)["overall"].f1 == 1.0


def test_a_score_that_is_just_enough():
    logits = np.random.default_rng(2).normal(size=(1, 9, 4))
    both = fc.SpanDecoder().decode(logits).scores
    assert fc.SpanDecoder(min_score=both[1]).decode(logits).scores.tolist() == both.tolist()
    more = np.nextafter(both[1], 0)
    assert fc.SpanDecoder(min_score=more).decode(logits).scores.tolist() == both[:1].tolist()


def test_baseline_may_overlap_and_leaves_out_what_ends_early():
    logits = np.zeros((1, 7, 4))
    for column, token in enumerate([1, 3, 2, 4]):
        logits[0, token, column] = 1
    decoder = fc.SpanDecoder("argmax")
    assert by_example(decoder.decode(logits).rows) == [[[(0, 1, 4), (1, 2, 5)]]]
    logits[0, 4, 0] = 2
    assert by_example(decoder.decode(logits).rows) == [[[(1, 2, 5)]]]


@pytest.mark.parametrize("method", METHODS)
def test_nothing_to_choose_from(method):
    decoder = fc.SpanDecoder(method)
    for shape in ((0, 5, 6), (2, 0, 6), (2, 1, 4), (2, 2, 6)):
        assert not decoder.decode(np.zeros(shape)).rows.n_relations
    assert not decoder.decode(np.full((2, 9, 6), -np.inf)).rows.n_relations
    assert not decoder.decode(np.zeros((2, 9, 6)), np.zeros((2, 9), int)).rows.n_relations
    nowhere = decoder.decode(np.full((2, 9, 6), np.nan), word_ids=np.full((2, 9), -1)).rows
    assert nowhere.n_examples == 2
    assert not nowhere.n_relations


@pytest.mark.parametrize("scale", [0.5, 3, 20])
def test_without_a_beam_as_the_published_program(scale):
    rng = np.random.default_rng(int(scale))
    n_signals_cut = n_other_orders = 0
    for _ in range(1000):
        n = int(rng.integers(2, 24))
        n_padding = int(rng.integers(3))
        logits = rng.normal(size=(1, n + 2 + n_padding, 6)) * scale
        mask = np.arange(n + 2 + n_padding)[None] < n + 2
        order = []
        expected = published(logits[0, 1 : n + 1], order)
        if abs(order[0]) < 1e-9:
            continue
        rows = sorted((a + 1, b + 1, role) for role, (a, b) in enumerate(expected))
        rows = [[[(role, a, b) for a, b, role in rows]]]
        found = fc.SpanDecoder("constrained").decode(logits, mask).rows
        assert by_example(found) == rows
        free = fc.SpanDecoder("constrained", max_signal_length=None).decode(logits, mask).rows
        by_logits = fc.SpanDecoder("constrained-logits").decode(logits, mask).rows
        n_signals_cut += by_example(free) != rows
        n_other_orders += by_example(by_logits) != rows
    assert n_signals_cut > 50
    assert n_other_orders > 50


def test_effect_first_of_equal_splits():
    logits = np.zeros((1, 4, 4))
    orders = {"constrained": [(1, 1, 2), (0, 2, 3)], "constrained-logits": [(0, 1, 2), (1, 2, 3)]}
    for method, expected in orders.items():
        assert by_example(fc.SpanDecoder(method).decode(logits).rows) == [[expected]]


def test_length_of_a_signal_is_in_tokens_of_the_model():
    """The length counts the model's tokens, not words, and tokens that cannot be chosen too."""
    logits = np.zeros((1, 9, 6))
    logits[0, 1, 4] = logits[0, 7, 5] = 2.0
    logits[0, 4, 5] = 1.0
    words = np.array([[-1, 0, 0, 0, 1, -1, 2, 3, -1]])
    stops = {1: 1, 3: 1, 4: 2, 6: 2, 7: 4, None: 4}
    for most, stop in stops.items():
        decoder = fc.SpanDecoder(n_best=1, max_signal_length=most)
        [[relation]] = by_example(decoder.decode(logits, word_ids=words).rows)
        assert [row for row in relation if row[0] == 2] == [(2, 0, stop)]


@pytest.mark.slow  # imports PyTorch
def test_torch_and_separate_columns():
    torch = pytest.importorskip("torch")
    logits = np.random.default_rng(0).normal(size=(4, 20, 6)).astype(np.float32)
    wanted = fc.SpanDecoder().decode(logits)
    tensor = torch.tensor(logits, requires_grad=True)
    for same in (tensor, list(tensor.unbind(-1)), tuple(logits.transpose(2, 0, 1))):
        found = fc.SpanDecoder().decode(same)
        assert by_example(found.rows) == by_example(wanted.rows)
        assert found.scores.tolist() == wanted.scores.tolist()
    half = tensor.bfloat16()
    assert by_example(fc.SpanDecoder().decode(half).rows) == by_example(
        fc.SpanDecoder().decode(half.float()).rows
    )
    mask = torch.ones(4, 20, dtype=torch.int64)
    assert by_example(fc.SpanDecoder().decode(tensor, mask).rows) == by_example(wanted.rows)


def test_pickle():
    decoder = fc.SpanDecoder("constrained", roles=[1, 0], min_score=-3.0)
    assert pickle.loads(pickle.dumps(decoder)) == decoder


GOOD = np.zeros((2, 5, 6), np.float32)
ONE_NAN, ONE_INF = GOOD.copy(), GOOD.copy()
ONE_NAN[1, 2, 3] = np.nan
ONE_INF[0, 1, 4] = np.inf
WORDS = np.array([[0, 1, 2, 3, 4], [0, 3, 1, 2, 3]])
REFUSED = [
    ((ONE_NAN,), "example 1, token 2: the logit of B end is nan, expected a finite number or -inf"),
    ((ONE_INF,), "example 0, token 1: the logit of signal start is inf, expected a finite"),
    ((GOOD, None, WORDS), "example 1, token 2: word 1 after word 3, expected in order"),
    ((GOOD, None, WORDS[::-1, ::-1]), "example 0, token 1: word 2 after word 3, expected in order"),
    ((GOOD, None, WORDS - 9), "word_ids: found -9 to -5, expected -1 or a number"),
    ((GOOD[..., :5],), "logits: found 5 columns, expected 4 or 6"),
    ((GOOD[0],), r"logits: found the shape \(5, 6\), expected \[batch, tokens, 4 or 6\]"),
    (([GOOD[..., 0]] * 3 + [GOOD[:1, :, 0]],), r"found the shapes \(1, 5\), \(2, 5\), expected"),
    ((GOOD.astype(int),), "logits: found int64, expected float16, float32 or float64"),
    ((GOOD, np.ones((2, 4), bool)), r"mask: found the shape \(2, 4\), expected \(2, 5\)"),
    ((GOOD, np.ones((2, 5))), "mask: found float64, expected bool, int8"),
    ((GOOD, None, None, np.ones(3, bool)), r"has_signal: found bool\[3\], expected bool\[2\]"),
    ((GOOD, None, None, np.ones(2)), r"has_signal: found float64\[2\], expected bool\[2\]"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_is_refused(arguments, message):
    with pytest.raises(fc.InputError, match=message):
        fc.SpanDecoder().decode(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"method": "greedy"},
            'method is "greedy", expected one of bss, constrained, argmax, con',
        ),
        ({"top_k": 0}, "top_k is 0, expected 1 to 32"),
        ({"n_best": 33}, "n_best is 33, expected 1 to 32"),
        ({"roles": (0, 0)}, r"roles are \(0, 0\), expected two or three different numbers"),
        ({"min_score": math.nan}, "min_score is nan, expected a number"),
        ({"max_signal_length": 0}, "max_signal_length is 0, expected 1 or more"),
    ],
)
def test_what_is_no_decoder(options, message):
    with pytest.raises(ValueError, match=message):
        fc.SpanDecoder(**options)
    with pytest.raises(fc.InputError, match="logits of a signal, but roles are"):
        fc.SpanDecoder(roles=(0, 1)).decode(GOOD)
