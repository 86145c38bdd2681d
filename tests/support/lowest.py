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

PROJECT = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))[
    "project"
]
OF_USERS = ("jit", "llm", "cas")  # extras that tests of the core need, besides plots, whose
# lowest Matplotlib warns of a later pyparsing, and warnings are errors in tests


def requirements(extra: str) -> Iterator[str]:
    """Give what an extra asks for, with the extras that it names."""
    for line in PROJECT["optional-dependencies"][extra]:
        if named := re.match(r"fastcausal\[(.*)\]", line):
            for other in named[1].split(","):
                yield from requirements(other)
        else:
            yield line


def lowest(line: str) -> str:
    """Return a requirement of the lowest version that another one allows."""
    name, version = re.match(r"([^>=<]+)>=([\d.]+)", line).groups()  # type: ignore[union-attr]
    return f"{name}=={version}"


def all_of_them() -> list[str]:
    users = [
        *PROJECT["dependencies"],
        *(line for extra in OF_USERS for line in requirements(extra)),
    ]
    held = {line.partition(">=")[0]: lowest(line) for line in users if ">=" in line}
    others = [line for line in requirements("test") if re.split("[><=]", line)[0] not in held]
    return [*held.values(), *others]


if __name__ == "__main__":
    sys.stdout.write("".join(f"{line}\n" for line in all_of_them()))
