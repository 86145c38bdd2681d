"""Wins, ties and ranks of systems, from the choices and scores of raters."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays.arrow import strings
from fastcausal.files.files import Source
from fastcausal.files.packed import stem_of
from fastcausal.options import Choice, check
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables
from fastcausal.tasks.claims.reading import rater_of
from fastcausal.tasks.labels.report import brief, label_agreement
from fastcausal.tasks.labels.suspicion import identical_warnings
from fastcausal.tasks.preferences.files import Path_, Preference, read_preferences
from fastcausal.tasks.preferences.report import KEYS, grids_of


class Standing(NamedTuple):
    """The place of a system in the preference of a rater on a topic."""

    system: str
    share: float  # 1 for the best, 1/k for each of k equally good best ones, 0 for others
    rank: float  # From 1; equal systems have the mean of their ranks
    preference: Preference


def preferences(
    source: Any,
    key: Path_,
    *,
    name: str | None = None,
    choice: Choice = "reference",
) -> Report:
    """Count how often raters prefer each system: wins, ties, ranks, and their agreement.

    Parameters
    ----------
    source : path, or list of them
        Files of preferences, one of each rater.
    key : path
        The file that names the system of each place, by topic.
    name : str, optional
        Read names of files, without suffix, by this pattern with {rater}. By default the whole name
        is the rater's.
    choice : {"reference", "topic", "scores"}
        Take the choice with the reference, with the topic alone, or the scores. Scores are from 1
        to 5.

    Returns
    -------
    Report
        ``report["rag"].wins``, ``ties``, ``losses``, ``share``, ``rank``, ``topics_won``,
        ``topics_tied``; the same by rater and topic in ``report.raters`` and ``report.topics``;
        ``report.agreement`` of raters on the best; tables ``per_topic`` and ``judgments``.

    Raises
    ------
    InputError
        A file cannot be read, has other topics than the key, or has a choice that is not a place.
    ValueError
        The choice is unknown, or the pattern has an unknown field.

    Examples
    --------
    >>> key = Source("key.json", b'{"Flood": {"first": "a", "second": "b"}}')
    >>> ann = Source("ann.json", b'{"Flood": {"best_prediction_reference": "second"}}')
    >>> report = preferences([ann], key)
    >>> report["b"].wins, report["b"].rank, report["a"].share, report.topics["Flood"]["best"]
    (1, 1.0, 0.0, ['b'])
    """
    check("choice", choice, Choice)
    listed = [source] if isinstance(source, str | os.PathLike | Source) else source
    files = [Source.open(each) for each in listed]
    raters = [rater_of(file.name, name) or stem_of(file.name) for file in files]
    given = read_preferences(list(zip(files, raters, strict=True)), key, choice)
    return _report(given, choice)


def _report(given: Sequence[Preference], choice: Choice) -> Report:
    stated = [each for each in given if None not in each.values.values()]
    standings = [standing for each in stated for standing in standings_of(each)]
    systems = sorted({system for each in given for system in each.values})
    raters = list(dict.fromkeys(each.rater for each in given))
    topics: dict[str, tuple[list[Preference], list[Standing]]] = {
        each.topic: ([], []) for each in given
    }
    for each in given:
        topics[each.topic][0].append(each)
    for standing in standings:
        topics[standing.preference.topic][1].append(standing)
    of_topics = {topic: _topic(*here) for topic, here in topics.items()}
    bests = [of_topic["best"] for of_topic in of_topics.values()]
    best = label_agreement(_best(given))
    missing = {r: sum(e.rater == r for e in given) - sum(e.rater == r for e in stated)
               for r in raters}  # fmt: skip
    warnings = [f'missing: rater "{r}" prefers nothing in {n} topics'
                for r, n in missing.items() if n]  # fmt: skip
    return Report(
        f"preferences on {len(topics)} topics by {len(raters)} raters, choice: {choice}",
        f"fastcausal|{__version__}|preferences|choice:{choice}|ties:shared|missing:left out",
        {
            system: Scores({**_scores(standings, system), **_topics_won(bests, system)})
            for system in systems
        },
        facts={
            "choice": choice,
            "n_topics": len(topics),
            "n_preferences": len(stated),
            "n_missing": len(given) - len(stated),
            "raters": {
                rater: {s: _scores(_of_rater(standings, rater), s) for s in systems}
                for rater in raters
            },
            "topics": of_topics,
            "agreement": brief(best),
        },
        warnings=(*warnings, *identical_warnings({(): best.ratings})),
        tables=Tables(
            per_topic=partial(_list_topics, of_topics), judgments=partial(_judgments, stated)
        ),
        keys=KEYS,
        grids=grids_of,
    )


def standings_of(preference: Preference) -> list[Standing]:
    """Return the standing of each system.

    >>> given = Preference("ann", "Flood", {"a": 4, "b": 4, "c": 1})
    >>> [(each.share, each.rank) for each in standings_of(given)]
    [(0.5, 1.5), (0.5, 1.5), (0.0, 3.0)]
    """
    values = [value for value in preference.values.values() if value is not None]
    n_best = values.count(max(values))
    return [
        Standing(
            system,
            1 / n_best if value == max(values) else 0.0,
            sum(v > value for v in values) + (values.count(value) + 1) / 2,
            preference,
        )
        for system, value in preference.values.items()
        if value is not None
    ]


def _of_rater(standings: Iterable[Standing], rater: str) -> list[Standing]:
    return [each for each in standings if each.preference.rater == rater]


def _scores(standings: Iterable[Standing], system: str) -> Scores:
    """Count the preferences that a system wins, and average its shares and ranks."""
    shares, ranks = [], []
    for each in standings:
        if each.system == system:
            shares.append(each.share)
            ranks.append(each.rank)
    n, wins, losses = len(shares), shares.count(1.0), shares.count(0.0)
    counts = {"wins": wins, "ties": n - wins - losses, "losses": losses}
    means = {"share": _mean(shares), "rank": _mean(ranks)}
    return Scores({**counts, **means, "n": n})


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values) if values else math.nan


def _topic(given: Sequence[Preference], standings: Sequence[Standing]) -> dict[str, Any]:
    """Return the scores of each system on a topic, and the systems with the largest share."""
    systems = sorted({system for each in given for system in each.values})
    scores = {system: _scores(standings, system) for system in systems}
    most = max(of["share"] for of in scores.values())
    best = [system for system, of in scores.items() if math.isclose(of["share"], most)]
    return {"best": best, "systems": scores}


def _topics_won(bests: Sequence[Sequence[str]], system: str) -> dict[str, int]:
    """Count the topics on which a system is the best, alone or with others."""
    won = sum(list(best) == [system] for best in bests)
    return {"topics_won": won, "topics_tied": sum(system in best for best in bests) - won}


def _best(given: Sequence[Preference]) -> dict[str, list[Any]]:
    """Return a row for each preference: topic, rater, and the best system; none in a tie."""
    labels = []
    for each in given:
        is_stated = None not in each.values.values()
        best = [s.system for s in standings_of(each) if s.share == 1.0] if is_stated else []
        labels.append(best[0] if best else None)
    return {
        "unit": [each.topic for each in given],
        "rater": [each.rater for each in given],
        "label": labels,
    }


def _judgments(stated: Sequence[Preference]) -> pa.Table:
    """Return a row for each system of a preference: ``system, item, rater, label``."""
    rows = [(s, e.topic, e.rater, v) for e in stated for s, v in e.values.items()]
    system, item, rater, label = zip(*rows, strict=True) if rows else ((), (), (), ())
    return pa.table(
        {
            "system": strings(system),
            "item": strings(item),
            "rater": strings(rater),
            "label": pa.array(label, pa.int64()),
        }
    )


def _list_topics(of_topics: Mapping[str, Mapping[str, Any]]) -> pa.Table:
    """Return a row for each system of a topic: ``system, item`` and its scores."""
    rows = [
        {"system": system, "item": topic, **scores}
        for topic, of_topic in of_topics.items()
        for system, scores in of_topic["systems"].items()
    ]
    table = pa.Table.from_pylist(rows)
    columns = [pa.array(table[n].to_pylist(), from_pandas=True) for n in table.column_names]
    return pa.table(columns, table.column_names)
