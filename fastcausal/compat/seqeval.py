"""The functions of ``seqeval.metrics``, with its results, counted in native code.

One import changes: ``from fastcausal.compat.seqeval import f1_score`` takes the place of
``from seqeval.metrics import f1_score``. The schemes are here too, and those of ``seqeval.scheme``
are accepted.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache, partial
from itertools import chain
from math import inf
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fastcausal.compat._tags import count_entities, count_pairs, list_entities

__all__ = [
    "BILOU",
    "IOB1",
    "IOB2",
    "IOBES",
    "IOE1",
    "IOE2",
    "UndefinedMetricWarning",
    "accuracy_score",
    "classification_report",
    "f1_score",
    "get_entities",
    "performance_measure",
    "precision_recall_fscore_support",
    "precision_score",
    "recall_score",
]

Tags: TypeAlias = Sequence[list[str]]
Parser: TypeAlias = Callable[[Any], tuple[int, str, bool]]
Counts: TypeAlias = tuple[list[str], list[int], list[int], list[int]]
AVERAGES = ("micro", "macro", "weighted")
COLUMNS = ("precision", "recall", "f1-score", "support")
OUTSIDE = ["O"]  # what is added to it must be a list
ALL = ("precision", "recall", "f-score")


class UndefinedMetricWarning(UserWarning):
    """A score is 0/0; the class of scikit-learn takes its place in programs that import that."""


class IOB1:
    """``I-`` begins an entity, and ``B-`` one beside another of its type."""


class IOB2:
    """``B-`` begins every entity."""


class IOE1:
    """``I-`` is inside of an entity, and ``E-`` ends one beside another of its type."""


class IOE2:
    """``E-`` ends every entity."""


class IOBES:
    """``B-`` begins an entity, ``E-`` ends it, and ``S-`` is one of a single token."""


class BILOU:
    """``B-`` begins an entity, ``L-`` ends it, and ``U-`` is one of a single token."""


# Prefixes by kind. The last two kinds are of any other prefix, and of one that a scheme lacks.
DEFAULT, STRICT, OTHER, REFUSED = "OBIES.", "OBIESLU", 6, 7
KINDS = {prefix: kind for kind, prefix in enumerate(STRICT)}
Does: TypeAlias = Callable[[str, str, bool], bool]  # a prefix, the next one, and if the type is one


def _never(p: str, n: str, same: bool) -> bool:
    return False


def _tabulate(prefixes: str, begins: Does, ends: Does, continues: Does = _never) -> bytes:
    """Return the rules of a scheme as csrc/tags/entities.hpp reads them."""
    kinds = prefixes.ljust(REFUSED + 1, "?")
    return bytes(
        begins(p, n, same) | ends(p, n, same) << 1 | continues(p, n, same) << 2
        for p in kinds
        for n in kinds
        for same in (False, True)
    )


class TagRules(NamedTuple):
    """The prefixes and rules of a scheme."""

    prefixes: str
    rules: bytes

    @classmethod
    def define(cls, prefixes: str, opens: str, inner: str, begins: Does, ends: Does) -> TagRules:
        """Make a scheme in which an inner prefix continues the entity of an opening one."""

        def continues(p: str, n: str, same: bool) -> bool:
            return same and p in opens and n in inner

        return cls(prefixes, _tabulate(STRICT, begins, ends, continues))


SCHEMES = {
    "": TagRules(  # conlleval's rules, for tags of any scheme and of none
        DEFAULT,
        _tabulate(
            DEFAULT,
            lambda p, n, same: (
                n in "BS" or (p in "ESO" and n in "EI") or (n not in "O." and not same)
            ),
            lambda p, n, same: (
                p in "ES" or (p in "BI" and n in "BSO") or (p not in "O." and not same)
            ),
        ),
    ),
    "IOB1": TagRules.define(
        "IOB", "BI", "I",
        lambda p, n, same: p in "BI" and same if n == "B" else n == "I" and (p in "OB" or not same),
        lambda p, n, same: same or p + n != "BB",
    ),
    "IOB2": TagRules.define(
        "IOB", "BI", "I", lambda p, n, same: n == "B", lambda p, n, same: True
    ),
    "IOE1": TagRules.define(
        "IOE", "I", "IE",
        lambda p, n, same: p == "E" and same if n == "E" else n == "I" and (p in "OE" or not same),
        lambda p, n, same: p == "I" or (n in "IE" and same),
    ),
    "IOE2": TagRules.define(
        "IOE", "I", "IE",
        lambda p, n, same: n in "IE" and (p in "OE" or not same),
        lambda p, n, same: p == "E",
    ),
    "IOBES": TagRules.define(
        "IOBES", "BI", "IE", lambda p, n, same: n in "BS", lambda p, n, same: p in "ES"
    ),
    "BILOU": TagRules.define(
        "BILOU", "BI", "IL", lambda p, n, same: n in "BU", lambda p, n, same: p in "LU"
    ),
}  # fmt: skip
# How a report finds the scheme of tags: prefixes that must occur, or one that occurs alone.
DETECTED = {IOB2: ("B", "B"), IOE2: ("E", "E"), IOBES: ("BE", "S"), BILOU: ("BL", "U")}


def _parse_any(tag: Any, suffix: bool) -> tuple[int, str, bool]:
    """Return a tag's kind of prefix, its type and if it is odd, as the default mode reads them."""
    marks = tuple(f"-{p}" for p in "BIES") if suffix else tuple(f"{p}-" for p in "BIES")
    is_marked = tag in ("O", "B", "I", "E", "S") or (tag.endswith if suffix else tag.startswith)(
        marks
    )
    if suffix:
        prefix, (name, dash, rest) = tag[-1], tag[:-1].rpartition("-")
    else:
        prefix, (rest, dash, name) = tag[0], tag[1:].partition("-")
    kind = DEFAULT.find(prefix)
    return (OTHER if kind < 0 else kind), (name if dash else rest) or "_", not is_marked


def _parse_strictly(tag: Any, suffix: bool, allowed: str) -> tuple[int, str, bool]:
    """Return a tag's kind of prefix and its type; KeyError for a prefix of no scheme."""
    prefix, rest = (tag[-1], tag[:-1]) if suffix else (tag[0], tag[1:])
    kind = KINDS[prefix]
    return (kind if prefix in allowed else REFUSED), rest.strip("-") or "_", False


@cache
def _make_parser(scheme: str, suffix: bool) -> Parser:
    """Return a parser of tags that remembers the last ones."""
    if scheme:
        parse = partial(_parse_strictly, suffix=suffix, allowed=SCHEMES[scheme].prefixes)
    else:
        parse = partial(_parse_any, suffix=suffix)
    return lru_cache(1024)(parse)


def _detect(y_true: Tags, y_pred: Tags, suffix: bool) -> type:
    """Return the scheme of the prefixes that occur in y_true."""
    found = set()
    for tag in dict.fromkeys(chain.from_iterable(y_true)):
        prefix = tag[-1] if suffix else tag[0]
        if prefix not in KINDS:
            raise ValueError(f"This scheme is not supported: {tag!r} has no prefix of any scheme")
        found.add(prefix)
    for scheme, (needed, alone) in DETECTED.items():
        if set(needed) <= found <= set(SCHEMES[scheme.__name__].prefixes) or found == {alone}:
            return scheme
    raise ValueError(f"This scheme is not supported: found the prefixes {', '.join(sorted(found))}")


def _count(y_true: Any, y_pred: Any, scheme: Any, suffix: bool) -> Counts:
    """Count entities by type: in both, in y_pred and in y_true, by a scheme or the default mode."""
    name = getattr(scheme, "__name__", None) if scheme else ""
    if not isinstance(name, str) or name not in SCHEMES:
        _check(y_true, y_pred)
        raise TypeError(f"scheme is {scheme!r}, expected one of {', '.join(filter(None, SCHEMES))}")
    parse, rules = _make_parser(name, bool(suffix)), SCHEMES[name].rules
    counts = count_entities(y_true, y_pred, parse, rules, name)
    if counts is None:
        counts = count_entities(*_check(y_true, y_pred), parse, rules, name)
        assert counts is not None
    return counts


def _check(y_true: Any, y_pred: Any) -> tuple[list[list[str]], list[list[str]]]:
    """Return lists of lists of one shape, or raise an error."""
    sides = [list(y_true), list(y_pred)]
    lengths = [[len(row) for row in side] for side in sides]
    for name, given, side in zip(("y_true", "y_pred"), (y_true, y_pred), sides, strict=True):
        if not side or iter(given) is given:
            raise TypeError(f"{name}: found no sentences, expected a list of lists of tags")
        for k, row in enumerate(side):
            if type(row) is not list:
                raise TypeError(
                    f"{name}: sentence {k} is of {type(row).__name__}, expected a list of lists"
                )
    if lengths[0] != lengths[1]:
        found = "Found input variables with inconsistent numbers of samples"
        if len(sides[0]) != len(sides[1]):
            raise ValueError(f"{found}: {len(sides[0])} and {len(sides[1])} sentences")
        k = next(k for k, (one, other) in enumerate(zip(*lengths, strict=True)) if one != other)
        raise ValueError(
            f"{found}: sentence {k} has {lengths[0][k]} tags in y_true, {lengths[1][k]} in y_pred"
        )
    return sides[0], sides[1]


def _score(
    counts: Counts, average: str | None, warn_for: Iterable[str], beta: Any, zero_division: Any
) -> tuple[list[float], list[float], list[float], list[int]]:
    """Return precision, recall, F and support of each type, or of all together for "micro"."""
    _, both, in_pred, in_gold = counts
    if average == "micro":
        both, in_pred, in_gold = [sum(both)], [sum(in_pred)], [sum(in_gold)]
    if zero_division == "warn":
        _warn_of_zeros(in_pred, in_gold, warn_for)
    zero, square = _replace_zero(zero_division), beta**2
    precision, recall, f = [], [], []
    for n, n_pred, n_gold in zip(both, in_pred, in_gold, strict=True):
        p = n / n_pred if n_pred else zero
        r = n / n_gold if n_gold else zero
        precision.append(p)
        recall.append(r)
        f.append(r if beta == inf else (1 + square) * p * r / (square * p + r or 1.0))
    return precision, recall, f, in_gold


def _replace_zero(zero_division: Any) -> float:
    return 0.0 if zero_division in ("warn", 0) else 1.0


def _summarise(
    scores: list[list[float]], support: list[int], average: str | None, zero_division: Any
) -> list[Any]:
    """Return scores as seqeval returns them, with the bits of its sums."""
    if average is None:
        return [np.array(values, float) for values in scores]
    if average == "micro":
        return [np.float64(value) for [value] in scores]
    if average == "macro":
        if not support:
            return [np.average(values) for values in scores]  # which warns of the mean of nothing
        return list(np.add.reduce(np.array(scores), 1) / len(support))
    total = sum(support)
    if total == 0:
        return [values[0] if values else _replace_zero(zero_division) for values in scores]
    return list(np.add.reduce(np.array(scores) * np.array(support, float), 1) / total)


def _summarise_all(
    counts: Counts, average: str | None, warn_for: Iterable[str], beta: Any, zero_division: Any
) -> tuple[Any, Any, Any, Any]:
    *scores, support = _score(counts, average, warn_for, beta, zero_division)
    p, r, f = _summarise(scores, support, average, zero_division)
    if average is None:
        return p, r, f, np.array(support, None if support else np.int32)
    if average == "weighted" and support and not any(support):
        f = 0.0  # for any beta
    return p, r, f, np.int64(sum(support)) if support else 0


def _warn_of_zeros(in_pred: list[int], in_gold: list[int], warn_for: Iterable[str]) -> None:
    if 0 not in in_pred and 0 not in in_gold:
        return
    if "precision" in warn_for and 0 in in_pred:
        _warn("Precision", "predicted", warn_for, len(in_pred))
    if "recall" in warn_for and 0 in in_gold:
        _warn("Recall", "true", warn_for, len(in_gold))
    if warn_for == ("f-score",) and (0, 0) in zip(in_pred, in_gold, strict=True):
        _warn("F-score", "true nor predicted", (), len(in_gold))


def _warn(score: str, missing: str, warn_for: Iterable[str], n: int) -> None:
    start = f"{score} and F-score are" if "f-score" in warn_for else f"{score} is"
    where = "due to" if n == 1 else "in labels with"
    known = sys.modules.get("sklearn.exceptions")
    warnings.warn(
        f"{start} ill-defined and being set to 0.0 {where} no {missing} samples. "
        "Use `zero_division` parameter to control this behavior.",
        getattr(known, "UndefinedMetricWarning", UndefinedMetricWarning),
        stacklevel=5,
    )


def _check_average(average: Any) -> None:
    if average is not None and average not in AVERAGES:
        raise ValueError(f"average is {average!r}, expected None, {', '.join(AVERAGES)}")


def _measure(
    score: str,
    y_true: Any,
    y_pred: Any,
    average: str | None,
    suffix: bool,
    mode: str | None,
    zero_division: Any,
    scheme: Any,
) -> Any:
    """Return one of the scores."""
    _check_average(average)
    counts = _count(y_true, y_pred, scheme if mode == "strict" else None, suffix)
    *scores, support = _score(counts, average, (score,), 1.0, zero_division)
    return _summarise([scores[ALL.index(score)]], support, average, zero_division)[0]


def precision_recall_fscore_support(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = None,
    warn_for: Iterable[str] = ALL,
    beta: float = 1.0,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    suffix: bool = False,
    scheme: Any = None,
) -> tuple[Any, Any, Any, Any]:
    """Return precision, recall, F and support, as the function of this name in seqeval.

    Parameters
    ----------
    y_true, y_pred : list of list of str
        The tags of each sentence.
    average : str, optional
        None gives an array with a score of each type; or "micro", "macro" or "weighted".
    warn_for : tuple of str
        The scores of which 0/0 is warned of.
    beta : float
        The weight of recall in F.
    sample_weight : optional
        Has no effect, in seqeval too.
    zero_division : {"warn", 0, 1}
        The value of 0/0; "warn" is 0 with a warning.
    suffix : bool
        Tags are as in ``PER-B``.
    scheme : class, optional
        Tags are read strictly by this scheme, as in ``seqeval.metrics.v1``; by default as in
        conlleval.

    Returns
    -------
    tuple
        Precision, recall, F and support.

    Examples
    --------
    >>> gold, pred = [["B-A", "I-A", "O", "B-B"]], [["B-A", "I-A", "B-B", "O"]]
    >>> precision_recall_fscore_support(gold, pred)
    (array([1., 0.]), array([1., 0.]), array([1., 0.]), array([1, 1]))
    """
    if beta < 0:
        raise ValueError("beta should be >=0 in the F-beta score")
    _check_average(average)
    counts = _count(y_true, y_pred, scheme, suffix)
    return _summarise_all(counts, average, warn_for, beta, zero_division)


def f1_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Return F1 of entities, as ``seqeval.metrics.f1_score``.

    Parameters
    ----------
    y_true, y_pred : list of list of str
        The tags of each sentence.
    average : str, optional
        "micro", "macro" or "weighted"; None gives an array with a score of each type.
    suffix : bool
        Tags are as in ``PER-B``.
    mode : str, optional
        "strict" reads tags by the scheme; by default, or without a scheme, as conlleval reads them.
    sample_weight : optional
        Has no effect, in seqeval too.
    zero_division : {"warn", 0, 1}
        The value of 0/0; "warn" is 0 with a warning.
    scheme : class, optional
        IOB1, IOB2, IOE1, IOE2, IOBES or BILOU, of this module or of ``seqeval.scheme``.

    Returns
    -------
    float or array of float
        F1.

    Raises
    ------
    TypeError
        The tags are no lists of lists, or the scheme is unknown.
    ValueError
        The sides have different lengths, a tag is none of the scheme, or the average is unknown.
    KeyError
        In strict mode, a tag has a prefix of no scheme.

    Examples
    --------
    >>> gold = [["B-Cause", "I-Cause", "O", "B-Effect"]]
    >>> pred = [["I-Cause", "I-Cause", "O", "B-Effect"]]
    >>> float(f1_score(gold, pred))
    1.0
    >>> float(f1_score(gold, pred, mode="strict", scheme=IOB2))
    0.6666666666666666
    """
    return _measure("f-score", y_true, y_pred, average, suffix, mode, zero_division, scheme)


def precision_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Return the precision of entities, as ``seqeval.metrics.precision_score``.

    Parameters, results and errors are those of `f1_score`.

    Examples
    --------
    >>> float(precision_score([["B-A", "O", "O"]], [["B-A", "O", "B-A"]]))
    0.5
    """
    return _measure("precision", y_true, y_pred, average, suffix, mode, zero_division, scheme)


def recall_score(
    y_true: Tags,
    y_pred: Tags,
    *,
    average: str | None = "micro",
    suffix: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Return the recall of entities, as ``seqeval.metrics.recall_score``.

    Parameters, results and errors are those of `f1_score`.

    Examples
    --------
    >>> float(recall_score([["B-A", "O", "B-A"]], [["B-A", "O", "O"]]))
    0.5
    """
    return _measure("recall", y_true, y_pred, average, suffix, mode, zero_division, scheme)


def classification_report(
    y_true: Tags,
    y_pred: Tags,
    digits: int = 2,
    suffix: bool = False,
    output_dict: bool = False,
    mode: str | None = None,
    sample_weight: Any = None,
    zero_division: Any = "warn",
    scheme: Any = None,
) -> Any:
    """Return the scores of each type and their averages, as seqeval's function of this name.

    Parameters
    ----------
    y_true, y_pred : list of list of str
        The tags of each sentence.
    digits : int
        The decimals of the text.
    suffix : bool
        Tags are as in ``PER-B``.
    output_dict : bool
        Return a dict instead of text.
    mode : str, optional
        "strict" reads tags by the scheme, or by the one that their prefixes show.
    sample_weight : optional
        Has no effect, in seqeval too.
    zero_division : {"warn", 0, 1}
        The value of 0/0; "warn" is 0 with a warning.
    scheme : class, optional
        IOB1, IOB2, IOE1, IOE2, IOBES or BILOU, of this module or of ``seqeval.scheme``.

    Returns
    -------
    str or dict
        The report.

    Raises
    ------
    TypeError, ValueError, KeyError
        As `f1_score`; ValueError also for a text without any entity, and if prefixes show no
        scheme.

    Examples
    --------
    >>> gold = [["B-Cause", "I-Cause", "O", "B-Effect"]]
    >>> pred = [["B-Cause", "I-Cause", "O", "B-Cause"]]
    >>> print(classification_report(gold, pred, zero_division=0))
                  precision    recall  f1-score   support
    <BLANKLINE>
           Cause       0.50      1.00      0.67         1
          Effect       0.00      0.00      0.00         1
    <BLANKLINE>
       micro avg       0.50      0.50      0.50         2
       macro avg       0.25      0.50      0.33         2
    weighted avg       0.25      0.50      0.33         2
    <BLANKLINE>
    """
    if mode == "strict":
        if scheme is None:
            scheme = _detect(*_check(y_true, y_pred), suffix)
        counts = _count(y_true, y_pred, scheme, suffix)
    else:
        try:
            counts = _count(y_true, y_pred, None, suffix)
        except (TypeError, ValueError):  # seqeval reads both sides before it compares them
            if not get_entities(y_true, suffix) + get_entities(y_pred, suffix) and not output_dict:
                raise ValueError("found no entities to report") from None
            raise
    names = counts[0]
    if not names and not output_dict:
        raise ValueError("found no entities to report")
    types = _score(counts, None, ALL, 1.0, zero_division)
    averages = [_summarise_all(counts, each, ALL, 1.0, zero_division) for each in AVERAGES]
    labels = [f"{each} avg" for each in AVERAGES]
    if output_dict:
        kinds: tuple[Any, ...] = np.float64, np.float64, np.float64, np.int64
        rows = [
            [kind(value) for kind, value in zip(kinds, row, strict=True)]
            for row in zip(*types, strict=True)
        ]
        named = zip([*names, *labels], [*rows, *averages], strict=True)
        return {name: dict(zip(COLUMNS, row, strict=True)) for name, row in named}
    width = max(*map(len, names), len("weighted avg"), digits)
    line = f"{{:>{width}}}  {{:>9.{digits}f}} {{:>9.{digits}f}} {{:>9.{digits}f}} {{:>9}}".format
    return "\n".join(
        [
            " " * width + " " + "".join(f" {column:>9}" for column in COLUMNS),
            "",
            *map(line, names, *types),
            "",
            *(line(label, *row) for label, row in zip(labels, averages, strict=True)),
            "",
        ]
    )


def get_entities(seq: Any, suffix: bool = False) -> list[tuple[str, int, int]]:
    """Return the type, first and last place of each entity, as seqeval's default mode reads tags.

    Parameters
    ----------
    seq : list of str, or list of list of str
        Tags; places of several sentences count one token between two of them.
    suffix : bool
        Tags are as in ``PER-B``.

    Returns
    -------
    list of (str, int, int)
        The entities.

    Examples
    --------
    >>> get_entities(["B-PER", "I-PER", "O", "B-LOC"])
    [('PER', 0, 1), ('LOC', 3, 3)]
    """
    if any(isinstance(row, list) for row in seq):
        rows = [row if type(row) is list else (row + OUTSIDE)[:-1] for row in seq]
    else:
        rows = [list(seq + OUTSIDE)]
    return list_entities(rows, _make_parser("", bool(suffix)), SCHEMES[""].rules)


def accuracy_score(y_true: Any, y_pred: Any) -> Any:
    """Return the share of tags that are equal, as ``seqeval.metrics.accuracy_score``.

    Parameters
    ----------
    y_true, y_pred : list of str, or list of list of str
        Tags.

    Returns
    -------
    float
        The share.

    Examples
    --------
    >>> accuracy_score([["B-A", "I-A", "O", "O"]], [["B-A", "I-A", "O", "B-A"]])
    0.75
    """
    counts = count_pairs(y_true, y_pred)
    if counts is not None:
        return (counts[0] + counts[3]) / sum(counts)
    y_true, y_pred = _flatten(y_true, y_pred)
    return sum(t == p for t, p in zip(y_true, y_pred, strict=False)) / len(y_true)


def performance_measure(y_true: Any, y_pred: Any) -> dict[str, int]:
    """Return TP, FP, FN and TN of tags, as ``seqeval.metrics.performance_measure``.

    Parameters
    ----------
    y_true, y_pred : list of str, or list of list of str
        Tags.

    Returns
    -------
    dict
        Equal tags other than O, wrong tags, O for a tag, and equal O.

    Examples
    --------
    >>> performance_measure([["B-A", "O", "B-B", "O"]], [["B-A", "B-A", "O", "O"]])
    {'TP': 1, 'FP': 1, 'FN': 1, 'TN': 1}
    """
    counts = count_pairs(y_true, y_pred)
    if counts is None:
        y_true, y_pred = _flatten(y_true, y_pred)
        pairs = list(zip(y_true, y_pred, strict=False))
        counts = (
            sum(t == p and (t != "O" or p != "O") for t, p in pairs),
            sum(t != p and p != "O" for t, p in pairs),
            sum(t != "O" and p == "O" for t, p in pairs),
            sum(t == p == "O" for t, p in pairs),
        )
    return dict(zip(("TP", "FP", "FN", "TN"), counts, strict=True))


def _flatten(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    if not any(isinstance(row, list) for row in y_true):
        return y_true, y_pred
    return list(chain.from_iterable(y_true)), list(chain.from_iterable(y_pred))
