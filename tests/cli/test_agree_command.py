"""``fastcausal agree`` from end to end, and its messages about bad input."""

from __future__ import annotations

import json
import re
from itertools import combinations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from tests.oracles.agreement import GROUPS, MEASURES
from tests.support.annotated import NAMES
from tests.support.cli import cli
from tests.support.strategies import LENGTH
from tests.tasks.agreement.test_agreement import plain

FILES = [str(path) for path in sample.ANNOTATORS.values()]

# ------------------------------------------------------------------------------------ command line


def agree(*args, expect=0):
    return cli("agree", *args, expect=expect)


def test_json():
    out, err = agree(*FILES, "--json")
    found = json.loads(out)
    assert not err
    assert found == fc.agree(FILES).to_dict()
    assert found["annotators"] == ["annotator_1", "annotator_2", "annotator_3"]
    assert found["signature"].startswith(f"fastcausal|{fc.__version__}|agreement|recess|")
    assert found["n_examples"] == 22
    assert [(pair["a"][-1], pair["b"][-1]) for pair in found["pairs"]] == [*combinations("123", 2)]
    # Annotator 3 skipped two of the 30 sentences.
    counts = [(p["n_examples"], p["n_unmarked"], p["n_missing"]) for p in found["pairs"]]
    assert [sum(c) for c in counts] == [30, 30, 30]
    assert [c[2] for c in counts] == [0, 2, 2]
    for scores in (found["scores"], *(pair["scores"] for pair in found["pairs"])):
        assert list(scores) == list(GROUPS)
        for of_group in scores.values():
            assert list(of_group) == list(MEASURES)
            assert all(isinstance(value, float) for value in of_group.values())
    assert all(list(of_group) == ["alpha"] for of_group in found["alpha_all"].values())


def test_table():
    out, err = agree(*FILES[:2])
    assert not err
    found = fc.agree(FILES[:2])
    lines = [line.split() for line in out.splitlines() if line.strip()]
    for group, scores in found.scores.items():
        assert [group, *(f"{value:.4f}" for value in scores.values())] in lines
    assert lines[-1] == found.signature.split()
    assert "annotator_2" not in out  # of two annotators the mean is the pair
    out, _ = agree(*FILES)
    assert "annotator_2 / annotator_3 (22 examples)" in out
    assert "all annotators at once" in out


def test_order_of_files():
    names = dict.fromkeys(NAMES) | {f"annotator_{k}": f"annotator_{k}" for k in (1, 2, 3)}
    one, other = fc.agree(FILES), fc.agree(FILES[::-1])
    assert plain(one, names) == plain(other, names)


def test_one_table_of_all(tmp_path):
    tables = []
    for path in FILES:
        table = fc.read(path).table
        name = path.rpartition("/")[2].removesuffix(".jsonl")
        tables.append(table.append_column("annotator", pa.array([name] * len(table))))
    pq.write_table(pa.concat_tables(tables), tmp_path / "all.parquet")
    assert agree(tmp_path / "all.parquet", "--json") == agree(*FILES, "--json")


def test_intervals_and_details(tmp_path):
    examples, matches = tmp_path / "examples.parquet", tmp_path / "matches.parquet"
    options = ["--per-example", examples, "--matches", matches, "--by", "text"]
    found = json.loads(agree(*FILES, "--json", "--intervals", "--seed", 3, *options)[0])
    agreement = fc.agree(FILES, by="text")
    assert found.pop("intervals") == {
        group: {name: list(bounds) for name, bounds in of_group.items()}
        for group, of_group in agreement.intervals(seed=3).items()
    }
    assert found == agreement.to_dict()
    assert pq.read_table(examples).to_pylist() == agreement.per_example.to_pylist()
    assert pq.read_table(matches).to_pylist() == agreement.matches.to_pylist()
    out, _ = agree(*FILES, "--cluster", "text")
    low, high = agreement.intervals("text")["cause"]["em"]
    assert re.search(rf"^em +{low:.4f} +{high:.4f}$", out, re.M)


def test_intervals_of_undefined_measures_as_json(tmp_path):
    for name, table in pair_of().items():
        fc.write(table, tmp_path / f"{name}.parquet")
    out, err = agree(tmp_path / "ann.parquet", tmp_path / "ben.parquet", "--json", "--intervals")
    assert json.loads(out)["intervals"]["effect"] == {
        name: [None, None] for name in ("alpha", "em", "osb", "to")
    }
    assert not err


def test_protocol_and_average():
    for protocol in ("recess", "recess-code"):
        for average in ("example", "relation"):
            out, err = agree(*FILES, "--protocol", protocol, "--average", average, "--json")
            found = json.loads(out)
            assert found == fc.agree(FILES, protocol, average=average).to_dict()
            assert f"|average:{average}|" in found["signature"]
            assert not err
    assert agree(*FILES, "--json") == agree(*FILES, "--json", "--average", "example")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ([FILES[0]], 'expected several or a table with a column "annotator"'),
        ([FILES[0], "nowhere.jsonl"], "nowhere.jsonl: "),
        ([FILES[0], FILES[0]], "two annotators have the same name"),
        ([*FILES, "--by", "split"], 'no column "split"'),
        ([*FILES, "--cluster", "split"], 'no column "split"'),
        ([*FILES, "--protocol", "cnc-2023"], "--protocol"),
        ([*FILES, "--unparsed", "drop"], "--unparsed"),
        ([], "Missing argument"),
    ],
)
def test_bad_use(args, message):
    out, err = agree(*args, expect=2)
    assert message in err
    assert not out
    if message.startswith("-") or not args:
        return
    out, err = agree(*args, "--json", expect=2)
    assert message in json.loads(out)["error"]
    assert not err


# --------------------------------------------------------------------------- unparsed and bad input


@pytest.mark.parametrize("ids", [True, False], ids=["ids", "by position"])
@pytest.mark.parametrize("unparsed", ["error", "empty", "skip"])
@pytest.mark.parametrize("unread", NAMES[:3])
def test_what_could_not_be_read(unread, unparsed, ids):
    """Unparsed relations of any annotator are an error, count as unmarked, or drop the example."""
    same = {"cause": (0, 2), "effect": (4, 6)}
    sides = {
        name: fc.Relations.from_examples(
            ({"id": i} if ids else {})
            | {"length": LENGTH, "relations": [None if (name, i) == (unread, "p") else same]}
            for i in "pq"
        )
        for name in NAMES[:3]
    }
    if unparsed == "error":
        with pytest.raises(fc.InputError, match=f"1 relation of {unread} could not be read"):
            fc.agree(sides)
        return
    found = fc.agree(sides, unparsed=unparsed)
    for pair in found.pairs:
        whole = unread not in (pair.a, pair.b)
        assert pair.n_examples == (2 if whole or unparsed == "empty" else 1)
        assert pair.scores["cause"].em == (1.0 if whole or unparsed == "skip" else 0.5)
        assert pair.n_missing == 0  # both have seen it
    # With "skip", two annotators of p remain.
    assert (found.alpha_all["cause"].alpha == 1.0) == (unparsed == "skip")


def pair_of(**changes):
    """Two annotators of one example; changes are of the second."""
    one = {"id": "p", "length": 9, "relations": [{"cause": (0, 2)}]}
    return {"ann": fc.Relations.from_examples([one]),
            "ben": fc.Relations.from_examples([one | changes])}  # fmt: skip


def one_table(*annotators: str | None) -> pa.Table:
    """All of them about the same example."""
    rows = pa.concat_tables([pair_of()["ann"].table] * len(annotators))
    return rows.append_column("annotator", pa.array(annotators, pa.string()))


def no_ids(*names: str) -> dict[str, fc.Relations]:
    examples = [{"length": 9, "relations": []}]
    return {a: fc.Relations.from_examples(examples * (k + 1)) for k, a in enumerate(names)}


BAD = {
    "one annotator": ({"ann": pair_of()["ann"]}, {}, "1 annotator, expected at least two"),
    "nobody": ([], {}, "0 annotator, expected at least two"),
    "a table without annotators": (pair_of()["ann"], {}, 'a table with a column "annotator"'),
    "a row of nobody": (one_table("x", "y", None), {}, "annotator"),
    "an example twice": (one_table("x", "y", "x"), {}, 'id "p" occurs twice'),
    "other lengths": (pair_of(length=8), {}, "ben.*8 tokens, expected 9"),
    "no length": (
        {a: fc.Relations(r.table.drop_columns("length")) for a, r in pair_of().items()},
        {}, "example p has no length"),
    "no ids, other numbers": (no_ids("ann", "ben"), {}, "ben has 2 examples, expected 1"),
    "other roles": (
        pair_of() | {"ben": fc.Relations.from_examples([], roles=("reason",))},
        {}, "ben has the roles reason, expected cause, effect, signal"),
    "no such column": (pair_of(), {"by": "split"}, 'no column "split"'),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD)
def test_bad_input(case):
    annotations, options, message = BAD[case]
    with pytest.raises(fc.InputError, match=message):
        fc.agree(annotations, **options)


def test_too_many_relations():
    crowd = [{"id": "p", "length": 9, "relations": [{"cause": (0, 2)}] * 4200}]
    sides = {name: fc.Relations.from_examples(crowd) for name in NAMES[:2]}
    with pytest.raises(fc.InputError, match="example p is too large"):
        fc.agree(sides)


@pytest.mark.parametrize(
    "options", [{"protocol": "cnc-2023"}, {"average": "micro"}, {"unparsed": "drop"}]
)
def test_unknown_choices(options):
    with pytest.raises(ValueError, match="expected"):
        fc.agree(pair_of(), **options)


def test_a_column_that_one_annotator_has():
    """A column describes the examples, even if only one annotator's file has it."""
    for sides in (pair_of(split="dev"), dict(reversed(pair_of(split="dev").items()))):
        assert list(fc.agree(sides, by="split").subsets) == ["split=dev"]
