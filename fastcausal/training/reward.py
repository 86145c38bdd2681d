"""The score of an answer as its reward, for TRL, verl, verifiers and loops of one's own.

::

    text, gold ── gold.py: once, kept by content ─▶ GoldExample ──┐
    completions ── raw answers ── spans in the text ── counts ────┴──▶ a share for each completion
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from fastcausal.arrays.arrow import strings
from fastcausal.arrays.examples import TYPE
from fastcausal.engine.kernel import Int64
from fastcausal.errors import InputError
from fastcausal.formats._tokens import is_of_letters
from fastcausal.formats.cnc.markup import OFFICIAL
from fastcausal.formats.model_output.plain import ParsedAnswers, parsed
from fastcausal.formats.model_output.reading import find_spans
from fastcausal.formats.model_output.shapes import Notes
from fastcausal.formats.reading.builder import Builder, UnreadError
from fastcausal.formats.words import WordCutter
from fastcausal.marking import Marking, WordRule
from fastcausal.options import Occurrence, ProtocolName, check_reading
from fastcausal.protocols import PROTOCOLS, Protocol, batch_protocol
from fastcausal.relations import ROLES
from fastcausal.tasks.extraction.counting import counting_of, formula_of
from fastcausal.tasks.relations import official
from fastcausal.tasks.relations.align import Aligned, align_rows
from fastcausal.tasks.relations.formula import MULTI
from fastcausal.tasks.relations.types import Types
from fastcausal.training.gold import GoldExample, GoldReader, Row, join_rows

PARTS = ("score", "format", "quote", "direction")
SCORE_ALONE = {"score": 1.0}
Float64 = npt.NDArray[np.float64]
Booleans = npt.NDArray[np.bool_]


class Reward:
    """The score of an answer as its reward: finite, from 0 to 1, and the metric itself.

    It is a reward function of TRL; `score` takes one completion, as a rubric of verifiers does, and
    `verl` is a ``compute_score`` of verl. It can be pickled, forked, and called by several threads.

    Parameters
    ----------
    protocol : {"recess", "cnc-2023", "relations", "depths"} or Protocol
        Its scores are ratios of sums. The value of a completion is the score of its example.
    score : str
        ``"f1"`` is that of the protocol's first group; or a name such as ``"cause_recall"``, or
        ``"overlap_f1"`` with ``protocol="relations"``.
    gold, text, tokens : str
        Names of the columns. Gold is a list of relations by words or by tokens, JSON text of one, a
        tagged sentence, a list of these, or such a list as the Causal News Corpus writes it.
        ``tokens``, if named, has the tokens of each text; then a text may be missing.
    unparsed : float
        The score of an answer that cannot be read, from 0 to 1: an empty one, one without
        relations in any form, and one with a span that is not in the text.
    none : float
        The score of an answer without relations where gold has none either, from 0 to 1.
    parts : mapping of str to float, optional
        Weights of ``"score"``, ``"format"`` (1 for an answer that was read), ``"quote"`` (the share
        of its spans that stand in the text word for word) and ``"direction"`` (1 less the share of
        its relations that are right but turned round). The value is their weighted mean.
    occurrence, words
        As in `fastcausal.read`.
    cache : int
        Number of examples whose gold is kept, by content.
    name : str, optional
        ``__name__`` in logs; by default ``fastcausal_<protocol>_<score>``.

    Raises
    ------
    ValueError
        An option is out of range, or the score is no ratio of sums.

    Examples
    --------
    >>> reward = Reward()
    >>> example = {"text": "Rain fell so roads closed .",
    ...            "relations": [{"cause": "Rain fell", "effect": "roads closed"}]}
    >>> answers = ['{"relations": [{"cause": "Rain fell", "effect": "roads"}]}', "I cannot"]
    >>> [round(reward.score(answer, example), 4) for answer in answers]
    [0.6667, 0.0]
    >>> reward(answers, text=[example["text"]] * 2, relations=[example["relations"]] * 2)[1]
    0.0
    """

    def __init__(
        self,
        protocol: ProtocolName | Protocol = "recess",
        *,
        score: str = "f1",
        gold: str = "relations",
        text: str = "text",
        tokens: str | None = None,
        unparsed: float = 0.0,
        none: float = 1.0,
        parts: Mapping[str, float] | None = None,
        occurrence: Occurrence = "gap",
        words: WordRule = "blank",
        cache: int = 100_000,
        name: str | None = None,
    ) -> None:
        self._protocol = batch_protocol(protocol)
        if self._protocol.tags == "aligned":
            raise ValueError(f"{self._protocol.name} aligns tags, which answers do not have")
        check_reading(self._protocol.tags, occurrence)
        if cache < 0:
            raise ValueError(f"cache is {cache}, expected a number of examples")
        self._of_none, self._of_unparsed = (
            _check_share(which, value) for which, value in (("none", none), ("unparsed", unparsed))
        )
        self._parts = _check_parts(parts)
        self._gold, self._text, self._tokens = gold, text, tokens
        self._by_gap = occurrence == "gap"
        self._marking = Marking.make(words=words)
        self._rule = WordCutter.choose(self._marking.words)
        self._score, self._weights = _weigh(self._protocol, score)
        self._counting = counting_of(self._protocol, ROLES, "cpu", None)
        self._depths = counting_of(PROTOCOLS["depths"], ROLES, "cpu", None)
        self._golds = GoldReader(self._protocol, self._marking, cache)
        self.__name__: str = name or f"fastcausal_{self._protocol.name}_{score}"

    def __call__(self, completions: Sequence[Any], **columns: Any) -> list[float]:
        """Return the reward of each completion, as TRL asks for it.

        Parameters
        ----------
        completions : sequence
            Texts, or lists of messages: the last one of the assistant counts.
        **columns
            The columns of the data set, a row for each completion, and whatever TRL adds: means
            go to its ``log_metric``, values to its ``log_extra``.
        """
        scored = self._score_all(completions, self._rows(len(completions), columns))
        _log(self.__name__, scored, columns.get("log_metric"), columns.get("log_extra"))
        return scored.values

    def parts_of(self, completions: Sequence[Any], **columns: Any) -> dict[str, list[float]]:
        """Return the parts of the rewards by name, with the arguments of a call."""
        return self._score_all(completions, self._rows(len(completions), columns)).parts

    def score(self, completion: Any, row: Mapping[str, Any]) -> float:
        """Return the reward of one completion for a row of the data set, the same as in a batch."""
        given = (self._text, self._tokens, self._gold)
        text, tokens, gold = (None if name is None else row.get(name) for name in given)
        return self._score_all([completion], [(text, tokens, gold)]).values[0]

    def verl(
        self,
        data_source: Any = None,
        solution_str: Any = None,
        ground_truth: Any = None,
        extra_info: Mapping[str, Any] | None = None,
        **further: Any,
    ) -> float:
        """Return the reward of one completion; its text, or tokens, are in ``extra_info``."""
        row = dict(extra_info or {})
        row.setdefault(self._text, row.get("text"))
        return self.score(solution_str, row | {self._gold: ground_truth})

    def _rows(self, n: int, columns: Mapping[str, Any]) -> list[Row]:
        """Return text, tokens and gold of n completions."""
        given: list[Any] = []
        for name in (self._text, self._tokens, self._gold):
            column = None if name is None else columns.get(name)
            if column is None and (name == self._gold or self._tokens is None is not name):
                known = ", ".join(columns) or "no columns"
                raise InputError(f'no column "{name}" of the data set: found {known}')
            if column is not None and len(column) != n:
                raise InputError(f'column "{name}" has {len(column)} rows, expected {n}')
            given.append([None] * n if column is None else column)
        return [*zip(*given, strict=True)]

    def _score_all(self, completions: Sequence[Any], rows: Sequence[Row]) -> ScoredAnswers:
        if not len(completions):
            return ScoredAnswers([], {part: [] for part in self._parts}, 0)
        golds = self._golds.take(rows)
        answers = [*map(_find_answer, completions)]
        answered = parsed(answers, Notes())
        build = self._find(golds, answers, answered)
        aligned = self._align(golds, build)
        unread = [*{example for example, *_ in build.reasons}]
        parts: dict[str, Float64] = {}
        for part in self._parts:
            if part == "score":
                parts[part] = self._shares(golds, aligned, unread)
            elif part == "format":
                parts[part] = _are_read(answered).astype(np.float64)
            elif part == "quote":
                parts[part] = _quotes(golds, answered)
            else:
                parts[part] = self._directions(aligned, answered)
        lists = {part: column.tolist() for part, column in parts.items()}
        values = lists["score"] if len(parts) == 1 and "score" in parts else self._mean(parts)
        return ScoredAnswers(values, lists, len(unread))

    def _mean(self, parts: Mapping[str, Float64]) -> list[float]:
        """Return the weighted means of parts."""
        # Both sums add in one order: parts of 1 give 1.
        total = sum(self._parts.values())
        sums: Any = sum(self._parts[name] * values for name, values in parts.items())
        means: list[float] = (sums / total).tolist()
        return means

    def _find(
        self, golds: Sequence[GoldExample], answers: list[Any], answered: ParsedAnswers
    ) -> Builder:
        """Find the spans of answers in the texts of their examples."""
        if answered.others and "direction" not in self._parts:
            # Where a relation is unread, the score does not depend on the others.
            others = {k: _refuse(relations) for k, relations in answered.others.items()}
            answered = answered._replace(others=others)
        return find_spans(
            "completions",
            answers,
            answered,
            [gold.text for gold in golds],
            np.full(len(golds), -1, np.int32),  # each text has the tokens of its gold
            self._by_gap,
            self._rule,
            [gold.tokens for gold in golds],
            self._marking,
            lambda k: golds[k].text,
            lambda k: f"completion {k}",
            lenient=True,
        )

    def _align(self, golds: Sequence[GoldExample], build: Builder) -> Aligned:
        """Align answers with gold, both as the protocol reads them."""
        gold = join_rows(golds)
        aligned = align_rows(gold, build.rows(), ROLES, self._protocol)
        if self._protocol.tags in OFFICIAL and self._protocol.surplus == "truncate":
            texts = pa.table({"text": strings([gold.text for gold in golds])})
            filled, _ = official.padded(aligned.gold, aligned.pred, texts, self._protocol.tags)
            aligned = aligned._replace(pred=filled)
        if self._score.startswith("strict"):
            of_pred = build.types()
            of_gold = [name for gold in golds for name in gold.types]
            names = [None] * aligned.pred.n_relations if of_pred is None else of_pred.to_pylist()
            aligned = aligned._replace(types=_number(of_gold, names))
        return aligned

    def _shares(self, golds: Sequence[GoldExample], aligned: Aligned, unread: list[int]) -> Float64:
        """Return the score of each example."""
        counts = self._counting.run(aligned, partners=False).counts
        numerator, denominator = (counts @ self._weights).T
        if denominator.all():
            shares: Float64 = numerator / denominator
        else:
            sides = aligned.gold, aligned.pred
            n_spans: Any = sum(rows.row_offsets[rows.relation_offsets] for rows in sides)
            shares = np.where(n_spans[1:] > n_spans[:-1], 0.0, self._of_none)
            np.divide(numerator, denominator, out=shares, where=denominator != 0)
        if unread:
            shares[unread] = self._of_unparsed
        return shares

    def _directions(self, aligned: Aligned, answered: ParsedAnswers) -> Float64:
        """Return 1 less the share of relations that are right but turned; 0 for unread answers."""
        formula = formula_of(PROTOCOLS["depths"], ROLES)
        counts = self._depths.run(aligned, partners=False).counts
        account = formula.counts_of(counts.T, "account_predicted")
        turned, relations = account["turned"], account["relations"]
        kept = np.ones(len(turned))
        np.divide(relations - turned, relations, out=kept, where=relations != 0)
        return np.where(_are_read(answered), kept, 0.0)


class ScoredAnswers(NamedTuple):
    """Rewards, and their parts by name."""

    values: list[float]
    parts: dict[str, list[float]]
    n_unread: int  # Answers of which a part could not be read


def _check_share(name: str, value: float) -> float:
    if isinstance(value, bool) or not 0 <= value <= 1:
        raise ValueError(f"{name} is {value!r}, expected a number from 0 to 1")
    return float(value)


def _check_parts(parts: Mapping[str, float] | None) -> dict[str, float]:
    """Return the weights of parts."""
    weights = SCORE_ALONE if parts is None else {n: float(weight) for n, weight in parts.items()}
    for name in weights:
        if name not in PARTS:
            raise ValueError(f'parts has "{name}", expected some of {", ".join(PARTS)}')
    if not all(0 <= weight < math.inf for weight in weights.values()) or not any(weights.values()):
        raise ValueError(f"parts is {parts!r}, expected weights from 0 on, one of them above 0")
    return weights


def _weigh(protocol: Protocol, score: str) -> tuple[str, Int64]:
    """Return the flat name of a score, and weights of counts: [n_counts, 2], of a ratio."""
    formula = formula_of(protocol, ROLES, typed=True)
    # Both sums of a ratio are linear: rows with a single 1 give their weights.
    units = np.eye(len(formula.fields), dtype=np.int64)
    units[:, -1] = 0  # MULTI is no count
    ratios = {
        name: parts
        for name, parts in formula.parts_of(formula.terms(units)).items()
        if not name.startswith(f"{MULTI}_")
    }
    name = score if score in ratios else f"{formula.groups[0]}_{score}"
    if name not in ratios:
        raise ValueError(
            f'score is "{score}", expected a ratio of sums of {protocol.name}: {", ".join(ratios)}'
        )
    weights = 2 * np.stack(ratios[name], axis=1)[:-1]  # partial errors count half
    return name, weights.astype(np.int64)


def _find_answer(completion: Any) -> Any:
    """Return the text of a completion, else its last message of the assistant; None for neither."""
    if isinstance(completion, str | None):
        return completion
    messages = [completion] if isinstance(completion, Mapping) else completion
    if not isinstance(messages, list | tuple):
        kind = type(completion).__name__
        raise TypeError(f"a completion is a {kind}, expected a text or a list of messages")
    said = [m for m in messages if isinstance(m, Mapping) and m.get("role") == "assistant"]
    if not said:
        return None
    content = said[-1].get("content")
    return content if isinstance(content, str) and not said[-1].get("tool_calls") else said[-1]


def _number(gold: Sequence[str | None], pred: Sequence[str | None]) -> Types:
    """Number the types of relations."""
    names = sorted({*gold, *pred} - {None})  # type: ignore[type-var]
    number = {None: 0} | {name: k for k, name in enumerate(names, 1)}
    of_gold, of_pred = (np.array([number[n] for n in side], np.int64) for side in (gold, pred))
    return Types(tuple(names), of_gold, of_pred)  # type: ignore[arg-type]


def _are_read(answered: ParsedAnswers) -> Booleans:
    """Return True for answers that were understood, wherever their spans are."""
    read = np.ones(len(answered.plain), bool)
    for k, relations in answered.others.items():
        entries = [relations] if isinstance(relations, UnreadError) else relations
        read[k] = not any(isinstance(each, UnreadError) for each in entries)
    return read


def _refuse(relations: list[Any] | UnreadError) -> list[Any] | UnreadError:
    """Return the reason why the first relation is unread, if any is; else the relations."""
    if isinstance(relations, UnreadError):
        return relations
    return next((each for each in relations if isinstance(each, UnreadError)), relations)


def _quotes(golds: Sequence[GoldExample], answered: ParsedAnswers) -> Float64:
    """Return the share of the spans of each answer that stand in its text word for word."""
    shares = _are_read(answered).astype(np.float64)
    for k, gold in enumerate(golds):
        relations = answered.others.get(k)
        if isinstance(relations, UnreadError):
            continue
        spans = answered.written.texts(k) if relations is None else [*_spans_in(relations)]
        text = _space(gold.text)
        quoted = [
            _is_quoted(span, text)
            if isinstance(span, str)
            else 0 <= span[0] < span[1] <= len(gold.text)
            for span in spans
            if not isinstance(span, str) or span.strip()
        ]
        if quoted:
            shares[k] = sum(quoted) / len(quoted)
    return shares


def _spans_in(relations: Iterable[Any]) -> Iterator[Any]:
    """Yield the spans of relations: texts, and [start, stop] in characters."""
    for relation in relations:
        for role, spans in () if isinstance(relation, UnreadError) else relation.items():
            is_one = isinstance(spans, str) or [*map(type, spans or ())] == [int, int]
            if role != TYPE:
                yield from (s for s in ([spans] if is_one else spans or ()) if s is not None)


def _space(text: str) -> str:
    """Return a text with single blanks between words."""
    return " ".join(text.split())


def _is_quoted(span: str, text: str) -> bool:
    """Return True if a span stands in a text, of single blanks, word for word."""
    wanted = _space(span)
    start = text.find(wanted) if wanted else -1
    while start >= 0:
        if not (_is_within_word(text, start) or _is_within_word(text, start + len(wanted))):
            return True
        start = text.find(wanted, start + 1)
    return False


def _is_within_word(text: str, place: int) -> bool:
    """Return True between two letters of a word; in scripts without blanks each is a word."""
    around = text[max(place - 1, 0) : place + 1]
    return len(around) == 2 and around.isalnum() and not is_of_letters(around)


def _log(name: str, scored: ScoredAnswers, log_metric: Any, log_extra: Any) -> None:
    """Pass means and the share of unread answers to TRL, if it takes them."""
    n = len(scored.values)
    if callable(log_metric) and n:
        for part, values in scored.parts.items():
            log_metric(f"{name}/{part}", math.fsum(values) / n)
        log_metric(f"{name}/unread", scored.n_unread / n)
    if callable(log_extra):
        for part, values in scored.parts.items():
            log_extra(f"{name}/{part}", values)
