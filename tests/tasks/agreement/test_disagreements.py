"""The table and the page of disagreements hold exactly the relations marked differently."""

from __future__ import annotations

import csv
import re

import pytest
from click.testing import CliRunner
from hypothesis import given

import fastcausal as fc
from fastcausal import sample
from fastcausal.cli import app
from tests.support.markup import Reader, data_of
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import LENGTH, table_of

ROLES = ["cause", "effect", "signal"]
WORDS = [f"w{k}" for k in range(LENGTH)]


def words_of(relation):
    return {
        role: " ... ".join(" ".join(WORDS[a:b]) for a, b in sorted(relation[role]))
        for role in ROLES
        if relation.get(role)
    }


def kind_of(row):
    for side, other in (("a", "b"), ("b", "a")):
        if row[f"{side}_relation"] is None:
            return f"only {row[other]}"
    a, b = ([{*(row[f"{side}_{r}"] or "").split()} - {"..."} for r in ROLES] for side in "ab")
    if (a[0], a[1]) == (b[1], b[0]) and a[0] != a[1]:
        return "swapped"
    if a[:2] == b[:2] and a[2] != b[2]:
        return "signal"
    return "spans" if any(x != y and not x & y for x, y in zip(a, b, strict=True)) else "bounds"


CASES = {
    "bounds": ({"cause": [(0, 2)], "effect": [(3, 5)]}, {"cause": [(0, 1)], "effect": [(3, 5)]}),
    "swapped": ({"cause": [(0, 2)], "effect": [(3, 5)]}, {"cause": [(3, 5)], "effect": [(0, 2)]}),
    "signal": ({"cause": [(0, 2)], "effect": [(3, 5)], "signal": [(2, 3)]},
               {"cause": [(0, 2)], "effect": [(3, 5)]}),
    "spans": ({"cause": [(0, 2)], "effect": [(3, 5)]}, {"cause": [(0, 2)], "effect": [(5, 6)]}),
    "only ann": ({"cause": [(0, 2)], "effect": [(3, 5)]}, None),
}  # fmt: skip


OWN = {
    "swapped": ({"reason": (0, 2), "act": (3, 5)}, {"reason": (3, 5), "act": (0, 2)}),
    "degree": ({"reason": (0, 2), "degree": (3, 5)}, {"reason": (0, 2)}),
    "spans": ({"reason": (0, 2), "degree": (3, 5)}, {"reason": (0, 2), "place": (3, 5)}),
}


@pytest.mark.parametrize("kind", OWN)
def test_kinds_of_other_roles(kind):
    roles = ("reason", "act", "degree", "place")
    ann, ben = (
        fc.Relations.from_examples([{"length": 8, "relations": [each]}], roles)
        for each in OWN[kind]
    )
    found = fc.agree({"ann": ann, "ben": ben})
    assert found.disagreements["kind"].to_pylist() == [kind]
    columns = data_of(found.disagreements_page())
    assert columns["types"] == ["bounds", "spans", "swapped", "degree", "place", "alone"]
    named = {
        name for name, n in zip(columns["columns"], columns["count_rows"][0], strict=True) if n
    }
    assert {name.rpartition("_")[2] for name in named} - {"same"} == {kind}


@pytest.mark.parametrize("kind", CASES)
def test_disagreements_name_their_kind(kind):
    text = " ".join(WORDS[:8])
    ann, ben = (
        fc.Relations.from_examples([
            {"id": "e", "text": text, "length": 8, "relations": [] if each is None else [each]}
        ])
        for each in CASES[kind]
    )  # fmt: skip
    agreement = fc.agree({"ann": ann, "ben": ben})
    assert {row["kind"] for row in agreement.disagreements.to_pylist()} == {kind}


@given(sides(most_examples=4))
@trials(60)
def test_the_rest_is_the_same(both):
    """Without the disagreements, both annotators have the same relations in every example."""
    names = {"id": [f"e{k}" for k in range(len(both[0]))]}
    texts = {"text": [" ".join(WORDS)] * len(both[0])}
    a, b = (table_of(side, **names, **texts) for side in both)
    try:
        agreement = fc.agree({"ann": a, "ben": b})
    except fc.InputError:
        return
    rows = agreement.disagreements.to_pylist()
    for table, side in ((a, "a"), (b, "b")):
        relations = {
            (row["id"], k): words_of(relation)
            for row in table.to_examples()
            for k, relation in enumerate(row["relations"], 1)
            if relation
        }
        for row in rows:
            if row[f"{side}_relation"] is None:
                assert all(row[f"{side}_{role}"] is None for role in ROLES)
                continue
            marked = relations.pop((row["id"], row[f"{side}_relation"]))
            assert {r: row[f"{side}_{r}"] for r in ROLES if row[f"{side}_{r}"]} == marked
        left = sorted((name, sorted(words.items())) for (name, _), words in relations.items())
        if side == "a":
            same = left
        else:
            assert left == same
    for row in rows:
        assert [row[f"a_{r}"] for r in ROLES] != [row[f"b_{r}"] for r in ROLES]
        assert row["kind"] == kind_of(row)
    page = data_of(agreement.disagreements_page())
    assert page["ids"] == [*dict.fromkeys(row["id"] for row in rows)]
    counts = []
    for place in page["systems"][0]["pairs"]["counts"]:
        row = page["count_rows"][place]
        of = {kind: sum(row[k] for k in places) for kind, places in page["errors"].items()}
        counts += [{kind: n for kind, n in of.items() if n}] * any(of.values())
    assert counts == [
        {row["kind"] if row["kind"] in page["errors"] else "alone":
         sum(row[f"a_{r}"] != row[f"b_{r}"] for r in ROLES)}
        for row in rows
    ]  # fmt: skip


def test_the_page_in_a_browser(opened, tmp_path):
    agreement = fc.agree(list(map(str, sample.ANNOTATORS.values())))
    page = tmp_path / "page.html"
    page.write_text(agreement.disagreements_page())
    view = opened(page, "#open=1")
    view.wait_for_selector("html[data-ready]", state="attached")
    names = view.locator(".item").first.locator("dt").all_inner_texts()
    assert {name.split()[0] for name in names} <= {*agreement.annotators}
    assert view.locator("dd mark.missed").first.get_attribute("data-role").startswith("not here: ")
    for item in view.locator(".item").all()[:9]:
        of_row = item.locator(".who").all_inner_texts()
        assert " / ".join(of_row) == item.locator(".c-stratum0").inner_text()
    rows = agreement.disagreements.to_pylist()
    n = len({(row["a"], row["b"], row["id"]) for row in rows})
    assert view.get_by_role("status").inner_text() == f"{n} of {n} disagreements"
    pair = view.locator(".item .row .c-stratum0").first.inner_text()
    assert pair in {f"{row['a']} / {row['b']}" for row in rows}
    of = f"{', '.join(agreement.annotators)}, recess, {agreement.n_examples} examples"
    assert view.title() == f"{of}: {len({row['id'] for row in rows})} to adjudicate"


def test_each_disagreement_names_its_pair(opened, tmp_path):
    """An example of several pairs has a row for each; its link opens that one, wherever it is."""
    agreement = fc.agree(list(map(str, sample.ANNOTATORS.values())))
    page = tmp_path / "page.html"
    page.write_text(agreement.disagreements_page())
    rows = agreement.disagreements.to_pylist()
    several = {row["id"]: {(r["a"], r["b"]) for r in rows if r["id"] == row["id"]} for row in rows}
    id = next(id for id, pairs in several.items() if len(pairs) == 3)
    view = opened(page, f"#open=1&q={id}", viewport={"width": 1200, "height": 12_000})
    view.wait_for_selector("html[data-ready]", state="attached")
    items = view.locator(".item")
    links = items.get_by_role("link").evaluate_all("all => all.map(each => each.hash)")
    assert len({*links}) == items.count() == 3
    for k, link in enumerate(links):
        item = items.nth(k)
        pair = item.locator(".c-stratum0").inner_text()
        assert item.locator(".summary .name").inner_text() == pair
        alone = {f"only {r[side]}" for r in rows if (r["id"], f"{r['a']} / {r['b']}") == (id, pair)
                 for side, other in ("ab", "ba") if r[f"{other}_relation"] is None}  # fmt: skip
        notes = " ".join(item.locator("dd.note").all_inner_texts())
        assert alone == {
            name for name in map("only {}".format, agreement.annotators) if name in notes
        }
        other = opened(page, link)
        other.wait_for_selector("html[data-ready]", state="attached")
        shown = other.locator(".item:has([aria-expanded=true]) .c-stratum0").all_inner_texts()
        assert shown in ([pair], [])  # the column is hidden where one pair alone is shown
        assert other.locator(".unfolded .summary .name").all_inner_texts() == [pair]


def command(*arguments):
    result = CliRunner().invoke(app, [*map(str, arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_files(tmp_path):
    annotators = list(sample.ANNOTATORS.values())
    for suffix in ("csv", "parquet", "html"):
        code, _, err = command("agree", *annotators, "--disagreements", tmp_path / f"x.{suffix}")
        assert (code, err) == (0, "")
    agreement = fc.agree(list(map(str, annotators)))
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert len(rows) == len(agreement.disagreements) > 0
    assert {row["a"] for row in rows} <= set(agreement.annotators)
    page = (tmp_path / "x.html").read_text()
    assert "http" not in re.sub(r'http-equiv="[^"]+"|http://www.w3.org/2000/svg', "", page)
    assert command("agree", *annotators, "--disagreements", tmp_path / "x.txt")[0] == 2
    assert not (tmp_path / "x.txt").exists()


def test_labels(tmp_path):
    labels = {"r1": ["=1+1", "no", "<b>", "a"], "r2": ["yes", "no", "b", ""]}
    for rater, values in labels.items():
        lines = "".join(f"u{k},{value}\n" for k, value in enumerate(values))
        (tmp_path / f"{rater}.csv").write_text("id,label\n" + lines)
    files = [tmp_path / "r1.csv", tmp_path / "r2.csv"]
    for suffix in ("csv", "html"):
        target = tmp_path / f"x.{suffix}"
        assert command("agree", *files, "--labels", "label", "--disagreements", target)[0] == 0
    rows = list(csv.DictReader((tmp_path / "x.csv").read_text().splitlines()))
    assert rows == [
        {"unit": "u0", "r1": "'=1+1", "r2": "yes"},
        {"unit": "u2", "r1": "<b>", "r2": "b"},
    ]
    page = (tmp_path / "x.html").read_text()
    assert "<b>" not in page
    assert Reader(page).rows[1:] == [["u0", "=1+1", "yes"], ["u2", "<b>", "b"]]


@pytest.mark.parametrize("values", [[[1, 2], [2, 2]], [[1.5, 2], [2, None]]])
def test_numbers_as_labels(values):
    table = {
        "unit": ["a", "a", "b", "b"],
        "rater": ["x", "y"] * 2,
        "label": [label for row in values for label in row],
    }
    found = fc.label_agreement(table).disagreements.to_pylist()
    first = values[0][0]
    assert found == [{"unit": "a", "x": str(first), "y": "2"}]
