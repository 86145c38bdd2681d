"""Label ids scored batch by batch: on the host, and on the device that the tests play."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.engine.device import cuda
from fastcausal.formats.bio import read as read_tags
from tests.decoding.test_tags import DTYPES, IGNORED, LABELS, matrices
from tests.support import emulated
from tests.support.profiles import trials

SCHEME = fc.TagScheme(LABELS["BIO"])


@st.composite
def batches(draw):
    """Gold may ignore tokens, predictions name a label for every one."""
    gold = draw(matrices(len(SCHEME.labels)))
    pred = np.resize(draw(matrices(len(SCHEME.labels), ignored=False)), gold.shape)
    if draw(st.booleans()):
        pred = np.where(gold == IGNORED, 0, gold)
    return gold, pred.astype(draw(st.sampled_from(DTYPES)))


def scored(backend, pairs, protocol="recess", scheme=SCHEME):
    with emulated.instead():
        scorer = fc.TagScorer(scheme, protocol, backend=backend)
        for gold, pred in pairs:
            scorer.update(gold=gold, pred=pred)
        return scorer.compute()


@given(pairs=st.lists(batches(), max_size=4), protocol=st.sampled_from(["recess", "cnc-2023"]))
def test_device_equals_host(pairs, protocol):
    host, device = (scored(backend, pairs, protocol) for backend in ("cpu", "cuda"))
    assert host.to_dict() == device.to_dict()


@given(batches())
def test_host_equals_tag_lists(pair):
    """Arrays of label ids score like the same sequences as lists of well-formed tags."""
    kept = [[side[k][pair[0][k] != IGNORED] for k in range(len(side))] for side in pair]
    gold, pred = (
        read_tags([_well_formed([SCHEME.labels[i] for i in line]) for line in side])
        for side in kept
    )
    expected, found = fc.score(gold, pred), scored("cpu", [pair])
    assert found.scores == expected.scores


def _well_formed(tags):
    """An I- tag after nothing of its role begins a span."""
    found = []
    for tag, before in zip(tags, ["O", *tags], strict=False):
        begins = tag[0] == "I" and before[2:] != tag[2:]
        found.append("B" + tag[1:] if begins else tag)
    return found


@pytest.mark.parametrize(
    ("kernel", "tags", "scheme"),
    [
        ("fair_spans", "strict", "IOBES"),
        ("fair_spans", "cnc-2023", "BIO"),
        ("exact_spans", "cnc-2023", "IOBES"),
        ("span_overlap", "strict", "IO"),
        ("partial_spans", "strict", "BIO"),
    ],
)
def test_many_sequences_of_many_spans(kernel, tags, scheme):
    """Sequences score alike, even with more spans than fit on a device."""
    rng = np.random.default_rng(0)
    labels = fc.TagScheme(LABELS[scheme])
    n = len(labels.labels)
    pairs = []
    for width in (0, 1, 30, 90):
        runs = rng.integers(n, size=(40, width)), rng.integers(1, 4, size=(40, width))
        gold = np.array([np.repeat(*line)[:width] for line in zip(*runs, strict=True)], np.int16)
        pred = np.where(rng.random(gold.shape) < 0.8, gold, rng.integers(n, size=gold.shape))
        gold[rng.random(gold.shape) < 0.1] = IGNORED
        pairs.append((gold, pred))
    protocol = fc.Protocol("test", kernel=kernel, tags=tags)
    host, device = (scored(backend, pairs, protocol, labels) for backend in ("cpu", "cuda"))
    assert host.to_dict() == device.to_dict()
    assert host.n_examples == 160


def test_nothing_waits_before_compute():
    gold = np.array([[1, 2, IGNORED, 0, 3]])
    many = np.tile([1, 3], (1, 40))
    with emulated.instead():
        scorer = fc.TagScorer(SCHEME, backend="cuda")
        scorer.update(gold=gold, pred=np.array([[1, 2, 5, 0, 3]]))
        scorer.update(gold=many, pred=many)
        counts = scorer._decoding.on_device
        assert len(counts.waiting) == 2
        counts.machine.current().wait()  # the device has come so far by itself
        scorer.update(gold=gold, pred=gold + 100 * (gold == IGNORED))
        assert [batch.number for batch in counts.for_host] == [1]
        assert [batch.number for batch in counts.waiting] == [2]
        assert scorer.compute()["overall"].tp == 2 + 80 + 2
        assert not counts.waiting
        assert not counts.for_host
        scorer.update(gold=gold, pred=np.array([[1, 2, 5, 0, 3]]))
        assert scorer.compute()["overall"].tp == 2 + 80 + 2 + 2
        scorer.reset()
        assert scorer.compute().n_examples == 0


def test_merge():
    gold = np.array([[1, 2, 0, 3]])
    with emulated.instead():
        one, other = (fc.TagScorer(SCHEME, backend="cuda") for _ in range(2))
        one.update(gold=gold, pred=gold)
        other.update(gold=gold, pred=gold)
        one.merge(other)
        assert one.compute()["cause"].tp == 2
        assert one.compute().n_gold_relations == 2


BAD = [
    ([[1, 9]], [[1, 1]], r"example 0, token 1: label id 9, expected 0 to 6, or -100"),
    ([[1], [1]], [[1], [-1]], r"example 1, token 0: label id -1, expected 0 to 6"),
    ([[1], [1]], [[1], [-100]], r"example 1: the prediction ignores a token that gold has"),
]


@pytest.mark.parametrize(("gold", "pred", "message"), BAD)
def test_what_is_refused(gold, pred, message):
    gold, pred = np.array(gold), np.array(pred)
    with pytest.raises(fc.InputError, match=message):
        fc.TagScorer(SCHEME).update(gold=gold, pred=pred)
    with emulated.instead():
        scorer = fc.TagScorer(SCHEME, backend="cuda")
        scorer.update(gold=gold[:, :0], pred=pred[:, :0])
        scorer.update(gold=gold, pred=pred)
        with pytest.raises(fc.InputError, match=f"batch 1: {message}"):
            scorer.compute()
        with pytest.raises(fc.InputError, match=r"pred: found the shape \(1, 1\), expected"):
            scorer.update(gold=gold, pred=pred[:1, :1])


def test_what_is_no_choice():
    with pytest.raises(ValueError, match='backend is "reference", expected one of cpu, cuda'):
        fc.TagScorer(SCHEME, backend="reference")
    with pytest.raises(ValueError, match="cnc-2022 does not add up over batches"):
        fc.TagScorer(SCHEME, "cnc-2022")
    if not _usable():
        with pytest.raises(fc.InputError, match='backend "cuda"'):
            fc.TagScorer(SCHEME, backend="cuda")


def _usable():
    try:
        cuda.cupy()
    except fc.InputError:
        return False
    return True


@trials(25)
@given(st.lists(batches(), min_size=1, max_size=3))
def test_a_scorer_with_a_decoder(pairs):
    """A scorer with a decoder gives the report and rows of a TagScorer."""
    expected = scored("cpu", pairs)
    scorer = fc.ExtractionScorer(decoder=SCHEME)
    for gold, pred in pairs:
        scorer.update(gold=gold, pred=pred)
    assert scorer.compute().to_dict() == expected.to_dict()
    assert np.array_equal(scorer.statistics.rows, expected.statistics.rows)
    with emulated.instead():
        device = fc.ExtractionScorer(decoder=SCHEME, backend="cuda")
        for gold, pred in pairs:
            device.update(gold=gold, pred=pred)
        assert np.array_equal(device.statistics.rows, expected.statistics.rows)


def test_a_scorer_of_logits_of_boundaries():
    decoder = fc.SpanDecoder()
    logits = np.random.default_rng(0).normal(size=(4, 8, 6)).astype(np.float32)
    lengths = [8, 5, 3, 8]
    mask = np.arange(8) < np.array(lengths)[:, None]
    pred = decoder.decode(logits, mask=mask).rows
    gold = fc.Relations.from_examples(
        [{"length": n, "relations": [{"cause": (0, 1), "effect": (1, 3)}]} for n in lengths]
    )
    scorer = fc.ExtractionScorer(decoder=decoder)
    scorer.update(gold=gold, pred=logits, mask=mask)
    scorer.update(gold=fc.Rows.of(gold), pred=logits, mask=mask)
    scorer.update(gold=gold, pred=pred.to_relations(like=gold))  # already decoded
    once = fc.score(gold, pred.to_relations(like=gold)).statistics.without_units()
    assert scorer.statistics.scores().keys() == once.scores().keys()
    total = once.rows[:, :-1].T @ once.times
    assert np.array_equal(scorer.statistics.rows[:, :-1].sum(axis=0), 3 * total)


def test_what_a_decoder_does_not_go_with():
    with pytest.raises(ValueError, match='by is "doc", but label ids and logits have no columns'):
        fc.ExtractionScorer(decoder=SCHEME, by="doc")
    with pytest.raises(TypeError, match="mask: only the logits of a SpanDecoder have that"):
        fc.ExtractionScorer(decoder=SCHEME).update(gold=[[0]], pred=[[0]], mask=None)
    with pytest.raises(TypeError, match="mask: only the logits of a SpanDecoder have that"):
        fc.ExtractionScorer().update(gold=[], pred=[], mask=None)
