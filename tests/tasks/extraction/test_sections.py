"""The top of one system's page says what the report's JSON says, and nothing in it is markup."""

from __future__ import annotations

import sys

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.extraction.sections import sections_of
from tests.support.markup import check_cells, parts_of, tables_of
from tests.support.pictures import check_pictures

ANSWERS = sample.GOLD.with_name("raw_answers.jsonl")
HOSTILE = ("<b>$cause$", "_effect</script>")
KINDS = ("fp", "fn", "le", "be", "lbe")


@pytest.mark.parametrize("draws", [None, {"n_resamples": 50}])
def test_numbers_are_those_of_the_json(draws):
    report = fc.score(sample.GOLD, ANSWERS, answers="output", unparsed="empty", by="doc_id")
    if draws:
        report = report.with_intervals(**draws, by="doc_id")
    told = report.to_dict()
    intervals = told.get("intervals", {"scores": None, "subsets": {}})
    tables = tables_of(sections_of(report))
    [scores] = tables["Scores"]
    check_cells(scores, told["scores"], intervals["scores"])
    [subsets] = tables["Subsets"]
    parts = parts_of(subsets)
    assert [*parts] == [*told["subsets"]]
    for name, rows in parts.items():
        check_cells(rows, told["subsets"][name], intervals["subsets"].get(name))
    [errors] = tables["Errors"]
    assert errors[0] == ["", *KINDS]
    assert {group: cells for group, *cells in errors[1:]} == {
        group: [str(counts[kind]) for kind in KINDS] for group, counts in told["scores"].items()
    }
    lost, bounds = tables["Unparsed predictions"]
    check_cells(lost, {"overall": told})
    for name, rows in parts_of(bounds).items():
        check_cells(rows, {"overall": told["bounds"][name]})


def test_lines_say_what_a_reader_has_to_know():
    report = fc.score(sample.GOLD, ANSWERS, answers="output", unparsed="skip")
    lines = sections_of(report)[0].lines
    assert report.signature in lines
    assert f"gold: {report.statistics.gold:032x}" in lines
    assert [line for line in lines if line.startswith("warning: ")] == [
        f"warning: {warning}" for warning in report.warnings
    ]


def test_of_counts_alone():
    """What lacks its examples has no confusion; scores that do not add have no errors either."""
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    titles = [section.title for section in sections_of(report.statistics.report())]
    assert titles == ["Scores", "Errors", "Subsets"]
    official = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2022")
    assert [section.title for section in sections_of(official)] == ["Scores"]


def test_pictures():
    pytest.importorskip("matplotlib")
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    pictures = [each for section in sections_of(report) for each in section.pictures]
    assert [text for text, _ in pictures] == [
        "Scores by role", "Errors by role", "Confusion of roles", "f1 by subset",
    ]  # fmt: skip
    texts = check_pictures(pictures)
    assert f"{report['cause'].f1:.3f}" in texts
    assert pictures == [each for section in sections_of(report) for each in section.pictures]


def test_names_of_roles_and_strata_are_text():
    spans = {HOSTILE[0]: (0, 2), HOSTILE[1]: (3, 4)}
    examples = [{"length": 5, "relations": [spans], "genre": "</td><i>$\\frac$"}]
    gold = fc.Relations.from_examples(examples, HOSTILE)
    protocol = fc.Protocol("mine", tracks=(HOSTILE,))
    report = fc.score(gold, gold, protocol, by="genre")
    sections = sections_of(report)
    tables = tables_of(sections)
    assert [name for name, *_ in tables["Errors"][0][1:]] == ["overall", *HOSTILE]
    assert tables["Confusion of roles"][0] == [
        ["gold", *HOSTILE, "none"],
        [HOSTILE[0], "1", "0", "0"],
        [HOSTILE[1], "0", "1", "0"],
        ["none", "0", "0", "0"],
    ]
    texts = check_pictures([each for section in sections for each in section.pictures])
    if texts:
        assert {*HOSTILE, "genre=</td><i>$\\frac$"} <= {*texts}


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    sections = sections_of(fc.score(sample.GOLD, sample.SYSTEMS["careful"]))
    assert not any(section.pictures for section in sections)
    lines = [line for section in sections for line in section.lines]
    assert sum("fastcausal[plots]" in line for line in lines) == 1
