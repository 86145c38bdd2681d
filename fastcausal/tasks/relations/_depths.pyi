from numpy import int8, int64
from numpy.typing import NDArray

from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference.depths import DepthRules
from fastcausal.rows import Rows

def count(
    rules: DepthRules,
    gold: Rows,
    pred: Rows,
    types: tuple[NDArray[int64], NDArray[int64]] | None,
    groups: CountGroups,
    counts: NDArray[int64],
    partner: NDArray[int64] | None,
    num_threads: int,
    lines: tuple[NDArray[int8], NDArray[int8]] | None = None,
) -> int: ...
