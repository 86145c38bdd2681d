"""The reference of the command line, made of click's commands while the site is built."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from fastcausal.cli import app
from fastcausal.cli.parameters import EXIT_STATUS, Command

PAGE = "reference/commands.md"
# Factors of the search: a page of its own comes before lists and reasons that name its words.
RANKS = {"porting/": 0.5, "conformance.md": 0.2, "reference/": 0.2, "decisions/": 0.2}


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Rank a page in the search, and append all commands to theirs; MkDocs calls this for each."""
    for start, rank in RANKS.items():
        if page.file.src_uri.startswith(start):
            page.meta["search"] = {"boost": rank}
    if page.file.src_uri != PAGE:
        return markdown
    return "\n\n".join([markdown, *described(app, "fastcausal")])


def described(group: click.Group, name: str) -> Iterator[str]:
    """Yield the Markdown of each command of a group, and of the groups in it.

    >>> next(described(app, "fastcausal")).splitlines()[0]
    '## fastcausal score'
    """
    context = click.Context(group, info_name=name)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        full = f"{name} {each}"
        if isinstance(command, click.Group):
            yield from described(command, full)
        else:
            yield "\n\n".join(_parts(command, full))


def _parts(command: click.Command, name: str) -> Iterator[str]:
    """Yield heading, usage, description, tables and examples of a command."""
    context = click.Context(command, info_name=name, show_default=True)
    yield f"## {name}"
    yield _escaped(command.help or "")
    yield f"```text\n{' '.join([name, *command.collect_usage_pieces(context)])}\n```"
    parameters = command.get_params(context)
    arguments = [p for p in parameters if isinstance(p, click.Argument)]
    if arguments:
        texts = [getattr(p, "help", "") for p in arguments]
        yield _table(
            "argument", zip([p.make_metavar(context) for p in arguments], texts, strict=True)
        )
    assert isinstance(command, Command)
    for title, options in command.option_groups(context).items():
        yield _table(title.lower(), options)
    examples = (command.epilog or "").replace(EXIT_STATUS, "").replace("\b", "").strip()
    if examples:
        lines = [line.strip() for line in examples.splitlines()[1:]]
        yield "\n".join(["```sh", *lines, "```"])


def _table(kind: str, rows: Iterable[tuple[str, str]]) -> str:
    lines = [f"| <code>{_escaped(name)}</code> | {_escaped(text)} |" for name, text in rows]
    return "\n".join([f"| {kind} | meaning |", "|---|---|", *lines])


def _escaped(text: str) -> str:
    """Return words as Markdown without marks of its own."""
    marks = {"<": "&lt;", "*": "&#42;", "|": "&#124;", "[": "&#91;", "_": "&#95;"}
    return text.translate(str.maketrans(marks))
