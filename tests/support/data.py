"""Real data beside the checkout, where there is any: tests that use it skip without it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
CNC = DATA / "cnc"
