"""Count the moves of a call from file to file while one pair of files is scored.

``python -m bench.moves [-v]`` scores and prints the embedded sample and counts the Python calls
whose caller is in another file of the package; ``-v`` lists them, most frequent first. Work in
threads counts as well. With few moves, a reader who follows the data changes files rarely.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import fastcausal as fc
from fastcausal import sample

ROOT = str(Path(fc.__file__).parent)

Move = tuple[str, str, str]
"""The file that calls, the file that is called, the function."""


def scored() -> str:
    """Score one pair of files, from their paths to the printed table."""
    return str(fc.score(sample.GOLD, sample.SYSTEMS["careful"]))


def moves_of(call: Callable[[], Any]) -> Counter[Move]:
    """Count the calls from one file of the package into another, by the called function."""
    call()  # so that late imports do not count
    moves: Counter[Move] = Counter()

    def profile(frame: FrameType, event: str, arg: Any) -> None:
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(ROOT):
            return
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(ROOT):
            caller = caller.f_back
        before = "" if caller is None else caller.f_code.co_filename
        if before != file:
            moves[_short(before), _short(file), frame.f_code.co_qualname] += 1

    threading.setprofile(profile)
    sys.setprofile(profile)
    try:
        call()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)  # type: ignore[arg-type]
    return moves


def _short(file: str) -> str:
    return file.removeprefix(ROOT).lstrip("/")


if __name__ == "__main__":
    found = moves_of(scored)
    if "-v" in sys.argv:
        for (before, file, function), n in found.most_common():
            print(f"{n:3} {before or 'outside'} -> {file}: {function}")
    print(f"{found.total()} moves between {len({file for _, file, _ in found})} files")
