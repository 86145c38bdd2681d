"""A format is its file and its line in `declared.ALL`: everything else follows from the record."""

from __future__ import annotations

import pickle
from collections import Counter
from dataclasses import fields
from typing import get_args, get_type_hints

import pytest

import fastcausal as fc
from fastcausal import formats, sample
from fastcausal.cli.convert import convert
from fastcausal.files.files import Source
from fastcausal.formats import declared
from fastcausal.formats.reading import opening
from fastcausal.formats.reading.format import Format, Opened
from tests.support.tables import table_of

WORDS = "words"


def read_words(source):
    """A format made for this test: a line per example, its number of words."""
    lengths = [int(line) for _, line in source.filled_lines() if line != "%words"]
    return fc.Relations.from_examples([{"length": n, "relations": []} for n in lengths])


def write_words(relations, target, unit=1):
    lengths = relations.table["length"].to_pylist()
    lines = ("%words", *(n * unit for n in lengths))
    target.write_text("".join(f"{line}\n" for line in lines))
    return ["the relations"]


def is_words(source):
    return source.text.startswith("%words")


RECORD = Format(WORDS, read_words, write_words, suffixes=(".words",), sniff=is_words, empty=False)


@pytest.fixture
def with_words(monkeypatch):
    """The one line."""
    every = (*declared.ALL, RECORD)
    monkeypatch.setattr(declared, "ALL", every)
    monkeypatch.setattr(declared, "FORMATS", {f.name: f for f in every if f.read is not None})


def test_a_new_format_is_read_written_told_and_scored(tmp_path, with_words):
    table = table_of([[], []], id=["a", "b"])
    path = tmp_path / "x.words"
    assert fc.write(table, path) == ["the relations"]
    bare = path.rename(tmp_path / "x")
    for source, format in ((bare, None), (bare, WORDS), (Source.open(bare), None)):
        assert len(fc.read(source, format)) == 2
    assert fc.score(bare, bare).n_examples == 2
    none = fc.Relations(table.table.slice(0, 0))
    assert fc.write(none, path)[-1] == "a file without examples is empty and cannot be read back"
    with pytest.raises(ValueError, match=r"expected one of .*, words$"):
        fc.read(bare, "word")


def names_in(hint):
    """The strings of all Literals in a type."""
    return {hint} if isinstance(hint, str) else set().union(*map(names_in, get_args(hint)))


def test_the_command_line_offers_what_is_declared():
    """Choices of the command line, which are types for a quick `--help`, equal declared formats."""
    options = get_type_hints(convert)
    assert names_in(options["source_format"]) == set(declared.FORMATS)
    written = {format.name for format in declared.ALL if format.write is not None}
    assert names_in(options["target_format"]) == written


@pytest.mark.parametrize("format", declared.ALL, ids=lambda format: format.name)
def test_records_are_whole(format):
    assert pickle.loads(pickle.dumps(format)).name == format.name
    assert format.read or format.write
    assert bool(format.stream) <= bool(format.marks or format.key), "told by its first bytes"
    assert {*format.options} <= {"seed", "premise"}
    assert len(fields(format)) <= 16


def test_no_two_formats_share_a_suffix_or_a_mark():
    for field in ("suffixes", "marks", "options"):
        values = Counter(value for format in declared.ALL for value in getattr(format, field))
        assert {value for value, n in values.items() if n > 1} <= {".csv"}  # known by its header
    names = [format.name for format in declared.ALL]
    assert len({*names}) == len(names)


@pytest.mark.parametrize("path", [sample.GOLD, sample.SYSTEMS["careful"]])
def test_a_file_is_opened_and_told_once(path, monkeypatch):
    opened, told = [], []
    plain_open, plain_sniff = Source.open.__func__, opening.sniff_head

    def counted(cls, source, *args, **options):
        if not isinstance(source, Source):
            opened.append(source)
        return plain_open(cls, source, *args, **options)

    monkeypatch.setattr(Source, "open", classmethod(counted))
    monkeypatch.setattr(
        opening, "sniff_head", lambda *args: told.append(args) or plain_sniff(*args)
    )
    file = formats.opened(path, whole=True)
    assert isinstance(file, Opened)
    assert formats.opened(file) is file
    whole = fc.read(path)
    assert fc.read(file).table.equals(whole.table)
    del opened[:], told[:]
    fc.score(sample.GOLD, path if path != sample.GOLD else sample.SYSTEMS["hasty"])
    assert len(opened) <= 2
    assert len(told) <= 1  # the format of gold.csv is known by its name
