"""A change of a public name or its parameters, since the last release, is in the changelog."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

griffe = pytest.importorskip("griffe", reason="needs griffe, of the dependency group docs")
ROOT = Path(__file__).parents[1]


def last_release() -> str | None:
    """The last tag of a version, or None: before the first release nothing is promised."""
    command = ["git", "describe", "--tags", "--match=v[0-9]*", "--abbrev=0"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def public(package: Any) -> Any:
    """The public names of the package, as a module that defines them."""
    module = griffe.Module("fastcausal")
    for name, member in package.members.items():
        if member.is_alias and member.target_path.startswith("fastcausal."):
            module.set_member(name, member.final_target)
    assert "score" in module.members
    return module


@pytest.mark.slow
def test_the_changelog_names_every_breaking_change() -> None:
    tag = last_release()
    if tag is None:
        pytest.skip("there is no release to compare with")
    old = griffe.load_git("fastcausal", ref=tag, repo=ROOT, search_paths=["."])
    new = griffe.load("fastcausal", search_paths=[ROOT], allow_inspection=False)
    broken = {change.obj.path for change in griffe.find_breaking_changes(public(old), public(new))}
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").partition(f"\n## [{tag[1:]}]")[0]
    named = set(re.findall(r"\w+", changes))
    assert sorted(path for path in broken if path.rpartition(".")[2] not in named) == []
