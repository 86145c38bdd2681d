"""Files of ratings: every format gives the same table, and errors name the unreadable parts."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.tasks.classification import files as label_format
from fastcausal.tasks.labels.files import read_rating_files
from tests.support.cli import cli

HEADER = ("unit", "rater", "label")
Row = tuple[str, str, object]

ids = st.text("01é ,\"'\n", min_size=1, max_size=4) | st.integers(0, 10**25).map(str)
labels = (
    st.lists(st.none() | st.sampled_from(["a", "01", "NA", 'x"y', "true", "é"]), min_size=3)
    | st.lists(st.none() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e9, 1e9), min_size=3)
).filter(lambda said: any(value is not None for value in said))


@st.composite
def ratings(draw: st.DrawFn) -> list[Row]:
    """Draw rows of a rating file; labels that include text get an ``x``, which is no number."""
    said = draw(labels)
    if any(isinstance(value, str) for value in said):
        said.append("x")
    pairs = st.lists(st.tuples(ids, ids), min_size=len(said), max_size=len(said), unique=True)
    return [(u, r, value) for (u, r), value in zip(draw(pairs), said, strict=True)]


def write_csv(path: Path, rows: list[Row]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        delimiter = "\t" if path.suffix == ".tsv" else ","
        table = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
        table.writerows([HEADER, *rows])
    return path


def write_lines(path: Path, rows: list[Row]) -> Path:
    lines = [json.dumps(dict(zip(HEADER, row, strict=True))) for row in rows]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def table_of(rows: list[Row]) -> pa.Table:
    return pa.table([pa.array(column) for column in zip(*rows, strict=True)], HEADER)


@given(rows=ratings())
def test_formats_agree(rows, tmp_path_factory):
    folder = tmp_path_factory.mktemp("ratings")
    expected = [(u, r, v if v is None or isinstance(v, str) else float(v)) for u, r, v in rows]
    table = table_of(expected)
    pq.write_table(table, folder / "x.parquet")
    feather.write_feather(table, str(folder / "x.arrow"), compression="uncompressed")
    for path in (
        write_csv(folder / "x.csv", rows),
        write_csv(folder / "x.tsv", rows),
        write_lines(folder / "x.jsonl", rows),
        folder / "x.parquet",
        folder / "x.arrow",
    ):
        found = read_rating_files([str(path)], "label")
        assert [tuple(row.values()) for row in found.to_pylist()] == expected, path.suffix


def file(tmp_path: Path, name: str, *lines: str | bytes) -> str:
    path = tmp_path / name
    path.write_bytes(b"\n".join(s if isinstance(s, bytes) else s.encode() for s in lines) + b"\n")
    return str(path)


def counts(*paths: str, **columns: str) -> tuple[int, int, int]:
    found = fc.label_agreement(read_rating_files(paths, "label", **columns))
    return found.n_units, found.n_raters, found.n_ratings


@pytest.mark.parametrize(
    "units", [("001", "01", "1"), ("12345678901234567890", "12345678901234567891", "1e3")]
)
def test_ids_are_text(units, tmp_path):
    rows = [(unit, rater, 1) for unit in units for rater in ("01", "1")]
    assert counts(str(write_csv(tmp_path / "x.csv", rows))) == (3, 2, 6)
    assert counts(str(write_lines(tmp_path / "x.jsonl", rows))) == (3, 2, 6)
    flipped = [(b, a, c) for a, b, c in rows]
    assert counts(str(write_csv(tmp_path / "y.csv", flipped))) == (2, 3, 6)


def test_numbers_of_json_are_ids_too(tmp_path):
    big = 10**25
    lines = [json.dumps({"unit": unit, "rater": 7, "label": 1}) for unit in (1, big, big + 1, "1a")]
    assert counts(file(tmp_path, "x.jsonl", *lines)) == (4, 1, 4)


def test_numbers_and_text(tmp_path):
    """Cells are numbers if all of them are, else text; an empty cell is missing in both cases."""

    def labels_of(*cells):
        rows = [f"u{k},r,{cell}" for k, cell in enumerate(cells)]
        path = file(tmp_path, "x.csv", "unit,rater,label", *rows)
        return read_rating_files([path], "label")["label"].to_pylist()

    assert labels_of("01", "", " 2.5", "NA", "-0") == [1.0, None, 2.5, None, 0.0]
    assert labels_of("true", "", "False") == [1.0, None, 0.0]
    assert labels_of("01", "", "NA", "x") == ["01", None, "NA", "x"]
    assert labels_of("", "") == [None, None]
    assert labels_of("9007199254740991", "1e300") == [2.0**53 - 1, 1e300]


def test_a_file_per_rater(tmp_path):
    ann = file(tmp_path, "ann.csv", "id,label,story", "01,1,s", "1,,s", "2,3,t")
    ben = file(tmp_path, "ben.jsonl", '{"index": "01", "label": 1, "story": "s"}')
    eve = file(tmp_path, "eve.csv", "id,label,story", "01,,s")
    assert counts(ann, ben, eve) == (3, 3, 3)
    found = read_rating_files([ann, ben, eve], "label", cluster="story")
    assert found["cluster"].to_pylist() == ["s", "s", "t", "s", "s"]
    assert found["rater"].to_pylist() == ["ann", "ann", "ann", "ben", "eve"]
    text = file(tmp_path, "zoe.csv", "id,label", "01,yes")
    with pytest.raises(InputError, match='"label" is not of one type everywhere'):
        read_rating_files([ann, text], "label")
    with pytest.raises(InputError, match="two files of the same name"):
        read_rating_files([ann, ann], "label")


def test_a_column_per_rater(tmp_path):
    """A wide table gives what a long one gives; a column of the whole name goes first."""
    wide = file(tmp_path, "wide.csv", "id,ann,ben,story", "01,yes,,s", "1,no,no,s", "2,no,yes,t")
    rows = [("01", "ann", "yes"), ("1", "ann", "no"), ("1", "ben", "no"), ("2", "ann", "no")]
    rows = map(",".join, [*rows, ("2", "ben", "yes")])
    long = file(tmp_path, "long.csv", "id,rater,label", *rows)
    found = read_rating_files([wide], "ann, ben", cluster="story")
    assert found["rater"].to_pylist() == ["ann"] * 3 + ["ben"] * 3
    assert found["cluster"].to_pylist() == [*"sst"] * 2
    assert fc.label_agreement(found) == fc.label_agreement(read_rating_files([long], "label"))
    named = file(tmp_path, "named.csv", 'id,rater,"a,b"', "1,ann,yes", "1,ben,no")
    assert read_rating_files([named], "a,b")["label"].to_pylist() == ["yes", "no"]
    with pytest.raises(InputError, match=r"labels=.A,B. would take the columns A and B"):
        read_rating_files([wide], "ann")
    with pytest.raises(InputError, match='no column "bob": found id, ann'):
        read_rating_files([wide], "ann,bob")


DEEP = '{"unit": "u", "rater": "a", "label": ' + "[" * 20_000 + "]" * 20_000 + "}"
GOOD = '{"unit": "u", "rater": "a", "label": 1}'


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["null"], ":1: null, expected an object"),
        ([GOOD, "null"], ":2: null, expected an object"),
        (["[1, 2]"], ": row 0 is a number, expected an object"),
        (["1"], ":1: a number, expected an object"),
        ([DEEP], ":1: invalid JSON: maximum recursion depth"),
        ([GOOD, DEEP], ":2: invalid JSON: maximum recursion depth"),
        (["[" * 20_000 + "]" * 20_000], ": invalid JSON: maximum recursion depth"),
        (["{"], ":1: invalid JSON"),
        ([GOOD, GOOD.replace("1", '"x"')], ':2: "label" is "x", expected a number as in'),
        (
            [GOOD.replace("1", "true"), GOOD.replace("1", '"x"')],
            ':2: "label" is "x", expected a boolean as in',
        ),
        ([GOOD.replace("1", "[1]")], ':1: "label" is a list, expected a number or a string'),
        ([GOOD.replace("1", str(2**53 + 1))], ':1: "label" is 9007199254740993, expected integers'),
        ([GOOD.replace('"u"', '{"u": 1}')], ':1: "unit" is an object, expected an integer or a'),
        ([GOOD.replace('"u"', "1.5")], ':1: "unit" is 1.5, expected an integer or a string'),
        ([GOOD.replace('"u"', "true")], ':1: "unit" is true, expected an integer or a'),
        ([GOOD, GOOD.replace('"a"', "null")], ':2: no "rater"'),
        ([GOOD, '{"unit": "u", "label": 1}'], ':2: no "rater"'),
        ([GOOD, GOOD[:-1] + ', "label": 2}'], ':2: an object has the key "label" 2 times'),
        (['{"unit": "u", "rater": "a"}'], ': no column "label": found unit, rater'),
        ([b'\xef\xbb\xbf{"unit": "\xff"}'], ":1: byte 0xff is not UTF-8"),
    ],
)
def test_json_lines_that_cannot_be_read(lines, message, tmp_path):
    with pytest.raises(InputError) as caught:
        read_rating_files([file(tmp_path, "x.jsonl", *lines)], "label")
    assert f"x.jsonl{message}" in str(caught.value) or message in str(caught.value)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["unit,rater,label", "u,a,1", b"u,b,caf\xe9"], ":3: byte 0xe9 is not UTF-8"),
        ([b"\xef\xbb\xbf\xef\xbb\xbfunit,rater,label", "u,a,1"], ':1: no column "unit" or "id"'),
        (["unit,rater,label,label", "u,a,1,2"], ':1: column "label" occurs 2 times'),
        (["unit,unit,rater,label", "u,v,a,1"], ':1: column "unit" occurs 2 times'),
        (["unit,rater,label", "u,a,1", ",b,1"], ':3: no "unit"'),
        (["unit,rater,label", "u,a,1", 'v,"",1'], ':3: no "rater"'),
        (["unit,rater,label", "u,a"], ":2: 2 columns, expected 3"),
        (["unit,rater,label", "u,a,1", "u,b,9007199254740993"], ':3: "label" is 9007199254740993,'),
        (["unit,rater,label"], " has no rows"),
        (["unit,rater,label", 'u,a,"1'], ":2: invalid CSV"),
    ],
)
def test_csv_that_cannot_be_read(lines, message, tmp_path):
    with pytest.raises(InputError) as caught:
        read_rating_files([file(tmp_path, "x.csv", *lines)], "label")
    assert f"x.csv{message}" in str(caught.value)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([["u"], ["a"], [[1]]], 'row 0: "label" is a list, expected a number or a string'),
        ([[{"u": 1}], ["a"], [1]], 'row 0: "unit" is an object, expected an integer or a'),
        ([["u", None], ["a", "b"], [1, 2]], 'row 1: no "unit"'),
        ([[1.0, math.nan], ["a", "b"], [1, 2]], 'row 1: "unit" is NaN, expected an integer'),
        ([["u"], ["a"], [-(2**53)]], 'row 0: "label" is -9007199254740992, expected'),
    ],
)
def test_arrow_that_cannot_be_read(columns, message, tmp_path):
    table = pa.table([pa.array(column) for column in columns], HEADER)
    feather.write_feather(table, str(tmp_path / "x.arrow"), compression="uncompressed")
    with pytest.raises(InputError) as caught:
        read_rating_files([str(tmp_path / "x.arrow")], "label")
    assert message in str(caught.value)


def twice(*names: str) -> pa.Table:
    columns = {"unit": ["u", "v"], "id": ["u", "v"], "rater": ["a", "b"], "label": [1, 2]}
    return pa.Table.from_arrays([pa.array(columns[name]) for name in names], names)


@pytest.mark.parametrize("names", [(*HEADER, "label"), (*HEADER, "unit"), ("rater", *HEADER)])
def test_a_column_twice(names, tmp_path):
    table = twice(*names)
    feather.write_feather(table, str(tmp_path / "x.arrow"), compression="uncompressed")
    pq.write_table(table, tmp_path / "x.parquet")
    with pytest.raises(InputError, match="occurs 2 times"):
        read_rating_files([str(tmp_path / "x.arrow")], "label")
    with pytest.raises(InputError, match=r"x\.parquet"):
        read_rating_files([str(tmp_path / "x.parquet")], "label")
    with pytest.raises(InputError, match="occurs 2 times"):
        fc.label_agreement(table)


def test_ids_of_a_table_are_no_objects():
    table = pa.table({"unit": [{"u": 1}], "rater": ["a"], "label": [1]})
    with pytest.raises(InputError, match='column "unit" is of type struct'):
        fc.label_agreement(table)


class TestSentenceLabels:
    """The files of `fc.classify` follow the same rules."""

    def test_a_key_or_column_twice(self, tmp_path):
        with pytest.raises(InputError, match=r'x\.csv:1: column "label" occurs 2 times'):
            label_format.read(file(tmp_path, "x.csv", "id,label,label", "a,1,2"))
        with pytest.raises(InputError, match=r'x\.jsonl:1: .*key "label" 2 times'):
            label_format.read(file(tmp_path, "x.jsonl", '{"id": "a", "label": 1, "label": 2}'))
        with pytest.raises(InputError, match='pred: column "label" occurs 2 times'):
            label_format.read(twice("id", "label", "label"), "pred")
        with pytest.raises(InputError, match='pred: column "id" occurs 2 times'):
            label_format.read(twice("id", "id", "label"), "pred")


@pytest.mark.parametrize("lines", [["null"], [GOOD, DEEP]], ids=["null", "deep"])
def test_the_command_ends_with_a_message(lines, tmp_path):
    path = file(tmp_path, "x.jsonl", *lines)
    out, _ = cli("agree", path, "--labels", "label", "--json", expect=2)
    assert f"x.jsonl:{len(lines)}: " in json.loads(out)["error"]


def test_documents_of_units_are_found(tmp_path):
    """A column of documents clusters units by default, unless a unit has two."""
    table = {
        "id": [*"abcdef"] * 2,
        "rater": ["x"] * 6 + ["y"] * 6,
        "label": [1, 2, 1, 2, 1, 2, 1, 2, 2, 2, 1, 1],
        "doc_id": [f"page {k // 2}" for k in range(12)],
        "topic": ["t", "t", "u", "u", "v", "v"] * 2,
    }
    path = tmp_path / "labels.jsonl"
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    bounds = {}
    for flags in ([], ["--cluster", "topic"], ["--cluster", "none"]):
        out, _ = cli("agree", path, "--labels", "label", "--intervals", *flags)
        title = next(line for line in out.splitlines() if "95% confidence" in line)
        out, _ = cli("agree", path, "--labels", "label", "--intervals", *flags, "--json")
        found = json.loads(out)["alpha_interval"]
        bounds[tuple(flags)] = title.strip(), found["low"], found["high"]
    by_topic, named, single = bounds.values()
    assert by_topic == named
    assert by_topic[0] == "95% confidence interval of alpha, jackknife of clusters (topic)"
    assert single[0] == "95% confidence interval of alpha, jackknife"
    assert single[1:] != named[1:]
