"""Roles of one's own, up to 30: tracks, labels, signatures, every backend."""

from __future__ import annotations

import json
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.marking import MAX_ROLES, Marking
from fastcausal.options import KernelName
from tests.support.cli import cli
from tests.support.profiles import trials

GOLD = [{
    "id": "a", "text": "Rain fell hard , so roads closed .",
    "relations": [{"reason": "Rain fell", "claim": "roads closed", "degree": "hard"}],
}]  # fmt: skip
ROLES = "reason,claim,degree"


@st.composite
def sides(draw):
    """Roles, and gold and predictions of a few examples."""
    roles = tuple(f"r{k}" for k in range(draw(st.sampled_from([1, 2, 4, MAX_ROLES]))))
    length = draw(st.integers(1, 9))
    span = st.tuples(st.integers(0, length - 1), st.integers(1, length)).filter(
        lambda s: s[0] < s[1]
    )
    relation = st.dictionaries(st.sampled_from(roles), st.lists(span, min_size=1, max_size=2))
    examples = st.lists(st.lists(relation, max_size=3), min_size=3, max_size=3)
    made = [
        [{"id": str(k), "length": length, "relations": of} for k, of in enumerate(draw(examples))]
        for _ in range(2)
    ]
    return roles, *made


@pytest.mark.parametrize("kernel", get_args(KernelName))
@trials(30)
@given(drawn=sides())
def test_backends_agree(kernel, drawn):
    roles, gold, pred = drawn
    tracks = [roles[:2], *([role] for role in roles[2:])]
    scores = [
        fc.score(gold, pred, fc.Protocol("x", kernel=kernel), roles=roles, tracks=tracks, backend=b)
        for b in ("cpu", "reference")
    ]
    assert scores[0].to_dict() == scores[1].to_dict()
    assert list(scores[0].scores) == ["overall", *roles]


@pytest.mark.parametrize(
    ("roles", "tracks", "printed"),
    [
        (ROLES, None, "reason,claim,degree"),
        ("cause,effect,degree", None, "cause+effect,degree"),
        ("degree,effect,cause", None, "degree,cause+effect"),
        (ROLES, "reason+claim", "reason+claim,degree"),
        ("cause,effect,signal", "cause,effect", "cause,effect,signal"),
    ],
)
def test_tracks_are_true_in_the_signature(roles, tracks, printed):
    signature = fc.score([], [], roles=roles, tracks=tracks).signature
    empty = fc.Relations.from_examples([{"relations": [], "length": 1}], roles.split(","))
    signature = fc.score(empty, empty, roles=roles, tracks=tracks).signature
    assert f"|tracks:{printed}|" in signature
    named = roles.replace(",", "+")
    assert (f"|roles:{named}" in signature) == (roles != "cause,effect,signal")


def test_roles_that_compete_are_mistaken_for_one_another():
    pred = [{**GOLD[0], "relations": [{"claim": "Rain fell"}]}]
    alone = fc.score(GOLD, pred, roles=ROLES)
    together = fc.score(GOLD, pred, roles=ROLES, tracks="reason+claim,degree")
    assert (alone["claim"].fp, alone["reason"].fn) == (1, 1)
    assert (together["claim"].fp, together["reason"].le) == (0, 1)


def test_other_roles_are_never_compared(tmp_path):
    for k, roles in enumerate((ROLES, "claim,reason,degree")):
        fc.score(GOLD, GOLD, roles=roles, per_example=tmp_path / f"{k}.parquet")
    with pytest.raises(fc.InputError, match=r"roles:reason\+claim.*expected one signature"):
        fc.compare(tmp_path / "0.parquet", tmp_path / "1.parquet")


def test_from_the_command_line(tmp_path):
    path = tmp_path / "gold.jsonl"
    path.write_text(json.dumps(GOLD[0]))
    out, _ = cli("score", path, path, "--roles", ROLES, "--json")
    assert json.loads(out)["scores"]["degree"]["tp"] == 1
    _, err = cli("score", path, path, expect=2)
    assert 'unknown role "reason"' in err
    out, _ = cli("convert", path, tmp_path / "gold.parquet", "--roles", ROLES)
    again = fc.read(tmp_path / "gold.parquet", roles=ROLES)
    assert again.roles == tuple(ROLES.split(","))
    with pytest.raises(fc.InputError, match="roles are reason, claim, degree, expected a, b"):
        fc.read(tmp_path / "gold.parquet", roles="a,b")


def test_rows_and_taggers_have_them():
    relations = fc.read(GOLD, roles=ROLES)
    rows = fc.Rows.of(relations)
    report = fc.score(rows, rows, roles=ROLES)
    assert report["degree"].tp == 1
    assert "|roles:reason+claim+degree" in report.signature
    scheme = fc.TagScheme(["O", "B-Degree", "B-Claim"], all_roles=ROLES.split(","))
    scorer = fc.ExtractionScorer(decoder=scheme)
    scorer.update(gold=np.array([[1, 2, 0]]), pred=np.array([[1, 0, 0]]))
    assert (scorer.compute()["degree"].tp, scorer.compute()["claim"].fn) == (1, 1)
    assert list(fc.ExtractionScorer(roles=ROLES).compute().scores) == ["overall", *ROLES.split(",")]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"roles": ",".join(f"r{k}" for k in range(31))}, "31 roles, expected at most 30"),
        ({"roles": "a,a"}, "expected different names"),
        ({"roles": "a,overall"}, 'not "overall"'),
        ({"tracks": "cause+reason"}, 'tracks has the role "reason", expected one of cause'),
        ({"tracks": "cause,cause"}, r"expected groups of roles such as a\+b,c, each once"),
        ({"role": "cause"}, "expected NAME=LABEL"),
        ({"role": "reason=Drug"}, 'role has the role "reason", expected one of cause, effect'),
        ({"role": ["cause=X", "effect=x"]}, 'role has the label "x" twice'),
        ({"role": "cause=Effect"}, 'role has the label "Effect" twice'),
        ({"link": "a=effect"}, "expected TYPE or TYPE=effect>cause"),
        ({"link": ["a", "A=effect>cause"]}, 'link has the type "A" twice'),
        ({"link": []}, "expected one type or more"),
        ({"link": "a=b>cause"}, 'link has the role "b"'),
        ({"lone": "maybe"}, 'lone is "maybe", expected one of drop, keep, pair'),
    ],
)
def test_settings_that_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Marking.make(**settings)
