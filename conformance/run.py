"""Run the conformance cases against a program that reads and writes JSON lines.

::

    python conformance/run.py -- PROGRAM ARGUMENT ...

The program gets one line for each case, without the answer, and prints one line for each, in the
same order. README.md describes both. Exit status: 0 if every answer is right, 1 if one is wrong, 2
if the cases or the answers cannot be read. It needs Python's standard library alone.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

CASES = Path(__file__).parent / "cases"
HIDDEN = ("expect", "rule", "why")  # a program does not get these
FRACTION = re.compile(r"-?\d+(/[1-9]\d*)?")
CLOSE = 1e-12  # a score may be a float
VERSION = "1"  # of the format; another one is refused


class UnusableError(Exception):
    """Cases or answers that cannot be read."""


def load(paths: list[Path]) -> list[dict[str, Any]]:
    """Read the cases of files and folders."""
    files = [file for path in paths for file in (sorted(path.glob("*.json")) or [path])]
    cases: list[dict[str, Any]] = []
    for file in files:
        try:
            content = json.loads(file.read_text(encoding="utf-8"))
            version, found = content["version"], content["cases"]
            cases += [{"task": content["task"], **case} for case in found]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnusableError(f"{file}: no file of cases: {error!r}") from error
        if version.partition(".")[0] != VERSION:
            raise UnusableError(f"{file}: version {version}, expected {VERSION}.x")
    if not cases:
        raise UnusableError(f"{', '.join(map(str, paths))}: no cases")
    return cases


def ask(cases: list[dict[str, Any]], program: list[str], timeout: float) -> list[dict[str, Any]]:
    """Give all cases to a program and read its answers."""
    asked = [{name: case[name] for name in case if name not in HIDDEN} for case in cases]
    lines = "".join(json.dumps(case) + "\n" for case in asked)
    try:
        done = subprocess.run(
            program, input=lines, stdout=subprocess.PIPE, timeout=timeout, check=False,
            encoding="utf-8",
        )  # fmt: skip
        answers = [json.loads(line) for line in done.stdout.splitlines()]
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        raise UnusableError(f"{program[0]}: {error}") from error
    ids = [answer.get("id") if isinstance(answer, dict) else None for answer in answers]
    for k, case in enumerate(cases):
        if k >= len(ids) or ids[k] != case["id"]:
            got = repr(ids[k]) if k < len(ids) else f"no line, exit status {done.returncode}"
            raise UnusableError(f"{program[0]}: answer {k + 1}: {got}, expected {case['id']!r}")
    return answers


def equal(expected: Any, got: Any) -> bool:
    """Compare one value; a fraction may come as a float."""
    if isinstance(expected, str) and FRACTION.fullmatch(expected):
        number = Fraction(expected)
        if isinstance(got, str):
            return bool(FRACTION.fullmatch(got)) and Fraction(got) == number
        is_number = isinstance(got, int | float) and not isinstance(got, bool)
        return is_number and abs(got - float(number)) <= CLOSE
    return bool(expected == got) and isinstance(expected, bool) == isinstance(got, bool)


def judge(case: dict[str, Any], answer: dict[str, Any]) -> list[str] | None:
    """Return what is wrong with an answer; None if the program has none of the values."""
    if "unknown" in answer:
        return None
    if case["expect"] == "refused" or "refused" in answer:
        if case["expect"] == "refused" and "refused" in answer:
            return []
        got = f"refused: {answer['refused']}" if "refused" in answer else answer.get("values")
        return [f"expected {shown(case['expect'])}, got {shown(got)}"]
    values = answer.get("values", {})
    names = [n for n in case["expect"] if n in values or not answer.get("partial")]
    if not names:
        return None
    return [
        f"{name}: expected {shown(case['expect'][name])}, got {shown(values.get(name, 'nothing'))}"
        for name in names
        if name not in values or not equal(case["expect"][name], values[name])
    ]


def shown(value: Any) -> str:
    return json.dumps(value) if isinstance(value, dict | list | bool | None) else str(value)


def report(cases: list[dict[str, Any]], answers: list[dict[str, Any]]) -> dict[str, Any]:
    """Count passed, failed and unknown cases of each rule."""
    rules: dict[str, dict[str, int]] = {}
    results = []
    for case, answer in zip(cases, answers, strict=True):
        faults = judge(case, answer)
        state = "unknown" if faults is None else "failed" if faults else "passed"
        rule = rules.setdefault(case["rule"], {"passed": 0, "failed": 0, "unknown": 0})
        rule[state] += 1
        results.append({"id": case["id"], "rule": case["rule"], "state": state, "faults": faults})
    states = [result["state"] for result in results]
    total = {state: states.count(state) for state in ("passed", "failed", "unknown")}
    return {"total": total, "rules": rules, "cases": results}


def print_report(found: dict[str, Any]) -> None:
    for rule, counts in found["rules"].items():
        print(f"{rule:48} " + "  ".join(f"{n} {s}" for s, n in counts.items() if n))
        for case in found["cases"]:
            if case["rule"] == rule and case["faults"]:
                print("".join(f"    {case['id']}: {fault}\n" for fault in case["faults"]), end="")
    print(", ".join(f"{n} {state}" for state, n in found["total"].items()))


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Run the conformance cases against a program.")
    parser.add_argument("--cases", nargs="+", type=Path, default=[CASES], metavar="PATH")
    parser.add_argument("--complete", action="store_true", help="an unknown rule is a failure")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--timeout", type=float, default=600, metavar="SECONDS")
    parser.add_argument("program", nargs="+", help="after --: the program and its arguments")
    options = parser.parse_args(arguments)
    try:
        cases = load(options.cases)
        found = report(cases, ask(cases, options.program, options.timeout))
    except UnusableError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(found, indent=1))
    else:
        print_report(found)
    total = found["total"]
    wrong = total["failed"] + (total["unknown"] if options.complete else 0)
    return 1 if wrong or not total["passed"] else 0


if __name__ == "__main__":
    sys.exit(main())
