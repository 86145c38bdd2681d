"""One name, one meaning: of classes and aliases of types; functions are named by verbs."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from pathlib import Path

import fastcausal

ROOT = Path(fastcausal.__file__).parent


def meanings() -> dict[str, set[str]]:
    """Modules of every class at the top of a module, and values of aliases, by public name."""
    named: dict[str, set[str]] = defaultdict(set)
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                named[node.name].add(str(path.relative_to(ROOT)))
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named[node.targets[0].id].add(ast.unparse(node.value))
    return {
        name: found
        for name, found in named.items()
        if not name.startswith("_") and not name.isupper() and name[0].isupper()
    }


def test_no_two_classes_have_one_name():
    classes = {n: found for n, found in meanings().items() if any(".py" in v for v in found)}
    assert len(classes) > 200
    assert not {name: found for name, found in classes.items() if len(found) > 1}


# A name like `_of_x` or `_kept` hides what a function does; public `to_table` does not.
RIDDLES = re.compile(
    r"_*(of|by|in|on|at|_to|from|with|without|as|for|per|than|kept|found|said|told|one|some|any|all|"
    r"those|these|that|which|other|others|what|where|who|whose|so|if|least|most|named|given|seen|"
    r"taken|made|left)(_.*)?"
)
MAX_RIDDLES = (
    0.015  # of all functions: some are public, as `Statistics.by` and `Report.with_intervals`
)


def test_functions_are_named_by_verbs():
    names = [
        (node.name, str(path.relative_to(ROOT)))
        for path in sorted(ROOT.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    ]
    riddles = [each for each in names if RIDDLES.fullmatch(each[0])]
    assert len(names) > 3000
    assert len(riddles) <= MAX_RIDDLES * len(names), riddles
