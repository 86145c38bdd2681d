"""Types of relations in `score` and `agree`: ignored with a warning, required, each alone."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.formats.reading import batches
from fastcausal.relations import Relations
from tests.support.cli import cli
from tests.support.profiles import trials

TEXT = "a b c d e f g h"
ENABLES = {"cause": [(0, 2)], "effect": [(3, 5)], "type": "Enables"}
PREVENTS = {"cause": [(0, 2)], "effect": [(6, 8)], "type": "Prevents"}
GOLD = [
    {"id": "1", "text": TEXT, "relations": [ENABLES, PREVENTS]},
    {"id": "2", "text": TEXT, "relations": [{"cause": [(0, 1)], "effect": [(2, 3)]}]},
]
PRED = [
    {"id": "1", "text": TEXT, "relations": [ENABLES | {"type": "Prevents"}, PREVENTS]},
    {"id": "2", "text": TEXT, "relations": [{"cause": [(0, 1)], "effect": [(2, 3)]}]},
]
WARNING = (
    "types=ignore: 1 of 2 pairs of relations with types (50.0%) have different ones, "
    "--types require would not pair them"
)

relation = st.builds(
    lambda a, b, of: {"cause": [(a, a + 2)], "effect": [(b, b + 2)]} | ({"type": of} if of else {}),
    st.integers(0, 6),
    st.integers(0, 6),
    st.sampled_from([None, "A", "B"]),
)
sides = st.lists(
    st.tuples(st.lists(relation, max_size=3), st.lists(relation, max_size=3)),
    min_size=1,
    max_size=4,
)


def tables(drawn: list) -> tuple[Relations, Relations]:
    return tuple(
        Relations.from_examples([{"text": TEXT, "relations": each} for each in side])
        for side in zip(*drawn, strict=True)
    )


def test_ignored_types_are_counted_and_required_types_part_relations():
    ignored, required = fc.score(GOLD, PRED), fc.score(GOLD, PRED, types="require")
    assert (ignored["overall"].tp, required["overall"].tp) == (6, 4)
    assert ignored.n_types_differ == 1
    assert ignored.warnings[0].startswith(WARNING)
    assert not required.warnings
    assert "n_types_differ" not in required.facts
    assert "types:" not in ignored.signature
    assert "|types:require|" in required.signature
    untyped = [e | {"relations": [dict(r, type=None) for r in e["relations"]]} for e in PRED]
    assert "n_types_differ" not in fc.score(GOLD, untyped).facts
    assert fc.score(GOLD, untyped, types="require")["overall"].tp == 2
    assert fc.score(GOLD, GOLD, types="require")["overall"].f1 == 1
    assert fc.score(GOLD, GOLD).n_types_differ == 0
    matches = required.matches.to_pylist()
    assert [(r["gold_relation"], r["pred_relation"]) for r in matches] == [
        (0, None), (1, 1), (None, 0), (0, 0)]  # fmt: skip


def test_types_beside_relations_of_dicts():
    gold, pred = (
        [{"length": 3, "relations": [{"cause": (0, 1)}], "types": [of]}] for of in ("A", "B")
    )
    assert fc.score(gold, pred).n_types_differ == 1
    assert fc.score(gold, pred, types="require")["cause"].tp == 0


def test_relations_filled_up_from_a_text_with_tags_have_no_type():
    text = "<ARG0>Rain</ARG0> causes <ARG1>floods</ARG1>"
    rain = {"cause": [(0, 1)], "effect": [(2, 3)]}
    gold = [{"id": "1", "text": text, "relations": [rain | {"type": "A"}, rain]},
            {"id": "2", "text": text, "relations": [rain | {"type": "A"}]}]  # fmt: skip
    pred = [{"id": "1", "text": text, "relations": [rain | {"type": "A"}]},
            {"id": "2", "text": text, "relations": []}]  # fmt: skip
    report = fc.score(gold, pred, "cnc-2023", types="require")
    assert "filled up with a text that holds tags" in report.warnings[0]
    assert [report["overall"][name] for name in ("tp", "fp", "fn")] == [4, 2, 2]
    assert fc.score(gold, pred, "cnc-2023")["overall"].tp == 6


def test_agree_takes_types():
    ignored = fc.agree({"a": GOLD, "b": PRED})
    required = fc.agree({"a": GOLD, "b": PRED}, types="require")
    assert ignored.n_types_differ == json.loads(ignored.to_json())["n_types_differ"] == 1
    assert WARNING in ignored.warnings[0]
    assert "n_types_differ" not in json.loads(required.to_json())
    assert "|types:require|" in required.signature
    assert (ignored["cause"].em, required["cause"].em) == (1, 2 / 3)


@trials(40)
@given(drawn=sides, types=st.sampled_from(["ignore", "require"]))
def test_agree_by_type_measures_the_relations_of_the_type_alone(drawn, types):
    gold, pred = tables(drawn)
    if gold.types is None and pred.types is None:
        return
    report = fc.agree({"a": gold, "b": pred}, by="type", types=types)
    for name in ("A", "B"):
        alone = [
            Relations.from_examples([
                {"text": TEXT, "relations": [r for r in side if r.get("type") == name]}
                for side in both
            ])
            for both in zip(*drawn, strict=True)
        ]  # fmt: skip
        if not any(side.n_relations for side in alone):
            assert f"type={name}" not in report.subsets
            continue
        expected = fc.agree(dict(zip("ab", alone, strict=True)))
        subset = dict(report.subsets[f"type={name}"])
        assert repr(subset.pop("verdict")) == repr(expected.verdict)
        assert {n: v.f1 for n, v in expected.spans.items()} == pytest.approx(
            {n: subset.pop(f"spans_{n}").f1 for n in expected.spans}, nan_ok=True
        )
        links = subset.pop("links")
        assert links.f1 == pytest.approx(expected.links.f1, nan_ok=True)
        assert links.get("same_type", 1.0) == 1.0
        assert repr(subset) == repr(dict(expected.scores))


@trials(60)
@given(drawn=sides, types=st.sampled_from(["ignore", "require"]), data=st.data())
def test_parts_in_any_order_backend_and_form_give_the_same(drawn, types, data, tmp_path_factory):
    gold, pred = tables(drawn)
    protocol = data.draw(st.sampled_from(["recess", "cnc-2023"]))
    whole = fc.score(gold, pred, protocol, types=types, by=["type"] if gold.types else None)
    scorer = fc.ExtractionScorer(protocol, types=types, by="type" if gold.types else None)
    for k in range(len(gold)):
        part = fc.ExtractionScorer(protocol, types=types, by="type" if gold.types else None)
        slices = (fc.Relations(side.table.slice(k, 1)) for side in (gold, pred))
        part.update(gold=next(slices), pred=next(slices))
        scorer.merge(part)
    made, expected = json.loads(scorer.compute().to_json()), json.loads(whole.to_json())
    assert made | {"hints": None} == expected | {"hints": None}  # of examples, which it has not
    other = fc.score(gold, pred, protocol, types=types, backend="reference")
    assert other.scores == whole.scores
    assert other.facts == {n: v for n, v in whole.facts.items() if n in other.facts}
    folder = tmp_path_factory.mktemp("types")
    for name, side in (("gold", gold), ("pred", pred)):
        fc.write(side, folder / f"{name}.parquet")
        fc.write(side, folder / f"{name}.jsonl")
    for suffix in ("parquet", "jsonl"):
        read = fc.score(folder / f"gold.{suffix}", folder / f"pred.{suffix}", protocol, types=types)
        assert read.scores == whole.scores
        assert read.statistics.signature == whole.signature


@trials(60)
@given(drawn=sides)
def test_a_type_alone(drawn):
    gold, pred = tables(drawn)
    if gold.types is None and pred.types is None:
        with pytest.raises(InputError, match='no column "type"'):
            fc.score(gold, pred, by="type")
        return
    report = fc.score(gold, pred, by="type")
    f1, total = [], np.zeros(3, np.int64)
    for name in ("A", "B"):
        alone = [
            [
                {"text": TEXT, "relations": [r for r in side if r.get("type") == name]}
                for side in sides
            ]
            for sides in zip(*drawn, strict=True)
        ]
        expected = fc.score(*alone)
        subset = report.subsets.get(f"type={name}")
        if not expected.n_gold_relations and not expected.n_pred_relations:
            assert subset is None
            continue
        assert dict(subset) == dict(expected.scores)
        total += [expected["overall"][count] for count in ("tp", "fp", "fn")]
        if expected.n_gold_relations:
            f1.append(expected["overall"].f1)
    assert report.macro_f1 == pytest.approx(np.mean(f1 or [np.nan]), nan_ok=True)
    assert [report.micro[count] for count in ("tp", "fp", "fn")] == total.tolist()


def test_a_stream_of_which_a_part_has_no_types(tmp_path, monkeypatch):
    monkeypatch.setattr(batches, "ROWS", 2)
    monkeypatch.setattr(batches, "WHOLE", 2)
    bare = [
        e | {"relations": [{k: v for k, v in r.items() if k != "type"} for r in e["relations"]]}
        for e in GOLD
    ]
    for names, examples in (("gold", (bare, GOLD)), ("pred", (bare, PRED))):
        both = [e | {"id": f"{k}{e['id']}"} for k, part in enumerate(examples) for e in part]
        relations = Relations.from_examples(both)
        fc.write(relations, tmp_path / f"{names}.jsonl")
        fc.write(relations, tmp_path / f"{names}.parquet")
        lines = (tmp_path / f"{names}.jsonl").read_text().splitlines()
        rows = [json.loads(line) for line in lines]
        for row in rows[:2]:
            del row["types"]
        (tmp_path / f"{names}.jsonl").write_text("".join(f"{json.dumps(r)}\n" for r in rows))
    for suffix in ("jsonl", "parquet"):
        sides = tmp_path / f"gold.{suffix}", tmp_path / f"pred.{suffix}"
        for types, tp in (("ignore", 12), ("require", 10)):
            report = fc.score(*sides, types=types, by="type")
            assert report["overall"].tp == tp
            assert set(report.subsets) == {"multi_relation", "type=Enables", "type=Prevents"}
        whole = [fc.read(side) for side in sides]
        assert fc.score(*whole, types="require").scores == report.scores
    out = tmp_path / "again.jsonl"
    assert fc.write(fc.read(tmp_path / "gold.jsonl"), out) == []
    assert fc.read(out).to_examples() == fc.read(tmp_path / "gold.parquet").to_examples()


def test_signatures_of_ignored_and_required_types_are_never_joined(tmp_path):
    gold, pred = map(Relations.from_examples, (GOLD, PRED))
    a, b = fc.ExtractionScorer(types="require"), fc.ExtractionScorer()
    a.update(gold=gold, pred=pred)
    b.update(gold=gold, pred=pred)
    with pytest.raises(ValueError, match="types:require"):
        a.merge(b)
    for name, scorer in (("a", a), ("b", b)):
        fc.score(gold, pred, scorer.recipe, per_example=tmp_path / f"{name}.parquet")
    stored = fc.Statistics.read(tmp_path / "b.parquet").report()
    assert stored.n_types_differ == 1
    assert stored.warnings[0].startswith(WARNING)
    with pytest.raises(InputError, match="types:require"):
        fc.compare(tmp_path / "a.parquet", tmp_path / "b.parquet")


def test_commands_take_types(tmp_path):
    for name, side in (("gold", GOLD), ("pred", PRED)):
        fc.write(Relations.from_examples(side), tmp_path / f"{name}.jsonl", "spans")
    files = str(tmp_path / "gold.jsonl"), str(tmp_path / "pred.jsonl")
    result = json.loads(cli("score", *files, "--types", "require", "--by", "type", "--json")[0])
    assert result["scores"]["overall"]["tp"] == 4
    assert result["micro"]["tp"] == 2
    assert "1 type of gold" not in cli("score", *files, "--by", "type")[0]
    assert (
        "2 types of gold: macro f1 0.3333, micro f1 0.5000"
        in cli("score", *files, "--by", "type")[0]
    )
    assert "type=Enables" in cli("agree", *files, "--by", "type")[0]
    assert "2 types of gold" in cli("score", *files, "--by", "type", "--intervals")[0]
    cli("report", *files, "--by", "type", "--out", tmp_path / "page.html")
    assert "type=Enables" in (tmp_path / "page.html").read_text()
    assert "types:require" in cli("agree", *files, "--types", "require")[0]
