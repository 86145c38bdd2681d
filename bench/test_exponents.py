"""Cost of each kernel at n, 4n and 16n sentences, as exponents of n."""

from __future__ import annotations

import numpy as np
import pytest

from fastcausal.engine.run import run
from fastcausal.relations import ROLES

from . import corpus, ours
from .conftest import Clocks, exponents

CORPUS = "CNC"
KERNELS = ("recess", "cnc-2023", *ours.KERNELS)
ROUNDS = 5


@pytest.mark.parametrize("system", corpus.NOISES)
def test_exponents(benchmark, note, request, system):
    """16n sentences are ``--sentences``."""
    most = request.config.getoption("--sentences")
    sides = corpus.sentences(most, noise=corpus.NOISES[system])
    found = []
    for name in KERNELS:
        plan = ours.BY_NAME[name].plan(ROLES)
        least = []
        for n in (most // 16, most // 4, most):
            some = [corpus.drawn(side, np.arange(n)) for side in sides]
            groups = np.zeros(n, np.int64)

            def call(plan=plan, some=some, groups=groups):
                run(plan, *some, groups, 1, num_threads=1)

            call()
            least.append(min(Clocks.of(call).thread for _ in range(ROUNDS)))
        found.append(f"{name} {exponents(least)}")
    benchmark.pedantic(call, rounds=1)
    note(f"exponents of {most:,} sentences, {system} system, to 4n and to 16n: {'; '.join(found)}")
