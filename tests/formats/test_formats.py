"""Telling formats apart, standard input, writing as a whole, and damage of every kind."""

from __future__ import annotations

import io
import os
import random
import sys
from contextlib import suppress
from typing import get_args

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import formats
from fastcausal.errors import InputError
from fastcausal.files.files import replacing
from fastcausal.formats import declared
from fastcausal.options import WriteFormat
from fastcausal.relations import Relations
from tests.support.format_cases import BIO, LINES, SINGLE, SPANS, SUBMISSION, TRUTH, save
from tests.support.profiles import trials

NAMES = ", ".join(declared.FORMATS)
TEXTS = {
    "truth": (TRUTH, "cnc"),
    "single": (SINGLE, "cnc"),
    "submission": (SUBMISSION, "cnc"),
    "bio": (BIO, "bio"),
    "spans": (SPANS, "spans"),
    "lines": (LINES, "jsonl"),
}
TABLE = Relations.from_examples(
    [{"id": "a", "text": "Rain fell", "relations": [{"cause": (0, 1)}, None]}] * 1
)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("mark", ["", "\ufeff", "\n\n"])
def test_the_content_tells_the_format(tmp_path, name, mark):
    text, format = TEXTS[name]
    bare = save(tmp_path, "bare", mark + text)
    assert formats.opened(formats.Source.open(bare)).format.name == format
    assert formats.read(bare).table.equals(formats.read(bare, format).table)


def test_the_name_tells_the_format(tmp_path):
    for name in ("a.parquet", "a.PQ", "a.arrow", "a.arrows", "a.feather", "a.ipc", "a.jsonl"):
        formats.write(TABLE, tmp_path / name)
        assert formats.read(tmp_path / name).table["relations"].equals(TABLE.table["relations"])
        unnamed = save(tmp_path, "unnamed", (tmp_path / name).read_bytes())
        assert formats.read(unnamed).table["relations"].equals(TABLE.table["relations"])


def test_a_fault_in_the_first_line_is_named(tmp_path):
    path = save(tmp_path, "a.jsonl", '{"id": "a", "cause": "x"y"}\n{"id": "b", "cause": "x"}\n')
    with pytest.raises(InputError, match=r"a\.jsonl:1: invalid JSON: Expecting"):
        formats.read(path)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.txt", "hello\nworld", "the format cannot be told, give a format: "),
        ("a.jsonl", '{"x": 1, "y": 2}', 'no line is a JSON object with "prediction" (cnc) or '
         '"relations" (spans, examples, jsonl, doccano, prodigy): found x, y; give a format: '),
        ("a.json", "[1]", 'no line is a JSON object with "prediction" (cnc) or "relations" '
         "(spans, examples, jsonl, doccano, prodigy): found none; give a format: "),
        ("a", '{"prediction": [], "relations": []}', 'both "prediction" (cnc) and "relations" '
         "(spans, examples, jsonl, doccano, prodigy), give a format: "),
    ],
)  # fmt: skip
def test_what_cannot_be_told(tmp_path, name, text, message):
    path = save(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        formats.read(path)
    more = '; answers="COLUMN" of score or convert reads raw answers of a model'
    more = more if "no line" in message else ""
    assert str(caught.value) == f"{path}: {message}{NAMES}{more}"


def test_relations_without_any_relation(tmp_path):
    path = save(tmp_path, "a.jsonl", '{"text": "a b", "relations": []}')
    assert formats.read(path).table["length"].to_pylist() == [2]


@pytest.mark.parametrize("text", ["", "\n \t", "\ufeff", "\ufeff\n"])
@pytest.mark.parametrize("format", [None, *declared.FORMATS])
def test_empty_files(tmp_path, text, format):
    path = save(tmp_path, "empty", text)
    with pytest.raises(InputError) as caught:
        formats.read(path, format)
    assert str(caught.value) == f"{path} is empty"


def test_files_that_cannot_be_opened(tmp_path):
    with pytest.raises(InputError, match=r"none: No such file or directory$"):
        formats.read(tmp_path / "none")
    with pytest.raises(InputError, match=r": a directory without a file that ends in \.csv, "):
        formats.read(tmp_path)
    with pytest.raises(InputError, match=r"null"):
        formats.read("a\0b")
    message = f'format is "x", expected one of {NAMES}'
    with pytest.raises(ValueError, match=f"^{message}$"):
        formats.read(tmp_path, "x")


def test_standard_input(monkeypatch):
    for text, _ in TEXTS.values():
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        assert len(formats.read("-")) > 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"")))
    with pytest.raises(InputError, match=r"^<stdin> is empty$"):
        formats.read("-")


def test_objects():
    assert formats.read(TABLE) is TABLE
    assert formats.read(TABLE.table).table.equals(TABLE.table)
    reader = pa.RecordBatchReader.from_batches(TABLE.table.schema, TABLE.table.to_batches())
    assert formats.read(reader).table.equals(TABLE.table)
    examples = [{"length": 2, "relations": [{"cause": (0, 1)}]}]
    assert formats.read(examples).to_examples()[0]["relations"] == [{"cause": [(0, 1)]}]
    texts = [{"text": "a b", "relations": [{"cause": "b"}]}]
    assert formats.read(texts, "spans").to_examples()[0]["relations"] == [{"cause": [(1, 2)]}]
    assert formats.read([["a <ARG0>b</ARG0>"], []]).reading.tags == "strict"
    assert formats.read([["O", "B-C"], []]).reading.tags is None
    assert formats.read([["O"]], "cnc").reading.tags == "strict"
    assert len(formats.read([[], []])) == 2
    assert len(formats.read([])) == 0


@pytest.mark.parametrize(
    ("source", "format", "message"),
    [
        (3, None, "cannot read a int, expected a path, a list or Arrow data"),
        (
            [3],
            None,
            "cannot read the list, expected dicts, lists of tagged sentences or lists of tags",
        ),
        ([["a"]], "arrow", 'lists cannot be read as "arrow", expected cnc or bio'),
        ([{"a": 1}], "cnc", 'the list cannot be read as "cnc", expected spans, examples, flat'),
        (
            pa.table({"x": [1]}),
            "bio",
            'the table cannot be read as "bio", expected spans, examples, flat, arrow',
        ),
        (
            pa.table({"x": [1]}),
            None,
            'the table: no column "relations": found x; a row per relation '
            'has "id", "cause" and "effect", and answers= names a column of model answers',
        ),
    ],
)
def test_objects_that_are_refused(source, format, message):
    with pytest.raises(InputError) as caught:
        formats.read(source, format)
    assert str(caught.value) == message


def test_the_target_tells_the_format(tmp_path):
    with pytest.raises(InputError) as caught:
        formats.write(TABLE, tmp_path / "a.txt")
    assert str(caught.value) == (
        f"{tmp_path}/a.txt: the name does not tell the format, give a format: {NAMES}, squad, nli"
    )
    with pytest.raises(ValueError, match=r'^format is "x", expected one of cnc, '):
        formats.write(TABLE, tmp_path / "a.txt", "x")
    with pytest.raises(InputError, match=r"No such file or directory"):
        formats.write(TABLE, tmp_path / "none" / "a.arrow")
    none = Relations.from_examples([])
    assert formats.write(none, tmp_path / "a.jsonl") == [
        "a file without examples is empty and cannot be read back"
    ]


def test_a_file_appears_complete_or_not_at_all(tmp_path):
    path = save(tmp_path, "a", "old")
    with pytest.raises(TypeError), replacing(path) as file:  # noqa: PT012
        file.write(b"new")
        file.write(None)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["a"]  # noqa: PTH208
    with replacing(path) as file:
        file.write(b"new")
    assert path.read_text() == "new"
    mode = path.stat().st_mode
    assert mode == save(tmp_path, "b", "").stat().st_mode
    with replacing("/dev/null") as file:
        file.write(b"new")
    assert not os.path.isfile("/dev/null")  # noqa: PTH113


def binaries(tmp_path_factory):
    folder = tmp_path_factory.mktemp("binary")
    names = {"parquet": "a.parquet", "arrow": "a.arrow", "stream": "a.arrows"}
    for name in names.values():
        formats.write(TABLE, folder / name)
    return {kind: (folder / name).read_bytes() for kind, name in names.items()}


@pytest.mark.parametrize("format", [None, *declared.FORMATS])
def test_random_bytes_raise_input_errors_only(tmp_path, format):
    @given(st.one_of(st.binary(max_size=80), st.text(max_size=40).map(str.encode)))
    @trials(40)
    def check(data):
        read_or_refuse(save(tmp_path, "data", data), format)

    check()


def mutated(random, data):
    """A few bytes changed, dropped, doubled or moved."""
    data = bytearray(data)
    for _ in range(random.randint(1, 4)):
        k = random.randrange(len(data))
        kind = random.randrange(5)
        if kind == 0:
            data[k] = random.randrange(256)
        elif kind == 1:
            del data[k : k + random.randint(1, 20)]
        elif kind == 2:
            data[k:k] = data[k : k + random.randint(1, 20)]
        elif kind == 3:
            data[k : k + 1] = random.choice(
                [b"<", b">", b'"', b"[", b"]", b"\t", b"\n", b",", b"\\"]
            )
        else:
            data[k:] = data[k:] + data[:k]
        if not data:
            break
    return bytes(data)


@pytest.mark.drawn
@pytest.mark.parametrize("name", [*TEXTS, "parquet", "arrow", "stream"])
def test_damaged_files_raise_input_errors_only(tmp_path, tmp_path_factory, name):
    if name in TEXTS:
        data, format = TEXTS[name][0].encode(), TEXTS[name][1]
    else:
        data = binaries(tmp_path_factory)[name]
        format = "parquet" if name == "parquet" else "arrow"
    source = random.Random(name)
    for _ in range(trials(500).max_examples):
        path = save(tmp_path, "data", mutated(source, data))
        read_or_refuse(path, format)
        read_or_refuse(path, None)
        read_or_refuse(path, format, tags="cnc-2023")


def read_or_refuse(path, format, **options):
    """Read and write everything, or raise an InputError."""
    try:
        read = formats.read(path, format, **options)
    except InputError:
        return
    assert read.to_examples() is not None
    if max(filter(None, read.table["length"].to_pylist()), default=0) > 10**6:
        return  # tags of a billion tokens are too long for a test
    for target in get_args(WriteFormat):
        with suppress(InputError):
            formats.write(read, path.with_name("copy"), target)
