from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

class Written:
    @property
    def places(self) -> tuple[bytes, bytes, bytes]: ...
    @property
    def plain(self) -> bytes: ...
    @property
    def further(self) -> bytes: ...
    @property
    def names(self) -> list[str]: ...
    def column(self, k: int) -> tuple[bytes, bytes, bytes]: ...
    def find(
        self,
        data: Any,
        places: NDArray[int64],
        lengths: NDArray[int32],
        plain: NDArray[int8],
        by_gap: bool,
    ) -> tuple[NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32], int, int, int]: ...

def read_lines(data: Any) -> Written | None: ...
def read_answers(
    data: Any, places: NDArray[int64], no_spans: bytes, ways: NDArray[int8]
) -> Written: ...
