"""Bundles of shared tasks that need no wheels, and submissions to them."""

from __future__ import annotations

import zipfile
from pathlib import Path

from fastcausal import sample
from fastcausal._version import __version__
from fastcausal.shared_task.bundle import init

HERE = Path(sample.GOLD).parent
SETTINGS = {
    "recess": ("gold.csv", "score", {"unparsed": "empty"}),
    "cnc-2023": ("gold.csv", "score", {"protocol": "cnc-2023", "unparsed": "empty"}),
    "cnc-2022": ("gold.csv", "score", {"protocol": "cnc-2022", "unparsed": "empty"}),
    "pairs": ("pairs_gold.csv", "eci", {}),
    "listed": ("pairs_gold.csv", "eci", {"candidates": "listed"}),
    "answers": ("choices.csv", "classify", {"answers": "binary"}),
}


def without_wheels(folder: Path) -> Path:
    """A folder with a wheel of fastcausal in name alone."""
    folder.mkdir(exist_ok=True)
    zipfile.ZipFile(folder / f"fastcausal-{__version__}-py3-none-any.whl", "w").close()
    return folder


def box(target: Path, name: str) -> Path:
    """A bundle of one of the settings, with gold of the sample."""
    gold, task, options = SETTINGS[name]
    wheels = without_wheels(target.with_name(f"{target.name}_wheels"))
    init(target, HERE / gold, task, options, packed=wheels)
    return target
