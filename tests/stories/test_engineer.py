"""An engineer with many runs, one of them broken: which is best, by how much, and may it ship?"""

from __future__ import annotations

import json

import pytest

from fastcausal import sample
from tests.support.cli import cli

N_RUNS = 12  # stands for 500


@pytest.fixture
def night(tmp_path):
    """Submissions of a sweep: run k has lost the predictions of k sentences; one file is broken."""
    lines = sample.SYSTEMS["careful"].read_text().splitlines()
    runs = tmp_path / "runs"
    runs.mkdir()
    for k in range(N_RUNS):
        lost = [json.dumps({"index": n, "prediction": []}) for n in range(k)]
        (runs / f"step_{k:03}.jsonl").write_text("\n".join(lost + lines[k:]) + "\n")
    broken = runs / "step_999.jsonl"
    broken.write_text("\n".join(lines).replace("</ARG1>", "", 1) + "\n")
    return tmp_path


def test_three_commands(night):
    gold, out = sample.GOLD, night / "scored"
    by = ("--by", "doc_id", "--by", "corpus")
    said, warned = cli("sweep", gold, night / "runs", "--out", out, *by, expect=None)
    ranked, _ = cli("leaderboard", out, "--n-resamples", 200, "--json")
    first, second, last = (out / f"runs/step_{k:03}.parquet" for k in (0, 1, N_RUNS - 1))
    cli("gate", "--baseline", first, "--candidate", last, "--min-delta", "-0.05", expect=1)

    assert f"{N_RUNS} scored" in said
    assert "step_999" in warned  # set aside with its reason, and the night is not lost
    systems = [row["system"] for row in json.loads(ranked)["systems"]]
    assert systems[0] == "step_000"
    assert systems[-1] == f"step_{N_RUNS - 1:03}"
    cli("gate", "--baseline", second, "--candidate", first, "--min-delta", "-0.05")


def test_going_on_after_a_repair(night):
    gold, out = sample.GOLD, night / "scored"
    cli("sweep", gold, night / "runs", "--out", out, expect=None)
    (night / "runs" / "step_999.jsonl").write_text(sample.SYSTEMS["careful"].read_text())
    said, _ = cli("sweep", gold, night / "runs", "--out", out, "--json")
    done = json.loads(said)
    assert (done["scored"], done["kept"], done["failed"]) == (1, N_RUNS, [])


def test_one_table_of_all_runs(night):
    """A data frame with a row per relation of every run gives the same from Python."""
    pl = pytest.importorskip("polars")
    import fastcausal as fc

    gold = fc.read(sample.GOLD)
    texts = dict(zip(gold.ids.to_pylist(), gold.table["text"].to_pylist(), strict=True))
    rows = [
        {"run": run, "id": id, "cause": " ".join(text.split()[:k]), "effect": text.split()[-2]}
        for run, k in (("short", 1), ("long", 2))
        for id, text in texts.items()
    ]
    f1 = {
        run: fc.score(gold, frame, by=["doc_id", "corpus"])["overall"].f1
        for (run,), frame in pl.DataFrame(rows).group_by("run")
    }
    assert f1["short"] > f1["long"] > 0
