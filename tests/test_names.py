"""One name, one meaning: of classes, and of the aliases of types beside them."""

from __future__ import annotations

import ast
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
