"""Sweeps that kill themselves: ``python killed.py GOLD RUNS OUT SEED N_FOLDERS JOBS``.

Each child of this process counts the calls of its functions, of Python and of C, and sends itself
SIGKILL at one of them: random moments that no load of the machine moves.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from itertools import count
from pathlib import Path

import numpy as np

from fastcausal.sweeps.sweep import sweep


def sweep_until(last: int | None, gold: Path, runs: Path, out: Path, jobs: int) -> int:
    """Score all runs in a child; return how many calls it made, or 0 of one that was killed."""
    reader, writer = os.pipe()
    if not os.fork():
        calls = count()
        latest = 0

        def see(*event: object) -> None:
            nonlocal latest
            latest = next(calls)
            if latest == last:
                os.kill(os.getpid(), signal.SIGKILL)

        threading.setprofile(see)
        sys.setprofile(see)
        sweep(gold, runs, out, jobs=jobs)
        sys.setprofile(None)
        os.write(writer, str(latest).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        answer = pipe.read()
    os.wait()
    return int(answer or 0)


def main() -> None:
    gold, runs, out = map(Path, sys.argv[1:4])
    seed, n, jobs = map(int, sys.argv[4:])
    n_calls = sweep_until(None, gold, runs, out / "alone", jobs)
    for k, moment in enumerate(np.random.default_rng(seed).integers(n_calls, size=n).tolist()):
        sweep_until(moment, gold, runs, out / str(k), jobs)


if __name__ == "__main__":
    main()
