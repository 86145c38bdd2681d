"""Logs of inspect and samples of lm-eval, in all layouts, against fractions; hostile ones."""

from __future__ import annotations

import json
import math
import random
import tracemalloc

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.errors import InputError
from fastcausal.tasks.values.formula import CONTENT
from fastcausal.tasks.values.logs import digest_of
from tests.oracles import desk
from tests.support.logs import (
    DEFLATE,
    STORED,
    ZSTD,
    eval_log,
    header,
    json_log,
    lm_rows,
    lm_samples,
    members_of,
    random_samples,
    sample,
    zip_of,
)

SCORES = ("match", "f1x", "dicty.a", "dicty.b", "listy.0", "words", "gappy")


def value_of(each, score):
    scorer, _, rest = score.partition(".")
    held = each["scores"].get(scorer)
    if held is None:
        return None
    value = held["value"]
    return value if not rest else value[int(rest) if rest.isdigit() else rest]


def expected(samples, score, rule="mean"):
    return desk.values(((s["id"], value_of(s, score)) for s in samples), rule)


def of_units(statistics):
    rows = statistics.rows_of_units()[:, 0].tolist()
    return dict(zip(statistics.units["id"].to_pylist(), rows, strict=True))


def written(folder, samples, head=None):
    """All layouts of one log; the last ones without summaries, and in another order."""
    shuffled = random.Random(1).sample(samples, len(samples))
    for method in (STORED, DEFLATE, ZSTD):
        yield eval_log(folder / f"{method}.eval", samples, head, method)
    yield eval_log(folder / "whole.eval", shuffled, head, summaries=False)
    yield json_log(folder / "a.json", samples, head)
    yield json_log(folder / "b.json", shuffled, head, indent=1)


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("seed", range(3))
def test_scores(tmp_path, score, seed):
    samples = random_samples(seed)
    wanted = {id: float(v) for id, v in expected(samples, score).items()}
    for path in written(tmp_path, samples):
        statistics = fc.statistics(path, score, missing="skip", cluster="doc")
        assert of_units(statistics) == wanted, path
        assert statistics.system == "mock/m"
        counts = statistics.report().facts["answers"]
        assert counts == {
            "rule": "mean",
            "examples": 30,
            "answers": 60,
            "errors": sum(s["error"] is not None for s in samples),
            "limits": sum(s["limit"] is not None for s in samples),
            "unscored": sum(desk.number(value_of(s, score)) is None for s in samples),
        }


def test_layouts_have_the_same_bits(tmp_path):
    samples, other = random_samples(1), random_samples(2, p=0.8)
    fixed = fc.statistics(json_log(tmp_path / "o.json", other), "match", missing="skip",
                          cluster="doc")  # fmt: skip
    compared = [
        fc.compare(fc.statistics(p, "match", missing="skip", cluster="doc", system="a"), fixed,
                   cluster="doc", method="bca", n_resamples=300).to_dict()
        for p in written(tmp_path, samples)
    ]  # fmt: skip
    assert all(each == compared[0] for each in compared)


@pytest.mark.parametrize("rule", ["pass@1", "pass@2", "pass^2", "max", "min"])
def test_rules(tmp_path, rule):
    samples = [s for s in random_samples(4, epochs=3) if not s["error"]]
    full = {s["id"] for s in samples if sum(t["id"] == s["id"] for t in samples) == 3}
    samples = [s for s in samples if s["id"] in full]
    path = eval_log(tmp_path / "a.eval", samples)
    wanted = {id: float(v) for id, v in expected(samples, "match", rule).items()}
    assert of_units(fc.statistics(path, "match", over=rule)) == wanted


def test_odd_ids(tmp_path):
    ids = ["a/b", "/abs", "../up", 'q"uote', "new\nline", "nul\0", "é 1", "b\\c", "", 7]
    samples = [sample(id, 1, {"m": k % 2}) for k, id in enumerate(ids)]
    for path in written(tmp_path, samples):
        assert of_units(fc.statistics(path)) == {str(id): k % 2 for k, id in enumerate(ids)}


def test_long_metadata_is_read_from_samples(tmp_path):
    long = ["x" * 2000 + str(k % 3) for k in range(12)]
    samples = [
        sample(k, 1, {"m": k % 2}, doc=long[k], deep={"list": ["y" * 2000, k % 4]})
        for k in range(12)
    ]
    for path in written(tmp_path, samples):
        assert len(fc.statistics(path, cluster="doc").by("doc")) == 3, path
        assert len(fc.statistics(path, cluster="deep.list.1").by("deep.list.1")) == 4, path


def test_the_last_member_of_a_name_counts(tmp_path):
    old, new = ([sample(1, 1, {"m": m}), sample(2, 1, {"m": m})] for m in (0, 1))
    path = tmp_path / "a.eval"
    path.write_bytes(zip_of([*members_of(old), *members_of(new)]))
    assert fc.statistics(path).scores()["m"] == [1.0]


def test_inputs_are_compared(tmp_path):
    text = "long " * 3000
    samples = [sample(k, 1, {"m": 1}, input=text + str(k)) for k in range(3)]
    chat = [{"role": "user", "id": "u1", "content": [{"type": "image"}, {"type": "text",
            "text": "t"}]}]  # fmt: skip
    samples.append(sample(9, 1, {"m": 1}, input=chat))
    thin, whole = eval_log(tmp_path / "a.eval", samples), json_log(tmp_path / "b.json", samples)
    assert fc.compare(thin, whole)["m"].delta == 0
    chat[0] = chat[0] | {"id": "u2"}
    assert fc.compare(thin, json_log(tmp_path / "b.json", samples))["m"].delta == 0
    samples[1] = samples[1] | {"target": "other"}
    found = fc.compare(thin, json_log(tmp_path / "b.json", samples))
    assert found.n_units == 3
    assert any('for 1 of 4 ids, which are left out ("1")' in text for text in found.warnings)


def test_cluster_of_the_log_is_named(tmp_path):
    head = header(n=4) | {
        "results": {"scores": [{"metrics": {"stderr": {"params": {"cluster": "page"}}}}]}
    }
    samples = [sample(k, 1, {"m": k}, page=f"d{k % 2}") for k in range(4)]
    path = eval_log(tmp_path / "a.eval", samples, head)
    assert "--cluster page" in fc.compare(path, path).warnings[0]
    assert not any("--cluster" in w for w in fc.compare(path, path, cluster="page").warnings)


@pytest.mark.parametrize("make", [eval_log, json_log])
def test_short_metadata_that_repeats_is_the_cluster(tmp_path, make):
    path = tmp_path / f"a.{'eval' if make is eval_log else 'json'}"
    documents = ["long " * 400, "long " * 500]  # summaries cut these

    def unit_of(**metadata):
        samples = [
            sample(k, 1, {"m": k}, **{n: values[k % 2] for n, values in metadata.items()})
            for k in range(6)
        ]
        return fc.compare(make(path, samples), path).unit

    assert unit_of(document=documents, topic="ab") == "topic"
    assert unit_of(topic="ab", doc=[1, 2]) == "doc"
    assert unit_of(document=documents, doc=[{"a": 1}, {"a": 2}]) == "example"


@pytest.mark.parametrize(
    ("samples", "head", "options", "message"),
    [
        ([], {}, {}, "without samples"),
        (None, {}, {}, "without samples"),
        ([sample(1, 1, {"m": 1})], {"status": "started"}, {"missing": "skip"}, "status started"),
        ([sample(1, 1, {"m": 1})], {"status": "error"}, {}, "1 of 9 samples.*missing="),
        ([sample(1, 1, {"m": "perhaps"})], {}, {}, 'id "1": m is "perhaps"'),
        ([sample(1, 1, {"m": math.inf})], {}, {}, 'id "1": m is inf'),
        (
            [sample(1, 1, {"m": 1}), sample("1", 1, {"m": 1})],
            {},
            {},
            'id "1", epoch 1 occurs twice',
        ),
        ([sample(1.5, 1, {"m": 1})], {}, {}, "id is 1.5, expected text or an integer"),
        ([sample(1, 1, {"m": 1, "n": 1})], {}, {}, "2 scores.*--score: m, n"),
        (
            [sample(1, 1, {"m": 1, "n": 1})],
            {},
            {"score": "o"},
            'no score "o", expected one of: m, n',
        ),
        ([sample(1, 1, {"m": 1})], {}, {"cluster": "doc"}, 'no metadata "doc"'),
        ([sample(1, 1, {"m": 1}), {"id": 2}], {}, {}, r'1 of 2 answers without m \("2"\)'),
        ([sample(1, 1, {"m": [1]})], {}, {"score": "m"}, 'no score "m", expected one of: m.0'),
        ([3], {}, {}, "3, expected an object"),
    ],
)
def test_faults(tmp_path, samples, head, options, message):
    path = json_log(tmp_path / "a.json", samples, header(n=9) | head)
    with pytest.raises(InputError, match=message) as caught:
        fc.statistics(path, **options)
    assert "\n" not in caught.value.problem


def test_crashed_answers_are_no_gap_to_pass_over(tmp_path):
    """Epochs that crash must not raise the score: by default the log is refused."""
    samples = [sample(k, 1, {"m": "C"}) for k in range(4)]
    samples += [sample(k, 2, {}, error={"message": "boom"}) for k in range(4)]
    path = eval_log(tmp_path / "a.eval", samples)
    with pytest.raises(InputError, match=r'4 of 8 answers without m \("0", "1", "2", \.\.\.\)'):
        fc.statistics(path)
    zero, skip = (fc.statistics(path, missing=policy) for policy in ("zero", "skip"))
    assert (zero.scores()["m"], skip.scores()["m"]) == ([0.5], [1.0])
    once = eval_log(tmp_path / "b.eval", samples[:4])
    for counted, is_noted in ((zero, True), (skip, False)):  # 2 answers, or 1 as in the other log
        warnings = fc.compare(
            counted, fc.statistics(once, missing=counted.formula.missing)
        ).warnings
        assert any("answers to an example: 2 in" in text for text in warnings) == is_noted


@pytest.mark.parametrize(
    "results",
    [[], "x", {"scores": ["x"]}, {"scores": {}}, {"scores": [{"metrics": ["x"]}]},
     {"scores": [{"metrics": {"stderr": "x"}}]}, {"scores": [{"metrics": {"s": {"params": 1}}}]}],
)  # fmt: skip
def test_results_of_another_form_are_passed_over(tmp_path, results):
    path = json_log(
        tmp_path / "a.json", [sample(1, 1, {"m": 1})], header(n=1) | {"results": results}
    )
    assert fc.statistics(path).warnings == {}


@pytest.mark.parametrize("epoch", [2**63, -1, 1.0, True, "1"])
def test_odd_epochs(tmp_path, epoch):
    path = json_log(tmp_path / "a.json", [sample(1, epoch, {"m": 1})])
    with pytest.raises(InputError, match=r'samples\[0\]: "epoch" is .*, expected a small integer'):
        fc.statistics(path)


def test_an_unfinished_log_may_be_taken(tmp_path):
    path = json_log(tmp_path / "a.json", [sample(1, 1, {"m": 1})], header("error", n=9))
    assert fc.statistics(path, missing="skip").n_units == 1


def test_killed_logs(tmp_path):
    path = tmp_path / "a.eval"
    path.write_bytes(zip_of(members_of([sample(1, 1, {"m": 1})], header(n=8))[:-2]))
    with pytest.raises(InputError, match="status started, 1 of 8 samples"):
        fc.statistics(path, missing="skip")


class TestHostile:
    def bad(self, tmp_path, data, message, name="a.eval"):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(InputError, match=message) as caught:
            fc.statistics(path)
        assert "\n" not in str(caught.value)

    @pytest.mark.parametrize("method", [STORED, DEFLATE, ZSTD])
    def test_every_cut(self, tmp_path, method):
        whole = zip_of(members_of([sample(1, 1, {"m": 1})], {**header(), "eval": {}}), method)
        for stop in range(4, len(whole), 1 if method == ZSTD else 11):
            self.bad(tmp_path, whole[:stop], "damaged|a zip with|zip")

    def test_bytes_turned_over(self, tmp_path):
        whole = zip_of(members_of([sample(1, 1, {"m": 1})]))
        chance, lines = random.Random(3), []
        for _ in range(300):
            data = bytearray(whole)
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            (tmp_path / "a.eval").write_bytes(data)
            try:
                statistics = fc.statistics(tmp_path / "a.eval")
            except InputError as error:
                lines.append(str(error).count("\n"))
            else:
                assert statistics.scores()["m"] == [1.0]
        assert not any(lines)

    @pytest.mark.parametrize("method", [STORED, DEFLATE, ZSTD])
    def test_crc(self, tmp_path, method):
        self.bad(tmp_path, zip_of(members_of([sample(1, 1, {"m": 1})]), method, crc=7), "CRC")

    @pytest.mark.parametrize("method", [DEFLATE, ZSTD])
    def test_bombs(self, tmp_path, method):
        samples = members_of([sample(1, 1, {"m": 1})])
        self.bad(tmp_path, zip_of(samples, method, size=(1 << 32) - 2), "unpacks to more than")
        self.bad(tmp_path, zip_of(samples, method, size=5), "damaged|the archive says 5")

    def test_another_method(self, tmp_path):
        data = zip_of(members_of([sample(1, 1, {"m": 1})]), STORED)
        data = data.replace(b"\x2d\x00\x00\x08\x00\x00", b"\x2d\x00\x00\x08\x63\x00")
        self.bad(tmp_path, data, "method 99")

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            (
                b'{"version": 2, "eval": {}, "status": "success", "samples": ' + b"[" * 10_000,
                "JSON",
            ),
            (b'{"version": 2, "eval": {}, "status": "success", "samples": [}', "invalid JSON"),
            (
                b'{"version": 2, "eval": {}, "status": "success", "samples": [1 2]}',
                r"samples\[0\]: 1, expected an object",
            ),
            (b'{"eval": [1], "status": "success", "samples": []}', "expected an object"),
            (b'{"eval": {}, "status": "success"}', "without samples"),
            (b'{"eval": {}, "status": "success", "samples": []} x', "Extra data"),
            (b"\x89PNG\r\n", "x"),
            (b"rain\n", 'no column "id"|no rows'),
            (b"{}", "no rows|no column"),
            (b"[]", "no rows"),
            (b"", "is empty"),
        ],
    )
    def test_documents(self, tmp_path, text, message):
        self.bad(tmp_path, text, message, "a.json" if text[:1] in b"{[" and text else "a.txt")

    def test_the_start_of_a_json_log(self, tmp_path):
        text = json.dumps(header() | {"samples": [sample(1, 1, {"m": 1})]}).encode()
        for stop in range(0, len(text), 3):
            self.bad(tmp_path, text[:stop], "a.json", "a.json")


def with_metric(row, name, value):
    return row | {"metrics": [*row["metrics"], name], name: value}


class TestLmEval:
    def test_texts_of_rows_are_never_held(self, tmp_path):
        """Memory of a file with 60 MB of texts stays below a third of it."""
        rows = [
            row | {"doc": {"q": f"{k:08}" * 5_000}}
            for k, row in enumerate(lm_rows(1, 1_500, ("none",)))
        ]
        path = lm_samples(tmp_path, rows)
        size = path.stat().st_size
        tracemalloc.start()
        try:
            statistics = fc.statistics(path, "exact_match,none")
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert statistics.n_units == len(rows)
        assert 3 * peak < size

    def test_rows_of_later_batches(self, tmp_path):
        rows = lm_rows(1, 700, ("none",))
        del rows[600]["doc_hash"]
        path = lm_samples(tmp_path, rows)
        statistics = fc.statistics(path, "exact_match,none")
        digest = digest_of(rows[600]["doc"], rows[600]["target"])
        contents = {row["id"]: row[CONTENT] for row in statistics.units.to_pylist()}
        assert contents == {str(row["doc_id"]): row.get("doc_hash", digest) for row in rows}
        lines = path.read_text().splitlines()
        lines[500] = lines[500].replace('"doc": {', '"doc": {"subject": 1, ', 1)
        lines[1] = lines[1].replace('"doc_id": 1', '"doc_id": null', 1)
        path.write_text("\n".join(lines))
        with pytest.raises(InputError, match=':501: an object has the key "subject" 2'):
            fc.statistics(path, "exact_match,none")
        path.write_text("\n".join([*lines[:500], *lines[501:]]))
        with pytest.raises(InputError, match=":2: id is null"):
            fc.statistics(path, "exact_match,none")

    def test_scores_of_filters(self, tmp_path):
        rows = lm_rows(1)
        path = lm_samples(tmp_path / "gpt2", rows)
        for name in ("strict", "flex"):
            wanted = {str(r["doc_id"]): r["exact_match"] for r in rows if r["filter"] == name}
            statistics = fc.statistics(path, f"exact_match,{name}", cluster="subject")
            assert of_units(statistics) == wanted
            assert statistics.system == "gpt2"
            assert len(statistics.by("subject")) == 4
        assert "source:lm-eval" in statistics.signature

    def test_two_filters_are_never_pooled(self, tmp_path):
        path = lm_samples(tmp_path, lm_rows(1))
        with pytest.raises(InputError, match="4 scores, name one with --score: exact_match,flex"):
            fc.statistics(path)

    def test_lists(self, tmp_path):
        rows = lm_rows(2)
        path = lm_samples(tmp_path, rows)
        with pytest.raises(InputError, match=r"f1list is \[.*--numerator f1list.0"):
            fc.statistics(path, "f1list,flex")
        name = "f1list,flex"
        made = fc.statistics(path, name, numerator="f1list.0", denominator="f1list.1")
        tops, bottoms = zip(*(r["f1list"] for r in rows if r["filter"] == "flex"), strict=True)
        assert made.scores() == {name: sum(tops) / sum(bottoms)}

    def test_instructions_of_ifeval(self, tmp_path):
        name = "inst_level_strict_acc"
        rows = lm_rows(1, 6, ("none",))
        rows = [with_metric(row, name, [True, k % 2 == 1]) for k, row in enumerate(rows)]
        path = lm_samples(tmp_path, rows)
        assert fc.statistics(path, f"{name},none").scores() == {f"{name},none": [9 / 12]}
        for parts in ((f"{name}.0", f"{name}.1"), (name, f"{name}.1"), (name, "exact_match")):
            with pytest.raises(InputError, match=f"numerator and .*: --score {name},none"):
                fc.statistics(path, numerator=parts[0], denominator=parts[1])
        with pytest.raises(InputError, match=f"lists of booleans.* --score {name},none"):
            fc.statistics(path, value=f"{name}.0")

    @pytest.mark.parametrize("metric", ["mcc", "f1", "macro_f1"])
    def test_pairs_of_labels_are_for_classify(self, tmp_path, metric):
        rows = [with_metric(row, metric, [1, 0]) for row in lm_rows(1, 6, ("none",))]
        path = lm_samples(tmp_path / "a", rows)
        ratio = {"numerator": f"{metric}.0", "denominator": f"{metric}.1"}
        for options in ({"score": f"{metric},none"}, ratio, {"value": f"{metric}.1"}):
            with pytest.raises(InputError, match=rf"jsonl:1: {metric} is \[1, 0\].*classify GOLD"):
                fc.statistics(path, **options)
        rows = [row | {metric: 0.5} for row in rows]  # a score of each document, as in SQuAD
        made = fc.statistics(lm_samples(tmp_path / "b", rows), f"{metric},none")
        assert made.scores() == {f"{metric},none": [0.5]}

    def test_predictions_alone(self, tmp_path):
        rows = [row | {"bypass": 999} for row in lm_rows(1, 6, ("none",))]
        for row in rows:
            del row["exact_match"], row["f1list"], row["metrics"]
        with pytest.raises(InputError, match="bypass is the placeholder 999 of --predict_only"):
            fc.statistics(lm_samples(tmp_path, rows))

    def test_the_layout_of_one_list(self, tmp_path):
        """Before 0.4.3: one JSON list, without filters, metrics and digests."""
        new = ("filter", "metrics", "doc_hash", "prompt_hash")
        rows = [
            {key: value for key, value in row.items() if key not in new}
            for row in lm_rows(1, filters=("none",))
        ]
        for name in ("model_boolq.jsonl", "model_boolq.json"):
            path = tmp_path / name
            path.write_text(json.dumps(rows, indent=2))
            made = fc.statistics(path, "exact_match,none", cluster="subject")
            assert of_units(made) == {str(row["doc_id"]): row["exact_match"] for row in rows}
            assert "source:lm-eval" in made.signature

    def test_filters_without_names(self, tmp_path):
        """Before 0.4.6: all rows of one filter, then all of the next."""
        rows = lm_rows(1)
        bare = [{k: v for k, v in row.items() if k not in ("filter", "metrics")} for row in rows]
        path = lm_samples(tmp_path, bare)
        for number, name in (("1", "strict"), ("2", "flex")):
            made = fc.statistics(path, f"exact_match,{number}")
            assert of_units(made) == {
                str(row["doc_id"]): row["exact_match"] for row in rows if row["filter"] == name
            }

    def test_results_with_samples(self, tmp_path):
        """What simple_evaluate returns: samples by task; ids of several have its name."""
        rows = lm_rows(1, filters=("none",))
        whole = {
            "results": {}, "configs": {}, "versions": {}, "samples": {"a": rows, "b": rows[:3]},
            "higher_is_better": {"a": {"exact_match": True}, "b": {"exact_match": False}},
        }  # fmt: skip
        path = tmp_path / "results.json"
        path.write_text(json.dumps(whole, indent=1))
        made = fc.statistics(path, "exact_match,none")
        assert of_units(made) == {
            f"{task}/{row['doc_id']}": row["exact_match"]
            for task, n in (("a", 20), ("b", 3)) for row in rows[:n]
        }  # fmt: skip
        assert made.facts["source"]["task"] == "a+b"
        assert made.scale("exact_match,none").better == "lower"
        for samples in ({}, {"a": []}):
            path.write_text(json.dumps(whole | {"samples": samples}))
            with pytest.raises(InputError, match="results of lm-eval without samples, expected"):
                fc.statistics(path)

    def test_a_document_twice(self, tmp_path):
        rows = lm_rows(1, filters=("none",))
        path = lm_samples(tmp_path, [*rows, rows[0]])
        with pytest.raises(InputError, match='id "0" occurs twice with filter none'):
            fc.statistics(path, "exact_match,none")

    def test_other_documents(self, tmp_path):
        rows = lm_rows(1, filters=("none",))
        one = lm_samples(tmp_path / "a", rows)
        rows[3] = rows[3] | {"doc_hash": "other"}
        two = lm_samples(tmp_path / "b", rows)
        found = fc.compare(one, two, "exact_match,none")
        few = [
            lm_samples(tmp_path / name / "few", [row for row in lm_rows(1, filters=("none",))
                                                 if row["doc_id"] != 3])
            for name in "ab"
        ]  # fmt: skip
        assert repr(found.scores) == repr(fc.compare(*few, "exact_match,none").scores)
        assert found.n_units == 19
        said = 'have other inputs or targets for 1 of 20 ids, which are left out ("3")'
        assert any(said in text for text in found.warnings)
        board = fc.leaderboard({"a": one, "b": two}, "exact_match,none", n_resamples=50)
        assert (board.n_units, len(board.warnings)) == (19, 1)
        with pytest.raises(InputError, match='other inputs for 1 of 20 ids, first for "3"'):
            fc.gate(one, two, min_delta=0.0, score="exact_match,none")
        for row in rows:
            row["doc_hash"] = "other"
        two = lm_samples(tmp_path / "b", rows)
        with pytest.raises(InputError, match='other inputs for 20 of 20 ids, first for "0"'):
            fc.compare(one, two, "exact_match,none")

    def test_lower_is_better(self, tmp_path):
        for name, p in (("a", 0.2), ("b", 0.9)):
            lm_samples(tmp_path / name, lm_rows(1, 60, ("none",), p), lower=["exact_match"])
        board = fc.leaderboard(tmp_path, "exact_match,none", n_resamples=200)
        assert board.lower_is_better
        assert [*board.scores] == ["a", "b"]
        assert board["a"].rank == 1
        assert not board["b"].best

    def test_a_group_is_a_folder(self, tmp_path):
        rows = lm_rows(1, filters=("none",))
        for task in ("algebra", "logic"):
            lm_samples(tmp_path / "gpt2", rows, task)
        made = fc.statistics(tmp_path / "gpt2", "exact_match,none", cluster="task")
        assert made.n_units == 40
        assert made.system == "gpt2"
        assert [*made.by("task")] == ["algebra", "logic"]


def test_values_by_json_paths(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text('{"doc_id": 1, "m": {"f1": [0.5, 2]}}\n{"doc_id": 2, "m": {"f1": [1, 3]}}\n')
    assert fc.statistics(path, value="m.f1.0").scores()["m.f1.0"] == [0.75]
    ratio = fc.statistics(path, numerator="m.f1.0", denominator="m.f1.1")
    assert np.allclose(ratio.scores()["m.f1.0/m.f1.1"], [1.5 / 5])
