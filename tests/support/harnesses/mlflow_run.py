"""Evaluate answers with mlflow; its tables go to a folder. Needs mlflow alone."""

from __future__ import annotations

import sys

import mlflow
import pandas as pd
from mlflow.genai.scorers import scorer
from mlflow.metrics import MetricValue
from mlflow.models import make_metric

folder = sys.argv[1]
mlflow.set_tracking_uri(f"sqlite:///{folder}/runs.sqlite")
mlflow.create_experiment("ours", artifact_location=f"file://{folder}/artifacts")
mlflow.set_experiment("ours")
rows = [("one", "rain", "rain"), ("four", "wind", "calm"), ("seven", "sun", "sun")]


def same_as(predictions, targets):
    scores = [float(p == t) for p, t in zip(predictions, targets, strict=True)]
    return MetricValue(scores=scores, aggregate_results={"mean": sum(scores) / len(scores)})


@scorer
def same(outputs, expectations):
    return outputs == expectations["answer"]


frame = pd.DataFrame(rows, columns=["inputs", "targets", "outputs"])
with mlflow.start_run() as run:
    metric = make_metric(eval_fn=same_as, greater_is_better=True, name="same")
    made = mlflow.models.evaluate(
        data=frame, predictions="outputs", targets="targets", model_type=None,
        evaluators="default", extra_metrics=[metric],
    )  # fmt: skip
mlflow.artifacts.download_artifacts(
    run_id=run.info.run_id, artifact_path="eval_results_table.json", dst_path=folder
)
data = [
    {"inputs": {"text": text}, "expectations": {"answer": gold}, "outputs": said}
    for text, gold, said in rows
]
found = mlflow.genai.evaluate(data=data, scorers=[same]).result_df
found.to_json(f"{folder}/traces.json", orient="records")
found.to_csv(f"{folder}/traces.csv")
