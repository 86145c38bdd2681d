"""Questions made from frames: which of four events most likely caused one."""

from __future__ import annotations

from bisect import bisect_left
from math import comb

import numpy as np
import pyarrow as pa

from fastcausal._version import __version__
from fastcausal.arrays import arrow
from fastcausal.formats.reading.sources import RecordSource
from fastcausal.options import QuestionTies, check
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report
from fastcausal.significance.draws import check_count, check_seed
from fastcausal.significance.keyed import sampled
from fastcausal.significance.sums import Float64
from fastcausal.tasks.crab.files import CLASSES, Int64, JudgedPairs, read_pairs

N = 4  # candidates of a question
# Fields of a question, with their columns in judged pairs.
EFFECT = {"effect": "event_b", "article_id_effect": "article_id_b", "article_effect": "article_b"}
CAUSE = {"cause": "event_a", "article_id": "article_id_a", "article": "article_a"}
COUNTS = ("n_questions", "n_frames", "n_without", "n_few_causes", "n_tied")


def make_questions(
    gold: RecordSource, *, seed: int = 0, per_frame: int = 1, ties: QuestionTies = "skip"
) -> pa.Table:
    """Make questions which of four events caused one, from frames of judged pairs.

    A frame has all pairs with the same effect. Candidates and letters depend only on the seed and
    the frame; every set of four candidates is equally likely, and is drawn at most once.

    Parameters
    ----------
    gold : path, table or list of mappings
        Judged pairs with scores; - for stdin.
    seed : int
        Seed the draws with this number. From 0 to 2^63 - 1.
    per_frame : int
        Make so many questions of an effect, if it has the causes. A larger number starts with the
        same questions.
    ties : {"skip", "accept"}
        Draw no four causes that tie at the top, or accept several answers. ``"accept"`` makes an
        ``answer`` of several letters.

    Returns
    -------
    pyarrow.Table
        By topic and effect: ``topic_id, event_order, effect, article_id_effect, article_effect``;
        ``{i}_event_order, {i}_cause, {i}_article_id, {i}_article, {i}_score, {i}_choice`` of the
        candidates 0 to 3; and ``answer``. Texts and articles are there if gold has them; the
        effect's are from its pair with the first right candidate. `describe_questions` counts the
        frames without questions.

    Raises
    ------
    InputError
        Gold cannot be read, or a pair has no score.
    ValueError
        ``ties`` is unknown, or a number is out of its range.

    References
    ----------
    Romanou et al. (2023), CRAB, section 4.2, which leaves the draw of candidates open.

    Examples
    --------
    >>> from fastcausal import crab
    >>> gold = [{"topic_id": 1, "event_order_a": a, "event_order_b": 6, "score": 10 * a}
    ...         for a in range(1, 6)]
    >>> [question] = crab.make_questions(gold, seed=3).to_pylist()
    >>> {question[f"{i}_choice"]: question[f"{i}_event_order"] for i in range(4)}
    {'D': 2, 'C': 3, 'A': 4, 'B': 5}
    >>> question["answer"]
    'B'
    """
    check("ties", ties, QuestionTies)
    check_seed(seed)
    check_count("per_frame", per_frame)
    pairs = read_pairs(gold)
    pairs.require_scores()
    frames = _frames(pairs)
    drawn = [_drawn(pairs, frame, int(seed), int(per_frame), ties) for frame in frames]
    questions = [
        (frame[causes], letters)
        for frame, each in zip(frames, drawn, strict=True)
        for causes, letters in each
    ]
    n_without = sum(not each for each in drawn)
    n_few = sum(len(frame) < N for frame in frames)
    numbers = (len(questions), len(frames), n_without, n_few, n_without - n_few)
    rules = f"per_frame:{per_frame}|ties:{ties}|seed:{seed}"
    about = {"signature": f"fastcausal|{__version__}|crab-questions|{rules}"}
    about |= {name: str(n) for name, n in zip(COUNTS, numbers, strict=True)}
    places, letters = (
        np.array([question[side] for question in questions], np.int64).reshape(-1, N)
        for side in (0, 1)
    )
    return _table(pairs, places, letters).replace_schema_metadata(about)


def describe_questions(questions: pa.Table) -> Report:
    """Count the frames with and without questions.

    Parameters
    ----------
    questions : pyarrow.Table
        The output of `make_questions`.

    Returns
    -------
    Report
        The group ``frames``: their number ``n``, and the number ``without`` a question, because of
        ``few_causes`` (fewer than four) or ``tied``: every set has several candidates of the
        highest score.

    Examples
    --------
    >>> from fastcausal import crab
    >>> pair = {"topic_id": 1, "event_order_a": 1, "event_order_b": 2, "score": 50}
    >>> crab.describe_questions(crab.make_questions([pair]))["frames"]
    Scores(n=1, without=1, few_causes=1, tied=0)
    """
    about = {name.decode(): text.decode() for name, text in questions.schema.metadata.items()}
    n, *frames = (int(about[name]) for name in COUNTS)
    return Report(
        f"{n} questions of {frames[0]} frames",
        about["signature"],
        {"frames": Scores(dict(zip(("n", "without", "few_causes", "tied"), frames, strict=True)))},
        facts={"n_questions": n},
    )


def _frames(pairs: JudgedPairs) -> list[Int64]:
    """Return the pairs of each effect, causes in their order."""
    order = np.lexsort((pairs.a, pairs.b, pairs.story))
    story, effect = pairs.story[order], pairs.b[order]
    starts = np.flatnonzero((np.diff(story) != 0) | (np.diff(effect) != 0)) + 1
    return np.split(order, starts)


def _drawn(
    pairs: JudgedPairs, frame: Int64, seed: int, n: int, ties: QuestionTies
) -> list[tuple[list[int], list[int]]]:
    """Draw the questions of a frame: the places of four causes, and their letters."""
    sets = _Sets(pairs.score[frame], ties)
    first = int(frame[0])
    key = (seed, str(pairs.topics[int(pairs.story[first])]), int(pairs.b[first]))
    ranks = sampled(sets.n, min(n, sets.n), *key, "causes")
    return [
        (sets.find_causes(rank), sampled(N, N, *key, k, "letters")) for k, rank in enumerate(ranks)
    ]


class _Sets:
    """The sets of four causes of a frame, numbered: all, or only sets with one highest score."""

    def __init__(self, scores: Float64, ties: QuestionTies) -> None:
        self.order = np.argsort(scores, kind="stable").tolist()
        ascending = sorted(scores.tolist())
        self.below = [bisect_left(ascending, score) for score in ascending]
        if ties == "accept":  # causes of an equal score may join a cause, too
            self.below = [*range(len(ascending))]
        self.n = sum(comb(m, N - 1) for m in self.below)

    def find_causes(self, rank: int) -> list[int]:
        """Return the places of the four causes of set ``rank``, ascending; ``rank`` is below n."""
        for top, m in enumerate(self.below):
            if rank < comb(m, N - 1):
                return sorted(self.order[k] for k in (top, *_combination(rank, N - 1)))
            rank -= comb(m, N - 1)
        raise IndexError(rank)


def _combination(rank: int, k: int) -> list[int]:
    """Return the k distinct numbers that stand for a rank in the combinatorial number system."""
    numbers = []
    for size in range(k, 0, -1):
        number = size - 1
        while comb(number + 1, size) <= rank:
            number += 1
        numbers.append(number)
        rank -= comb(number, size)
    return numbers


def _table(pairs: JudgedPairs, places: Int64, letters: Int64) -> pa.Table:
    """Return a row per question, from the pairs int64[n, 4] of its candidates and their letters."""
    scores = pairs.score[places]
    is_right = scores == scores.max(axis=1, initial=0, keepdims=True)
    rights = [
        "".join(sorted(CLASSES[code] for code in row[right]))
        for row, right in zip(letters, is_right, strict=True)
    ]
    gold = places[np.arange(len(places)), is_right.argmax(axis=1)]
    columns = {
        "topic_id": pairs.topics.take(arrow.numbers(pairs.story[gold])),
        "event_order": arrow.numbers(pairs.b[gold]),
    } | _carried(pairs, EFFECT, gold)
    for i, cause in enumerate(places.T):
        columns[f"{i}_event_order"] = arrow.numbers(pairs.a[cause])
        carried = _carried(pairs, CAUSE, cause)
        columns |= {f"{i}_{name}": column for name, column in carried.items()}
        columns[f"{i}_score"] = _plain(pairs.score[cause])
        columns[f"{i}_choice"] = pa.array(CLASSES).take(arrow.numbers(letters[:, i]))
    return pa.table(columns | {"answer": pa.array(rights, pa.string())})


def _carried(pairs: JudgedPairs, fields: dict[str, str], places: Int64) -> dict[str, pa.Array]:
    rows = arrow.numbers(pairs.rows[places])
    known = {name: column for name, column in fields.items() if column in pairs.records}
    return {name: pairs.records.column(column).take(rows) for name, column in known.items()}


def _plain(scores: Float64) -> pa.Array:
    """Return scores as integers if all are whole."""
    whole = scores.astype(np.int64)
    return arrow.numbers(whole if (whole == scores).all() else scores)
