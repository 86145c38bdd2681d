"""Exports of platforms: values by an oracle, several systems in a file, hostile files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.errors import InputError
from fastcausal.sweeps.systems import load_all
from fastcausal.tasks.values.files import holds_values, list_logs
from fastcausal.tasks.values.reading import ValueReading
from tests.oracles import desk
from tests.support import exports
from tests.support.cli import cli

# Written by the programs themselves, but for Langfuse and HELM, and cut to what is read.
CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus" / "values"
LAYOUTS = {  # writer, score, systems in a file, prefix of ids, repeats
    "promptfoo": ("a.json", exports.promptfoo, "rain", 2, "", 2),
    "promptfoo lines": ("a.jsonl", exports.promptfoo_lines, "rain", 2, "", 2),
    "deepeval": ("a.json", exports.deepeval, "rain", 1, "case ", 2),
    "helm": ("per_instance_stats.json", exports.helm, "rain", 1, "id", 2),
    "mlflow": ("eval_results_table.json", exports.mlflow, "rain", 1, "", 1),
    "langfuse": ("scores.csv", exports.langfuse, "rain", 1, "t", 2),
    "every eval ever": ("a_samples.jsonl", exports.every_eval_ever, "score", 2, "q", 2),
}


def of_units(statistics):
    rows = statistics.rows_of_units()[:, 0].tolist()
    return dict(zip(statistics.units["id"].to_pylist(), rows, strict=True))


def read(path, score=None, **reading):
    scores = () if score is None else (score,)
    return load_all(path, ValueReading(scores, **reading))


@pytest.mark.parametrize("rule", ["mean", "pass@1", "max"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_values_by_system(tmp_path, layout, rule):
    name, write, score, n_systems, prefix, repeats = LAYOUTS[layout]
    for seed in range(4):
        rows = exports.drawn(seed, n_systems, 9, repeats, 0.1 if rule == "mean" else 0)
        path = tmp_path / name
        path.write_text(write(rows))
        systems = read(path, score, over=rule, missing="skip" if rule == "mean" else "error")
        assert len(systems) == n_systems
        by_name = systems if n_systems > 1 else {"m0": next(iter(systems.values()))}
        assert by_name.keys() == {row[0] for row in rows}
        for system, statistics in by_name.items():
            own = [(f"{prefix}{k}", value) for s, k, _, value in rows if s == system]
            if layout.startswith("promptfoo"):  # cases are numbered by their first test
                own = [(str(k), value) for s, k, _, value in rows if s == system]
            wanted = {id: float(value) for id, value in desk.values(own, rule).items()}
            assert of_units(statistics) == pytest.approx(wanted, abs=0), (seed, system)


@pytest.mark.parametrize("layout", [name for name in LAYOUTS if LAYOUTS[name][3] == 2])
def test_one_file_of_systems_is_one_file_each(tmp_path, layout):
    name, write, score, *_ = LAYOUTS[layout]
    rows = exports.drawn(5, 3, 12, 2, 0)
    whole = tmp_path / f"all_{name}"
    whole.write_text(write(rows))
    parts = []
    for system in ("m0", "m1", "m2"):
        parts.append(tmp_path / f"{system}_{name}")
        parts[-1].write_text(write([row for row in rows if row[0] == system]))
    assert (
        fc.leaderboard([whole], score).to_dict()["systems"]
        == fc.leaderboard(parts, score).to_dict()["systems"]
    )


WRITTEN = [
    # file, score, --missing, means by system
    ("promptfoo.json", None, "zero", {"hasty": 1 / 3, "careful": 1}),
    ("promptfoo.jsonl", "floods", "error", {"hasty": 0, "careful": 1}),
    ("deepeval.json", None, "error", {"careful": 2 / 3}),
    ("deepeval.json", "Strict", "skip", {"careful": 0.75}),
    ("mlflow.json", None, "error", {"mlflow": 2 / 3}),
    ("mlflow_traces.csv", "overlap", "skip", {"mlflow_traces": 0.5}),
    ("mlflow_traces.csv", "same", "error", {"mlflow_traces": 2 / 3}),
    ("langfuse.json", "helpful", "error", {"langfuse": 0.5}),
    ("langfuse.csv", "right", "error", {"langfuse": 0.5}),
    ("helm.json", "exact_match", "error", {"helm": (1 + 0.5 + 1 + 0 + 0 + 1) / 6}),
    ("helm_shown.json", "f1_score", "error", {"helm_shown": (1 + 0.5 + 1 + 0 + 0 + 0.5) / 6}),
    ("eee.json", None, "error", {"org/a": 0.5}),
    ("eee_samples.jsonl", None, "error", {"org/a": (0.5 + 1 + 0.25) / 3}),
]


@pytest.mark.parametrize(("name", "score", "missing", "means"), WRITTEN)
def test_what_the_programs_write(name, score, missing, means):
    systems = read(CORPUS / name, score, missing=missing)
    found = {key: s.scores()[score or next(iter(s.scores()))][0] for key, s in systems.items()}
    assert found == pytest.approx(means)
    assert holds_values(CORPUS / name, ValueReading())


def test_a_metric_of_some_tests_alone_is_missing_only_there():
    """A crashed answer lacks a score that another answer to its item has, and no other score."""
    rain = read(CORPUS / "promptfoo.json", "rain", missing="skip")["hasty"]
    floods = read(CORPUS / "promptfoo.json", "floods")["hasty"]
    assert (rain.n_units, floods.n_units) == (2, 1)
    assert rain.left_out["n_unscored"].to_pylist() == [2]
    with pytest.raises(InputError, match=r'2 of 6 answers without rain \("2"\)'):
        read(CORPUS / "promptfoo.json", "rain")


def test_columns_of_exports(tmp_path):
    statistics = read(CORPUS / "helm.json", "exact_match", columns=("perturbation",))["helm"]
    parts = statistics.by("perturbation")
    assert {name: part.scores()["exact_match"][0] for name, part in parts.items()} == (
        pytest.approx({"none": 2.5 / 3, "misspelling": 1 / 3})
    )
    by_topic = read(CORPUS / "eee_samples.jsonl", cluster="topic")["org/a"].by("topic")
    assert {name: part.n_units for name, part in by_topic.items()} == {"t0": 2, "t1": 1}
    named = read(CORPUS / "promptfoo.json", "rain", id="vars.id", missing="zero")["careful"]
    assert named.units["id"].to_pylist() == ["s1", "s2", "s3"]


def test_prompts_of_a_provider_are_systems(tmp_path):
    rows = [exports.promptfoo_row("m0", k, 0, k % 2) for k in range(4)]
    rows += [row | {"promptIdx": 3, "namedScores": {"rain": 1}} for row in rows]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    systems = read(tmp_path / "a.jsonl", "rain")
    assert {name: s.scores()["rain"][0] for name, s in systems.items()} == {
        "m0 prompt 1": 0.5, "m0 prompt 2": 1.0,
    }  # fmt: skip


def test_a_folder_of_helm_names_model_and_task(tmp_path):
    folder = tmp_path / "runs" / "mmlu:subject=law,model=org_a"
    folder.mkdir(parents=True)
    (folder / "per_instance_stats.json").write_bytes((CORPUS / "helm.json").read_bytes())
    spec = {"name": "mmlu:subject=law,model=org_a", "adapter_spec": {"model": "org/a"}}
    (folder / "run_spec.json").write_text(json.dumps(spec))
    assert list_logs(tmp_path) == [folder]
    [(name, statistics)] = read(folder, "f1_score").items()
    assert name == "org/a"
    assert statistics.facts["source"]["task"] == "mmlu:subject=law"
    (folder / "run_spec.json").write_text("[")
    with pytest.raises(InputError, match="a specification that cannot be read"):
        read(folder, "f1_score")


def test_a_folder_of_records_and_runs(tmp_path):
    """Records of models are ranked by their instances; runs of one model have names of files."""
    for system in ("m0", "m1"):
        folder = tmp_path / "data" / "board" / "org" / system
        folder.mkdir(parents=True)
        rows = [(system, *row[1:]) for row in exports.drawn(int(system[1]), 1, 9, 1, 0)]
        (folder / "u_samples.jsonl").write_text(exports.every_eval_ever(rows))
        (folder / "u.json").write_bytes((CORPUS / "eee.json").read_bytes())
    assert {row["system"] for row in fc.leaderboard(tmp_path).to_dict()["systems"]} == {"m0", "m1"}
    runs = tmp_path / "runs"
    runs.mkdir()
    for k in (1, 2):
        (runs / f"test_run_{k}.json").write_bytes((CORPUS / "deepeval.json").read_bytes())
    board = fc.leaderboard(runs).to_dict()["systems"]
    assert [row["system"] for row in board] == ["test_run_1", "test_run_2"]


def test_systems_of_one_file_are_compared_and_judged():
    """The two systems of a file need no name; a file of one, or gold, is not compared alone."""
    path, missing = CORPUS / "promptfoo.json", ("--missing", "zero")
    chosen = cli("compare", path, *missing, "--pick", "hasty,careful", "--json")[0]
    alone = cli("compare", path, *missing, "--json")[0]
    scores = [json.loads(text)["scores"]["success"] for text in (chosen, alone)]
    assert [each["delta"] for each in scores] == pytest.approx([2 / 3, -2 / 3])
    sides = ("--baseline", "careful", "--candidate", "hasty", "--no-regression", "--json")
    judged = json.loads(cli("gate", path, *missing, *sides, expect=1)[0])
    assert (judged["verdict"], judged["regressions"]) == ("fail", ["0", "2"])
    said = cli("compare", CORPUS / "eee.json", expect=2)[1]
    assert said == "error: 1 system (org/a), expected two\n"
    said = cli("compare", sample.GOLD, expect=2)[1]
    assert "1 files, expected A B, or GOLD A B" in said


def test_splits_of_helm_are_never_pooled(tmp_path):
    rows = json.loads((CORPUS / "helm.json").read_bytes())
    for row in rows:
        for stat in row["stats"]:
            stat["name"]["split"] = "valid" if row["instance_id"] == "id1" else "test"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(InputError, match="name one with --score: exact_match,test, exact_match,"):
        read(path)
    made = read(path, "exact_match,valid")["a"]
    assert made.units["id"].to_pylist() == ["id1", "id1 misspelling"]
    assert made.scores()["exact_match,valid"][0] == 0.25


def test_directions_of_every_eval_ever(tmp_path):
    record = json.loads((CORPUS / "eee.json").read_bytes())
    for result in record["evaluation_results"]:
        result["metric_config"]["lower_is_better"] = True
    path = tmp_path / "u.json"
    path.write_text(json.dumps(record))
    assert read(path)["org/a"].scale("score").better == "lower"
    lines = (CORPUS / "eee_samples.jsonl").read_bytes()
    (tmp_path / "u_samples.jsonl").write_bytes(lines)
    assert read(tmp_path / "u_samples.jsonl")["org/a"].scale("score").better == "lower"
    record["evaluation_results"][0]["metric_config"]["lower_is_better"] = False
    path.write_text(json.dumps(record))
    with pytest.raises(InputError, match="lower is better in some evaluations, higher in others"):
        read(path)


def test_evaluations_and_metrics_of_every_eval_ever(tmp_path):
    """Evaluations of one metric are items of one score; metrics of one evaluation are scores."""
    lines = [json.loads(line) for line in (CORPUS / "eee_samples.jsonl").read_text().splitlines()]
    for k, line in enumerate(lines):
        line["evaluation_name"] = "ab"[k % 2]
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert read(path)["org/a"].units["id"].to_pylist() == [
        "a/q0", "a/q1", "a/q2", "b/q0", "b/q1", "b/q2",
    ]  # fmt: skip
    for k, line in enumerate(lines):
        line |= {"evaluation_name": "causes", "evaluation_result_id": "xy"[k % 2]}
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match="2 scores, name one with --score: x, y"):
        read(path)
    assert read(path, "x")["org/a"].scores()["x"][0] == pytest.approx(2.5 / 3)


@pytest.mark.parametrize(
    ("layout", "change", "says"),
    [
        ("promptfoo", {"testIdx": "a"}, '"testIdx" is "a", expected an integer'),
        ("promptfoo", {"namedScores": [1]}, "namedScores: .*, expected an object"),
        ("promptfoo", {"namedScores": {"rain": "much"}}, 'rain is "much", expected a number'),
        ("promptfoo", {"namedScores": {"rain": 10**400}}, "rain is inf, expected a finite number"),
        ("helm", {"stats": 3}, "stats: 3, expected a list of objects"),
        ("helm", {"stats": [{"name": "x"}]}, "a statistic without a name"),
        ("helm", {"instance_id": None}, "id is null, expected text"),
        ("every eval ever", {"evaluation": {"score": [1]}}, "score is .*, expected a number"),
        ("every eval ever", {"sample_id": 1.5}, "id is 1.5, expected text or an integer"),
    ],
)
def test_wrong_values_are_named_with_their_place(tmp_path, layout, change, says):
    name, write, score, n_systems, _, repeats = LAYOUTS[layout]
    text = write(exports.drawn(0, n_systems, 4, repeats, 0))
    held = [json.loads(line) for line in text.splitlines()] if "jsonl" in name else json.loads(text)
    rows = held["results"]["results"] if layout == "promptfoo" else held
    rows[3].update(change)
    path = tmp_path / name
    path.write_text("\n".join(map(json.dumps, held)) if "jsonl" in name else json.dumps(held))
    with pytest.raises(InputError, match=says) as error:
        read(path, score)
    assert str(error.value).startswith(str(path))


def test_the_latest_run_and_conversations_of_deepeval(tmp_path):
    """Names that repeat are no ids: cases are numbered; a conversation is a case."""
    run = json.loads((CORPUS / "deepeval.json").read_bytes())
    run["conversationalTestCases"] = [
        {"name": "s0", "scenario": "rain", "success": False, "metricsData": []}
    ]
    path = tmp_path / ".latest_test_run.json"
    path.write_text(json.dumps({"testRunData": run}))
    [(name, made)] = read(path).items()
    assert (name, of_units(made)) == ("careful", {"0": 1, "1": 1, "2": 0, "3": 0})


def test_a_metric_named_twice_and_a_repeat_without_a_number_are_refused(tmp_path):
    run = json.loads((CORPUS / "deepeval.json").read_bytes())
    run["testCases"][0]["metricsData"][1]["name"] = "Overlap"
    path = tmp_path / "a.json"
    path.write_text(json.dumps(run))
    with pytest.raises(InputError, match='metric "Overlap" occurs twice'):
        read(path)
    lines = [json.loads(line) for line in (CORPUS / "eee_samples.jsonl").read_text().splitlines()]
    for line in lines:
        del line["metadata"]["epoch"]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match='"q0" occurs 2 times'):
        read(path)


@pytest.mark.parametrize("name", sorted(path.name for path in CORPUS.iterdir()))
def test_hostile_files_end_with_one_message(tmp_path, name, capsys):
    from fastcausal.cli import app

    data = (CORPUS / name).read_bytes()
    script = b"<script>alert(1)</script>\x1b[31m"
    deep = b"[" * 100_000
    hostile = [
        data[: len(data) // 2], data[:-3], data.replace(b"rain", b"\xff\xfe"), b"\xff" + data,
        data.replace(b'"', deep + b'"', 1), data.replace(b"1", b"9" * 5000), b"{}", b"[]", b"null",
        data.replace(b"rain", script), b"\0" * 99, data.replace(b"{", b"[").replace(b"}", b"]"),
    ]  # fmt: skip
    for k, each in enumerate(hostile):
        path = tmp_path / f"{k}_{name}"
        path.write_bytes(each)
        with pytest.raises(SystemExit) as end:
            app.main(["aggregate", str(path), "--missing", "skip"])
        out, err = capsys.readouterr()
        messages = [line for line in err.splitlines() if line.startswith("error: ")]
        assert (end.value.code or 0) == 2 * len(messages), (k, err)
        assert len(messages) < 2
        assert "\x1b" not in out + err
