"""Labels and columns as people write them, in every kind of file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.eci.files import public
from tests.oracles import eci as oracle
from tests.support import event_pairs as data
from tests.support.cli import cli

GOLD = data.rows(("d", "a", "b", "CAUSE"), ("d", "b", "c", "CAUSE"), ("d", "x", "y", "NONE"))


def scored(label: Any, **options: Any) -> tuple[int, int, int, int]:
    """Pairs that are predicted, exist, have a right direction and a right type."""
    pred = [{"doc_id": "d", "a": "a", "b": "b", "label": label}]
    report = fc.eci(GOLD, pred, **options)
    return (
        report["exists"].predicted,
        *(report[group].tp for group in ("exists", "direction", "typed")),
    )


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (
            ("NULL", "None", "none", "NONE", "NoRelation", "no relation", "No", "no", "O", "0"),
            (0, 0, 0, 0),
        ),
        (("false", "False", "", " ", None, 0, False, 0.0, "0.0", float("nan")), (0, 0, 0, 0)),
        (
            ("1", "true", "True", "causal", "Causal", "yes", " YES ", 1, True, 1.0, "1.0"),
            (1, 1, 1, 0),
        ),
        (("cause", "Cause", "CAUSE"), (1, 1, 1, 1)),
        (("precondition", "causeeffect", "Cause-Effect", "clink"), (1, 1, 1, 0)),
        (("CAUSED_BY", "caused by", "Caused-By", "falling action", "clink_r"), (1, 1, 0, 0)),
        (("UNKNOWN", "unknown"), (1, 1, 0, 0)),
    ],
)
def test_meanings(labels, expected):
    assert {label: scored(label) for label in labels} == dict.fromkeys(labels, expected)


def test_converse_and_untyped_labels_agree_with_themselves():
    gold = data.rows(("d", "a", "b", "caused by"), ("d", "c", "e", 1))
    pred = data.rows(("d", "b", "a", "CAUSE"), ("d", "c", "e", "yes"))
    assert fc.eci(gold, pred)["typed"].f1 == 1


def test_labels_without_a_type_on_one_side_are_counted():
    binary = [{**row, "label": int(row["label"] == "CAUSE")} for row in GOLD]
    told = '{}: labels without a type, read as "a causes b", while {} has types: 2'
    assert fc.eci(GOLD, binary).warnings == (told.format("pred", "gold"),)
    assert fc.eci(binary, GOLD).warnings == (told.format("gold", "pred"),)
    assert not fc.eci(binary, binary).warnings
    assert fc.eci(GOLD, binary, unknown="1")["exists"].f1 == 1


def test_null_is_read_by_eventstoryline_alone(tmp_path):
    table = data.write_csv(tmp_path / "p.csv", data.rows(*[("d", "a", "b", "null")] * 2))
    for protocol in ("pairs", "ilif-direction"):
        _, messages = cli("eci", str(table), str(table), "--protocol", protocol, expect=2)
        assert f'{table}:2: label "null" in 2 rows' in messages
        assert "\n--none null means no relation\n--unknown null means" in messages
        assert "--forward" not in messages
    with pytest.raises(fc.InputError, match='none="null" means'):
        fc.eci(table, table)
    assert fc.eci(table, table, protocol="eventstoryline")["exists"].f1 == 1
    assert fc.eci(table, table, unknown="null")["exists"].gold == 1
    assert fc.eci(table, table, none=["null"])["exists"].gold == 0
    report = fc.eci(table, table, protocol="eventstoryline", none=["null"])
    assert report["exists"].fn == 0
    assert report.signature.endswith("|none:null")


def test_the_sample_writes_unknown():
    assert "null" not in sample.PAIRS_GOLD.read_text()
    assert fc.eci(sample.PAIRS_GOLD, sample.PAIRS_GOLD)["exists"].gold == 19


def test_one_message_names_all_unknown_labels(tmp_path):
    gold = data.write_csv(tmp_path / "g.csv", data.rows(("d", "a", "b", "leads to")))
    lines = [("d", "a", "b", "2"), *[("d", "a", "c", "null")] * 3, ("d", "b", "c", "2")]
    pred = data.write_csv(tmp_path / "p.csv", data.rows(*lines))
    _, messages = cli("eci", str(gold), str(pred), expect=2)
    first = [f'{gold}:2: label "leads to" in 1 row', f'{pred}:3: label "null" in 3 rows',
             f'{pred}:2: label "2" in 2 rows']  # fmt: skip
    assert messages.startswith("error: " + "\n".join(first) + "\nexpected PRECONDITION, ")
    for option in ("none null", "unknown null", "forward LABEL", "backward LABEL"):
        assert f"\n--{option} means" in messages
    options = ("--forward", "Leads To", "--backward", "2", "--unknown", "null")
    assert "typed" in cli("eci", str(gold), str(pred), *options)[0]
    for command in ("errors", "explain --from ilif-direction"):
        assert cli(*command.split(), str(gold), str(pred), *options)[0]
    settings = [
        f"--set={name[2:]}={label}" for name, label in zip(*[iter(options)] * 2, strict=True)
    ]
    out = str(tmp_path / "runs")
    cli("sweep", str(gold), str(pred), "--out", out, "--task", "eci", *settings)
    systems = (str(pred), str(data.write_csv(tmp_path / "q.csv", data.rows(("d", "a", "b", "1")))))
    compared = cli("compare", str(gold), *systems, "--task", "eci", *settings, "--json")[0]
    assert [*json.loads(compared)["scores"]] == ["direction_f1"]


def test_labels_of_a_dictionary_may_be_unused():
    rows = pa.Table.from_pylist(GOLD)
    names = pa.array(["leads to", "CAUSE", "NONE", "null"])
    coded = pa.DictionaryArray.from_arrays(pa.array([1, 1, 2], pa.int8()), names)
    rows = rows.set_column(3, "label", coded)
    assert fc.eci(rows, rows)["typed"].gold == 2
    many = data.rows(*[("d", "a", "b", f"label {k}") for k in range(25)] * 2, ("d", "a", "b", "x"))
    with pytest.raises(fc.InputError, match='gold: row 0: label "label 0" in 2 rows') as error:
        fc.eci(many, GOLD)
    assert "... and 6 more\nexpected PRECONDITION" in str(error.value)


def test_further_meanings_by_options():
    assert scored("1", unknown="1") == (1, 1, 0, 0)
    assert scored("cause", none="Cause") == (0, 0, 0, 0)
    assert public(GOLD, "listed") is not None
    assert public(GOLD[:2], "listed") is None
    assert public(GOLD[:2], "listed", none=("CAUSE",)) is not None
    assert public([{**row, "label": 1} for row in GOLD], "listed") is None


NAMES = [
    ("doc", "event1", "event2"), ("document", "e1", "e2"), ("Doc", "source", "target"),
    ("DOC_ID", "Head", "Tail"), ("doc_id", "a", "b"),
]  # fmt: skip


@pytest.mark.parametrize("names", NAMES)
def test_columns_by_other_names(names, tmp_path):
    sides = [
        [dict(zip((*names, label), row.values(), strict=True)) for row in GOLD]
        for label in ("gold", "pred")
    ]
    files = [data.write_csv(tmp_path / f"{k}.csv", rows) for k, rows in enumerate(sides)]
    assert fc.eci(*sides)["typed"].f1 == 1
    assert fc.eci(sides[0], GOLD)["typed"].f1 == fc.eci(GOLD, sides[1])["typed"].f1 == 1
    assert fc.eci(*files, candidates=files[0])["typed"].f1 == 1
    assert fc.eci(*files, candidates=[{names[0]: "d", "event": "a"}]).facts["n_candidates"] == 0
    both = [{**row, "pred": "EffectCause"} for row in sides[0]]
    assert fc.eci(both, both)["direction"].tp == 0
    shown = json.loads(cli("errors", *map(str, files), "--json")[0])
    assert shown["n_wrong"] == 0
    renamed = [{"relation" if name == "gold" else name: v for name, v in row.items()}
               for row in sides[0]]  # fmt: skip
    assert fc.eci(renamed, renamed)["typed"].f1 == 1


def test_missing_columns_are_named_at_once(tmp_path):
    path = data.write_csv(tmp_path / "p.csv", [{"text": "x", "source": "y", "cause": "z"}])
    expected = (
        f'{path}:1: no columns "doc_id" (doc or document), "b" (event2 or e2 or target or '
        'tail), "label" (relation or pred): found text, source, cause'
    )
    with pytest.raises(fc.InputError) as error:
        fc.eci(GOLD, path)
    assert str(error.value) == expected
    both = [{**row, "pred": "CAUSE"} for row in GOLD]
    assert fc.eci(both, GOLD)["typed"].f1 == 1
    with pytest.raises(fc.InputError, match='columns "label" and "pred" may both hold'):
        fc.eci(GOLD, both)


LABELS = st.sampled_from((None, "", "NULL", "none", "0", "1", "true", "Yes", "CAUSE", " caused by",
                          "FALLING_ACTION", "UNKNOWN", "no"))  # fmt: skip
VALUES = st.one_of(
    st.lists(LABELS, min_size=6, max_size=6),
    st.lists(st.sampled_from((None, 0, 1)), min_size=6, max_size=6),
    st.lists(st.sampled_from((None, 0.0, 1.0)), min_size=6, max_size=6),
    st.lists(st.sampled_from((None, False, True)), min_size=6, max_size=6),
)
PAIRS = (("d", "a", "b"), ("d", "b", "c"), ("d", "c", "a"), ("e", "a", "b"), ("e", "b", "a"),
         ("f", "a", "b"))  # fmt: skip


def written(folder: Path, rows: list[data.Row], name: str) -> list[Any]:
    """Write rows into every kind of file, and return them with other forms of the same rows."""
    table = pa.Table.from_pylist(rows)
    at = table.column_names.index("label")
    coded = table
    if table["label"].null_count < len(table):
        coded = table.set_column(at, "label", table["label"].dictionary_encode())
    csv = data.write_csv(folder / f"{name}.csv", rows)
    tsv = folder / f"{name}.tsv"
    tsv.write_text(csv.read_text().replace(",", "\t"))
    lines = folder / f"{name}.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows))
    whole = folder / f"{name}.json"
    whole.write_text(json.dumps(rows))
    parquet = [folder / f"{name}{k}.parquet" for k in range(2)]
    for path, part in zip(parquet, (table, coded), strict=True):
        pq.write_table(part, path)
    pandas = pytest.importorskip("pandas").DataFrame(rows)
    return [rows, table, coded, csv, tsv, lines, whole, *parquet, pandas]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES, VALUES)
def test_every_kind_of_file_gives_the_same_report(tmp_path, gold, pred):
    sides = [
        [dict(zip(("doc_id", "a", "b"), pair, strict=True)) | {"label": label}
         for pair, label in zip(PAIRS, labels, strict=True)]
        for labels in (gold, pred)
    ]  # fmt: skip
    expected = oracle.score(*sides)
    forms = zip(*(written(tmp_path, rows, str(k)) for k, rows in enumerate(sides)), strict=True)
    reports = [fc.eci(*form).to_dict() for form in forms]
    assert reports[0]["scores"] == expected["scores"]
    assert reports == [reports[0]] * len(reports)
