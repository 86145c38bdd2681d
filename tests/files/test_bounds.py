"""Small files that would take long or much memory: bounded, with the bound in the message."""

from __future__ import annotations

import gzip
import os
import zipfile

import numpy as np
import pyarrow as pa
import pytest

import fastcausal as fc
from fastcausal.arrays.arrow import strings
from fastcausal.errors import InputError, Problems
from fastcausal.files import packed
from fastcausal.files.files import Source
from fastcausal.files.records import read_records
from fastcausal.formats import bio
from fastcausal.formats.reading import opening
from fastcausal.sweeps.folder import counts_of_runs
from fastcausal.sweeps.runs import runs_of_files
from fastcausal.tasks.answers.files import read_file
from fastcausal.tasks.relations.marked import MAX_NUMBERS

LINE = b'{"id": "a", "length": 9, "relations": []}\n'


def slow_filled_lines(source):
    return [(n, line) for n, line in source.lines() if line and not line.isspace()]


@pytest.mark.parametrize(
    "text", ["", "\n", "a", "\n\na\n", " \n\t\na\n\n \nb", "a\n\n\nb\n  \r\n", "\u2028\nx\n\x1c\n"]
)
@pytest.mark.parametrize("first", [1, 7])
def test_blank_lines_are_passed_at_once(text, first):
    source = Source("x", text.encode(), first)
    assert [*source.filled_lines()] == slow_filled_lines(source)


def test_line_ends_packed_into_little_are_refused(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(LINE + b"\n" * (packed.SAFE + packed.PIECE)))
    with pytest.raises(InputError, match=r"unpack to over 6. MiB, more than 200 times as many"):
        fc.read(path)


def test_millions_of_lines_that_are_none_are_not_all_told(tmp_path, monkeypatch):
    monkeypatch.setattr(Problems, "most", 1000)
    monkeypatch.setattr(opening, "MAX_UNKNOWN_LINES", 1000)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"1\n" * 5000)
    with pytest.raises(InputError, match="and 990 more, and what follows was not read"):
        read_records(str(path))
    path.write_bytes(b"1\n" * 5000 + LINE)
    with pytest.raises(InputError, match="no line is a JSON object"):
        fc.read(path)
    path.write_bytes(b"1\n" * 1000 + LINE)
    with pytest.raises(InputError, match="a number, expected an object"):
        fc.read(path)


def test_a_sentence_of_millions_of_tokens_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(bio, "MAX_TOKENS", 3)
    path = tmp_path / "x.conll"
    path.write_text("a B-C\nb I-C\nc B-E\n\n" * 2)
    assert len(fc.read(path).table) == 2
    path.write_text("a B-C\nb I-C\nc B-E\nd I-E\n")
    with pytest.raises(InputError, match=r"x\.conll:4: a sentence of more than 3 tokens"):
        fc.read(path)


def test_a_zip_is_unpacked_once(tmp_path):
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("x.jsonl", LINE)
        archive.writestr("Thumbs.db", b"x")
    name, data = packed.loaded(path)
    assert (name, data) == (f"{path}/x.jsonl", LINE)


def test_numbers_of_tokens_stand_in_for_few_texts_alone(tmp_path):
    line = '{"id": "a", "length": %d, "relations": [[{"role": "cause", "start": 0, "stop": 1}]]}\n'
    path = tmp_path / "x.jsonl"
    path.write_text(line % (MAX_NUMBERS + 1))
    report = fc.score(path, path)
    target = tmp_path / "x.html"
    with pytest.raises(InputError, match=f"have {MAX_NUMBERS + 1} tokens, expected at most"):
        report.to_html(target)
    assert not target.exists()
    path.write_text(line % 9)
    fc.score(path, path).to_html(target)
    assert target.exists()


def test_a_pipe_in_a_folder_is_not_waited_for(tmp_path):
    folder = tmp_path / "swept" / "runs"
    folder.mkdir(parents=True)
    (folder / "a.parquet").write_bytes(b"x")
    assert len(runs_of_files([folder])) == len(counts_of_runs(tmp_path / "swept")) == 1
    os.mkfifo(folder / "b.parquet")
    for listed in (lambda: runs_of_files([folder]), lambda: counts_of_runs(tmp_path / "swept")):
        with pytest.raises(InputError, match="neither a file nor a folder, but a pipe"):
            listed()


def test_half_a_surrogate_is_refused_or_escaped(tmp_path):
    with pytest.raises(InputError, match="half of a surrogate pair"):
        strings(["a", "x\ud800"])
    path = tmp_path / "x.json"
    item = '{"id": "a", "data": {"text": "x", "reference": "x", "model": "x"}, "answer": "valid"}'
    path.write_text(f'{{"username": "\\ud800", "items": [{item}]}}')
    assert read_file(str(path), "x", "amy").ratings.rater.to_pylist() == ["\\ud800"]


@pytest.mark.parametrize("kind", [pa.null(), pa.list_(pa.int32()), pa.struct([]), pa.bool_()])
def test_a_column_of_any_type_may_be_empty(kind):
    rows = read_records(pa.table({"a": pa.nulls(2, kind), "b": [1, 2]}))
    assert rows.texts("a").to_pylist() == [None, None]
    assert np.isnan(rows.numbers("a")).all()
    with pytest.raises(InputError, match='"a" is missing'):
        rows.integers("a")


def test_documents_of_no_text_give_no_advice():
    examples = [{"id": str(k), "length": 2, "relations": [], "doc_id": [k % 2]} for k in range(4)]
    rows = fc.Relations(pa.Table.from_pylist(examples))
    assert fc.score(rows, rows).statistics.intervals().unit == "example"

    def warnings_on(rows):
        return fc.score(rows, rows).statistics.intervals(cluster=None).warnings

    assert not any("share" in each for each in warnings_on(rows))
    rows = fc.Relations(pa.Table.from_pylist([e | {"doc_id": e["doc_id"][0]} for e in examples]))
    assert any("share" in each for each in warnings_on(rows))
