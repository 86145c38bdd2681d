"""Wins, ties, ranks and agreement against a plain count of votes, and bad files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.files.files import Source
from fastcausal.sample import PREFERENCES, PREFERENCES_KEY
from tests.oracles import preferences as plain
from tests.support.cli import cli
from tests.support.data import DATA
from tests.support.profiles import trials

MIRAGE = DATA / "mirage" / "human_preference"
CHOICES = ("reference", "topic", "scores")


@st.composite
def studies(draw):
    """A key, and files of raters; topics have two to four systems, not all the same."""
    key, files = {}, {rater: {} for rater in "xyz"[: draw(st.integers(1, 3))]}
    for topic in range(draw(st.integers(1, 5))):
        systems = draw(st.lists(st.sampled_from("abcde"), min_size=2, max_size=4, unique=True))
        places = [f"p{k}" for k in range(len(systems))]
        key[f"t{topic}"] = dict(zip(places, systems, strict=True))
        for said in files.values():
            best = st.sampled_from([*places, None])
            said[f"t{topic}"] = {"best_prediction_reference": draw(best),
                                 "best_prediction_topic": draw(best)}  # fmt: skip
            scores = draw(st.lists(st.integers(0, 5), min_size=len(places), max_size=len(places)))
            names = [f"{place}_likert" for place in places]
            said[f"t{topic}"] |= dict(zip(names, scores, strict=True))
    return key, files


def source(name, content):
    return Source(f"{name}.json", json.dumps(content).encode())


def alike(found, wanted):
    for name, value in wanted.items():
        expected = None if value is None else pytest.approx(float(value), abs=1e-12)
        assert found[name] == expected


def same_as_plain(report, files, key, choice):
    found = report.to_dict()
    votes = plain.votes(files, key, choice)
    systems = sorted({system for places in key.values() for system in places.values()})
    best = {
        topic: plain.best_of([v for (_, name), v in votes.items() if name == topic])
        if any(v for (_, name), v in votes.items() if name == topic) else []
        for topic in key
    }  # fmt: skip
    assert [*found["scores"]] == systems
    for system in systems:
        alike(found["scores"][system], plain.scores(votes.values(), system))
        won = [names for names in best.values() if system in names]
        assert found["scores"][system]["topics_won"] == won.count([system])
        assert found["scores"][system]["topics_tied"] == len(won) - won.count([system])
        for rater in files:
            of_rater = [v for (name, _), v in votes.items() if name == rater]
            alike(found["raters"][rater][system], plain.scores(of_rater, system))
    for topic, places in key.items():
        assert found["topics"][topic]["best"] == best[topic]
        of_topic = [v for (_, name), v in votes.items() if name == topic]
        for system in places.values():
            alike(found["topics"][topic]["systems"][system], plain.scores(of_topic, system))
    assert found["n_missing"] == sum(v is None for v in votes.values())
    share = plain.percent_agreement(votes, key)
    alike(found["agreement"], {"percent_agreement": share})
    labels = [(*row.values(),) for row in report.judgments.to_pylist()]
    assert {*labels} == {
        (system, topic, rater, value)
        for (rater, topic), values in votes.items()
        for system, value in (values or {}).items()
    }


@trials(200)
@given(studies(), st.sampled_from(CHOICES))
def test_counts_are_those_of_votes(study, choice):
    key, files = study
    sources = [source(rater, said) for rater, said in files.items()]
    report = fc.preferences(sources, source("key", key), choice=choice)
    same_as_plain(report, files, key, choice)
    assert report.per_topic.num_rows == sum(map(len, key.values()))
    assert "preferences on" in str(report)


@pytest.mark.skipif(not MIRAGE.is_dir(), reason="needs ../shared")
@pytest.mark.parametrize("choice", CHOICES)
def test_mirage(choice):
    paths = {name: MIRAGE / f"preference_json_{name}.json" for name in "125"}
    files = {name: json.loads(path.read_text()) for name, path in paths.items()}
    key = json.loads((MIRAGE / "preference_key.json").read_text())
    report = fc.preferences(
        list(paths.values()), MIRAGE / "preference_key.json", choice=choice,
        name="preference_json_{rater}",
    )  # fmt: skip
    same_as_plain(report, files, key, choice)
    assert report["qwen_72b_cag"].topics_won == 6
    missing = 'missing: rater "1" prefers nothing in 10 topics'
    assert report.warnings == (() if choice == "scores" else (missing,))


def test_judgments_and_scores_meet_in_meta(tmp_path):
    """Shares of topics as a metric, and the choice as judgments."""
    arguments = ("preferences", *PREFERENCES.values(), "--key", PREFERENCES_KEY)
    table, topics = tmp_path / "j.csv", tmp_path / "t.csv"
    out, _ = cli(*arguments, "--judgments", table, "--per-topic", topics, "--json",
                 "--name", "preferences_{rater}")  # fmt: skip
    found = json.loads(out)
    assert [*found["raters"]] == ["ann", "ben"]
    out, _ = cli("meta", topics, table, "--metric", "share", "--resamples", "20", "--json")
    pearson = json.loads(out)["metrics"]["share"]["pooled"]["pearson"]
    assert pearson == pytest.approx(1.0)
    scores = tmp_path / "scores.csv"
    cli("annotate", "import", *PREFERENCES.values(), "--key", PREFERENCES_KEY, "--to", scores)
    cli(*arguments, "--choice", "scores", "--judgments", table)
    assert sorted(scores.read_text().splitlines()) == sorted(table.read_text().splitlines())


KEY = {"T": {"first": "a", "second": "b"}}
SAID = {"T": {"best_prediction_reference": "first", "first_likert": 2, "second_likert": 3}}
FAULTS = {
    "no place": (KEY, {"T": {"best_prediction_reference": "third"}},
                 'topic "T": "best_prediction_reference" is "third", expected one of first'),
    "a list": (KEY, {"T": {"best_prediction_reference": ["first"]}}, "expected one of first"),
    "a number": (KEY, {"T": {"best_prediction_reference": 1}}, "is 1, expected one of first"),
    "not asked": (KEY, {"T": {}}, 'no "best_prediction_reference", expected one in its topics'),
    "other topics": (KEY, {"U": SAID["T"]}, 'have different topics: "T"'),
    "topic is a list": (KEY, {"T": []}, 'topic "T" is a list, expected an object'),
    "empty": (KEY, {}, "expected an object of topics"),
    "system is null": ({"T": {"first": "a", "second": None}}, SAID, "expected a system"),
    "system twice": ({"T": {"first": "a", "second": "a"}}, SAID, "a, a, expected two different"),
    "one system": ({"T": {"first": "a"}}, SAID, "a, expected two different systems or more"),
    "no system": ({"T": {}}, SAID, "no system, expected two different"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_faults(tmp_path, name):
    key, said, message = FAULTS[name]
    (tmp_path / "key.json").write_text(json.dumps(key))
    (tmp_path / "ann.json").write_text(json.dumps(said))
    refused(tmp_path, message, tmp_path / "ann.json")


def refused(folder: Path, message, *arguments):
    out = folder / "out.csv"
    _, err = cli(
        "preferences", *arguments, "--key", folder / "key.json", "--judgments", out, expect=2
    )
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_faults_of_scores_and_names(tmp_path):
    (tmp_path / "key.json").write_text(json.dumps(KEY))
    ann = tmp_path / "ann.json"
    for said, message in (
        ({"T": SAID["T"] | {"first_likert": 6}}, '"first_likert" is 6, expected 1 to 5, or 0'),
        ({"T": SAID["T"] | {"first_likert": True}}, '"first_likert" is true, expected 1 to 5'),
        ({"T": SAID["T"] | {"third_likert": 1}}, 'topic "T": no system for "third"'),
    ):
        ann.write_text(json.dumps(said))
        refused(tmp_path, message, ann, "--choice", "scores")
    ann.write_text(json.dumps(SAID))
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "ann.json").write_text(json.dumps(SAID))
    refused(tmp_path, 'are both of rater "ann"', ann, tmp_path / "more" / "ann.json")
    refused(tmp_path, "does not fit", ann, "--name", "x_{rater}")
    ann.write_text("{")
    refused(tmp_path, "ann.json", ann)


@pytest.mark.parametrize("file", ["key", "ann"])
def test_half_a_surrogate_pair_is_refused_with_its_place(tmp_path, file):
    """JSON can write one, and no table or page can hold it; a whole pair and a backslash stay."""
    texts = {"key": {"Flood": {"first": "\U0001f600\\ud800", "second": "b"}},
             "ann": {"Flood": {"first_likert": 3, "second_likert": 4,
                               "best_prediction_reference": "first"}}}  # fmt: skip
    for name, value in texts.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value, indent=1))
    key, ann = tmp_path / "key.json", tmp_path / "ann.json"
    commands = [("preferences", ann), ("annotate", "import", ann, "--to", tmp_path / "labels.csv")]
    for command in commands:
        cli(*command, "--key", key)
    changed = tmp_path / f"{file}.json"
    changed.write_text(changed.read_text().replace("first", "\\uDFFFfirst"))
    for command in commands:
        _, message = cli(*command, "--key", key, expect=2)
        said = f'{file}.json:3: "\\uDFFF" is half of a surrogate pair, expected a whole character'
        assert said in message
