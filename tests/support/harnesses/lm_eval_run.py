"""Run a task of lm-eval with its random model; results go to a folder. Needs lm-eval alone."""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

from lm_eval import simple_evaluate
from lm_eval.loggers import EvaluationTracker
from lm_eval.tasks import TaskManager

folder = Path(sys.argv[1])
chance = random.Random(1)
data = folder / "data.jsonl"
data.write_text(
    "".join(
        json.dumps({"qid": k, "question": f"g{k}", "answer": chance.randrange(2)}) + "\n"
        for k in range(40)
    )
)
(folder / "ours.yaml").write_text(
    f"""task: ours
dataset_path: json
dataset_kwargs:
  data_files:
    test: {data}
test_split: test
output_type: multiple_choice
doc_to_text: "{{{{question}}}}"
doc_to_target: answer
doc_to_choice: ["no", "yes"]
metric_list:
  - metric: acc
    aggregation: mean
    higher_is_better: true
  - metric: acc_norm
    aggregation: mean
    higher_is_better: true
"""
)
random.seed(5)
tracker = EvaluationTracker(output_path=str(folder / "out"))
results = simple_evaluate(
    model="dummy", tasks=["ours"], task_manager=TaskManager(include_path=str(folder)),
    log_samples=True, bootstrap_iters=0,
)  # fmt: skip
samples = results.pop("samples")
tracker.save_results_aggregated(results=results, samples=samples)
tracker.save_results_samples(task_name="ours", samples=samples["ours"])
