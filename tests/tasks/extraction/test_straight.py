"""The straight way to a report gives what the scorer gives, of rows and of relations."""

from __future__ import annotations

import pytest

import fastcausal as fc
from fastcausal import sample


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023"])
@pytest.mark.parametrize("of", [fc.Rows.of, lambda relations: relations], ids=["rows", "relations"])
def test_equals_the_scorer(protocol, of):
    gold = fc.read(sample.GOLD)
    for system in sample.SYSTEMS.values():
        sides = of(gold), of(fc.read(system, like=gold))
        straight = fc.score(*sides, protocol)
        general = fc.score(*sides, protocol, num_threads=1)  # an option, which the scorer takes
        assert straight["cause"] == general["cause"]
        assert straight == general
        assert straight.matches == general.matches
        assert straight.per_example == general.per_example
        assert straight.statistics.table() == general.statistics.table()
        first = fc.score(*sides, protocol).errors()  # the first thing asked for
        assert str(first) == str(general.errors())
        with pytest.raises(fc.InputError, match="counts alone"):
            fc.score(*sides, protocol).without_details().errors()
