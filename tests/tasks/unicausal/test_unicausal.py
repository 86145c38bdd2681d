"""UniCausal's tasks against worked numbers, scikit-learn, seqeval and an oracle of its files."""

from __future__ import annotations

import csv
import json
import random
import warnings

import pytest
from seqeval import metrics as seqeval
from sklearn import metrics

import fastcausal as fc
from tests.oracles import unicausal as oracle
from tests.support.cli import cli

ROW = {"corpus": "altlex", "doc_id": "d", "eg_id": 0, "text": "a", "text_w_pairs": "a",
       "pair_label": 0, "context": "", "num_sents": 1}  # fmt: skip
TASKS = ("unicausal-seq", "unicausal-pair")


def sentences(labels, **columns):
    return [{**ROW, "sent_id": k, "index": f"s{k}", "seq_label": label, **columns}
            for k, label in enumerate(labels)]  # fmt: skip


def pairs(texts, **columns):
    return [{**ROW, "sent_id": k, "index": f"s{k}", "seq_label": 1, "pair_label": 1, "text": "",
             "text_w_pairs": text, **columns} for k, text in enumerate(texts)]  # fmt: skip


# ------------------------------------------------------------------------------- worked examples


def test_labels_by_hand():
    report = fc.classify(sentences([1, 1, 1, 0, 0, 0, 0, 0]), [1, 1, 0, 1, 0, 0, 0, 0],
                         protocol="unicausal-seq")  # fmt: skip
    assert report["overall"].accuracy == 0.75
    assert report["overall"].mcc == 0.4666666666666667
    assert [round(report["macro"][name], 6) for name in ("precision", "recall", "f1")] == [
        0.733333, 0.733333, 0.733333,
    ]  # fmt: skip
    assert report["weighted"].f1 == pytest.approx(0.75, abs=1e-15)
    assert round(report["positive"].f1, 6) == 0.666667
    nothing = fc.classify(sentences([0, 0, 1]), [0, 0, 0], protocol="unicausal-seq")
    found = [round(nothing["macro"][name], 6) for name in ("precision", "recall", "f1")]
    found += [round(nothing["weighted"][name], 6) for name in ("precision", "recall", "f1")]
    assert found == [0.333333, 0.5, 0.4, 0.444444, 0.666667, 0.533333]
    assert (nothing["overall"].mcc, nothing["positive"].f1) == (0, 0)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("B-C I-C O I-E I-E", (1, 1, 1, 0.8)),
        ("B-C O O B-E I-E", (0.5, 0.5, 0.5, 0.8)),
        ("B-C B-C O B-E I-E", (0.3333333333333333, 0.5, 0.4, 0.8)),
    ],
)
def test_spans_by_hand(tags, expected):
    gold = pairs(["<ARG0>a b</ARG0> c <ARG1>d e</ARG1>"])
    report = fc.score(gold, [{"index": "s0", "prediction": tags.split()}], "unicausal-span")
    overall = report["overall"]
    found = tuple(overall[name] for name in ("precision", "recall", "f1", "accuracy"))
    assert found == pytest.approx(expected, abs=1e-15)


def test_entities_end_with_their_example_and_corpora_without_a_task_are_left_out():
    gold = pairs(["<ARG0>a</ARG0>", "<ARG0>b</ARG0>"])
    tags = [{"index": f"s{k}", "prediction": ["I-C"]} for k in range(2)]
    assert fc.score(gold, tags, "unicausal-span")["overall"].f1 == 1
    mixed = [*pairs(["a", "b"], corpus="esl"), {**gold[0], "index": "c"}]
    report = fc.classify(mixed, {"index": ["c"], "label": [1]}, protocol="unicausal-pair")
    assert report.n_examples == 1
    assert report.warnings == (
        "2 rows of corpora that unicausal-pair does not score (esl) are left out",
    )


def test_an_argument_of_one_word_runs_on():
    gold = pairs(["<ARG0>tax</ARG0> made <ARG1>sales fall</ARG1> ."])
    run_on = [{"index": "s0", "prediction": ["B-C", "I-C", "B-E", "I-E", "O"]}]
    strict = [{"index": "s0", "prediction": ["B-C", "O", "B-E", "I-E", "O"]}]
    assert fc.score(gold, run_on, "unicausal-span", tags="unicausal")["overall"].f1 == 1
    assert fc.score(gold, strict, "unicausal-span")["overall"].f1 == 1
    assert fc.score(gold, strict, "unicausal-span", tags="unicausal")["overall"].f1 == 0.5


# ------------------------------------------------------------------------------------ drawn files


MARKED = (
    "<ARG0>tax</ARG0> made <ARG1>sales fall</ARG1> .",
    "<ARG1>a</ARG1> , <ARG0>b c</ARG0>",
    "x <ARG0>it's  so</ARG0> <SIG0>as</SIG0> <ARG1>é</ARG1>y z",
    "<ARG0>a</ARG0> b <ARG0>c</ARG0> <ARG1>d</ARG1>",
    '<ARG0>\'q</ARG0> "x" <ARG1>w</ARG1>',
)


def drawn(rng):
    """Files of rows, grouped or not, that repeat sentences and list relations."""
    files = []
    for number in range(rng.randint(1, 3)):
        grouped = rng.random() < 0.5
        corpus = rng.choice(["altlex", "because", "ctb", "esl", "other"])
        rows = []
        for k in range(rng.randint(1, 6)):
            sequence = rng.randint(0, 1)
            pair = sequence * rng.randint(0, 1)
            texts = [rng.choice(MARKED) for _ in range(rng.randint(1, 3))]
            label = rng.choice(["{}", "{}.0"])
            row = {"corpus": corpus, "doc_id": f"d{number}", "sent_id": k // 2, "eg_id": k % 2,
                   "index": f"{corpus}_{number}_{k}", "text": 't, "q" é', "text_w_pairs": texts[0],
                   "seq_label": label.format(sequence), "pair_label": pair}  # fmt: skip
            if grouped:
                row |= {"num_rs": len(texts) * pair, "list": texts * pair}
            rows.append(row)
        files.append(rows)
    return files


def written(rng, folder, files):
    for path in folder.iterdir():
        path.unlink()
    for number, rows in enumerate(files):
        rows = [{**row} for row in rows]
        for row in rows:
            if "list" in row:
                listed = row.pop("list")
                empty = rng.choice(["", "[]"])
                row["causal_text_w_pairs"] = repr(listed) if listed else empty
        path = folder / f"{number}.csv"
        with path.open("w", newline="", encoding=rng.choice(["utf-8", "utf-8-sig"])) as file:
            table = csv.DictWriter(file, [*rows[0]])
            table.writeheader()
            table.writerows(rows)
    return folder


def compared(scores, gold, pred):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert scores["overall"]["accuracy"] == pytest.approx(metrics.accuracy_score(gold, pred))
        expected = metrics.matthews_corrcoef(gold, pred)
        assert scores["overall"]["mcc"] == pytest.approx(expected, abs=1e-12)
        for group, average in (
            ("macro", "macro"),
            ("weighted", "weighted"),
            ("positive", "binary"),
        ):
            values = metrics.precision_recall_fscore_support(
                gold, pred, average=average, zero_division=0
            )[:3]
            found = [scores[group][name] for name in ("precision", "recall", "f1")]
            assert found == pytest.approx(values, abs=1e-12), group


def check_labels(rng, folder, task):
    files = drawn(rng)
    written(rng, folder, files)
    examples = oracle.chosen(files, task)
    if not examples:
        with pytest.raises(fc.InputError, match="has no examples"):
            fc.classify(folder, [0], protocol=task)
        return
    gold = [label for _, _, label, _ in examples]
    pred = [rng.choice([label, rng.randint(0, 1)]) for label in gold]
    rows = [f"{index}\t{label}\t{label}" for (index, *_), label in zip(examples, pred, strict=True)]
    said = folder.parent / "pred.txt"
    head = f"index\t{task[-4:].strip('-')}_pred\tlabel"
    said.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")
    report = fc.classify(folder, said, protocol=task)
    compared(report.to_dict()["scores"], gold, pred)
    corpora = {corpus for _, corpus, _, _ in examples}
    assert {*report.subsets} == {f"corpus={name}" for name in corpora}
    for name in corpora:
        of = [k for k, (_, corpus, _, _) in enumerate(examples) if corpus == name]
        part = report.to_dict()["subsets"][f"corpus={name}"]
        compared(part, [gold[k] for k in of], [pred[k] for k in of])
    each = [report.subsets[f"corpus={name}"]["macro"].f1 for name in corpora]
    assert report.means["corpus"]["macro"].f1 == pytest.approx(sum(each) / len(each))


def check_spans(rng, folder):
    files = drawn(rng)
    written(rng, folder, files)
    examples = oracle.chosen(files, "unicausal-span")
    if not examples:
        return
    reading = rng.choice(["strict", "unicausal"])
    tagged = oracle.run_on if reading == "unicausal" else oracle.as_marked
    gold = [tagged(text) for *_, text in examples]
    known = ["O", "B-C", "I-C", "B-E", "I-E"]
    pred = [[tag if rng.random() < 0.6 else rng.choice(known) for tag in tags] for tags in gold]
    form = rng.choice(["txt", "jsonl"])
    said = folder.parent / f"tags.{form}"
    if form == "txt":
        rows = [f"{index}\t{tags}\t[]" for (index, *_), tags in zip(examples, pred, strict=True)]
        said.write_text("\n".join(["index\tpred\tce_tags", *rows]))
    else:
        rows = [{"index": index, "prediction": tags}
                for (index, *_), tags in zip(examples, pred, strict=True)]  # fmt: skip
        said.write_text("\n".join(map(json.dumps, rows)))
    report = fc.score(folder, said, "unicausal-span", tags=reading)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert report["overall"].f1 == pytest.approx(seqeval.f1_score(gold, pred), abs=1e-12)
        assert report["overall"].precision == pytest.approx(seqeval.precision_score(gold, pred))
        assert report["overall"].recall == pytest.approx(seqeval.recall_score(gold, pred))
        assert report["overall"].accuracy == pytest.approx(seqeval.accuracy_score(gold, pred))
        by_role = seqeval.classification_report(gold, pred, output_dict=True, zero_division=0)
    for role, name in (("cause", "C"), ("effect", "E")):
        if name in by_role:
            assert report[role].f1 == pytest.approx(by_role[name]["f1-score"], abs=1e-12)


def folders(tmp_path, n):
    for seed in range(n):
        (folder := tmp_path / str(seed) / "gold").mkdir(parents=True)
        yield random.Random(seed), folder


def test_drawn_files(tmp_path):
    for rng, folder in folders(tmp_path, 24):
        check_spans(rng, folder) if rng.random() < 0.5 else check_labels(
            rng, folder, rng.choice(TASKS)
        )


@pytest.mark.slow
def test_many_drawn_files(tmp_path):
    for rng, folder in folders(tmp_path, 60):
        check_spans(rng, folder)
        check_labels(rng, folder, rng.choice(TASKS))


# ------------------------------------------------------------------------------------ statistics


def test_counts_carry_all_of_it(tmp_path):
    gold = pairs(["<ARG0>a b</ARG0> c <ARG1>d e</ARG1>"] * 6)
    for k, row in enumerate(gold):
        row["corpus"] = "ab"[k % 2]
    good = [{"index": f"s{k}", "prediction": ["B-C", "I-C", "O", "B-E", "I-E"]} for k in range(6)]
    poor = [{**row, "prediction": ["B-C"] * 5} if k % 3 else row for k, row in enumerate(good)]
    paths = [tmp_path / f"{name}.parquet" for name in "ab"]
    for said, path in zip((good, poor), paths, strict=True):
        report = fc.score(gold, said, "unicausal-span", per_example=path)
        again = fc.Statistics.read(path).report("corpus")
        assert again.to_dict() == report.to_dict()
    row = fc.compare(*paths, "overall_f1").to_dict()["scores"]["overall_f1"]
    assert row["a"] == 1 > row["b"]
    assert report.with_intervals(by="corpus")["overall"].f1.low < report["overall"].f1
    labels = fc.classify(sentences([0, 1] * 4), [0, 1, 1, 1] * 2, protocol="unicausal-seq")
    labels.statistics.write(paths[0])
    assert fc.Statistics.read(paths[0]).report("corpus").to_dict() == labels.to_dict()


def test_the_commands(tmp_path):
    rows = pairs(["<ARG0>tax</ARG0> made <ARG1>sales fall</ARG1> ."] * 2)
    gold, said = tmp_path / "gold.csv", tmp_path / "tags.jsonl"
    with gold.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    said.write_text(
        "\n".join(json.dumps({"index": row["index"], "tags": ["O"] * 5}) for row in rows)
    )
    out = json.loads(cli("score", gold, said, "--protocol", "unicausal-span", "--json")[0])
    assert out["scores"]["overall"]["accuracy"] == 0.4
    assert "corpus=altlex" in out["subsets"]
    assert "corpus" in out["means"]
    command = ("score", gold, said, "--protocol", "unicausal-span")
    text, _ = cli(*command, "--tags", "unicausal", "--intervals", "--by", "doc_id")
    assert "mean over doc_id" in text
    assert "--kernel is for relations" in cli(*command, "--kernel", "exact_spans", expect=2)[1]
    assert 'tags is "aligned", expected' in cli(*command, "--tags", "aligned", expect=2)[1]
    labels = tmp_path / "labels.tsv"
    labels.write_text("index\tseq_pred\ns0\t1\ns1\t0\n")
    out, _ = cli("classify", gold, labels, "--protocol", "unicausal-seq", "--json")
    assert json.loads(out)["scores"]["overall"]["accuracy"] == 0.5


# ------------------------------------------------------------------------------------------ errors


TAGS = [{"index": "s0", "prediction": ["O"] * 3}]


@pytest.mark.parametrize(
    ("gold", "pred", "message"),
    [
        (pairs(["a <ARG0>b c"]), TAGS, 'row 0: example "s0": .*ARG0'),
        (pairs(["a b c d"]), TAGS, 'row 0: example "s0" has 3 tags, expected 4 of O, B-C'),
        (pairs(["a b c"]), [{"index": "s0", "prediction": ["O", "B-X", "O"]}], "has 3 tags, expec"),
        (pairs(["a b c"]), [{"index": "s0", "pred": "O O O"}], 'has "O O O", expected 3 of O'),
        (pairs(["a b c"]), [{"index": "s1", "pred": ["O"]}], "examples of gold have no prediction"),
        (pairs(["a b c"], pair_label=2), TAGS, '"pair_label" is "?2"?, expected 0 or 1'),
        (pairs(["a b c"], seq_label=0), TAGS, '"pair_label" is 1, expected 0 as "seq_label" is'),
        (pairs(["a"], corpus="ctb"), TAGS, "unicausal-span has no examples"),
        (pairs(["a"], causal_text_w_pairs="[1]", num_rs=1), TAGS, "row 0: .*list of strings"),
        ([{"index": "s0"}], TAGS, 'no column "corpus"'),
    ],
)
def test_bad_files(gold, pred, message):
    with pytest.raises(fc.InputError, match=message):
        fc.score(gold, pred, "unicausal-span")


def test_policies():
    gold = pairs(["a b c", "<ARG0>a</ARG0> b <ARG1>c</ARG1>", "a"])
    pred = [{"index": "s0", "prediction": ["O"] * 3}, {"index": "s1", "prediction": ["O"]}]
    skipped = fc.score(gold, pred, "unicausal-span", unparsed="skip", unmatched="skip")
    assert (skipped.n_examples, skipped["overall"].gold) == (1, 0)
    empty = fc.score(gold, pred, "unicausal-span", unparsed="empty", unmatched="empty")
    assert (empty.n_examples, empty["overall"].gold, empty["overall"].accuracy) == (3, 2, 5 / 7)
    assert len(empty.warnings) == 2
    for settings, message in (
        ({"backend": "reference"}, "backend is 'reference', expected none"),
        ({"tags": "aligned"}, 'tags is "aligned", expected one of strict, unicausal'),
    ):
        with pytest.raises(ValueError, match=message):
            fc.score(gold, pred, "unicausal-span", **settings)
    with pytest.raises(ValueError, match='tags is "unicausal", expected one of strict'):
        fc.score(["<ARG0>a</ARG0>"], ["a"], tags="unicausal")
    with pytest.raises(ValueError, match="read is not for unicausal-seq"):
        fc.classify(gold, [1], protocol="unicausal-seq", read="same")


# -------------------------------------------------------------------------- relations of the files


def test_a_sentence_of_a_grouped_file_is_one_example(tmp_path):
    text = "<ARG0>a</ARG0> b <ARG1>c</ARG1>"
    rows = [
        {**ROW, "sent_id": 0, "index": "x0", "text": "a b c", "text_w_pairs": text,
         "seq_label": "1.0", "pair_label": 1, "causal_text_w_pairs": repr([text]), "num_rs": 1},
        {**ROW, "sent_id": 0, "eg_id": 1, "index": "x1", "text": "a b c", "text_w_pairs": text,
         "seq_label": "1.0", "causal_text_w_pairs": "", "num_rs": 0},
        {**ROW, "sent_id": 1, "index": "x2", "text": "a b c", "text_w_pairs": text,
         "seq_label": "0.0", "causal_text_w_pairs": "", "num_rs": 0},
    ]  # fmt: skip
    path = tmp_path / "grouped.csv"
    with path.open("w", newline="", encoding="utf-8-sig") as file:
        table = csv.DictWriter(file, [*rows[0]])
        table.writeheader()
        table.writerows(rows)
    found = fc.read(path)
    assert found.table["id"].to_pylist() == ["x0", "x2"]
    assert [len(each) for each in found.table["relations"].to_pylist()] == [1, 0]
    assert "num_rs" not in found.table.column_names
