"""Examples join by id, by text or by position."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.cli import app
from fastcausal.files.texts import keys_of_texts
from fastcausal.formats.reading import batches
from tests.support.profiles import trials

TEXTS = [
    "rain fell so roads closed",
    "snow  fell so roads closed",
    "\tdogs bark ",
    "rain falls",
    "",
]


@st.composite
def sides(draw):
    """Draw predictions by place, gold as places of predictions, each with texts that may repeat."""
    texts = draw(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=8))
    order = draw(st.permutations(range(len(texts))))
    spans = st.lists(st.sampled_from([(0, 1), (1, 2), (0, 2)]), min_size=2, max_size=2)
    marked = [draw(spans) if len(text.split()) > 1 else None for text in texts]
    return texts, order, marked, draw(st.booleans()), draw(st.booleans())


def examples(texts, marked, ids):
    """Return examples of at most one relation, with ids if given."""
    return [
        {
            **({"id": ids[k]} if ids else {}),
            "text": text,
            "length": len(text.split()),
            "relations": []
            if marked[k] is None
            else [dict(zip(("cause", "effect"), marked[k], strict=True))],
        }
        for k, text in enumerate(texts)
    ]


@given(sides())
@trials(60)
def test_a_join_by_text_is_the_join_by_the_ids_that_texts_give(drawn):
    texts, order, marked, spaced, with_ids = drawn
    seen, keys = {}, []
    for text in texts:
        word = " ".join(text.split())
        seen[word] = seen.get(word, 0) + 1
        keys.append(f"{word} {seen[word]}")
    gold = examples(texts, marked, keys)
    flipped = [None if each is None else each[::-1] for each in marked]
    # Predictions of equal texts stay in their order.
    words = [key.rpartition(" ")[0] for key in keys]
    left = {word: iter(sorted(k for k in order if words[k] == word)) for word in words}
    order = [next(left[words[k]]) for k in order]
    shown = [f" {texts[k]}\n".replace(" ", "\t ") if spaced else texts[k] for k in order]
    pred = examples(
        shown, [flipped[k] for k in order], [f"p{k}" for k in order] if with_ids else None
    )
    by_id = examples(shown, [flipped[k] for k in order], [keys[k] for k in order])
    found, wanted = fc.score(gold, pred, join="text"), fc.score(gold, by_id)
    assert found.scores == wanted.scores
    n = len(texts) - len(seen)
    notes = [f"join=text: {n} texts of gold and {n} of pred occur again, paired in order"]
    assert set(found.warnings) - set(wanted.warnings) == set(notes if n else [])
    assert found.per_example.sort_by("id") == wanted.per_example.sort_by("id")
    agreed = fc.agree({"a": gold, "b": pred}, join="text")
    assert str(agreed.scores) == str(fc.agree({"a": gold, "b": by_id}).scores)


def test_a_text_of_one_side_alone_is_unmatched():
    gold = examples(["rain falls", "dogs bark"], [[(0, 1), (1, 2)]] * 2, ["1", "2"])
    pred = examples(["dogs bark", "cats purr"], [[(0, 1), (1, 2)]] * 2, ["7", "1"])
    with pytest.raises(
        fc.InputError, match='1 examples of gold have no prediction \\("1"\\), 1 of pred'
    ):
        fc.score(gold, pred, join="text")
    report = fc.score(gold, pred, join="text", unmatched="empty")
    assert (report["overall"].tp, report["overall"].fp, report["overall"].fn) == (2, 2, 2)
    assert report.per_example["id"].to_pylist() == ["1", "2", "cats purr"]
    assert fc.score(gold, pred, join="text", unmatched="skip")["overall"].f1 == 1.0


def test_a_text_that_is_the_id_of_another_example_joins_nothing_else():
    gold = examples(["rain falls", "dogs bark"], [[(0, 1), (1, 2)]] * 2, ["cats purr", "x"])
    pred = examples(["dogs bark", "cats purr"], [[(0, 1), (1, 2)]] * 2, ["7", "1"])
    report = fc.score(gold, pred, join="text", unmatched="empty")
    assert report.per_example["id"].to_pylist() == ["rain falls", "dogs bark", "cats purr"]
    three = {"a": gold, "b": gold, "c": pred}
    assert [pair.n_examples for pair in fc.agree(three, join="text").pairs] == [2, 1, 1]


def test_position_joins_although_both_sides_have_ids():
    gold = examples(["rain falls", "dogs bark"], [[(0, 1), (1, 2)]] * 2, ["1", "2"])
    pred = examples(["rain falls", "dogs bark"], [[(0, 1), (1, 2)]] * 2, ["2", "1"])
    with pytest.raises(fc.InputError, match='2 of 2 texts are the same; join="text" would join'):
        fc.score(gold, pred)
    assert fc.score(gold, pred, join="position")["overall"].f1 == 1.0
    assert fc.agree({"a": gold, "b": pred}, join="position").scores["cause"].em == 1.0
    with pytest.raises(fc.InputError, match="pred has 1 example, expected 2 as in gold"):
        fc.score(gold, pred[:1], join="position")


def test_keys_of_texts():
    column = pa.array([" a\tb\n", "a b", None, "", "a  b", "c"])
    found = ["a b", "a b  (2)", None, "", "a b  (3)", "c"]
    assert keys_of_texts(column).to_pylist() == found
    assert keys_of_texts(pa.array([1])) is None


def test_files_in_the_same_order_of_ids_join_by_text(tmp_path, monkeypatch):
    """Batches in step would join texts of a batch alone."""
    for name in ("ROWS", "WHOLE"):
        monkeypatch.setattr(batches, name, 2)
    texts = [f"rain {k} falls" for k in range(6)]
    marked = [[(0, 1), (1, 2 + k % 2)] for k in range(6)]
    ids = [str(k) for k in range(6)]
    for name, step in (("gold", 1), ("pred", -1)):
        rows = examples(texts[::step], marked[::step], ids)
        pq.write_table(
            fc.Relations.from_examples(rows).table, tmp_path / f"{name}.parquet", row_group_size=2
        )
    sides = tmp_path / "gold.parquet", tmp_path / "pred.parquet"
    assert fc.score(*sides, join="text", unmatched="empty")["overall"].f1 == 1.0


def test_id_needs_ids_and_text_needs_texts():
    gold = examples(["rain falls"], [[(0, 1), (1, 2)]], ["1"])
    bare = [{"length": 2, "relations": []}]
    with pytest.raises(fc.InputError, match='pred has no "id"'):
        fc.score(gold, bare, join="id")
    with pytest.raises(fc.InputError, match='gold has no "id"'):
        fc.score(fc.read(bare), fc.read(bare), join="id")
    with pytest.raises(fc.InputError, match='pred has no "text" or "tokens"'):
        fc.score(gold, bare, join="text")
    with pytest.raises(ValueError, match='join is "title", expected one of id, text, position'):
        fc.score(gold, gold, join="title")
    with pytest.raises(fc.InputError, match="gold: example 1 has no text"):
        fc.score([{**gold[0], "text": None}, {**gold[0], "id": "2"}], gold, join="text")


def test_every_command_joins_by_text(tmp_path):
    texts = [f"{word} falls" for word in ("rain", "snow", "hail", "night")]
    marked = [[(0, 1), (1, 2)]] * 4
    other = [[(1, 2), (0, 1)], *marked[1:]]

    def write(name, rows):
        path = tmp_path / name
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return str(path)

    gold = write("gold.jsonl", examples(texts, marked, ["a", "b", "c", "d"]))
    same = examples(texts, other, ["a", "b", "c", "d"])
    by_id = write("by_id.jsonl", same)
    by_text = write("by_text.jsonl", [{**row, "id": str(k)} for k, row in enumerate(same[::-1])])
    pq.write_table(fc.read(by_text).table, tmp_path / "by_text.parquet")
    columns = tmp_path / "table.csv"
    columns.write_text("system,size\nby_text,3\nby_id,4\n")

    def run(command):
        done = CliRunner().invoke(app, command.split())
        assert done.exit_code == 0, done.output + done.stderr
        return json.loads(done.stdout) if "--json" in command else done.stdout

    def fails(command):
        done = CliRunner().invoke(app, command.split())
        assert done.exit_code == 2
        return done.stderr

    assert "4 of 4 texts are the same; --join text would join them" in fails(
        f"score {gold} {by_text}"
    )
    assert "4 of 4 texts are the same; --join text would join them" in fails(
        f"agree {gold} {by_text}"
    )
    wanted = run(f"score {gold} {by_id} --json")["scores"]
    assert run(f"score {gold} {by_text} --join text --json")["scores"] == wanted
    assert run(f"score {gold} {tmp_path}/by_text.parquet --join text --json")["scores"] == wanted
    agreed = run(f"agree {gold} {by_id} --json")["scores"]
    assert run(f"agree {gold} {by_text} --join text --json")["scores"] == agreed
    compared = run(f"compare {gold} {by_text} {by_id} --join text --json")
    assert compared["scores"]["overall_f1"]["delta"] == 0.0
    board = f"leaderboard {gold} {by_text} {by_id} --join text --join {columns} --json"
    assert len(run(board)["systems"]) == 2
    assert "--join is given twice" in fails(f"{board} --join id".replace("--json", ""))
    assert "is for predictions against gold" in fails(f"leaderboard {columns} --join text")
    run(f"sweep {gold} {by_text} {by_id} --join text --out {tmp_path}/swept")
    ranked = run(f"leaderboard {tmp_path}/swept --json")["systems"]
    assert len(ranked) == 2
    assert "is for relations" in fails(
        f"score {gold} {by_text} --protocol unicausal-span --join text"
    )
