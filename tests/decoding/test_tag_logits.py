"""Logits to label ids: against plain Python bit for bit, all sequences, seqeval and argmax."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.decoding.label_paths import best_labels, best_path, steps_of
from tests.decoding.test_tags import IGNORED, LABELS, by_sequence, entities
from tests.support.profiles import trials

INF = float("inf")
SCHEMES = {
    **LABELS,
    "IOE": ["I-Cause", "E-Cause", "O", "E-Effect", "I-Effect"],  # may begin, and must go on
    "IOBE": ["E-Cause", "B-Cause", "O", "I-Cause"],
    "mixed": ["S-Cause", "I-Cause", "B-Effect", "I-Effect", "I-Signal", "E-Signal", "I-Effect"],
    "IOBES without I": ["O", "B-Cause", "E-Cause", "S-Cause"],
    "one": ["O"],
    "five roles": [
        "O",
        "I-Degree",
        "B-Degree",
        "E-Reason",
        "I-Reason",
        "S-Cause",
        "B-Reason",
        "I-Effect",
    ],
}
ALL_ROLES = ("cause", "effect", "signal", "degree", "reason")


def scheme_of(labels):
    return fc.TagScheme(labels, all_roles=ALL_ROLES)


# Few, so that sums are equal; and such as make sums that no float64 holds.
FEW = [0.0, 1.0, -1.0, 0.5, -INF]
WIDE = [*FEW, 1e-3, 3e38, -3e38]
WIDEST = [*FEW, 0.1, 1.7e308, -1.7e308, 2.0**1023]
DTYPES = {"float16": FEW, "float32": WIDE, "float64": WIDEST}


@st.composite
def tables(draw, n_labels, most_tokens=12):
    """Logits [batch, tokens, labels], and which tokens are there."""
    dtype = draw(st.sampled_from(list(DTYPES)))
    shape = (draw(st.integers(0, 3)), draw(st.integers(0, most_tokens)), n_labels)
    values = draw(st.sampled_from([DTYPES[dtype], [0.0, 1.0], [-INF, 0.0], [-INF]]))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    logits = rng.choice(np.array(values, dtype), shape)
    if draw(st.booleans()):
        noise = rng.normal(size=shape).astype(dtype)
        logits = np.where(rng.random(shape) < 0.5, logits, noise)
    there = draw(st.sampled_from([None, 0.0, 0.3, 0.9]))
    return logits, None if there is None else rng.random(shape[:2]) < there


def in_python(scheme, logits, where, valid):
    where = np.ones(logits.shape[:2], bool) if where is None else where
    one = (lambda *line: best_path(*line, scheme.marks, IGNORED)) if valid else (
        lambda *line: best_labels(*line, IGNORED)
    )  # fmt: skip
    found = [one(*line) for line in zip(logits.tolist(), where.tolist(), strict=True)]
    return np.array(found, np.int32).reshape(logits.shape[:2])


def assert_same(found, expected):
    assert found.dtype == np.int32
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("name", SCHEMES)
@given(data=st.data())
def test_native_equals_python(name, data):
    scheme = scheme_of(SCHEMES[name])
    logits, where = data.draw(tables(len(scheme.labels)))
    for valid in (False, True):
        found = scheme.decode(logits, where, valid=valid)
        assert_same(found, in_python(scheme, logits, where, valid))


def is_well_formed(labels, tags):
    """Return True if the tags of a sequence are valid, as `TagScheme.decode` documents it."""
    for at, tag in enumerate(tags):
        mark, _, role = tag.partition("-")
        before = tags[at - 1] if at else "O"
        after = tags[at + 1] if at + 1 < len(tags) else "O"
        may_begin = not {f"B-{role}", f"S-{role}"} & set(labels)
        if mark in "IE" and before not in (f"B-{role}", f"I-{role}") and not may_begin:
            return False
        if (
            mark in "BI"
            and f"E-{role}" in labels
            and after not in (f"I-{role}", f"E-{role}")
        ):  # fmt: skip
            return False
    return True


@pytest.mark.parametrize("name", SCHEMES)
@trials(60)
@given(data=st.data())
def test_the_best_of_all_sequences(name, data):
    """The best sequence has the greatest sum; ties take the first label, from the end."""
    labels = SCHEMES[name][-5:]
    if not steps_of(scheme_of(labels).marks).always_lead_on:
        return
    scheme = scheme_of(labels)
    n = data.draw(st.integers(1, 4))
    values = st.sampled_from(data.draw(st.sampled_from([[0.0, 1.0, 2.0], [-INF, 0.0, 1.0]])))
    size = n * len(labels)
    logits = np.array(data.draw(st.lists(values, min_size=size, max_size=size))).reshape(1, n, -1)

    def from_the_end(ids):
        sums = logits[0, range(n), ids].cumsum()
        return [(sums[t], -ids[t]) for t in reversed(range(n))]

    sequences = product(range(len(labels)), repeat=n)
    expected = max(
        (ids for ids in sequences if is_well_formed(labels, [labels[k] for k in ids])),
        key=from_the_end,
    )
    assert scheme.decode(logits, valid=True)[0].tolist() == list(expected)


@pytest.mark.parametrize("name", SCHEMES)
@given(data=st.data())
def test_valid_sequences_are_valid(name, data):
    """Sequences are well formed, so their spans equal seqeval's."""
    labels = SCHEMES[name]
    scheme = scheme_of(labels)
    logits, where = data.draw(tables(len(labels), most_tokens=40))
    ids = scheme.decode(logits, where, valid=True)
    there = np.ones(ids.shape, bool) if where is None else where
    assert ((ids == IGNORED) == ~there).all()
    kept = [[labels[k] for k in line if k != IGNORED] for line in ids]
    assert all(is_well_formed(labels, tags) for tags in kept)
    assert by_sequence(scheme.rows(ids)) == [entities(tags, ALL_ROLES) for tags in kept]


@given(st.data())
def test_the_best_label_is_that_of_argmax(data):
    scheme = fc.TagScheme(LABELS["IOBES"])
    logits, _ = data.draw(tables(len(scheme.labels)))
    assert_same(scheme.decode(logits), logits.argmax(-1).astype(np.int32))
    if is_well_formed_everywhere(scheme, best := scheme.decode(logits)):
        chosen = np.take_along_axis(logits.astype(float), best[..., None], -1)
        path = scheme.decode(logits, valid=True)
        if np.isfinite(chosen).all() and (np.abs(chosen) < 100).all():
            of_path = np.take_along_axis(logits.astype(float), path[..., None], -1)
            np.testing.assert_array_equal(of_path, chosen)


def is_well_formed_everywhere(scheme, ids):
    return all(is_well_formed(scheme.labels, [scheme.labels[k] for k in line]) for line in ids)


def test_what_is_not_there_is_stepped_over():
    """Masked tokens are skipped, whatever their logits are."""
    rng = np.random.default_rng(0)
    scheme = fc.TagScheme(LABELS["IOBES"], ignore_index=-1)
    logits = rng.normal(size=(50, 30, len(scheme.labels)))
    where = rng.random((50, 30)) < 0.6
    logits[~where] = rng.choice([np.nan, INF, 1e9], logits[~where].shape)
    for valid in (False, True):
        ids = scheme.decode(logits, where, valid=valid)
        assert (ids[~where] == -1).all()
        for line, found, there in zip(logits, ids, where, strict=True):
            alone = scheme.decode(line[there][None], valid=valid)
            assert_same(found[there], alone[0])


@pytest.mark.parametrize(
    ("dtype", "first", "last", "expected"),
    [
        ("float32", 2.0**24, 1.5, [0, 0, 0]),  # 2^24 + 1 is no float32, but a double
        ("float64", 2.0**53, 1.5, [0, 1, 2]),  # 2^53 + 1 is 2^53, and 2^53 + 1.5 is 2^53 + 2
        ("float64", 2.0**53, 1.0, [0, 0, 0]),
    ],
)
def test_sums_are_of_doubles_in_order(dtype, first, last, expected):
    """S-S-S adds 1 and 1 to the first token's logit, S-B-E adds 0 and the last token's logit."""
    logits = np.full((1, 3, 3), -INF, dtype)
    logits[0, :, 0] = [first, 1, 1]
    logits[0, 1, 1], logits[0, 2, 2] = 0, last
    scheme = fc.TagScheme(["S-Cause", "B-Cause", "E-Cause"])
    assert scheme.decode(logits, valid=True).tolist() == [expected]


def test_a_label_that_cannot_be():
    """A label of -inf is chosen only if no other can be, and then by the rule of equals."""
    scheme = fc.TagScheme(["B-Cause", "I-Cause", "O"])
    never = np.full((1, 3, 3), -INF)
    assert scheme.decode(never).tolist() == [[0, 0, 0]]
    assert scheme.decode(never, valid=True).tolist() == [[0, 0, 0]]
    never[0, 2, 1] = 0  # an I-Cause at the end: it has to go on
    assert scheme.decode(never, valid=True).tolist() == [[0, 0, 0]]
    never[0, :, 1] = [5, 5, 5]
    never[0, 0, 2] = never[0, 1, 0] = never[0, 2, 2] = -9
    assert scheme.decode(never, valid=True).tolist() == [[2, 0, 1]]
    never[0, 0, 0] = -9
    assert scheme.decode(never, valid=True).tolist() == [[0, 1, 1]]


def test_sums_beyond_the_largest_number():
    """Sums stay at the largest number: infinite ones would make a NaN with -inf."""
    scheme = fc.TagScheme(["O", "S-Cause"])
    logits = np.full((1, 4, 2), 1.7e308)
    logits[0, 3] = [-INF, 0]
    assert scheme.decode(logits, valid=True).tolist() == [[0, 0, 0, 1]]
    assert_same(scheme.decode(logits, valid=True), in_python(scheme, logits, None, True))


# --------------------------------------------------------------------------------------- arrays


@trials(30)
@given(st.data())
def test_any_array_will_do(data):
    scheme = fc.TagScheme(LABELS["BIO"])
    logits, where = data.draw(tables(len(scheme.labels)))
    apart = np.zeros((*logits.shape[:2], 3 * logits.shape[2] + 1), logits.dtype)[..., 1::3]
    apart[...] = logits
    odd = np.zeros(logits.size * logits.itemsize + 1, np.uint8)[1:]
    odd = odd.view(logits.dtype).reshape(logits.shape)
    odd[...] = logits
    packed = np.zeros(logits.shape, [("a", np.uint8), ("b", logits.dtype)])
    packed["b"] = logits
    readonly = logits.copy()
    readonly.flags.writeable = False
    transposed = np.ascontiguousarray(logits.transpose(2, 0, 1)).transpose(1, 2, 0)
    backward = np.ascontiguousarray(logits[::-1, ::-1, ::-1])[::-1, ::-1, ::-1]
    swapped = logits.astype(logits.dtype.newbyteorder())
    for valid in (False, True):
        expected = scheme.decode(logits, where, valid=valid)
        others = (apart, odd, packed["b"], readonly, transposed, backward, swapped)
        for other in others:
            there = None if where is None else np.asfortranarray(where)
            assert_same(scheme.decode(other, there, valid=valid), expected)
        assert_same(scheme.decode(logits.astype(float), where, valid=valid), expected)
    if logits.size:
        assert_same(scheme.decode(logits.tolist()), scheme.decode(logits))


def test_one_token_for_all():
    """Axes without strides, as of `broadcast_to` and torch's expand, decode like a copy."""
    scheme = fc.TagScheme(LABELS["BIO"])
    token = np.arange(7.0)[::-1]
    wide = np.broadcast_to(token, (3, 5, 7))
    assert_same(scheme.decode(wide, valid=True), scheme.decode(wide.copy(), valid=True))


@pytest.mark.slow  # imports PyTorch
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_tensors(dtype):
    torch = pytest.importorskip("torch")
    scheme = fc.TagScheme(LABELS["IOBES"])
    torch.manual_seed(0)
    logits = torch.randn(8, len(scheme.labels), 20).to(getattr(torch, dtype)).mT
    logits.requires_grad_()
    where = torch.rand(8, 20) < 0.8
    ids = scheme.decode(logits, where)
    assert_same(ids, torch.where(where, logits.argmax(-1), IGNORED).int().numpy())
    expected = scheme.decode(logits.detach().double().numpy(), where.numpy(), valid=True)
    assert_same(scheme.decode(logits, where, valid=True), expected)
    tensors = torch.from_numpy(ids), where, torch.arange(20).expand(8, 20)
    rows, same = scheme.rows(*tensors), scheme.rows(*(tensor.numpy() for tensor in tensors))
    np.testing.assert_array_equal(rows.values, same.values)
    scorer, other = fc.TagScorer(scheme), fc.TagScorer(scheme)
    scorer.update(gold=tensors[0], pred=tensors[0].roll(1, 0).clamp(min=0))
    other.update(gold=ids, pred=np.roll(ids, 1, 0).clip(0))
    assert scorer.compute().to_dict() == other.compute().to_dict()


# ------------------------------------------------------------------------------------- refusals


def refused(message, *arguments, labels=LABELS["BIO"], **options):
    with pytest.raises(fc.InputError, match=f"^{re.escape(message)}"):
        fc.TagScheme(labels).decode(*arguments, **options)


@pytest.mark.parametrize("dtype", list(DTYPES))
@pytest.mark.parametrize("valid", [False, True])
@pytest.mark.parametrize("logit", [np.nan, INF])
@example(token=39, label=6, sequence=2)
@given(token=st.integers(0, 39), label=st.integers(0, 6), sequence=st.integers(0, 2))
def test_logits_that_are_none(dtype, valid, logit, token, label, sequence):
    logits = np.full((3, 40, 7), -INF, dtype)
    logits[sequence, token, label:] = logit
    logits[sequence, token + 1 :] = logits[sequence + 1 :] = INF + 1
    where = np.zeros((3, 40), bool)
    scheme = fc.TagScheme(LABELS["BIO"])
    assert (scheme.decode(logits, where, valid=valid) == IGNORED).all()
    where[sequence, token] = True
    for there in (None, where):
        refused(
            f"example {sequence}, token {token}: logit {logit} of label {scheme.labels[label]}, "
            "expected a finite number or -inf",
            logits, there, valid=valid,
        )  # fmt: skip


def test_arrays_that_do_not_fit():
    logits = np.zeros((2, 3, 7))
    refused("logits: found int64, expected float16, float32, float64", logits.astype(int))
    refused("logits: found complex128, expected float16,", logits * 1j)
    refused("logits: found the shape (3, 7), expected [batch, tokens, 7]", logits[0])
    refused("logits: found the shape (2, 3, 6), expected [batch, tokens, 7]", logits[..., 1:])
    refused("logits cannot be read: ", [[[1.0], [1.0, 2.0]]])
    refused("where: found int64, expected bool", logits, np.ones((2, 3), int))
    refused("where: found the shape (3, 2), expected (2, 3)", logits, np.ones((3, 2), bool))
    refused(
        "where: found the shape (2, 3, 1), expected [batch, tokens]", logits, logits[..., :1] == 0
    )
    refused("the scheme has no labels to choose from", logits[..., :0], labels=[])
    with pytest.raises(ValueError, match="ignore_index is 2147483648, expected an int32"):
        fc.TagScheme(LABELS["BIO"], 2**31).decode(logits)


@pytest.mark.parametrize(
    "labels",
    [["B-Cause", "I-Cause", "E-Cause"], ["I-Cause", "B-Effect", "E-Effect", "B-Cause", "E-Cause"]],
)
def test_schemes_without_a_sequence(labels):
    logits = np.zeros((0, 0, len(labels)))
    message = f"no label of {', '.join(labels)} is a well formed sequence alone, expected O, or an"
    refused(message, logits, valid=True, labels=labels)
    assert fc.TagScheme(labels).decode(logits).shape == (0, 0)


def test_marks_are_public():
    marks = fc.TagScheme(["O", "B-Cause", "I-Cause", "E-Effect", "S-Signal"]).marks
    assert marks.tolist() == [-4, 1, 0, 6, 11]
    assert marks.dtype == np.int32
