"""Answers of the C interface as WebAssembly: tests/capi/driver.c, run by wasmtime.

The driver prints sums of partners, so the values are without these.
"""

from __future__ import annotations

import json
import struct
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

import with_c_interface
from answering import ROLES, Case, RefusedError, Values, answer

from tests.capi import test_processors as processors
from tests.support import capi

SKIPPED = 3  # after the counts: sums of two arrays, and the relations used as they are


class Driver:
    """All cases as commands of the driver, and what it printed for each."""

    def __init__(self, cases: list[Case]) -> None:
        self.commands: list[str] = []
        for case in cases:
            answer(case, {"score": self._ask_score, "tags": self._ask_tags})
        with TemporaryDirectory() as folder:
            given = Path(folder, "commands")
            given.write_text("".join(f"{line}\n" for line in self.commands), encoding="utf-8")
            program = processors.built("wasm32-wasi", Path(folder))
            self.printed = iter(processors.run_wasm(program, given).splitlines())

    def _ask_score(self, case: Case) -> Values:
        for sides in with_c_interface.sides_of(case).values():
            sizes = [sides[0].n_examples]
            numbers: list[Any] = [sides[0].lengths]
            for rows in sides:
                sizes += [rows.n_relations, len(rows.values)]
                numbers += [rows.relation_offsets, rows.row_offsets, rows.values.ravel(), [0]]
            flat = [*sizes, *(int(n) for array in numbers for n in array)]
            line = with_c_interface.line_of(case)
            self.commands += ["rows " + " ".join(map(str, flat)), f"score 1 {line}"]
        return {}

    def _ask_tags(self, case: Case) -> Values:
        self.commands += [f"tags {with_c_interface.reading_of(case)}", case["tagged"]]
        return {}

    def score(self, case: Case) -> Values:
        protocol = capi.Protocol(with_c_interface.line_of(case))
        values: Values = {}
        for subset in with_c_interface.sides_of(case):
            words = next(self.printed).split()
            n = len(protocol.count_names)
            scores = [struct.unpack(">d", bytes.fromhex(w))[0] for w in words[n + SKIPPED :]]
            names = protocol.count_names + protocol.score_names
            for name, number in zip(names, [*map(int, words[:n]), *scores], strict=True):
                values[subset + name.replace("_", ".", 1)] = number
        return values | with_c_interface.added_up(values)

    def tags(self, case: Case) -> Values:
        with_c_interface.reading_of(case)
        length, *numbers = map(int, next(self.printed).split())
        if length < 0:
            raise RefusedError("unreadable")
        spans = [numbers[k : k + 3] for k in range(0, len(numbers), 3)]
        reads = sorted([start, stop, ROLES[role]] for role, start, stop in spans)
        return {"length": length, "reads": [[role, a, b] for a, b, role in reads]}


if __name__ == "__main__":
    asked = [json.loads(line) for line in sys.stdin]
    driver = Driver(asked)
    for case in asked:
        found = answer(case, {"score": driver.score, "tags": driver.tags}, partial=True)
        print(json.dumps(found))
