"""Events of documents: against SciPy's assignment, by hand, and from the command line."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from tests.oracles import crab_questions as oracle
from tests.support.cli import cli
from tests.support.profiles import trials

WORDS = st.sampled_from(["dam", "broke", "the", "Town", "flood", "."])
TEXTS = st.lists(st.lists(WORDS, max_size=4).map(" ".join), max_size=6)
DOCUMENTS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5)
ALLOWED = {
    "tokens": lambda a, b: oracle.token_f1(a, b) >= 0.5,
    "exact": lambda a, b: bool(oracle.bag(a)) and oracle.bag(a) == oracle.bag(b),
}


@trials(80)
@given(DOCUMENTS, st.sampled_from(["tokens", "exact"]), st.randoms())
def test_matches_equal_an_assignment(documents, match, random):
    gold = [{"id": k, "events": a} for k, (a, _) in enumerate(documents)]
    pred = [{"id": k, "events": b} for k, (_, b) in enumerate(documents)]
    report = fc.crab.events(gold, pred, match=match)
    tp = [oracle.n_matched(a, b, ALLOWED[match]) for a, b in documents]
    n_gold, n_pred = (sum(len(pair[side]) for pair in documents) for side in (0, 1))
    micro = report["micro"]
    assert (micro.tp, micro.fp, micro.fn) == (sum(tp), n_pred - sum(tp), n_gold - sum(tp))
    assert (report.n_documents, report.n_gold, report.n_pred) == (len(documents), n_gold, n_pred)
    f1 = [2 * n / (len(a) + len(b)) for n, (a, b) in zip(tp, documents, strict=True) if a or b]
    recall = [n / len(a) for n, (a, _) in zip(tp, documents, strict=True) if a]
    for name, values in (("f1", f1), ("recall", recall)):
        mean = sum(values) / len(values) if values else float("nan")
        assert report["macro"][name] == pytest.approx(mean, abs=1e-12, nan_ok=True)

    for rows in (gold, pred):
        for row in rows:
            row["events"] = random.sample(row["events"], len(row["events"]))
        random.shuffle(rows)
    same = fc.crab.events(gold, pred, match=ALLOWED[match])
    assert same.to_dict() | {"signature": 0} == report.to_dict() | {"signature": 0}


def test_as_many_as_can_be_have_a_partner():
    """As many events as can be get a partner, even if the first could take either."""
    gold = [{"id": "d", "events": ["the dam broke", "the dam"]}]
    pred = [{"id": "d", "events": ["dam broke", "dam broke at night"]}]
    assert fc.crab.events(gold, pred)["micro"].tp == 2
    assert fc.crab.events(gold, pred, min_f1=0.7)["micro"].tp == 1
    assert fc.crab.events(gold, pred, match="exact")["micro"].tp == 1
    assert fc.crab.events(gold, pred, min_f1=0)["micro"].tp == 2
    # "The." has no words: it is found nowhere, not even by its like.
    wordless = [{"id": "d", "events": ["The.", "a"]}]
    for options in ({}, {"match": "exact"}, {"min_f1": 0}):
        assert fc.crab.events(wordless, wordless, **options)["micro"].tp == 0
    assert "match:tokens|min_f1:0.7|" in fc.crab.events(gold, pred, min_f1=0.7).signature


def test_the_command_says_what_python_gives(tmp_path):
    cli("demo", "--copy-to", tmp_path)
    files = tmp_path / "crab_gold_events.jsonl", tmp_path / "crab_found_events.jsonl"
    out, _ = cli("crab", "events", *files, "--match", "exact", "--json")
    assert json.loads(out) == fc.crab.events(*files, match="exact").to_dict()
    out, _ = cli("crab", "events", *files, "--min-f1", "0.8")
    assert "min_f1:0.8" in out


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"id": "c", "events": []},
            'p.jsonl:2: 1 documents have no events in p.jsonl ("b"), 1 are not in g',
        ),
        ({"id": "a", "events": []}, 'p.jsonl:2: id "a" occurs twice'),
        ({"id": "b", "events": "dam"}, 'p.jsonl:2: "events" is'),
        ({"id": "b", "events": None}, 'p.jsonl:2: "events" is null, expected a list of texts'),
        ({"id": "b", "events": [None]}, "p.jsonl:2: an event is null, expected a text"),
        ({"events": ["x"]}, 'p.jsonl:2: no "id"'),
    ],
)
def test_bad_events(row, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [{"id": "a", "events": ["x"]}, {"id": "b", "events": ["y"]}]
    (tmp_path / "g.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "p.jsonl").write_text("".join(json.dumps(r) + "\n" for r in (rows[0], row)))
    _, err = cli("crab", "events", "g.jsonl", "p.jsonl", expect=2)
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_bad_arguments(tmp_path):
    rows = [{"id": 1, "events": ["x"]}]
    with pytest.raises(ValueError, match='match is "fuzzy", expected one of tokens, exact'):
        fc.crab.events(rows, rows, match="fuzzy")
    with pytest.raises(ValueError, match="min_f1 is 2, expected a number from 0 to 1"):
        fc.crab.events(rows, rows, min_f1=2)
    path = tmp_path / "g.jsonl"
    path.write_text(json.dumps(rows[0]))
    options = ("--match", "exact", "--min-f1", "0.5")
    assert (
        "--min-f1 is for --match tokens" in cli("crab", "events", path, path, *options, expect=2)[1]
    )


QUOTED = st.sampled_from(['"', "“”", "''", "«»", ""])


@trials(60)
@given(st.lists(st.sampled_from(["said", "dam", "broke", "Told", "'s"]), max_size=4), QUOTED,
       st.lists(st.sampled_from(["rain", "said"]), min_size=1, max_size=3))  # fmt: skip
def test_filters_drop_what_section_3_names(outside, marks, inside):
    quotation = f"{marks[:1]}{' '.join(inside)}{marks[-1:]}"
    event = " ".join([*outside, quotation])
    gold, pred = [{"id": 1, "events": ["a b c"]}], [{"id": 1, "events": [event, "the dam broke"]}]
    is_short = len(outside) + len(inside) < 3
    is_quoted = bool(marks) and bool({"said", "Told"} & {*outside})
    if "'s" in outside and marks == "''":
        return  # which apostrophe opens is anyone's guess
    report = fc.crab.events(gold, pred, min_tokens=3, no_quotes=True)
    assert report.n_dropped == {"short": is_short, "quoted": is_quoted and not is_short}
    assert report.n_pred == 2 - (is_short or is_quoted)
    assert fc.crab.events(gold, pred, min_tokens=3).n_dropped == {"short": is_short, "quoted": 0}
    assert fc.crab.events(gold, pred, no_quotes=True).n_dropped == {"short": 0, "quoted": is_quoted}
    assert "n_dropped" not in fc.crab.events(gold, pred).to_dict()


def test_filters_of_the_command(tmp_path):
    file = tmp_path / "found.jsonl"
    file.write_text(
        '{"id": "a", "events": ["Dam broke", "He said “we are safe”", "It rained a lot"]}\n'
    )
    out, _ = cli("crab", "events", file, file, "--min-tokens", 3, "--no-quotes")
    assert "dropped events: 1 short, 1 quoted" in out
    assert "|min_tokens:3|no_quotes|" in out
    assert "1.0000  0.3333" in out
    cli("crab", "events", file, file, "--min-tokens", -1, expect=2)
    with pytest.raises(ValueError, match="min_tokens is -1, expected an integer from 0"):
        fc.crab.events(file, file, min_tokens=-1)
