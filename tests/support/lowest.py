"""Print the requirements of the tests, with each library at the lowest version that is declared.

Those are the libraries that users get, by themselves or with an extra; tools of the tests alone are
the newest.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

DECLARED = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
PROJECT = DECLARED["project"]
OF_USERS = ("jit", "llm")  # extras that tests of the core need, besides plots, whose
# lowest Matplotlib warns of a later pyparsing, and warnings are errors in tests


def group(name: str) -> Iterator[str]:
    """Give the requirements of a group and of the groups that it includes."""
    for line in DECLARED["dependency-groups"][name]:
        if isinstance(line, str):
            yield line
        else:
            yield from group(line["include-group"])


def lowest(line: str) -> str:
    """Return a requirement of the lowest version that another one allows."""
    name, version = re.match(r"([^>=<]+)>=([\d.]+)", line).groups()  # type: ignore[union-attr]
    return f"{name}=={version}"


def all_of_them() -> list[str]:
    users = [
        *PROJECT["dependencies"],
        *(line for extra in OF_USERS for line in PROJECT["optional-dependencies"][extra]),
    ]
    held = {line.partition(">=")[0]: lowest(line) for line in users if ">=" in line}
    others = [line for line in (*users, *group("test")) if _name(line) not in held]
    return [*held.values(), *others]


def _name(line: str) -> str:
    return re.split("[><=]", line)[0]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in all_of_them()))
