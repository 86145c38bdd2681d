"""An example has one text: gold and predictions of two texts under one id are refused."""

from __future__ import annotations

import json
from functools import partial

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.formats.reading import batches
from tests.support.profiles import trials

WORDS = ["Rain", "Snow", "fell", "so", "roads", "schools", "closed", ".", "é"]
KINDS = ("csv", "tsv", "jsonl", "parquet", "canonical", "tokens", "frame", "dicts", "spans")


def written(kind, rows, name, folder):
    """Return the rows (id, text) as relations of their first and last words, in one of `KINDS`."""
    marked = [(i, text, text.split()[0], text.split()[-1]) for i, text in rows]
    path = folder / f"{name}.{kind}"
    flat = pd.DataFrame(marked, columns=["id", "text", "cause", "effect"])
    spans = [
        {"id": i, "text": text, "relations": [{"cause": a, "effect": b}]}
        for i, text, a, b in marked
    ]
    places = [
        {"id": i, "text": text, "relations": [{"cause": (0, 1), "effect": (n - 1, n)}]}
        for i, text, n in ((i, text, len(text.split())) for i, text in rows)
    ]
    if kind in ("csv", "tsv"):
        flat.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in spans))
    elif kind == "parquet":
        fc.write(fc.Relations.from_examples(places), path)
    elif kind == "canonical":
        return fc.Relations.from_examples(places)
    elif kind == "tokens":
        table = fc.Relations.from_examples(places).table.drop_columns(["text"])
        tokens = pa.array([text.split() for _, text in rows])
        return fc.Relations(table.append_column("tokens", tokens))
    else:
        return {"frame": flat, "dicts": places, "spans": spans}[kind]
    return path


def outcome(score):
    """Return the counts and warnings of a report, or the message of its refusal."""
    try:
        report = score()
    except fc.InputError as error:
        return str(error).partition("another text")[1]
    counts = {name: report["overall"][name] for name in ("tp", "fp", "fn", "be")}
    return counts, report.n_examples, report.warnings


sentences = st.lists(st.sampled_from(WORDS), min_size=2, max_size=5, unique=True).map(" ".join)


@given(
    texts=st.lists(st.tuples(sentences, sentences), min_size=1, max_size=4),
    policy=st.sampled_from(["error", "empty", "skip"]),
    wide=st.booleans(),
)
@trials(40)
def test_every_kind_of_source_is_held_against_the_texts_of_gold(
    tmp_path_factory, texts, policy, wide
):
    folder = tmp_path_factory.mktemp("texts")
    texts = [(a, b if len(b.split()) == len(a.split()) else a) for a, b in texts]
    golds = [(f"x{k}", a) for k, (a, _) in enumerate(texts)]
    preds = [(f"x{k}", b.replace(" ", "   ") if wide else b) for k, (_, b) in enumerate(texts)]
    n_other = sum(a != b for a, b in texts)
    found = {}
    for kind in KINDS:
        gold, pred = (
            written(kind, rows, side, folder) for side, rows in (("gold", golds), ("pred", preds))
        )
        found[kind] = outcome(lambda gold=gold, pred=pred: fc.score(gold, pred, unmatched=policy))
    gold, pred = (
        written("csv", rows, side, folder) for side, rows in (("gold", golds), ("mixed", preds))
    )
    found["mixed"] = outcome(
        lambda: fc.score(gold, written("dicts", preds, "", folder), unmatched=policy)
    )
    assert all(each == found["csv"] for each in found.values())
    if n_other and policy == "error":
        assert found["csv"] == "another text"
        return
    scores, n_examples, warnings = found["csv"]
    told = (f"unmatched={policy}: {n_other} examples have another text",) * bool(n_other)
    assert warnings[: len(told)] == told
    n_same = len(texts) - n_other
    assert scores["tp"] == 2 * n_same
    assert n_examples == (n_same if policy == "skip" else len(texts))
    assert scores["fn"] == (0 if policy == "skip" else 2 * n_other)
    assert scores["fp"] == 0


def test_the_message_names_both_lines_and_texts(tmp_path):
    header, ends = "id,text,cause,effect\n", ("Rain fell", "roads closed")
    gold, pred = tmp_path / "gold.csv", tmp_path / "pred.csv"
    gold.write_text(f"{header}1,a b,a,b\n2,Rain fell so roads closed .,{','.join(ends)}\n")
    pred.write_text(
        f"{header}2,Snow fell so schools closed .,Snow fell,schools closed\n1,a  b,a,b\n"
    )
    with pytest.raises(fc.InputError) as caught:
        fc.score(gold, pred)
    assert str(caught.value) == (
        f'{pred}:2: example 2: another text than in {gold}:3: "Snow fell so schools closed .", '
        'expected "Rain fell so roads closed ."; unmatched="empty" or "skip" would allow it'
    )


def test_a_source_without_texts_is_not_compared():
    one = {"id": "a", "length": 2, "relations": [{"cause": (0, 1)}]}
    for gold, pred in [
        ({}, {"text": "a b"}),
        ({"text": "a b"}, {"text": " "}),
        ({"text": 3}, {"text": "x y"}),
    ]:
        assert fc.score([one | gold], [one | pred])["cause"].tp == 1


@pytest.mark.parametrize("policy", ["error", "empty", "skip"])
def test_streams_compare_texts_batch_by_batch(tmp_path, monkeypatch, policy):
    """The same as in memory, whether two files store the same bytes or not."""
    monkeypatch.setattr(batches, "ROWS", 3)
    monkeypatch.setattr(batches, "WHOLE", 2)
    examples = [
        {"id": str(k), "text": f"a{k} b", "relations": [{"cause": (0, 1)}]} for k in range(8)
    ]
    other = [{**e, "text": f"z{e['id']} b"} if e["id"] in "27" else e for e in examples]
    gold, same, pred, packed = (tmp_path / f"{name}.parquet" for name in "gspz")
    for path, rows in ((gold, examples), (same, examples), (pred, other)):
        fc.write(fc.Relations.from_examples(rows), path)
    pq.write_table(pq.read_table(gold), packed, compression="zstd", row_group_size=3)
    for path in (same, packed):
        assert fc.score(gold, path)["cause"].tp == 8
    tables = [fc.Relations.from_examples(rows) for rows in (examples, other)]
    assert outcome(lambda: fc.score(gold, pred, unmatched=policy)) == outcome(
        lambda: fc.score(*tables, unmatched=policy)
    )
    if policy == "error":
        with pytest.raises(
            fc.InputError, match='example 2: another text than in gold: "z2 b", exp'
        ):
            fc.score(gold, pred)


@pytest.mark.parametrize("policy", ["error", "skip"])
def test_annotators_of_other_texts(policy):
    def of(**texts):
        return fc.Relations.from_examples(
            [{"id": i, "text": t, "relations": [{"cause": (0, 1)}]} for i, t in texts.items()]
        )

    sides = {"amy": of(x="a b", y="c d"), "ben": of(x="a  b", y="c e"), "cid": of(y="c d", x="a b")}
    if policy == "error":
        with pytest.raises(fc.InputError, match='ben: example y: another text than in amy: "c e"'):
            fc.agree(sides)
        return
    found = fc.agree(sides, unmatched="skip")
    assert found.warnings == ("amy / ben: unmatched=skip: 1 example has another text",)
    assert [(p.a, p.b, p.n_examples) for p in found.pairs] == [
        ("amy", "ben", 1), ("amy", "cid", 2), ("ben", "cid", 1)
    ]  # fmt: skip
    nameless = {
        name: fc.Relations(side.table.drop_columns(["id"]))
        for name, side in (("amy", sides["amy"]), ("ben", sides["ben"]))
    }
    assert fc.agree(nameless, unmatched="skip").pairs[0].n_examples == 1


FLAT_KINDS = ("csv", "tsv", "jsonl", "parquet", "frame", "dicts", "columns")


def flat(kind, rows, name, folder):
    """Return rows of texts in one of `FLAT_KINDS`."""
    path, frame = folder / f"{name}.{kind}", pd.DataFrame(rows)
    if kind in ("csv", "tsv"):
        frame.to_csv(path, index=False, sep="," if kind == "csv" else "\t")
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif kind == "parquet":
        frame.to_parquet(path)
    else:
        return {"frame": frame, "dicts": rows, "columns": frame.to_dict("list")}[kind]
    return path


def classified(rows, texts):
    gold = [{"id": k, "text": text, "label": "ab"[int(k[1]) % 2]} for k, text in rows]
    pred = [{"id": k, "sentence": text, "prediction": "a"} for k, text in texts]
    return gold, pred, partial(fc.classify, labels=("a", "b"))


def answered(rows, texts):
    gold = [{"id": k, "question": text, "answer": "yes"} for k, text in rows]
    pred = [{"id": k, "question": text, "answer": "yes"} for k, text in texts]
    return (
        gold,
        pred,
        lambda g, p, unmatched: fc.classify(
            g, p, answers="binary", unmatched={"empty": "wrong"}.get(unmatched, unmatched)
        ),
    )


def questioned(rows, texts):
    gold = [{"id": k, "text": text, "question": "Why?", "answer": "rain"} for k, text in rows]
    pred = [{"id": k, "text": text, "question": "Why?", "answer": "rain"} for k, text in texts]
    return (
        gold,
        pred,
        lambda g, p, unmatched: fc.qa(g, p, protocol="fincausal-2025", unmatched=unmatched),
    )


@given(
    texts=st.lists(st.tuples(sentences, sentences), min_size=2, max_size=4),
    policy=st.sampled_from(["error", "empty", "skip"]),
    task=st.sampled_from([classified, answered, questioned]),
    order=st.booleans(),
)
@trials(40)
def test_flat_tables_of_every_kind_are_held_against_the_texts_of_gold(
    tmp_path_factory, texts, policy, task, order
):
    folder = tmp_path_factory.mktemp("flat")
    policy = "skip" if task is classified and policy == "empty" else policy
    rows = [(f"x{k}", a) for k, (a, _) in enumerate(texts)]
    others = [(f"x{k}", f" {b} ") for k, (_, b) in enumerate(texts)][:: -1 if order else 1]
    gold, pred, score = task(rows, others)
    found = {}
    for kind in FLAT_KINDS:
        sides = flat(kind, gold, "gold", folder), flat(kind, pred, "pred", folder)
        try:
            report = score(*sides, unmatched=policy)
        except fc.InputError as error:
            found[kind] = str(error).partition("another text")[1]
        else:
            found[kind] = report.to_dict()["scores"], report.warnings
    assert len({str(each) for each in found.values()}) == 1, found
    n_other = sum(a != b for a, b in texts)
    if policy == "error" and n_other:
        assert found["csv"] == "another text"
    elif n_other < len(texts):
        assert any("another" in warning for warning in found["csv"][1]) == bool(n_other)


def test_questions_of_squad_are_compared():
    gold = [{"id": "a", "question": "Why did it rain?", "answers": {"text": ["x"]}}]
    same = [{"id": "a", "question": "Why did it  rain?", "prediction_text": "x"}]
    assert fc.qa(gold, same)["overall"].f1 == 1
    other = [same[0] | {"question": "Why did it snow?"}]
    with pytest.raises(fc.InputError, match='another text than in gold: row 0: "Why did it snow'):
        fc.qa(gold, other)
    assert fc.qa(gold, other, unmatched="empty")["overall"].f1 == 0


@pytest.mark.parametrize("protocol", ["unicausal-seq", "unicausal-pair"])
def test_sentences_of_unicausal_are_compared(protocol):
    row = {"corpus": "ctb", "doc_id": "d", "text_w_pairs": "a", "eg_id": 0, "seq_label": 1}
    gold = [row | {"text": t, "sent_id": t, "index": t, "pair_label": 1} for t in "ab"]
    pred = [{"index": t, "text": t, "pred": 1} for t in "ab"]
    assert fc.classify(gold, pred, protocol=protocol)["overall"].accuracy == 1
    pred[1]["text"] = "z"
    with pytest.raises(fc.InputError, match=r'example b: another text than in .*"z", expected "b"'):
        fc.classify(gold, pred, protocol=protocol)


def test_tags_of_unicausal_are_compared():
    marks = "<ARG0>a</ARG0> <ARG1>b</ARG1>"
    row = {"corpus": "altlex", "doc_id": "d", "text": "a b", "text_w_pairs": marks, "eg_id": 0,
           "seq_label": 1, "sent_id": 0, "index": "x", "pair_label": 1}  # fmt: skip
    pred = [{"index": "x", "text": "a b", "prediction": ["B-C", "B-E"]}]
    assert fc.score([row], pred, protocol="unicausal-span")["overall"].f1 == 1
    pred[0]["text"] = "a c"
    with pytest.raises(fc.InputError, match=r'example "x": another text than in .*: "a c", exp'):
        fc.score([row], pred, protocol="unicausal-span")
