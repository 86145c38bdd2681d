"""Labels of pairs as codes: no relation, one of unknown direction, or a type and its direction."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays import compute as pc
from fastcausal.arrays.distinct import Int32, number_texts
from fastcausal.errors import InputError, Remedy, Warnings, counted, summary
from fastcausal.files.records import Records
from fastcausal.files.values import shown
from fastcausal.options import PairRelation
from fastcausal.tasks.eci.corpora.documents import NONE, UNKNOWN_DIRECTION
from fastcausal.tasks.eci.corpora.maven import LABELS

LabelCodes = npt.NDArray[np.int8]
LABEL = "label"

NO_RELATION, UNKNOWN = 0, 1  # codes; of type t 2 + 2t (a causes b) and 3 + 2t (b causes a)
UNTYPED = 62  # a causes b, without a type
NO_RELATIONS = ("", NONE, "NoRel", "NoRelation", "No", "O", "0", "false", "NULL")
CONVERSES = {
    "PRECONDITION": "FALLING_ACTION",
    "CAUSE": "CAUSED_BY",
    "CauseEffect": "EffectCause",
    "CLINK": "CLINK-R",
}
"""Labels of "a causes b", each a type, and their converses."""
UNTYPED_LABELS = ("1", "true", "causal", "yes")
MAX_TYPES = (UNTYPED - 2) // 2
OF_UNKNOWN = "null"  # EventStoryLine's text for an unknown direction; elsewhere ambiguous
MAX_SHOWN = 20
_WITHIN = re.compile(r"(?<=[^\W\d_])[\s_-]+(?=[^\W\d_])")
_WHOLE = re.compile(r"(\d+)\.0*")


@dataclass(frozen=True)
class LabelScheme:
    """Known labels and their codes."""

    # Further labels of "a causes b" and of "b causes a", each a type of its own
    forward: tuple[str, ...] = ()
    backward: tuple[str, ...] = ()
    # Labels of no relation, and of relations of unknown direction, in place of other meanings
    none: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    # True reads the text ``null`` as EventStoryLine writes it: a relation of unknown
    # direction
    null: bool = False

    def __post_init__(self) -> None:
        directed = (*self.forward, *self.backward)
        declared = [plain_label(label) for label in (*directed, *self.none, *self.unknown)]
        for at, label in enumerate((*directed, *self.none, *self.unknown)):
            again = declared[at] in declared[:at]
            if again or (at < len(directed) and declared[at] in KNOWN):
                known = "is declared twice" if again else "has a meaning already"
                raise ValueError(f'label "{label}" {known}, expected another in forward, backward')
        if len(directed) > MAX_TYPES - len(CONVERSES):
            most = MAX_TYPES - len(CONVERSES)
            raise ValueError(f"{len(directed)} labels in forward and backward, at most {most}")

    @cached_property
    def codes(self) -> dict[str, int]:
        """Code of each label, by `plain_label`."""
        codes = dict(KNOWN)
        for at, label in enumerate((*self.forward, *self.backward), len(CONVERSES)):
            codes[plain_label(label)] = 2 + 2 * at + (at - len(CONVERSES) >= len(self.forward))
        codes |= dict.fromkeys(map(plain_label, self.none), NO_RELATION)
        return codes | dict.fromkeys(map(plain_label, self.unknown), UNKNOWN)

    def code(self, label: str) -> int:
        """Return the code of a label as written, -1 for an unknown one."""
        plain = plain_label(label)
        if label.strip() == OF_UNKNOWN and plain not in map(plain_label, self.none + self.unknown):
            return UNKNOWN if self.null else -1
        return self.codes.get(plain, -1)

    def encode(self, *sides: Records) -> list[LabelCodes]:
        """Return the code of each row of every side."""
        # InputError names each unknown label with its rows and the options for it.
        encoded: list[LabelCodes] = []
        unknown: list[tuple[int, str, str]] = []
        for records in sides:
            (numbers,), names = number_texts([label_texts(records)])
            codes = np.array([self.code(name or "") for name in names.to_pylist()], np.int8)
            encoded.append(codes[numbers])
            if (codes < 0).any():
                unknown += _unknown(records, codes, numbers, names)
        if unknown:
            _refuse(unknown)
        return encoded

    @property
    def text(self) -> str:
        """Declared labels, for a signature."""
        names = ("forward", "backward", "none", "unknown")
        given = ((name, getattr(self, name)) for name in names)
        return "".join(f"|{name}:{','.join(labels)}" for name, labels in given if labels)


def plain_label(label: str) -> str:
    """Return a label in lower case, without blanks and signs between letters.

    >>> [plain_label(label) for label in ("CAUSED_BY", " caused by", "CLINK-R", "-1", "1.0")]
    ['causedby', 'causedby', 'clinkr', '-1', '1']
    """
    # 1.0 becomes 1.
    text = _WITHIN.sub("", label.strip()).casefold()
    whole = _WHOLE.fullmatch(text)
    return text if whole is None else whole[1]


def label_texts(records: Records) -> pa.ChunkedArray:
    """Return the labels as texts; booleans and numbers too, with null for NaN."""
    if not len(records):
        return pa.chunked_array([], pa.string())
    types, chunks = pa.types, records.chunks(LABEL)
    stored = None if chunks is None else getattr(chunks.type, "value_type", chunks.type)
    if stored is None or not types.is_string(stored):
        of = records.column(LABEL).type
        if records.is_mixed(LABEL) or types.is_boolean(of) or types.is_floating(of):
            texts = records.answers(LABEL).cast(pa.string())
            return pc.if_else(pc.equal(texts, "nan"), None, texts)
    return records.encoded(LABEL)


def untyped(gold: LabelCodes, pred: LabelCodes) -> Warnings:
    """Warn of labels without a type on one side, if all labels of the other have types."""
    warnings: Warnings = {}
    for name, codes, other, others in (("gold", gold, "pred", pred), ("pred", pred, "gold", gold)):
        n, of_other = (int((each == UNTYPED).sum()) for each in (codes, others))
        if n and not of_other and (others > UNKNOWN).any():
            meaning = 'without a type, read as "a causes b"'
            warnings[f"{name}: labels {meaning}, while {other} has types: ", ""] = (n,)
    return warnings


def labels_of(
    forward: Iterable[str] | str = (),
    backward: Iterable[str] | str = (),
    none: Iterable[str] | str = (),
    unknown: Iterable[str] | str = (),
    relation: PairRelation = "causal",
    null: bool = False,
) -> LabelScheme:
    """Return the labels of a relation, and the labels that the caller declares."""
    first = LABELS[relation] if relation != "causal" else ()
    ahead, back, no, undirected = (
        (side,) if isinstance(side, str) else tuple(side)
        for side in (forward, backward, none, unknown)
    )
    return LabelScheme((*first, *ahead), back, no, undirected, null)


def _known() -> dict[str, int]:
    codes = dict.fromkeys(NO_RELATIONS, NO_RELATION) | {UNKNOWN_DIRECTION: UNKNOWN}
    for type, ends in enumerate(CONVERSES.items()):
        codes |= {label: 2 + 2 * type + turned for turned, label in enumerate(ends)}
    codes |= dict.fromkeys(UNTYPED_LABELS, UNTYPED)
    return {plain_label(label): code for label, code in codes.items()}


KNOWN = _known()


def _unknown(
    records: Records, codes: LabelCodes, numbers: Int32, names: pa.Array
) -> list[tuple[int, str, str]]:
    """Return the unknown labels of rows, most frequent first; a dictionary may have others."""
    counts = np.where(codes < 0, np.bincount(numbers, minlength=len(names)), 0)
    order = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
    return [
        (
            int(counts[k]),
            names[k].as_py(),
            records.locate(int((numbers == k).argmax())) if at < MAX_SHOWN else "",
        )
        for at, k in enumerate(order.tolist())
    ]


def _refuse(unknown: list[tuple[int, str, str]]) -> None:
    """Raise InputError for labels, each with its number of rows and its first place."""
    lines = [
        f"{place}: label {shown(label)} in {counted(n, 'row')}"
        for n, label, place in unknown[:MAX_SHOWN]
    ]
    are_null = [label.strip() == OF_UNKNOWN for _, label, _ in unknown]
    remedy = None
    if not all(are_null):
        remedy = _remedy(("forward", 'means "a causes b"'), ("backward", 'means "b causes a"'))
        if not any(are_null):
            remedy = _remedy(*_UNDIRECTED, other=remedy)
    if any(are_null):
        remedy = _remedy(*_UNDIRECTED, label=OF_UNKNOWN, other=remedy)
    known = ", ".join([*CONVERSES, *CONVERSES.values(), UNKNOWN_DIRECTION, NONE])
    raise InputError(f"{summary(len(unknown), lines)}\nexpected {known}", remedy)


_UNDIRECTED = (("none", "means no relation"), ("unknown", "means one of unknown direction"))


def _remedy(
    *options: tuple[str, str], label: str = "LABEL", other: Remedy | None = None
) -> Remedy | None:
    for name, effect in reversed(options):
        other = Remedy(name, (label,), effect, other)
    return other
