"""The content of a corpus, in counts that add up over corpora."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations
from typing import TYPE_CHECKING, Any

from fastcausal._version import __version__
from fastcausal.arrays.reading import arguments_of
from fastcausal.relations import NO_RELATION, ROLES
from fastcausal.report.grid import Grid
from fastcausal.report.groups import Scores
from fastcausal.report.report import Report, Tables

if TYPE_CHECKING:
    import pyarrow as pa

NEITHER = "neither"  # of the arguments comes first
SIGNAL = "signal"
OF_ROLES = ("mean words", "span lengths")  # sections with a row for each role of a corpus
SENTENCES = ("causal", "non_causal")  # groups of words besides the roles
WITH_SIGNAL = "share with a signal"
WITHOUT_TYPE = "(without a type)"
BETWEEN = {  # the names of `PLACES` for people
    "signal_between": "a signal",
    "adjacent": "nothing",
    "comma": "a comma alone",
    "word": "one other word",
    "apart": "more words",
    "missing": "(an argument is missing)",
}
FLOW_NAMES = {
    "single": "single event",
    "concurrent": "concurrent events",
    "consecutive": "consecutive events",
}
N_SIGNALS = 20  # of the most frequent ones

Histogram = Counter[int]
"""Number of items by value."""


@dataclass(repr=False)
class CorpusDescription(Report):
    """The content of a corpus; the sum of two descriptions describes both corpora.

    Attributes
    ----------
    sentences : Counter of str
        ``causal`` and ``non_causal``; ``explicit``: causal sentences with a signal in a relation.
    per_sentence : Counter of int
        Sentences by number of relations; empty if the source had only labels.
    relations : Counter of (str, int)
        Relations by argument order (``cause_first``, ``effect_first``, ``neither``: one is missing
        or both start together) and by number of signal spans. With roles of one's own without
        cause or effect, the first two roles are the arguments.
    words : mapping of str to mapping of str to Counter of int
        By tokenizer and by ``causal`` or ``non_causal`` sentence or role: items by number of words.
        ``whitespace``: tokens. ``nltk-style``: see
        `fastcausal.tasks.describe.words.treebank_words`. ``nltk-style+tags``: likewise, with each
        tag within a span as three words (``<``, its name, ``>``), as in the tables of the RECESS
        paper.
    signals : Counter of str
        The signal of each relation: its spans in lower case, joined by `` ... ``.
    n_unread : int
        Unreadable relations. They make their sentence causal and count nowhere else.
    notes : Counter of str
        Remarks of reading, such as on texts left out.
    roles : tuple of tuple of str
        The role names; in a sum those of each corpus.
    types : Counter of str
        Relations by type, ``""`` for those without one; empty if no relation has one.
    places : Counter of (str, bool)
        Relations by what parts the arguments (``signal_between``, ``adjacent``: nothing, ``comma``
        alone, ``word``: one token, ``apart``: more, ``missing``: an argument), and if explicit.
    flows : Counter of (str, str)
        ``relations`` and ``sentences`` by their flow of events: ``single``, ``concurrent`` with the
        same cause or effect, ``consecutive`` if the effect of one is the cause of another.
    """

    sentences: Counter[str]
    per_sentence: Histogram = field(default_factory=Counter)
    relations: Counter[tuple[str, int]] = field(default_factory=Counter)
    words: Mapping[str, Mapping[str, Histogram]] = field(default_factory=dict)
    signals: Counter[str] = field(default_factory=Counter)
    n_unread: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    roles: tuple[tuple[str, ...], ...] = (ROLES,)
    types: Counter[str] = field(default_factory=Counter)
    places: Counter[tuple[str, bool]] = field(default_factory=Counter)
    flows: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        relations = f", {self.n_relations} relations" if self.per_sentence else ""
        unparsed = f", {self.n_unread} unparsed" if self.n_unread else ""
        facts = self._facts()
        unread = (self.unparsed_share,) if self.n_unread else ()
        is_bare = self.per_sentence and not (self.n_relations or self.n_unread)
        bare = (f"the corpus has {NO_RELATION}",) if is_bare else ()
        super().__init__(
            f"{self.n_sentences} sentences{relations}{unparsed}",
            f"fastcausal|{__version__}|corpus|words:{','.join(self.words) or 'none'}",
            self._scores(facts),
            facts=facts,
            warnings=(*bare, *unread, *(f"{note}: {n}" for note, n in sorted(self.notes.items()))),
            tables=Tables(signals=self._signals_table),
            keys=tuple(facts),
            grids=_grids,
        )

    def __add__(self, other: CorpusDescription) -> CorpusDescription:
        return CorpusDescription(
            self.sentences + other.sentences,
            self.per_sentence + other.per_sentence,
            self.relations + other.relations,
            {
                tokenizer: _sum(groups, other.words[tokenizer])
                for tokenizer, groups in self.words.items()
                if tokenizer in other.words
            },
            self.signals + other.signals,
            self.n_unread + other.n_unread,
            self.notes + other.notes,
            tuple(dict.fromkeys(self.roles + other.roles)),
            self._all_types(other) + other._all_types(self),
            self.places + other.places,
            self.flows + other.flows,
        )

    def _all_types(self, other: CorpusDescription) -> Counter[str]:
        """Return the types; of a corpus without any, beside one with types, all are unknown."""
        return self.types or Counter({"": self.n_relations} if other.types else {})

    @property
    def n_sentences(self) -> int:
        """Causal and other sentences."""
        return self.sentences["causal"] + self.sentences["non_causal"]

    @property
    def n_relations(self) -> int:
        """Number of relations with at least one span."""
        return self.relations.total()

    @property
    def unparsed_share(self) -> str:
        """Text with the numbers of unreadable and of all relations."""
        n = self.n_relations + self.n_unread
        return f"{self.n_unread} of {n} relations could not be read ({self.n_unread / n:.1%})"

    @property
    def n_explicit(self) -> int:
        """Relations with a signal; the others are implicit."""
        return self.n_relations - self.signals_per_relation[0]

    @property
    def signals_per_relation(self) -> Histogram:
        """Relations by number of signal spans."""
        total: Histogram = Counter()
        for (_, n_signals), count in self.relations.items():
            total[n_signals] += count
        return total

    @property
    def top_signals(self) -> list[tuple[str, int]]:
        """The twenty most frequent signals; equally frequent ones in alphabetical order."""
        return _ranked(self.signals)[:N_SIGNALS]

    def words_of(self, tokenizer: str, group: str) -> Histogram:
        """Return a histogram of ``words``; the group ``all`` has all sentences."""
        groups = self.words[tokenizer]
        return groups["causal"] + groups["non_causal"] if group == "all" else groups[group]

    @property
    def has_signals(self) -> bool:
        """True if a corpus has the role ``signal``: then relations are explicit or implicit."""
        return any(SIGNAL in roles for roles in self.roles)

    @property
    def orders(self) -> dict[str, str]:
        """The argument orders, with their names for people."""
        orders: dict[str, str] = {}
        for roles in self.roles:
            orders |= orders_of(roles)
        return orders | {NEITHER: orders.pop(NEITHER)}

    @property
    def ranked_types(self) -> list[tuple[str, int]]:
        """Types and their numbers of relations, the most frequent first."""
        return _ranked(Counter({name: n for name, n in self.types.items() if name}))

    def ordered(self, order: str) -> tuple[int, int]:
        """Count explicit and implicit relations with an argument order."""
        implicit = self.relations[order, 0]
        return sum(n for (o, _), n in self.relations.items() if o == order) - implicit, implicit

    def placed(self, place: str) -> tuple[int, int]:
        """Count explicit and implicit relations whose arguments this parts."""
        return self.places[place, True], self.places[place, False]

    def _facts(self) -> dict[str, Any]:
        """Return all figures; a mean without data is None."""
        words = {
            tokenizer: {group: mean(self.words_of(tokenizer, group)) for group in groups_of(groups)}
            for tokenizer, groups in self.words.items()
        }
        sentences = {
            "causal": self.sentences["causal"],
            "non_causal": self.sentences["non_causal"],
            "all": self.n_sentences,
        }
        of_relations = self._describe_relations() if self.per_sentence else {}
        return {"sentences": sentences, "words": words, **of_relations}

    def _scores(self, facts: Mapping[str, Any]) -> dict[str, Scores]:
        """Return sentences, mean words by tokenizer, and relations."""
        groups = {"sentences": facts["sentences"]}
        groups |= {f"words_{tokenizer}": of for tokenizer, of in facts["words"].items()}
        if self.per_sentence:
            names = ("relations_per_causal_sentence", "signals_per_relation", "share_with_signal")
            numbers = {"all": self.n_relations, "explicit": self.n_explicit}
            groups["relations"] = numbers | {name: facts[name] for name in names}
        return {
            group: Scores({name: math.nan if v is None else v for name, v in numbers.items()})
            for group, numbers in groups.items()
        }

    def _signals_table(self) -> pa.Table:
        import pyarrow as pa

        ranked = _ranked(self.signals)
        types = {"signal": pa.string(), "count": pa.int64()}
        rows = [{"signal": signal, "count": count} for signal, count in ranked]
        return pa.Table.from_pylist(rows, pa.schema(types))

    def _describe_relations(self) -> dict[str, Any]:
        causal, explicit = self.sentences["causal"], self.sentences["explicit"]
        relations, signals = self.n_relations, self.signals_per_relation
        return {
            "relations": relations,
            "unread_relations": self.n_unread,
            "notes": dict(self.notes),
            "relations_per_causal_sentence": ratio(relations, causal),
            "signals_per_relation": mean(signals),
            "share_with_signal": ratio(self.n_explicit, relations),
            "explicit": {"relations": self.n_explicit, "sentences": explicit},
            "implicit": {"relations": signals[0], "sentences": causal - explicit},
            "argument_order": {
                order: dict(zip(("explicit", "implicit"), self.ordered(order), strict=True))
                for order in self.orders
            },
            "between_arguments": {
                place: dict(zip(("explicit", "implicit"), self.placed(place), strict=True))
                for place in BETWEEN
            },
            "flow": {
                kind: {flow: self.flows[kind, flow] for flow in FLOW_NAMES}
                for kind in ("relations", "sentences")
            },
            "histograms": {
                "relations_per_sentence": _plain(self.per_sentence),
                "signals_per_relation": _plain(signals),
                "words": {
                    tokenizer: {group: _plain(histogram) for group, histogram in groups.items()}
                    for tokenizer, groups in self.words.items()
                },
            },
            "top_signals": [
                {"signal": signal, "count": count} for signal, count in self.top_signals
            ],
            **(
                {"types": dict(self.ranked_types), "relations_without_type": self.types[""]}
                if self.types
                else {}
            ),
        }


def orders_of(roles: Sequence[str]) -> dict[str, str]:
    """Return the orders of the two arguments, with their names for people.

    >>> orders_of(("reason", "claim", "degree"))["claim_first"]
    'claim before reason'
    """
    names = [roles[k] for k in arguments_of(roles)]
    orders = {f"{a}_first": f"{a} before {b}" for a, b in permutations(names, 2)}
    return orders | {NEITHER: NEITHER}


def mean(histogram: Histogram) -> float | None:
    """Return the mean of a histogram, None for an empty one."""
    return ratio(sum(value * count for value, count in histogram.items()), histogram.total())


def ratio(part: int, whole: int) -> float | None:
    """Return a quotient; None for 0/0."""
    return part / whole if whole else None


def quantile(histogram: Histogram, share: float) -> int | None:
    """Return the least value not exceeded by at least this share; None for an empty histogram."""
    left = share * histogram.total()
    for value in sorted(histogram):
        left -= histogram[value]
        if left <= 0:
            return value
    return None


def groups_of(groups: Mapping[str, Histogram]) -> list[str]:
    """Return the groups of one tokenizer in display order."""
    return [*SENTENCES, "all", *(name for name in groups if name not in SENTENCES)]


def _grids(corpus: CorpusDescription, counts: bool) -> list[Grid]:
    return [corpus_table({"": corpus}, corpus.title)]


def corpus_table(corpora: Mapping[str, CorpusDescription], title: str) -> Grid:
    """Return a column per corpus, a part per kind of figure; signals ranked by the last corpus."""
    grid = Grid(title, list(corpora), digits=2)
    columns = [dict(_sections(corpus)) for corpus in corpora.values()]
    for title in dict.fromkeys(title for column in columns for title in column):
        figures = [column.get(title) for column in columns]
        grid.part(title)
        for name in dict.fromkeys(name for part in reversed(figures) for name in part or ()):
            missing = "" if title.startswith(OF_ROLES) else 0
            cells = ["" if part is None else part.get(name, missing) for part in figures]
            grid.add(f"  {name}", *cells)
    grid.shares, grid.share_rows = list(corpora), (f"  {WITH_SIGNAL}",)
    *_, last = corpora.values()
    if last.signals:
        grid.part("most frequent signals")
    for signal, _ in last.top_signals:
        grid.add(f"  {signal}", *(corpus.signals[signal] for corpus in corpora.values()))
    return grid


def _sections(corpus: CorpusDescription) -> Iterator[tuple[str, Mapping[Any, Any]]]:
    """Yield the figures of a table: title of a section, then figures by name."""
    causal, non_causal = corpus.sentences["causal"], corpus.sentences["non_causal"]
    yield (
        "sentences",
        {"causal": causal, "non-causal": non_causal, "all": corpus.n_sentences},
    )
    names = {"causal": "causal sentence", "non_causal": "non-causal sentence", "all": "sentence"}
    counted = [*corpus.words.items()][:1]  # one way of counting: by default the tokens of scores
    for tokenizer, groups in counted:
        yield (
            f"mean words by {tokenizer}",
            {names.get(g, g): mean(corpus.words_of(tokenizer, g)) for g in groups_of(groups)},
        )
    if not corpus.per_sentence:
        return
    for tokenizer, groups in counted:
        yield (
            f"span lengths by {tokenizer}: median (range)",
            {role: _range(groups[role]) for role in groups_of(groups)[3:]},
        )
    of_signals = {
        "explicit (with a signal)": corpus.n_explicit,
        "implicit": corpus.n_relations - corpus.n_explicit,
        WITH_SIGNAL: ratio(corpus.n_explicit, corpus.n_relations),
        "signals per relation": mean(corpus.signals_per_relation),
        "sentences with a signal": corpus.sentences["explicit"],
    }
    yield (
        "relations",
        {
            "all": corpus.n_relations,
            "per causal sentence": ratio(corpus.n_relations, causal),
            **(of_signals if corpus.has_signals else {}),
        },
    )
    ordered = {name: corpus.ordered(order) for order, name in corpus.orders.items()}
    yield (
        "argument order: explicit + implicit" if corpus.has_signals else "argument order",
        {
            name: " + ".join(map(str, both)) if corpus.has_signals else sum(both)
            for name, both in ordered.items()
            if any(both)
        },
    )
    placed = {name: corpus.placed(place) for place, name in BETWEEN.items()}
    yield (
        "between arguments: explicit + implicit" if corpus.has_signals else "between arguments",
        {
            name: " + ".join(map(str, both)) if corpus.has_signals else sum(both)
            for name, both in placed.items()
            if any(both)
        },
    )
    yield (
        "flow of events: relations, sentences",
        {
            name: f"{corpus.flows['relations', flow]}, {corpus.flows['sentences', flow]}"
            for flow, name in FLOW_NAMES.items()
            if corpus.flows["relations", flow]
        },
    )
    if corpus.types:
        untyped = {WITHOUT_TYPE: corpus.types[""]} if corpus.types[""] else {}
        yield "relations by type", dict(corpus.ranked_types) | untyped
    yield "sentences by number of relations", _ascending(corpus.per_sentence)
    if corpus.has_signals:
        yield "relations by number of signals", _ascending(corpus.signals_per_relation)


def _ascending(histogram: Histogram) -> dict[int, int]:
    return {value: histogram[value] for value in sorted(histogram) if histogram[value]}


def _range(lengths: Histogram) -> str | None:
    return f"{quantile(lengths, 0.5)} ({min(lengths)} to {max(lengths)})" if lengths else None


def _ranked(signals: Counter[str]) -> list[tuple[str, int]]:
    return sorted(signals.items(), key=lambda item: (-item[1], item[0]))


def _sum(a: Mapping[str, Histogram], b: Mapping[str, Histogram]) -> dict[str, Histogram]:
    return {k: a.get(k, Counter()) + b.get(k, Counter()) for k in {**a, **b}}


def _plain(histogram: Histogram) -> dict[str, int]:
    return {str(value): count for value, count in _ascending(histogram).items()}
