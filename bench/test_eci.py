"""Causal pairs against pandas' merge and pyarrow's group and join, in memory and from Parquet."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import fastcausal as fc

CORPUS = "random pairs"

N_PAIRS, PER_DOCUMENT, N_MENTIONS = 2_000_000, 50, 40
COLUMNS = ["doc_id", "a", "b", "label"]


def pairs(seed: int, n: int = N_PAIRS) -> pa.Table:
    """Draw pairs of ascending documents; some pairs occur in both orders, some twice."""
    rng = np.random.default_rng(seed)
    document = np.sort(rng.integers(0, n // PER_DOCUMENT, n))
    a = rng.integers(0, N_MENTIONS, n)
    b = (a + rng.integers(1, N_MENTIONS, n)) % N_MENTIONS
    values = {
        "doc_id": (document, [f"doc_{k:07d}" for k in range(n // PER_DOCUMENT)]),
        "a": (a, [f"m{k}" for k in range(N_MENTIONS)]),
        "b": (b, [f"m{k}" for k in range(N_MENTIONS)]),
        "label": (rng.integers(0, 2, n), ["CAUSE", "PRECONDITION"]),
    }
    return pa.table({name: pa.array(of).take(pa.array(at)) for name, (at, of) in values.items()})


def n_pairs(request: pytest.FixtureRequest) -> int:
    """Number of pairs: two million for the default of ``--sentences``."""
    return min(N_PAIRS, 100 * int(request.config.getoption("--sentences")))


def ours(gold: object, pred: object) -> list[tuple[int, int, int]]:
    report = fc.eci(gold, pred)
    groups = (report[group] for group in ("exists", "direction", "typed"))
    return [(scores["tp"], scores["predicted"], scores["gold"]) for scores in groups]


def by_arrow(gold: pa.Table, pred: pa.Table) -> tuple[int, int, int]:
    """Count only typed hits: group each side, join the groups."""
    sides = [side.group_by(COLUMNS).aggregate([]) for side in (gold, pred)]
    hits = sides[0].join(sides[1], COLUMNS, join_type="inner")
    return len(hits), len(sides[1]), len(sides[0])


def merged(gold: Any, pred: Any) -> tuple[int, int, int]:
    """Count only typed hits: drop duplicates of each side, merge."""
    sides = [side.drop_duplicates() for side in (gold, pred)]
    return len(sides[0].merge(sides[1])), len(sides[1]), len(sides[0])


def by_pandas(gold: Any, pred: Any) -> list[tuple[int, int, int]]:
    """Count all three groups: merge pairs without order, with order, and with labels."""
    ordered = [side[["doc_id", "a", "b"]] for side in (gold, pred)]
    either = []
    for side in ordered:
        turned = side["a"] > side["b"]
        ends = side["a"].where(~turned, side["b"]), side["b"].where(~turned, side["a"])
        either.append(side.assign(a=ends[0], b=ends[1]))
    return [merged(*sides) for sides in (either, ordered, (gold, pred))]


def test_pairs_in_memory(race, request):
    n = n_pairs(request)
    pa.set_cpu_count(1)
    gold, pred = pairs(0, n), pairs(1, n)
    frames = gold.to_pandas(), pred.to_pandas()
    expected = ours(gold, pred)
    assert by_pandas(*frames) == expected
    assert by_arrow(gold, pred) == merged(*frames) == expected[-1]
    race(
        f"{n:,} pairs against {n:,}",
        n,
        lambda: ours(gold, pred),
        {
            "pandas, three merges": lambda: by_pandas(*frames),
            "pandas, types alone": lambda: merged(*frames),
            "pyarrow, types alone": lambda: by_arrow(gold, pred),
        },
        rounds=3,
    )


def test_pairs_from_parquet(race, note, request, tmp_path):
    n = n_pairs(request)
    pa.set_cpu_count(1)
    files = [tmp_path / f"{name}.parquet" for name in ("gold", "pred")]
    for seed, file in enumerate(files):
        pq.write_table(pairs(seed, n), file)
    race(
        f"{n:,} pairs against {n:,} from Parquet",
        n,
        lambda: ours(*files),
        reading={"pyarrow, reading both": lambda: [pq.read_table(file) for file in files]},
        rounds=3,
    )
    command = [sys.executable, "-c", MEMORY, *map(str, files)]
    memory = subprocess.run(command, capture_output=True, check=True, cwd=Path(__file__).parents[1])
    peak = int(memory.stdout) / 2**20
    note(f"pairs: a process that scores them from Parquet peaks at {peak:.2f} GB")


# Not ru_maxrss, which a process inherits from its parent.
MEMORY = """
import re, sys
import fastcausal as fc
fc.eci(*sys.argv[1:])
print(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
"""
