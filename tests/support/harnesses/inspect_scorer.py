"""Evaluate with the scorer of the entry point, then score a log again: logs into a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from inspect_ai import Task, eval, score
from inspect_ai._util.registry import registry_create
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import write_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer

folder = Path(sys.argv[1])
TEXTS = ["Rain fell , so roads closed .", "Traffic fell .", "Wind rose and trees fell ."]
GOLD = [
    [{"cause": "Rain fell", "effect": "roads closed"}],
    [],
    [{"cause": "Wind rose", "effect": "trees fell"}],
]
ANSWERS = {
    "good": [
        '{"relations": [{"cause": "Rain fell", "effect": "roads closed"}]}',
        "There is nothing.",
        '{"relations": [{"cause": "Wind rose", "effect": "trees"}]}',
    ],
    "bad": ['{"relations": []}', '{"relations": [{"cause": "Traffic", "effect": "fell"}]}', "?"],
}


@scorer(metrics=[accuracy()])
def nothing():
    async def score(state, target):
        return Score(value=0)

    return score


def dataset(metadata=True):
    rows = zip(TEXTS, GOLD, strict=True)
    return MemoryDataset([
        Sample(text, id=k, metadata={"text": text, "relations": gold} if metadata else {})
        for k, (text, gold) in enumerate(rows)
    ])  # fmt: skip


def model(answers):
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        output.usage = ModelUsage()
    return get_model("mockllm/model", custom_outputs=outputs)


for name, answers in ANSWERS.items():
    [log] = eval(
        Task(dataset(), scorer=nothing()), model=model(answers), display="none",
        log_dir=str(folder / "first"), max_samples=1,
    )  # fmt: skip
    ours = registry_create("scorer", "fastcausal/relations")  # as --scorer does
    write_eval_log(score(log, ours, action="overwrite"), folder / f"{name}.eval")

[log] = eval(
    Task(dataset(metadata=False), scorer=registry_create("scorer", "fastcausal/relations")),
    model=model(ANSWERS["good"]), display="none", log_dir=str(folder / "without"),
)  # fmt: skip
(folder / "error.txt").write_text(log.error.message)
whole = registry_create("scorer", "fastcausal/relations", protocol="relations")
[log] = eval(
    Task(dataset(), scorer=whole), model=model(ANSWERS["good"]), display="none",
    log_dir=str(folder / "whole"), max_samples=1,
)  # fmt: skip
told = {
    "metrics": {name: each.value for name, each in log.results.scores[0].metrics.items()},
    "values": [each.scores["relations"].value for each in log.samples],
}
(folder / "whole.json").write_text(json.dumps(told))
try:
    registry_create("scorer", "fastcausal/relations", protocol="cnc-2022")
except ValueError as error:
    (folder / "protocol.txt").write_text(str(error))
