"""Run metrics of DeepEval without a model; the test run goes to a folder. Needs deepeval alone."""

from __future__ import annotations

import os
import sys

folder = sys.argv[1]
os.environ |= {"DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "DEEPEVAL_RESULTS_FOLDER": folder}

from deepeval import evaluate  # noqa: E402
from deepeval.evaluate import ErrorConfig  # noqa: E402
from deepeval.metrics import BaseMetric  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402


class Overlap(BaseMetric):
    threshold = 0.5

    @property
    def __name__(self):
        return "Overlap"

    def measure(self, case, *args, **options):
        wanted = {*case.expected_output.split()}
        if case.actual_output == "crash":
            raise ValueError("judge down")
        self.score = len(wanted & {*case.actual_output.split()}) / len(wanted)
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, case, *args, **options):
        return self.measure(case)

    def is_successful(self):
        return self.success


answers = ["rain floods", "rain", "no", "floods", "crash", "rain floods storm"]
cases = [
    LLMTestCase(name=f"s{k}", input=f"text {k}", actual_output=each, expected_output="rain floods")
    for k, each in enumerate(answers)
]
evaluate(
    cases,
    [Overlap()],
    hyperparameters={"model": "careful"},
    error_config=ErrorConfig(ignore_errors=True),
)
