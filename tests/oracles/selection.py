"""Spans selected without a beam.

Source: the description of the published span selector. Shares nothing with the package.
"""

from __future__ import annotations

import numpy as np
from scipy.special import log_softmax


def published(logits, order):
    """Select the spans of one sequence.

    Logits are of tokens that may be chosen; order is the sum of log-probabilities by which a split
    with the cause first is better than one with the effect first.
    """
    n = len(logits)
    chances = log_softmax(logits[:, :4], axis=0)
    starts, ends = chances[:, [0, 2]], chances[:, [1, 3]]
    splits = []
    for first in (0, 1):  # the role that comes first
        sums = np.full((n, n), -np.inf)
        for i in range(n):
            for j in range(i + 1, n):
                sums[i, j] = ends[i, first] + starts[j, 1 - first]
        splits.append((sums.max(), *np.unravel_index(sums.argmax(), sums.shape)))
    order.append(splits[0][0] - splits[1][0])
    first = 0 if order[-1] > 0 else 1
    _, i, j = splits[first]
    spans = [None, None]
    spans[first] = (int(starts[: i + 1, first].argmax()), int(i) + 1)
    spans[1 - first] = (int(j), int(j + ends[j:, 1 - first].argmax()) + 1)
    begin = int(logits[:, 4].argmax())
    end = begin + int(logits[begin : begin + 5, 5].argmax()) + 1
    return [*spans, (begin, end)]
