"""The C interface gives the counts, partners, scores and readings of the Python library."""

from __future__ import annotations

import re
from contextlib import suppress
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
from tests.support import capi
from tests.support.data import CNC
from tests.support.strategies import rows_of, sides

pytestmark = pytest.mark.slow  # a library is built
PROTOCOLS = (
    *fc.PROTOCOLS.values(),
    *(fc.Protocol(f"of-{name}", name) for name in KERNELS),
    fc.Protocol("first", "exact_spans", ties="first", surplus="truncate", undefined=1.0),
    fc.Protocol("apart", tracks=(("signal",), ("effect", "cause"))),
    fc.Protocol("one-by-one", tracks=(("effect",),), non_causal="ignore", tags="cnc-2022"),
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
    assert made.count_names == protocol.pair_kernel.columns(ROLES)
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
    order = cnc2022._in_corpus_order(gold.table, np.arange(len(gold)))
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


@pytest.mark.parametrize("name", fc.PROTOCOLS)
def test_scores_of_the_sample_are_those_of_the_command(name):
    for system in sample.SYSTEMS.values():
        report = fc.score(sample.GOLD, system, name, unparsed="empty")
        gold = fc.read(sample.GOLD, tags=fc.PROTOCOLS[name].tags)
        same_scores(name, gold, fc.read(system), report)


@pytest.mark.skipif(not CNC.exists(), reason="no CNC data")
@pytest.mark.parametrize("name", fc.PROTOCOLS)
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
