"""Answers of fastcausal's device code, compiled for the host as tests play it."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from with_fastcausal import answer_with

from tests.support import emulated

if __name__ == "__main__":
    with emulated.instead():
        answer_with("cuda")
