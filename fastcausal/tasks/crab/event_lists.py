"""Events that a model found in documents, compared with the events of experts."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.counts.arithmetic import exact, mean_defined
from fastcausal.errors import InputError
from fastcausal.files import keys
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import JSON, kind, shown
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import EventMatch, check
from fastcausal.report.groups import Scores
from fastcausal.report.numbers import MEAN_SHARE
from fastcausal.report.report import Report
from fastcausal.tasks.crab.event_filters import Filters
from fastcausal.tasks.words import f1, words

MatchRule = Callable[[str, str], Any]
PARTS = ("precision", "recall", "f1")


def events(
    gold: RecordSource,
    pred: RecordSource,
    *,
    match: EventMatch | MatchRule = "tokens",
    min_f1: float = 0.5,
    min_tokens: int = 0,
    no_quotes: bool = False,
) -> Report:
    """Score the events that a model finds in documents (CRAB, Table 10).

    A gold event is found if it has a partner; the pairing is as large as possible.

    Parameters
    ----------
    gold : path, table or list of mappings
        Events of experts: a row per document, id and a list events.
    pred : path, table or list of mappings
        Events of a model, of the same documents.
    match : {"tokens", "exact"} or callable
        Match events by F1 of their words, or by the same words. A function of two texts, gold
        first, is another rule. Words are normalised as in SQuAD 1.1; an event without words has a
        partner only by a function.
    min_f1 : float
        Match from this F1 on. From 0 to 1, for ``"tokens"``.
    min_tokens : int
        Drop found events of fewer tokens; the paper has 3. Blanks separate tokens.
    no_quotes : bool
        Drop found events with a quotation and a verb of saying outside of it.

    Returns
    -------
    Report
        ``n_documents, n_gold, n_pred``; with a filter ``n_dropped``, the numbers of ``short`` and
        ``quoted`` events that were dropped, which are not in ``n_pred``; the scores ``micro``, over
        all events, and ``macro``, means over the documents in which they are defined.

    Raises
    ------
    InputError
        A source cannot be read, or an id repeats or is missing on one side.
    ValueError
        ``match`` is unknown, or ``min_f1`` or ``min_tokens`` is out of its range.

    References
    ----------
    Romanou et al. (2023), CRAB, Table 10, which leaves the matching open.

    Examples
    --------
    >>> from fastcausal import crab
    >>> gold = [{"id": "a", "events": ["The dam broke", "A village was flooded"]}]
    >>> pred = [{"id": "a", "events": ["dam broke at night", "The mayor resigned"]}]
    >>> report = crab.events(gold, pred)
    >>> report["micro"].tp, report["micro"].precision
    (1, 0.5)
    >>> crab.events(gold, pred, min_f1=0.7)["micro"].tp
    0
    """
    if not callable(match):
        check("match", match, EventMatch)
    if not 0 <= min_f1 <= 1:
        raise ValueError(f"min_f1 is {min_f1}, expected a number from 0 to 1")
    filters = Filters(min_tokens, no_quotes)
    sources = read_records(gold, "gold"), read_records(pred, "pred")
    (of_gold, wanted), (of_pred, listed) = map(_documents, sources)
    listed, dropped = filters.keep_events(listed)
    texts = (f"documents have no events in {sources[1].name}", f"are not in {sources[0].name}")
    where = sources[0].locate, sources[1].locate
    rows = keys.match(of_gold, of_pred, "error", texts, None, where=where).pred.tolist()
    order = np.argsort(keys.encode(of_gold)[0]).tolist()
    pairs = [(wanted[k], listed[rows[k]]) for k in order]
    n_gold, n_pred = (np.array([len(pair[side]) for pair in pairs]) for side in (0, 1))
    tp = _partners(pairs, match, min_f1)
    rule = match if isinstance(match, str) else getattr(match, "__name__", "function")
    least = f"|min_f1:{min_f1:g}" if rule == "tokens" else ""
    return Report(
        f"events of {len(pairs)} documents",
        f"fastcausal|{__version__}|crab-events|match:{rule}{least}{filters.signature}"
        "|0/0:undefined",
        _scores({"tp": tp, "fp": n_pred - tp, "fn": n_gold - tp}),
        facts={
            "n_documents": len(pairs),
            "n_gold": int(n_gold.sum()),
            "n_pred": int(n_pred.sum()),
        }
        | ({"n_dropped": dropped} if filters != Filters() else {}),
        legend=_legend(dropped),
        scales=dict.fromkeys(PARTS, MEAN_SHARE),
    )


def _legend(dropped: dict[str, int]) -> tuple[str, ...]:
    """Return a line with the numbers of dropped events; no line if none was dropped."""
    counts = ", ".join(f"{n} {reason}" for reason, n in dropped.items())
    return (f"dropped events: {counts}",) if any(dropped.values()) else ()


def _scores(counts: dict[str, npt.NDArray[np.int64]]) -> dict[str, Scores]:
    sums = {name: int(values.sum()) for name, values in counts.items()}
    each = exact(counts, math.nan)
    ones = [1] * len(counts["tp"])
    macro = {name: mean_defined(each[name].tolist(), ones, math.nan) for name in PARTS}
    return {"micro": Scores(exact(sums, math.nan) | sums), "macro": Scores(macro)}


def _partners(
    pairs: Sequence[tuple[list[str], list[str]]], match: EventMatch | MatchRule, min_f1: float
) -> npt.NDArray[np.int64]:
    """Return the number of events with a partner in each document: int64[n_documents]."""
    n_found = [_count_matched(_edges(*pair, match, min_f1)) for pair in pairs]
    return np.array(n_found, np.int64)


def _count_matched(edges: Sequence[tuple[int, int]]) -> int:
    """Return the size of a maximum matching of gold and predicted events (Kuhn 1955)."""
    partners: dict[int, list[int]] = {}
    for gold, pred in edges:
        partners.setdefault(gold, []).append(pred)
    gold_of: dict[int, int] = {}  # of each matched predicted event
    pred_of: dict[int, int] = {}
    for first in partners:
        # The nearest free event, over the pairs so far
        via: dict[int, int] = {}
        rows = [first]
        for gold in rows:
            for pred in partners[gold]:
                if pred in via:
                    continue
                via[pred] = gold
                if pred in gold_of:
                    rows.append(gold_of[pred])
                    continue
                rows.clear()  # ends the search
                end: int | None = pred
                while end is not None:
                    gold_of[end] = gold = via[end]
                    pred_of[gold], end = end, pred_of.get(gold)
                break
    return len(gold_of)


def _edges(
    wanted: list[str], listed: list[str], match: EventMatch | MatchRule, min_f1: float
) -> list[tuple[int, int]]:
    if callable(match):
        return [
            (i, j) for i, a in enumerate(wanted) for j, b in enumerate(listed) if bool(match(a, b))
        ]
    golds, preds = (
        [(k, w) for k, text in enumerate(s) if (w := words(text))] for s in (wanted, listed)
    )
    if match == "exact":
        return [(i, j) for i, a in golds for j, b in preds if a == b]
    return [(i, j) for i, a in golds for j, b in preds if f1(a, b) >= min_f1]


def _documents(records: Records) -> tuple[pa.Array, list[list[str]]]:
    """Return the id of each document, and its events."""
    ids, documents = records.keys("id"), [*map(_decoded, records.column("events").to_pylist())]
    keys.require_unique(ids, records.locate)
    for row, texts in enumerate(documents):
        _require_texts(texts, records, row)
    return ids, documents


def _decoded(events: Any) -> Any:
    """Decode JSON, as in CSV and mixed columns; return other values unchanged."""
    try:
        return JSON.decode(events) if isinstance(events, str) else events
    except ValueError:
        return events


def _require_texts(texts: Any, records: Records, row: int) -> None:
    if not isinstance(texts, list):
        got = shown(texts) if isinstance(texts, str) else kind(texts)
        raise InputError(f'{records.locate(row)}: "events" is {got}, expected a list of texts')
    for text in texts:
        if not isinstance(text, str):
            raise InputError(f"{records.locate(row)}: an event is {kind(text)}, expected a text")
