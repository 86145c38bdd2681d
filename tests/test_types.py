"""Type checkers of other projects refuse bad arguments and know the types of scores."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import typing
from importlib.util import find_spec
from pathlib import Path

import pytest

import fastcausal as fc
from fastcausal import sample
from fastcausal.report.groups import Scores

# A program of a user; checkers complain of the lines marked "refused", and of no other.
PROGRAM = """
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import fastcausal as fc


class Table:
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return None


def parts() -> Iterator[Table]:
    yield Table()


examples = [{"length": 3, "relations": [{"cause": (0, 1)}]}]
gold = fc.Relations.from_examples(examples)
report = fc.score(gold, Path("pred.jsonl"), "cnc-2023", unparsed="empty", backend="cpu")
fc.score(examples, Table(), fc.Protocol("mine", ties="first"))
fc.score([["<ARG0>a</ARG0> b"]], [[["O", "B-Cause"]]])
fc.score("gold.parquet", parts())
fc.score(fc.Rows.of(gold), fc.Rows.of(gold))
fc.read("a.csv", format="bio", tags="cnc-2022", like=gold)
fc.write(gold, "a.csv", format="squad", seed=1)
fc.agree({"ann": gold, "ben": Path("b.csv")}, "recess-code", average="example")
fc.classify([1, 0], ["a", None], unmatched="skip")
fc.qa([{"id": 1}], {"a": "b"}, unmatched="empty")
fc.check([gold, "b.csv"])
fc.krippendorff_alpha([[1, 2]], "ordinal")
f1: float = report["overall"].f1
tp: int = report["cause"].tp
low: float = report.statistics.interval("overall_f1", method="jackknife").low
alpha: float = fc.agree([gold, gold])["total"].alpha

fc.score(gold, gold, "cnc-2033")  # refused
fc.score(gold, gold, protocol="cnc-2033")  # refused
fc.score(gold, gold, unparsed="ignore")  # refused
report.statistics.interval("overall_f1", method="basic")  # refused
fc.score(gold, gold, backend="gpu")  # refused
fc.score(3, gold)  # refused
fc.score(gold, [1, 2])  # refused
fc.ExtractionScorer(unmatched="ignore")  # refused
fc.ExtractionScorer().update(gold, None)  # refused
fc.TagScorer(fc.TagScheme(["O"]), backend="reference")  # refused
fc.Protocol("mine", tags="cnc")  # refused
fc.read("a.csv", "squad")  # refused
fc.write(gold, "a", "xmi")  # refused
fc.agree([gold, gold], "cnc-2023")  # refused
fc.classify([1], [1], unparsed="empty")  # refused
fc.classify(1, [1])  # refused
fc.krippendorff_alpha([[1, 2]], "metric")  # refused
fc.majority_vote([[1, 2]], "last")  # refused
fc.SpanDecoder("greedy")  # refused
fc.describe(gold, "treebank")  # refused
text: str = report["overall"].f1  # refused
"""
REFUSED = {k for k, line in enumerate(PROGRAM.splitlines(), 1) if line.endswith("# refused")}

slow = pytest.mark.slow


def needs(checker):
    return pytest.mark.skipif(find_spec(checker) is None, reason=f"{checker} is not installed")


def run(folder, *command):
    """Run a checker beside the program, on the package that this Python imports."""
    (folder / "program.py").write_text(PROGRAM)
    paths = os.pathsep.join([str(Path(fc.__file__).parents[1]), *filter(None, sys.path)])
    done = subprocess.run([sys.executable, "-m", *command], cwd=folder, capture_output=True,
                          encoding="utf-8", check=False,
                          env={**os.environ, "PYTHONPATH": paths})  # fmt: skip
    return done.stdout


@slow
@needs("mypy")
def test_mypy_refuses_what_is_wrong_alone(tmp_path):
    said = run(tmp_path, "mypy", "--strict", "--config-file=", "--cache-dir=cache", "program.py")
    assert {int(n) for n in re.findall(r"^program.py:(\d+): error", said, re.M)} == REFUSED, said


@slow
@needs("basedpyright")
def test_pyright_refuses_what_is_wrong_alone(tmp_path):
    python = f"--pythonpath={sys.executable}"
    said = json.loads(run(tmp_path, "basedpyright", "--outputjson", python, "program.py"))
    faults = [d for d in said["generalDiagnostics"] if d["severity"] == "error"]
    assert {d["range"]["start"]["line"] + 1 for d in faults} == REFUSED, faults


@slow
@needs("basedpyright")
def test_the_public_types_are_known(tmp_path):
    python = f"--pythonpath={sys.executable}"
    said = json.loads(
        run(tmp_path, "basedpyright", "--outputjson", python, "--verifytypes=fastcausal",
            "--ignoreexternal")
    )  # fmt: skip
    assert said["typeCompleteness"]["completenessScore"] >= 0.98


# -------------------------------------------------------------------------------- names of scores


def reports():
    """A report of each task, of the sample."""
    gold = fc.read(sample.GOLD)
    pred = fc.read(sample.SYSTEMS["careful"], like=gold)
    kernels = ("fair_spans", "exact_spans", "span_overlap")
    yield from (fc.score(gold, pred, fc.Protocol("mine", kernel=kernel)) for kernel in kernels)
    yield fc.agree({"ann": gold, "ben": pred})
    yield fc.agree({"ann": gold, "ben": pred}, "recess-code")
    yield fc.classify([1, 0, 1], [1, 1, 0])
    yield fc.answers(sample.JUDGED)
    yield fc.qa([{"id": 1, "question": "Why?", "answers": {"text": "rain"}}], {"1": "a"})


def test_scores_are_declared_with_their_types():
    """Editors offer every name: each is declared with the type of its value."""
    declared = typing.get_type_hints(Scores)
    for report in reports():
        for scores in report.scores.values():
            for name, value in scores.items():
                if name in declared:
                    assert type(value) is declared[name], name
            assert {name for name, value in scores.items() if type(value) is float} <= set(declared)
    counts = fc.score(fc.read(sample.GOLD), fc.read(sample.GOLD))["overall"]
    assert set(counts) <= set(declared)
