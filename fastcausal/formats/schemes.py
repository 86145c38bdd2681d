"""Tag schemes: role and position of a token in its span.

    scheme   begins   goes on   ends   begins and ends
    BIO      B-       I-
    IO                I-
    IOBES    B-       I-        E-     S-
    BILOU    B-       I-        L-     U-

The reader of tags and the labels of a tagger share this table. They differ for a tag that continues
no span: the reader refuses it, a tagger's label begins a span there, as in conlleval.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from fastcausal.marking import Marking
from fastcausal.relations import ROLES

BEGINS, ENDS = 1, 2  # as in csrc/fastcausal/label_spans.h
MARKS = {"B": BEGINS, "I": 0, "E": ENDS, "L": ENDS, "S": BEGINS + ENDS, "U": BEGINS + ENDS}
LABELS = {name: k for k, role in enumerate(ROLES) for name in (role, role[0])}
LABELS |= {"arg0": 0, "arg1": 1, "sig": 2}
EXPECTED = "O, or B-, I-, E-, S-, L- or U- and"


def role_of_label(label: str, marking: Marking) -> int | None:
    """Return the role that a label names, in any case: its own, or one of `LABELS`.

    >>> from fastcausal.marking import Marking
    >>> role_of_label("ARG1", Marking()), role_of_label("Drug", Marking.make(role="cause=drug"))
    (1, 0)
    """
    role = marking.role_of(label)
    if role is None and (known := LABELS.get(label.lower())) is not None:
        name = ROLES[known]
        role = marking.roles.index(name) if name in marking.roles else None
    return role


_PREFIXES = "".join(MARKS)
_TAGS = re.compile(rf"(?:O|[{_PREFIXES}]-[^|\s]+)(?:\|(?:O|[{_PREFIXES}]-[^|\s]+))*")
_LIKE_TAGS = re.compile(r"[O_]|[A-Z]{1,2}[-_]\S+|\S+[-_][A-Z]{1,2}")


def is_tag(tag: str) -> bool:
    """Return True for ``O``, a mark and a label, or several of these joined by ``|``."""
    return _TAGS.fullmatch(tag) is not None


def are_like_tags(words: Collection[str]) -> bool:
    """Return True if all strings look like tags, even of an unknown scheme.

    >>> are_like_tags(["O", "Cause_B", "M-Cause"]), are_like_tags(["_", "C"])
    (True, True)
    >>> are_like_tags(["Rain", "fell"]), are_like_tags([])
    (False, False)
    """
    known = LABELS.keys()
    return bool(words) and all(
        w.lower() in known or _LIKE_TAGS.fullmatch(w) or is_tag(w) for w in words
    )
