from numpy import int64
from numpy.typing import NDArray

from fastcausal.engine.plan import CountGroups
from fastcausal.engine.reference.whole import WholeRules
from fastcausal.rows import Rows

def count(
    rules: WholeRules,
    gold: Rows,
    pred: Rows,
    types: tuple[NDArray[int64], NDArray[int64]] | None,
    groups: CountGroups,
    counts: NDArray[int64],
    partner: NDArray[int64] | None,
    num_threads: int,
) -> int: ...
