"""The columns of a page equal the report's tables, example by example."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.page.page import packed_json
from fastcausal.tasks.extraction.confusion import confusion_of_roles
from fastcausal.tasks.extraction.evaluation import require_evaluation
from fastcausal.tasks.extraction.page import columns_of, page_of
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import table_of
from tests.support.texts import cases
from tests.support.user_kernels import KERNELS

ALL = 10**9
PROTOCOLS = ["recess", "cnc-2023", "exact_spans", "span_overlap"]


def protocol_of(name):
    return name if name in fc.PROTOCOLS else fc.Protocol(name, name)


def relations_of(columns, side):
    """Of each example its relations, each a list of (role, words)."""
    values, spans, texts = iter(side["values"]), iter(side["spans"]), columns["texts"]
    for text, n in zip(texts, side["relations"], strict=True):
        yield [
            [
                (columns["roles"][role], text[start:stop])
                for role, start, stop in (islice(values, 3) for _ in range(next(spans)))
            ]
            for _ in range(n)
        ]
    assert [*values, *spans] == []


def examples_of(columns):
    """Return by system (id, gold, pred, unparsed, pairs with their counts, counts or None)."""
    gold = [*relations_of(columns, columns["gold"])]
    rows = columns["count_rows"]
    found = {}
    for system in columns["systems"]:
        pairs = system["pairs"]
        each = zip(pairs["gold"], pairs["pred"], pairs["counts"], strict=True)
        found[system["name"]] = [
            (*four, [(a, b, rows[k]) for a, b, k in islice(each, n)], None if c < 0 else rows[c])
            for *four, n, c in zip(
                columns["ids"],
                gold,
                relations_of(columns, system["pred"]),
                system["unparsed"],
                pairs["n"],
                system["examples"],
                strict=True,
            )
        ]
        assert not [*each]
    return found


def words_of(relation, role):
    return " ... ".join(words for name, words in relation if name == role) or None


def check_of_one(report, columns):
    """Compare with the tables of the report."""
    [examples] = examples_of(columns).values()
    names, roles = columns["columns"], columns["roles"]
    counted = report.per_example.to_pylist()
    assert [example[0] for example in examples] == [row["id"] for row in counted]
    width = len(names)
    assert [example[5][:width] for example in examples] == [
        [row[n] for n in names] for row in counted
    ]
    details = require_evaluation(report, "")
    confused = confusion_of_roles(details.counting, details.examples())
    cells = np.array([example[5][width:] for example in examples]).reshape(len(examples), -1)
    assert cells.sum(axis=0).tolist() == confused.ravel().tolist()
    matches = iter(report.matches.to_pylist())
    for name, gold, pred, _, pairs, _ in examples:
        for a, b, counts in pairs:
            row = next(matches)
            assert row["id"] == name
            assert [*(row[n] for n in names), *(0,) * len(columns["cells"])] == counts
            for side, number, relations in (("gold", a, gold), ("pred", b, pred)):
                assert row[f"{side}_relation"] == (None if number < 0 else number)
                relation = relations[number] if number >= 0 else []
                for role in roles:
                    assert row[f"{side}_{role}"] == words_of(relation, role)
    assert next(matches, None) is None
    errors = [k for kind in columns["errors"].values() for k in kind]
    n_errors = {name: sum(counts[k] for k in errors) for name, *_, counts in examples}
    wrong = {wrong.id: wrong.errors for wrong in report.errors(top=None).examples}
    assert {name: n for name, n in n_errors.items() if n} == wrong
    assert columns["types"] == [*report.errors().types]
    assert columns["hits"].keys().isdisjoint(columns["types"])


@given(cases(), st.sampled_from(PROTOCOLS))
@trials(60)
def test_columns_are_what_the_tables_say(case, protocol):
    gold, pred, _ = case
    report = fc.score(gold, pred, protocol_of(protocol))
    columns = columns_of({"one": report}, ALL)
    assert columns["texts"] == gold.table["text"].to_pylist()
    assert (columns["n_examples"], columns["n_left_out"]) == (len(gold), 0)
    check_of_one(report, columns)
    assert len(columns["count_rows"]) == len({*map(tuple, columns["count_rows"])})


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize("system", sample.SYSTEMS)
def test_the_sample(protocol, system):
    report = fc.score(
        sample.GOLD, sample.SYSTEMS[system], protocol_of(protocol), unparsed="empty", by="doc_id"
    )
    columns = columns_of({system: report}, ALL)
    check_of_one(report, columns)
    [stratum] = columns["strata"]
    named = [stratum["values"][code] for code in stratum["codes"]]
    assert named == report.per_example["doc_id"].to_pylist()
    assert [f"doc_id={value}" for value in stratum["values"]] == [*report.subsets][1:]
    assert sum(columns["systems"][0]["unparsed"]) == report.n_unparsed


@st.composite
def several(draw):
    """Gold and up to three systems that lack ids, have others, or unreadable relations."""
    gold, first = draw(sides(most_examples=6))
    n = len(gold)
    ids = [f"id {k}" for k in draw(st.permutations(range(n)))]
    systems = {}
    for name in "abc"[: draw(st.integers(1, 3))]:
        own = ids + draw(st.lists(st.sampled_from(["x", "y", "z"]), unique=True, max_size=2))
        kept = draw(st.lists(st.sampled_from(own), min_size=1, unique=True))
        relations = dict(zip(own, [*first, *first, *first], strict=False))
        unread = draw(st.sets(st.sampled_from(own)))
        table = table_of([relations[each] for each in kept], id=kept).table
        lists = [
            [None, *row] if name in unread else row
            for name, row in zip(kept, table["relations"].to_pylist(), strict=True)
        ]
        column = pa.array(lists, table["relations"].type)
        at = table.column_names.index("relations")
        systems[name] = fc.Relations(table.set_column(at, "relations", column))
    return table_of(gold, id=ids, text=[" ".join("abcdefghijkl")] * n), systems


POLICIES = st.sampled_from(["empty", "skip"])


@given(several(), POLICIES, POLICIES)
@trials(60)
def test_several_systems_are_each_as_alone(case, unparsed, unmatched):
    gold, systems = case
    reports = {
        name: fc.score(gold, pred, unparsed=unparsed, unmatched=unmatched)
        for name, pred in systems.items()
    }
    columns = columns_of(reports, ALL)
    ids = columns["ids"]
    known = gold.ids.to_pylist()
    assert len(ids) == len({*ids}) == columns["n_examples"]
    assert [name for name in ids if name in known] == [name for name in known if name in ids]
    assert {*ids[len({*ids} & {*known}) :]}.isdisjoint(known)
    for name, examples in examples_of(columns).items():
        [alone] = examples_of(columns_of({"": reports[name]}, ALL)).values()
        own = {example[0]: example for example in alone}
        assert [example for example in examples if example[0] in own] == [
            own[each] for each in ids if each in own
        ]
        for example in examples:
            if example[0] not in own:
                assert example[2:] == ([], 0, [], None)
        assert own.keys() == {*reports[name].per_example["id"].to_pylist()}


@given(case=cases(), most=st.integers(0, 6))
@trials(40)
def test_right_examples_are_left_out_first(case, most):
    gold, pred, _ = case
    reports = {"pred": fc.score(gold, pred), "gold": fc.score(gold, gold)}
    wrong = [each.id for each in reports["pred"].errors(top=None).examples]
    ids = gold.ids.to_pylist()
    expected = {*(wrong + [name for name in ids if name not in wrong])[:most]}
    columns = columns_of(reports, most)
    assert columns["ids"] == [name for name in ids if name in expected]
    assert (columns["n_examples"], columns["n_left_out"]) == (len(ids), max(0, len(ids) - most))
    every = {example[0]: example for example in examples_of(columns_of(reports, ALL))["pred"]}
    assert examples_of(columns)["pred"] == [every[name] for name in columns["ids"]]


def test_without_ids_and_texts():
    gold = fc.Relations.from_examples([{"length": n, "relations": []} for n in (0, 12)])
    pred = fc.Relations.from_examples(
        [{"length": 0, "relations": []}, {"length": 12, "relations": [{"cause": (9, 12)}]}]
    )
    columns = columns_of({"pred": fc.score(gold, pred)}, ALL)
    assert (columns["ids"], columns["texts"]) == (["0", "1"], ["", "0 1 2 3 4 5 6 7 8 9 10 11"])
    [(first, second)] = examples_of(columns).values()
    assert first[:4] == ("0", [], [], 0)
    assert second[2] == [[("cause", "9 10 11")]]
    for sides_of in (fc.Rows.of, lambda side: side.to_examples()):
        other = fc.score(sides_of(gold), sides_of(pred))
        assert columns_of({"pred": other}, ALL) == columns
    [only] = columns_of({"pred": fc.score(gold, pred)}, 1)["ids"]
    assert only == "1"


def test_tokens_and_empty_texts():
    spans = [{"cause": (0, 1)}]
    table = fc.Relations.from_examples(
        [{"text": "", "relations": []}, {"length": 2, "relations": spans}]
    ).table
    gold = fc.Relations(table.append_column("tokens", pa.array([[], ["a b", "👩‍🚒"]])))
    columns = columns_of({"": fc.score(gold, gold)}, ALL)
    assert columns["texts"] == ["", "a b 👩‍🚒"]
    assert [*relations_of(columns, columns["gold"])] == [[], [[("cause", "a b")]]]


def test_the_same_bytes():
    made = set()
    for threads in (None, 1, 3):
        reports = {
            name: fc.score(
                sample.GOLD, path, unparsed="skip", by=["corpus", "doc_id"], num_threads=threads
            )
            for name, path in sample.SYSTEMS.items()
        }
        made.add(packed_json(columns_of(reports, 40)))
    assert len(made) == 1


@pytest.mark.parametrize(  # each takes a second to compile
    "name", [pytest.param(n, marks=() if n == "same_spans" else pytest.mark.slow) for n in KERNELS]
)
def test_kernels_of_users(name, tmp_path):
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"], fc.Protocol(name, KERNELS[name]))
    columns = columns_of({"": report}, 7)
    errors = {f"{role}_{kind}" for kind in columns["types"] for role in columns["roles"]}
    assert {columns["columns"][k] for each in columns["errors"].values() for k in each} == errors
    if not errors:
        assert columns["ids"] == report.per_example["id"].to_pylist()[:7]
    report.to_html(tmp_path / "page.html")


def test_null_is_a_value():
    gold = table_of([[], [], []], id=["a", "b", "c"], genre=["news", None, "blog"])
    columns = columns_of({"": fc.score(gold, gold, by="genre")}, ALL)
    assert columns["strata"] == [
        {"name": "genre", "values": ["blog", "news", "null"], "codes": [1, 2, 0]}
    ]


def test_no_gold_at_all():
    nothing = table_of([])
    columns = columns_of({"": fc.score(nothing, nothing)}, ALL)
    assert (columns["ids"], columns["count_rows"], columns["n_examples"]) == ([], [], 0)


def test_bad_input(tmp_path):
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    with pytest.raises(ValueError, match="examples is -1, expected 0 or more"):
        report.to_html(tmp_path / "page.html", examples=-1)
    of_counts = [report.statistics.report(), fc.score(sample.GOLD, sample.GOLD, "cnc-2022")]
    for alone in (*of_counts, report.without_details()):
        with pytest.raises(
            fc.InputError, match=r"counts alone has no examples; fastcausal report "
        ):
            alone.to_html(tmp_path / "page.html")
    with pytest.raises(fc.InputError, match="No such file or directory"):
        report.to_html(tmp_path / "nowhere" / "page.html")
    changed = tmp_path / "pred.jsonl"
    changed.write_bytes(sample.SYSTEMS["careful"].read_bytes())
    report = fc.score(sample.GOLD, changed)
    changed.write_bytes(sample.SYSTEMS["hasty"].read_bytes())
    with pytest.raises(fc.InputError, match="have changed since they were scored"):
        report.to_html(tmp_path / "page.html")
    assert [path.name for path in tmp_path.iterdir()] == ["pred.jsonl"]


def test_warnings_of_all_systems_are_said_once():
    careful, hasty = (fc.score(sample.GOLD, sample.SYSTEMS[name]) for name in ("careful", "hasty"))
    careful.warnings, hasty.warnings = ("both", "own"), ("both",)
    page = page_of("", [], {"a": careful, "b": hasty}, 5)
    left_out = "56 of 61 examples are left out, those with fewest errors; "
    assert page.warnings[:2] == ["warning: both", "a: warning: own"]
    assert page.warnings[2].startswith(left_out)
    assert page.facts == [
        ("protocol", "recess"), ("examples", "61"), ("gold relations", "72"), ("systems", "2"),
    ]  # fmt: skip


def test_a_page_of_one_system_has_its_name(tmp_path, monkeypatch):
    pages = []
    monkeypatch.setattr("fastcausal.report.page.write_page", lambda path, page: pages.append(page))
    gold, careful = sample.GOLD, sample.SYSTEMS["careful"]
    for pred in (careful, fc.read(careful, like=fc.read(gold))):
        fc.score(gold, pred).to_html(tmp_path / "page.html")
    [of_file], [in_memory] = (page.part.data["systems"] for page in pages)
    assert (of_file["name"], in_memory["name"]) == ("careful", "pred")
