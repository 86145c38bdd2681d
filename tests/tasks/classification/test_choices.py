"""Answers to questions with options: worked examples, and an oracle over drawn files."""

from __future__ import annotations

import csv
import json
import random

import pytest

import fastcausal as fc
from fastcausal.tasks.classification.choices.explain import explain_readings
from fastcausal.tasks.classification.choices.readings import READINGS
from tests.oracles import choices as oracle
from tests.support.cli import cli

NAMES = ("cladder", "cladder-gpt", "corr2cause", "first-word", "corr2cause-gpt")
# The readings of each answer, in the order of the names: y, n or - for none.
TABLE = {
    "Yes": "yyyyy",
    '"Yes, it does"': "-ynyy",
    '" yes"': "--nyy",
    "'yes'": "--nyn",
    "**Yes**": "--nyn",
    "Answer: yes": "--nyn",
    "Nope": "nnn-n",
    "none": "nnn-n",
    "None of them": "n-n-n",
    "Neither": "--n-n",
    "Not enough": "nnn-n",
    "As a language model": "--n-n",
    "I'm sorry but no": "--n-n",
    "Yesterday": "yyn-n",
    "": "--n-n",
    "must be true.": "--n-y",
    'necessarily true".': "--y-y",
    "yes, because": "yyyyy",
    "no. the": "nnnnn",
    "I think yes": "--n-n",
    "maybe false": "--n-n",
    "That there is necessarily true.": "--n-y",
}


def told(texts, **columns):
    rows = [{"id": k, "answer": text} for k, text in enumerate(texts)]
    return [{**row, **{n: v[k] for n, v in columns.items()}} for k, row in enumerate(rows)]


def asked(labels, **columns):
    rows = [{"id": k, "label": label} for k, label in enumerate(labels)]
    return [{**row, **{n: v[k] for n, v in columns.items()}} for k, row in enumerate(rows)]


# ---------------------------------------------------------------------------------------- readings


def test_readings_of_published_answers():
    short = {"yes": "y", "no": "n", None: "-"}
    for text, expected in TABLE.items():
        assert "".join(short[READINGS[name].read(text, {})] for name in NAMES) == expected, text
    assert [READINGS[name].read(None, {}) for name in NAMES] == [None, "no", None, None, None]


@pytest.mark.parametrize(
    ("text", "option"),
    [("A", "A"), ("(B)", "B"), ("C.", "C"), ("**B**", "B"), ('"A"', "A"), (" [C] because", "C"),
     ("D", None), ("Because", None), ("Answer: B", "B"), ("", None), ("A2", None), ("b", "B"),
     ("Step 1: so <Answer>B</Answer>", "B"), ("4. Answer: B. so", "B"), ("The answer is C", "C"),
     ("Answer: (B)", "B"), ("Option B", "B"), ("**Option B**.", "B"), ("Final answer: B", "B"),
     ("A/B/C", None), ("A or B", None), ("A causal link cannot be established", None),
     ("A definitive answer is not possible.", None), ("Option B or C", None),
     ("Option B and C", None), ("Option A is wrong", None), ("Answer: B/C", None)],
)  # fmt: skip
def test_letters(text, option):
    assert READINGS["letter"].read(text, dict(zip("ABC", "ABC", strict=True))) == option


@pytest.mark.parametrize(
    "text", ["Yes/No", "Yes or no", "yes / no", "Answer: yes or no", "perhaps"]
)
def test_an_answer_of_both_is_unread(text):
    assert READINGS["first-word"].read(text, {}) is None
    assert READINGS["first-word"].read(f"Answer: {text}. <answer>No.</answer>", {}) == "no"


def test_letters_beyond_d_and_in_lower_case():
    options = {letter: letter for letter in "abcdef"}
    said = ["E", "(f)", "Option E", "Answer: F.", "**E**", "e) so. F) not", "The answer is I think"]
    read = READINGS["letter"].read
    assert [read(text, options) for text in said] == ["e", "f", "e", "f", "e", None, None]


def test_no_answer_is_read(tmp_path):
    gold = asked(["A", "B", "A"])
    said = told(["Rain, [[A]]", "Rain, [[B]]", "Rain, [[B]] [[A]]"])
    for policy in ("wrong", "skip", "error"):
        with pytest.raises(
            fc.InputError, match=r'nor do 2 more: no answer is read; pattern="REGEX"'
        ):
            fc.classify(gold, said, answers="letter", unparsed=policy)
    report = fc.classify(gold, said, answers="letter", pattern=r"\[\[(.)\]\]")
    assert (report["overall"].accuracy, report.n_unparsed) == (2 / 3, 1)
    assert report.unread["unparsed"] == [{"id": "2", "answer": "Rain, [[B]] [[A]]"}]
    assert report.signature.endswith(r"|pattern:\[\[(.)\]\]")
    with pytest.raises(ValueError, match="has 0 groups, expected one"):
        fc.classify(gold, said, answers="letter", pattern="A")
    paths = [tmp_path / "gold.json", tmp_path / "pred.json"]
    nested = [{"id": row["id"], "out": {"choices": [{"text": row["answer"]}]}} for row in said]
    for path, rows in zip(paths, (gold, nested), strict=True):
        path.write_text(json.dumps(rows))
    command = ("classify", *paths, "--answers", "letter", "--column", "out.choices.0.text")
    assert "--pattern REGEX" in cli(*command, expect=2)[1]
    out, _ = cli(*command, "--pattern", r"\[\[(.)\]\]", "--json")
    assert json.loads(out)["scores"]["overall"]["accuracy"] == 2 / 3
    _, error = cli("classify", *paths, "--answers", "letter", "--column", "out.x", expect=2)
    assert 'no column "out.x"' in error


def test_corr2cause_gpt_as_published():
    gold = asked(["entailment", "contradiction", "contradiction"])
    said = told(['"Yes"', "must be true.", "I think so"])
    found = {
        name: fc.classify(gold, said, protocol=name)["overall"].accuracy
        for name in ("corr2cause", "corr2cause-gpt")
    }
    assert found == {"corr2cause": 2 / 3, "corr2cause-gpt": 2 / 3}
    report = fc.classify(gold, said, protocol="corr2cause-gpt")
    assert (report["rarer"].precision, report["rarer"].recall) == (0.5, 1)
    assert report["as_corr2cause"].accuracy == 2 / 3
    explained = explain_readings(gold, said, "corr2cause", "corr2cause-gpt")
    assert [row["id"] for row in explained.answers] == ["0", "1"]


# --------------------------------------------------------------------------------------- protocols


CLADDER = asked(["yes", "no"] * 3, rung=[1, 1, 2, 2, 3, 3], sensical=[1, 1, -1, -1, 0, 0])
SAID = ["Yes, because", "no.", "yes", "Nothing follows", "not sure", "NO"]


def test_cladder_as_published():
    report = fc.classify(CLADDER, told(SAID), protocol="cladder")
    assert report["overall"].accuracy == 0.8333333333333334
    parts = {name: groups["overall"].accuracy for name, groups in report.subsets.items()}
    assert parts == {"rung=1": 1, "rung=2": 1, "rung=3": 0.5,
                     "sensical=-1": 1, "sensical=0": 0.5, "sensical=1": 1}  # fmt: skip
    fifth = [*SAID[:4], "yes", SAID[5]]
    assert fc.classify(CLADDER, told(fifth), protocol="cladder")["overall"].accuracy == 1
    said = told([*SAID[:4], "The answer is yes", SAID[5]])
    with pytest.raises(fc.InputError, match='row 4: id "4": the answer "The answer is yes" names'):
        fc.classify(CLADDER, said, protocol="cladder")
    report = fc.classify(CLADDER, said, protocol="cladder-gpt")
    assert (report["overall"].accuracy, report.n_unparsed) == (0.8333333333333334, 1)
    assert report.unread["unparsed"] == [{"id": "4", "answer": "The answer is yes"}]
    # An answer that is missing drops out of both.
    assert fc.classify(CLADDER, told(SAID)[:5], protocol="cladder")["overall"].accuracy == 0.8


def test_columns_within_meta_and_within_ids():
    gold = [{"question_id": k, "answer": "yes", "meta": {"query": {"rung": k % 2}}, "sensical": 0}
            for k in range(4)]  # fmt: skip
    report = fc.classify(gold, {str(k): "Yes" for k in range(4)}, protocol="cladder")
    assert [*report.subsets] == ["rung=0", "rung=1", "sensical=0"]
    gold = [{"id": f"num_nodes={k}__causal_relation=child__x=1", "relation": "neutral"}
            for k in (2, 3)]  # fmt: skip
    report = fc.classify(gold, {row["id"]: "no" for row in gold}, protocol="corr2cause")
    assert [*report.subsets] == ["num_nodes=2", "num_nodes=3", "causal_relation=child"]


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ([0, 1, 0, 1], {"0": 0, "1": 0, "2": 0}, 0.5),
        ([0, 1], {"0": "0", "1": 1}, 0.5),
        ([0, 1], {"0": 0.0, "1": True}, 1),
        ([0], {}, 0),
    ],
)
def test_e_care_as_published(tmp_path, gold, pred, expected):
    path = tmp_path / "submission.json"
    path.write_text(json.dumps(pred))
    for source in (pred, path):
        assert fc.classify(asked(gold), source, protocol="e-care")["overall"].accuracy == expected
    with pytest.raises(fc.InputError, match='id "9" is of no question'):
        fc.classify(asked(gold), {**pred, "9": 1}, protocol="e-care")


@pytest.mark.parametrize(
    ("gold", "pred", "expected"),
    [
        ("ecccc", "eeccc", (66.67, 50, 100, 80)),
        ("eeec", "eecc", (66.67, 50, 100, 75)),
        ("eecc", "ecce", (50, 50, 50, 50)),
        ("eecc", "eeec", (66.67, 100, 50, 75)),
        ("ccc", "cce", (0, 0, 0, 66.67)),
        ("ccc", "ccc", (100, 100, 100, 100)),
    ],
)
def test_corr2cause_as_published(gold, pred, expected):
    long = {"e": "entailment", "c": "contradiction"}
    report = fc.classify(asked([long[each] for each in gold]), told([long[p] for p in pred]),
                         protocol="corr2cause")  # fmt: skip
    group = report["rarer"]
    found = (group.f1, group.precision, group.recall, report["overall"].accuracy)
    assert tuple(round(100 * each, 2) for each in found) == expected
    assert oracle.rarer([*gold], [*pred]) == expected


def test_copa_takes_the_higher_score():
    gold = [{"idx": 0, "label": 1, "language": "et"}, {"idx": 1, "label": 0, "language": "et"},
            {"idx": 2, "label": 0, "language": "th"}]  # fmt: skip
    pred = [{"idx": 0, "score_1": -3.5, "score_2": -3.25}, {"idx": 1, "score_1": 2, "score_2": 2},
            {"idx": 2, "score_1": 1, "score_2": 2}]  # fmt: skip
    report = fc.classify(gold, pred, protocol="copa")
    assert report["overall"].accuracy == 2 / 3
    assert report.means["language"]["overall"].accuracy == 0.5
    assert report.warnings == ("1 answers have several highest scores: the first of them counts",)
    three = [{**row, "score_3": 0} for row in pred]
    with pytest.raises(fc.InputError, match="the answer null names no option"):
        fc.classify(gold, [{**three[0], "score_2": None}, *three[1:]], protocol="copa")


# ------------------------------------------------------------------------------------- the report


def test_the_report_shows_what_was_read():
    report = fc.classify(CLADDER, told(SAID)[:5], answers="binary", by="rung")
    values = report.to_dict()
    assert [values[name] for name in ("n", "n_read", "n_unparsed", "n_missing")] == [6, 3, 2, 1]
    assert values["unread"] == {
        "unparsed": [{"id": "3", "answer": "Nothing follows"}, {"id": "4", "answer": "not sure"}],
        "missing": ["5"],
    }
    scores = {name: group.get("accuracy") for name, group in values["scores"].items()}
    assert scores["overall"] == 0.5
    assert (scores["read"], scores["majority"]) == (1, 0.5)
    assert {n: s for n, s in scores.items() if n.startswith("as_")} == {
        "as_cladder": 4 / 6, "as_cladder-gpt": 4 / 6, "as_corr2cause": 4 / 6,
        "as_corr2cause-gpt": 4 / 6, "as_same": 1 / 6,
    }  # fmt: skip
    assert values["subsets"]["rung=2"]["overall"]["accuracy"] == 0.5
    text = str(report)
    assert "as_cladder-gpt" in text
    assert "3: 'Nothing follows'" in text
    assert "5: no answer" in text
    assert "unparsed=wrong: 2 of 6 answers name no option (33.3%) and count as wrong" in text


def test_statistics_hold_all_of_it(tmp_path):
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    said = [told(SAID), told(["No"] * 5)]
    reports = [
        fc.classify(CLADDER, each, answers="binary", unmatched="skip", per_example=path)
        for each, path in zip(said, paths, strict=True)
    ]
    for report, path in zip(reports, paths, strict=True):
        again = fc.Statistics.read(path).report("rung")
        assert again.to_dict()["scores"] == report.to_dict()["scores"]
        assert again.unread == report.unread
    first = fc.Statistics.read(paths[0])
    merged = first.take([0, 1, 2]).merge(first.take([3, 4, 5]))
    assert merged.report().to_dict()["scores"] == reports[0].to_dict()["scores"]
    compared = fc.compare(*paths, "as_cladder_accuracy").to_dict()
    row = compared["scores"]["as_cladder_accuracy"]
    assert (row["a"], row["b"]) == (reports[0]["as_cladder"].accuracy,
                                    reports[1]["as_cladder"].accuracy)  # fmt: skip
    intervals = reports[0].with_intervals(by="rung").to_dict()["intervals"]
    assert intervals["scores"]["overall"]["accuracy"][0] < reports[0]["overall"].accuracy
    weights = [[2, 0, 0, 1, 0, 0]]
    drawn = fc.classify(
        [{**CLADDER[k], "id": n} for n, k in enumerate((0, 0, 3))],
        told([SAID[k] for k in (0, 0, 3)]),
        answers="binary",
    )
    expected = drawn.statistics.scores()
    for name, values in first.scores(weights).items():
        assert values.tolist() == pytest.approx(expected[name].tolist(), nan_ok=True), name


def test_a_sweep_of_answers(tmp_path):
    for name, texts in {"a": SAID, "b": ["no"] * 6}.items():
        rows = told(texts)
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)))
    gold = tmp_path / "gold.json"
    gold.write_text(json.dumps(CLADDER))
    runs = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    swept = fc.sweep(gold, runs, tmp_path / "out", task="classify",
                     options={"protocol": "cladder"}, by="rung")  # fmt: skip
    rows = {(r["run"], r["subset"]): r["accuracy"] for r in swept.to_arrow().to_pylist()
            if r["group"] == "overall"}  # fmt: skip
    assert (rows["a", "all"], rows["b", "all"]) == (0.8333333333333334, 0.5)
    assert rows["a", "rung=3"] == 0.5


def test_answers_in_a_log():
    def replied(text):
        body = {"choices": [{"message": {"role": "assistant", "content": text}}]}
        return {"status_code": 200, "body": body}

    rows = [{"custom_id": str(k), "response": replied(text)} for k, text in enumerate(SAID[:5])]
    rows.append({"custom_id": "5", "response": None, "error": {"code": "batch_expired"}})
    report = fc.classify(CLADDER, rows, answers="binary")
    assert (report.n_read, report.n_unparsed, report.n_missing) == (3, 3, 0)
    assert report["overall"].accuracy == 0.5
    assert report.unread["unparsed"][-1] == {"id": "5", "answer": None}


def test_explain_lists_the_answers_that_differ(tmp_path):
    explained = explain_readings(CLADDER, told(SAID), "first-word", "cladder")
    assert [row["id"] for row in explained.answers] == ["3", "4"]
    assert explained.answers[1] == {"id": "4", "answer": "not sure", "gold": "yes",
                                    "first-word": None, "cladder": "no"}  # fmt: skip
    paths = [tmp_path / "gold.json", tmp_path / "pred.json"]
    for path, rows in zip(paths, (CLADDER, told(SAID)), strict=True):
        path.write_text(json.dumps(rows))
    out, _ = cli("explain", *paths, "--from", "first-word", "--to", "cladder", "--json")
    assert json.loads(out) == json.loads(json.dumps(explained.to_dict()))
    assert "4: 'not sure'" in cli("explain", *paths, "--to", "cladder")[0]
    for other, message in (("letter", "different kinds"), ("first-word", "expected two")):
        _, error = cli("explain", *paths, "--from", "first-word", "--to", other, expect=2)
        assert message in error


# ---------------------------------------------------------------------------------- drawn files


KINDS = {
    "binary": (["yes", "no"], {"yes": "yes", "no": "no"}),
    "letter": (["A", "B", "C"], {"A": "A", "B": "B", "C": "C"}),
    "choice": ([0, 1], {0: "0", 1: "1"}),
}
WORDS = ["Yes", "yes", "NO", "no", "Nope", "none ", "None of them", "Neither ", "true", "True.",
         "necessarily true", "must be true", "Yesterday", "Answer: yes", '"Yes"', "**No**", "A",
         "B.", "(C)", "D", "Above", "b", "as a model", "I'm sorry no", "", " ", "é", "no\nyes",
         '"', "null", "0", "1", "1.0"]  # fmt: skip


def drawn(rng, kind):
    """Questions and answers by id, hostile in their texts, their order and their gaps."""
    labels, forms = KINDS[kind]
    n = rng.randint(1, 9)
    ids = rng.sample([*map(str, range(20)), "a,b", 'q"1', "é", " x"], n)
    gold = {id: rng.choice(labels) for id in ids}
    gold[ids[0]] = labels[-1]
    answers = labels + WORDS if kind != "choice" else [0, 1, 1.0, True, "0", 2, None, "x"]
    texts = [" ".join(rng.choices(answers, k=rng.randint(1, 2))) if kind != "choice"
             and rng.random() < 0.5 else rng.choice(answers) for _ in ids]  # fmt: skip
    pred = {id: text for id, text in zip(ids, texts, strict=True) if rng.random() < 0.85}
    if rng.random() < 0.2:
        pred["surplus"] = rng.choice(answers)
    return gold, dict(rng.sample([*pred.items()], len(pred))), forms


def written(rng, path, rows, form):
    """Write rows by id as JSON, JSON lines or CSV."""
    rows = [*rows]
    if form == "csv":
        with path.open("w", newline="", encoding=rng.choice(["utf-8", "utf-8-sig"])) as file:
            table = csv.DictWriter(file, ["id", *[k for k in rows[0] if k != "id"]])
            table.writeheader()
            table.writerows(rows)
    else:
        lines = [json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in rows]
        path.write_text("\n".join(lines) if form == "jsonl" else f"[{', '.join(lines)}]",
                        encoding="utf-8")  # fmt: skip
    return path


def check(rng, folder):
    kind = rng.choice([*KINDS])
    gold, pred, forms = drawn(rng, kind)
    form = rng.choice(["csv", "jsonl", "json"]) if kind != "choice" and pred else "jsonl"
    reading = rng.choice([name for name, rule in READINGS.items() if kind in rule.kinds])
    policies = rng.choice(["wrong", "skip", "error"]), rng.choice(["wrong", "skip", "error"])
    rows = [{"id": id, "label": label} for id, label in gold.items()]
    said = [{"answer": answer, "id": id} for id, answer in pred.items()]
    files = (
        written(rng, folder / f"gold.{form}", rows, form),
        written(rng, folder / f"pred.{form}", said, form) if said else {},
    )
    settings = {"answers": kind, "read": reading, "unparsed": policies[0], "unmatched": policies[1]}
    try:
        expected = oracle.scored(gold, pred, forms, reading, policies)
        read = [oracle.READINGS[reading](pred[id], forms) for id in gold if id in pred]
        if read and not any(read):
            raise ValueError("unread")
        if "surplus" in pred and policies[1] == "error":
            raise ValueError("surplus")
    except ValueError:
        with pytest.raises(fc.InputError, match=r"names no option|have no answer|are to no quest"):
            fc.classify(*files, **settings)
        return
    report = fc.classify(*files, **settings)
    values = report.to_dict()
    found = {name: values[name] for name in ("n", "n_unparsed", "n_missing")}
    found["accuracy"] = values["scores"]["overall"]["accuracy"]
    found["of_read"] = values["scores"]["read"]["accuracy"]
    found["majority"] = values["scores"]["majority"]["accuracy"]
    assert found == expected, (gold, pred, settings)
    for name, rule in READINGS.items():
        if name != reading and kind in rule.kinds and "error" not in policies:
            other = oracle.scored(gold, pred, forms, name, policies)["accuracy"]
            assert values["scores"][f"as_{name}"]["accuracy"] == other, (gold, pred, name)


def test_drawn_answers_against_the_oracle(tmp_path):
    for seed in range(60):
        check(random.Random(seed), tmp_path)


@pytest.mark.slow
def test_many_drawn_answers_against_the_oracle(tmp_path):
    for seed in range(60, 1000):
        check(random.Random(seed), tmp_path)


# ------------------------------------------------------------------------------------------ errors


@pytest.mark.parametrize(
    ("gold", "pred", "settings", "message"),
    [
        (asked(["maybe"]), told(["no"]), {}, 'row 0: "label" is "maybe", expected one of no, yes'),
        (asked([None]), told(["no"]), {}, 'no "label", expected a label'),
        (asked(["yes"]) * 2, told(["no"]), {}, 'id "0" occurs twice'),
        (asked(["yes"]), told(["no"]) * 2, {}, 'id "0" occurs twice'),
        ([{"label": "yes", "x": 1}], told(["no"]), {}, 'no column "id" or "index"'),
        (asked(["yes"]), [{"id": 0, "text": "no"}], {}, 'no column "answer" or "pred"'),
        (["yes", "no"], ["yes"], {}, "no ids to join by: 2 questions, 1 answers"),
        (asked(["AB"]), told(["A"]), {"answers": "letter"}, '"label" is "AB", expected one of'),
        (asked(["A", "C"]), told(["A"]), {"answers": "letter", "labels": ["A", "B"]},
         '"label" is "C", expected one of A, B'),
        (asked(["missing"]), told(["x"]), {"answers": "choice"}, 'an option is named "missing"'),
    ],
)  # fmt: skip
def test_bad_files(gold, pred, settings, message):
    with pytest.raises(fc.InputError, match=message.replace("(", r"\(")):
        fc.classify(gold, pred, **{"answers": "binary", **settings})


def test_bad_settings():
    for settings, message in (
        ({"read": "letter"}, 'read is "letter", expected one of first-word'),
        ({"unparsed": "empty"}, 'unparsed is "empty", expected one of wrong'),
        ({"positive": "yes"}, "positive is not for answers"),
        ({"labels": ["yes", "no"]}, "labels are for letters and choices"),
        ({"by": "nothing"}, 'no column "nothing"'),
    ):
        with pytest.raises(ValueError, match=message):
            fc.classify(["yes"], ["yes"], answers="binary", **settings)
    with pytest.raises(ValueError, match="read is 'same', expected answers or a protocol"):
        fc.classify(["yes"], ["yes"], read="same")
