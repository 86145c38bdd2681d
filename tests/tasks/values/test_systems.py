"""A table with a column of systems is as many files as it has systems."""

from __future__ import annotations

import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.files.records import read_records
from fastcausal.sweeps.systems import load_by_name
from fastcausal.tasks.values.reading import ValueReading
from tests.oracles import runs
from tests.support.cli import cli
from tests.support.profiles import trials

RULES = ("mean", "first", "best", "max", "min", "pass@1", "pass@2", "pass^2")


@st.composite
def tables(draw):
    """Rows of two to four systems on the same items, in any order, two or three answers each."""
    n_answers = draw(st.integers(2, 3))
    rows = [
        {"model": f"m{s}", "id": f"q{k}", "sample": a, "value": draw(st.sampled_from((0, 0.5, 1)))}
        for s in range(draw(st.integers(2, 4)))
        for k in range(draw(st.integers(2, 5)) if s == 0 else 2)
        for a in range(n_answers)
    ]
    common = {row["id"] for row in rows if row["model"] == "m1"}
    return draw(st.permutations([row for row in rows if row["id"] in common]))


def write(folder, name, rows, suffix):
    path = folder / f"{name}{suffix}"
    if suffix == ".parquet":
        pq.write_table(pa.Table.from_pylist(rows), path)
    elif suffix == ".csv":
        lines = [",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]
        path.write_text("\n".join(lines) + "\n")
    else:
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("over", RULES)
@trials(40)
@given(rows=tables())
def test_systems_and_samples_equal_one_table_each_and_the_oracle(rows, over):
    reading = ValueReading(system="model", epoch="sample", over=over)
    found = load_by_name(rows, reading)
    parts = runs.systems_in(rows, "model")
    assert [*found] == [*parts]
    for name, part in parts.items():
        alone = fc.statistics(part, epoch="sample", over=over)
        value = found[name].scores()["value"][0]
        assert value == alone.scores()["value"][0]
        assert value == pytest.approx(runs.mean_over(part, over), abs=1e-12)
    board = fc.leaderboard(rows, reading=reading, n_resamples=20)
    each = fc.leaderboard(
        {name: fc.statistics(part, sample="sample", over=over) for name, part in parts.items()},
        n_resamples=20,
    )
    assert board.to_dict() == each.to_dict()


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet"])
def test_commands_print_what_they_print_for_one_file_each(tmp_path, suffix):
    chance = random.Random(0)
    rows = [
        {"model": m, "id": f"q{k}", "value": int(chance.random() < p)}
        for k in range(40)
        for m, p in (("old", 0.3), ("new", 0.7), ("b", 0.5))
    ]
    table = write(tmp_path, "runs", rows, suffix)
    files = [
        write(tmp_path, name, part, suffix) for name, part in runs.systems_in(rows, "model").items()
    ]
    wide = write(
        tmp_path,
        "wide",
        [
            {"id": id, **{row["model"]: row["value"] for row in given}}
            for id, given in runs.answers_in(rows).items()
        ],
        suffix,
    )
    of = ["--system", "model"]
    both = ["--baseline", "old", "--candidate", "new", "--min-delta", "0"]
    apart = ["--baseline", files[0], "--candidate", files[1], "--min-delta", "0"]
    for one, each in (
        (["compare", table, *of, "--pick", "old,new"], ["compare", *files[:2]]),
        (["compare", wide, "--systems", "old,new"], ["compare", *files[:2]]),
        (["leaderboard", table, *of], ["leaderboard", *files]),
        (["leaderboard", wide, "--systems", "old,new,b"], ["leaderboard", *files]),
        (["aggregate", table, *of], ["aggregate", *files]),
        (["gate", table, *of, *both], ["gate", *apart]),
        (["gate", wide, "--systems", "old,new", *both], ["gate", *apart]),
    ):
        assert cli(*one, "--json")[0] == cli(*each, "--json")[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], 'id "q0" occurs 2 times, expected once; --sample COLUMN would name'),
        (["--system", "model"], "3 systems (a, b, c), expected two; --pick A,B would choose two"),
        (["--system", "model", "--pick", "a"], "pick is a, expected two systems"),
        (["--system", "model", "--pick", "a,a"], "one system twice"),
        (["--system", "model", "--pick", "a,d"], 'no system "d": found a, b, c'),
        (["--system", "who"], 'no column "who"'),
        (["--systems", "value,no"], 'no column "no"'),
        (["--systems", "id,value", "--system", "model"], "system is a column of names"),
        (["--systems", "a,b", "--value", "value"], "systems are columns of values"),
        (["--system", "model", "--sample", "s", "--epoch", "t"], 'its other name sample is "s"'),
        (["--over", "majority", "--pick", "a,b"], "over majority is for relations and labels"),
    ],
)
def test_messages(tmp_path, options, message):
    rows = [{"model": m, "id": f"q{k}", "value": 1} for k in range(2) for m in ("a", "b", "c", "a")]
    rows = [row for k, row in enumerate(rows) if options or k in (0, 1, 4, 5)]
    rows = rows if not options else [r for k, r in enumerate(rows) if k % 4 < 3]
    table = write(tmp_path, "t", rows, ".jsonl")
    command = ["compare", table, *(options or ["--pick", "a,b"])]
    assert message in " ".join(cli(*command, expect=2)[1].split())


def test_a_repeated_pair_of_system_and_id_names_the_option(tmp_path):
    rows = [{"model": m, "id": "q", "value": 1} for m in "aab"]
    table = write(tmp_path, "t", rows, ".csv")
    said = cli("leaderboard", table, "--system", "model", expect=2)[1]
    assert "--sample COLUMN would name the column of repeats" in " ".join(said.split())


def test_parts_name_the_lines_of_their_file(tmp_path):
    rows = [{"model": m, "id": k, "value": "x" if (m, k) == ("b", 1) else 1}
            for k in range(3) for m in "ab"]  # fmt: skip
    for suffix, place in ((".csv", ":5:"), (".jsonl", ":4:"), (".parquet", ": row 3:")):
        kept = [row | {"value": str(row["value"])} for row in rows]
        table = write(tmp_path, "t", kept, suffix)
        with pytest.raises(InputError, match=f't{suffix}{place} "value" is "x"'):
            fc.leaderboard([table], system="model")


def test_systems_of_a_dictionary_come_as_they_appear(tmp_path):
    codes = pa.DictionaryArray.from_arrays([2, 0, 2, 0], ["new", "unused", "old"])
    pq.write_table(
        pa.table({"model": codes, "id": ["b", "b", "a", "a"], "value": [1, 0, 1, 1]}),
        tmp_path / "t.parquet",
    )
    found = load_by_name([tmp_path / "t.parquet"], ValueReading(system="model"))
    assert [*found] == ["old", "new"]
    assert [each.scores()["value"][0] for each in found.values()] == [1, 0.5]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=1))
def test_split_and_take_keep_the_rows_in_order(pairs):
    rows = [{"key": key, "number": n} for key, n in pairs]
    expected = {}
    for row in rows:
        expected.setdefault(row["key"], []).append(row)
    for source in (rows, pa.Table.from_pylist(rows)):
        records = read_records(source)
        found = {name: [*part.objects()] for name, part in records.split("key").items()}
        assert found == expected
        assert [*found] == [*expected]
