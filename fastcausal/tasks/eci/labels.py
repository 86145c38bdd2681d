"""Labels of pairs as codes: no relation, one of unknown direction, or a type and its direction."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.distinct import number_texts
from fastcausal.errors import Problems
from fastcausal.files.records import Records
from fastcausal.files.values import shown

LabelCodes = npt.NDArray[np.int8]

NO_RELATION, UNKNOWN = 0, 1  # codes; of type t 2 + 2t (a causes b) and 3 + 2t (b causes a)
NO_RELATIONS = ("", "NONE", "NoRel")
OF_UNKNOWN = "null"
CONVERSES = {
    "PRECONDITION": "FALLING_ACTION",
    "CAUSE": None,
    "CauseEffect": "EffectCause",
    "CLINK": "CLINK-R",
}
"""Labels of "a causes b", each a type, and their converses."""
MOST_TYPES = 31  # the codes of 64 labels


@dataclass(frozen=True)
class LabelScheme:
    """Known labels and their codes.

    Attributes
    ----------
    forward, backward : tuple of str
        Further labels of "a causes b" and of "b causes a", each a type of its own.

    Raises
    ------
    ValueError
        A label is already known, or there are too many labels.

    Examples
    --------
    >>> labels = LabelScheme(("leads to",))
    >>> [labels.codes[label] for label in ("NONE", "null", "CAUSE", "FALLING_ACTION", "leads to")]
    [0, 1, 4, 3, 10]
    """

    forward: tuple[str, ...] = ()
    backward: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        declared = (*self.forward, *self.backward)
        for at, label in enumerate(declared):
            if label in LabelScheme().codes or label in declared[:at]:
                known = "is declared twice" if label in declared[:at] else "has a meaning already"
                raise ValueError(f'label "{label}" {known}, expected another in forward, backward')
        if len(declared) > MOST_TYPES - len(CONVERSES):
            most = MOST_TYPES - len(CONVERSES)
            raise ValueError(f"{len(declared)} labels in forward and backward, at most {most}")

    @cached_property
    def codes(self) -> dict[str, int]:
        """Code of each label."""
        codes = dict.fromkeys(NO_RELATIONS, NO_RELATION) | {OF_UNKNOWN: UNKNOWN}
        pairs: list[tuple[str | None, str | None]] = [*CONVERSES.items()]
        pairs += [*((label, None) for label in self.forward)]
        pairs += [*((None, label) for label in self.backward)]
        for type, (ahead, back) in enumerate(pairs):
            codes |= {label: 2 + 2 * type + turned for turned, label in enumerate((ahead, back))
                      if label is not None}  # fmt: skip
        return codes

    def encode(self, records: Records, problems: Problems) -> LabelCodes:
        """Return the code of each row; an unknown label is a problem that names its line.

        Raises
        ------
        InputError
            There is no column of labels.
        """
        texts = records.encoded("label")
        (numbers,), names = number_texts([texts])
        codes = np.array([self.codes.get(name or "", -1) for name in names.to_pylist()], np.int8)
        rows: LabelCodes = codes[numbers]
        if (codes < 0).any():
            _note_unknown(records, rows, texts, self.codes, problems)
        return rows

    @property
    def text(self) -> str:
        """Declared labels, for a signature."""
        parts = {"forward": self.forward, "backward": self.backward}
        return "".join(f"|{name}:{','.join(labels)}" for name, labels in parts.items() if labels)


def _note_unknown(
    records: Records, rows: LabelCodes, texts: pa.Array, known: Iterable[str], problems: Problems
) -> None:
    names = ", ".join(filter(None, known))
    for row in np.flatnonzero(rows < 0).tolist():
        problems.add(
            f"{records.where(row)}: label {shown(texts[row].as_py())}, expected one of {names}; "
            "--forward or --backward would declare it"
        )
