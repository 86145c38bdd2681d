"""Imports point one way, and importing the package costs next to nothing."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fastcausal

ROOT = Path(fastcausal.__file__).parent
# Each layer may import those above it in this list; parts of one layer do not know each other.
LAYERS = [
    ("_ids", "_objects", "_spans", "arrays", "errors"),
    ("relations", "sample", "tensors"),
    ("engine", "formats"),
    ("decoding", "official", "protocols", "ratings", "report", "scores", "tagging"),
    ("align", "checks", "cnc2022", "corpus", "counted", "questions", "sentences", "streams"),
    ("details",),
    ("annotators", "extraction"),
    ("quirks", "tag_scorer"),
    ("training",),
    ("cli",),
]
RANKS = {name: rank for rank, layer in enumerate(LAYERS) for name in layer}
MODULES = [
    path
    for path in sorted(ROOT.rglob("*.py"))
    if path != ROOT / "__init__.py" and ROOT / "_bench" not in path.parents
]
HEAVY = ("pyarrow", "typer", "rich", "numba", "torch", "pandas", "scipy", "cupy", "transformers")


def part_of(path: Path) -> str:
    return path.relative_to(ROOT).parts[0].partition(".")[0]


def imported(path: Path) -> Iterator[str]:
    """The modules that a file imports anywhere, from the package as ``fastcausal.part``."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path.name} imports relatively"
            if node.module == "fastcausal":
                yield from (f"fastcausal.{alias.name}" for alias in node.names)
            else:
                yield str(node.module)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_imports_upward(path):
    mine = part_of(path)
    for name in imported(path):
        package, _, rest = name.partition(".")
        other = rest.partition(".")[0]
        if package != "fastcausal" or other in (mine, "__version__"):
            continue
        if not other:  # the public names
            assert mine == "cli"
        else:
            assert RANKS[other] < RANKS[mine], f"{mine} imports {other}"


def test_every_module_has_a_layer():
    assert {part_of(path) for path in (*MODULES, *ROOT.rglob("*.pyx"))} == set(RANKS)


def run(code: str) -> list[str]:
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def test_importing_loads_nothing_heavy():
    loaded = run("import sys, fastcausal; print(*sys.modules)")
    assert "fastcausal" in loaded
    assert not {name.partition(".")[0] for name in loaded} & set(HEAVY)
    loaded = run("import sys; from fastcausal import cli; print(*sys.modules)")
    assert not {"pyarrow", "numpy", "fastcausal.relations"} & set(loaded)  # so that --help is quick
    loaded = run(
        "import sys, fastcausal as fc; from fastcausal import sample; gold = fc.read(sample.GOLD);"
        "fc.score(gold, fc.read(sample.SYSTEMS['hasty'], like=gold)).to_json(); print(*sys.modules)"
    )
    assert not (set(HEAVY) - {"pyarrow"} | {"pyarrow.parquet", "pyarrow.dataset"}) & set(loaded)


def test_importing_costs_less_than_numpy():
    code = """
import json, time
start = time.perf_counter()
import numpy
numpy_loaded = time.perf_counter()
import fastcausal
print(json.dumps([numpy_loaded - start, time.perf_counter() - numpy_loaded]))
"""
    costs = [json.loads("".join(run(code))) for _ in range(3)]
    numpys, ours = (min(column) for column in zip(*costs, strict=True))
    assert ours < max(numpys, 0.06)


def test_all_names_load():
    assert {name for name in dir(fastcausal) if not name.startswith("_")} == {
        "Agreement", "AlphaInterval", "AnswerReport", "CheckReport", "ClassificationReport",
        "ClassificationScorer", "CorpusDescription", "Decoded", "ExtractionScorer", "InputError",
        "LabelAgreement", "Objective", "PROTOCOLS", "Protocol", "Relations", "Report",
        "Rows", "SpanDecoder", "TagScheme", "TagScorer", "agreement", "alpha_interval", "check",
        "classify", "cohen_kappa", "describe", "explain", "fleiss_kappa", "kernel",
        "krippendorff_alpha", "label_agreement", "majority_vote", "mean_pairwise_kappa",
        "percent_agreement", "read", "score", "score_answers", "write",
    }  # fmt: skip
    for name in fastcausal.__all__:
        assert getattr(fastcausal, name) is not None
    with pytest.raises(AttributeError, match="module 'fastcausal' has no attribute 'scores_of'"):
        fastcausal.scores_of  # noqa: B018
