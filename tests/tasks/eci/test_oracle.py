"""The oracle gives the worked examples of shared/reference/eci.md, section 4."""

from __future__ import annotations

import pytest

from tests.oracles import eci
from tests.support import event_pairs as data

real = pytest.mark.skipif(not data.ESC.is_dir(), reason="no shared/data/eventstoryline")


def three(scores: dict) -> tuple:
    return scores["precision"], scores["recall"], scores["f1"]


def counts(scores: dict) -> tuple:
    return scores["tp"], scores["predicted"], scores["gold"]


def percent(scores: dict) -> list[float]:
    return [round(100 * value, 2) for value in three(scores)]


def test_maven():
    of = eci.maven(data.MAVEN_GOLD, data.MAVEN_PRED)
    assert of["n_ignored"] == 1
    assert of["scores"]["typed"]["overall"] == eci.counted(2, 4, 4, 0.0)


def test_two_types():
    for said, expected in data.TWO_TYPES_PREDICTED:
        of = eci.maven(data.TWO_TYPES, [{"id": "d", "causal_relations": said}])
        assert three(of["scores"]["typed"]["overall"]) == expected


def test_eventstoryline():
    of = eci.score(data.STORY_GOLD, data.STORY_PRED, "eventstoryline")["scores"]
    assert three(of["exists"]["overall"]) == (0.75, 0.6, 2 / 3)
    assert three(of["typed"]["overall"]) == (0.5, 0.5, 0.5)
    assert [of["typed"]["overall"][name] for name in ("tp", "fp", "fn")] == [2, 2, 2]
    plain = eci.score(data.STORY_GOLD, data.STORY_PRED)["scores"]
    assert three(plain["exists"]["overall"]) == (2 / 3, 0.5, 4 / 7)
    assert three(plain["typed"]["overall"]) == (1 / 3, 0.25, 2 / 7)


def test_three_classes():
    plain = eci.score(data.THREE_GOLD, data.THREE_PRED)["scores"]
    assert counts(plain["typed"]["overall"]) == (2, 5, 5)
    assert three(plain["exists"]["overall"]) == (0.8, 0.8, 0.8)
    of = eci.score(data.THREE_GOLD, data.THREE_PRED, "ilif-direction")["scores"]
    assert three(of["direction"]["overall"]) == (2 / 3, 0.4, 0.5)


@pytest.mark.slow
@real
def test_a_system_on_eventstoryline():
    gold, pred, events = data.esc_gold(), data.esc_system(), data.esc_events()
    of = eci.score(gold, pred, candidates=events, unknown=("null",))
    assert (of["n_outside"], of["n_candidates"]) == (0, 47935)
    assert counts(of["scores"]["exists"]["intra"]) == (821, 2924, 1594)
    assert counts(of["scores"]["exists"]["inter"]) == (175, 1007, 3475)
    assert counts(of["scores"]["exists"]["overall"]) == (996, 3931, 5069)
    assert counts(of["scores"]["typed"]["intra"]) == (402, 2924, 1594)
    assert counts(of["scores"]["typed"]["inter"]) == (75, 1007, 3475)
    assert percent(of["scores"]["typed"]["overall"]) == [12.13, 9.41, 10.60]
    assert counts(of["every"]["intra"]) == (1572, 6995, 1594)
    assert counts(of["every"]["inter"]) == (3458, 40940, 3475)
    assert percent(of["every"]["overall"]) == [10.49, 99.23, 18.98]
    of = eci.score(gold, pred, "ilif-direction", unknown=("null",))["scores"]
    of = of["direction"]["overall"]
    assert counts(of) == (477, 477 + 2935, 477 + 4592)
    of = eci.score(gold, pred, "eventstoryline")["scores"]
    assert percent(of["exists"]["overall"]) == [25.42, 19.65, 22.17]
    assert percent(of["typed"]["overall"]) == [12.17, 10.48, 11.27]
