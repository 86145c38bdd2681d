"""Closed vocabularies: the allowed names of every argument that takes one of a few.

Signatures, command-line options and type checkers share these types; `check` refuses an unknown
value at run time.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

ProtocolName = Literal["recess", "cnc-2023", "cnc-2022", "relations", "depths"]
KernelName = Literal["fair_spans", "exact_spans", "span_overlap", "partial_spans"]
RatioForm = Literal["share", "f1", "alpha"]  # of weighted sums of counts
QuestionProtocol = Literal["squad-1.1", "fincausal-2025"]
AnswerProtocol = Literal["guide", "fcr"]
AgreementProtocol = Literal["recess", "recess-code"]
Backend = Literal["cpu", "cuda", "reference"]
DeviceBackend = Literal["cpu", "cuda"]

Policy = Literal["error", "empty", "skip"]
LabelPolicy = Literal["error", "skip"]
Join = Literal["id", "text", "position"]
AnswerPolicy = Literal["wrong", "skip", "error"]
MissingPolicy = Literal["error", "skip", "zero"]
ItemFilter = Literal["up", "down", "flipped", "flaky", "crashed"]
ItemOrder = Literal["id", "change", "value", "crashed"]
Choice = Literal["reference", "topic", "scores"]
UnsurePolicy = Literal["invalid", "missing"]
NullPolicy = Literal["error", "false", "skip"]
RaterPolicy = Literal["mean", "majority"]
Side = Literal["prediction", "reference"]

TagReading = Literal["strict", "aligned", "cnc-2023", "cnc-2022"]
ExampleUnit = Literal["line", "sentence", "document"]
LonePolicy = Literal["drop", "keep", "pair"]
Trigger = Literal["signal", "none"]
TypePolicy = Literal["ignore", "require"]
Occurrence = Literal["gap", "first"]
PairingTies = Literal["content", "first"]
Surplus = Literal["charge", "truncate"]
NonCausal = Literal["charge", "ignore"]
Summing = Literal["counts", "cnc-2022"]
ZeroByZero = Literal["null", "0", "1"]  # as on the command line

ReadFormat = Literal[
    "cnc", "flat", "fincausal", "bio", "spans", "answers", "examples", "parquet", "arrow", "jsonl",
    "doccano", "prodigy", "brat", "webanno", "webanno-tsv", "xmi", "label-studio",
]  # fmt: skip
ExportFormat = Literal["squad", "nli"]
WriteFormat = Literal[
    "cnc", "bio", "spans", "parquet", "arrow", "jsonl", "doccano", "brat", "webanno",
    "label-studio", "squad", "nli",
]  # fmt: skip
Premise = Literal["cause", "effect"]
TableFormat = Literal["text", "json", "markdown", "latex", "csv"]

DecodingMethod = Literal["bss", "constrained", "argmax", "constrained-logits"]  # order of csrc
Tokenizer = Literal["whitespace", "nltk-style", "nltk-style+tags"]

MeanOver = Literal["example", "relation"]
Level = Literal["nominal", "ordinal", "interval", "ratio"]  # order of csrc
KappaWeights = Literal["linear", "quadratic"]
AnswerTask = Literal["score", "multiclass", "three", "mcq", "binary"]
MajorityTies = Literal["none", "first", "error"]

Kind = Literal["share", "correlation", "points", "none"]
Better = Literal["higher", "lower", "none"]

PromptFormat = Literal["lines", "openai-batch"]
CrabTask = Literal["score", "multiclass", "three", "binary"]
Border = Literal["up", "text", "down"]
GoldFrom = Literal["class", "score"]
FrameRule = Literal["figure", "mixed", "collapse"]
EventMatch = Literal["tokens", "exact"]
RaterTies = Literal["first", "none"]
ExpertRule = Literal["majority", "mean", "both"]
Outside = Literal["keep", "drop"]
QuestionTies = Literal["skip", "accept"]
SplitBy = Literal["date", "story", "pair"]

UnicausalTags = Literal["strict", "unicausal"]
AnswerKind = Literal["binary", "letter", "choice"]
AnswerReading = Literal[
    "first-word", "cladder", "cladder-gpt", "corr2cause", "corr2cause-gpt", "letter", "same"
]
ChoiceProtocol = Literal["copa", "e-care", "cladder", "cladder-gpt", "corr2cause", "corr2cause-gpt"]
LabelProtocol = Literal[ChoiceProtocol, "unicausal-seq", "unicausal-pair", "fincausal-task1"]
WordProtocol = Literal["fincausal-2020"]
SpanProtocol = Literal["unicausal-span", WordProtocol]
ScoreTags = Literal[TagReading, "unicausal"]


class MarkingSettings(TypedDict, total=False):
    """Settings of reading relations, see `fastcausal.marking.Marking`."""

    unplaced: LabelPolicy
    links: Sequence[str] | None
    roles: str | Sequence[str] | None
    tracks: str | Sequence[str | Sequence[str]] | None
    role: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
    link: str | Sequence[str] | Mapping[str, str | Sequence[str]] | None
    example: ExampleUnit | None
    lone: LonePolicy
    trigger: Trigger
    words: str | os.PathLike[str] | Callable[[str], Sequence[str]] | None
    types: TypePolicy


class ScoreSettings(MarkingSettings, total=False):
    """Settings of reading, and of ``score`` with one protocol alone."""

    lenient: bool  # of fincausal-2020
    arguments: Sequence[str] | str | None  # of relations and depths
    iou: float | None  # of relations
    match: str | None  # of depths


PairProtocolName = Literal["pairs", "maven-ere", "eventstoryline", "ilif-direction"]
OutsidePairs = Literal["charge", "ignore", "error"]
PairRelation = Literal["causal", "temporal", "subevent"]
OfficialProtocol = Literal["cnc-2023", "cnc-2022"]
ExplainFrom = Literal[ReadFormat, OfficialProtocol, WordProtocol, PairProtocolName, AnswerReading]
ExplainTo = Literal["recess", PairProtocolName, AnswerReading]

Method = Literal["bca", "percentile", "jackknife"]
PairedTest = Literal["randomisation", "student", "welch", "betting", "mixture"]
Pairing = Literal["id", "none"]
Correction = Literal["holm", "bh", "none"]
AUTO, NO_CLUSTER = "auto", "none"  # in place of a column: one of `CLUSTERS`, or single units
CLUSTERS = ("doc_id", "doc", "document", "document_id", "article", "topic", "cluster")
Form = Literal["answers", "causality", "claims", "curation", "pairs"]
Triaged = Literal["judge"]
Verdict = Literal["pass", "fail", "inconclusive", "unchanged"]
AnytimeLaw = Literal["betting", "mixture"]


def check(name: str, value: object, choices: Any) -> None:
    """Raise ValueError unless the argument is among the choices of its type.

    Parameters
    ----------
    name : str
        The argument.
    value : object
        The value from the caller.
    choices : type or collection of str
        A type of this module, or the names themselves.

    Examples
    --------
    >>> check("unparsed", "ignore", Policy)
    Traceback (most recent call last):
    ValueError: unparsed is "ignore", expected one of error, empty, skip
    """
    known = getattr(choices, "__args__", None) or tuple(choices)
    if not isinstance(value, str) or value not in known:
        got = f'"{value}"' if isinstance(value, str) else repr(value)
        raise ValueError(f"{name} is {got}, expected one of {', '.join(known)}")


def check_policies(unparsed: Policy, unmatched: Policy) -> None:
    """Raise ValueError for an unknown policy."""
    check("unparsed", unparsed, Policy)
    check("unmatched", unmatched, Policy)


def check_reading(tags: TagReading, occurrence: Occurrence) -> None:
    """Raise ValueError for an unknown tag reading or occurrence."""
    check("tags", tags, TagReading)
    check("occurrence", occurrence, Occurrence)


def implied(answers: str | None) -> ReadFormat | None:
    """Return the format that a column of raw answers implies."""
    return None if answers is None else "answers"
