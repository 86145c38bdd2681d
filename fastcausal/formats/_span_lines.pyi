from typing import Any

from numpy import int8, int32, int64
from numpy.typing import NDArray

TextBytes = list[Any] | tuple[Any, NDArray[int64]]

class Written:
    @property
    def places(self) -> tuple[bytes, bytes, bytes]: ...
    @property
    def plain(self) -> bytes: ...
    @property
    def types(self) -> tuple[bytes, bytes]: ...
    @property
    def examples(self) -> bytes: ...
    @property
    def names(self) -> list[str]: ...
    def column(self, k: int) -> tuple[bytes, bytes, bytes]: ...
    def find(
        self,
        texts: TextBytes,
        lengths: NDArray[int32],
        plain: NDArray[int8],
        by_gap: bool,
        by_letters: bool,
    ) -> tuple[
        NDArray[int32], NDArray[int64], NDArray[int64], NDArray[int32], int, int, int, int
    ]: ...

def read_lines(data: Any) -> Written | None: ...
def read_answers(texts: TextBytes, no_spans: bytes, ways: NDArray[int8]) -> Written: ...
