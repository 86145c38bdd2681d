"""The 2022 scorer of the span task: seqeval's label scores, merged as a running mean of means."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyarrow as pa

from fastcausal.engine.kernel import Int64, Plan
from fastcausal.engine.rows import Rows
from fastcausal.engine.run import count_pairs
from fastcausal.errors import InputError
from fastcausal.scores import exact

MOST_RELATIONS = 8  # 40,320 orders; the official program tries every one
NAMES = ("precision", "recall", "f1")
Score = dict[str, float]  # precision, recall, f1 and number, the gold spans it is weighted by
NOTHING: Score = {"precision": 0.0, "recall": 0.0, "f1": 0.0, "number": 0}


def scores_2022(
    plan: Plan, gold: Rows, pred: Rows, examples: pa.Table, roles: tuple[str, ...], backend: str
) -> dict[str, Score]:
    """Precision, recall, F1 and number of gold spans, per role and overall.

    Sentences with one gold relation are pooled. Each sentence with several takes the order of gold
    relations with the highest overall F1 (the first, where several have it); its label scores are
    merged into the running result as means weighted by gold spans, in the order of corpus, doc_id
    and sent_id. Means of means: the figures are not those of summed counts.

    Raises
    ------
    InputError
        An example has more gold relations than orders can be tried for, or the backend is ``cuda``.
    """
    if backend == "cuda":
        raise InputError('cnc-2022 is not counted on a GPU, use backend "cpu"')
    n_gold = np.diff(gold.relation_offsets)
    if n_gold.size and n_gold.max() > MOST_RELATIONS:
        most = int(n_gold.argmax())
        name = examples["id"][most] if "id" in examples.column_names else most
        raise InputError(
            f"cnc-2022 tries every order of gold relations: example {name} has {n_gold[most]}, "
            f"expected at most {MOST_RELATIONS}"
        )
    single = np.flatnonzero(n_gold == 1)
    pooled = _cells(plan, gold, pred, single, backend).sum(axis=(0, 1, 2))
    result = _label_scores(pooled, roles)
    several = np.flatnonzero(n_gold > 1)
    for example in _in_corpus_order(examples, several):
        cells = _cells(plan, gold, pred, np.array([example]), backend)[0]
        n = len(cells)
        best, chosen = -1.0, result
        for order in permutations(range(n)):
            of_order = _label_scores(cells[list(order), range(n)].sum(axis=0), roles)
            f1 = _overall(of_order)["f1"]
            if f1 > best:
                best, chosen = f1, of_order
        result = {role: _mean([result[role], chosen[role]]) for role in roles}
    # The official number counts each track once: relations by their first role, and signals.
    firsts = dict(zip(plan.params[1:][::-1].tolist(), roles[::-1], strict=True)).values()
    number = sum(result[role]["number"] for role in firsts)
    return {"overall": _overall(result) | {"number": number}, **result}


def _cells(plan: Plan, gold: Rows, pred: Rows, examples: Int64, backend: str) -> Int64:
    """Counts of every gold with every predicted relation: [examples, gold, pred, fields].

    All examples have the same number n of gold relations; predictions are cut or filled up to n.
    """
    n = int(np.diff(gold.relation_offsets)[examples[0]]) if len(examples) else 1
    k = np.arange(n)
    first, stop = pred.relation_offsets[examples], pred.relation_offsets[examples + 1]
    golds = gold.relation_offsets[examples][:, None] + k
    preds = first[:, None] + k
    preds = np.where(preds < stop[:, None], preds, -1)
    shape = (len(examples), n, n)
    gold_index = np.broadcast_to(golds[:, :, None], shape).ravel()
    pred_index = np.broadcast_to(preds[:, None, :], shape).ravel()
    counts = count_pairs(
        plan,
        gold,
        pred,
        np.ascontiguousarray(gold_index),
        np.ascontiguousarray(pred_index),
        backend,
    )
    return counts.reshape(*shape, plan.n_fields)


def _label_scores(counts: Int64, roles: tuple[str, ...]) -> dict[str, Score]:
    scores = {}
    for role, (tp, fp, fn) in zip(roles, counts.reshape(len(roles), 3).tolist(), strict=True):
        of_role = exact({"tp": tp, "fp": fp, "fn": fn}, 0.0)
        scores[role] = of_role | {"number": tp + fn}
    return scores


def _overall(by_role: dict[str, Score]) -> Score:
    return _mean(list(by_role.values()))


def _mean(scores: list[Score]) -> Score:
    """Mean of precision, recall and F1, weighted by number; zeros where that is 0 in all."""
    total = int(sum(s["number"] for s in scores))
    if not total:
        return NOTHING
    mean = dict.fromkeys(NAMES, 0.0)
    for name in NAMES:
        for of_role in scores:  # as the program adds: `sum` is compensated from Python 3.12 on
            mean[name] += of_role[name] * of_role["number"]
        mean[name] /= total
    return mean | {"number": total}


def _in_corpus_order(examples: pa.Table, chosen: Int64) -> list[int]:
    columns = [c for c in ("corpus", "doc_id", "sent_id") if c in examples.column_names]
    keys = [examples[c].to_pylist() for c in columns]
    numbers = [all(str(v).isdecimal() for v in key) for key in keys]

    def key(example: int) -> list[int | str]:
        return [
            int(column[example]) if number else str(column[example])
            for column, number in zip(keys, numbers, strict=True)
        ]

    return sorted(chosen.tolist(), key=key)
