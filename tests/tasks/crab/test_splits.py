"""Splits by date, story and pair: sizes and overlaps of the parts; the order of rows changes
nothing."""

from __future__ import annotations

import datetime
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from tests.support.cli import cli
from tests.support.profiles import trials

YEARS = {4: "2021", 7: "2020-12-31", 11: "2021-06", 12: "2019-01-01", 30: "2021-06"}


def pairs_of(n_events=5, years=YEARS):
    return [
        {"topic_id": t, "event_order_a": a, "event_order_b": b, "score": 9, "date": years[t],
         "article_id_a": a // 2, "article_id_b": b // 2}
        for t in years for b in range(n_events) for a in range(b)
    ]  # fmt: skip


def chosen(table):
    return {row["topic_id"] for row in table.to_pylist() if row["split"] == "test"}


@trials(40)
@given(
    st.sampled_from(["story", "pair", "date"]), st.integers(0, 99), st.integers(1, 4), st.randoms()
)
def test_order_changes_nothing(how, seed, test, random):
    pairs = pairs_of()
    table = fc.crab.split(pairs, how, test=test, seed=seed)
    assert table.drop_columns("split").to_pylist() == pairs
    rows = table.to_pylist()
    mixed = random.sample(pairs, len(pairs))
    assert sorted(map(str, fc.crab.split(mixed, how, test=test, seed=seed).to_pylist())) == sorted(
        map(str, rows)
    )
    parts = {p: [row for row in rows if row["split"] == p] for p in ("train", "test")}
    size = len(parts["test"]) if how == "pair" else len(chosen(table))
    assert size == test

    def things(part):
        events = {(r["topic_id"], r[f"event_order_{s}"]) for r in parts[part] for s in "ab"}
        articles = {(r["topic_id"], r[f"article_id_{s}"]) for r in parts[part] for s in "ab"}
        return {"stories": {r["topic_id"] for r in parts[part]}, "articles": articles,
                "events": events}  # fmt: skip

    report = fc.crab.describe_split(table)
    for part in ("train", "test"):
        sizes = {name: len(values) for name, values in things(part).items()}
        assert dict(report[part]) == {"pairs": len(parts[part])} | sizes
    shared = {name: len(things("test")[name] & values) for name, values in things("train").items()}
    assert dict(report["test_in_train"]) == shared
    if how != "pair":
        assert not any(shared.values())


def test_the_latest_stories():
    assert chosen(fc.crab.split(pairs_of(), "date", test=1)) == {30}  # of one date the later topic
    assert chosen(fc.crab.split(pairs_of(), "date", test=3)) == {4, 11, 30}
    dates = {"topic_id": [*YEARS], "date": [datetime.date(2020, 1, k) for k in (9, 8, 7, 6, 5)]}
    assert chosen(fc.crab.split(pairs_of(), "date", dates=dates)) == {4}
    assert chosen(fc.crab.split(pairs_of(), "date", dates=pa.table(dates), test=2)) == {4, 7}
    renamed = pa.Table.from_pylist(pairs_of()).rename_columns({"date": "day"})
    assert chosen(fc.crab.split(renamed, "date", dates="day", test=1)) == {30}


def test_a_quarter_is_for_test():
    stories = dict.fromkeys(range(20), "2020")
    assert len(chosen(fc.crab.split(pairs_of(3, stories), "story"))) == 5
    table = fc.crab.split(pairs_of(3, stories), "pair")
    assert table["split"].to_pylist().count("test") == 15
    other = fc.crab.split(pairs_of(3, stories), "story", seed=1)
    assert chosen(other) != chosen(fc.crab.split(pairs_of(3, stories), "story"))


def test_a_new_story_leaves_the_order_of_others():
    more = YEARS | {99: "2022"}
    before, after = (chosen(fc.crab.split(pairs_of(3, y), "story", test=2)) for y in (YEARS, more))
    assert len(before - after) <= 1


def test_the_command_writes_what_python_gives(tmp_path):
    cli("demo", "--copy-to", tmp_path)
    gold = tmp_path / "crab_gold.jsonl"
    out, _ = cli(
        "crab", "split", gold, tmp_path / "s.parquet", "--by", "pair", "--seed", 3, "--json"
    )
    table = fc.crab.split(gold, "pair", seed=3)
    assert pq.read_table(tmp_path / "s.parquet").equals(table, check_metadata=True)
    assert json.loads(out) == fc.crab.describe_split(tmp_path / "s.parquet").to_dict()
    assert json.loads(out)["signature"].endswith("|crab-split|by:pair|test:15|seed:3")
    (tmp_path / "d.csv").write_text("topic_id,date\n4,2021-05-01\n11,2021-05-02\n")
    options = ("--by", "date", "--dates", tmp_path / "d.csv", "--test", 1)
    cli("crab", "split", gold, tmp_path / "s.jsonl", *options)
    lines = [json.loads(line) for line in (tmp_path / "s.jsonl").read_text().splitlines()]
    assert {row["topic_id"] for row in lines if row["split"] == "test"} == {11}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--by", "date"), 'no column "date"'),
        (("--by", "date", "--dates", "day"), 'dates "day" are neither a column nor a file'),
        (("--by", "date", "--dates", "d.csv"), ': 1 stories without a date ("7")'),
        (("--by", "date", "--dates", "odd.csv"), 'odd.csv:2: "date" is "May", expected a date'),
        (("--by", "date", "--dates", "two.csv"), "two.csv:3: topic 4 has the date 2022, and the"),
        (("--by", "date", "--seed", "1"), "--seed is for draws, --by date draws none"),
        (("--by", "pair", "--dates", "d.csv"), "--dates is for --by date, not for --by pair"),
        (("--by", "story", "--test", "2"), "2 stories, 2 of them for test leave none for train"),
        (("--by", "story", "--test", "0"), "test"),
        (("--by", "chance"), "by"),
        ((), "by"),
    ],
)
def test_bad_options(options, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"topic_id": t, "event_order_a": 1, "event_order_b": 2, "score": 3} for t in (4, 7)]
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "d.csv").write_text("topic_id,date\n4,2021\n")
    (tmp_path / "odd.csv").write_text("topic_id,date\n4,May\n")
    (tmp_path / "two.csv").write_text("topic_id,date\n4,2021\n4,2022\n")
    _, err = cli("crab", "split", "g.jsonl", "s.parquet", *options, expect=2)
    assert message in err
    assert not (tmp_path / "s.parquet").exists()


def test_bad_arguments():
    with pytest.raises(ValueError, match='how is "random", expected one of date, story, pair'):
        fc.crab.split(pairs_of(), "random")
    with pytest.raises(ValueError, match=r"seed is 0\.5"):
        fc.crab.split(pairs_of(), "pair", seed=0.5)
    with pytest.raises(ValueError, match=r"test is 0\.25, expected an integer"):
        fc.crab.split(pairs_of(), "pair", test=0.25)
    with pytest.raises(ValueError, match="dates are for a split by date, this is by pair"):
        fc.crab.split(pairs_of(), "pair", dates="date")
    with pytest.raises(InputError, match='there is a column "split" already'):
        fc.crab.split(fc.crab.split(pairs_of(), "pair"), "pair")
    with pytest.raises(InputError, match="1 stories, expected at least 2 to split"):
        fc.crab.split(pairs_of(3, {4: "2020"}), "story")
