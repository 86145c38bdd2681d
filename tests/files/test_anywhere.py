"""Compressed files, URLs, and directories of text files as one source."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import re
import sys
import zipfile

import pyarrow as pa
import pyarrow.fs
import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.files import packed
from fastcausal.formats import jsonl
from fastcausal.formats.reading import opening
from tests.support.cli import cli

SUBMISSION = sample.SYSTEMS["careful"].read_bytes()
TRUTH = sample.GOLD.read_bytes()


def zipped(files):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return held.getvalue()


PACKED = {
    "a.jsonl.gz": gzip.compress,
    "parts.jsonl.gz": lambda data: gzip.compress(data[:999]) + gzip.compress(data[999:]),
    "a.jsonl.bz2": bz2.compress,
    "a.jsonl.zst": lambda data: pa.compress(data, "zstd", asbytes=True),
    "a.zip": lambda data: zipped({"a.jsonl": data, "__MACOSX/._a.jsonl": b"x"}),
    "unnamed": gzip.compress,
}


def same(report, other):
    return report.to_dict() == other.to_dict()


@pytest.fixture(scope="module")
def plain():
    return fc.score(sample.GOLD, sample.SYSTEMS["careful"])


@pytest.mark.parametrize("name", PACKED)
def test_a_packed_file_is_read_as_what_it_holds(name, tmp_path, plain):
    (tmp_path / name).write_bytes(PACKED[name](SUBMISSION))
    (tmp_path / "gold.csv.gz").write_bytes(gzip.compress(TRUTH))
    for gold, pred in [
        (tmp_path / "gold.csv.gz", tmp_path / name),
        ((tmp_path / "gold.csv.gz").as_uri(), (tmp_path / name).as_uri()),
    ]:
        assert same(fc.score(gold, pred), plain)
        assert fc.read(pred, like=fc.read(gold)).table.equals(
            fc.read(sample.SYSTEMS["careful"], like=fc.read(sample.GOLD)).table
        )
    shown = cli("score", sample.GOLD, tmp_path / name)
    assert shown == cli("score", sample.GOLD, sample.SYSTEMS["careful"])


def test_standard_input_may_be_packed():
    shown = cli("score", sample.GOLD, "-", stdin=gzip.compress(SUBMISSION))[0]
    assert shown == cli("score", sample.GOLD, sample.SYSTEMS["careful"])[0]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_is_read(tmp_path, monkeypatch, encoding, plain):
    """Windows programs save text so; the mark tells it, at once and in batches."""
    sides = []
    for path in (sample.GOLD, sample.SYSTEMS["careful"]):
        sides.append(tmp_path / path.name)
        sides[-1].write_bytes(("\ufeff" + path.read_text("utf-8")).encode(encoding))
    assert same(fc.score(*sides), plain)
    assert cli("score", "-", sides[1], stdin=sides[0].read_bytes())[0] == cli("score", *sides)[0]
    table = "\ufeffid,label\né,1\n😀,0\n".encode(encoding)
    (tmp_path / "l.csv").write_bytes(table)
    assert fc.classify(tmp_path / "l.csv", tmp_path / "l.csv").n_examples == 2
    monkeypatch.setattr(opening, "SMALL", 10)
    monkeypatch.setattr(opening, "HEAD", 1001)  # ends within a character
    assert same(fc.score(*sides), plain)


def test_labels_records_and_counts_may_be_packed(tmp_path, plain):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"id,label\nx,1\ny,0\n"))
    assert fc.classify(tmp_path / "a.csv.gz", tmp_path / "a.csv.gz").n_examples == 2
    plain.statistics.write(tmp_path / "careful.parquet")
    data = (tmp_path / "careful.parquet").read_bytes()
    (tmp_path / "careful.parquet.zst").write_bytes(pa.compress(data, "zstd", asbytes=True))
    shown = cli("aggregate", tmp_path / "careful.parquet.zst")
    assert shown == cli("aggregate", tmp_path / "careful.parquet")


def test_a_large_packed_file_is_read_in_batches(tmp_path, monkeypatch):
    """A large packed file is unpacked to a file first, to hold only a batch in memory."""
    monkeypatch.setattr(opening, "SMALL", 10)
    monkeypatch.setattr("fastcausal.formats.reading.batches.ROWS", 7)
    fc.write(fc.read(sample.GOLD), tmp_path / "gold.jsonl")
    (tmp_path / "gold.jsonl.gz").write_bytes(gzip.compress((tmp_path / "gold.jsonl").read_bytes()))
    plain, packed_ = tmp_path / "gold.jsonl", tmp_path / "gold.jsonl.gz"
    gold = fc.read(sample.GOLD)
    taken = []
    monkeypatch.setattr(
        jsonl, "line_batches", lambda path, n, *_: taken.append(n) or iter([fc.read(plain)])
    )
    assert same(fc.score(gold, packed_), fc.score(gold, plain))
    assert taken == [7] * 2


HEAD = gzip.compress(SUBMISSION)
BAD = {
    "empty.jsonl.gz": (b"", "is empty"),
    "nothing.jsonl.gz": (gzip.compress(b""), "is empty"),
    "cut.jsonl.gz": (HEAD[: len(HEAD) // 2], "damaged gzip data: Truncated"),
    "cut.jsonl.bz2": (bz2.compress(SUBMISSION)[:-20], "damaged bz2 data: Truncated"),
    "cut.zip": (zipped({"a.jsonl": SUBMISSION})[:200], "damaged or no zip"),
    "two.zip": (zipped({"a.jsonl": b"x", "b.jsonl": b"y"}), "2 files (a.jsonl, b.jsonl), expected"),
    "none.zip": (zipped({}), "a zip with no file, expected one"),
    "twice.gz": (gzip.compress(HEAD), "gzip data within gzip data"),
    "bomb.gz": (gzip.compress(b" " * (1 << 25)), "more than 200 times as many"),
    "a.xz": (b"\xfd7zXZ\0" + b"x" * 20, "a file packed by xz, which is not read"),
    "table.xlsx": (
        zipped({"[Content_Types].xml": b"<x/>", "xl/workbook.xml": b"<x/>"}),
        "a file of an office program, which is not read: save its table as CSV in UTF-8",
    ),
    "table.ods": (zipped({"mimetype": b"x", "content.xml": b"<x/>"}), "of an office program"),
    "table.xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 99, "of an office program"),
    "text.gz": (gzip.compress(b"hello\nworld"), "the format cannot be told"),
}


@pytest.mark.parametrize("name", BAD)
@pytest.mark.parametrize("batches", [False, True])
def test_bad_packed_files_are_told(name, batches, tmp_path, monkeypatch):
    data, message = BAD[name]
    monkeypatch.setattr(packed, "SAFE", 1 << 20)
    (tmp_path / name).write_bytes(data)
    arguments = ("score", sample.GOLD) if batches else ("convert",)
    _, err = cli(*arguments, tmp_path / name, *([] if batches else ["out.jsonl"]), expect=2)
    assert err.startswith(f"error: {tmp_path / name}")
    assert message in err
    assert err.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == [name]


class OneFile:
    """A file system of one file, in the place of `pyarrow.fs.FileSystem`."""

    def __init__(self, data):
        self.data = data

    def from_uri(self, url):
        return self, url

    def open_input_stream(self, path, compression):
        assert compression is None
        if self.data is None:
            raise FileNotFoundError("When reading\nthe bucket")
        return pa.BufferReader(self.data)


@pytest.mark.parametrize("url", ["s3://runs/a.jsonl.gz", "gs://runs/a.jsonl.gz?retry=1"])
def test_a_url_is_read(url, monkeypatch, plain):
    monkeypatch.setattr(pyarrow.fs, "FileSystem", OneFile(gzip.compress(SUBMISSION)))
    assert same(fc.score(sample.GOLD, url), plain)
    shown = cli("score", sample.GOLD, url, sample.SYSTEMS["hasty"])[0]
    assert re.search(r"^a +0\.", shown, re.MULTILINE)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("s3://runs/a.jsonl", "the URL cannot be read: When reading"),
        ("file://elsewhere/a.jsonl", "a file:// URL of another machine"),
        ("file:///not/there.jsonl", "No such file or directory"),
    ],
)
def test_a_url_that_cannot_be_reached_is_told(url, message, monkeypatch):
    monkeypatch.setattr(pyarrow.fs, "FileSystem", OneFile(None))
    out, err = cli("score", sample.GOLD, url, expect=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_url_that_needs_a_package_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    _, err = cli("score", sample.GOLD, "https://example.org/a.jsonl", expect=2)
    assert 'pip install "fastcausal[url]", or download the file' in err


def test_a_target_under_the_url_of_a_source_is_refused(tmp_path):
    (tmp_path / "gold.jsonl").write_bytes(b"{}")
    _, err = cli("convert", (tmp_path / "gold.jsonl").as_uri(), tmp_path / "gold.jsonl", expect=2)
    assert "is read, expected another file" in err


def halves(folder, suffix=".csv", pack=lambda data: data):
    """The truth in two files, the later half with a column of its own."""
    folder.mkdir()
    head, *rows = csv.reader(TRUTH.decode().splitlines())
    for name, part, more in (("1", rows[:20], []), ("2", rows[20:], ["genre"])):
        text = io.StringIO()
        csv.writer(text).writerows([head + more, *(row + more for row in part)])
        (folder / f"{name}{suffix}").write_bytes(pack(text.getvalue().encode()))
    return folder


@pytest.mark.parametrize("suffix", [".csv", ".csv.gz"])
def test_a_directory_of_csv_files_is_one_source(suffix, tmp_path, plain):
    folder = halves(tmp_path / "d", suffix, gzip.compress if "gz" in suffix else bytes)
    read, whole = fc.read(folder), fc.read(sample.GOLD)
    assert read.table.select(whole.table.column_names).equals(whole.table)
    assert read.table["genre"].to_pylist() == [None] * 20 + ["genre"] * (len(whole) - 20)
    assert same(fc.score(folder, sample.SYSTEMS["careful"]), plain)


def test_a_directory_of_json_lines_is_one_source(tmp_path):
    gold = fc.read(sample.GOLD)
    for format in ("jsonl", "spans"):
        (tmp_path / format / "sub").mkdir(parents=True)
        for name, rows in (("a", slice(0, 9)), ("sub/b", slice(9, None))):
            part = fc.Relations.trusted(gold.table[rows], gold.reading)
            fc.write(part, tmp_path / format / f"{name}.jsonl", format)
        read = fc.read(tmp_path / format, like=gold)
        assert read.table["relations"].equals(gold.table["relations"])
        assert read.table["id"].equals(gold.table["id"])
        assert fc.score(gold, tmp_path / format)["overall"].f1 == 1


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.csv": TRUTH, "b.jsonl": SUBMISSION}, "a directory with CSV and JSON lines files"),
        ({"a.parquet": b"PAR1", "b.jsonl": SUBMISSION}, "with parquet and JSON lines files"),
        ({"a.csv": TRUTH, "b.csv": TRUTH}, 'id "sample_harbour_1" is also in'),
        (
            {
                "a.jsonl": b'{"id": "a", "length": 3, "relations": []}\n',
                "b.jsonl": b'{"index": 0, "prediction": []}\n',
            },
            "a directory with jsonl (",
        ),
        ({"a.txt": b"Rain"}, "a directory without a file that ends in"),
        ({"a.csv": b""}, "is empty"),
    ],
)
def test_directories_that_are_no_source_are_told(files, message, tmp_path):
    (tmp_path / "d").mkdir()
    for name, data in files.items():
        (tmp_path / "d" / name).write_bytes(data)
    out, err = cli("convert", tmp_path / "d", tmp_path / "out.parquet", expect=2)
    assert out == ""
    assert message in err
    assert err.count("\n") == 1
    assert not (tmp_path / "out.parquet").exists()


def test_a_format_that_has_no_directories_is_refused(tmp_path):
    _, err = cli("convert", halves(tmp_path / "d"), "out.jsonl", "--from", "bio", expect=2)
    assert "a directory, bio is read from one file" in err
