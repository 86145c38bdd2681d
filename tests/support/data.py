"""Real data beside the checkout; tests that use it skip if it is missing."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
CNC = DATA / "cnc"
