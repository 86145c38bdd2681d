"""Inputs on which one quirk of the official scorer acts and no other."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.extraction import explain
from fastcausal.tasks.extraction.explain import QUIRKS, MeasuredExamples
from tests.support.profiles import trials

TEXT = "rain fell , so roads closed"
WHOLE = "<ARG0>rain fell</ARG0> , so <ARG1>roads closed</ARG1>"
FAR = "rain fell <ARG0>, so</ARG0> roads closed"
NEAR = "rain fell , <ARG0>so roads</ARG0> closed"
OPEN = "rain fell , <ARG0>so roads closed"
WORD = "rain <ARG0>fell</ARG0> , so <ARG1>roads closed</ARG1>"
LONG = "rain <ARG0>fell , so</ARG0> <ARG1>roads closed</ARG1>"
SENTENCES = [TEXT, WHOLE, FAR, NEAR, OPEN, WORD, LONG, "<SIG0>rain</SIG0> fell , so roads closed"]

# Each quirk alone: gold, predictions, overall F1 of cnc-2023 and of recess.
ALONE = {
    # A one-word cause: officially it runs on to the effect, as if LONG were the gold annotation.
    "tags": ([[WORD]], [[LONG]], 1.0, 2 / 3),  # TP 1, BE 1
    # Two predictions for one relation: officially the second is not seen.
    "surplus": ([[WHOLE]], [[FAR, WHOLE]], 0.0, 4 / 5),  # FP 1, FN 2; TP 2, FP 1
    # A prediction for an example without relations: officially it costs nothing.
    "non_causal": ([[WHOLE], []], [[WHOLE], [FAR]], 1.0, 4 / 5),  # TP 2; TP 2, FP 1
}


@pytest.mark.parametrize("field", ALONE)
def test_one_quirk_alone(field):
    gold, pred, official, recess = ALONE[field]
    found = fc.explain(gold, pred)
    assert found.official["overall"].f1 == pytest.approx(official, abs=1e-15)
    assert found.recess["overall"].f1 == pytest.approx(recess, abs=1e-15)
    assert [quirk.field for quirk in found.quirks] == list(QUIRKS)
    for quirk in found.quirks:
        acts = quirk.field == field
        assert quirk.n_examples == acts
        assert quirk.examples == ((str(len(gold) - 1),) if acts else ())
        change = found.recess["overall"].f1 - found.official["overall"].f1 if acts else 0.0
        assert quirk.change == quirk.change_alone == change
        assert quirk.meaning == QUIRKS[quirk.field]


def test_examples_are_compared_in_batches(monkeypatch):
    gold, pred = ([row for case in ALONE.values() for row in case[side]] for side in (0, 1))
    whole = fc.explain(gold, pred)
    assert any(quirk.n_examples for quirk in whole.quirks)
    sizes = []
    counts = MeasuredExamples.counts
    monkeypatch.setattr(explain, "COMPARED", 3)
    monkeypatch.setattr(
        MeasuredExamples,
        "counts",
        lambda self, *part: sizes.append(len(made := counts(self, *part))) or made,
    )
    assert fc.explain(gold, pred).quirks == whole.quirks
    assert set(sizes) == {3, 1}


def test_ties_alone():
    """NEAR hits neither gold relation. Officially it is paired with the first, whose label is wrong
    too; by content it is paired with the one that it overlaps."""
    found = fc.explain([[WHOLE, FAR]], [[NEAR, TEXT]])
    assert [quirk.n_examples for quirk in found.quirks] == [0, 0, 0, 1]
    official, recess = found.official["overall"], found.recess["overall"]
    assert (official.lbe, official.be, official.fn) == (1, 0, 2)
    assert (recess.lbe, recess.be, recess.fn) == (0, 1, 2)
    assert official.f1 == recess.f1 == found.quirks[-1].f1 == 0.0
    assert found.official.matches["pred_relation"].to_pylist() == [0, 1]
    assert found.recess.matches["pred_relation"].to_pylist() == [None, 0, 1]


def test_a_prediction_that_cannot_be_read():
    """Officially an open cause runs to the end; read correctly it is no prediction."""
    found = fc.explain([[NEAR]], [[OPEN]])
    assert [quirk.n_examples for quirk in found.quirks] == [1, 0, 0, 0]
    assert (found.official["overall"].be, found.recess["overall"].fn) == (1, 1)
    assert found.recess.warnings == (
        "unparsed=empty: 1 of 1 predicted relations could not be read (100.0%)",
    )


def check(found):
    """The steps lead from one protocol to the other."""
    recess = found.recess.to_dict()["scores"]["overall"]["f1"]
    assert recess in (found.quirks[-1].f1, None)
    f1 = found.official["overall"].f1
    for quirk in found.quirks:
        assert quirk.f1 - f1 == quirk.change
        f1 = quirk.f1
        assert len(quirk.examples) == min(quirk.n_examples, 10)
        assert quirk.n_examples or quirk.change == 0.0
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert list(plain) == ["cnc-2023", "recess", "quirks"]
    assert plain["cnc-2023"]["protocol"] == "cnc-2023"
    assert [quirk["field"] for quirk in plain["quirks"]] == list(QUIRKS)


@trials(60)
@given(
    st.lists(
        st.tuples(*[st.lists(st.sampled_from(SENTENCES), max_size=3)] * 2), min_size=1, max_size=4
    )
)
def test_the_last_step_is_recess(examples):
    gold = [[s for s in sentences if s != OPEN] for sentences, _ in examples]
    pred = [sentences for _, sentences in examples]
    found = fc.explain(gold, pred)
    check(found)
    assert found.recess.to_json() == fc.score(gold, pred, unparsed="empty").to_json()


@pytest.mark.parametrize("system", sample.SYSTEMS)
def test_the_sample(system):
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS[system], like=gold)
    found = fc.explain(gold, pred)
    check(found)
    assert found.official == fc.score(gold, pred, "cnc-2023", unparsed="empty")
    assert found.recess == fc.score(gold, pred, unparsed="empty")
    named = {name for quirk in found.quirks for name in quirk.examples}
    assert named <= set(gold.ids.to_pylist())


def test_tables_that_keep_no_tagged_sentences():
    """Without tagged sentences tags cannot be read anew; warnings and signature report it."""
    gold = fc.read([[WORD]], tags="cnc-2023")
    bare = fc.Relations(gold.table.drop_columns(["tagged"]))
    found = fc.explain(bare, bare)
    assert [quirk.n_examples for quirk in found.quirks] == [0, 0, 0, 0]
    assert found.official.warnings[:1] != found.recess.warnings[:1]
    assert found.recess.warnings == (
        *(
            f"the tags of {side} were read as cnc-2023, but recess reads them as strict"
            for side in ("gold", "pred")
        ),
        "tags:as-given: 2 relations are used as they are: tags cannot hold them, "
        "or were read otherwise than recess reads them",
    )
    assert "|tags:as-given|" in found.recess.signature


def test_warnings_where_the_official_program_stops():
    stops = ", the official program stops"
    one, several = (fc.read([["<ARG0>rain fell</ARG0> , so roads closed"] * n]) for n in (1, 2))
    assert fc.score(one, one, "cnc-2023").warnings == (
        f"no effect on either side{stops}",
        f"no signal on either side{stops}",
        f"no example has several relations{stops}",
    )
    assert fc.score(several, several, "cnc-2023").warnings == (
        f"no effect on either side{stops}",
        f"no signal on either side{stops}",
        f"no effect on either side in examples with several relations{stops}",
        f"no signal on either side in examples with several relations{stops}",
    )
    assert fc.score(one, one).warnings == ()


def test_a_signal_tag_without_a_number():
    """A signal tag without a number is read, and a warning says that the official program stops."""
    tagged = "<ARG0>rain fell</ARG0> , <SIG0>so</SIG0> <ARG1>roads closed</ARG1>"
    gold = fc.read([[tagged] * 2])
    pred = fc.read([[tagged.replace("SIG0", "SIG0A")] * 2], like=gold)
    report = fc.score(gold, pred, "cnc-2023")
    assert report["signal"].tp == 2
    assert any("the official program stops" in warning for warning in report.warnings)
