"""Decoders on a device that is played: the same bits as in host memory, and nothing waits."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.decoding import device as device_decoding
from fastcausal.decoding.label_paths import NO_ENDS, steps_of
from fastcausal.decoding.spans import DecodedOnDevice
from fastcausal.engine.device import cuda
from fastcausal.engine.run import run
from fastcausal.protocols import RECESS
from tests.decoding.test_spans import batches, decoders
from tests.decoding.test_tag_logits import INF, SCHEMES, assert_same, scheme_of, tables
from tests.decoding.test_tags import IGNORED, LABELS
from tests.support import emulated, played_cupy
from tests.support.profiles import trials
from tests.support.strategies import ROLES, random_side, rows_of


def test_the_launch_records_are_those_of_the_source():
    library = emulated.library()
    assert library.decode_labels_bytes() == device_decoding.LABELS_TASK.itemsize
    assert library.decode_selections_bytes() == device_decoding.SELECTIONS_TASK.itemsize
    assert library.decode_rows_bytes() == device_decoding.ROWS_TASK.itemsize
    assert library.selection_bytes() == device_decoding.SELECTION
    assert library.scratch_of(1000) == device_decoding.SCRATCH * 1000


def on_device(array):
    """On a GPU, as far as the decoders see; strides stay."""
    return None if array is None else np.asarray(array).view(played_cupy.Array)


@pytest.fixture(scope="module")
def gpu():
    with played_cupy.instead():
        yield


# --------------------------------------------------------------------------------------- labels


@pytest.mark.parametrize("name", SCHEMES)
@trials(50)
@given(data=st.data())
def test_label_ids(name, data):
    scheme = scheme_of(SCHEMES[name])
    logits, where = data.draw(tables(len(scheme.labels)))
    if data.draw(st.booleans()):
        logits = np.ascontiguousarray(logits.transpose(2, 0, 1)).transpose(1, 2, 0)
    with played_cupy.instead():
        for valid in (False, True):
            found = scheme.decode(on_device(logits), on_device(where), valid=valid)
            assert isinstance(found, played_cupy.Array)
            assert_same(found.get(), scheme.decode(logits, where, valid=valid))


def test_label_ids_do_not_wait():
    scheme = fc.TagScheme(LABELS["IOBES"])
    logits = np.random.default_rng(0).normal(size=(9, 40, len(scheme.labels)))
    where = logits[..., 0] < 1
    for valid in (False, True):
        machine = emulated.Machine()
        steps, ends = steps_of(scheme.marks), NO_ENDS
        steps, ends = (steps.of, steps.ends) if valid else (None, ends)
        ids = device_decoding.label_ids(machine, logits, where, steps, *ends, IGNORED)
        assert (ids == np.full(4, 0xA5, np.uint8).view(np.int32)).all()
        machine.current().wait()
        assert_same(ids, scheme.decode(logits, where, valid=valid))


@pytest.mark.parametrize("ignored", [-100, -1])
@pytest.mark.parametrize("logit", [np.nan, INF])
def test_logits_that_are_none(gpu, ignored, logit):
    """Invalid logits give an invalid label id, which scoring refuses."""
    scheme = fc.TagScheme(LABELS["BIO"], ignored)
    none = -2 if ignored == -1 else -1
    logits = np.zeros((2, 5, 7), np.float32)
    logits[..., 0] = 1
    logits[1, 2, 5] = logit
    where = np.ones((2, 5), bool)
    where[:, 3] = False
    gold = np.where(where, 0, ignored)
    for valid, after in ((False, 0), (True, none)):
        ids = scheme.decode(on_device(logits), on_device(where), valid=valid)
        assert ids.get().tolist() == [[0, 0, 0, ignored, 0], [0, 0, none, ignored, after]]
        scorer = fc.TagScorer(scheme, backend="cuda")
        scorer.update(gold=on_device(gold), pred=ids)
        message = f"batch 0: example 1, token 2: label id {none}, expected 0 to 6"
        with pytest.raises(fc.InputError, match=message):
            scorer.compute()
    where[1, 2] = False
    ids = scheme.decode(on_device(logits), on_device(where), valid=True)
    assert ids.get().tolist() == [[0, 0, 0, ignored, 0], [0, 0, ignored, ignored, 0]]


def test_what_is_refused_at_once(gpu):
    scheme = fc.TagScheme(LABELS["BIO"])
    logits = on_device(np.zeros((2, 3, 7)))

    def refused(message, *arguments):
        with pytest.raises(fc.InputError, match=f"^{re.escape(message)}"):
            scheme.decode(*arguments)

    refused("logits: found int64, expected float16, float32, float64", on_device(np.zeros(3, int)))
    refused("logits: found the shape (2, 3), expected [batch, tokens, 7]", logits[..., 0])
    refused("where: found float64, expected bool", logits, logits[..., 0])
    refused("where: found the shape (2, 2), expected (2, 3)", logits, logits[:, 1:, 0] == 0)
    refused("where: found ndarray in host memory, expected a device", logits, np.ones((2, 3), bool))


# --------------------------------------------------------------------------------------- spans


def assert_same_rows(found, expected):
    for name in ("values", "row_offsets", "relation_offsets", "lengths"):
        a, b = getattr(found.rows, name), getattr(expected.rows, name)
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)
    assert found.scores.dtype == np.float64
    assert found.scores.tolist() == expected.scores.tolist()


@trials(300)
@given(decoders(), batches())
def test_spans(decoder, batch):
    logits, *others = batch
    with played_cupy.instead():
        found = decoder.decode(on_device(logits), *map(on_device, others))
        assert isinstance(found, DecodedOnDevice)
        n, most = len(logits), len(logits) * decoder._settings()[2]
        assert found.rows.n_relations == len(found.scores) == most
        assert found.rows.lengths.tolist() == [-1] * n
        first = int(found.rows.relation_offsets[-1])
        assert (found.rows.row_offsets[first:] == found.rows.row_offsets[first]).all()
        assert not found.scores[first:].any()
        assert_same_rows(found.get(), decoder.decode(*batch))


def test_columns_of_several_kinds(gpu):
    rng = np.random.default_rng(0)
    kinds = ("float16", "float32", "float16", "float32")
    columns = [rng.normal(size=(4, 9)).astype(kind) for kind in kinds]
    found = fc.SpanDecoder().decode(list(map(on_device, columns)))
    assert_same_rows(found.get(), fc.SpanDecoder().decode(columns))


def test_spans_do_not_wait():
    rng = np.random.default_rng(0)
    decoder = fc.SpanDecoder(n_best=3)
    logits = rng.normal(size=(20, 12, 6))
    gate = rng.random(20) < 0.5
    machine = emulated.Machine()
    columns = [logits[..., c] for c in range(6)]
    rows, scores, wrong = device_decoding.select_spans(
        machine, columns, None, None, gate, decoder.roles, decoder._settings()
    )
    assert not (wrong == -1).any()
    machine.current().wait()
    assert (wrong == -1).all()
    expected = decoder.decode(logits, has_signal=gate)
    n = rows.relation_offsets[-1]
    np.testing.assert_array_equal(rows.relation_offsets, expected.rows.relation_offsets)
    np.testing.assert_array_equal(rows.row_offsets[: n + 1], expected.rows.row_offsets)
    np.testing.assert_array_equal(rows.values[: rows.row_offsets[n]], expected.rows.values)
    assert scores[:n].tolist() == expected.scores.tolist()


@pytest.mark.parametrize("n_best", [1, 5, 7])
def test_spans_are_scored_where_they_are(gpu, n_best):
    """Decoded spans are scored on the device; the host pairs relations of some examples."""
    rng = np.random.default_rng(0)
    gold = rows_of(random_side(rng, 200, 3), 12)
    logits = rng.normal(size=(200, 12, 6)).astype(np.float32)
    decoder = fc.SpanDecoder(n_best=n_best)
    plan = RECESS.plan(ROLES)
    found = decoder.decode(on_device(logits)).rows
    there = cuda.rows(*map(on_device, (*gold.arrays(), gold.lengths)))
    result = cuda.run_on_device(plan, there, found, n_groups=1)
    expected = run(plan, gold, decoder.decode(logits).rows, None, 1)
    assert len(result.unfit) == (200 if n_best > 5 else 0)
    np.testing.assert_array_equal(result.get().counts, expected.counts)
    np.testing.assert_array_equal(result.get().partner, expected.partner)


def test_what_is_wrong_is_said_by_get(gpu):
    """`get` reports a fault in the host's words; until then the example has no relations."""
    logits = np.zeros((3, 6, 6), np.float32)
    words = np.tile(np.arange(6), (3, 1))
    logits[1, 4, 3] = np.nan
    logits[2, 1, 0] = INF
    decoder = fc.SpanDecoder()
    for arguments, example in (
        ((logits,), 1),
        ((logits[2:],), 0),
        ((logits[:1], None, words[:1, ::-1]), 0),
    ):
        with pytest.raises(fc.InputError) as expected:
            decoder.decode(*arguments)
        found = decoder.decode(*map(on_device, arguments))
        offsets = found.rows.relation_offsets.tolist()
        assert offsets[example] == offsets[example + 1]
        with pytest.raises(fc.InputError, match=f"^{re.escape(str(expected.value))}$"):
            found.get()


def test_spans_refused_at_once(gpu):
    logits = on_device(np.zeros((2, 3, 6)))

    def refused(message, *arguments, **options):
        with pytest.raises(fc.InputError, match=f"^{re.escape(message)}"):
            fc.SpanDecoder().decode(*arguments, **options)

    refused("logits: found 5 columns, expected 4 or 6", logits[..., :5])
    refused("logits: found ndarray in host memory", [logits[..., 0], *np.zeros((3, 2, 3))])
    refused("mask: found float64, expected bool, int8", logits, logits[..., 0])
    refused("word_ids: found the shape (2, 2), expected (2, 3)", logits,
            word_ids=on_device(np.zeros((2, 2), int)))  # fmt: skip
    refused("has_signal: found bool[3], expected bool[2]", logits,
            has_signal=on_device(np.zeros(3, bool)))  # fmt: skip
    refused("has_signal: found int64[2], expected bool[n]", logits,
            has_signal=on_device(np.zeros(2, int)))  # fmt: skip


@pytest.mark.slow  # imports PyTorch
def test_the_metric_decodes_on_the_device(gpu):
    pytest.importorskip("torchmetrics")
    from fastcausal.training import span_score as training

    rng = np.random.default_rng(0)
    scheme = fc.TagScheme(LABELS["BIO"])
    labels, gold_ids = rng.normal(size=(9, 20, 7)), rng.integers(7, size=(9, 20))
    boundaries, gold = rng.normal(size=(9, 12, 6)), rows_of(random_side(rng, 9, 2), 12)
    for decoder, logits, target, there in (
        (scheme, labels, gold_ids, on_device(gold_ids)),
        (fc.SpanDecoder(), boundaries, gold, gold),
        (fc.SpanDecoder(), boundaries, gold.to_relations(), gold.to_relations()),
    ):
        host, device = training.SpanScore(decoder), training.SpanScore(decoder)
        for _ in range(training.MAX_WAITING + 3):
            host.update(logits, target)
            device.update(on_device(logits), there)
        assert device._waiting
        assert len(device._decoded) == (0 if decoder is scheme else 3)
        assert device.report().to_dict() == host.report().to_dict()
        assert device.report().n_pred_relations
        device.update(on_device(logits), there)
        device.reset()
        assert not device.report().n_examples


@pytest.mark.slow  # imports PyTorch
def test_the_metric_tells_of_a_batch_when_asked(gpu):
    pytest.importorskip("torchmetrics")
    from fastcausal.training import span_score as training

    rng = np.random.default_rng(1)
    logits, gold = rng.normal(size=(2, 12, 6)), rows_of(random_side(rng, 2, 2), 12)
    wrong = logits.copy()
    wrong[1, 3, 2] = np.nan
    metric = training.SpanScore(fc.SpanDecoder())
    for batch in (logits, wrong, logits):
        metric.update(on_device(batch), gold)
    for _ in range(2):  # nothing is counted in the meantime
        with pytest.raises(
            fc.InputError, match="batch 1: example 1, token 3: the logit of B start"
        ):
            metric.compute()
    metric.reset()
    metric.update(on_device(logits), gold)
    assert metric.report().n_examples == 2
