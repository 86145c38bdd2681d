"""The C interface gives the counts, partners, scores and readings of the Python library."""

from __future__ import annotations

import re
from contextlib import suppress
from ctypes import byref, c_int64, c_void_p
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from bench import corpus
from fastcausal import sample
from fastcausal._version import __version__
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.formats.cnc.markup import parse
from fastcausal.recipe import Recipe
from fastcausal.relations import ROLES
from fastcausal.tasks.extraction import cnc2022
from fastcausal.tasks.extraction.counting import counting_of
from tests.support import capi
from tests.support.data import CNC
from tests.support.strategies import rows_of, sides

pytestmark = pytest.mark.slow  # a library is built
NAMES_OF_PROTOCOLS = [name for name in fc.PROTOCOLS if name != "depths"]  # Python's alone
PROTOCOLS = (
    *(fc.PROTOCOLS[name] for name in NAMES_OF_PROTOCOLS),
    *(fc.Protocol(f"of-{name}", name) for name in KERNELS),
    fc.Protocol("first", "exact_spans", ties="first", surplus="truncate", undefined=1.0),
    fc.Protocol("apart", tracks=(("signal",), ("effect", "cause"))),
    fc.Protocol("one-by-one", tracks=(("effect",),), non_causal="ignore", tags="cnc-2022"),
    replace(fc.PROTOCOLS["relations"], name="three-quarters", iou=0.75, undefined=0.0),
    replace(fc.PROTOCOLS["relations"], name="all", arguments=("signal", "cause"), iou=1),
    fc.Protocol("hits", "exact_spans", objective=fc.Objective({"tp": 3, "fp": -1})),
    fc.Protocol("ties", "span_overlap", objective=fc.Objective({"overall_em": 1, "to": 2})),
)


def test_version():
    assert capi.library().fastcausal_version().decode() == __version__


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda protocol: protocol.name)
def test_a_protocol_is_that_of_its_line(protocol):
    line = str(protocol)
    made = capi.Protocol(line)
    assert made.line == line
    assert made.count_names == [*counting_of(protocol, ROLES, "cpu", None).columns]
    signature = Recipe(protocol).signature(found=[("spans", "gap")])
    assert capi.Protocol(signature).line == line
    if protocol.name in fc.PROTOCOLS:
        assert capi.Protocol(protocol.name).line == line


@given(sides(), st.sampled_from(PROTOCOLS), st.integers(1, 3))
def test_results_are_those_of_python(both, protocol, n_threads):
    gold, pred = map(rows_of, both)
    found = capi.Protocol(str(protocol))
    results = found.score(gold, pred, n_threads)
    for name, array in capi.expected(protocol, gold, pred).items():
        np.testing.assert_array_equal(results[name], array, err_msg=name)
    if protocol.average == "counts":
        scores = list(found.scores(results["counts"]).values())
        np.testing.assert_array_equal(scores, results["scores"])


def same_scores(protocol: str, gold: fc.Relations, pred: fc.Relations, report: fc.Report) -> None:
    """Compare with the scores of `fastcausal score --json`, bit for bit."""
    order = cnc2022._sort_by_corpus(gold.table, np.arange(len(gold)))
    both = (fc.Rows.of(side) for side in (gold, pred))
    both = (replace(corpus.drawn(rows, order), tags=rows.tags) for rows in both)
    made = capi.Protocol(protocol)
    results = made.score(*both)
    scores = report.to_dict()["scores"]
    of_report = {
        f"{group}_{name}": scores[group][name] for group in scores for name in scores[group]
    }
    values = (None if np.isnan(value) else value for value in results["scores"].tolist())
    found = dict(zip(made.score_names, values, strict=True))
    assert found == {name: of_report[name] for name in found}


@pytest.mark.parametrize("name", NAMES_OF_PROTOCOLS)
def test_scores_of_the_sample_are_those_of_the_command(name):
    for system in sample.SYSTEMS.values():
        report = fc.score(sample.GOLD, system, name, unparsed="empty")
        gold = fc.read(sample.GOLD, tags=fc.PROTOCOLS[name].tags)
        same_scores(name, gold, fc.read(system), report)


@pytest.mark.skipif(not CNC.exists(), reason="no CNC data")
@pytest.mark.parametrize("name", NAMES_OF_PROTOCOLS)
def test_scores_of_frozen_cases_are_those_of_the_command(name):
    tags = fc.PROTOCOLS[name].tags
    for gold_file, pred_file in corpus.case_files().values():
        report = fc.score(gold_file, pred_file, name, unparsed="empty")
        gold = fc.read(gold_file, tags=tags)
        same_scores(name, gold, fc.read(pred_file, like=gold, tags=tags), report)


NAMES = ("ARG0", "ARG1", "SIG0", "SIG1", "SIG12", "ARG")
PIECES = ("a", "bc", *" " * 3, *"\té<>", *(f"<{s}{name}>" for s in ("", "/") for name in NAMES))
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)


@given(st.lists(TEXTS, max_size=4), st.sampled_from(["strict", "cnc-2023", "cnc-2022"]))
def test_tags_are_read_as_by_python(sentences, reading):
    rows = capi.read_tags(reading, sentences)
    for k, sentence in enumerate(sentences):
        n_tokens, spans = -1, []
        with suppress(ValueError):
            n_tokens, spans = parse(sentence, reading)
        assert rows.lengths[k] == n_tokens
        assert rows.relation(k).tolist() == sorted(map(list, spans), key=lambda s: (*s[1:], s[0]))


def test_too_little_room_says_how_much_is_needed():
    with pytest.raises(ValueError, match="room for 1 spans, expected 2") as caught:
        capi.read_tags("strict", ["<ARG0>a</ARG0> <ARG1>b</ARG1>"], room=1)
    assert caught.value.args[0] == 4


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("", 'name is "", expected text in one line without "|"'),
        ("cnc_2023", 'protocol is "cnc_2023", expected one of recess, cnc-2023, cnc-2022, re'),
        ("fastcausal|0.1.0|foo", 'protocol is "foo", expected one of recess, cnc-2023, cnc-2022'),
        ("a\nb|kernel:fair_spans", 'name is "a?b", expected text in one line without "|"'),
        ("recess|kernel:exact_spans", 'recess: kernel is "exact_spans", expected fair_spans'),
        ("cnc-2023|tags:strict", 'cnc-2023: tags is "strict", expected cnc-2023'),
        ("a|kernel:bleu", 'kernel is "bleu", expected one of fair_spans, exact_spans, '),
        ("a|kernal:fair_spans", 'a setting is "kernal", expected one of kernel, objective, '),
        ("a|ties", 'a setting is "ties", expected name:value, each name once'),
        ("a|ties:first|ties:first", 'a setting is "ties:first", expected name:value, each name'),
        ("a|objective:2tp/fp", 'objective is "2tp/fp", expected N or N/(D), sums of weighted'),
        ("a|objective:2tq", 'a count of the objective is "2tq", expected one of fair_spans'),
        ("a|objective:2tp/(2tp+-1fp)", "expected no negative weight below"),
        ("a|objective:9999999tp", "expected at most 1000000 either way"),
        ("a|tracks:cause+cause", 'a role of tracks is "cause", expected each role once'),
        ("a|tracks:event", 'a role of tracks is "event", expected one of cause, effect, signal'),
        ("a|0/0:2", '0/0 is "2", expected undefined or a number from 0 to 1'),
        ("a|0/0:nan", '0/0 is "nan", expected undefined or a number from 0 to 1'),
        ("relations|iou:1.01", 'iou is "1.01", expected a number above 0 and at most 1'),
        ("relations|kernel:relations|iou:0", 'iou is "0", expected a number above 0'),
        ("a|kernel:relations|iou:0.1234567891", "expected a number above 0 and at most 1 with at"),
        ("a|kernel:relations|arguments:cause", 'arguments is "cause", expected two roles'),
        ("a|kernel:relations|ties:first", 'a setting is "ties", expected one of kernel, arguments'),
        ("recess|kernel:relations", 'recess: kernel is "relations", expected one of pairs'),
        ("a|average:cnc-2022", 'kernel of average:cnc-2022 is "fair_spans", expected exact_spans'),
    ],
)
def test_a_line_is_refused(line, problem):
    with pytest.raises(ValueError, match=re.escape(problem)) as caught:
        capi.Protocol(line)
    assert caught.value.args[0] == 1


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"values": [[3, 0, 2], [1, 3, 5]]}, "gold: example 0: span 0 has an unknown role"),
        ({"values": [[0, 2, 2], [1, 3, 5]]}, "gold: example 0: span 0 is empty or starts before"),
        ({"values": [[0, 0, 2], [1, 3, 7]]}, "gold: example 0: span 1 ends after the last token"),
        ({"values": [[1, 3, 5], [0, 0, 2]]}, "gold: example 0: span 1 does not follow the span"),
        ({"row_offsets": [0, 3]}, "gold: row_offsets fall, or lead outside the spans"),
        (
            {"relation_offsets": [0, 2]},
            "gold: relation_offsets fall, or lead outside the relations",
        ),
        ({"lengths": [-1]}, "example 0 has a negative length"),
    ],
)
def test_rows_are_refused(change, problem):
    rows = {
        "values": [[0, 0, 2], [1, 3, 5]], "row_offsets": [0, 2], "relation_offsets": [0, 1],
        "lengths": [6],
    } | change  # fmt: skip
    small = ("values", "lengths")
    rows = {k: np.array(v, np.int32 if k in small else np.int64) for k, v in rows.items()}
    with pytest.raises(ValueError, match=re.escape(problem)) as caught:
        capi.Protocol("recess").score(fc.Rows(**rows), fc.Rows(**rows))
    assert caught.value.args[0] == 2


def code_of(name: str, *arguments: object) -> int:
    """Call a function; a refusal has a text of one line."""
    try:
        capi.call(name, *arguments)
    except ValueError as error:
        code, text = error.args
        assert text
        assert len(text.splitlines()) == 1
        return code
    return 0


def test_null_is_refused_where_an_array_is_needed():
    """Each pointer in turn is NULL; none ends the process."""
    handle, made, arrays = capi.Protocol("recess").handle, c_void_p(), np.zeros(100, np.int64)
    some, side = c_void_p(arrays.ctypes.data), capi.side(rows_of([[[(0, 0, 1)]]]))
    lengths = np.array([3], np.int32)
    results, one = capi.Results(), c_int64(1)
    calls = {
        "protocol_new": (b"recess", None, byref(made)),
        "score": (handle, one, c_void_p(lengths.ctypes.data), byref(side), byref(side), one,
                  byref(results)),
        "score_counts": (handle, some, some),
        "read_tags": (b"strict", b"", some, c_int64(0), some, some, some, one),
    }  # fmt: skip
    for name, arguments in calls.items():
        assert code_of(name, *arguments) == 0
        for k, argument in enumerate(arguments):
            is_needed = not isinstance(argument, c_int64) and argument is not None
            if is_needed and (name, k) not in {("read_tags", n) for n in (1, 2, 4, 6)}:
                assert code_of(name, *arguments[:k], None, *arguments[k + 1 :]) == 1, (name, k)
        getattr(capi.library(), f"fastcausal_{name}")(*[None] * len(arguments), None)
    for field in ("relation_offsets", "row_offsets", "spans"):
        changed = capi.side(rows_of([[[(0, 0, 1)]]]))
        setattr(changed, field, None)
        given = (*calls["score"][:4], byref(changed), *calls["score"][5:])
        assert code_of("score", *given) == 2
    tagged = np.array([0, 1], np.int64)
    offsets = c_void_p(tagged.ctypes.data)
    assert code_of("read_tags", b"strict", None, offsets, one, some, some, some, one) == 1
    assert code_of("read_tags", b"strict", b"a", offsets, one, None, some, some, one) == 1
    for name in ("protocol_line", "count_names", "score_names"):
        assert not getattr(capi.library(), f"fastcausal_{name}")(None, None)
    capi.library().fastcausal_protocol_free(made)


def test_a_side_of_no_units_needs_no_arrays():
    """As an empty std::vector gives it: NULL."""
    protocol = capi.Protocol("recess")
    counts = np.full(len(protocol.count_names), 7)
    results = capi.Results(counts=counts.ctypes.data)
    nothing, n = capi.RowsOfSide(), c_int64(0)
    given = (protocol.handle, n, None, byref(nothing), byref(nothing), n, byref(results))
    assert code_of("score", *given) == 0
    assert not counts.any()


@pytest.mark.parametrize("n", [-1, -(2**62), 2**40, 2**63 - 1])
def test_numbers_that_no_array_has_are_refused(n):
    protocol, lengths = capi.Protocol("recess"), np.array([3], np.int32)
    for field in ("n_examples", "n_relations", "n_rows"):
        side = capi.side(rows_of([[[(0, 0, 1)]]]))
        if field != "n_examples":
            setattr(side, field, n)
        given = c_int64(n if field == "n_examples" else 1), c_void_p(lengths.ctypes.data)
        end = (byref(side), byref(side), c_int64(1), byref(capi.Results()))
        assert code_of("score", protocol.handle, *given, *end) == 2
    some = c_void_p(np.zeros(9, np.int64).ctypes.data)
    assert code_of("read_tags", b"strict", b"", some, c_int64(n), *[some] * 3, c_int64(0)) == 1


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ({0: -5}, "cause_tp is -5, expected 0 or more"),
        ({0: 2**63 - 1}, "counts up to cause_tp add up to more than 9007199254740992"),
        ({1: 2**53, 3: 1}, "counts up to cause_le add up to more than 9007199254740992"),
    ],
)
def test_counts_that_are_none_are_refused(counts, problem):
    protocol = capi.Protocol("recess")
    given = np.zeros(len(protocol.count_names), np.int64)
    given[[*counts]] = [*counts.values()]
    with pytest.raises(ValueError, match=problem):
        protocol.scores(given)


@given(st.binary(max_size=300).filter(lambda text: b"\0" not in text))
def test_an_error_is_one_line_of_utf_8(text):
    """Also where it is cut, or where the line is not UTF-8: `decode` is strict."""
    for line in (text, b"recess|kernel:x" + "\N{LATIN SMALL LETTER E WITH ACUTE}".encode() * 150):
        made = c_void_p()
        assert code_of("protocol_new", b"recess|kernel:" + line, None, byref(made)) == 1


def test_an_example_that_is_too_large_is_named():
    relation = [(0, 0, 1)]
    with pytest.raises(ValueError, match="example 1 is too large") as caught:
        capi.Protocol("cnc-2022").score(rows_of([[relation], [relation] * 9]), rows_of([[], []]))
    assert caught.value.args[0] == 3


def test_scores_of_sums_are_refused_where_they_do_not_add():
    with pytest.raises(ValueError, match="scores of cnc-2022 are no functions of sums"):
        capi.Protocol("cnc-2022").scores(np.zeros(9, np.int64))


def test_roles_are_those_of_the_data():
    protocol = fc.Protocol("events", tracks=(("cause", "event"),), tags="cnc-2023")
    made = capi.Protocol(str(protocol), "cause,event")
    assert made.count_names[:2] == ["cause_tp", "cause_fp"]
    assert "event_f1" in made.score_names
    results = made.score(*[rows_of([[[(0, 0, 1), (1, 2, 3)]]])] * 2)
    assert results["n_as_given"] == [2]
