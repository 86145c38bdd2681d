"""Evaluations of inspect-ai that stop early: their logs go to a folder. Needs both packages."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import match

from fastcausal.training.inspect_ai import StopWhenDecided

folder = Path(sys.argv[1])
N = 60


def run(name, answers, stopping=None, epochs=1):
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage()
    samples = [Sample(id=k, input=f"q{k}?", target="yes") for k in range(N)]
    [log] = eval(
        Task(
            dataset=MemoryDataset(samples, name="ours"), scorer=match(), name="ours",
            epochs=Epochs(epochs, "mean"), early_stopping=stopping,
        ),
        model=get_model("mockllm/model", custom_outputs=outputs), display="none",
        log_dir=str(folder / name), max_samples=1, max_connections=1,
    )  # fmt: skip
    return log


def tell(log):
    stopped = log.results.early_stopping
    return {
        "status": log.status,
        "n": len([each for each in log.samples if each.scores]),
        "stopped": len(stopped.early_stops),
        "stop": stopped.early_stops[0].reason if stopped.early_stops else None,
        **stopped.metadata,
    }


before = run("before", ["no", "yes"] * (N // 2))
right = ["yes"] * N
told = {
    "gain": tell(run("gain", right, StopWhenDecided(
        "match", baseline=before.location, min_delta=0.0))),
    "floor": tell(run("floor", right * 2, StopWhenDecided("match", floor=0.5), 2)),
    "budget": tell(run("budget", ["no", "yes"] * N, StopWhenDecided(
        "match", floor=0.5, budget=7))),
}  # fmt: skip
short = StopWhenDecided("match", baseline=before.location, min_delta=0.0)
samples = [Sample(id=N, input="?", target="yes")]
[log] = eval(Task(MemoryDataset(samples), scorer=match(), early_stopping=short),
             model="mockllm/model", display="none", log_dir=str(folder / "unknown"))  # fmt: skip
told["unknown"] = log.error.message
(folder / "told.json").write_text(json.dumps(told))
