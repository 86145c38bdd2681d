"""Commands of click, made from the signatures of functions; loaded at their first use.

A parameter is ``name: Annotated[type, Option(...)] = default``, or has an `Argument` instead. A
NamedTuple of options stands for each of its fields; its method ``checked``, if any, checks them. A
``click.Context`` is the typed command line.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import click
from click.shell_completion import CompletionItem

from fastcausal.cli.described import describe
from fastcausal.counts.command import CommandRecord
from fastcausal.counts.task import resolve

EXIT_STATUS = """\
Exit status: 0 done; 1 a check failed, see the command; 2 bad input or usage, or output that cannot
be written; 70 a fault of fastcausal; 130 Ctrl-C; 141 a closed pipe."""
SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True, "max_content_width": 100}
Entry = tuple[str, Any, Any]  # name, type and default of a parameter
# Groups of options in help, in their order, and flags of each
OPTION_GROUPS = {
    "Reading": "from answers id column pattern occurrence tags link name key scorer metric filter "
    "value numerator denominator epoch over human label labels rater level unit read text "
    "run-column join dates template like against gold gold-from gold-column pred-column yes-no "
    "roles role example lone trigger words system systems sample pick sentence-labels",
    "Protocol": "protocol kernel arguments iou scheme tracks types lenient relation forward "
    "backward none unknown candidates task set border threshold thresholds rule high mediation "
    "confounding collider match min-f1 min-tokens no-quotes official-order similarity judge "
    "text-metrics map positive average tokenizer choice raters ties rescale",
    "Policies": "unparsed unmatched undefined missing nulls unsure unplaced outside",
    "Statistics": "by fold intervals p cluster method confidence n-resamples seed resamples folds "
    "epsilon replace compare score lower-is-better unpaired correction power delta baseline "
    "candidate min-delta min point group only sort top no-regression allow allow-flaky",
    "Output": "json format digits percent counts github top examples help",
}
_GROUP_OF = {f"--{name}": title for title, names in OPTION_GROUPS.items() for name in names.split()}
_EXAMPLES = re.compile(r"\n\s*Examples\n\s*-+\n")


@dataclass(frozen=True)
class Argument:
    """A parameter identified by its position."""

    help: str = ""
    metavar: str | None = None


class Option:
    """A parameter identified by its flags; by default one flag, its name."""

    def __init__(
        self,
        *flags: str,
        help: str = "",
        metavar: str | None = None,
        min: float | None = None,
        max: float | None = None,
        names: Callable[[], Iterable[str]] = tuple,
        function: str = "",  # entry point of the function whose parameter has the help
    ) -> None:
        self.function = function
        self.flags, self.help, self.metavar, self.range = flags, help, metavar, (min, max)
        self.names = names  # offered by a shell; other values are allowed


class Command(click.Command):
    """A command that refuses a repeated option; click would keep the last value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse repeated options, then parse the arguments."""
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, n in Counter(order).items():
            once = isinstance(option, click.Option) and not option.multiple
            if n > 1 and once and not ctx.resilient_parsing:  # not while a shell completes
                raise click.BadParameter(f"given {n} times, expected once", ctx, option)
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write usage, arguments, groups of options, examples and exit status."""
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        arguments = [p for p in self.get_params(ctx) if isinstance(p, _Argument)]
        if arguments:
            with formatter.section("Arguments"):
                formatter.write_dl([(p.make_metavar(ctx), p.help or "") for p in arguments])
        for title, rows in self.option_groups(ctx).items():
            with formatter.section(title):
                formatter.write_dl(rows)
        self.format_epilog(ctx, formatter)

    def option_groups(self, ctx: click.Context) -> dict[str, list[tuple[str, str]]]:
        """Return flags and help of the options by group; a file is output, others have no group."""
        groups: dict[str, list[tuple[str, str]]] = {"Options": [], **{t: [] for t in OPTION_GROUPS}}
        for option in self.get_params(ctx):
            if isinstance(option, click.Option) and (row := option.get_help_record(ctx)):
                rest = "Output" if isinstance(option.type, click.Path) else "Options"
                groups[_GROUP_OF.get(option.opts[-1], rest)].append(row)
        groups = {title: rows for title, rows in groups.items() if rows}
        return groups if len(groups) > 1 else dict(zip(["Options"], groups.values(), strict=True))


class _Argument(click.Argument):
    """An argument with a line of help."""

    def __init__(self, name: str, help: str, **settings: Any) -> None:
        super().__init__([name], **settings)
        self.help = help

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the second word of a command's name; the shell completes file names."""
        known = super().shell_complete(ctx, incomplete)
        names = getattr(ctx.parent and ctx.parent.command, "entries", ())
        first = f"{ctx.info_name} {incomplete}"
        more = [name.partition(" ")[2] for name in names if name.startswith(first)]
        items = [CompletionItem(word) for word in more if ctx.command.params[0] is self]
        return known or [*items, CompletionItem(incomplete, type="file")]


class _Option(click.Option):
    """An option whose text values complete to names and files."""

    def __init__(self, words: list[str], names: Callable[[], Iterable[str]], **rest: Any) -> None:
        super().__init__(words, **rest)
        self.names = names

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a value; the shell completes names of files."""
        if not isinstance(self.type, click.types.StringParamType):
            return super().shell_complete(ctx, incomplete)
        known = [CompletionItem(name) for name in self.names() if name.startswith(incomplete)]
        return [*known, CompletionItem(incomplete, type="file")]


class Group(click.Group):
    """Commands, each a record or a function in its own module, imported on first use."""

    def __init__(
        self,
        name: str,
        entries: Mapping[str, str | CommandRecord],  # a record, or the entry point of a command
        help: str,
        others: Mapping[str, str] = MappingProxyType({}),  # words people type for a command
    ) -> None:
        more = f"COMMAND -h shows examples of a command.\n\n{EXIT_STATUS}"
        super().__init__(name, help=help, epilog=more, context_settings=SETTINGS)
        self.entries, self.others = entries, others

    @property
    def sections(self) -> dict[str, list[str]]:
        """Names of the commands by the title of their section in help."""
        return {"Commands": [*self.entries]}

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; print the help if there are none."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the full description of each command, by section."""
        for title, names in self.sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, self._summary(ctx, name)) for name in names])

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, by section."""
        return [name for names in self.sections.values() for name in names]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command of the typed words; a name may have two words."""
        if " ".join(args[:2]) in self.entries:
            args = [" ".join(args[:2]), *args[2:]]
        elif not (args[0] in self.entries or args[0].startswith("-") or ctx.resilient_parsing):
            is_first = any(name.startswith(f"{args[0]} ") for name in self.entries)
            ctx.fail(self.unknown(" ".join(args[:2]) if is_first else args[0]))
        return super().resolve_command(ctx, args)

    def unknown(self, name: str) -> str:
        """Return the message for an unknown command, with the nearest command."""
        from difflib import get_close_matches  # 2 ms, which only faults need

        near = get_close_matches(name.casefold(), self.entries, 1)
        meant = self.others.get(name.casefold(), near[0] if near else None)
        return f'no command "{name}"' + (f"; did you mean {meant}?" if meant else "")

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Return the completions of one word; names of two words are left out."""
        found = super().shell_complete(ctx, incomplete)
        return [item for item in found if " " not in item.value]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        """Return a command; None for an unknown name."""
        if name not in self.entries:
            return None
        if name not in self.commands:
            self.commands[name] = self._make(name)
        return self.commands[name]

    def _make(self, name: str) -> click.Command:
        """Make a command, from its record or from a function with its parameters."""
        held = self._resolve(name)
        if isinstance(held, CommandRecord):
            made: click.Command = resolve("fastcausal.cli.derived:derive")(name, held)
            return made
        return held if isinstance(held, Group) else command(name, held)

    def _resolve(self, name: str) -> Any:
        """Return the record, function or group of a command."""
        entry = self.entries[name]
        return resolve(entry) if isinstance(entry, str) else entry

    def _summary(self, ctx: click.Context, name: str) -> str:
        """Return the description of a command; of a derived one nothing else is read."""
        held = self._resolve(name)
        if isinstance(held, CommandRecord):
            return describe(held.function).summary
        made = self.get_command(ctx, name)
        return (made and made.help) or ""

    def option(self, *flags: str, **settings: Any) -> Callable[[Callable[[Any], None]], None]:
        """Give the group an option that acts on its value and ends the program."""

        def add(act: Callable[[Any], None]) -> None:
            def called(ctx: click.Context, _: click.Parameter, value: Any) -> None:
                if value and not ctx.resilient_parsing:
                    act(value)
                    ctx.exit()

            settings.update(is_eager=True, expose_value=False, callback=called)
            self.params.append(click.Option(flags, **settings))

        return add


def command(name: str, function: Callable[..., None]) -> Command:
    """Make a command from a function; the examples in its docstring end its help."""
    return make_command(name, _signature(function), function, *_help(function))


def make_command(
    name: str,
    entries: Iterable[Entry],
    function: Callable[..., None],
    text: str,
    examples: Sequence[str],
) -> Command:
    """Make a command that calls a function with these parameters, by name."""
    parameters: list[click.Parameter] = []
    groups: dict[str, Any] = {}
    contexts = []
    for name_, kind, default in entries:
        if kind is click.Context:
            contexts.append(name_)
        elif hasattr(kind, "_field_defaults"):
            groups[name_] = kind
            hints = get_type_hints(kind, include_extras=True)
            fields = default._asdict().items()
            parameters += [_parameter(field, hints[field], value) for field, value in fields]
        else:
            parameters.append(_parameter(name_, kind, default))
    lists = [p.name for p in parameters if p.multiple or p.nargs == -1]

    def run(**given: Any) -> None:
        ctx = click.get_current_context()
        given |= {name: list(given[name]) or None for name in lists}
        for name, group in groups.items():
            options = group(*(given.pop(option) for option in group._fields))
            given[name] = options.checked(ctx) if hasattr(options, "checked") else options
        function(**given, **dict.fromkeys(contexts, ctx))

    shown = "\n  ".join(["\b\nExamples:", *examples])
    epilog = f"{shown}\n\n{EXIT_STATUS}" if examples else EXIT_STATUS
    return Command(name, callback=run, params=parameters, help=text, epilog=epilog)


def _signature(function: Callable[..., None]) -> Iterator[Entry]:
    """Yield name, type and default of each parameter of a function."""
    for parameter in inspect.signature(function, eval_str=True).parameters.values():
        yield parameter.name, parameter.annotation, parameter.default


def _help(function: Callable[..., None]) -> tuple[str, list[str]]:
    """Return the description in a docstring, and its examples."""
    text, *examples = _EXAMPLES.split(inspect.cleandoc(function.__doc__ or ""), 1)
    return text, [line for shown in examples for line in shown.splitlines() if line]


def _parameter(name: str, annotation: Any, default: Any) -> click.Parameter:
    """Make the parameter of a command from a function's parameter."""
    kind, about = get_args(annotation)
    if get_origin(kind) in (Union, UnionType):
        kind = next(each for each in get_args(kind) if each is not type(None))
    several = get_origin(kind) is list
    if several:
        (kind,) = get_args(kind)
    required = default is inspect.Parameter.empty
    text = about.help
    if isinstance(about, Option) and about.function:
        text = describe(about.function).texts[name]
    settings: dict[str, Any] = {"metavar": about.metavar, "help": text, "required": required}
    if not required and default is not None:
        settings["default"] = default
    if isinstance(about, Argument):
        return _Argument(name, nargs=-1 if several else 1, type=_type(kind), **settings)
    flags = about.flags or (f"--{name.replace('_', '-')}",)
    if kind is bool:
        return click.Option([name, *flags], is_flag=True, **settings)
    settings |= {"multiple": several, "type": _type(kind, *about.range)}
    return _Option([name, *flags], about.names, **settings)


def _type(kind: Any, least: Any = None, most: Any = None) -> Any:
    """Return click's converter for a type."""
    if get_args(kind):  # names of a closed vocabulary
        return click.Choice(get_args(kind))
    if kind is Path:
        return click.Path(path_type=Path)
    if least is not None or most is not None:
        return (click.IntRange if kind is int else click.FloatRange)(least, most)
    return kind
