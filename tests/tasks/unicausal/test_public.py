"""Gold without answers, for participants of a shared task."""

from __future__ import annotations

import json

import pytest

import fastcausal as fc
from fastcausal.tasks.classification.classify import public

PAIR = {"corpus": "altlex", "doc_id": "d", "sent_id": "0", "eg_id": "0", "text": "Rain fell now"}
ROWS = [
    {**PAIR, "index": "a", "text_w_pairs": "<ARG0>Rain</ARG0> <ARG1>fell</ARG1> now"},
    {**PAIR, "index": "a", "text_w_pairs": "<ARG0>Rain</ARG0> fell <ARG1>now</ARG1>"},
    {**PAIR, "index": "b", "text_w_pairs": "<ARG1>Rain</ARG1> fell <ARG0>now</ARG0>"},
]


@pytest.mark.parametrize("protocol", ["unicausal-seq", "unicausal-pair"])
def test_labels_are_hidden(protocol):
    both = []
    for labels in ((0, 0, 0), (1, 1, 0)):
        rows = [
            {**row, "seq_label": seq, "pair_label": seq}
            for row, seq in zip(ROWS, labels, strict=True)
        ]
        gold, pred = public(rows, protocol=protocol)
        assert fc.classify(gold, pred, protocol=protocol).statistics.times.sum() == len(gold)
        assert fc.classify(rows, pred, protocol=protocol).statistics.times.sum() == len(gold)
        both.append(json.dumps([gold, pred]))
    assert both[0] == both[1]


def test_labels_of_fincausal_are_hidden():
    made = [public(labels, protocol="fincausal-task1") for labels in ([0, 1, 1], [1, 0, 0])]
    assert made[0] == made[1]
    assert fc.classify(*made[0], protocol="fincausal-task1").statistics.times.sum() == 3
