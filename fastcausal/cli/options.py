"""Options shared by commands; options without effect are refused."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_args

import click

from fastcausal.cli.console import warn
from fastcausal.cli.parameters import Option
from fastcausal.counts.task import owners_under
from fastcausal.errors import InputError
from fastcausal.options import (
    AUTO,
    CLUSTERS,
    Correction,
    ExampleUnit,
    Join,
    KernelName,
    LabelPolicy,
    LonePolicy,
    Method,
    MissingPolicy,
    Occurrence,
    PairRelation,
    Policy,
    ProtocolName,
    ReadFormat,
    ScoreTags,
    SpanProtocol,
    Trigger,
    TypePolicy,
    ZeroByZero,
)

if TYPE_CHECKING:
    from fastcausal.protocols import Protocol
    from fastcausal.recipe import Recipe
    from fastcausal.tasks.values.reading import Progress, ValueReading

BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS")
ZERO: dict[ZeroByZero, float | None] = {"null": None, "0": 0.0, "1": 1.0}  # values of 0/0
JsonOption = Annotated[bool, Option("--json", help="Print one JSON object.")]
HtmlOption = Annotated[
    Path | None, Option("--html", help="Write a page for the browser to this file.")
]
ByOption = Annotated[
    list[str] | None,
    Option(
        "--by",
        help="Also score each value of this column, or below and from a limit (year<2022); may be "
        "given several times.",
    ),
]
AnswersOption = Annotated[
    str | None,
    Option(
        "--answers",
        help="Take raw answers of a language model from this column; dots lead into JSON: a.0.b.",
    ),
]
AnswerIdOption = Annotated[
    str | None,
    Option(
        "--id",
        metavar="PATH",
        help="Take the ids of raw answers from this column; dots lead into JSON: meta.id.",
    ),
]
IntervalsOption = Annotated[
    bool, Option("--intervals", help="Add a confidence interval to every score.")
]
SeedOption = Annotated[int, Option("--seed", min=0, help="Seed the draws with this number.")]
FromOption = Annotated[
    ReadFormat | None,
    Option("--from", help="Read files in this format; by default their content decides."),
]
ScoreOption = Annotated[
    str | None,
    Option(
        "--score",
        help="Look at this score, such as multi_relation_cause_recall; by default overall_f1, of "
        "logs and tables the only one.",
    ),
]
ScoresOption = Annotated[
    list[str] | None,
    Option(
        "--score",
        help="Look at this score; may be given several times. By default overall_f1, of logs and "
        "tables the only one.",
    ),
]
UnpairedOption = Annotated[
    bool, Option("--unpaired", help="Compare other examples, by Welch's t-test.")
]
AnytimeOption = Annotated[
    bool, Option("--anytime", help="Take bounds that hold at all looks, while units come in.")
]
LowerOption = Annotated[
    bool,
    Option(
        "--lower-is-better",
        help="Rank and judge values of logs and tables by less; other scores declare it.",
    ),
]


CorrectionOption = Annotated[
    Correction,
    Option(
        "--correction",
        help="Correct p-values of many tests by Holm, Benjamini-Hochberg, or not.",
    ),
]


MethodOption = Annotated[
    Method,
    Option(
        "--method",
        help="Compute confidence intervals by the jackknife or a bootstrap (bca, percentile).",
    ),
]
ClusterOption = Annotated[
    str | None,
    Option(
        "--cluster",
        metavar="COLUMN|none",
        help="Take clusters, the values of this column, as units, or single ones; by default "
        "doc_id, doc, document, document_id, article, topic or cluster, if there is one whose "
        "values repeat.",
        names=lambda: ("none", *CLUSTERS),
    ),
]


class DrawOptions(NamedTuple):
    """Options for drawing resamples."""

    cluster: ClusterOption = AUTO
    method: MethodOption = "jackknife"
    confidence: Annotated[float, Option("--confidence", help="Set the confidence level.")] = 0.95
    n_resamples: Annotated[int, Option("--n-resamples", help="Set the number of resamples.")] = (
        10_000
    )
    seed: SeedOption = 0


DRAWS = DrawOptions()
OF_DRAWS = ("n_resamples", "seed")
NO_DRAWS = "is for resamples, method jackknife draws none"


OccurrenceOption = Annotated[
    Occurrence,
    Option(
        "--occurrence",
        help="Find a repeated signal between Cause and Effect, or where it comes first.",
    ),
]
TagsOption = Annotated[
    ScoreTags | None,
    Option(
        "--tags",
        help="Read tagged sentences so; aligned takes rewritten ones, unicausal is for "
        "unicausal-span.",
    ),
]


SystemOption = Annotated[
    str | None,
    Option("--system", metavar="COLUMN", help="Take several systems from a file, named here."),
]
SystemsOption = Annotated[
    str | None,
    Option("--systems", metavar="A,B,...", help="Take the values of a system from each column."),
]
SampleOption = Annotated[
    str | None,
    Option("--sample", metavar="COLUMN", help="Tell answers to an example by this column."),
]
PickOption = Annotated[
    str | None, Option("--pick", metavar="A,B", help="Take these two of several systems.")
]


OverOption = Annotated[
    str,
    Option(
        "--over",
        metavar="mean|first|best|majority|pass@K|pass^K|max|min",
        help="Count all answers to an example, one of them, or one value that this rule makes.",
        names=lambda: ("mean", "first", "best", "majority", "pass@", "pass^", "max", "min"),
    ),
]


class SampleOptions(NamedTuple):
    """Options for several systems in a file, and several answers to an example."""

    system: SystemOption = None
    sample: SampleOption = None
    over: OverOption = "mean"


SAMPLES = SampleOptions()


class ValueOptions(NamedTuple):
    """Options for reading logs of evaluations and plain tables."""

    scorer: Annotated[
        str | None, Option("--scorer", help="Take the score of this scorer of inspect.")
    ] = None
    metric: Annotated[
        str | None, Option("--metric", help="Take this metric of lm-eval, or part of a scorer.")
    ] = None
    filter: Annotated[
        str | None, Option("--filter", help="Take the scores of this filter of lm-eval.")
    ] = None
    value: Annotated[
        str | None,
        Option("--value", help="Take values from this column; dots lead into JSON: f1.0."),
    ] = None
    numerator: Annotated[
        str | None, Option("--numerator", help="Score by the sum of this column ...")
    ] = None
    denominator: Annotated[
        str | None, Option("--denominator", help="... divided by the sum of this one.")
    ] = None
    id: Annotated[
        str | None,
        Option("--id", metavar="PATH", help="Join by this column; by default id, else doc_id."),
    ] = None
    epoch: Annotated[str | None, Option("--epoch", help="The other name of --sample.")] = None
    system: SystemOption = None
    systems: SystemsOption = None
    sample: SampleOption = None
    over: OverOption = "mean"
    answers: Annotated[
        str | None,
        Option(
            "--answers",
            help="Beside GOLD, take raw answers of a language model from this column; dots lead "
            "into JSON: a.0.b.",
        ),
    ] = None
    missing: Annotated[
        MissingPolicy,
        Option(
            "--missing",
            help="Stop at answers without a score and lacking examples, leave out, or count 0.",
        ),
    ] = "error"

    def reading(
        self,
        progress: Progress | None,
        columns: Sequence[str] = (),
        cluster: str | None = None,
    ) -> ValueReading:
        """Return the settings for reading logs and tables, with columns to keep.

        ``--answers`` with a rule is another name of ``--over``.
        """
        from fastcausal.tasks.values.reading import (
            RULES,
            ValueReading,
            choose_name,
            choose_rule,
            is_rule,
        )

        given = self._asdict()
        answers = given.pop("answers")
        if answers is not None and not is_rule(answers):
            raise InputError(
                f"--answers {answers} is a column of raw answers, for predictions against GOLD; "
                f"--over {RULES} makes one value of the answers to an example"
            )
        given["over"] = choose_rule(given["over"], answers)
        given["epoch"] = choose_name("epoch", given["epoch"], "sample", given.pop("sample"))
        given["systems"] = self.systems and tuple(self.systems.split(","))
        return ValueReading(**given, columns=tuple(columns), cluster=cluster, progress=progress)


VALUES = ValueOptions()


PredFormatOption = Annotated[
    ReadFormat | None,
    Option("--from", help="Read predictions in this format; by default their content decides."),
]


class ReadOptions(NamedTuple):
    """Options for reading predictions."""

    source_format: PredFormatOption = None
    answers: AnswersOption = None
    occurrence: OccurrenceOption = "gap"
    tags: TagsOption = None
    id: AnswerIdOption = None

    def arguments(self) -> dict[str, Any]:
        """Return the options as arguments of `fastcausal.read`."""
        given = self._asdict()
        return {"format": given.pop("source_format"), **given}


READS = ReadOptions()


MARKED = "fastcausal.marking:Marking"


class Marks(NamedTuple):
    """Options for reading relations, of gold and predictions alike."""

    unplaced: Annotated[LabelPolicy, Option(function=MARKED)] = "error"
    roles: Annotated[str | None, Option(metavar="A,B,...", function=MARKED)] = None
    tracks: Annotated[str | None, Option(metavar="A+B,C", function=MARKED)] = None
    role: Annotated[list[str] | None, Option(metavar="NAME=LABEL,...", function=MARKED)] = None
    link: Annotated[list[str] | None, Option(metavar="TYPE[=A>B]", function=MARKED)] = None
    example: Annotated[ExampleUnit | None, Option(function=MARKED)] = None
    lone: Annotated[LonePolicy, Option(function=MARKED)] = "drop"
    trigger: Annotated[Trigger, Option(function=MARKED)] = "signal"
    words: Annotated[
        str | None,
        Option(
            metavar="blank|letters|nltk|FILE",
            function=MARKED,
            names=lambda: ("blank", "letters", "nltk", "fincausal"),
        ),
    ] = None
    types: Annotated[TypePolicy, Option(function=MARKED)] = "ignore"

    def given(self) -> dict[str, Any]:
        """Return the options other than the defaults, as arguments of `fastcausal.read`."""
        return {n: v for n, v in self._asdict().items() if v != self._field_defaults[n]}


MARKS = Marks()


UnparsedOption = Annotated[
    Policy,
    Option(
        "--unparsed",
        help="Stop at unparsed predictions, score them as empty, or skip their examples.",
    ),
]
UnmatchedOption = Annotated[
    Policy,
    Option(
        "--unmatched", help="Stop at ids that one side lacks, score them as empty, or skip them."
    ),
]


JoinOption = Annotated[
    Join | None,
    Option(
        "--join",
        help="Join examples by id, text or position; by default by id if both sides have one.",
    ),
]


class PolicyOptions(NamedTuple):
    """Options for joining examples, and for predictions that cannot be scored."""

    unparsed: UnparsedOption = "error"
    unmatched: UnmatchedOption = "error"
    join: JoinOption = None


POLICIES = PolicyOptions()


ProtocolOption = Annotated[
    str,
    Option(
        "--protocol",
        metavar="NAME|FILE",
        help="Score by this named recipe (recess, cnc-2023, cnc-2022, relations, depths, "
        "fincausal-2020; of score also unicausal-span), or by that of a .toml or .json file.",
        names=lambda: (*get_args(ProtocolName), *get_args(SpanProtocol)),
    ),
]
KernelOption = Annotated[
    KernelName | None,
    Option("--kernel", help="Count this for a pair of relations instead."),
]


ArgumentsOption = Annotated[
    str | None,
    Option(
        "--arguments",
        metavar="ROLE,ROLE",
        help="Of relations and depths: the two roles that count; by default the first two.",
    ),
]
IouOption = Annotated[
    str | None,
    Option(
        "--iou",
        metavar="SHARE",
        help="Of relations: arguments are alike that share this part of their tokens; by default "
        "0.5.",
    ),
]


MatchOption = Annotated[
    str | None,
    Option(
        "--match",
        metavar="exact|overlap|iou:SHARE",
        help="Of depths: when two spans meet; exact by default.",
    ),
]


class ProtocolOptions(NamedTuple):
    """Options of the protocol."""

    protocol: ProtocolOption = "recess"
    kernel: KernelOption = None
    arguments: ArgumentsOption = None
    iou: IouOption = None
    match: MatchOption = None

    @property
    def own(self) -> dict[str, Any]:
        """Options of single protocols."""
        return {"arguments": self.arguments, "iou": self.iou, "match": self.match}

    def chosen(self) -> Protocol:
        """Return the chosen protocol."""
        from fastcausal.cli.protocol_files import find_protocol
        from fastcausal.protocols import with_settings

        return with_settings(find_protocol(self.protocol, self.kernel), **self.own)


PROTOCOL = ProtocolOptions()


LenientOption = Annotated[
    bool,
    Option("--lenient", help="Score where the program of fincausal-2020 ends, with a warning."),
]
PAIRS = "fastcausal.tasks.eci.count:eci"
LabelOption = Annotated[list[str] | None, Option(metavar="LABEL", function=PAIRS)]


class LabelOptions(NamedTuple):
    """Options of labels of pairs."""

    forward: LabelOption = None
    backward: LabelOption = None
    none: LabelOption = None
    unknown: LabelOption = None

    def declared(self) -> dict[str, Any]:
        """Return the declared labels as arguments of a function."""
        return {name: labels or () for name, labels in self._asdict().items()}


LABELS = LabelOptions()
RelationOption = Annotated[PairRelation, Option(function=PAIRS)]


def import_numpy() -> None:
    """Import numpy without threads for matrix products, which are exact and mostly small here.

    Starting them takes half as long as importing numpy. Child processes are not affected.
    """
    if "numpy" in sys.modules or any(name in os.environ for name in BLAS_THREADS):
        return
    os.environ |= dict.fromkeys(BLAS_THREADS, "1")
    import numpy  # noqa: F401

    for name in BLAS_THREADS:
        del os.environ[name]


def make_recipe(
    protocol: Protocol, policies: PolicyOptions, reads: ReadOptions, marks: Marks = MARKS
) -> Recipe:
    """Return the options as a recipe."""
    from fastcausal.recipe import Recipe

    return Recipe.make(protocol, **policies._asdict(), **reads.arguments(), **marks.given())


def open_sources(paths: list[str], format: ReadFormat | None) -> list[Any]:
    """Open files in the format of ``--from``, if given; raise InputError for a directory."""
    if format is None:
        return [*paths]
    from fastcausal.formats import is_folder, opened

    for path in filter(is_folder, paths):
        raise InputError(f"{path}: a directory tells its own format, --from is for files")
    return [opened(path, format, whole=True) for path in paths]


def is_given(ctx: click.Context, name: str) -> bool:
    """Return True if an option was given, not left at its default."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"


def refuse(ctx: click.Context, names: tuple[str, ...], reason: str) -> None:
    """Raise InputError for the first of these options that was given."""
    for name in names:
        if is_given(ctx, name):
            raise InputError(f"{find_flag(ctx, name)} {reason}")


def refuse_settings(ctx: click.Context, function: str, protocol: str) -> None:
    """Raise InputError for the first given setting that belongs to another protocol."""
    for name, owner in owners_under(function).items():
        if owner != protocol:
            refuse(ctx, (name,), f"is for {owner}")


def find_flag(ctx: click.Context, name: str) -> str:
    """Return an option as typed on the command line."""
    return next(option.opts[0] for option in ctx.command.params if option.name == name)


def refuse_inference(ctx: click.Context, intervals: bool, draws: DrawOptions) -> None:
    """Refuse options of intervals without ``--intervals``, and options of draws with the jackknife.

    If the jackknife is only the default, options of draws give a warning.
    """
    if not intervals:
        refuse(ctx, DrawOptions._fields, "is for confidence intervals: add --intervals")
    warn_of_draws(ctx, draws.method, OF_DRAWS)


def warn_of_draws(ctx: click.Context, method: Method, names: tuple[str, ...]) -> None:
    """Refuse options of draws if the jackknife was requested; warn of them if it is the default."""
    refuse_draws(ctx, method, names)
    if method == "jackknife":
        warn(f"{find_flag(ctx, name)} {NO_DRAWS}" for name in names if is_given(ctx, name))


def refuse_draws(ctx: click.Context, method: Method, names: tuple[str, ...] = OF_DRAWS) -> None:
    """Refuse options of draws if the jackknife was requested: it draws nothing."""
    if method == "jackknife" and is_given(ctx, "method"):
        refuse(ctx, names, NO_DRAWS)


def is_json(args: Sequence[str]) -> bool:
    """Return True if arguments, parsed or not, request JSON."""
    given = {option.partition("=")[0] for option in args if option.startswith("--json")}
    return "--json" in given or "--format=json" in args or ("--format", "json") in pairwise(args)
