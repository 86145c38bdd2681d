"""The top of one system's page shows the numbers of the report's JSON, and none of its text becomes
markup."""

from __future__ import annotations

import re

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.tasks.extraction.kinds import WORDS
from fastcausal.tasks.extraction.sections import UNPARSED, cards_of, sections_of
from tests.support.markup import check_cells, parts_of, tables_of

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
    assert errors[0] == ["role", *(WORDS[kind] for kind in KINDS), "total"]
    assert {group: cells for group, *cells in errors[1:]} == {
        group: [*(str(counts[kind]) for kind in KINDS), str(sum(counts[kind] for kind in KINDS))]
        for group, counts in told["scores"].items()
    }
    lost, bounds = tables["Unparsed predictions"]
    assert lost[0] == ["", *UNPARSED.values()]
    check_cells([["", *UNPARSED], *lost[1:]], {"overall": told})
    for name, rows in parts_of(bounds).items():
        check_cells(rows, {"overall": told["bounds"][name]})


def test_lines_say_what_a_reader_has_to_know():
    report = fc.score(sample.GOLD, ANSWERS, answers="output", unparsed="skip")
    about = sections_of(report)[-1]
    assert about.tab == "About"
    assert report.signature in about.lines
    assert f"gold: {report.statistics.gold:032x}" in about.lines
    assert f"fastcausal {fc.__version__}" in about.lines
    assert {*report.legend} <= {*about.lines}


def test_of_counts_alone():
    """A report without examples has no confusion; one whose scores do not add has no errors too."""
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    titles = [section.title for section in sections_of(report.statistics.report())]
    assert titles == ["Scores", "Subsets", "Errors", ""]
    official = fc.score(sample.GOLD, sample.SYSTEMS["careful"], "cnc-2022")
    assert [section.title for section in sections_of(official)] == ["Scores", ""]


def test_answers_of_examples_left_out_are_listed():
    report = fc.score(sample.GOLD, ANSWERS, answers="output", unparsed="skip")
    *_, rows = tables_of(sections_of(report))["Unparsed predictions"]
    assert rows[0] == ["example", "reason", "answer"]
    told = report.unparsed.to_pylist()
    assert [row[:2] for row in rows[1:]] == [[row["id"], row["reason"]] for row in told]
    assert told


def test_counts_lead_to_their_examples():
    report = fc.score(sample.GOLD, sample.SYSTEMS["careful"])
    sections = {section.title: section for section in sections_of(report)}
    [errors], [confusion] = sections["Errors"].grids, sections["Confusion of roles"].grids
    assert errors.links["", "overall", "be"] == "#type=be"
    assert errors.links["", "cause", "be"] == "#type=be&role=cause"
    assert confusion.links["", "cause", "none"] == "#cell=cause%3Enone"
    html = errors.to_html()
    n = int(report["cause"].be)
    assert f'<a href="#type=be&amp;role=cause">{n}</a>' in html
    assert not re.search("<a [^>]*>0</a>", html)
    alone = {section.title: section for section in sections_of(report.statistics.report())}
    assert not alone["Errors"].grids[0].links


def test_cards():
    report = fc.score(sample.GOLD, ANSWERS, answers="output", unparsed="empty")
    report = report.with_intervals(n_resamples=100, confidence=0.9)
    [card] = cards_of({"a": report}, {"a": "best"})
    assert (card.name, card.score, card.standing) == ("a", "F1", "best")
    assert card.value == report["overall"].f1
    assert card.level == "90% confidence interval"
    assert card.bounds == f"{card.value.low:.3f} to {card.value.high:.3f}"
    assert [*card.scores] == ["precision", "recall"]
    assert card.groups == {role: report[role].f1 for role in ("cause", "effect", "signal")}
    share = 100 * report.facts["unparsed_answers_rate"]
    assert card.note.startswith(f"not read: {share:.1f}% of answers")
    many = cards_of({f"s{k}": report for k in range(9)})
    assert [each.name for each in many] == [f"s{k}" for k in range(6)]


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
