"""Unsure verdicts, and reasons of invalid ones, against a plain count."""

from __future__ import annotations

import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.sample import RATERS
from fastcausal.tasks.answers.join import read_extractions
from fastcausal.tasks.answers.reasons import KINDS, SIDES
from tests.oracles import reasons as plain
from tests.support.cli import cli
from tests.support.profiles import trials

TEXTS = {"gold": "[Cause] rain [Effect] floods", "output": "[Cause] rain [Effect] mud"}
REASONS = [None, *SIDES, *KINDS, *(f"{side}: {kind}" for side in SIDES for kind in KINDS)]
cells = st.sampled_from([(None, None), ("valid", None), ("unsure", None)]) | st.tuples(
    st.just("invalid"), st.sampled_from(REASONS)
)
tables = st.integers(1, 3).flatmap(
    lambda n: st.lists(
        st.tuples(st.sampled_from("ab"), st.lists(cells, min_size=n, max_size=n)),
        min_size=1,
        max_size=9,
    )
)


def rows_of(table):
    return [
        {
            "id": k,
            "system": system,
            "answers": [
                {"name": f"r{j}", "answer": answer, "reason": reason}
                for j, (answer, reason) in enumerate(said)
            ],
        }
        | TEXTS
        for k, (system, said) in enumerate(table)
    ]


def same_counts(found, cells, unsure):
    wanted = plain.counted(cells)
    assert found["n_invalid"] == plain.n_invalid(cells, unsure)
    for name in ("n_unsure", "n_given"):
        assert found[name] == wanted[name]
    for part in ("sides", "kinds"):
        same_shares(found[part], wanted[part])
    for side in SIDES:
        same_shares(found["by_side"][side], wanted["by_side"][side])


def same_shares(found, wanted):
    assert [*found] == [*wanted]
    for name, (n, share) in wanted.items():
        value = None if share is None else float(share)
        assert found[name] == {"n": n, "share": value}


@trials(200)
@given(tables, st.sampled_from(["invalid", "missing"]))
def test_shares_are_those_of_a_plain_count(table, unsure):
    report = fc.answers(rows_of(table), unsure=unsure)
    found = report.to_dict()["reasons"]
    every = [cell for _, said in table for cell in said]
    if not any(answer == "unsure" or reason for answer, reason in every):
        assert found == {}
        return
    same_counts(found, every, unsure)
    assert [*found["systems"]] == sorted({system for system, _ in table})
    for name, of_system in found["systems"].items():
        same_counts(
            of_system, [c for system, said in table if system == name for c in said], unsure
        )
    for part, name in enumerate(("side", "kind")):
        labels = [
            [label for _, reason in said if (label := plain.parts_of(reason)[part])]
            for _, said in table
        ]
        if found["n_given"]:
            alpha = plain.alpha(labels)
            assert found["agreement"][name]["alpha"] == (
                None if alpha is None else pytest.approx(float(alpha), abs=1e-12)
            )
    differ = {
        f"{system}/{k}"
        for k, (system, said) in enumerate(table)
        if plain.is_differing(said, unsure)
    }
    several = len({system for system, _ in table}) > 1
    assert {*found["differ"]} == (differ if several else {key[2:] for key in differ})
    assert all(found["differ"][key][f"r{j}"] == reason
               for k, (system, said) in enumerate(table)
               if (key := f"{system}/{k}" if several else str(k)) in found["differ"]
               for j, (_, reason) in enumerate(said) if reason)  # fmt: skip
    str(report.without_details())
    listed = {
        (row["system"], row["item"], row["rater"], row["reason"])
        for row in report.differing.to_pylist()
    }
    assert listed == {
        (system, str(k), f"r{j}", reason)
        for k, (system, said) in enumerate(table)
        if plain.is_differing(said, unsure)
        for j, (_, reason) in enumerate(said)
        if reason
    }


@trials(100)
@given(tables)
def test_unsure_is_invalid_or_missing(table):
    """An unsure answer counts as if the rater had answered invalid, or not at all."""
    for unsure in ("invalid", "missing"):
        word = None if unsure == "missing" else unsure
        said = [
            (system, [(word if answer == "unsure" else answer, None) for answer, _ in each])
            for system, each in table
        ]
        plainly = fc.answers(rows_of(said)).to_dict()
        found = fc.answers(rows_of(table), unsure=unsure).to_dict()
        assert found["verdicts"] == plainly["verdicts"]
        assert found["scores"] == plainly["scores"]


def test_the_most_frequent_of_several_verdicts_of_a_rater():
    def read(*said):
        rows = [{"id": 1, "answers": [{"answer": a, "reason": r} for a, r in said]} | TEXTS]
        items = read_extractions(rows)
        return items.verdicts.tolist(), items.unsure.tolist(), items.reasons.tolist()

    lost, added = "cause: meaning lost", "cause: meaning added"
    assert read(("invalid", lost), ("invalid", added)) == ([[0]], [[False]], [[[0, -1]]])
    assert read(("invalid", lost), ("invalid", lost), ("unsure", None))[2] == [[[0, 0]]]
    assert read(("invalid", lost), ("valid", None), ("valid", None))[2] == [[[-1, -1]]]
    assert read(("unsure", None), ("valid", None))[:2] == ([[0]], [[True]])


def test_reasons_of_every_file(tmp_path):
    """Reasons are read alike from columns of tables, items of a tool, and entries of lists."""
    word, reason = "invalid", " Effect:  words not in the SOURCE "
    data = {"text": "x", "reference": TEXTS["gold"], "model": TEXTS["output"]}
    table = pa.Table.from_pylist([{"id": 1, "valid": word, "reason": reason} | TEXTS])
    for source in (
        table,
        [{"id": 1, "answer": word, "reason": reason} | TEXTS],
        [{"id": 1, "valid": [{"name": "x", "valid": word, "reason": reason}]} | TEXTS],
        {"items": [{"id": 1, "data": data, "answer": word, "reason": reason}]},
    ):
        items = read_extractions(source)
        assert items.reasons.tolist() == [[[1, 3]]]
        assert "reason" not in items.columns.column_names
    kept = read_extractions([{"id": 1, "reason": "free text"} | TEXTS])
    assert kept.columns.column_names == ["reason"]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"valid": 0, "reason": "bad"}], 'a.jsonl:1: reason "bad", expected SIDE, KIND or'),
        ([{"valid": 0, "reason": "both: cause"}], 'reason "both: cause", expected'),
        ([{"valid": 0, "reason": "cause: "}], 'reason "cause: ", expected'),
        ([{"valid": 0, "reason": 3}], "reason 3, expected"),
        ([{"valid": 0, "reason": None}, {"valid": 1, "reason": "both"}],
         'a.jsonl:2: reason "both" beside a verdict that is not invalid'),
        ([{"valid": None, "reason": "both"}, {"valid": 1}], 'reason "both" beside a verdict'),
        ([{"valid": "unsure", "reason": "both"}], 'reason "both" beside a verdict'),
        ([{"answers": [{"name": "a", "answer": "no", "reason": "x"}]}], 'a.jsonl:1: reason "x"'),
        ([{"answers": [{"name": "a", "answer": "no"}], "reason": "both"}],
         '"reason" beside lists of verdicts, expected in their entries'),
        ([{"valid": "not sure"}], 'verdict "not sure", expected one of'),
    ],
)  # fmt: skip
def test_bad_reasons(tmp_path, rows, message):
    path, out = tmp_path / "a.jsonl", tmp_path / "r.csv"
    lines = [json.dumps({"id": k} | TEXTS | row) for k, row in enumerate(rows)]
    path.write_text("\n".join(lines))
    _, err = cli("answers", path, "--reasons", out, expect=2)
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_raters_of_two_verdicts_do_not_differ_in_reasons():
    def differ(*said):
        return fc.answers(rows_of([("a", said)])).differing.num_rows

    cause, effect, both = (("invalid", side) for side in SIDES)
    assert differ(cause, effect, (None, None)) == 2
    assert differ(cause, effect, ("unsure", None)) == 2
    assert differ(cause, effect, ("valid", None)) == 0
    assert differ(both, both) == 0
    assert differ(both, ("invalid", "meaning lost")) == 0


def test_sample(tmp_path):
    files = ("answers", *RATERS.values())
    cli(*files, "--reasons", tmp_path / "r.jsonl", "--judgments", tmp_path / "j.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "r.jsonl").read_text().splitlines()]
    assert [(row["item"], row["rater"]) for row in rows] == [("s7", "ann"), ("s7", "ben")]
    judged = [json.loads(line) for line in (tmp_path / "j.jsonl").read_text().splitlines()]
    assert sum(row["reason"] is not None for row in judged) == 6
    assert "items of one verdict and unlike reasons: 1" in cli(*files)[0]
