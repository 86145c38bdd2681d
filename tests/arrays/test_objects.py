"""Python objects read by native code, against the plain Python that reads everything else."""

from __future__ import annotations

import re
from functools import partial
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.arrays import _objects
from fastcausal.formats import _tokens, bio
from fastcausal.formats.cnc.markup import TOKEN
from fastcausal.formats.schemes import LABELS
from fastcausal.relations import ROLES
from fastcausal.rows import Rows, rows_of_examples
from tests.support.profiles import trials
from tests.support.strategies import LENGTH, Span, spans

# ---------------------------------------------------------------------------------- example dicts


class Hostile:
    """Fails however it is looked at."""

    def fail(self, *args):
        raise RuntimeError("looked at")

    __eq__ = __len__ = __iter__ = __getitem__ = __index__ = __int__ = __bool__ = fail
    __hash__ = object.__hash__


class HostileDict(dict):
    keys = items = get = __getitem__ = __contains__ = Hostile.fail


class HostileList(list):
    __len__ = __iter__ = __getitem__ = Hostile.fail


class SameHash:
    """A key that takes the place of a name, and empties its dict when it is compared."""

    def __init__(self, name):
        self.name = name
        self.owner = {}

    def __hash__(self):
        return hash(self.name)

    def __eq__(self, other):
        self.owner.clear()
        return False


class Text(str):
    __slots__ = ()


NUMBERS = st.sampled_from([int, np.int8, np.int32, np.int64, np.uint16])
SEQUENCES = st.sampled_from([list, tuple])


@st.composite
def plain_examples(draw):
    """Examples that native code reads: any numbers, any sequences, any way to give a length."""

    def written(bounds):
        return draw(SEQUENCES)(draw(NUMBERS)(bound) for bound in bounds)

    def relation(found: list[Span]):
        by_role: dict[str, object] = {}
        for role, start, stop in found:
            by_role.setdefault(ROLES[role], []).append(written((start, stop)))
        for name, several in by_role.items():
            one = len(several) == 1 and draw(st.booleans())
            by_role[name] = several[0] if one else draw(SEQUENCES)(several)
        return by_role

    lengths = [
        {"length": LENGTH},
        {"length": np.int64(LENGTH), "text": "x"},
        {"tokens": ["x"] * LENGTH, "length": None},
        {"tokens": None, "text": " é\tx\x0b" * (LENGTH // 2) + "\x1c\x85\u2028"[:0]},
        {},
        {"text": None},
    ]
    names = draw(st.sampled_from([None, str, int]))
    found = []
    for k in range(draw(st.integers(0, 4))):
        relations = draw(st.lists(st.lists(spans(), max_size=5).map(relation), max_size=3))
        one = dict(draw(st.sampled_from(lengths)))
        one["relations"] = draw(SEQUENCES)(relations)
        if names is not None:
            one["id"] = names(k)
        found.append(one)
    return found


def in_python(examples, roles=ROLES):
    with mock.patch.object(_objects, "example_rows", return_value=None):
        return fc.Relations.from_examples(examples, roles)


def table_and_error(read, examples):
    try:
        return read(examples), None
    except Exception as error:
        return None, (type(error), str(error))


def same_rows(a: Rows, b: Rows) -> bool:
    pairs = zip((*a.arrays(), a.lengths), (*b.arrays(), b.lengths), strict=True)
    return all(np.array_equal(x, y) and x.dtype == y.dtype for x, y in pairs)


@given(plain_examples())
def test_native_tables_are_those_of_python(examples):
    expected = in_python(examples)
    found = fc.Relations.from_examples(examples)
    assert found.table.equals(expected.table, check_metadata=True)
    rows, ids = rows_of_examples(examples)
    assert same_rows(rows, Rows.of(expected))
    assert ids == (expected.ids.to_pylist() if expected.ids is not None and examples else None)


def test_other_roles():
    examples = [{"length": 3, "relations": [{"reason": (0, 1), "claim": [(1, 2), (2, 3)]}]}]
    roles = ("claim", "reason")
    rows, _ = rows_of_examples(examples, roles)
    assert rows.values.tolist() == [[1, 0, 1], [0, 1, 2], [0, 2, 3]]
    assert rows_of_examples(examples) is None
    found = fc.Relations.from_examples(examples, roles).table
    assert found.equals(in_python(examples, roles).table)


ODD = st.deferred(lambda: st.integers(0, len(odd()) - 1).map(lambda k: odd()[k]))


def odd():
    """Anew each time: a test may put something into one of these."""
    return [
     None, True, 0, -1, 1.0, 2**31, 2**31 - 1, 2**63, -(2**63) - 1, 10**30, "", "x", "\ud800", b"x",
     (0, 1), [0, 1], (1, 0), (0, 0), (-1, 1), (0, 2**31), (0, True), (0, 1.0), (0, 1, 2), (0,), (),
     np.int64(3), np.uint64(2**63), np.float64(1), np.bool_(True), np.array([0, 1]), Text("cause"),
     Hostile(), HostileList([0, 1]), HostileDict(cause=(0, 1)), {"cause": (0, 1)}, {"x": (0, 1)},
     [{"cause": [(0, 1), None]}], [None], [[[[[[]]]]]], {3: (0, 1)}, {None: None}, range(2), {0, 1},
    ]  # fmt: skip


@st.composite
def odd_examples(draw):
    """Plain examples, with something put in the place of anything."""
    examples = draw(plain_examples())
    for _ in range(draw(st.integers(1, 2))):
        place, key, column = examples, None, None
        while type(place) in (list, dict) and len(place) and (key is None or draw(st.booleans())):
            within = place
            key = draw(st.sampled_from([*place] if isinstance(place, dict) else range(len(place))))
            place = within[key]
            column = key if column is None and isinstance(within, dict) else column
        if key is not None:
            value = draw(ODD)
            # Texts and tokens as such are pyarrow's to read, and end with a fault on this one.
            if not (column in ("text", "tokens") and type(value) is HostileList):
                within[key] = value
    return examples


@trials(300)
@given(odd_examples())
@example([{"relations": [None], "length": 1}])
@example([{"relations": [{"cause": (0, 2)}], "text": "\ud800 x"}])
@example([{"id": "a"}, {"id": "a"}])
@example([{"id": "a"}, {}])
@example([{"id": None}])
@example([{"id": "\ud800"}])
def test_odd_objects_are_left_to_python(examples):
    expected, error = table_and_error(in_python, examples)
    found, found_error = table_and_error(fc.Relations.from_examples, examples)
    assert found_error == error
    if expected is not None:
        assert found.table.equals(expected.table, check_metadata=True)
    if isinstance(examples, list):
        rows = rows_of_examples(examples)
        if rows is not None and expected is not None:
            assert same_rows(rows[0], Rows.of(expected))
        # Native code takes nothing that Python refuses, unless the fault is in another column.
        elsewhere = error is not None and "cannot be read" in error[1]
        assert rows is None or error is None or elsewhere or error[0] is not fc.InputError


@pytest.mark.parametrize("name", ["id", "length", "tokens", "text", "relations"])
def test_keys_that_empty_their_dict(name):
    key = SameHash(name)
    one = {key: 0, "relations": [{"cause": (0, 1)}], "length": 1, "id": "a", "text": "x"}
    key.owner = one
    rows_of_examples([one])  # any result will do: the process survives
    key = SameHash("cause")
    relation = {key: (0, 1), "cause": (0, 1)}
    key.owner = relation
    assert rows_of_examples([{"relations": [relation]}]) is None


@pytest.mark.parametrize("examples", [None, 3, "x", {}, Hostile(), iter([]), HostileList([{}])])
def test_what_is_no_list_of_examples(examples):
    assert rows_of_examples(examples) is None


def test_deep_and_long():
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert rows_of_examples([{"relations": [{"cause": deep}]}]) is None
    many = {"cause": [(k, k + 1) for k in range(50_000)][::-1], "effect": [(5, 9)]}
    rows, _ = rows_of_examples([{"relations": [many]}])
    assert (rows.values[:, 1] == sorted([5, *range(50_000)])).all()


# ------------------------------------------------------------------------------------------- tags


def spans_of_tags(tags):
    """Return the spans of tags, each role a sequence of its own; None if a tag is wrong."""
    found = []
    opened: dict[int, int] = {}
    for k, tag in enumerate(tags):
        going: dict[int, int] = {}
        for mark in [] if tag == "O" else tag.split("|"):
            if mark == "O":
                continue
            role = LABELS[mark[2:].lower()]
            if role in going or (mark[0] in "IEL" and role not in opened):
                return None
            going[role] = k if mark[0] in "BSU" else opened[role]
        found += [(r, start, k) for r, start in opened.items() if going.get(r) != start]
        ended = {LABELS[m[2:].lower()] for m in tag.split("|") if m[0] in "ESLU"}
        found += [(role, going[role], k + 1) for role in ended]
        opened = {role: start for role, start in going.items() if role not in ended}
    return sorted(found + [(role, start, len(tags)) for role, start in opened.items()])


MARKS = st.sampled_from(
    ["O", "B-Cause", "I-Cause", "B-E", "I-effect", "B-SIG", "I-Signal", "I-Cause|I-Effect",
     "B-Cause|E-Effect", "L-C", "S-Signal", "U-C|I-E", "E-Cause",
     "B-Cause|I-Effect", "B-Signal|I-Cause|B-Effect", "O|I-Cause", "B-C|B-Cause", "I-C"]
)  # fmt: skip


@given(st.lists(st.lists(st.lists(MARKS, max_size=9), max_size=3), max_size=4))
def test_tags_mean_what_python_says(examples):
    fresh = [[[f"{tag} "[:-1] for tag in tags] for tags in relations] for relations in examples]
    for given_ in (examples, fresh, [[tuple(map(Text, r)) for r in e] for e in examples]):
        found = bio.read(given_) if any(examples) else None
        if found is None:
            continue
        for relations, row in zip(examples, found.table["relations"].to_pylist(), strict=True):
            assert len(relations) == len(row)
            for tags, spans_found in zip(relations, row, strict=True):
                expected = spans_of_tags(tags) if len(tags) == len(relations[0]) else None
                if expected is None:
                    assert spans_found is None
                else:
                    assert [tuple(s.values()) for s in spans_found] == expected


@given(
    st.lists(st.text(st.sampled_from("BIO-|causeE"), max_size=20) | MARKS, min_size=1, max_size=6)
)
@example(["B-Cause", "I-Cause|O|O|O|O|O|O"])
@example(["I-Cause", "B-Clause"])
@example(["\ud800"])
@example([""])
def test_strings_that_are_no_tags(tags):
    first = None
    for k, tag in enumerate(tags):
        known = bio.is_tag(tag) and all(
            mark == "O" or mark[2:].lower() in LABELS for mark in tag.split("|")
        )
        if not known or spans_of_tags(tags[: k + 1]) is None:
            first = "tag" if not known else "order"
            break
    if first == "tag":
        with pytest.raises(fc.InputError, match=r"^example 0: (.* is not a tag|unknown label)"):
            bio.read([tags])
    else:
        read = bio.read([tags])
        assert read.n_unread == (first == "order")
        assert bool(read.reading.unread) == (first == "order")


def test_lists_that_hold_no_tags():
    message = "^" + re.escape("example 1: expected lists of tags, and all examples alike") + "$"
    for odd in (3, None, b"O", Hostile(), HostileDict()):
        with pytest.raises(fc.InputError, match=message):
            bio.read([[["O"]], [["I-C", odd], ["X"]]])
    with pytest.raises(fc.InputError, match=message):
        bio.read([[["O"]], [["O"], Hostile()]])


# ----------------------------------------------------------------------------------------- tokens


@given(st.text(st.sampled_from("ab \t\n\r\x0b\x0c\x1c\x85\u00a0é\u2028😀\ud800"), max_size=30))
def test_tokens_are_what_white_space_separates(text):
    starts, stops = _tokens.token_bounds(text)
    assert list(zip(starts, stops, strict=True)) == [m.span() for m in TOKEN.finditer(text)]


TEXT = "Rain fell,  so\troads é😀 closed. "
OFFSETS = st.tuples(st.integers(-1, len(TEXT) + 1), st.integers(-1, len(TEXT) + 1)) | st.tuples(
    st.integers(0, 20), st.integers(1, 9)
).map(lambda found: (found[0], sum(found)))
SPAN = (
    OFFSETS.map(list)
    | OFFSETS
    | OFFSETS.map(lambda found: dict(zip(("start", "stop"), found, strict=True)))
)
CLEAN = st.dictionaries(st.sampled_from(ROLES), SPAN | st.lists(SPAN, max_size=3), max_size=3)
UNCLEAN = st.dictionaries(
    st.sampled_from([*ROLES, "claim"]), SPAN | ODD | st.lists(SPAN | ODD, max_size=3), max_size=2
)


@trials(300)
@given(st.lists(CLEAN | CLEAN | UNCLEAN | ODD, max_size=3), st.sampled_from([TEXT, "", "\ud800 x"]))
def test_offsets_are_those_of_python(relations, text):
    source = [{"text": text, "relations": relations}]
    found, found_error = table_and_error(formats.spans.read, source)
    with mock.patch.object(formats.spans, "spans_of", return_value=None):
        expected, error = table_and_error(formats.spans.read, source)
    assert found_error == error
    if expected is not None:
        assert found.table.equals(expected.table, check_metadata=True)


# Letters that repeat each other, of one to four bytes, and white space of every kind.
WORDS = st.text(st.sampled_from('aab  \t\u00a0\u2028éÉß😀İ"’.…-'), max_size=12)
TEXTS = st.dictionaries(
    st.sampled_from(ROLES), WORDS | st.lists(WORDS | SPAN | st.none(), max_size=4), max_size=3
)


@trials(600)
@given(
    st.lists(TEXTS | TEXTS | UNCLEAN, max_size=3),
    st.lists(WORDS, max_size=6).map(" ".join),
    st.sampled_from(["gap", "first"]),
)
@example([{"signal": ["a", "a", "a"], "cause": "b"}], "a b a", "gap")
@example([{"signal": "b", "cause": "a", "effect": ["a", "a"]}], "b a b a", "gap")
def test_texts_are_found_as_python_finds_them(relations, text, occurrence):
    source = [{"text": text, "relations": relations}]
    found, found_error = table_and_error(spans_by(occurrence), source)
    with mock.patch.object(formats.spans, "spans_of", return_value=None):
        expected, error = table_and_error(spans_by(occurrence), source)
    assert found_error == error
    if expected is not None:
        assert found.table.equals(expected.table, check_metadata=True)


def spans_by(occurrence):
    return partial(formats.spans.read, occurrence=occurrence)


@pytest.mark.parametrize("letters", ["a", "a ", "ab "])
def test_texts_in_long_texts_that_repeat_themselves(letters):
    """Each of these would take minutes in quadratic time."""
    text = letters * 100_000
    for wanted in (text[: len(text) // 2], "b" + text[len(text) // 2 :], letters):
        relation = {"signal": wanted, "cause": [0, 1], "effect": [len(text) - 2, len(text) - 1]}
        read = formats.spans.read([{"text": text, "relations": [relation]}])
        assert len(read.table["relations"][0]) == 1


PLACES = {role: k for k, role in enumerate(ROLES)}


@given(st.text("ab", max_size=30), st.text("ab", max_size=4))
def test_occurrences_are_all_there_are(text, wanted):
    expected = [k for k in range(len(text)) if wanted and text.startswith(wanted, k)]
    assert _tokens.occurrences(text, wanted) == expected


def test_spans_in_tokens():
    read = {"effect": [[12, 14], {"start": 3, "stop": 11}], "cause": (0, 4)}
    assert _tokens.spans_of([read, {}], PLACES, 2, TEXT, 6) == (
        6,
        [[(0, 0, 1), (1, 0, 2), (1, 2, 3)], []],
        *(0, 1, 0),
    )
    texts = {"cause": " Rain\n", "signal": ["so", ""], "effect": None}
    assert _tokens.spans_of([texts], PLACES, 2, TEXT, -1) == (6, [[(0, 0, 1), (2, 2, 3)]], 0, 0, 2)
    for odd in ({"cause": "rain"}, {"cause": [10, 12]}, {"cause": [0, 99]}, {"cause": [3, 3]}):
        assert _tokens.spans_of([odd], PLACES, 2, TEXT, -1) is None
    assert _tokens.spans_of([read], PLACES, 2, TEXT, 5) is None
