"""Files of counts: whole or in shards, they give the report that scoring gives."""

from __future__ import annotations

import json
import random
import re
from functools import reduce
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.arrays.digests import digest_of_relations
from fastcausal.counts.files import TYPES
from fastcausal.counts.systems import read_systems
from tests.support.data import CNC
from tests.support.profiles import trials
from tests.support.statistics import of_the_same
from tests.support.strategies import sides
from tests.support.tables import table_of

SUFFIXES = (".parquet", ".arrow")


def shards_of(table: fc.Relations, cuts: list[int]) -> list[fc.Relations]:
    ends = [0, *sorted(cut % (len(table) + 1) for cut in cuts), len(table)]
    pairs = pairwise(ends)
    # Notes are of whole files: of parts of them they would add up.
    quiet = table.with_reading(notes={})
    return [fc.Relations(quiet.table.slice(a, b - a)) for a, b in pairs]


@trials(60)
@given(
    both=sides(),
    cuts=st.lists(st.integers(0, 99), max_size=19),
    options=st.fixed_dictionaries(
        {
            "protocol": st.sampled_from(["recess", "cnc-2023"]),
            "unparsed": st.sampled_from(["empty", "skip"]),
        }
    ),
    suffix=st.sampled_from(SUFFIXES),
    seed=st.randoms(),
)
def test_shards_in_any_order(tmp_path_factory, both, cuts, options, suffix, seed):
    folder = tmp_path_factory.mktemp("shards")
    n = len(both[0])
    lost = [None if seed.random() < 0.2 else relations for relations in both[1]]
    names = {"id": [f"e{k}" for k in range(n)], "genre": [f"g{k % 3}" for k in range(n)]}
    gold = table_of(both[0], **names)
    pred = fc.Relations.from_examples(
        [
            {**example, "relations": [None] if unread is None else example["relations"]}
            for example, unread in zip(table_of(both[1], **names).to_examples(), lost, strict=True)
        ]
    )
    whole = fc.score(gold, pred, by="genre", **options)
    files = []
    for k, (a, b) in enumerate(zip(shards_of(gold, cuts), shards_of(pred, cuts), strict=True)):
        files.append(folder / f"{k}{suffix}")
        fc.score(a, b, per_example=files[-1], **options)
    seed.shuffle(files)
    first, *rest = map(fc.Statistics.read, files)
    merged = first.merge(*rest)
    assert merged.report("genre").to_json() == whole.to_json()
    assert merged.gold == whole.statistics.gold
    merged.write(folder / f"merged{suffix}")
    of_the_same(fc.Statistics.read(folder / f"merged{suffix}"), merged)


@pytest.mark.skipif(not CNC.is_dir(), reason="no shared/data/cnc")
@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
def test_the_cases_of_cnc(tmp_path, protocol):
    path = tmp_path / "counts.parquet"
    for case in json.loads((CNC / "cases" / "manifest.json").read_text()):
        gold = CNC / "cases" / case["truth"]
        pred = CNC / "cases" / f"{case['name']}.submission.jsonl"
        report = fc.score(gold, pred, protocol, unparsed="empty", per_example=path)
        read = fc.Statistics.read(path)
        assert read.report().to_json() == report.to_json()
        parts = [read.take(k) for k in np.array_split(np.arange(read.n_units), 20)]
        merged = reduce(fc.Statistics.merge, random.Random(0).sample(parts, 20))
        assert merged.report()["overall"] == report["overall"]
        assert merged.report().n_unparsed == report.n_unparsed


LABELS = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["a", "b", "c", None])), min_size=1
)


@trials(60)
@given(pairs=LABELS, integers=st.booleans(), cuts=st.lists(st.integers(0, 30), max_size=9))
def test_shards_of_labels(tmp_path_factory, pairs, integers, cuts):
    """Merged shards equal the whole, even if a shard lacks labels or predictions."""
    path = tmp_path_factory.mktemp("labels") / "x.parquet"
    kind = "abc".index if integers else str
    rows = [
        {"id": f"e{k}", "gold": kind(a), "pred": None if b is None else kind(b), "doc": f"d{k % 2}"}
        for k, (a, b) in enumerate(pairs)
    ]

    def scored(part):
        gold, pred = (
            pa.table(
                {
                    "id": pa.array([row["id"] for row in part], pa.string()),
                    "label": pa.array(
                        [row[side] for row in part], pa.int64() if integers else pa.string()
                    ),
                    "doc": pa.array([row["doc"] for row in part], pa.string()),
                }
            )
            for side in ("gold", "pred")
        )
        return fc.classify(gold, pred, unparsed="skip", positive=kind("b"), per_example=path)

    parts = []
    ends = [0, *sorted(cut % (len(rows) + 1) for cut in cuts), len(rows)]
    # Predictions without any label of gold are refused: each shard and document has one.
    right = {"gold": kind("a"), "pred": kind("a")}
    shards = [
        rows[a:b] + [{"id": f"{d}-{a}", **right, "doc": d} for d in ("d0", "d1")]
        for a, b in pairwise(ends)
        if a < b
    ]
    for shard in shards:
        assert scored(shard).to_json() == fc.Statistics.read(path).report().to_json()
        parts.append(fc.Statistics.read(path))
    rows = [row for shard in shards for row in shard]
    whole = scored(rows)
    first, *rest = reversed(parts)
    merged = first.merge(*rest)
    assert merged.report().to_json() == whole.to_json()
    assert merged.gold == whole.statistics.gold
    assert merged.left_out is None or len(merged.left_out) == whole.n_unparsed
    for subset, groups in merged.report("doc").subsets.items():
        of_doc = [row for row in rows if row["doc"] == subset.partition("=")[2]]
        assert groups["overall"]["accuracy"] == scored(of_doc)["overall"].accuracy


def test_shards_of_answers(tmp_path):
    words = ["rain", "the rain", "heavy rain", "flood", ""]
    rng = random.Random(1)
    gold = [
        {
            "id": f"q{k}",
            "question": rng.choice(["Why?", "When?"]),
            "answers": {"text": [word]},
            "year": 2000 + k % 2,
            "more": [k],
        }
        for k, word in enumerate(rng.choices(words, k=40))
    ]
    pred = {question["id"]: rng.choice(words) for question in gold}
    whole = fc.qa(gold, pred, per_example=tmp_path / "whole.parquet")
    assert fc.Statistics.read(tmp_path / "whole.parquet").report().to_json() == whole.to_json()
    parts = []
    for k in range(0, 40, 7):
        some = {question["id"]: pred[question["id"]] for question in gold[k : k + 7]}
        fc.qa(gold[k : k + 7], some, per_example=tmp_path / "part.arrow")
        parts.append(fc.Statistics.read(tmp_path / "part.arrow"))
    merged = parts[-1].merge(*parts[:-1])
    assert merged.report().to_json() == whole.to_json()
    assert merged.gold == whole.statistics.gold
    assert whole.per_example.column_names == ["id", "year", "exact_match", "f1", "why"]
    by_year = merged.report("year").subsets
    assert by_year["year=2000"]["overall"].n_questions == 20
    kept = {q["id"]: pred[q["id"]] for q in gold if q["year"] == 2001}
    of_year = fc.qa([q for q in gold if q["year"] == 2001], kept)
    assert by_year["year=2001"] == of_year.scores


# -------------------------------------------------------------------------------- digest of gold


def test_the_digest_is_of_ids_and_relations():
    gold = fc.read(sample.GOLD)
    digests = set()
    for pred in sample.SYSTEMS.values():
        for unparsed in ("empty", "skip"):
            digests.add(fc.score(gold, pred, unparsed=unparsed).statistics.gold)
    turned = fc.Relations(gold.table.take(list(range(60, -1, -1))))
    digests.add(fc.score(turned, turned).statistics.gold)
    (digest,) = digests
    rows = fc.Rows.of(gold).arrays()
    assert digest == digest_of_relations(rows, gold.roles, gold.ids)
    examples = gold.to_examples()
    examples[0]["relations"] = [*examples[0]["relations"][::-1], {}]
    assert fc.score(*[fc.Relations.from_examples(examples)] * 2).statistics.gold == digest
    for change in ({"id": "other"}, {"relations": [{"cause": (0, 1)}]}):
        other = fc.Relations.from_examples([{**examples[0], **change}, *examples[1:]])
        assert fc.score(other, other).statistics.gold != digest


@pytest.mark.parametrize("suffix", ["jsonl", "parquet", "arrow", "csv"])
def test_the_digest_of_every_format(tmp_path, suffix):
    gold = fc.read(sample.GOLD)
    path = tmp_path / f"gold.{suffix}"
    fc.write(gold, path)
    assert fc.score(path, gold).statistics.gold == fc.score(gold, gold).statistics.gold


def test_missing_ids_do_not_change_the_digest():
    gold = fc.read(sample.GOLD)
    pred = fc.Relations(gold.table.slice(3))
    for unmatched in ("empty", "skip"):
        found = fc.score(gold, pred, unmatched=unmatched).statistics
        assert found.gold == fc.score(gold, gold).statistics.gold


def test_gold_that_is_not_read_has_no_digest():
    scheme = fc.TagScheme(["O", "B-Cause", "I-Cause"])
    scorer = fc.TagScorer(scheme)
    scorer.update(gold=np.array([[1, 2, 0]]), pred=np.array([[1, 2, 0]]))
    assert scorer.statistics.gold is None


# ------------------------------------------------------------------------------------- bad input


@pytest.fixture
def counts(tmp_path) -> Path:
    path = tmp_path / "counts.parquet"
    fc.score(sample.GOLD, sample.SYSTEMS["careful"], per_example=path)
    return path


def changed(path: Path, change) -> Path:
    table = pq.read_table(path)
    pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), path)
    return path


def with_column(table: pa.Table, name: str, values: pa.Array) -> pa.Table:
    return table.set_column(table.column_names.index(name), name, values)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("cause_tp", pa.array([None, *[1] * 60], pa.int64()), "has 1 nulls, expected none"),
        ("cause_tp", pa.array([-1] * 61), "has values that no count has"),
        ("cause_tp", pa.array([2**60] * 61), "has values that no count has"),
        ("cause_tp", pa.array([1.0] * 61), 'column "cause_tp" is double, expected int64'),
        ("n_unparsed", pa.array(["1"] * 61), 'column "n_unparsed" is string, expected int64'),
    ],
)
def test_counts_that_are_none(counts, name, values, message):
    changed(counts, lambda table: with_column(table, name, values))
    with pytest.raises(fc.InputError, match=message):
        fc.Statistics.read(counts)


def test_documented_keys():
    """docs/statistics.md lists the keys of the metadata."""
    page = (Path(__file__).parents[2] / "docs" / "statistics.md").read_text()
    table = page.partition("one JSON object:")[2].partition("\n\n**")[0]
    rows = re.findall(r"^\| (`.*?) \|", table, re.MULTILINE)
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert listed == {"statistics", *TYPES}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"statistics": 3}, "statistics 3, expected version 2; a newer fastcausal than"),
        ({"statistics": 1}, "statistics 1, expected version 2"),
        ({"formula": {"job": "weather"}}, "unknown formula of scores in the metadata"),
        ({"formula": {"job": "extraction", "kernel": 3}}, "unknown formula"),
        ({"formula": {"job": "judged", "protocol": "guide", "relations": []}}, "unknown formula"),
        ({"formula": {"job": "answers", "measures": ["f1"], "subsets": []}}, "unknown formula"),
        ({"signature": None}, "invalid metadata of statistics"),
        ({"gold": "xyz"}, "invalid metadata of statistics"),
        ({"warnings": [1]}, "invalid metadata of statistics"),
        ({"system": 7}, "invalid metadata of statistics"),
    ],
)
def test_metadata_of_something_else(counts, change, message):
    table = pq.read_table(counts)
    about = json.loads(table.schema.metadata[b"fastcausal"]) | {"seal": None} | change
    pq.write_table(table.replace_schema_metadata({b"fastcausal": json.dumps(about)}), counts)
    with pytest.raises(fc.InputError, match=message):
        fc.Statistics.read(counts)


def test_rows_that_another_program_joined(counts):
    whole = fc.Statistics.read(counts)
    changed(counts, lambda table: table.slice(0, 9))
    part = fc.Statistics.read(counts)
    assert (part.n_units, part.gold, whole.gold is None) == (9, None, False)
    assert "joined or left out by another program" in part.report().warnings[0]


def test_what_does_not_merge(counts, tmp_path):
    one = fc.Statistics.read(counts)
    with pytest.raises(fc.InputError, match='id "sample_harbour_1" occurs twice'):
        one.merge(one)
    other = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2023").statistics
    with pytest.raises(
        ValueError, match=r"a part has the signature recess\|.*, another one has cnc-2023\|"
    ):
        one.merge(other)
    nameless = fc.Relations.from_examples([{"length": 4, "relations": []}])
    with pytest.raises(fc.InputError, match="a part has ids and another one has none"):
        one.merge(fc.score(nameless, nameless).statistics)


def test_shards_of_which_one_is_read_as_given(tmp_path):
    """Tags cannot hold the relations of one shard; the signature of the whole shows it."""
    overlapping = [{"cause": [(0, 3), (1, 2)], "effect": [(2, 5)]}]
    rows = [
        {"id": f"e{k}", "length": 6, "relations": relations}
        for k, relations in enumerate([[{"cause": (0, 2), "effect": (3, 5)}], overlapping])
    ]
    whole = fc.score(*[fc.Relations.from_examples(rows)] * 2, "cnc-2023")
    assert "tags:as-given" in whole.signature
    parts = [fc.score(*[fc.Relations.from_examples([row])] * 2, "cnc-2023") for row in rows]
    a, b = (part.statistics for part in parts)
    assert a.signature != b.signature
    for merged in (a.merge(b), b.merge(a)):
        assert merged.report().to_json() == whole.to_json()


def test_columns_of_the_users_own(tmp_path):
    gold = fc.read(sample.GOLD)
    table = gold.table.append_column("genre", pa.array([f"g{k % 2}" for k in range(len(gold))]))
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    own = fc.Relations(table, gold.reading)
    for suffix in ("csv", "jsonl", "parquet", "arrow"):
        path = tmp_path / f"gold.{suffix}"
        fc.write(own, path)
        fc.score(path, pred, per_example=tmp_path / "counts.parquet")
        counted = pq.read_table(tmp_path / "counts.parquet")
        assert counted["genre"].to_pylist() == table["genre"].to_pylist(), suffix
    for name in ("cause_tp", "n_gold_relations"):
        clash = fc.Relations(table.rename_columns([*table.column_names[:-1], name]))
        with pytest.raises(
            fc.InputError, match=f'column "{name}" of gold has the name of a column'
        ):
            fc.score(clash, clash, per_example=tmp_path / "x.parquet")
    assert not (tmp_path / "x.parquet").exists()


def test_names_of_systems(counts, tmp_path):
    assert list(read_systems(counts)) == ["careful"]
    nameless = fc.Statistics.read(counts).merge(
        fc.score(
            *[fc.Relations.from_examples([{"id": "x", "length": 3, "relations": []}])] * 2
        ).statistics
    )
    nameless.write(tmp_path / "both.parquet")
    assert nameless.system is None
    assert list(read_systems(tmp_path / "both.parquet")) == ["both"]
