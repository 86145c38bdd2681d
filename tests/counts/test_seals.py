"""Files of counts that were changed: by their seal, and by the rules that counts keep."""

from __future__ import annotations

import json
import random
from functools import reduce
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.counts.seals import Written
from fastcausal.counts.systems import read_systems
from fastcausal.counts.task import declared, resolve
from fastcausal.sweeps.systems import load_systems
from fastcausal.tasks.answers.formula import ExtractionFormula
from tests.support.cli import cli
from tests.support.profiles import trials
from tests.support.statistics import of_the_same
from tests.support.strategies import sides
from tests.support.tables import table_of

ANSWERS = [
    {
        "id": str(k),
        "input": "Rain, floods.",
        "gold": "[Cause] heavy rain [Relation] cause [Effect] floods",
        "output": f"[Cause] {cause} [Relation] enable [Effect] floods | mud",
    }
    for k, cause in enumerate(["rain", "heavy rain", "the heavy rain"])
]
LABELS = pa.table({"id": ["a", "b", "c"], "label": ["yes", "no", "yes"]})
PROTOCOLS = (
    "recess",
    "cnc-2023",
    fc.Protocol("of-exact", kernel="exact_spans"),
    fc.Protocol("of-overlap", kernel="span_overlap"),
    fc.Protocol("of-partial", kernel="partial_spans"),
)


def statistics_of_every_kind() -> dict[str, fc.Statistics]:
    relations = {
        getattr(protocol, "name", protocol): fc.score(
            sample.GOLD, sample.SYSTEMS["hasty"], protocol, unparsed="skip"
        ).statistics
        for protocol in PROTOCOLS
    }
    gold = [{"id": "q", "question": "Why?", "answers": {"text": ["heavy rain"]}}]
    predicted = LABELS.set_column(1, "label", pa.array(["yes", "yes", None], pa.string()))
    return relations | {
        "answers": fc.qa(gold, {"q": "rain"}).statistics,
        "judged answers": fc.answers(ANSWERS).statistics,
        "labels": fc.classify(LABELS, predicted, unparsed="skip").statistics,
        "sums": fc.score(sample.GOLD, sample.GOLD).statistics.without_units(),
    }


OF_EVERY_KIND = statistics_of_every_kind()


def rewritten(path: Path, table: pa.Table, about: dict | None = None) -> None:
    metadata = pq.read_schema(path).metadata
    if about is not None:
        metadata = metadata | {b"fastcausal": json.dumps(about).encode()}
    pq.write_table(table.replace_schema_metadata(metadata), path)


def about_of(path: Path) -> dict:
    return json.loads(pq.read_schema(path).metadata[b"fastcausal"])


def with_value(table: pa.Table, column: str, row: int, value: object) -> pa.Table:
    values = table[column].to_pylist()
    values[row] = value
    made = pa.array(values, table[column].type)
    return table.set_column(table.column_names.index(column), column, made)


def another(value: object, kind: pa.DataType) -> object:
    if value is None:
        return "yes" if kind == pa.string() else 0
    if isinstance(value, str):
        return f"{value}s"
    return 1 - value if value in (0, 1) else value + 1


@pytest.mark.parametrize("kind", OF_EVERY_KIND)
@trials(12)
@given(data=st.data())
def test_one_value_changed(tmp_path_factory, kind, data):
    """One changed value of any column is found; other orders and new columns are allowed."""
    statistics = OF_EVERY_KIND[kind]
    path = tmp_path_factory.mktemp("sealed") / "counts.parquet"
    statistics.write(path)
    table = pq.read_table(path)
    rewritten(path, table.take([*range(len(table))[::-1]]).append_column("own", table[0]))
    assert fc.Statistics.read(path).n_units == statistics.n_units
    column = data.draw(st.sampled_from(table.column_names))
    row = data.draw(st.integers(0, len(table) - 1))
    rewritten(
        path,
        with_value(table, column, row, another(table[column][row].as_py(), table[column].type)),
    )
    with pytest.raises(fc.InputError, match=r"counts\.parquet: "):
        fc.Statistics.read(path)


MANY_KINDS = pa.table(
    {
        "id": [f"q{k}" for k in range(5)],
        "value": [0.0, 1, 0, 1, 0.5],
        "year": [2020, 2021, None, 2021, 2022],
        "weight": [0.5, 1, 2, None, 1e20],
        "is_long": [True, None, False, True, False],
        "genre": pa.array(["news", "", None, "web", "web"]).dictionary_encode(),
        "day": pa.array([0, 1, 2, None, 4], pa.date32()),
        "none": pa.nulls(5),
    }
)


@pytest.mark.parametrize("column", ["year", "weight", "is_long", "genre", "day", "none"])
@pytest.mark.parametrize("row", range(5))
def test_columns_for_subsets_and_clusters_are_sealed(tmp_path, column, row):
    path = tmp_path / "counts.parquet"
    fc.statistics(MANY_KINDS).write(path)
    table = pq.read_table(path)
    values = table[column].to_pylist()
    other = next((v for v in values if v not in (None, values[row])), 1)
    changed = [*values[:row], other, *values[row + 1 :]]
    place = table.column_names.index(column)
    nested = table.set_column(place, column, pa.array([{"a": value} for value in values]))
    one = table.set_column(place, column, pa.array(changed))
    for new in (one, nested, table.drop_columns([column])):
        rewritten(path, new)
        with pytest.raises(fc.InputError, match="since the file was sealed"):
            fc.Statistics.read(path)


def test_other_programs_may_write_the_same_values_again(tmp_path):
    """Pandas makes floats of numbers with a missing one; engines write large strings."""
    path = tmp_path / "counts.parquet"
    whole = fc.statistics(MANY_KINDS)
    whole.write(path)
    kinds = {"year": pa.float64(), "genre": pa.large_string(), "is_long": pa.bool_()}
    schema = pa.schema([(f.name, kinds.get(f.name, f.type)) for f in pq.read_schema(path)])
    table = pq.read_table(path).cast(schema).take([4, 2, 0, 1, 3])
    names = sorted(table.column_names)
    rewritten(path, table.select(names).append_column("own", table["year"]))
    assert fc.Statistics.read(path).ids().to_pylist() == ["q4", "q2", "q0", "q1", "q3"]


def test_batches_and_the_whole_have_one_digest(tmp_path, monkeypatch):
    formula, table = fc.statistics(MANY_KINDS).formula, fc.statistics(MANY_KINDS).table()
    whole = Written.seal(formula, table)
    assert whole.columns == ("day", "genre", "is_long", "none", "weight", "year")
    parts = (Written.seal(formula, table.slice(k, 2)) for k in (0, 2, 4))
    assert reduce(Written.and_those, parts) == whole
    monkeypatch.setattr("fastcausal.counts.seals.BLOCK", 2)
    assert Written.seal(formula, table) == whole


@pytest.mark.parametrize("key", ["job", "signature", "protocol", "gold", "warnings", "n_rows"])
def test_metadata_changed(tmp_path, key):
    path = tmp_path / "counts.parquet"
    fc.score(sample.GOLD, sample.SYSTEMS["careful"], per_example=path)
    table, about = pq.read_table(path), about_of(path)
    changed = {"n_rows": 60, "gold": "0" * 32, "warnings": [[["x"], []]]}.get(key, "another")
    rewritten(path, table, about | {key: changed})
    with pytest.raises(fc.InputError, match="the metadata was changed since it was sealed"):
        fc.Statistics.read(path)


@pytest.mark.parametrize("suffix", [".parquet", ".arrow"])
def test_every_command_that_writes_counts_seals_them(tmp_path, suffix):
    names = [tmp_path / f"{name}{suffix}" for name in ("one", "both", "merged", "merged_both")]
    one, both, merged, merged_both = names
    careful, hasty = (sample.SYSTEMS[name] for name in ("careful", "hasty"))
    cli("score", sample.GOLD, careful, "--per-example", one)
    cli("score", sample.GOLD, careful, hasty, "--unparsed", "empty", "--per-example", both)
    cli("merge", one, "--out", merged)
    cli("merge", both, "--out", merged_both)
    for path in names:
        for statistics in read_systems(path).values():
            statistics.report()
        whole = pa.ipc.open_file(path).read_all() if suffix == ".arrow" else pq.read_table(path)
        table = with_value(whole, "cause_tp", 3, 7)
        about = json.loads(whole.schema.metadata[b"fastcausal"])
        assert about["seal"]
        with pa.ipc.new_file(tmp_path / "x.arrow", whole.schema) as file:
            file.write_table(table)
        message = "ids, counts or columns were changed since the file was sealed"
        assert message in cli("aggregate", tmp_path / "x.arrow", expect=2)[1]
        again = tmp_path / f"again{suffix}"
        assert message in cli("merge", tmp_path / "x.arrow", "--out", again, expect=2)[1]
        assert not again.exists()


def test_systems_that_exchange_their_names(tmp_path):
    path = tmp_path / "both.parquet"
    systems = [sample.SYSTEMS[name] for name in ("careful", "hasty")]
    cli("score", sample.GOLD, *systems, "--unparsed", "empty", "--per-example", path)
    table = pq.read_table(path)
    names = ["hasty" if name == "careful" else "careful" for name in table["system"].to_pylist()]
    rewritten(path, table.set_column(0, "system", pa.array(names)))
    with pytest.raises(fc.InputError, match="ids, counts or columns were changed"):
        read_systems(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [("signature", 7), ("fields", 1.5), ("formula", []), ("n_rows", "61"), ("systems", {"a": 1}),
     ("systems", {"a": {"signature": 2}}), ("roles", "cause"), ("job", None)],
)  # fmt: skip
def test_metadata_of_other_types(tmp_path, key, value):
    """Metadata of other types is an error, also in the file given as `--like`."""
    path, other, out = (tmp_path / f"{name}.parquet" for name in ("x", "other", "out"))
    for target in (path, other):
        fc.score(sample.GOLD, sample.SYSTEMS["careful"], per_example=target)
    rewritten(path, pq.read_table(path), about_of(path) | {"seal": None, key: value})
    for command in (("aggregate", path), ("merge", other, "--out", out, "--like", path)):
        assert "invalid metadata of statistics" in cli(*command, expect=2)[1]


def test_parts_of_engines_have_no_seal(tmp_path):
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    batch = gold.table.append_column("predicted", pred.table["relations"])
    path = tmp_path / "part.parquet"
    pq.write_table(fc.score_batch(batch), path)
    assert {"n_rows": None, "rows": None, "seal": None}.items() <= about_of(path).items()
    cli("merge", path, "--out", tmp_path / "whole.parquet")
    assert about_of(tmp_path / "whole.parquet")["seal"]
    whole, part = (fc.Statistics.read(tmp_path / f"{name}.parquet") for name in ("whole", "part"))
    assert whole.report().to_json() == part.report().to_json()


def unsealed(path: Path, change=lambda table: table) -> None:
    rewritten(path, change(pq.read_table(path)), about_of(path) | {"seal": None})


@pytest.mark.drawn
@pytest.mark.parametrize("kind", OF_EVERY_KIND)
def test_rules_are_broken_by_changes_alone(tmp_path, kind):
    """Without a seal, one value too large breaks its rule; the error names row and column."""
    statistics, path = OF_EVERY_KIND[kind], tmp_path / "counts.parquet"
    statistics.write(path)
    table = pq.read_table(path)
    unsealed(path)
    of_the_same(fc.Statistics.read(path), statistics)
    rules = statistics.formula.rules
    for rule in random.Random(kind).sample(rules, min(len(rules), trials(200).max_examples)):
        last = (
            len(table)
            - 1
            - table[rule.small[0]][::-1]
            .to_pylist()
            .index(next(v for v in table[rule.small[0]][::-1].to_pylist() if v is not None))
        )
        rewritten(path, with_value(table, rule.small[0], last, 10**6))
        unsealed(path)
        with pytest.raises(fc.InputError, match=rf'counts\.parquet: row {last}: column "'):
            fc.Statistics.read(path)


def test_the_count_of_the_report_that_was_believed(tmp_path):
    path = tmp_path / "counts.parquet"
    fc.answers(ANSWERS).statistics.write(path)
    rewritten(path, with_value(pq.read_table(path), "cause_shared", 1, 1000))
    message = 'row 1: column "cause_shared" is 1000, expected at most cause_predicted, 2'
    assert message in cli("aggregate", path, expect=2)[1]
    unsealed(path)
    assert message in cli("merge", path, "--out", tmp_path / "x.parquet", expect=2)[1]


@pytest.mark.parametrize(
    ("column", "value", "expected"),
    [("relation", 3, "0 to 2"), ("pred_relation", 9, "0 to 2"), ("cause_equal", 2, "0 to 1"),
     ("contained", 3, "0 to 2"), ("unread", 2, "0 to 1")],
)  # fmt: skip
def test_codes_beyond_what_there_is(tmp_path, column, value, expected):
    path = tmp_path / "counts.parquet"
    fc.answers(ANSWERS).statistics.write(path)
    unsealed(path, lambda table: with_value(table, column, 2, value))
    message = f'row 2: column "{column}" has values that no count has: {value}, expected {expected}'
    assert message in cli("aggregate", path, expect=2)[1]


@trials(40)
@given(
    both=sides(),
    protocol=st.sampled_from(PROTOCOLS),
    unparsed=st.sampled_from(["empty", "skip"]),
    seed=st.randoms(),
)
def test_what_is_counted_keeps_all_rules(tmp_path_factory, both, protocol, unparsed, seed):
    """Counts that scoring writes keep all rules, and systems agree on the counts of gold."""
    n = len(both[0])
    ids = [f"e{k}" for k in range(n)]
    path = tmp_path_factory.mktemp("rules") / "counts.parquet"
    systems = {}
    for name in "ab":
        examples = table_of(seed.choices([*both[0], *both[1]], k=n), id=ids).to_examples()
        for example in examples:
            example["relations"] = [None] if seed.random() < 0.2 else example["relations"]
        pred = fc.Relations.from_examples(examples)
        gold = table_of(both[0], id=ids)
        systems[name] = fc.score(gold, pred, protocol, unparsed=unparsed).statistics
        systems[name].write(path)
        unsealed(path)
        fc.Statistics.read(path)
    if unparsed == "empty":
        assert [*load_systems(systems).systems] == ["a", "b"]


def test_systems_of_one_digest_and_other_gold(tmp_path):
    a, b = tmp_path / "a.parquet", tmp_path / "b.parquet"
    for path in (a, b):
        fc.classify(LABELS, LABELS, per_example=path)
    unsealed(b, lambda table: with_value(table, "gold", 1, "yes"))
    message = "were scored against different gold: example b: gold is 0 and 1"
    assert message in cli("compare", a, b, expect=2)[1]


def test_every_formula_says_its_rules():
    for task in declared():
        assert not task.formula or resolve(task.formula).limits is not None
    formula = ExtractionFormula("guide", ("cause",))
    fields = {*formula.fields}
    assert all(fields.issuperset(rule.small + rule.large) for rule in formula.rules)
    assert len(formula.rules) == 8
    assert np.isfinite([formula.limits(field) for field in formula.fields]).all()


def test_documents_without_ids(tmp_path):
    """Gates and reports of pairs of events need the ids of documents."""
    path = tmp_path / "counts.parquet"
    pairs = [{"doc": f"d{k}", "e1": "a", "e2": "b", "label": "CAUSE"} for k in range(3)]
    fc.eci(pairs, pairs).statistics.write(path)
    unsealed(path, lambda table: table.drop_columns(["id"]))
    gate = ("gate", "--baseline", path, "--candidate", path, "--min-delta", 0)
    for command in (gate, ("aggregate", path)):
        assert 'counts.parquet: no column "id"' in cli(*command, expect=2)[1]
