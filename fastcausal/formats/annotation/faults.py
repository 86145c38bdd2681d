"""Faults of marked texts: spans that do not fit their texts."""

from __future__ import annotations

from fastcausal.errors import InputError, Problems, Remedy, summary

MISPLACED = "text left out, its spans do not fit it"
_REMEDY = Remedy("unplaced", ("skip",), "leaves such texts out")


class UnplacedError(InputError):
    """A span does not fit its text: its offsets are outside, or point at other words."""

    def __init__(self, message: str) -> None:
        super().__init__(message, _REMEDY)


class Faults(Problems):
    """The faults of one file; an `UnplacedError` if every fault is a misplaced span."""

    def __init__(self) -> None:
        super().__init__()
        self._n_unplaced = 0

    def note(self, where: str, error: InputError) -> None:
        """Add one fault with its place."""
        self._n_unplaced += isinstance(error, UnplacedError)
        self.add(f"{where}: {error.problem}")

    def raise_if_any(self) -> None:
        """Raise the collected faults, if any."""
        if self.count and self.count == self._n_unplaced:
            raise UnplacedError(summary(self.count, self.first))
        super().raise_if_any()
