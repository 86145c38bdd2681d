"""Sources scored part by part: whatever the parts, the numbers and messages of the whole."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats, sample
from fastcausal.arrays import _ids, arrow
from fastcausal.errors import Problems
from fastcausal.formats.cnc import submissions
from fastcausal.formats.reading import batches, opening
from fastcausal.formats.reading.batches import cut
from fastcausal.tasks.extraction import batches as in_step
from tests.support.profiles import trials
from tests.support.statistics import of_the_same
from tests.support.strategies import sides
from tests.support.tables import table_of

POLICIES = ["error", "empty", "skip"]


@contextmanager
def parts_of(rows: int):
    """Batches of so many rows, also of small files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batches, "ROWS", rows)
        patch.setattr(batches, "WHOLE", rows)
        patch.setattr(opening, "SMALL", 0)
        yield


def outcome(call: Callable[[], Any]) -> Any:
    """Return the result of a call, or the message of its error."""
    try:
        return call()
    except fc.InputError as error:
        return str(error)


def counted(report: fc.Report) -> dict:
    """Return a report without its hints, which only tables in memory give."""
    return {name: value for name, value in report.to_dict().items() if name != "hints"}


def same_file(target, whole: fc.Report) -> None:
    """The file has the rows of the whole, and makes its report."""
    by = next((name.partition("=")[0] for name in whole.subsets if "=" in name), None)
    read = fc.Statistics.read(target)
    of_the_same(read, whole.statistics)
    assert counted(read.report(by)) == counted(whole)


# ------------------------------------------------------------------------------ sources of one side


def as_parquet(relations, folder, data):
    path = folder / "x.parquet"
    pq.write_table(relations.table, path, row_group_size=data.draw(st.integers(1, 9)))
    return path


def as_nameless(relations, folder, data):
    return as_parquet(relations, folder, data).rename(folder / "x.data")


def as_arrow(relations, folder, data):
    path = folder / data.draw(st.sampled_from(["x.arrow", "x.arrows"]))
    new = pa.ipc.new_stream if path.suffix == ".arrows" else pa.ipc.new_file
    with new(path, relations.table.schema) as writer:
        writer.write_table(relations.table, max_chunksize=data.draw(st.integers(1, 9)))
    return path


def as_directory(relations, folder, data):
    """Write files into folders; only the first file holds the notes of the reading."""
    table, n = relations.table, len(relations)
    step = data.draw(st.integers(1, 9))
    for k, start in enumerate(range(0, max(n, 1), step)):
        path = folder / f"parts/{k // 3:03}/part-{k:03}.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        part = fc.Relations(table.slice(start, step), relations.reading)
        pq.write_table((part if k == 0 else part.with_reading(notes={}, unread=())).table, path)
    (folder / "parts/_SUCCESS").touch()
    return folder / "parts"


def as_reader(relations, folder, data):
    return relations.table.to_reader(max_chunksize=data.draw(st.integers(1, 9)))


def as_iterator(relations, folder, data):
    step = data.draw(st.integers(1, 9))
    kind = data.draw(st.sampled_from([fc.Relations, lambda t, _: t.combine_chunks()]))
    quiet = relations.with_reading(notes={}, unread=())
    tables = [quiet.table.slice(at, step) for at in range(step, len(relations), step)]
    return iter(
        [kind(relations.table.slice(0, step), None), *(kind(table, None) for table in tables)]
    )


def as_relations(relations, folder, data):
    return relations


KINDS = [as_parquet, as_nameless, as_arrow, as_directory, as_reader, as_iterator, as_relations]
ONCE = (as_reader, as_iterator)


@st.composite
def tables(draw):
    """Draw both sides, with or without ids, with unread predictions, notes, and a column."""
    both = draw(sides(most_examples=12, most_relations=3))
    n = len(both[0])
    columns = {"kind": draw(st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n))}
    ids = {"id": [f"{'ab' * (k % 5)}{k}" for k in range(n)]}
    gold, pred = (
        table_of(side, **columns, **(ids if draw(st.booleans()) else {})).table for side in both
    )
    unread = draw(st.sets(st.integers(0, n - 1), max_size=2))
    lists = [
        [None, *row] if k in unread else row for k, row in enumerate(pred["relations"].to_pylist())
    ]
    at = pred.column_names.index("relations")
    pred = pred.set_column(at, "relations", pa.array(lists, pred["relations"].type))
    return (
        fc.Relations(gold).with_reading(notes={"odd": 3}),
        fc.Relations(pred).with_reading(notes={"strange": 1}, unread=("x",) * len(unread)),
    )


@trials(150)
@given(both=tables(), rows=st.integers(1, 7), data=st.data())
def test_streamed_is_whole(tmp_path_factory, both, rows, data):
    folder = tmp_path_factory.mktemp("streams")
    makes = [data.draw(st.sampled_from(KINDS)) for _ in both]
    options = {
        "protocol": data.draw(st.sampled_from(["recess", "cnc-2023"])),
        "by": data.draw(st.sampled_from([None, "kind"])),
        "unparsed": data.draw(st.sampled_from(POLICIES)),
    }
    whole = outcome(lambda: fc.score(*both, **options))
    done = []

    def streamed(**more):
        sources = []
        for k, (make, relations) in enumerate(zip(makes, both, strict=True)):
            (folder / str(len(done)) / str(k)).mkdir(parents=True)
            sources.append(make(relations, folder / str(len(done)) / str(k), data))
        done.append([])
        with parts_of(rows):
            return fc.score(
                *sources, **options, **more, progress=lambda *args: done[-1].append(args)
            )

    target = folder / "examples.parquet"
    found = outcome(partial(streamed, per_example=target))
    if isinstance(whole, str):
        assert isinstance(found, str)
        assert not set(makes) & set(ONCE) or re.match("(from example|one side|an id)", found)
        assert set(makes) & set(ONCE) or found == whole
        assert not target.exists()
        return
    assert found == whole
    assert list(found.subsets) == list(whole.subsets)
    same_file(target, whole)
    n = len(both[0])
    if set(makes) != {as_relations}:
        assert [part for part, _ in done[-1]] == [*range(rows, n, rows), n]
        assert {total for _, total in done[-1]} <= {n, None}
    if not set(makes) & set(ONCE):
        found = pickle.loads(pickle.dumps(streamed()))  # reads only the columns needed
        assert counted(found) == counted(whole)
        assert found.matches.equals(whole.matches)
        assert found.unparsed.to_pylist() == whole.unparsed.to_pylist()
        assert found.per_example.equals(whole.per_example)


@trials(100)
@given(both=tables(), rows=st.integers(1, 4), data=st.data())
def test_sides_out_of_step(tmp_path_factory, both, rows, data):
    """Streams with other orders, missing, additional or repeated ids score like whole files."""
    folder = tmp_path_factory.mktemp("streams")
    tables = []
    for k, side in enumerate(both):
        n = len(side)
        order = data.draw(
            st.permutations(range(n)) | st.lists(st.integers(0, n - 1), min_size=1, max_size=n + 1)
        )
        path = folder / f"{k}.parquet"
        pq.write_table(side.table.take(order), path)
        tables.append(path)
    options = {
        "unparsed": data.draw(st.sampled_from(POLICIES)),
        "unmatched": data.draw(st.sampled_from(POLICIES)),
    }
    target = folder / "examples.parquet"
    whole = outcome(lambda: fc.score(*map(fc.read, tables), **options))
    with parts_of(rows):
        found = outcome(lambda: fc.score(*tables, **options, per_example=target))
    assert found == whole
    assert target.exists() == (not isinstance(whole, str))
    assert not list(folder.glob(".*"))
    if target.exists():
        same_file(target, whole)


@trials(60)
@given(both=tables(), rows=st.integers(1, 4), data=st.data())
def test_json_lines(tmp_path_factory, both, rows, data):
    folder = tmp_path_factory.mktemp("streams")
    paths = [folder / "gold.jsonl", folder / "pred.jsonl"]
    for relations, path in zip(both, paths, strict=True):
        formats.write(relations, path)
    options = {
        "by": data.draw(st.sampled_from([None, "kind"])),
        "unparsed": data.draw(st.sampled_from(POLICIES)),
    }
    target = folder / "examples.parquet"
    whole = outcome(lambda: fc.score(*map(fc.read, paths), **options))
    done = []
    with parts_of(rows):
        found = outcome(
            lambda: fc.score(
                *paths, **options, per_example=target, progress=lambda n, _: done.append(n)
            )
        )
    assert found == whole
    if not isinstance(whole, str):
        if len(both[0]) > 1 and None not in both[0].table["kind"].to_pylist():
            assert done[-1] == len(both[0])
        same_file(target, whole)


@trials(40)
@given(
    system=st.sampled_from([*sample.SYSTEMS]),
    rows=st.integers(1, 61),
    protocol=st.sampled_from(["recess", "cnc-2023", "cnc-2022"]),
    unparsed=st.sampled_from(POLICIES),
    faults=st.sampled_from(["", "lines missing", "lines swapped", "line broken", "line added"]),
)
def test_submissions(tmp_path_factory, system, rows, protocol, unparsed, faults):
    """Predictions that take their text and length from gold."""
    lines = sample.SYSTEMS[system].read_text().splitlines()
    pred = tmp_path_factory.mktemp("streams") / "pred.jsonl"
    if faults == "lines missing":
        lines = lines[:40]
    elif faults == "lines swapped":
        lines[7], lines[50] = lines[50], lines[7]
    elif faults == "line broken":
        lines[33] = lines[33][:-3]
    elif faults == "line added":
        lines.append(lines[-1])
    pred.write_text("\n".join(lines))
    tags = fc.PROTOCOLS[protocol].tags
    gold = fc.read(sample.GOLD, tags=tags)
    options = {"protocol": protocol, "unparsed": unparsed}

    def read_whole():
        return fc.score(gold, fc.read(pred, like=gold, tags=tags), **options)

    whole = outcome(read_whole)
    done = []
    with parts_of(rows):
        found = outcome(
            lambda: fc.score(sample.GOLD, pred, **options, progress=lambda *a: done.append(a))
        )
    if not faults and protocol != "cnc-2022" and not isinstance(whole, str):
        step = max(1, rows // 2)  # with texts
        assert done == [(k, None) for k in [*range(step, 61, step), 61]]
    if isinstance(whole, str):
        assert found == whole
    else:
        assert counted(found) == counted(whole)
        if protocol != "cnc-2022":
            assert found.per_example.equals(whole.per_example)


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
@pytest.mark.parametrize("left_out", [(), ("text",), ("text", "length")], ids=str)
@pytest.mark.parametrize("fault", [(" the ", " a "), ("ARG0", "cause")])
def test_sentences_are_held_against_texts_once(tmp_path, protocol, left_out, fault):
    """Streams check tagged sentences against gold's texts, if it has any, as whole files do."""
    gold, pred = tmp_path / "gold.parquet", tmp_path / "pred.jsonl"
    pq.write_table(arrow.drop_columns(fc.read(sample.GOLD).table, ("tagged", *left_out)), gold)
    pred.write_text(next(iter(sample.SYSTEMS.values())).read_text().replace(*fault))
    tags, read = fc.PROTOCOLS[protocol].tags, fc.read(gold)
    options = {"protocol": protocol, "unparsed": "empty"}
    whole = outcome(lambda: fc.score(read, fc.read(pred, like=read, tags=tags), **options))
    for rows in (7, 200):
        with parts_of(rows):
            assert outcome(lambda: fc.score(gold, pred, **options)) == whole
    assert left_out or isinstance(whole, str) or whole.n_unparsed or whole.warnings


def broken(lines, at):
    return [line[:-3] if k in at else line for k, line in enumerate(lines)]


def untagged(lines):
    return [lines[0], *(line.replace("</", "") for line in lines[1:])]


def replaced(lines, new):
    return [new.get(k, line) for k, line in enumerate(lines)]


ODD = {
    3: '{"index": 3, "prediction": [4]}',
    44: '{"index": 44, "prediction": 4}',
    50: '{"index": 50}',
}
REFUSED = {
    "lines": lambda lines: broken(lines, {1, 8, 33, 60}),
    "many lines": lambda lines: broken(lines, {*range(1, 61, 2)}),
    "tags": untagged,
    "tags and a line": lambda lines: broken(untagged(lines), {58}),
    "kinds of values": lambda lines: replaced(lines, ODD),
    "too many and a line": lambda lines: [*broken(lines, {30}), lines[0]],
    "too few and a line": lambda lines: broken(lines, {30})[:-1],
    "order and a line": lambda lines: broken([*lines[5:9], *lines[:5], *lines[9:]], {30}),
    "no text and a line": lambda lines: replaced(broken(lines, {30}), {50: "\udcff"}),
}
READ_WHOLE = ("too many and a line", "order and a line", "no text and a line")


@pytest.mark.parametrize(
    ("protocol", "most"),
    [
        ("recess", 100),
        ("cnc-2023", 5),
        pytest.param("recess", 5, marks=pytest.mark.slow),
        pytest.param("cnc-2023", 100, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("refused", REFUSED)
def test_refused_submissions(tmp_path, monkeypatch, protocol, most, refused):
    """All faults are counted batch by batch: only faults of other kinds need the whole file."""
    pred = tmp_path / "pred.jsonl"
    lines = REFUSED[refused](next(iter(sample.SYSTEMS.values())).read_text().splitlines())
    pred.write_bytes("\n".join(lines).encode(errors="surrogateescape"))
    monkeypatch.setattr(Problems, "most", most)
    tags = fc.PROTOCOLS[protocol].tags
    gold = fc.read(sample.GOLD, tags=tags)
    whole = outcome(lambda: fc.score(gold, fc.read(pred, like=gold, tags=tags), protocol))
    if refused not in READ_WHOLE:
        monkeypatch.setattr(submissions, "read", None)
    for rows in (6, 40):
        with parts_of(rows):
            found = outcome(lambda: fc.score(sample.GOLD, pred, protocol))
        assert found == whole or (not isinstance(whole, str) and counted(found) == counted(whole))


TRUTH = {
    "line ends": lambda text: text.replace("\n", "\r\n"),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "a mark": lambda text: "\ufeff" + text,
    "no last line end": lambda text: text.rstrip(),
    "a line end in a cell": lambda text: text.replace(" the ", " \n ", 40),
    "a quote": lambda text: text.replace('"[', '"["x', 1),
    "an open quote": lambda text: text[:9000] + '"' + text[9000:],
    "a count": lambda text: text[:-60] + text[-60:].replace(",1\n", ",2\n"),
    "an empty list": lambda text: (
        text.replace("[],0", ",0", 2) + text.splitlines()[1].replace("_1,", "_1b,") + "\n"
    ),
    "an escape": lambda text: text.replace(" the ", r" \x41 "),
    "a name of any table": lambda text: text.replace("eg_id", "length"),
    "a stand-in": lambda text: text.replace("\nsample,", "\nno corpus,"),
    "an id again": lambda text: text + text.splitlines(keepends=True)[3],
    "no cell": lambda text: text + "1,2,3\n",
    "no column": lambda text: text.replace("num_rs", "n"),
    "tags": lambda text: text.replace("</ARG0>", "", 3),
    "no text": lambda text: text[:-900] + "\udcff" + text[-900:],
}


@pytest.mark.parametrize("protocol", ["recess", pytest.param("cnc-2023", marks=pytest.mark.slow)])
@pytest.mark.parametrize("change", TRUTH)
def test_truth_files(tmp_path, protocol, change):
    """CSV read by blocks scores like the whole file, even if it is left to another reader."""
    text = sample.GOLD.read_text()
    changed = TRUTH[change](text)
    assert changed != text
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.jsonl"
    gold.write_bytes(changed.encode(errors="surrogateescape"))
    lines = next(iter(sample.SYSTEMS.values())).read_text().splitlines()
    if change == "an empty list":  # of another sentence, as long as rows are
        lines.append(lines[0])
    pred.write_text("\n".join(lines))
    by = "corpus" if change == "a stand-in" else None
    whole = outcome(lambda: fc.score(gold, pred, protocol, by=by))
    for rows in (5, 40):
        with parts_of(rows):
            found = outcome(lambda: fc.score(gold, pred, protocol, by=by))
        assert found == whole or (not isinstance(whole, str) and counted(found) == counted(whole))


# ------------------------------------------------------------------------- iterators, directories


def batches_of(*tables):
    yield from tables


def test_what_can_be_read_once():
    """Streams that are read once score like tables, without tables of their examples."""
    a, b = (table_of([[[(0, 0, 2)]]], id=[name]) for name in "ab")
    found = fc.score(batches_of(a, b), batches_of(a, b.table.to_batches()[0]))
    assert found == fc.score(fc.read(batches_of(a, b)), fc.read(batches_of(a, b)))
    assert found["cause"].tp == 2
    with parts_of(1):
        found = fc.score(batches_of(a, b), batches_of(a, b))
        assert found["cause"].tp == 2
        with pytest.raises(fc.InputError, match="a report of counts alone has no per_example"):
            found.per_example  # noqa: B018
        for other, reason in (
            ([b, a], "from example 0 on, the ids or their order differ"),
            ([a], "one side has more examples than the other"),
            ([a, a], "from example 1 on, the ids or their order differ"),
            ([], "from example 0 on: the iterator has no examples"),
            ([a, 3], "from example 0 on: cannot read a int, expected Relations or Arrow data"),
        ):
            with pytest.raises(fc.InputError) as raised:
                fc.score(batches_of(a, b), batches_of(*other))
            assert str(raised.value) == reason
        with pytest.raises(fc.InputError, match=r"^an id occurs twice$"):
            fc.score(batches_of(a, b, a), batches_of(a, b, a))
    lines = batches_of(fc.Relations.from_examples([{"relations": []}], roles=("x",)), a)
    with pytest.raises(fc.InputError, match=r"roles \('cause', 'effect', 'signal'\) after roles"):
        fc.read(lines)


def test_directories(tmp_path):
    tables = [table_of([[[(k % 3, 0, 2)]]], id=[str(k)]) for k in range(5)]
    for k in (3, 0, 4, 1, 2):
        (tmp_path / f"d{k // 2}").mkdir(exist_ok=True)
        formats.write(tables[k], tmp_path / f"d{k // 2}" / f"{k}.parquet")
    (tmp_path / "_metadata.parquet").write_text("none of them")
    (tmp_path / "_temporary" / "0").mkdir(parents=True)
    (tmp_path / "_temporary" / "0" / "a.parquet").write_text("of a task that was killed")
    assert fc.read(tmp_path).ids.to_pylist() == list("01234")
    assert fc.score(tmp_path, tmp_path).n_examples == 5
    formats.write(tables[0], tmp_path / "e.parquet")
    for rows in (2, 100):
        with parts_of(rows), pytest.raises(fc.InputError, match='id "0" occurs twice'):
            fc.score(tmp_path, tmp_path)
    (tmp_path / "e.parquet").write_bytes(b"PAR1")
    with pytest.raises(fc.InputError, match=r"e\.parquet: cannot be read as parquet: "):
        fc.score(tmp_path, tmp_path)


def test_a_fault_in_files_too_large_to_be_read_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(in_step, "READ_AGAIN", 0)
    examples = [{"length": 4, "relations": [{"cause": (0, 2)}]}] * 2
    formats.write(fc.Relations.from_examples([*examples, examples[0]]), tmp_path / "gold.parquet")
    pred = fc.Relations.from_examples([*examples, {"length": 4, "relations": [None]}])
    formats.write(pred, tmp_path / "pred.parquet")
    with parts_of(2), pytest.raises(fc.InputError) as raised:
        fc.score(tmp_path / "gold.parquet", tmp_path / "pred.parquet")
    assert str(raised.value) == (
        "from example 2 on: 1 relation of pred could not be read; "
        'unparsed="empty" or "skip" would score the rest'
    )


# ---------------------------------------------------------------------------------- building blocks


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3), max_size=200))
def test_numbers_that_occur_twice(numbers):
    found = _ids.any_twice(np.array(numbers, np.int64))
    assert found == (len(set(numbers)) < len(numbers))


@given(st.integers(0, 2**32), st.booleans())
@trials(20)
def test_many_numbers_that_occur_twice(seed, twice):
    """Numbers that occur twice are found, in many buckets and all in one bucket."""
    rng = np.random.default_rng(seed)
    numbers = rng.permutation(20_000) << int(rng.integers(0, 48))
    numbers[0] = numbers[-1] if twice else numbers[0]
    assert _ids.any_twice(numbers.copy()) == twice
    assert _ids.any_twice(numbers * -7046029254386353131) == twice  # by a bijection


@pytest.mark.parametrize("twice", [False, True])
def test_numbers_that_were_made_to_meet(twice):
    """Numbers made to collide in the table are checked quickly, not each with each."""
    numbers = np.arange(1_000_000) << 40
    numbers[0] = numbers[-1] if twice else numbers[0]
    assert _ids.any_twice(numbers) == twice


@given(st.lists(st.text(max_size=20) | st.text("ab\0", max_size=20), max_size=20))
def test_hashes_of_texts(texts):
    """Hashes are equal exactly for equal texts, wherever they are in memory."""
    encoded = [text.encode() for text in texts]
    stops = np.cumsum([3, *map(len, encoded)], dtype=np.int32)
    hashes = np.empty(len(texts), np.int64)
    _ids.hash_texts(stops, b"abc" + b"".join(encoded), hashes)
    by_text = {}
    for text, found in zip(texts, hashes.tolist(), strict=True):
        assert by_text.setdefault(text, found) == found
    assert len(set(by_text.values())) == len(by_text)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=9), st.integers(1, 9))
def test_cut(sizes, n):
    places = np.cumsum([0, *sizes])
    tables = [pa.table({"k": np.arange(a, b)}) for a, b in pairwise(places)]
    found = list(cut(tables, n))
    assert pa.concat_tables(found)["k"].to_pylist() == list(range(sum(sizes)))
    assert [len(table) for table in found[:-1]] == [n] * (len(found) - 1)
    assert 0 < len(found[-1]) <= n or sum(sizes) == 0 == len(found[-1])


def test_unread_relations_in_memory_against_a_file(tmp_path):
    gold = fc.read([{"id": "a", "text": "x y", "relations": []}])
    null = pa.array([[None]], gold.table.schema.field("relations").type)
    pred = fc.Relations(
        pa.table({"id": ["a"], "length": pa.array([2], pa.int32()), "relations": null})
    )
    fc.write(gold, tmp_path / "gold.parquet")
    with pytest.raises(fc.InputError, match="1 relation of pred could not be read"):
        fc.score(tmp_path / "gold.parquet", pred)
