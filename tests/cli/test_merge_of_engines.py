"""``fastcausal merge`` of files from engines: folders, lost metadata, files of killed tasks."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal import sample
from tests.support.cli import cli


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Parts without metadata, and a file of counts of nine examples."""
    monkeypatch.chdir(tmp_path)
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    batch = gold.table.append_column("predicted", pred.table["relations"])
    counts = fc.score_batch(batch)
    (tmp_path / "counted" / "more").mkdir(parents=True)
    for name, part in (("more/a", counts.slice(40)), ("b", counts.slice(0, 40))):
        pq.write_table(part.replace_schema_metadata(None), tmp_path / "counted" / f"{name}.parquet")
    pq.write_table(fc.score_batch(batch.slice(5, 9)), tmp_path / "like.parquet")
    return tmp_path


def whole() -> fc.Statistics:
    return fc.score(sample.GOLD, sample.SYSTEMS["careful"]).statistics


def merged(*arguments: object) -> fc.Statistics:
    cli("merge", *arguments, "--out", "all.parquet")
    return fc.Statistics.read("all.parquet")


def test_a_folder_without_metadata(folder):
    found = merged("counted", "--like", "like.parquet")
    assert found.report().to_json() == whole().report().to_json()
    assert (found.gold, found.warnings, found.system) == (whole().gold, {}, None)
    assert (
        json.loads(
            cli("merge", "counted", "--out", "b.arrow", "--like", "like.parquet", "--json")[0]
        )["n_parts"]
        == 2
    )
    read = [
        fc.Statistics.read(f"counted/{n}.parquet", like="like.parquet") for n in ("more/a", "b")
    ]
    assert read[0].merge(read[1]).gold == whole().gold


def test_types_that_engines_write(folder):
    large = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}
    fields = {f.name: large.get(f.type, f.type) for f in pq.read_schema("counted/b.parquet")}
    rewritten(folder / "counted" / "b.parquet", lambda t: t.cast(pa.schema(fields)))
    assert merged("counted", "--like", "like.parquet").gold == whole().gold


def test_what_a_killed_task_left(folder):
    """Merging skips files of attempts that did not end, partial files, and marks of success."""
    part = (folder / "counted" / "b.parquet").read_bytes()
    (folder / "counted" / "_temporary" / "0").mkdir(parents=True)
    for name in ("_temporary/0/b.parquet", ".b.parquet", "_b.parquet", ".b.parquet.crc"):
        (folder / "counted" / name).write_bytes(part)
    (folder / "counted" / "_SUCCESS").touch()
    (folder / "counted" / ".c.parquet").write_bytes(part[:99])
    assert merged("counted", "--like", "like.parquet").n_units == 61
    (folder / "counted" / "again.parquet").write_bytes(part)
    arguments = ("merge", "counted", "--out", "new.parquet", "--like", "like.parquet")
    _, error = cli(*arguments, expect=2)
    files = 'parts ("counted/again.parquet", "counted/b.parquet")'
    assert f'{files}: id "sample_harbour_1" occurs twice' in error
    (folder / "counted" / "again.parquet").write_bytes(part[:-99])
    _, error = cli(*arguments, expect=2)
    assert "counted/again.parquet: cannot be read as parquet" in error
    assert not (folder / "new.parquet").exists()


def rewritten(path, change) -> None:
    table = pq.read_table(path)
    pq.write_table(change(table), path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop_columns(["cause_tp"]), 'no column "cause_tp" of counts'),
        (lambda t: t.set_column(0, "gold_digest", pa.nulls(len(t), pa.binary())), "gold_digest"),
        (lambda t: t.set_column(len(t.column_names) - 1, "batch_warnings", t["id"]), "was changed"),
    ],
)
def test_parts_that_were_changed(folder, change, message):
    rewritten(folder / "counted" / "b.parquet", change)
    _, error = cli("merge", "counted", "--out", "x.parquet", "--like", "like.parquet", expect=2)
    assert message in error


def test_rows_left_out_keep_what_they_say(folder):
    """Every row has its digest, so the gold of rows that another program kept is known."""
    rewritten(folder / "counted" / "b.parquet", lambda t: t.slice(3, 8))
    kept = fc.Statistics.read("counted/b.parquet", like="like.parquet")
    gold = fc.Relations(fc.read(sample.GOLD).table.slice(3, 8))
    assert kept.gold == fc.score(gold, gold).statistics.gold
    assert not kept.warnings


def test_like_contradicts_a_part(folder):
    fc.score(sample.GOLD, sample.SYSTEMS["hasty"], unparsed="empty", per_example="other.parquet")
    fc.score(
        sample.GOLD,
        sample.SYSTEMS["hasty"],
        "cnc-2023",
        unparsed="empty",
        per_example="cnc.parquet",
    )
    fc.classify([1, 0], [1, 0], per_example="labels.parquet")
    for like, message in (
        ("cnc.parquet", "protocol recess, expected cnc-2023 as in the file to be like"),
        ("labels.parquet", "job extraction, expected classification"),
        ("other.parquet", "unparsed:error, the file to be like has unparsed:empty"),
        ("counted/b.parquet", "not a file of statistics"),
        ("nowhere.parquet", "nowhere.parquet"),
    ):
        _, error = cli("merge", "like.parquet", "--out", "x.parquet", "--like", like, expect=2)
        assert message in " ".join(error.split()), like
    with pytest.raises(fc.InputError, match="expected cnc-2023"):
        fc.Statistics.read("like.parquet", like="cnc.parquet")
    assert not (folder / "x.parquet").exists()


def test_what_merge_says_where_metadata_is_lost(folder):
    _, error = cli("merge", "counted", "--out", "x.parquet", expect=2)
    assert "merge --like" in error
    _, error = cli(
        "merge", "counted/more", "--out", "like.parquet", "--like", "like.parquet", expect=2
    )
    assert "like.parquet is read" in error
    (folder / "empty").mkdir()
    _, error = cli("merge", "empty", "--out", "x.parquet", expect=2)
    assert "a directory without a file that ends in .parquet" in error


def test_several_systems_that_lost_their_metadata(folder):
    both = [sample.SYSTEMS[name] for name in ("careful", "hasty")]
    cli("score", sample.GOLD, *both, "--per-example", "both.parquet")
    pq.write_table(pq.read_table("both.parquet").replace_schema_metadata(None), "lost.parquet")
    cli("merge", "lost.parquet", "--out", "all.parquet", "--like", "both.parquet")
    whole, again = (
        json.loads(cli("aggregate", f"{f}.parquet", "--json")[0]) for f in ("both", "all")
    )
    for name, scores in whole["systems"].items():
        assert again["systems"][name]["scores"] == scores["scores"]


def test_files_of_per_example_that_lost_their_metadata(folder):
    """Without metadata only the counts are known; a warning names the unknown parts."""
    fc.score(sample.GOLD, sample.SYSTEMS["careful"], per_example="counts.parquet")
    rewritten("counts.parquet", lambda t: t.replace_schema_metadata(None))
    found = merged("counts.parquet", "--like", "like.parquet")
    assert found.gold is None
    assert "joined or left out by another program" in found.report().warnings[0]
    assert found.report()["overall"] == whole().report()["overall"]
