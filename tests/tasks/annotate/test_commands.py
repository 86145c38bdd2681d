"""Bad input of `annotate` on the command line: one message, exit status 2, nothing written."""

from __future__ import annotations

import csv
import json
from collections import Counter

import pyarrow.csv as pc
import pytest

from fastcausal import crab
from fastcausal.sample import FOLDER, RATER_TEST
from fastcausal.tasks.annotate.export import sheet_of_answers
from fastcausal.tasks.annotate.marks import marked_source
from fastcausal.tasks.annotate.pairs import sheet_of_pairs
from tests.support.cli import cli

ANN, BEN = FOLDER / "judged_ann.json", FOLDER / "judged_ben.json"
CLAIMS = FOLDER / "claims_prediction_full_ann.json"


@pytest.mark.parametrize(
    ("content", "arguments"),
    [
        ("{", ()),
        ("[]", ()),
        ('[{"gold": "a"}]', ()),
        ('[{"gold": "a", "output": 3}]', ()),
        ('{"T": {"prediction": "p", "claims": 3}}', ("--against", CLAIMS)),
        ('{"T": {"reference": "p", "claims": []}}', ("--against", CLAIMS)),
        ('{"T": {"prediction": "p", "claims": []}}', ("--against", CLAIMS)),
        ('[{"gold": "a", "output": "b"}]', ("--against", CLAIMS, "--only", "judge")),
        (
            '{"Late frost in Vale": {"reference": "p", "claims": '
            '[{"claim": "a", "judgment": true, "support": ["b"]}]}}',
            ("--against", CLAIMS),
        ),
        (
            '{"Late frost in Vale": {"reference": "p", "claims": '
            '[{"claim": "a", "judgment": true, "support": "b"}]}}',
            ("--against", CLAIMS),
        ),
    ],
)
def test_nothing_is_exported(tmp_path, content, arguments):
    source = tmp_path / "source.json"
    source.write_text(content)
    out, err = cli("annotate", "export", source, tmp_path / "p.html", *arguments, expect=2)
    assert out == ""
    assert err.startswith("error: ")
    assert [*tmp_path.iterdir()] == [source]


def test_messages_name_the_option_that_is_missing(tmp_path):
    likert = tmp_path / "likert.json"
    likert.write_text('{\n"T": {"first_prediction_likert": 3}}')
    page = tmp_path / "p.html"
    for arguments, expected in (
        (("export", CLAIMS, page), "--against FILE"),
        (("export", CLAIMS, page, "--only", "judge"), "--against FILE"),
        (("export", likert, page), 'no "items"'),
        (("import", likert), "--key FILE"),
        (("import", CLAIMS, ANN), "judged_ann.json does not"),
    ):
        out, err = cli("annotate", *arguments, "--json", expect=2)
        assert expected in json.loads(out)["error"]
        assert err == ""
    assert not page.exists()


def test_a_tools_file_without_answers_stays_as_it_is(tmp_path):
    """The saved file differs from the original by answers and the user's name alone."""
    document = json.loads(ANN.read_text()) | {"seed": 3}
    for item in document["items"][1:]:
        del item["answer"]
        item.pop("reason", None)
    (tmp_path / "t.json").write_text(json.dumps(document, indent=2))
    sheet = sheet_of_answers(tmp_path / "t.json")
    filled = "".join(part if isinstance(part, str) else '"x"' for part in sheet.file)
    for item in document["items"]:
        item["answer"] = "x"
    assert json.loads(filled) == document | {"username": "x"}
    assert sheet.answers == [(0, None, None)] + [None] * 7


def test_systems_share_ids(tmp_path):
    """Systems may share ids: only the answer that differs from its reference is left."""
    row = {"id": "1", "input": "rain floods", "gold": "[Cause] rain [Effect] floods"}
    other = "[Cause] rain floods [Effect] floods"
    rows = [row | {"system": "a", "output": row["gold"]}, row | {"system": "b", "output": other}]
    (tmp_path / "s.json").write_text(json.dumps(rows))
    page = tmp_path / "p.html"
    out, _ = cli("annotate", "export", tmp_path / "s.json", page, "--only", "judge", "--json")
    assert json.loads(out) == {"n_items": 1, "n_judged": 0, "n_missing": 1}
    assert other in page.read_text()


def test_import(tmp_path):
    out, _ = cli("annotate", "import", ANN, BEN, "--json", "--to", tmp_path / "t.csv", expect=1)
    counts = json.loads(out)
    assert counts["n_judged"] == len(pc.read_csv(tmp_path / "t.csv")) == 15
    assert counts["raters"] == {
        "ann": {"n_judged": 8, "n_missing": 0},
        "ben": {"n_judged": 7, "n_missing": 1},
    }


def test_other_items_and_keys_are_refused(tmp_path):
    document = json.loads(BEN.read_text())
    document["items"].pop()
    (tmp_path / "short.json").write_text(json.dumps(document))
    table = tmp_path / "t.csv"
    cli("annotate", "import", ANN, tmp_path / "short.json", "--to", table, expect=2)
    cli("annotate", "import", ANN, "--key", CLAIMS, "--to", table, expect=2)
    cli("annotate", "import", ANN, "--name", "x_{rater}", "--to", table, expect=2)
    cli("annotate", "import", ANN, "--name", "{who}", "--to", table, expect=2)
    assert not table.exists()


def test_preferences(tmp_path):
    places = ("first", "second", "third")
    key = {"T": {f"{place}_prediction": f"s{k}" for k, place in enumerate(places)}}
    said = {"T": {f"{place}_prediction_likert": k * 2 for k, place in enumerate(places)}}
    (tmp_path / "key.json").write_text(json.dumps(key))
    (tmp_path / "ann.json").write_text(json.dumps(said))
    arguments = (tmp_path / "ann.json", "--key", tmp_path / "key.json", "--json")
    out, _ = cli("annotate", "import", *arguments, "--to", tmp_path / "t.csv", expect=1)
    assert json.loads(out)["n_missing"] == 1
    assert pc.read_csv(tmp_path / "t.csv")["label"].to_pylist() == [2, 4]


def test_who_passed(tmp_path):
    rows = json.loads(RATER_TEST.read_text())
    test = tmp_path / "test.json"
    test.write_text(json.dumps(rows[:5]))
    names = {"ann": 5, "ben": 4, "cat": 3}
    for name, n_right in names.items():
        items = [
            {"id": row["id"], "answer": row["valid"] if k < n_right else None,
             "data": {"text": row["input"], "reference": row["gold"], "model": row["output"]}}
            for k, row in enumerate(rows[:5])
        ]  # fmt: skip
        (tmp_path / f"{name}.json").write_text(json.dumps({"username": name, "items": items}))
    files = [tmp_path / f"{name}.json" for name in names]
    out, _ = cli("annotate", "import", *files, "--test", test, "--json", expect=1)
    found = json.loads(out)
    assert found["n_passed"] == 2
    results = {name: (*each.values(),)[2:] for name, each in found["raters"].items()}
    assert results == {
        "ann": (5, 1.0, True), "ben": (4, 0.8, True), "cat": (3, 0.6, False),
    }  # fmt: skip
    out, _ = cli("annotate", "import", *files, "--test", test, "--qualify", "1", expect=1)
    assert [line.split()[-1] for line in out.splitlines() if line[:3] in names] == [
        "True", "False", "False",
    ]  # fmt: skip


def test_tests_that_are_refused(tmp_path):
    rows = json.loads(RATER_TEST.read_text())
    page, table = tmp_path / "p.html", tmp_path / "t.csv"

    def written(rows):
        (tmp_path / "test.json").write_text(json.dumps(rows))
        return tmp_path / "test.json"

    lacking = [row | {"valid": None, "reason": None} for row in rows]
    two = [
        {**row, "valid": [{"name": n, "valid": 1} for n in "ab"], "reason": None} for row in rows
    ]
    for said, message in (
        ([*rows[:3], lacking[3]], 'id "t4": no verdict, expected one for each item of a test'),
        ([{k: v for k, v in rows[0].items() if k != "valid"}], "verdicts of 0 raters"),
        (two, "verdicts of 2 raters, expected one in a test"),
    ):
        _, err = cli("annotate", "export", written(said), page, "--test", expect=2)
        assert message in err
    arguments = ("annotate", "import", "--to", table)
    other = [rows[0] | {"output": "[Cause] a [Effect] b"}, *rows[1:]]
    for said, message in (
        (rows[1:], 'has other items than the test: "t1"'),
        (other, "other files"),
    ):
        _, err = cli(*arguments, RATER_TEST, "--test", written(said), expect=2)
        assert message in err
    for more, message in (
        ((CLAIMS, "--test", RATER_TEST), "has no answers, expected those of the test"),
        ((ANN, "--qualify", "0.5"), "--qualify is for --test"),
        ((ANN, "--key", ANN, "--unsure", "missing"), "--unsure is for answers, --key for"),
        ((RATER_TEST, "--test", RATER_TEST, "--qualify", "1.5"), "1.5 is not between 0 and 1"),
    ):
        _, err = cli(*arguments, *more, expect=2)
        assert message in err
    _, err = cli("annotate", "export", RATER_TEST, page, "--test", "--only", "judge", expect=2)
    assert "--only" in err
    assert not page.exists()
    assert not table.exists()


def test_a_test_shows_no_verdict_of_a_tools_file():
    for rater in (None, "ann"):
        sheet = sheet_of_answers(ANN, rater, is_test=True)
        assert (sheet.rater, sheet.answers) == (rater or "", [None] * 8)


def test_reasons_leave_a_tools_file(tmp_path):
    """Reasons are removed from a tool's file wherever they stand."""
    data = {"text": "x", "reference": "[Cause] a [Effect] b", "model": "[Cause] a [Effect] c"}
    shared = f'"data": {json.dumps(data)}'
    items = (
        f'{{"reason" : null , "id": 1, {shared}, "k": 1}}',
        f'{{"id": 2, "reason": "both", {shared}, "answer": "invalid"}}',
        f'{{"id": 3, {shared}, "answer": "invalid" , "reason": "effect" }}',
    )
    text = f'{{"username": "u", "items": [{", ".join(items)}]}}'
    (tmp_path / "t.json").write_text(text)
    sheet = sheet_of_answers(tmp_path / "t.json", "v")
    filled = "".join(part if isinstance(part, str) else "null" for part in sheet.file)
    items = json.loads(filled)["items"]
    assert [{*each} for each in items] == [
        {"id", "data", "k", "answer"}, {"id", "data", "answer"}, {"id", "data", "answer"},
    ]  # fmt: skip


def test_marks_of_words_in_order():
    """Articles belong to a span, the full stop after its last word does not."""
    pieces = marked_source("Dykes kept the river out.", [], ["the river stayed out"])
    assert pieces == [("Dykes kept ", 0), ("the river", 2), (" ", 0), ("out", 2), (".", 0)]


def test_pieces_add_up():
    text = "Rain, rain\u2028 and  the hail; floods"
    pieces = marked_source(text, ["rain and hail"], ["floods rain"])
    assert "".join(piece for piece, _ in pieces) == text


def test_pairs_are_shown_without_gold():
    """Screens have three pairs of one news piece, or five of two; scores and classes stay out."""
    sheet = sheet_of_pairs(FOLDER / "crab_gold.jsonl")
    assert {*sheet.items[0]} == {"id", "screen", "articles", "event_a", "event_b"}
    screens = Counter(item["screen"] for item in sheet.items)
    most = {len(item["articles"]): screens[item["screen"]] for item in sheet.items}
    for item in sheet.items:
        n = len(item["articles"])
        most[n] = max(most[n], screens[item["screen"]])
    assert (len(sheet.items), most) == (59, {1: 3, 2: 5})
    assert "score" not in "".join(map(str, sheet.file))


def test_five_tests_of_pairs(tmp_path):
    """A pair is causal if it passes all tests; agreement is that of each column."""
    said = {
        "ann": ["yyyyy", "ynyyn", "yyyyy", "y---n"],
        "ben": ["yyyyy", "yyyyn", "yynyy", "-----"],
    }
    words = {"y": "yes", "n": "no", "-": ""}
    tests = ("why", "temporal", "counterfactual", "asymmetry", "linguistic")
    rows = [
        {"id": f"p{k}", "rater": rater, **{t: words[c] for t, c in zip(tests, each, strict=True)}}
        for rater, answers in said.items()
        for k, each in enumerate(answers)
    ]
    table, target = tmp_path / "five.csv", tmp_path / "judged.csv"
    with table.open("w") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    out, _ = cli("annotate", "import", table, "--json", "--to", target, expect=1)
    found = json.loads(out)
    assert found["raters"]["ann"] == {"n_judged": 3, "n_missing": 1}
    counts = {name: (each["n"], each["n_failed"]) for name, each in found["tests"].items()}
    assert counts == {
        "why": (7, 0), "temporal": (6, 1), "counterfactual": (6, 1), "asymmetry": (6, 0),
        "linguistic": (7, 3), "all five": (7, 4),
    }  # fmt: skip
    judged = pc.read_csv(target).to_pylist()
    assert [(row["item"], row["label"], row["failed"]) for row in judged[:4]] == [
        ("p0", 1, ""), ("p1", 0, "temporal, linguistic"), ("p2", 1, ""), ("p3", 0, "linguistic"),
    ]  # fmt: skip
    for name, column in {**dict(zip(tests, tests, strict=True)), "all five": "label"}.items():
        out, _ = cli("agree", target, "--labels", column, "--json")
        agreement = json.loads(out)
        for measure in ("percent_agreement", "cohen_kappa", "alpha"):
            assert found["tests"][name][measure] == agreement[measure], (name, measure)
    out, _ = cli("annotate", "import", table, expect=1)
    assert "tests of causality" in out
    table.write_text(table.read_text().replace("no", "nope", 1))
    _, err = cli("annotate", "import", table, expect=2)
    assert '"temporal" is "nope", expected yes or no' in err
    _, err = cli("annotate", "import", target, "--test", RATER_TEST, expect=2)
    assert "tests of causality" in err


def test_what_cannot_be_curated(tmp_path):
    one, other, page = tmp_path / "a.jsonl", tmp_path / "b.jsonl", tmp_path / "p.html"
    span = [{"role": "cause", "start": 0, "stop": 1}]
    row = {"id": "x", "text": "Rain fell", "length": 2, "relations": [span]}
    one.write_text(json.dumps(row))
    for changed, message in (
        ({"text": "Rain falls"}, '"Rain falls", expected "Rain fell"\n'),
        ({"id": "y"}, "no two annotators have an example of the same id"),
        ({"relations": [None]}, 'annotator "b": example x: a relation cannot be read'),
    ):
        other.write_text(json.dumps(row | changed))
        _, err = cli("annotate", "export", one, other, page, "--form", "curation", expect=2)
        assert message in err
    for arguments, message in (
        ((one, page, "--form", "curation"), "is one source, expected several"),
        ((ANN, BEN, page), "expected one SOURCE, got 2"),
        ((one, other, page, "--form", "curation", "--against", one), "--against is for claims"),
        ((one, other, page, "--form", "curation", "--test"), "--test is for answers"),
    ):
        _, err = cli("annotate", "export", *arguments, expect=2)
        assert message in err
    assert not page.exists()


def test_ratings_of_pairs_are_joined(tmp_path):
    """Raters may have different pairs, but none twice; unjudged pairs are missing."""
    key = {"topic_id": 4, "event_order_a": 1}
    for name, said in (("ann", [(50, "no"), (None, None)]), ("ben", [(20, None)])):
        rows = [
            key | {"event_order_b": k + 2, "rater": name, "score": score, "without": without}
            for k, (score, without) in enumerate(said)
        ]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    files = [tmp_path / "ann.jsonl", tmp_path / "ben.jsonl"]
    arguments = (*files, "--json", "--to", tmp_path / "r.jsonl")
    counts = json.loads(cli("annotate", "import", *arguments, expect=1)[0])
    assert counts["raters"] == {
        "ann": {"n_judged": 1, "n_missing": 1}, "ben": {"n_judged": 0, "n_missing": 1},
    }  # fmt: skip
    assert crab.agree(tmp_path / "r.jsonl", yes_no="without").yes_no["n"] == 1
    _, err = cli("annotate", "import", *files, files[0], expect=2)
    assert 'rater "ann" has pair "4/1/2" twice' in err
    _, err = cli("annotate", "import", *files, "--test", RATER_TEST, expect=2)
    assert "scores of pairs" in err
    _, err = cli("annotate", "import", *files, "--name", "{rater}x", expect=2)
    assert "does not fit" in err
