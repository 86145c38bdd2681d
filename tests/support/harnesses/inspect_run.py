"""Run a task of inspect-ai with a mock model; its logs go to a folder. Needs inspect-ai alone."""

from __future__ import annotations

import random
import sys

import tiktoken
from inspect_ai import Epochs, Task, eval
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import Score, accuracy, match, mean, scorer, stderr


class Words:
    """Words for tokens, as counting tokens would download their list."""

    def encode(self, text, **options):
        return text.split()


tiktoken.get_encoding = lambda name: Words()


@scorer(metrics=[mean(), stderr(), stderr(cluster="doc")])
def overlap():
    async def score(state, target):
        return Score(value=(len(state.output.completion) * 7 + len(str(state.sample_id))) % 5 / 4)

    return score


@scorer(metrics=[accuracy(), stderr(), stderr(cluster="doc")])
def right():
    return match()


folder = sys.argv[1]
for seed in (1, 2):
    chance = random.Random(seed)
    samples = [
        Sample(id=f"q-{k}", input=f"q{k}?", target="no", metadata={"doc": f"d{k // 3}"})
        for k in range(24)
    ]
    answers = [chance.choice(["no", "yes", "maybe no", "nothing"]) for _ in range(24 * 2)]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for layout in ("eval", "json"):
        eval(
            Task(
                dataset=MemoryDataset(samples, name="ours"),
                scorer=[right(), overlap()],
                epochs=Epochs(2, "mean"),
                name="ours",
            ),
            model=get_model("mockllm/model", custom_outputs=outputs),
            log_dir=f"{folder}/{seed}-{layout}",
            log_format=layout,
            display="none",
            max_connections=1,
            max_samples=1,
        )
