"""Predictions of several systems in one file, and several answers to an item."""

from __future__ import annotations

import csv
import io
import json
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fastcausal import sample
from fastcausal.formats.ranked import FileRows, split_file
from tests.oracles import runs
from tests.support.cli import cli
from tests.support.profiles import trials

TEXT = "a b c d e f g h"
# Spans that lie apart: two of these relations are equal or have nothing in common.
RELATIONS = [{"cause": a, "effect": b} for a, b in ("ab", "cd", "ef", "gh")]
ITEMS = st.lists(st.sampled_from(range(4)), unique=True, max_size=3)
POLICY = ["--unparsed", "empty", "--unmatched", "empty"]


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def example(id, relations, **columns):
    made = [RELATIONS[k] for k in relations]
    return {**columns, "id": id, "text": TEXT, "relations": made}


def printed(*arguments, expect=0):
    return json.loads(cli(*arguments, "--json", expect=expect)[0])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("answers")


@trials(40)
@given(
    items=st.lists(st.tuples(ITEMS, st.lists(ITEMS, min_size=1, max_size=3)), min_size=1,
                   max_size=4),
    seed=st.integers(0, 99),
)  # fmt: skip
def test_rules_of_several_answers_equal_the_oracle(folder, items, seed):
    gold = write(folder / "gold.jsonl", [example(f"q{k}", g) for k, (g, _) in enumerate(items)])
    rows = [
        example(f"q{k}", answer, run=f"r{a}")
        for k, (_, answers) in enumerate(items)
        for a, answer in enumerate(answers)
    ]
    random.Random(seed).shuffle(rows)  # ranks are by the order in the file
    pred = write(folder / "pred.jsonl", rows)
    given = {id: [row["relations"] for row in each] for id, each in runs.answers_in(rows).items()}
    wanted = {f"q{k}": [RELATIONS[n] for n in g] for k, (g, _) in enumerate(items)}

    def counts(chosen):
        """Right, predicted and gold relations of pairs of an answer and an item."""
        tp = sum(r in wanted[id] for id, answer in chosen for r in answer)
        return (
            tp,
            sum(len(answer) for _, answer in chosen),
            sum(len(wanted[id]) for id, _ in chosen),
        )

    best = {id: runs.best_of(each, wanted[id]) for id, each in given.items()}
    expected = {
        "mean": counts([(id, answer) for id, each in given.items() for answer in each]),
        "first": counts([(id, each[0]) for id, each in given.items()]),
        "best": counts([(id, answer) for id, (answer, _) in best.items()]),
        "majority": counts([(id, runs.majority_of(each)) for id, each in given.items()]),
    }
    command = ["score", gold, pred, "--protocol", "relations", "--iou", "1", "--sample", "run"]
    for over, (tp, n_pred, n_gold) in expected.items():
        found = printed(*command, "--over", over)["scores"]["exact"]
        assert found["f1"] == pytest.approx(runs.f1_of(tp, n_pred, n_gold)), over
        assert found["tp"] == tp
    for over in ("pass@1", "pass^1"):
        found = printed(*command, "--over", over)["scores"]["overall"]
        values = [runs.value_over(own, over) for _, own in best.values()]
        assert next(iter(found.values())) == pytest.approx(float(sum(values) / len(values)))
    if len({len(each) for each in given.values()}) == 1:
        found = printed(*command, "--over", "max")["scores"]["overall"]
        assert next(iter(found.values())) == pytest.approx(
            sum(max(own) for _, own in best.values()) / len(best)
        )


def test_the_first_of_equally_good_answers_is_the_best(tmp_path):
    gold = write(tmp_path / "gold.jsonl", [example("q", [0]), example("r", [])])
    made = {"q": ([1], [1, 2], [3]), "r": ([], [])}  # F1 of q is 0, of r 0/0
    rows = [example(id, r, k=k) for id, each in made.items() for k, r in enumerate(each)]
    pred = write(tmp_path / "pred.jsonl", rows)
    command = ["score", gold, pred, "--protocol", "relations", "--sample", "k", "--over"]
    assert printed(*command, "best")["scores"]["exact"]["predicted"] == 1
    assert next(iter(printed(*command, "pass@1")["scores"]["overall"].values())) == 0.5


def predictions(chance, kind):
    """Gold, and rows of three systems, of one kind."""
    ids = [f"q{k}" for k in range(30)]
    if kind == "relations":
        gold = [example(id, chance.sample(range(4), 2)) for id in ids]
        rows = [
            example(id, chance.sample(range(4), chance.randint(0, 3)), model=m)
            for m in ("a", "b", "c") for id in ids
        ]  # fmt: skip
    elif kind == "answers":
        gold = [example(id, chance.sample(range(4), 2)) for id in ids]
        rows = [
            {"model": m, "id": id, "said": json.dumps({"relations": [
                RELATIONS[k] for k in chance.sample(range(4), 2)]})}
            for m in ("a", "b", "c") for id in ids
        ]  # fmt: skip
    elif kind == "labels":
        gold = [{"id": id, "label": chance.randint(0, 1)} for id in ids]
        rows = [
            {"model": m, "id": id, "label": chance.randint(0, 1)} for m in ("a", "b", "c")
            for id in ids
        ]  # fmt: skip
    else:
        gold = [
            {"id": id, "question": "Why?", "answers": {"text": ["rain fell"]}, "context": "rain"}
            for id in ids
        ]  # fmt: skip
        rows = [
            {"model": m, "id": id, "prediction_text": chance.choice(("rain", "rain fell", "sun"))}
            for m in ("a", "b", "c") for id in ids
        ]  # fmt: skip
    chance.shuffle(rows)
    return gold, rows


OPTIONS = {
    "relations": [],
    "answers": ["--answers", "said"],
    "labels": ["--task", "classify"],
    "questions": ["--task", "qa"],
}
OF_TASK = {"relations": ["score"], "answers": ["score", "--answers", "said"],
           "labels": ["classify"], "questions": ["qa"]}  # fmt: skip


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_systems_of_one_file_equal_one_file_each(tmp_path, kind, suffix):
    gold, rows = predictions(random.Random(1), kind)
    gold = write(tmp_path / "gold.jsonl", gold)
    if suffix == ".parquet":
        pred = tmp_path / "all.parquet"
        pq.write_table(pa.Table.from_pylist(rows), pred)
    else:
        pred = write(tmp_path / "all.jsonl", rows)
    files = [
        write(tmp_path / f"{name}.jsonl", part)
        for name, part in sorted(runs.systems_in(rows, "model").items())
    ]
    names = [*runs.systems_in(rows, "model")]
    order = [files["abc".index(name)] for name in names]
    of, both = ["--system", "model"], ["--min-delta", "-1"]
    [command, *more] = OF_TASK[kind]
    for one, each in (
        ([command, gold, pred, *of, *more], [command, gold, *order, *more]),
        (["compare", gold, pred, *of, "--pick", "a,b", *OPTIONS[kind]],
         ["compare", gold, *files[:2], *OPTIONS[kind]]),
        (["leaderboard", gold, pred, *of, *OPTIONS[kind]],
         ["leaderboard", gold, *order, *OPTIONS[kind]]),
        (["gate", gold, pred, *of, *both, "--baseline", "a", "--candidate", "b", *OPTIONS[kind]],
         ["gate", gold, *both, "--baseline", files[0], "--candidate", files[1], *OPTIONS[kind]]),
    ):  # fmt: skip
        score = ["--score", "positive_f1"] if kind == "labels" and one[0] != command else []
        score = ["--score", "overall_f1"] if kind == "questions" and one[0] != command else score
        score += ["--n-resamples", "100"] if one[0] in ("compare", "leaderboard") else []
        status = None if one[0] == "gate" else 0
        assert printed(*one, *score, expect=status) == printed(*each, *score, expect=status)
    options = [*OPTIONS[kind], "--out"]
    cli("sweep", gold, pred, *of, *options, tmp_path / "one")
    cli("sweep", gold, pred, "--run-column", "model", *options, tmp_path / "alias")
    cli("sweep", gold, *files, *options, tmp_path / "each")
    swept = [pq.read_table(tmp_path / n / "scores.parquet") for n in ("each", "one", "alias")]
    assert swept[0] == swept[1] == swept[2]
    assert " 3 kept" in cli("sweep", gold, pred, *of, *options, tmp_path / "one")[0]
    if kind in ("labels", "questions"):
        of_three = cli(command, gold, pred, *of, *more, "--per-example", tmp_path / "one.parquet")
        assert of_three == cli(
            command, gold, *order, *more, "--per-example", tmp_path / "x.parquet"
        )
        one, each = (pq.read_table(tmp_path / f"{n}.parquet") for n in ("one", "x"))
        assert one.equals(each)


def test_tagged_sentences_of_csv_are_split_with_their_lines(tmp_path):
    rows = [*csv.DictReader(io.StringIO(sample.GOLD.read_text()))]
    lines = io.StringIO()
    writer = csv.DictWriter(lines, ["model", *rows[0]])
    writer.writeheader()
    for row in rows:
        for name in ("a", "b"):
            writer.writerow({"model": name, **row})
    pred = tmp_path / "all.csv"
    pred.write_text(lines.getvalue())
    found = printed("score", sample.GOLD, pred, "--system", "model")["systems"]
    assert [found[name]["scores"]["overall"]["f1"] for name in "ab"] == [1, 1]
    assert found["a"] == printed("score", sample.GOLD, sample.GOLD) | {
        key: found["a"][key] for key in ("warnings", "hints") if key in found["a"]
    }
    # A message has the line in the whole file.
    part = split_file(pred, "model")["b"].sources[0]
    assert part.data.count(b"\n") == pred.read_bytes().count(b"\n")
    assert [*FileRows(part).records.lines] == [*FileRows(pred).records.lines][1::2]


def test_the_first_answers_alone_have_reasons_and_matches(tmp_path):
    gold = write(tmp_path / "gold.jsonl", [example("q", [0]), example("r", [1])])
    rows = [example(id, [k], k=k) for k in (0, 1) for id in "qr"]
    pred, first = (write(tmp_path / f"{n}.jsonl", rows[:n]) for n in (4, 2))
    written = tmp_path / "m.csv"
    found = [
        (cli("score", gold, *of, "--matches", written)[0], written.read_text())
        for of in ((pred, "--sample", "k", "--over", "first"), (first,))
    ]
    assert found[0] == found[1]


def labels(tmp_path, answers):
    gold = write(tmp_path / "gold.jsonl", [{"id": i, "label": g} for i, (g, _) in answers.items()])
    rows = [
        {"sample": k, "id": id, "label": label}
        for k in range(3)
        for id, (_, each) in answers.items()
        for label in each[k : k + 1]
    ]
    return gold, write(tmp_path / "pred.jsonl", rows)


def test_labels_of_several_answers(tmp_path):
    answers = {"a": (1, [1, 0, 0]), "b": (0, [1, 0]), "c": (1, [1, 1, 1]), "d": (0, [0])}
    gold, pred = labels(tmp_path, answers)
    of = ["--sample", "sample"]
    expected = {
        "mean": (1 + 1 + 3 + 1) / 9,
        "first": 3 / 4,
        "best": 4 / 4,
        "majority": sum(runs.label_of(each) == g for g, each in answers.values()) / 4,
    }
    for over, accuracy in expected.items():
        found = printed("classify", gold, pred, *of, "--over", over)
        assert found["scores"]["overall"]["accuracy"] == accuracy, over
        command = ["gate", gold, "--candidate", pred, "--task", "classify", *of, "--over", over]
        floor = printed(*command, "--min", "overall_accuracy=0.1", "--point", expect=None)
        assert floor["floors"][0]["value"] == accuracy
    found = printed("classify", gold, pred, *of, "--over", "pass@1")
    share = (1 / 3 + 1 / 2 + 1 + 1) / 4
    assert next(iter(found["scores"]["overall"].values())) == pytest.approx(share)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_of_any_end_are_split(tmp_path, end):
    """CSV also takes a carriage return alone as the end of a line."""
    rows = ["id,model,label", "q1,a,x", "q2,a,y", "q1,b,x", "q2,b,x", ""]
    (tmp_path / "pred.csv").write_text(end.join(rows), newline="")
    (tmp_path / "gold.csv").write_text("id,label\nq1,x\nq2,y\n")
    files = tmp_path / "gold.csv", tmp_path / "pred.csv"
    systems = printed("classify", *files, "--system", "model")["systems"]
    accuracies = [systems[name]["scores"]["overall"]["accuracy"] for name in "ab"]
    assert accuracies == [1.0, 0.5]


def test_answers_are_drawn_with_their_items(tmp_path):
    """Each answer given twice tells nothing more: the interval stays as it is for one."""
    chance = random.Random(2)
    answers = {f"q{k}": (chance.randint(0, 1), [chance.randint(0, 1)] * 2) for k in range(40)}
    gold, pred = labels(tmp_path, answers)
    once = write(
        tmp_path / "once.jsonl", [{"id": id, "label": each[0]} for id, (_, each) in answers.items()]
    )
    twice, single = (
        printed("classify", gold, *given, "--intervals")["intervals"]["scores"]["overall"]
        for given in ((pred, "--sample", "sample"), (once,))
    )
    # Shares of single units have an interval of their own, which is close.
    assert twice["accuracy"] == pytest.approx(single["accuracy"], abs=0.01)
    # So does a comparison: an item is one unit, whatever the number of its answers.
    right = [{"id": id, "sample": 0, "label": g} for id, (g, _) in answers.items()]
    other = write(tmp_path / "other.jsonl", right)
    options = ["--task", "classify", "--score", "overall_accuracy"]
    both = printed("compare", gold, pred, other, *options, "--sample", "sample")
    alone = printed("compare", gold, once, other, *options)
    assert both["n_units"] == alone["n_units"] == 40
    for name in ("a", "b", "delta"):
        found, expected = (each["scores"]["overall_accuracy"][name] for each in (both, alone))
        assert found == pytest.approx(expected, abs=1e-9), name


def joined(path, column, files):
    """Write rows of several files into one, with a column of the names of these."""
    rows = [
        {column: name, **json.loads(line)}
        for name, file in files.items()
        for line in file.read_text().splitlines()
    ]
    return write(path, rows)


def test_crab_has_systems_and_answers(tmp_path):
    gold = sample.CRAB_GOLD
    rows = [json.loads(line) for line in sample.CRAB_SCORES["careful"].read_text().splitlines()]
    turned = [row | {"prediction": rows[-k]["prediction"]} for k, row in enumerate(rows, 1)]
    files = {
        name: write(tmp_path / f"{name}.jsonl", given)
        for name, given in (("careful", rows), ("turned", turned))
    }
    command = ["crab", "pairwise", gold, "--unparsed", "empty", "--unmatched", "empty"]
    alone = {name: printed(*command, file) for name, file in files.items()}
    systems = printed(*command, joined(tmp_path / "all.jsonl", "model", files), "--system", "model")
    assert systems["systems"] == alone
    repeated = joined(tmp_path / "k.jsonl", "k", files)
    found = printed(*command, repeated, "--sample", "k")
    right = sum(each["scores"]["overall"]["accuracy"] for each in alone.values()) / 2
    assert found["scores"]["overall"]["accuracy"] == pytest.approx(right)
    first = printed(*command, repeated, "--sample", "k", "--over", "first")
    assert first["scores"] == alone["careful"]["scores"]


def test_pairs_of_events_have_systems_and_answers(tmp_path):
    gold, [careful, hasty] = sample.PAIRS_GOLD, [sample.PAIRS[n] for n in ("careful", "hasty")]
    header, *rows = careful.read_text().splitlines()
    others = hasty.read_text().splitlines()[1:]
    both = tmp_path / "both.csv"
    lines = [f"run,{header}", *(f"x,{r}" for r in rows), *(f"y,{r}" for r in others)]
    both.write_text("\n".join(lines) + "\n")
    each = [printed("eci", gold, path) for path in (careful, hasty)]
    found = printed("eci", gold, both, "--system", "run")["systems"]
    assert [found[name] for name in "xy"] == each
    pooled = printed("eci", gold, both, "--sample", "run")["scores"]["exists"]["overall"]
    for name in ("tp", "predicted", "gold"):
        assert pooled[name] == sum(report["scores"]["exists"]["overall"][name] for report in each)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--system", "model"], "--sample COLUMN would tell the answers to an item"),
        ([], "--sample COLUMN would tell the answers to an item"),
        (["--sample", "no"], 'no column "no"'),
        (["--sample", "model", "--reasons", "x.csv"], "--reasons is for one answer to an example"),
        (["--sample", "model", "--over", "pass@3"], "expected at least 3 for pass@3"),
        (["--sample", "model", "--over", "often"], 'over is "often"'),
    ],
)
def test_messages(tmp_path, options, message):
    gold = write(tmp_path / "gold.jsonl", [example("q", [0])])
    rows = [example("q", [k], model=m) for k, m in enumerate("aabb")]
    if "--sample" in options:
        rows = rows[1:3]
    pred = write(tmp_path / "pred.jsonl", rows)
    said = cli("score", gold, pred, *options, expect=2)[1]
    assert message in " ".join(said.split())


def batch(path, answers, model="m"):
    """Write a batch of OpenAI: a line for each request, with a choice for each answer."""
    rows = []
    for id, texts in answers.items():
        choices = [{"message": {"role": "assistant", "content": text}} for text in texts]
        response = {"status_code": 200, "body": {"model": model, "choices": choices}}
        rows.append({"custom_id": id, "response": response, "error": None})
    return write(path, rows)


def said(*numbers):
    return json.dumps({"relations": [RELATIONS[k] for k in numbers]})


def test_choices_and_epochs_of_logs_are_answers(tmp_path):
    gold = write(tmp_path / "gold.jsonl", [example(f"q{k}", [0, 1]) for k in range(3)])
    answers = {f"q{k}": [said(0, 1), said(0), said(k)] for k in range(3)}
    choices = batch(tmp_path / "choices.jsonl", answers)
    repeated = [
        {"id": id, "epoch": e, "input": TEXT, "scores": {}, "output": {"choices": [
            {"message": {"role": "assistant", "content": text}}]}}
        for id, texts in answers.items() for e, text in enumerate(texts, 1)
    ]  # fmt: skip
    epochs = write(tmp_path / "epochs.jsonl", repeated)
    table = write(
        tmp_path / "table.jsonl",
        [{"id": i, "k": k, "said": t} for i, texts in answers.items() for k, t in enumerate(texts)],
    )
    for over in ("mean", "first", "best", "majority", "pass@2"):
        of_table = printed(
            "score", gold, table, "--answers", "said", "--sample", "k", "--over", over
        )
        for log in (choices, epochs):
            found = printed("score", gold, log, "--over", over)
            assert found["scores"]["overall"] == of_table["scores"]["overall"], (log, over)


def test_models_of_one_log_are_systems(tmp_path):
    gold = write(tmp_path / "gold.jsonl", [example(f"q{k}", [0, 1]) for k in range(3)])
    files = [
        batch(tmp_path / f"{name}.jsonl", {f"q{k}": [said(0, n)] for k in range(3)}, name)
        for n, name in enumerate(("small", "large"))
    ]
    both = tmp_path / "both.jsonl"
    both.write_text("".join(file.read_text() for file in files))
    assert printed("score", gold, both, "--system", "model") == printed("score", gold, *files)
