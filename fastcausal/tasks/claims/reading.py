"""Claims of systems with the judgments of all raters, from files by name or from tables."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from fastcausal.arrays import arrow
from fastcausal.errors import InputError, Problems, Remedy
from fastcausal.files import binary
from fastcausal.files.files import Source
from fastcausal.files.packed import stem_of
from fastcausal.files.patterns import expression_of, fields_in
from fastcausal.files.records import Records, read_records
from fastcausal.files.values import JSON, shown
from fastcausal.tasks.claims.files import ClaimFile, read_claim_file
from fastcausal.tasks.claims.formula import SIDES
from fastcausal.tasks.labels.ratings import Int64
from fastcausal.tasks.verdicts import verdict_of

FIELDS = {"side": "|".join(SIDES), "system": ".+", "rater": ".+?"}  # systems match greedily
SAVED = "{side}_{system}.{rater}"  # saved by a page for the claims ``{side}_{system}``
UNNAMED = {"system": "system", "rater": "rater"}
NULL, NOT_ASKED = -1, -2  # instead of a judgment, 0 or 1

Judgments = list[tuple[str, bool | None]]
"""Claims of an article with the judgments of one rater."""


class Article(NamedTuple):
    """An article with its claims."""

    system: str
    topic: str
    side: str

    def __str__(self) -> str:
        return f'{self.side} of topic "{self.topic}" of system "{self.system}"'


@dataclass(frozen=True)
class Claims:
    """Claims with every rater's judgment, article by article."""

    articles: list[Article]  # Ascending, including those without claims
    article: Int64  # int64[n]: The index of each claim's article
    number: Int64  # int64[n]: Its number in the article, from 0
    raters: list[str]  # Ascending
    raters_of: Mapping[str, list[str]]  # Raters of each system, ascending
    # int8[n, n_raters]: 1 supported, 0 not supported, -1 null, -2 if the rater judged only
    # other systems
    judgments: npt.NDArray[np.int8]

    def select(self, kept: Callable[[Article], bool]) -> Claims:
        """Return the claims of the articles to keep."""
        places = [k for k, article in enumerate(self.articles) if kept(article)]
        place = np.full(len(self.articles), -1)
        place[places] = np.arange(len(places))
        rows = place[self.article] >= 0
        return Claims(
            [self.articles[k] for k in places],
            place[self.article[rows]],
            self.number[rows],
            self.raters,
            self.raters_of,
            self.judgments[rows],
        )


def read_claims(
    # files of `read_claim_file`; or tables of topic, side, claim and judgment, perhaps system,
    # rater and source
    source: Any,
    # names of files without suffix, with {side}, {system}, {rater}; by default `SAVED`
    name: str | None = None,
) -> Claims:
    """Read claims of any number of systems and raters."""
    # In tables with a source, rows of one claim are joined; a claim is supported if one source
    # supports it.
    sources = _listed(source)
    pattern = _saved(sources) if name is None else pattern_of(name)
    judged: dict[Article, dict[str, Judgments]] = {}
    first_of: dict[str, str] = {}
    for each in sources:
        file = Source.open(each) if isinstance(each, str | os.PathLike | Source) else None
        fields = UNNAMED | (fields_of(pattern, file.name) if pattern and file else {})
        if file is not None and _is_document(file):
            document = read_claim_file(file)
            if pattern is None:
                _require_first(document, first_of)
            parts = _read_document(document, fields)
        else:
            parts = _read_table(read_records(file or each, "claims"), fields)
        for article, rater, claims, origin in parts:
            if rater in judged.setdefault(article, {}):
                raise InputError(f'{origin}: {article}: rater "{rater}" judges it in another file')
            judged[article][rater] = claims
    return _joined(judged)


def _listed(source: Any) -> list[Any]:
    single = isinstance(source, str | os.PathLike | Source | Mapping | Records)
    if single or hasattr(source, "__arrow_c_stream__") or not isinstance(source, Iterable):
        return [source]
    listed = list(source)
    return [listed] if not listed or isinstance(listed[0], Mapping) else listed


def _is_document(file: Source) -> bool:
    """Return True for a file of topics, False for a table, with plain values in its objects."""
    if binary.sniff(file.data) is not None or not file.data.lstrip().startswith(b"{"):
        return False
    try:
        first = JSON.decode(next(file.filled_lines())[1])
    except (ValueError, RecursionError):  # an object of several lines, or broken
        return True
    return all(isinstance(value, dict) for value in first.values())


@dataclass(frozen=True)
class _Pattern:
    """A pattern of file names as a regular expression."""

    text: str
    expression: re.Pattern[str]


def pattern_of(name: str) -> _Pattern:
    """Parse a pattern of file names; raise ValueError for unknown or repeated fields."""
    fields = fields_in(name)
    if not fields or set(fields) - FIELDS.keys() or len(set(fields)) < len(fields):
        known = ", ".join(f"{{{field}}}" for field in FIELDS)
        raise ValueError(f'name is "{name}", expected a pattern with each of {known} at most once')
    return _Pattern(name, expression_of(name, FIELDS))


def _saved(sources: list[Any]) -> _Pattern | None:
    """Return the pattern of a page for raters; None if a file has another name."""
    if not all(isinstance(each, str | os.PathLike | Source) for each in sources):
        return None
    names = [each.name if isinstance(each, Source) else os.fspath(each) for each in sources]
    pattern = pattern_of(SAVED)
    fit = [pattern.expression.fullmatch(stem_of(name)) is not None for name in names]
    return pattern if fit and all(fit) else None


def _suggested(file: str) -> str:
    """Return the pattern that a name of a file suggests.

    >>> _suggested("in/prediction_full.ann.json"), _suggested("claims_reference_full_ann.json")
    ('{side}_{system}.{rater}', 'claims_{side}_{system}_{rater}')
    """
    stem = stem_of(file)
    start = min((place for side in SIDES if (place := stem.find(f"{side}_")) >= 0), default=0)
    return stem[:start] + (SAVED if "." in stem else SAVED.replace(".", "_"))


def fields_of(pattern: _Pattern, file: str) -> dict[str, str]:
    """Return the fields in a file's name: side, system, rater."""
    match = pattern.expression.fullmatch(stem_of(file))
    if match is None:
        sides = f" with {' or '.join(SIDES)} as side" if "{side}" in pattern.text else ""
        raise InputError(f'{file}: the name does not fit "{pattern.text}"{sides}')
    return {field: _text(value) for field, value in match.groupdict().items()}


def rater_of(file: str, name: str | None) -> str | None:
    """Return the rater in a file's name by a pattern; None without pattern or rater.

    >>> rater_of("saved/flood_ann.json", "flood_{rater}"), rater_of("flood_ann.json", None)
    ('ann', None)
    """
    return None if name is None else fields_of(pattern_of(name), file).get("rater")


def _text(value: str) -> str:
    """Return text that can be encoded: JSON and file names may hold half a surrogate pair."""
    return value.encode(errors="backslashreplace").decode()


def _require_first(document: ClaimFile, first_of: dict[str, str]) -> None:
    """Refuse a second file of a side if names do not identify its owner."""
    if document.side in first_of:
        first = first_of[document.side]
        raise InputError(
            f"{first} and {document.name} both have a {document.side} for each topic",
            Remedy("name", (_suggested(document.name),), "would tell such files apart"),
        )
    first_of[document.side] = document.name


Parts = Iterator[tuple[Article, str, Judgments, str]]


def _read_document(document: ClaimFile, fields: Mapping[str, str]) -> Parts:
    """Yield each article of a file with its rater, its claims and their place."""
    side = fields.get("side", document.side)
    if side != document.side:
        raise InputError(f"{document.name}: the name says {side}, the file has a {document.side}")
    for topic in document.topics:
        article = Article(fields["system"], _text(topic.name), side)
        claims = [(claim.text, claim.judgment) for claim in topic.claims]
        yield article, fields["rater"], claims, document.name


def _read_table(rows: Records, fields: Mapping[str, str]) -> Parts:
    """Yield each article of a table likewise; claims ascend, independent of the order of rows."""
    problems = Problems()
    columns = {
        column: [fields[column]] * len(rows)
        if column not in rows and column in fields
        else _required(rows, column, problems)
        for column in ("system", "topic", "side", "rater", "claim")
    }
    judgments = _judgments(rows, problems)
    problems.raise_if_any()
    judged: dict[tuple[Article, str], Judgments] = {}
    systems, topics, sides, raters, claims = columns.values()
    for row, article in enumerate(map(Article, systems, topics, sides)):
        judged.setdefault((article, raters[row]), []).append((claims[row], judgments[row]))
    for (article, rater), pairs in judged.items():
        pairs = _join_sources(pairs) if "source" in rows else pairs
        yield article, rater, sorted(pairs, key=lambda pair: (pair[0], str(pair[1]))), rows.name


def _required(rows: Records, column: str, problems: Problems) -> list[str]:
    """Return a column of text without gaps; note each unknown side."""
    values: list[str] = rows.keys(column).to_pylist()
    for row, value in enumerate(values) if column == "side" else ():
        if value not in SIDES:
            expected = " or ".join(SIDES)
            problems.add(f'{rows.locate(row)}: "side" is {shown(value)}, expected {expected}')
    return values


def _judgments(rows: Records, problems: Problems) -> list[bool | None]:
    """Return the judgment of each row; a row without a source is not supported."""
    cited = rows.texts("source").is_valid().to_pylist() if "source" in rows else [True] * len(rows)
    verdicts: dict[str, bool | None] = {}
    judgments: list[bool | None] = []
    for row, value in enumerate(rows.values("judgment")):
        written = str(value)
        if cited[row] and written not in verdicts:
            try:
                verdicts[written] = verdict_of(value, partial(rows.locate, row))
            except InputError as error:
                problems.add(str(error))
        judgments.append(verdicts.get(written) if cited[row] else False)
    return judgments


def _join_sources(pairs: Judgments) -> Judgments:
    """Join the judgments of one claim against several sources; null if undecided."""
    judgments: dict[str, set[bool | None]] = {}
    for claim, judgment in pairs:
        judgments.setdefault(claim, set()).add(judgment)
    return [
        (claim, True if True in each else None if None in each else False)
        for claim, each in judgments.items()
    ]


def _joined(judged: Mapping[Article, Mapping[str, Judgments]]) -> Claims:
    articles = sorted(judged)
    names: dict[str, set[str]] = {}
    for article in articles:
        names.setdefault(article.system, set()).update(judged[article])
    raters_of = {system: sorted(each) for system, each in names.items()}
    for article in articles:
        _require_same(article, judged[article], raters_of[article.system])
    raters = sorted(set().union(*names.values()))
    offsets = arrow.offsets([len(next(iter(judged[article].values()))) for article in articles])
    place = np.repeat(np.arange(len(articles)), np.diff(offsets))
    judgments = np.full((len(place), len(raters)), NOT_ASKED, np.int8)
    for article, start in zip(articles, offsets.tolist(), strict=False):
        for rater, claims in judged[article].items():
            said = [NULL if judgment is None else int(judgment) for _, judgment in claims]
            judgments[start : start + len(said), raters.index(rater)] = said
    number = np.arange(len(place)) - offsets[place]
    return Claims(articles, place, number, raters, raters_of, judgments)


def _require_same(article: Article, judged: Mapping[str, Judgments], raters: list[str]) -> None:
    """Raise InputError unless all raters of a system judged the same claims of an article."""
    for rater in raters:
        if rater not in judged:
            raise InputError(f'{article}: rater "{rater}" has no such claims, others have')
    first = [claim for claim, _ in judged[raters[0]]]
    for rater in raters[1:]:
        claims = [claim for claim, _ in judged[rater]]
        if len(claims) != len(first):
            raise InputError(
                f'{article}: rater "{raters[0]}" has {len(first)} claims, '
                f'rater "{rater}" {len(claims)}, expected the same'
            )
        for k, (a, b) in enumerate(zip(first, claims, strict=True)):
            if a != b:
                raise InputError(
                    f'{article}: claim {k} of rater "{raters[0]}" is {shown(a)}, '
                    f'of rater "{rater}" {shown(b)}, expected the same'
                )
