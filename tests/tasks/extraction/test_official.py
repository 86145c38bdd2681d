"""Cases in which the official programs give no number, and the columns of a truth file that they
use."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.tasks.extraction import cnc2022
from fastcausal.tasks.extraction.evaluation import NO_GOLD
from fastcausal.tasks.relations.official import MISSING
from tests.oracles import cnc2022 as oracle
from tests.support.profiles import trials

TEXT = "rain fell , so roads were closed"
LENGTH = 7
ROLES = ("cause", "effect", "signal")


def tagged(relation):
    """The tags of a relation, of arguments and of signals."""
    tracks = []
    for roles in oracle.TRACKS:
        tags = ["O"] * LENGTH
        for role, (start, stop) in relation.items():
            if role in roles:
                tags[start:stop] = [f"B-{role}"] + [f"I-{role}"] * (stop - start - 1)
        tracks.append(tags)
    return tracks


SPANS = [(0, 2), (2, 4), (4, 7)]
a_relation = st.dictionaries(st.sampled_from(ROLES), st.sampled_from(SPANS), max_size=3).map(
    # Each role at a place of its own: tags of arguments do not overlap.
    lambda r: (
        {role: SPANS[(k + SPANS.index(s)) % 3] for k, (role, s) in enumerate(r.items())}
        if len({SPANS[(k + SPANS.index(s)) % 3] for k, (_, s) in enumerate(r.items())}) == len(r)
        else {role: SPANS[k] for k, role in enumerate(r)}
    )
)
# Most relations have a cause and an effect, else the program would give hardly any file a number.
full = st.sampled_from(
    [
        {"cause": (0, 2), "effect": (4, 7)},
        {"cause": (4, 7), "effect": (0, 2)},
        {"cause": (0, 2), "effect": (4, 7), "signal": (2, 4)},
    ]
)
relations = full | full | full | a_relation
an_example = st.integers(1, 3).flatmap(
    lambda n: st.tuples(*[st.lists(relations, min_size=n, max_size=n)] * 2)
)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@trials(400)
@given(st.lists(an_example, min_size=1, max_size=4))
def test_2022_warns_exactly_where_the_program_has_no_number(examples):
    gold, pred = (
        [{"id": f"e{k:02}", "length": LENGTH, "relations": e[side]} for k, e in enumerate(examples)]
        for side in (0, 1)
    )
    report = fc.score(gold, pred, "cnc-2022")
    warnings = [warning for warning in report.warnings if warning != NO_GOLD]
    try:
        with np.errstate(all="ignore"):
            wanted = oracle.program(
                [[[*map(tagged, side)] for side in example] for example in examples]
            )
    except oracle.StopError:
        assert len(warnings) == 1
        assert warnings[0].endswith(", the official program stops")
        return
    undefined = {role for role, scores in wanted.items() if math.isnan(scores[2])}
    assert {w.split()[0] for w in warnings} == (
        undefined - {"overall"} if undefined != {"overall"} else {"gold"}
    )
    assert all("NaN" in warning for warning in warnings)
    for role, scores in wanted.items():
        if role not in undefined:
            found = tuple(report[role][name] for name in ("precision", "recall", "f1"))
            assert found == tuple(map(float, scores[:3]))


BOTH = {"cause": (0, 2), "effect": (4, 7)}
SIGNAL = BOTH | {"signal": (2, 4)}
STOPS = ", the official program stops"
FATES = [  # gold and predicted relations of each example, warning
    (
        [([BOTH], [SIGNAL]), ([BOTH] * 2, [BOTH] * 2)],
        "signal is predicted but in no gold up to example 1, "
        "the official program gives NaN for it and overall",
    ),
    (
        [([BOTH], [BOTH]), ([BOTH] * 2, [BOTH] * 2)],
        f"no signal on either side up to example 1{STOPS}",
    ),
    ([([BOTH] * 2, [BOTH] * 2)], f"no example has one relation{STOPS}"),
    (
        [([{"effect": (0, 2)}], [{}])],
        f"no cause on either side in examples with one relation{STOPS}",
    ),
    (
        [([SIGNAL], [{}]), ([{"cause": (0, 2)}] * 2, [{}] * 2)],
        f"no effect on either side in example 1{STOPS}",
    ),
    ([([SIGNAL], [{}]), ([{}] * 2, [BOTH] * 2)], f"gold marks nothing in example 1{STOPS}"),
    ([([{}], [BOTH])], "gold marks nothing, the official program gives NaN overall"),
]


@pytest.mark.parametrize(("examples", "warning"), FATES)
def test_2022_fates(examples, warning):
    sides = ([{"length": LENGTH, "relations": e[side]} for e in examples] for side in (0, 1))
    first, *further = fc.score(*sides, "cnc-2022").warnings
    assert (first, further in ([], [NO_GOLD])) == (warning, True)


def test_2022_adds_in_order(monkeypatch):
    """Means come from plain additions in order, not from the compensated `sum` of Python 3.12."""
    values = [0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1]
    scores = [dict.fromkeys(("precision", "recall", "f1"), v) | {"number": 1} for v in values]
    monkeypatch.setattr(cnc2022, "sum", math.fsum, raising=False)
    assert cnc2022._mean(scores)["f1"] == 0.9999999999999999 / 10
    assert math.fsum(values) == 1.0


# ------------------------------------------------------------------------------ the truth file


def truth(path, rows):
    """A truth file of (corpus, doc_id, sent_id, text, sentences)."""
    lines = ["corpus,doc_id,sent_id,eg_id,index,text,causal_text_w_pairs,num_rs"]
    for k, (*key, text, sentences) in enumerate(rows):
        lines.append(f'{",".join(key)},0,i{k},"{text}","{sentences}",{len(sentences)}')
    path.write_text("\n".join(lines) + "\n")
    return path


ONE = "<ARG0>rain fell</ARG0> , so <ARG1>roads were closed</ARG1>"
OTHER = "<ARG1>rain fell</ARG1> , so <ARG0>roads were closed</ARG0>"


@pytest.mark.parametrize("protocol", ["cnc-2023", "cnc-2022"])
def test_rows_of_one_key(tmp_path, protocol):
    """The program pairs relations of one with predictions of the other."""
    rows = [
        ("c", "d0", "0", TEXT, [ONE]),
        ("c", "d0", "1", TEXT, [ONE, OTHER]),
        ("c", "d0", "0", TEXT, [OTHER]),
        ("c", "d0", "1", TEXT, []),
    ]
    gold = fc.read(truth(tmp_path / "gold.csv", rows))
    said = (
        "rows 1, 3 share corpus, doc_id and sent_id with another row: "
        "the official program pools their relations, here each row is by itself"
    )
    assert said in fc.score(gold, gold, protocol).warnings
    assert said not in fc.score(gold, gold).warnings
    apart = fc.read(truth(tmp_path / "apart.csv", rows[:2] + rows[3:]))
    assert not any("share" in warning for warning in fc.score(apart, apart, protocol).warnings)
    fc.write(gold, tmp_path / "gold.parquet")
    report = fc.score(tmp_path / "gold.parquet", tmp_path / "gold.parquet", protocol)
    assert said in report.warnings


@pytest.mark.parametrize("column", range(3))
@pytest.mark.parametrize("value", ["", "NA", "null"])
def test_keys_that_pandas_takes_for_missing(tmp_path, column, value):
    key = ["c", "d", "0"]
    key[column] = value
    rows = [("c", "e", "0", TEXT, [ONE]), (*key, TEXT, [ONE, OTHER]), (*key, TEXT, [ONE])]
    gold = fc.read(truth(tmp_path / "gold.csv", rows))
    said = [w for w in fc.score(gold, gold, "cnc-2023").warnings if w.startswith("rows")]
    assert said == [
        "rows 2 have a corpus, doc_id or sent_id that pandas takes for missing: "
        "the official program searches no pairing for them"
    ]


def test_many_rows_are_counted(tmp_path):
    rows = [("c", "d", "0", TEXT, [ONE])] * 25
    gold = fc.read(truth(tmp_path / "gold.csv", rows))
    said = fc.score(gold, gold, "cnc-2023").warnings[0]
    assert said.startswith("rows 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 15 more share corpus")


def test_what_pandas_takes_for_missing():
    parsers = pytest.importorskip("pandas._libs.parsers")
    assert set(MISSING) == parsers.STR_NA_VALUES


@pytest.mark.parametrize("backend", ["cpu", "reference"])
def test_a_text_that_holds_tags(tmp_path, backend):
    """Predictions that lack are the raw text to the program, which reads its tags."""
    text = "k l <SIG0>m</SIG0> n o p q"
    sentence = "<ARG0>k l</ARG0> m <ARG1>n o</ARG1> p q"
    gold = fc.read(truth(tmp_path / "gold.csv", [("c", "d", str(k), text, [sentence] * n)
                                                 for k, n in enumerate((1, 3, 1))]))  # fmt: skip
    predictions = [[], [sentence], [sentence]]
    filled = [[text], [sentence, text, text], [sentence]]
    for protocol in ("cnc-2023", "cnc-2022"):
        report, wanted = (
            fc.score(gold, fc.read(pred, like=gold), protocol, backend=backend)
            for pred in (predictions, filled)
        )
        assert report.scores == wanted.scores
        assert report.scores["signal"].get("fp", 3) == 3
        assert report.warnings == (
            "2 examples with too few predictions are filled up with a text that holds tags itself",
            *wanted.warnings,
        )
    assert fc.score(gold, fc.read(predictions, like=gold))["signal"].fp == 0
