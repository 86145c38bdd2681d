"""Label ids to rows, against seqeval and against plain Python."""

from __future__ import annotations

import pickle
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.decoding import label_paths
from fastcausal.decoding.faults import Fault
from fastcausal.formats import schemes
from fastcausal.relations import ROLES
from fastcausal.rows import Rows
from tests.support.profiles import trials

IGNORED = -100
LABELS = {
    "BIO": ["O", *(f"{p}-{role.capitalize()}" for role in ROLES for p in "BI")],
    "IOBES": [*(f"{p}-{role.capitalize()}" for p in "SEIB" for role in ROLES), "O"],
    "IO": ["I-Cause", "O", "I-Effect", "I-Signal"],
}
DTYPES = (np.int8, np.int16, np.int32, np.int64)


@st.composite
def matrices(draw, n_labels, ignored=True):
    """Label ids in runs of any length: 64 tokens are looked at at once."""
    n, width = draw(st.integers(0, 4)), draw(st.sampled_from([0, 1, 9, 40, 64, 65, 130]))
    ids = st.integers(-1 if ignored else 0, n_labels - 1).map(lambda k: IGNORED if k < 0 else k)
    runs = st.lists(
        st.tuples(ids, st.sampled_from([1, 1, 1, 2, 3, 7, 8, 9, 63, 64])), max_size=width
    )
    matrix = np.full((n, width), 0 if not ignored else IGNORED, draw(st.sampled_from(DTYPES)))
    for line in matrix:
        found = [label for label, times in draw(runs) for _ in range(times)][:width]
        line[: len(found)] = found
    return matrix


def entities(labels, roles=ROLES):
    """Return seqeval's spans as (role, start, stop)."""
    from seqeval.metrics.sequence_labeling import get_entities  # `make gpu` has none

    found = get_entities(labels)
    return [[roles.index(name.lower()), start, last + 1] for name, start, last in found]


def by_sequence(rows):
    """Spans by sequence; each with any is one relation."""
    assert [a.dtype.name for a in (*rows.arrays(), rows.lengths)] == [
        "int32", "int64", "int64", "int32"
    ]  # fmt: skip
    found = []
    for first, last in zip(rows.relation_offsets[:-1], rows.relation_offsets[1:], strict=True):
        assert last - first in (0, 1)
        assert last == first or len(rows.relation(first))
        found.append(rows.relation(first).tolist() if last > first else [])
    assert len(found) == rows.n_examples
    return found


@pytest.mark.parametrize("scheme", LABELS)
@given(data=st.data())
def test_spans_are_those_of_seqeval(scheme, data):
    labels = LABELS[scheme]
    ids = data.draw(matrices(len(labels)))
    rows = fc.TagScheme(labels).rows(ids)
    kept = [[labels[k] for k in line if k != IGNORED] for line in ids]
    assert by_sequence(rows) == [entities(line) for line in kept]
    assert rows.lengths.tolist() == list(map(len, kept))


@given(st.data())
def test_where_is_the_same_as_ignoring(data):
    scheme = fc.TagScheme(LABELS["IOBES"])
    ids = data.draw(matrices(len(scheme.labels)))
    where = np.array(data.draw(st.lists(st.booleans(), min_size=ids.size, max_size=ids.size)), bool)
    where = where.reshape(ids.shape)
    assert same(scheme.rows(ids, where), scheme.rows(np.where(where, ids, ids.dtype.type(IGNORED))))


@given(st.data())
def test_words_have_the_label_of_their_first_token(data):
    labels = LABELS["BIO"]
    ids = data.draw(matrices(len(labels)))
    words = np.full(ids.shape, -1, np.int32)
    expected, lengths = [], []
    for line, numbers in zip(ids, words, strict=True):
        word, found = 0, {}
        for t, step in enumerate(data.draw(st.lists(st.integers(-1, 2), max_size=len(line)))):
            if step >= 0:  # else a special token
                word += step
                numbers[t] = word
                found.setdefault(word, line[t])
        there = [k for k in sorted(found) if found[k] != IGNORED]
        spans = entities([labels[found[k]] for k in there])
        expected.append([[role, there[a], there[b - 1] + 1] for role, a, b in spans])
        lengths.append(max(found, default=-1) + 1)
    rows = fc.TagScheme(labels).rows(ids, word_ids=words)
    assert by_sequence(rows) == expected
    assert rows.lengths.tolist() == lengths
    assert same(rows, fc.TagScheme(labels).rows(ids, word_ids=words.astype(np.int64)))


def same(a: Rows, b: Rows) -> bool:
    pairs = zip((*a.arrays(), a.lengths), (*b.arrays(), b.lengths), strict=True)
    return all(np.array_equal(x, y) for x, y in pairs)


@trials(20)
@given(matrices(7))
def test_any_array_will_do(ids):
    scheme = fc.TagScheme(LABELS["BIO"])
    expected = scheme.rows(ids)
    wide = np.repeat(ids, 2, axis=1)
    readonly = ids.copy()
    readonly.flags.writeable = False
    swapped = ids.astype(ids.dtype.newbyteorder())
    for other in (np.asfortranarray(ids), wide[:, ::2], readonly, swapped, memoryview(ids)):
        assert same(scheme.rows(other), expected)
    if ids.size:
        assert same(scheme.rows(ids.tolist()), expected)


@given(st.data())
def test_bilou_is_iobes_by_other_letters(data):
    labels = LABELS["IOBES"]
    other = [label.replace("S-", "U-").replace("E-", "L-") for label in labels]
    ids = data.draw(matrices(len(labels)))
    one, two = fc.TagScheme(labels), fc.TagScheme(other)
    assert same(one.rows(ids), two.rows(ids))
    assert one.marks.tolist() == two.marks.tolist()


@given(st.permutations(list(enumerate(LABELS["BIO"]))), st.sampled_from([int, str, np.int64]))
def test_labels_by_id_in_any_order(pairs, kind):
    scheme = fc.TagScheme(LABELS["BIO"])
    assert fc.TagScheme({kind(k): name for k, name in pairs}) == scheme
    assert fc.TagScheme({name: kind(k) if kind is not str else k for k, name in pairs}) == scheme


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({"O": 0, "B-C": 2}, "label id 1 is missing, found 0, 2, expected 0 to 1"),
        ({1: "O", 2: "B-C"}, "label id 0 is missing, found 1, 2, expected 0 to 1"),
        ({-1: "O", 0: "B-C"}, "label id 1 is missing, found -1, 0, expected 0 to 1"),
        ({"O": 0, "B-C": 0}, "label id 0 is both 'O' and 'B-C'"),
        ({0: "O", "0": "B-C"}, "label id 0 is both 'O' and 'B-C'"),
        ({"x": "O"}, "label 'O': the id is 'x', expected a number"),
        ({"O": 0, "B-C": 1.5}, "label 'B-C': the id is 1.5, expected a number"),
        ({0: "O", 1: "B-X"}, "unknown label 'B-X'"),
    ],
)
def test_ids_with_holes_and_doubles(labels, message):
    with pytest.raises(fc.InputError, match=f"^{re.escape(message)}"):
        fc.TagScheme(labels)


def test_marks_are_those_of_native_code():
    assert (schemes.BEGINS, schemes.ENDS) == (label_paths.BEGINS, label_paths.ENDS)


def test_names_of_labels():
    ids = [[0, 1, 2, 3, 3, 0, 4]]
    rows = fc.TagScheme(["O", "b-ARG0".replace("b", "B"), "I-C", "effect", "S-sig"]).rows(ids)
    assert by_sequence(rows) == [[[0, 1, 3], [1, 3, 5], [2, 6, 7]]]


def test_a_scheme_is_a_value():
    scheme = fc.TagScheme(LABELS["BIO"], ignore_index=-1)
    assert scheme == fc.TagScheme(tuple(LABELS["BIO"]), -1) == pickle.loads(pickle.dumps(scheme))
    assert scheme != fc.TagScheme(LABELS["BIO"])
    assert len({scheme, fc.TagScheme(LABELS["BIO"], -1)}) == 1
    assert by_sequence(scheme.rows([[-1, 1, -1, 2]])) == [[[0, 0, 2]]]


@pytest.mark.parametrize("label", ["", "o", "B-", "X-Cause", "B_Cause", "B-Claim", "B-B-Cause", 3])
def test_names_that_are_no_labels(label):
    with pytest.raises(fc.InputError, match=re.escape(f"unknown label {label!r}, expected O, or")):
        fc.TagScheme(["O", label])


def refused(message, *args, **kwargs):
    scheme = fc.TagScheme(LABELS["BIO"])
    with pytest.raises(fc.InputError, match=f"^{re.escape(message)}"):
        scheme.rows(*args, **kwargs)


@given(st.data())
def test_many_labels_and_any_number_for_what_is_not_there(data):
    labels = LABELS["IOBES"] * data.draw(st.sampled_from([1, 9, 10, 13, 40]))
    ids = data.draw(matrices(len(LABELS["IOBES"]))).astype(np.int64)
    expected = fc.TagScheme(labels).rows(ids)
    ignored = data.draw(st.sampled_from([-1, -129, -228, 127 + len(labels), 2**31, -(2**63)]))
    other = np.where(ids == IGNORED, ignored, len(labels) - len(LABELS["IOBES"]) + ids)
    assert same(fc.TagScheme(labels, ignored).rows(other), expected)


@pytest.mark.parametrize("label", [7 - 2**8, 2**8, 2**8 - 100, 2**32, -(2**63), 2**63 - 1])
def test_numbers_that_are_no_int8(label):
    ids = np.zeros((2, 70), np.int64)
    ids[1, 69] = label
    refused(f"example 1, token 69: label id {label}, expected 0 to 6,", ids)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("label", [7, 127, -1, -99, -128])
def test_labels_outside_the_scheme(dtype, label):
    ids = np.zeros((3, 50), dtype)
    ids[1, 33] = label
    message = f"example 1, token 33: label id {label}, expected 0 to 6, or -100 where there is no"
    refused(message, ids)
    refused(message, ids, np.ones(ids.shape, bool))
    refused(message, np.asfortranarray(ids))
    assert not len(fc.TagScheme(LABELS["BIO"]).rows(ids, ids == 0).values)


def test_arrays_that_do_not_fit():
    ids = np.zeros((2, 3), int)
    refused("ids: found float64, expected int8, int16, int32, int64", ids / 1)
    refused("ids: found uint8, expected int8,", ids.astype(np.uint8))
    refused("ids: found the shape (3,), expected [batch, tokens]", ids[0])
    refused("ids: found the shape (2, 3, 1), expected [batch, tokens]", ids[..., None])
    refused("ids cannot be read: ", [[1], [1, 2]])
    refused("where: found int64, expected bool", ids, ids)
    refused("where: found the shape (2, 2), expected (2, 3)", ids, ids[:, :2] == 0)
    refused("word_ids: found the shape (3, 2), expected (2, 3)", ids, word_ids=ids.T)
    refused(
        "word_ids: found 2147483648 to 2147483648, expected", ids, word_ids=ids + 2**31 * (ids == 0)
    )
    refused("word_ids: found -2 to 0, expected", ids, word_ids=ids - [0, 2, 0])
    words = np.array([[0, 1, 2], [4, -1, 3]], np.int32)
    refused("example 1, token 2: word 3 after word 4, expected in order", ids, word_ids=words)
    with pytest.raises(ValueError, match='ignore_index is 0, which is the label "O"'):
        fc.TagScheme(LABELS["BIO"], 0)


def unaligned(array):
    """Return the same array in memory with its items at odd addresses."""
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    found = memory.view(array.dtype).reshape(array.shape)
    found[:] = array
    assert not found.flags.aligned
    return found


def test_unaligned_memory():
    scheme = fc.TagScheme(LABELS["BIO"])
    ids = np.array([[0, 1, 2, IGNORED], [3, 4, 0, 5]])
    words = np.array([[0, 1, 2, -1], [0, 1, 1, 3]], np.int32)
    assert same(scheme.rows(unaligned(ids)), scheme.rows(ids))
    assert same(scheme.rows(ids, word_ids=unaligned(words)), scheme.rows(ids, word_ids=words))
    logits = np.arange(42.0).reshape(2, 3, 7) % 5
    assert (scheme.decode(unaligned(logits)) == scheme.decode(logits)).all()


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_the_last_number_of_a_word_is_refused(dtype):
    scheme = fc.TagScheme(LABELS["BIO"])
    words = np.array([[0, 2**31 - 2, 2**31 - 1]], dtype)
    ids = np.array([[0, 1, 1]])
    assert scheme.rows(ids[:, :2], word_ids=words[:, :2]).values.tolist() == [
        [0, 2**31 - 2, 2**31 - 1]
    ]
    with pytest.raises(fc.InputError, match="word"):
        scheme.rows(ids, word_ids=words)


def test_arrays_that_change_while_they_are_read(monkeypatch):
    """If Python cannot find native code's fault again, another thread wrote to the arrays."""
    scheme = fc.TagScheme(LABELS["BIO"])
    ids, words, logits = np.zeros((1, 2), int), np.zeros((1, 2), np.int32), np.zeros((1, 2, 7))

    for name in ("tags.label_rows", "tags.label_ids", "spans.select_spans"):
        monkeypatch.setattr(f"fastcausal.decoding.{name}", lambda *_: Fault(0, 0, 1))
    for call in (
        lambda: scheme.rows(ids),
        lambda: scheme.rows(ids, word_ids=words),
        lambda: scheme.decode(logits),
        lambda: fc.SpanDecoder().decode(np.zeros((1, 5, 4))),
    ):
        with pytest.raises(fc.InputError, match="example 0, token 0: the arrays changed while"):
            call()
