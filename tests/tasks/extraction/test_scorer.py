"""`ExtractionScorer`: no split, order or thread changes a bit."""

from __future__ import annotations

import pickle
import re
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import fastcausal as fc
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.protocols import CNC_2023, RECESS
from tests.support.profiles import trials
from tests.support.strategies import sides
from tests.support.tables import table_of

ONE = [{"length": 4, "relations": [{"cause": (0, 2)}]}]
UNREAD = [{"length": 4, "relations": [None]}]


def named(protocol: str) -> str:
    signature = fc.ExtractionScorer(protocol).signature
    assert signature.startswith(f"fastcausal|{fc.__version__}|{protocol}|kernel:fair_spans|")
    return signature


@trials(120)
@given(both=sides(most_examples=8, most_relations=5), data=st.data())
def test_no_order_changes_a_bit(both, data):
    """Shuffled predictions, relations, examples, shards and threads: the same report.

    Of that, cnc-2023 owes its result to the order of relations alone.
    """
    protocol = data.draw(st.sampled_from([RECESS, RECESS, CNC_2023]))
    protocol = replace(protocol, name="test", kernel=data.draw(st.sampled_from(sorted(KERNELS))))
    n = len(both[0])
    ids = [str(k) for k in range(n)]
    kinds = data.draw(st.lists(st.sampled_from(["x", "y", None]), min_size=n, max_size=n))
    gold, pred = (table_of(side, id=ids, kind=kinds) for side in both)
    whole = fc.score(gold, pred, protocol, by="kind", num_threads=1)

    def shuffled(side):
        """The examples of one side, each with its relations in another order."""
        if protocol.ties == "first":
            return side
        return [data.draw(st.permutations(relations)) for relations in side]

    def batch(side, chosen):
        columns = {"id": [ids[k] for k in chosen], "kind": [kinds[k] for k in chosen]}
        return table_of([side[k] for k in chosen], **columns)

    golds, preds = map(shuffled, both)
    order = data.draw(st.permutations(range(n)))
    cuts = sorted(data.draw(st.sets(st.integers(0, n), max_size=3)) | {0, n})
    shards = []
    for start, stop in pairwise(cuts):
        chosen = order[start:stop]
        threads = data.draw(st.sampled_from([None, 1, 3]))
        scorer = fc.ExtractionScorer(protocol, by="kind", num_threads=threads)
        if data.draw(st.booleans()):  # a batch at a time, or all at once
            for k in chosen:
                scorer.update(gold=batch(golds, [k]), pred=batch(preds, [k]))
        else:
            preds_order = data.draw(st.permutations(chosen))
            scorer.update(gold=batch(golds, chosen), pred=batch(preds, preds_order))
        shards.append(scorer)
    while len(shards) > 1:  # merge any two until one is left
        other = shards.pop(data.draw(st.integers(0, len(shards) - 1)))
        shards[data.draw(st.integers(0, len(shards) - 1))].merge(other)
    assert shards[0].compute().to_json() == whole.to_json()


@trials(120)
@given(both=sides())
def test_swapped_sides(both):
    """For exact spans, gold against predictions is predictions against gold, FP and FN swapped."""
    gold, pred = map(table_of, both)
    protocol = fc.Protocol("mine", kernel="exact_spans")
    there, back = fc.score(gold, pred, protocol), fc.score(pred, gold, protocol)
    assert there.n_gold_relations == back.n_pred_relations
    for group in there.scores:
        a, b = there[group], back[group]
        assert (a.tp, a.fp, a.fn) == (b.tp, b.fn, b.fp)
        assert repr((a.precision, a.recall, a.f1)) == repr((b.recall, b.precision, b.f1))


def test_life_of_a_scorer():
    scorer = fc.ExtractionScorer()
    empty = scorer.compute().to_json()
    scorer.update(gold=ONE, pred=ONE)
    once = scorer.compute().to_json()
    assert once == scorer.compute().to_json() == fc.score(ONE, ONE).to_json()
    scorer.merge(fc.ExtractionScorer())
    assert scorer.compute().to_json() == once
    other = fc.ExtractionScorer(backend="reference", num_threads=2)  # does not change the numbers
    other.merge(scorer)
    other.update(gold=[["<ARG0>Rain</ARG0> falls"]], pred=[["<ARG0>Rain</ARG0> falls"]])
    assert other.compute()["cause"].tp == 2
    scorer.reset()
    assert scorer.compute().to_json() == empty


def test_signature_says_what_the_numbers_depend_on():
    for protocol in ("recess", "cnc-2023"):
        signature = named(protocol)
        assert signature.endswith("|unparsed:error|unmatched:error")
        assert signature.count("\n") == 0
    assert named("recess") != named("cnc-2023")
    assert fc.ExtractionScorer(num_threads=3, backend="reference").signature == named("recess")
    skipping = fc.ExtractionScorer(unparsed="skip", unmatched="empty").signature
    assert skipping.endswith("|unparsed:skip|unmatched:empty")


@pytest.mark.parametrize(
    "difference",
    [{"protocol": "cnc-2023"}, {"unparsed": "skip"}, {"unmatched": "skip"}, {"by": "kind"}],
    ids=str,
)
def test_merge_refuses_what_was_counted_otherwise(difference):
    scorer, other = fc.ExtractionScorer(), fc.ExtractionScorer(**difference)
    scorer.update(gold=ONE, pred=ONE)
    before = scorer.compute().to_json()
    with pytest.raises(ValueError, match=r"^cannot merge ") as caught:
        scorer.merge(other)
    mine, theirs = str(caught.value).removeprefix("cannot merge ").split(" into ")
    assert mine != theirs
    assert scorer.compute().to_json() == before


def test_roles():
    other = fc.Relations.from_examples(ONE, roles=("cause", "claim"))
    scorer, claims = fc.ExtractionScorer(), fc.ExtractionScorer()
    scorer.update(gold=ONE, pred=ONE)
    claims.update(gold=other, pred=other)
    assert list(claims.compute().scores) == ["overall", "cause", "claim"]
    message = "roles are cause, claim, expected cause, effect, signal"
    with pytest.raises(fc.InputError, match=message):
        scorer.update(gold=other, pred=other)
    with pytest.raises(ValueError, match=r"^cannot merge roles "):
        scorer.merge(claims)
    assert scorer.compute().to_json() == fc.score(ONE, ONE).to_json()


def test_a_batch_that_is_refused_leaves_no_trace():
    scorer = fc.ExtractionScorer()
    roles = ("cause", "claim")
    gold, pred = (fc.Relations.from_examples(ONE * n, roles=roles) for n in (1, 2))
    with pytest.raises(fc.InputError, match=r"^pred has 2 examples"):
        scorer.update(gold=gold, pred=pred)
    with pytest.raises(fc.InputError, match="could not be read"):
        scorer.update(gold=ONE, pred=UNREAD)
    scorer.update(gold=ONE, pred=ONE)
    assert scorer.compute().to_json() == fc.score(ONE, ONE).to_json()


def test_warnings_count_over_all_batches():
    parts = [fc.ExtractionScorer(unparsed="empty") for _ in range(2)]
    for scorer in parts:
        scorer.update(gold=ONE + ONE, pred=UNREAD + ONE)
        scorer.update(gold=ONE, pred=UNREAD)
    parts[0].merge(parts[1])
    whole = fc.score((ONE * 3) * 2, (UNREAD + ONE + UNREAD) * 2, unparsed="empty")
    assert whole.warnings == (
        "unparsed=empty: 4 of 6 predicted relations could not be read (66.7%)",
    )
    assert parts[0].compute().to_json() == whole.to_json()


def test_sides_go_by_name():
    """Positions are refused: torchmetrics takes predictions first, and no count would tell."""
    scheme = fc.TagScheme(["O", "B-Cause", "I-Cause"])
    gold, pred = np.array([[1, 2, 1]]), np.array([[1, 2, 0]])
    scorer = fc.TagScorer(scheme)
    scorer.update(gold=gold, pred=pred)
    cause = scorer.compute()["cause"]
    assert (cause.precision, cause.recall) == (1.0, 0.5)
    relations = [fc.Relations.from_examples(ONE)] * 2
    for each, both in (
        (scorer, (gold, pred)),
        (fc.ExtractionScorer(), relations),
        (fc.ClassificationScorer(), ([1], [0])),
    ):
        with pytest.raises(TypeError, match=r"keyword-only arguments: 'gold' and 'pred'$"):
            each.update(*both)
        with pytest.raises(TypeError, match=r"keyword-only argument: 'gold'$"):
            each.update(both[0], pred=both[1])
        with pytest.raises(TypeError, match=r"^update\(\) takes gold= and pred= by keyword alone$"):
            each.update(both[0], gold=both[0], pred=both[1])


def test_what_batches_cannot_do():
    with pytest.raises(ValueError, match=r"^cnc-2022 does not add up over batches, use score$"):
        fc.ExtractionScorer("cnc-2022").update(gold=ONE, pred=ONE)


@pytest.mark.parametrize(
    ("argument", "message"),
    [
        (
            {"protocol": "cnc"},
            'protocol is "cnc", expected one of recess, cnc-2023, cnc-2022, relations, depths',
        ),
        ({"unparsed": "no"}, 'unparsed is "no", expected one of error, empty, skip'),
        ({"unmatched": "no"}, 'unmatched is "no", expected one of error, empty, skip'),
        ({"backend": "gpu"}, 'backend is "gpu", expected one of cpu, cuda, reference'),
        ({"num_threads": 0}, "num_threads is 0, expected at least 1"),
        ({"num_threads": 2**63}, f"num_threads is {2**63}, expected at most {2**31 - 1}"),
    ],
    ids=str,
)
def test_wrong_arguments_are_refused_at_once(argument, message):
    for use in (fc.ExtractionScorer, lambda **given: fc.score(ONE, ONE, **given)):
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            use(**argument)


@pytest.mark.parametrize("protocol", ["recess", "cnc-2023", fc.Protocol("mine", "exact_spans")])
def test_pickles(protocol):
    """Scorers can be pickled, unused and after they have counted."""
    scorer = fc.ExtractionScorer(protocol, unmatched="skip")
    for _ in range(2):
        scorer = pickle.loads(pickle.dumps(scorer))
        scorer.update(gold=ONE, pred=ONE)
    assert scorer.compute()["overall"].tp == 2
    assert scorer.recipe.unmatched == "skip"


def test_merging_keeps_the_rule_by_which_texts_were_located():
    """Whichever part has located some, and whichever is merged into which."""
    text, marked = "Rain fell so roads closed .", {"cause": (0, 2), "effect": (3, 5)}
    gold = fc.Relations.from_examples([{"text": text, "relations": [marked]}])
    words = [{"relations": [{"cause": ["Rain fell"], "effect": ["roads closed"]}]}]
    shards = {"gap": [(words, gold), (gold, words), (words, words)], "first": [(words, words)]}
    for rule, parts in shards.items():
        for pair in parts:
            one, other, whole = (
                fc.ExtractionScorer(format="spans", occurrence=rule) for _ in range(3)
            )
            for scorer, pred in zip((one, other), pair, strict=True):
                scorer.update(gold=gold, pred=pred)
                whole.update(gold=gold, pred=pred)
            one.merge(other)
            assert one.compute().to_json() == whole.compute().to_json()
            assert one.signature.endswith(f"|spans:{rule}")
