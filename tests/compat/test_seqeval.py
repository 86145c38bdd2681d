"""Results, types, warnings and errors of seqeval, on drawn tags of every scheme and mode."""

from __future__ import annotations

import itertools
import random
import sys
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal.compat import seqeval as ours

metrics = pytest.importorskip("seqeval.metrics")
labelling = pytest.importorskip("seqeval.metrics.sequence_labeling")
strict = pytest.importorskip("seqeval.metrics.v1")
theirs = pytest.importorskip("seqeval.scheme")

SCHEMES = ("IOB1", "IOB2", "IOE1", "IOE2", "IOBES", "BILOU")
PREFIXES = {
    "any": "OBIESLU.X",
    "plain": "OBI",
    **{name: ours.SCHEMES[name].prefixes for name in SCHEMES},
}
TYPES = (["A"], ["A", "B"], ["PER", "LOC", "A-B", "é", "_"], [f"t{k}" for k in range(40)])
SCORES = ("f1_score", "precision_score", "recall_score")
Outcome = tuple[Any, list[str], set[str]]


def plain(value: Any) -> Any:
    """What tells two results apart, to the last bit."""
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.tobytes()
    if isinstance(value, tuple):
        return tuple(map(plain, value))
    return type(value), repr(value)


def outcome(function: Any, *args: Any, **options: Any) -> Outcome:
    """Return a result or the type of an error, and the warnings.

    Of an odd tag one is enough, and so it is of the mean of nothing.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = plain(function(*args, **options))
        except Exception as error:
            found = type(error)
    lines = [f"{each.category.__name__}: {each.message}" for each in caught]
    once = {line for line in lines if not line.startswith("UndefinedMetricWarning")}
    return found, [line for line in lines if line not in once], once


def draw_tag(draw: random.Random, prefixes: str, types: list[str], suffix: bool) -> str:
    prefix = draw.choice(prefixes)
    if prefix == "O" and draw.random() < 0.95:
        return "O"
    name = draw.choice(types)
    dash = "-" if draw.random() < 0.98 else draw.choice(["", "--"])
    if draw.random() < 0.02:
        name = ""
    return f"{name}{dash}{prefix}" if suffix else f"{prefix}{dash}{name}"


def draw_sides(draw: random.Random, suffix: bool) -> tuple[list[list[str]], list[list[str]]]:
    prefixes = draw.choice(list(PREFIXES.values()))
    types = draw.choice(TYPES)
    gold = [
        [
            draw_tag(draw, prefixes, types, suffix)
            for _ in range(draw.choice([0, 1, 2, 3, 5, 8, 13]))
        ]
        for _ in range(draw.choice([1, 1, 2, 4]))
    ]
    change = draw.choice([0.0, 0.1, 0.4, 1.0])
    pred = [
        [draw_tag(draw, prefixes, types, suffix) if draw.random() < change else tag for tag in row]
        for row in gold
    ]
    return gold, pred


def draw_call(draw: random.Random) -> tuple[Any, Any, tuple[Any, Any], dict[str, Any], Any]:
    """Return a function of both libraries, and arguments; the scheme is the last one."""
    suffix = draw.random() < 0.2
    options: dict[str, Any] = {"zero_division": draw.choice(["warn", "warn", 0, 1])}
    options["suffix"] = suffix
    name = draw.choice([*SCORES, "classification_report", "classification_report", "support"])
    scheme = draw.choice([None, *SCHEMES])
    if name == "support":
        options["beta"] = draw.choice([1.0, 1, 0.5, 2, 0, float("inf")])
        options["average"] = draw.choice([None, *ours.AVERAGES])
        module = labelling if scheme is None else strict
        pair = module.precision_recall_fscore_support, ours.precision_recall_fscore_support
    else:
        options["mode"] = draw.choice([None, "strict", "strict"])
        pair = getattr(metrics, name), getattr(ours, name)
        if name == "classification_report":
            options["digits"] = draw.choice([0, 2, 4, 15])
            options["output_dict"] = draw.random() < 0.5
        else:
            options["average"] = draw.choice([None, *ours.AVERAGES])
    return *pair, draw_sides(draw, suffix), options, scheme


def differs(draw: random.Random) -> Any:
    """Return a call whose outcomes differ, or None."""
    one, other, sides, options, scheme = draw_call(draw)
    expected = {} if scheme is None else {"scheme": getattr(theirs, scheme)}
    given_scheme = (
        {} if scheme is None else {"scheme": getattr(draw.choice([ours, theirs]), scheme)}
    )
    wanted = outcome(one, *sides, **options, **expected)
    found = outcome(other, *sides, **options, **given_scheme)
    if wanted == found:
        flat = sides[0] if draw.random() < 0.5 or not sides[0] else sides[0][0]
        suffix = options["suffix"]
        for name, args in (
            ("get_entities", (flat, suffix)),
            ("accuracy_score", sides),
            ("performance_measure", sides),
        ):
            wanted = outcome(getattr(labelling, name), *args)
            found = outcome(getattr(ours, name), *args)
            if wanted != found:
                return name, args, wanted, found
        return None
    return one.__name__, sides, options, scheme, wanted, found


@given(st.randoms(use_true_random=True))
def test_drawn_calls(draw):
    assert not differs(draw)


@pytest.mark.parametrize("scheme", [None, *SCHEMES])
def test_every_three_tags(scheme):
    """Of two types and of none; each sentence beside others of its kind."""
    prefixes = ours.SCHEMES[scheme or ""].prefixes.replace("O", "") + "X" * (scheme is None)
    tags = ["O", *(f"{p}{name}" for p in prefixes for name in ("", "-A", "-B"))]
    gold = [list(each) for each in itertools.product(tags, repeat=3)]
    for turn in (1, len(tags), len(gold) // 2):
        sides = gold, gold[turn:] + gold[:turn]
        if scheme is None:
            one, options = labelling.precision_recall_fscore_support, [{}, {}]
        else:
            one = strict.precision_recall_fscore_support
            options = [{"scheme": getattr(module, scheme)} for module in (theirs, ours)]
        wanted = outcome(one, *sides, **options[0])
        assert outcome(ours.precision_recall_fscore_support, *sides, **options[1]) == wanted


@pytest.mark.parametrize("sides", [("O", "O"), ("O", "B-A"), ("B-A", "O")])
def test_zeros(sides):
    gold, pred = ([[tag, "O"]] for tag in sides)
    for average, beta, zero in itertools.product(
        (None, *ours.AVERAGES), (1.0, float("inf")), ("warn", 0, 1, 0.5)
    ):
        options = {"average": average, "beta": beta, "zero_division": zero}
        wanted, found = (
            outcome(module.precision_recall_fscore_support, gold, pred, **options)
            for module in (labelling, ours)
        )
        assert found == wanted, options


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_a_hundred_thousand_drawn_calls(seed):
    draw = random.Random(seed)
    assert not [found for _ in range(10_000) if (found := differs(draw))]


class Rows(list):  # type: ignore[type-arg]
    """A list that is none to `type`."""


L = ["B-A", "O"]
HOSTILE: dict[str, tuple[Any, Any]] = {
    "tuple of lists": ((L,), (L,)),
    "list of tuples": ([tuple(L)], [tuple(L)]),
    "lists and tuples": ([L, tuple(L)], [L, tuple(L)]),
    "arrays": ([np.array(L)], [np.array(L)]),
    "an array": (np.array([L]), np.array([L])),
    "an array of objects": (np.array([L], dtype=object), np.array([L], dtype=object)),
    "one sentence": (L, L),
    "text": ("BO", "BO"),
    "nothing": (None, None),
    "one side": ([L], 5),
    "a subclass within": ([Rows(L)], [Rows(L)]),
    "a subclass": (Rows([L]), Rows([L])),
    "sentences missing": ([L], [L, L]),
    "tags missing": ([L], [["O"]]),
    "tuples and tags missing": ([("O",)], [("O", "O")]),
    "a dict": ({0: L}, {0: L}),
    "no sentences": ([], []),
    "empty sentences": ([[], []], [[], []]),
    "integers": ([[1, 2]], [[1, 2]]),
    "a late integer": ([["B-A"] * 9, ["O", 3]], [["B-A"] * 9, ["O", "O"]]),
    "None": ([[None]], [["O"]]),
    "None in pred": ([["O"]], [[None]]),
    "an empty tag": ([[""]], [["O"]]),
    "an empty tag in pred": ([["O"]], [[""]]),
    "bytes": ([[b"B-A"]], [["O"]]),
    "lists of lists of lists": ([[["B-A"]]], [[["B-A"]]]),
    "texts of NumPy": ([[np.str_("B-A"), np.str_("I-A")]], [["B-A", "I-A"]]),
    "an object": ([[object()]], [["O"]]),
    "numbers of NumPy": ([[np.int64(1)]], [["O"]]),
    "tuples as tags": ([[("B-A", "x")]], [["O"]]),
    "half a surrogate pair": ([["B-\ud800", "I-\ud800"]], [["B-\ud800", "O"]]),
    "a NUL": ([["B-a\0b", "\0", "O"]], [["B-a\0b", "O", "O"]]),
    "long": ([["B-" + "x" * 100_000]], [["B-" + "x" * 100_000]]),
    "two faults": ([["E-A", "X-A"]], [["O", "O"]]),
    "a fault on each side": ([["E-A"]], [["X-A"]]),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_tags(case):
    """The same result or the same type of error."""
    sides = HOSTILE[case]
    calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
        (name, sides, options)
        for name in (*SCORES, "classification_report")
        for options in ({}, {"mode": "strict", "scheme": "IOB2"})
    ]
    calls += [("classification_report", sides, {"output_dict": True})]
    calls += [("accuracy_score", sides, {}), ("performance_measure", sides, {})]
    calls += [("get_entities", (side,), {}) for side in sides]
    for name, args, options in calls:
        wanted, found = (
            outcome(
                getattr(module, name),
                *args,
                **{k: getattr(schemes, v) if k == "scheme" else v for k, v in options.items()},
            )
            for module, schemes in ((labelling, theirs), (ours, ours))
        )
        assert found[0] == wanted[0], (name, options)
        if not isinstance(wanted[0], type):
            assert found == wanted, (name, options)


def test_sentences_that_change_while_they_are_read():
    gold = [["B-A", "I-A"] for _ in range(50)]

    class Emptying(str):
        def __hash__(self) -> int:
            for row in gold:
                row.clear()
            return super().__hash__()

    for k in (0, 1):
        gold[:] = [["B-A", "I-A"] for _ in range(50)]
        pred = [list(row) for row in gold]
        gold[7][k] = Emptying("B-A")
        with pytest.raises((IndexError, ValueError)):
            ours.f1_score(gold, pred)


@pytest.mark.parametrize("n", [1, 7])
def test_every_set_of_prefixes(n):
    """A report finds the scheme that seqeval finds, or none."""
    for bits in range(1, 128):
        prefixes = [p for k, p in enumerate(ours.STRICT) if bits >> k & 1]
        tags = [[p if p == "O" else f"{p}-A" for p in prefixes * n]]
        wanted, found = (
            outcome(module.classification_report, tags, tags, mode="strict", output_dict=True)
            for module in (metrics, ours)
        )
        assert found == wanted, prefixes


@pytest.mark.parametrize("scheme", [int, 1, "IOB2", object, theirs.Token, theirs.Prefix])
def test_unknown_schemes(scheme):
    for module in (metrics, ours):
        with pytest.raises(TypeError):
            module.f1_score([L], [L], mode="strict", scheme=scheme)


def test_unknown_averages_and_betas():
    for module in (labelling, ours):
        for options in ({"average": "samples"}, {"beta": -1}):
            with pytest.raises(ValueError, match=r"average|beta"):
                module.precision_recall_fscore_support([L], [L], **options)


def test_errors_say_where():
    with pytest.raises(ValueError, match="sentence 1 has 2 tags in y_true, 1 in y_pred"):
        ours.f1_score([L, L], [L, ["O"]])
    with pytest.raises(TypeError, match="y_pred: sentence 0 is of tuple"):
        ours.f1_score([L], [tuple(L)])
    with pytest.raises(ValueError, match="sentence 1: found the tag 'E-A', expected one of IOB2"):
        ours.f1_score([L, ["E-A"]], [L, ["O"]], mode="strict", scheme=ours.IOB2)


def test_the_warning_is_that_of_scikit_learn_where_it_is_known(monkeypatch):
    from sklearn.exceptions import UndefinedMetricWarning

    with pytest.warns(UndefinedMetricWarning):
        ours.f1_score([["O"]], [["O"]])
    monkeypatch.delitem(sys.modules, "sklearn.exceptions")
    with pytest.warns(ours.UndefinedMetricWarning):
        ours.f1_score([["O"]], [["O"]])


def test_no_tag_is_kept():
    """Only the last tags are remembered, however many differ."""
    tag = "".join(["B-", "soon forgotten"])
    before = sys.getrefcount(tag)
    ours.f1_score([[tag]], [[tag]])
    for k in range(2000):
        ours.f1_score([[f"B-{k}"]], [[f"B-{k}"]])
    assert sys.getrefcount(tag) == before
