"""Large Parquet files, whose texts are read batch by batch: as in memory, and never all at once."""

from __future__ import annotations

import os
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc
from fastcausal.arrays.arrow import cast_to_plain
from fastcausal.errors import InputError
from fastcausal.files import on_disk
from tests.support.profiles import trials

WORDS = ["rain", "the", "floods,", "Café", "mud", "漢", "İ", "port"]
GOLD = "[Cause] rain [Effect] mud"
TABLES = ("per_item", "judgments", "differing")
N = 41


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Take every file for a large one, and three rows for a batch."""
    monkeypatch.setattr(on_disk, "BATCH", 2)
    monkeypatch.setattr(on_disk, "ROWS", 3)


def text(draws, readable=True):
    def span():
        return " ".join(draws.choices(WORDS, k=draws.randint(0, 3)))

    sides = [f"{span()} | {span()}" if draws.random() < 0.5 else span() for _ in range(2)]
    if not readable and draws.random() < 0.2:
        return sides[0]
    relation = draws.choice(["", "[Relation] cause ", "[Relation] Enable "])
    return f"[Cause] {sides[0]} {relation}[Effect] {sides[1]}"


def table_of(seed):
    """Answers with ids in any order, perhaps of two systems, with reasons, sources or none."""
    draws = random.Random(seed)
    ids = list(range(N)) if draws.random() < 0.3 else draws.sample(range(N), N)
    verdicts = draws.choices(["yes", "no", "unsure", None], k=N)
    columns = {
        "id": ids if draws.random() < 0.5 else [f"x{k}" for k in ids],
        "gold": [text(draws) for _ in ids],
        "output": [text(draws, readable=False) for _ in ids],
        "valid": verdicts,
        "genre": draws.choices(["a", "b"], k=N),
    }
    if draws.random() < 0.7:
        columns["input"] = [draws.choice([None, " ".join(draws.choices(WORDS, k=5))]) for _ in ids]
    if draws.random() < 0.5:
        columns["system"] = draws.choices(["s", "t"], k=N)
    if draws.random() < 0.5:
        columns["reason"] = [draws.choice([None, "cause"]) if v == "no" else None for v in verdicts]
    kind = draws.choice([pa.string(), pa.large_string(), pa.string_view()])
    table = pa.table(columns)
    at = table.column_names.index("output")
    table = table.set_column(at, "output", table["output"].cast(kind))
    return table.select(draws.sample(table.column_names, table.num_columns)), draws


def outcome(source, name, **options):
    """Return everything a report holds, or the message of its error."""
    try:
        report = fc.answers(source, **options)
    except InputError as error:
        return str(error).replace(str(name), "answers")
    statistics = report.statistics
    tables = {each: report.tables[each].to_pylist() for each in TABLES}
    units = statistics.units.to_pylist()
    return report.to_dict(), tables, statistics.rows.tolist(), units, statistics.gold


@pytest.mark.slow
@pytest.mark.drawn
def test_batches_change_nothing(tmp_path):
    path = tmp_path / "answers.parquet"
    for seed in range(trials(40).max_examples):
        table, draws = table_of(seed)
        pq.write_table(table, path, row_group_size=draws.choice([1, 2, 7, N]))
        assert len(on_disk.open_on_disk(path)) == N
        for options in (
            {"unparsed": "error"},
            {"unparsed": "empty", "by": "genre"},
            {"unparsed": "skip", "unsure": "missing"},
            {"protocol": "fcr", "unparsed": "empty"},
        ):
            expected = outcome(table, "answers", **options)
            of_file = outcome(path, path, **options)
            assert repr(of_file).replace("'system': 'answers', ", "") == repr(expected), seed
            if not isinstance(expected, str):
                ordered = cast_to_plain(table).sort_by("id")
                assert repr(outcome(ordered, "answers", **options)) == repr(expected), seed


def test_texts_are_read_in_batches_alone(tmp_path, monkeypatch):
    """No report, and no function between file and report, holds all texts at once."""
    path, read = tmp_path / "answers.parquet", []
    rows = {"gold": [GOLD] * N, "output": [GOLD] * N, "input": ["rain"] * N, "tag": ["x"] * N}
    pq.write_table(pa.table(rows), path)
    select = on_disk.OnDisk.select
    monkeypatch.setattr(
        on_disk.OnDisk, "select", lambda self, names: read.extend(names) or select(self, names)
    )
    report = fc.answers(path)
    assert report["overall"].f1 == 1
    assert len(report.tables["per_item"]) == N
    assert set(read) == {"tag"}


FAULTS = {
    "a null text": ({"gold": [GOLD] * 30 + [None] * 11}, "row 30"),
    "a null answer": ({"output": [None] + [GOLD] * 40}, "row 0"),
    "a number": ({"output": [7] * N}, "row 0"),
    "a verdict": ({"valid": ["yes"] * 35 + ["perhaps"] * 6}, "row 35"),
    "an id": ({"id": [*range(40), 2]}, 'row 40: id "2" occurs twice, first in'),
    "unreadable references": ({"gold": [GOLD] * 5 + ["rain"] * 36}, "row 5"),
    "unreadable answers": ({"output": [GOLD] * 12 + ["rain"] * 29}, "row 12"),
    "two nulls": ({"gold": [GOLD] * 40 + [None], "output": [None] + [GOLD] * 40}, "row 40"),
    "no answers": ({"output": None}, 'no column "output"'),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_those_of_a_table(fault, tmp_path):
    columns, expected = FAULTS[fault]
    rows = {"id": [*range(N)], "gold": [GOLD] * N, "output": [GOLD] * N, "valid": ["yes"] * N}
    table = pa.table({n: v for n, v in (rows | columns).items() if v is not None})
    path = tmp_path / "answers.parquet"
    pq.write_table(table, path, row_group_size=10)
    message = outcome(path, path)
    assert message == outcome(table, "answers")
    assert expected in message


def test_a_fault_shows_its_own_text(tmp_path):
    """Ids descend, so that the first item is the last row."""
    path = tmp_path / "answers.parquet"
    texts = [f"text {k}" for k in range(N)]
    ids = [*range(N - 1, -1, -1)]
    pq.write_table(pa.table({"id": ids, "gold": [GOLD] * N, "output": texts}), path)
    with pytest.raises(InputError, match=r'row 40: id "0": .* got "text 40"\n.*row 39: id "1"'):
        fc.answers(path)


def test_missing_rows_are_found(tmp_path, monkeypatch):
    path = tmp_path / "answers.parquet"
    pq.write_table(pa.table({"gold": [GOLD] * N, "output": [GOLD] * N}), path)
    parts = on_disk.parts
    monkeypatch.setattr(on_disk, "parts", lambda *p, **n: (None, [*parts(*p, **n)[1]][1:]))
    with pytest.raises(InputError, match=r"cannot be read as parquet: 38 rows, expected 41"):
        fc.answers(path)


def test_nulls_that_a_file_hides_are_found(tmp_path, monkeypatch):
    monkeypatch.setattr(on_disk.OnDisk, "lacks_null", lambda self, column: True)
    test_faults_are_those_of_a_table("a null text", tmp_path)
    test_faults_are_those_of_a_table("a null answer", tmp_path)


@pytest.mark.parametrize("fault", ["utf-8", "page", "end"])
def test_damage_is_reported_as_of_small_files(fault, tmp_path, monkeypatch):
    texts = [GOLD + f" {k}" for k in range(N)]
    answers = pa.array([t.encode() for t in texts[:-1]] + [b"\xff"]) if fault == "utf-8" else texts
    path = tmp_path / "answers.parquet"
    table = pa.table({"id": [*range(N)], "gold": texts, "output": answers})
    schema = pa.schema([("id", pa.int64()), ("gold", pa.string()), ("output", pa.string())])
    if fault == "utf-8":
        output = pa.Array.from_buffers(pa.string(), N, table["output"].chunk(0).buffers())
        table = pa.table([table["id"], table["gold"], output], schema=schema)
    pq.write_table(table, path, compression="none", use_dictionary=False, row_group_size=9)
    data = bytearray(path.read_bytes())
    if fault == "page":
        start = pq.read_metadata(path).row_group(3).column(2).data_page_offset
        data[start : start + 8] = b"\xff" * 8
    path.write_bytes(data[:-9] if fault == "end" else data)
    with pytest.raises(InputError) as large:
        fc.answers(path)
    monkeypatch.undo()
    with pytest.raises(InputError) as small:
        fc.answers(path)
    assert str(large.value) == str(small.value)
    assert str(large.value).startswith(f"{path}: cannot be read as parquet: ")


def test_a_changed_file_is_refused(tmp_path):
    path = tmp_path / "answers.parquet"
    pq.write_table(pa.table({"gold": [GOLD] * N, "output": [GOLD] * N}), path)
    report = fc.answers(path)
    assert len(report.tables["per_item"]) == N
    report = fc.answers(path)
    pq.write_table(pa.table({"gold": [GOLD] * N, "output": ["rain"] * N}), path)
    os.utime(path, ns=(1, 1))
    with pytest.raises(InputError, match=r"answers\.parquet has changed since it was opened"):
        report.tables["per_item"]
