"""This package as an editable installation, for a Python that finds its modules by a path alone."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[2]


def installed_in(folder: Path) -> str:
    """Write the metadata of an editable installation, as pip does; return PYTHONPATH."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    info = folder / "fastcausal-0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: fastcausal\nVersion: 0\n")
    (info / "top_level.txt").write_text("fastcausal\n")
    url = {"url": ROOT.as_uri(), "dir_info": {"editable": True}}
    (info / "direct_url.json").write_text(json.dumps(url))
    groups = "".join(
        f"[{group}]\n" + "".join(f"{name} = {value}\n" for name, value in entries.items())
        for group, entries in project["entry-points"].items()
    )
    (info / "entry_points.txt").write_text(groups)
    return f"{folder}:{ROOT}"
