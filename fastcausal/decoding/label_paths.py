"""Order of labels in well formed sequences, and csrc/fastcausal/label_paths.h in plain Python.

`best_labels` and `best_path` are the specification: the same label ids, bit for bit.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from fastcausal.engine.kernel import Int32

# Mark of a label (csrc/fastcausal/label_spans.h): ROLE * role + BEGINS + ENDS.
BEGINS, ENDS, ROLE, OUTSIDE = 1, 2, 4, -4
CLOSED, OPEN, N_ENDS, MAX_ENDS = 0, 1, 4, 31  # ends of a path: see label_paths.h
NO_ENDS = 0, N_ENDS
MAX_SUM = sys.float_info.max


class Steps(NamedTuple):
    """Steps between labels of a path."""

    # int32[n_labels, 2]: For each label, the path end that it follows, and the path ends it
    # makes, a bit each
    of: Int32
    start: int  # The path ends before the first token, a bit each

    @property
    def ends(self) -> tuple[int, int]:
        """The path ends before the first token, and the number of path ends for all roles."""
        is_usual = max([0, *self.of[:, 0].tolist()]) < N_ENDS
        return self.start, N_ENDS if is_usual else MAX_ENDS

    @property
    def always_lead_on(self) -> bool:
        """True if every length has a well formed sequence."""
        # This holds if a single token can be one: it may be repeated.
        return any(self.start >> before & 1 and into >> CLOSED & 1 for before, into in self.of)


def steps_of(marks: Int32) -> Steps:
    """Return the steps of labels with these marks, by the rules of `TagScheme.decode`."""
    begun, ended = _roles_begun(marks), _roles_ended(marks)
    start = 1 << CLOSED  # a span may begin; by I- or E- too, for a role without B- and S-
    for role in {mark // ROLE for mark in marks.tolist() if mark >= 0} - begun:
        start |= 1 << OPEN + role
    steps = []
    for mark in marks.tolist():
        role = mark // ROLE
        before = CLOSED if mark < 0 or mark & BEGINS else OPEN + role
        into = start
        if mark >= 0 and not mark & ENDS:
            into = 1 << OPEN + role | (0 if role in ended else start)
        steps.append((before, into))
    return Steps(np.array(steps, np.int32).reshape(-1, 2), start)


def _roles_begun(marks: Int32) -> set[int]:
    """Return the roles that have a B- or S-."""
    return {mark // ROLE for mark in marks.tolist() if mark >= 0 and mark & BEGINS}


def _roles_ended(marks: Int32) -> set[int]:
    """Return the roles that have an E-."""
    return {mark // ROLE for mark in marks.tolist() if mark >= 0 and mark % ROLE == ENDS}


def best_labels(
    logits: Sequence[Sequence[float]], where: Sequence[bool], ignored: int
) -> list[int]:
    """Return the first label with the greatest logit of each present token."""
    return [
        max(range(len(token)), key=token.__getitem__) if there else ignored
        for token, there in zip(logits, where, strict=True)
    ]


def best_path(
    logits: Sequence[Sequence[float]], where: Sequence[bool], marks: Int32, ignored: int
) -> list[int]:
    """Return the well formed sequence of labels with the greatest sum of logits."""
    labels = [ignored] * len(logits)
    sums: dict[int, float] = {}  # of the best path to each label
    came_from: list[dict[int, int]] = []  # the previous label on that path
    there = [t for t in range(len(logits)) if where[t]]
    for t in there:
        came_from.append({})
        after = {}
        for label, mark in enumerate(marks.tolist()):
            if t == there[0]:
                if may_follow(marks, OUTSIDE, mark):
                    after[label] = 0.0 + logits[t][label]
                continue
            before = [k for k in sums if may_follow(marks, int(marks[k]), mark)]
            if before:
                best = max(before, key=sums.__getitem__)  # the first of equals
                came_from[-1][label] = best
                after[label] = min(sums[best] + logits[t][label], MAX_SUM)
        sums = after
    last = [k for k in sums if may_follow(marks, int(marks[k]), OUTSIDE)]
    label = max(last, key=sums.__getitem__, default=-1)
    for t, before_each in zip(reversed(there), reversed(came_from), strict=True):
        labels[t] = label
        label = before_each.get(label, -1)
    return labels


def may_follow(marks: Int32, before: int, mark: int) -> bool:
    """Return True if a label may follow another; a sequence stands between two O."""
    is_open = before >= 0 and not before & ENDS
    goes_on = mark >= 0 and not mark & BEGINS and is_open and mark // ROLE == before // ROLE
    if is_open and before // ROLE in _roles_ended(marks):
        return goes_on
    if mark < 0 or mark & BEGINS:
        return True
    return goes_on or mark // ROLE not in _roles_begun(marks)
