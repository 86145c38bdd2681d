"""Options that commands share; those that would do nothing are refused."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, get_type_hints

import typer
from typer.core import TyperCommand

from fastcausal.errors import InputError
from fastcausal.options import (
    KernelName,
    Method,
    Occurrence,
    ReadFormat,
    TableFormat,
    TagReading,
)

if TYPE_CHECKING:
    from fastcausal.protocols import Protocol

JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
FormatOption = Annotated[
    TableFormat, typer.Option("--format", help="Print text, a JSON object, or tables to paste.")
]
MarkdownOption = Annotated[bool, typer.Option("--markdown", help="Print a table of Markdown.")]
LatexOption = Annotated[bool, typer.Option("--latex", help="Print a table of LaTeX.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print values with all their digits.")]
PerExampleOption = Annotated[
    Path | None,
    typer.Option(help="Write the counts of each example to this .parquet or .arrow file."),
]

ByOption = Annotated[
    list[str] | None,
    typer.Option("--by", help="Also score each value of this column; may be given several times."),
]
IntervalsOption = Annotated[
    bool, typer.Option("--intervals", help="Add an interval to every score.")
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Seed the draws with this number.")]
FromOption = Annotated[
    ReadFormat | None,
    typer.Option("--from", help="Read files in this format; by default their content decides."),
]
ScoreOption = Annotated[
    str, typer.Option("--score", help="Look at this score, such as multi_relation_cause_recall.")
]
ScoresOption = Annotated[
    list[str], typer.Option("--score", help="Look at this score; may be given several times.")
]


class Draws(NamedTuple):
    """Options of what intervals are taken from."""

    cluster: Annotated[
        str | None,
        typer.Option("--cluster", help="Draw the values of this column instead of examples."),
    ] = None
    method: Annotated[
        Method,
        typer.Option(
            "--method", help="Take intervals of resamples (bca, percentile) or jackknife."
        ),
    ] = "bca"
    confidence: Annotated[
        float, typer.Option("--confidence", help="Set the share of samples that intervals cover.")
    ] = 0.95
    n_resamples: Annotated[
        int, typer.Option("--n-resamples", help="Set the number of resamples.")
    ] = 10_000
    seed: SeedOption = 0


DRAWS = Draws()


class Reads(NamedTuple):
    """Options of how predictions are read."""

    source_format: Annotated[
        ReadFormat | None,
        typer.Option(
            "--from", help="Read predictions in this format; by default their content decides."
        ),
    ] = None
    answers: Annotated[
        str | None,
        typer.Option("--answers", help="Take raw answers of a language model from this column."),
    ] = None
    occurrence: Annotated[
        Occurrence,
        typer.Option(
            "--occurrence",
            help="Find a repeated signal between Cause and Effect, or where it comes first.",
        ),
    ] = "gap"
    tags: Annotated[
        TagReading | None,
        typer.Option("--tags", help="Read tagged sentences so; aligned takes rewritten ones."),
    ] = None

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of `fastcausal.score` that the options stand for."""
        given = self._asdict()
        return {"format": given.pop("source_format"), **given}


READS = Reads()


class Recipe(NamedTuple):
    """Options of what predictions are scored by."""

    protocol: Annotated[
        str,
        typer.Option(
            "--protocol",
            metavar="NAME|FILE",
            help="Score by this named recipe (recess, cnc-2023, cnc-2022), or by that of a .toml "
            "or .json file.",
        ),
    ] = "recess"
    kernel: Annotated[
        KernelName | None,
        typer.Option("--kernel", help="Count this for a pair of relations instead."),
    ] = None

    def chosen(self) -> Protocol:
        """Return the protocol that the options stand for."""
        from fastcausal.cli.protocol_files import protocol_of

        return protocol_of(self.protocol, self.kernel)


RECIPE = Recipe()


def sources_in(paths: list[str], format: ReadFormat | None) -> list[Any]:
    """Open files in the format that ``--from`` names, if it does; InputError for a directory."""
    if format is None:
        return [*paths]
    from fastcausal.formats import is_folder, opened

    for path in filter(is_folder, paths):
        raise InputError(f"{path}: a directory tells its own format, --from is for files")
    return [opened(path, format, whole=True) for path in paths]


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command each field of its groups of options, such as `Draws`, as an option."""
    signature = inspect.signature(command, eval_str=True)
    parameters: list[inspect.Parameter] = []
    groups: dict[str, Any] = {}
    for parameter in signature.parameters.values():
        group: Any = parameter.annotation
        if hasattr(group, "_field_defaults"):
            groups[parameter.name] = group
            kinds = get_type_hints(group, include_extras=True)
            parameters += [
                parameter.replace(name=name, default=default, annotation=kinds[name])
                for name, default in group._field_defaults.items()
            ]
        else:
            parameters.append(parameter)

    def run(**given: Any) -> None:
        for name, group in groups.items():
            given[name] = group(*(given.pop(option) for option in group._fields))
        command(**given)

    run.__name__, run.__doc__ = command.__name__, command.__doc__
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return run


class Command(TyperCommand):
    """A command that refuses an option given twice, of which the last would win."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments after looking for repeated options."""
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, n in Counter(order).items():
            if n > 1 and option.param_type_name == "option" and not option.multiple:
                raise typer.BadParameter(f"given {n} times, expected once", ctx, option)
        return super().parse_args(ctx, args)


def refuse(ctx: typer.Context, names: tuple[str, ...], reason: str) -> None:
    """Raise InputError for the first of these options that was given."""
    for name in names:
        source = ctx.get_parameter_source(name)
        if source is not None and source.name != "DEFAULT":
            flag = next(option.opts[0] for option in ctx.command.params if option.name == name)
            raise InputError(f"{flag} {reason}")


def refuse_inference(ctx: typer.Context, intervals: bool, draws: Draws) -> None:
    """Refuse options of intervals without ``--intervals``, those of draws with the jackknife."""
    if not intervals:
        refuse(ctx, Draws._fields, "is for intervals: add --intervals")
    if draws.method == "jackknife":
        refuse(ctx, ("n_resamples", "seed"), "is for resamples, method jackknife draws none")


def format_of(ctx: typer.Context, json: bool, format: TableFormat, **short: bool) -> TableFormat:
    """Return the format that ``--format`` or a short option asks for; InputError for two."""
    asked: list[Any] = [name for name, given in {"json": json, **short}.items() if given]
    for name in asked:
        if name != format:
            refuse(ctx, ("format",), f"is {format}, but --{name} is another")
        if name != asked[0]:
            raise InputError(f"--{name} is another format than --{asked[0]}")
    return asked[0] if asked else format


def is_json(args: Sequence[str]) -> bool:
    """Tell if arguments, parsed or not, ask for JSON."""
    given = {option.partition("=")[0] for option in args if option.startswith("--json")}
    return "--json" in given or "--format=json" in args or ("--format", "json") in pairwise(args)
