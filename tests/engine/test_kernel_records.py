"""A built-in kernel declares its scores, and all lists of kernels are made of the records."""

from __future__ import annotations

import pytest

import fastcausal as fc
from fastcausal.engine.kernel import Kernel, Measure, check_record, scored
from fastcausal.engine.reference.kernels import KERNELS
from tests.support.kernel_tables import make_files


@pytest.mark.parametrize(
    ("path", "text"), [pytest.param(*made, id=made[0].name) for made in make_files()]
)
def test_lists_are_those_of_the_records(path, text):
    assert path.read_text(encoding="utf-8") == text, "run `make format`"


@fc.kernel(fields=["hits", "misses"], objective=fc.Objective({"hits": 1}))
def hits_alone(gold, pred, length, params, counts):
    counts[0] = len(gold)


def test_a_kernel_whose_scores_are_unknown_is_refused():
    with pytest.raises(ValueError, match=r"hits_alone .* has no scores: declare them with @scored"):
        check_record(hits_alone)
    share = Measure("share", "hits", ({"hits": 1}, {"hits": 1, "misses": 1}))
    assert check_record(scored("hits", [share])(hits_alone)).scores == (share,)


@pytest.mark.parametrize(
    "wrong",
    [
        {"scores": [Measure("share", "hits", ({"hits": 1}, {"tp": 1}))]},
        {"rules": [(("tp",), ("hits",))]},
        {"gold_sums": [("hits", "tp")]},
    ],
)
def test_a_record_names_counts_of_its_kernel(wrong):
    share = Measure("share", "hits", ({"hits": 1}, {"misses": 1}))
    record: Kernel = scored("hits", **{"scores": [share], **wrong})(hits_alone)
    with pytest.raises(ValueError, match='hits_alone has no field "tp", expected one of hits'):
        check_record(record)


def test_the_order_of_scored_fields_is_kept():
    """Another order draws other samples."""
    parts = ("cor", "inc", "par", "mis", "spu")
    schemes = ("strict", "exact", "partial", "type")
    kept = {
        "fair_spans": ("le", "be", "lbe", "tp", "fp", "fn"),
        "exact_spans": ("tp", "fp", "fn"),
        "span_overlap": ("em", "pairs", "osb", "to", "tp", "fp", "fn", "n", "n1", "o01"),
        "partial_spans": tuple(f"{scheme}_{part}" for scheme in schemes for part in parts),
    }
    assert {name: KERNELS[name].scored_fields for name in kept} == kept
