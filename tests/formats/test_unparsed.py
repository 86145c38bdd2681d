"""Every reason why a relation or an answer could not be read is kept, whatever becomes of it."""

from __future__ import annotations

import pickle

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import formats
from fastcausal.arrays.unparsed import UNPARSED
from fastcausal.formats.reading.batches import Stream
from tests.support.profiles import trials

TEXT = "Heavy rain causes floods"
KINDS = {
    "read": ({"cause": "rain"}, None),
    "absent": ({"cause": "snow"}, ('"snow" is not in the text', "snow")),
    "null": (None, ("it is null", None)),
}
answers = st.lists(st.none() | st.lists(st.sampled_from(sorted(KINDS)), max_size=4), min_size=1)


def rows_of(k, answer):
    if answer is None:
        return [{"id": f"n{k}", "relation": None, "reason": "it is null", "text": None}]
    return [
        {"id": f"n{k}", "relation": n, "reason": KINDS[kind][1][0], "text": KINDS[kind][1][1]}
        for n, kind in enumerate(answer, 1)
        if kind != "read"
    ]


def read_of(given_answers):
    return fc.read(
        [
            {
                "id": f"n{k}",
                "text": TEXT,
                "relations": None if answer is None else [KINDS[kind][0] for kind in answer],
            }
            for k, answer in enumerate(given_answers)
        ],
        format="spans",
    )


@given(answers, st.data())
@trials(0.3)
def test_reasons_survive_what_tables_go_through(tmp_path_factory, given_answers, data):
    read = read_of(given_answers)
    expected = [row for k, answer in enumerate(given_answers) for row in rows_of(k, answer)]
    assert read.unparsed.to_pylist() == expected
    assert len(expected) == read.n_unread
    folder = tmp_path_factory.mktemp("kept")
    copies = [pickle.loads(pickle.dumps(read)), fc.Relations(read.table)]
    copies.append(fc.Relations(pa.table(read.table.to_pydict(), schema=read.table.schema)))
    for suffix in ("parquet", "arrow", "jsonl"):
        formats.write(read, folder / f"a.{suffix}")
        copies.append(fc.read(folder / f"a.{suffix}"))
    place = data.draw(st.integers(0, len(given_answers)))
    halves = read.table.slice(0, place), read.table.slice(place)
    joined = Stream("", lambda _: [(read.reading, half) for half in halves])
    copies += [joined.whole(), *joined.batches()]
    for copy in copies:
        assert copy.unparsed.to_pylist() == expected
    order = data.draw(st.permutations(range(len(given_answers))))
    moved = fc.Relations(read.table.take(order))
    assert moved.unparsed.to_pylist() == [r for k in order for r in rows_of(k, given_answers[k])]


def test_a_table_without_reasons_has_them_all_the_same():
    lists = pa.array([[None, []], None, [[]]], fc.relations.RELATIONS)
    read = fc.Relations(pa.table({"relations": lists}))
    assert read.unparsed.to_pylist() == [
        {"id": "0", "relation": 1, "reason": "it is null", "text": None},
        {"id": "1", "relation": None, "reason": "it is null", "text": None},
    ]
    own = fc.Relations(pa.table({"relations": lists, UNPARSED: ["a", "b", "c"]}))
    assert own.unparsed["reason"].to_pylist() == ["it is null"] * 2


def test_tagged_sentences_say_why(tmp_path):
    path = tmp_path / "pred.jsonl"
    gold = fc.Relations.from_examples([{"id": "x", "text": "a b", "relations": []}])
    path.write_text('{"prediction": ["<ARG0>a</ARG0> b", "<ARG0>a b", "a"]}\n')
    read = fc.read(path, like=gold)
    assert read.unparsed.to_pylist() == [
        {"id": "x", "relation": 2, "reason": "<ARG0> is never closed", "text": "<ARG0>a b"},
        {
            "id": "x",
            "relation": 3,
            "reason": 'has 1 tokens, expected 2: token 2 is missing, expected "b"',
            "text": "a",
        },
    ]
