"""One core everywhere: other processors give the counts, partners, scores and readings of this one.

Zig compiles the driver; qemu and wasmtime run it. For each target it first compiles a C++ library
of its own: a minute of processor time. So two that differ from this machine in most ways are tried:
char without sign, fused multiplication and Neon; 32 bits without threads and exceptions.
``FASTCAUSAL_PROCESSORS=all`` adds the others, one of them with the highest byte first.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import suppress
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import fastcausal as fc
from bench import corpus
from fastcausal import sample
from fastcausal.engine.device.sources import csrc
from fastcausal.engine.reference.kernels import KERNELS
from fastcausal.formats.cnc.markup import parse
from fastcausal.rows import Rows
from tests.support import capi
from tests.support.strategies import random_side, rows_of

pytestmark = pytest.mark.slow  # whole programs are built for other processors
DRIVER = Path(__file__).with_name("driver.c")
FLAGS = ("-O2", "-ffp-contract=off", f"-I{csrc()}", f"-I{csrc() / 'include'}")
QEMU = {  # the program that runs a target's programs; none for this machine
    "aarch64-linux-musl": "qemu-aarch64",
    "wasm32-wasi": "wasmtime",
    "riscv64-linux-musl": "qemu-riscv64",
    "s390x-linux-musl": "qemu-s390x",
    "x86_64-linux-musl": None,
}
ALWAYS = ("aarch64-linux-musl", "wasm32-wasi")
PROTOCOLS = (
    *(each for name, each in fc.PROTOCOLS.items() if name != "depths"),  # Python's alone
    *(fc.Protocol(f"of-{name}", name) for name in KERNELS),
)
READINGS = ("strict", "cnc-2023", "cnc-2022")
ODD = 2 * 0x9E3779B97F4A7C15  # weights of neighbouring places differ by so much


def data() -> dict[str, tuple[Rows, Rows]]:
    """Frozen cases and drawn sentences, as if without tags."""
    rng = np.random.default_rng(0)
    cases = {
        name: tuple(Rows(*side.arrays(), side.lengths) for side in map(Rows.of, both))
        for name, both in corpus.cases().items()
    }
    crowded = tuple(rows_of(random_side(rng, 300, 8)) for _ in range(2))
    return cases | {"drawn": corpus.sentences(20_000), "crowded": crowded}


def tagged() -> list[str]:
    """Sentences of the sample with tags, and the same cut and glued, which breaks their tags."""
    sentences = [s for of in fc.read(sample.GOLD).table["tagged"].to_pylist() for s in of or ()]
    return [*sentences, *(a[3:-4] + b[2:] for a, b in pairwise(sentences))]


def is_scored(protocol: fc.Protocol, gold: Rows) -> bool:
    """cnc-2022 tries every order of the relations of an example: of few."""
    return protocol.average == "counts" or np.diff(gold.relation_offsets).max() < 7


def commands() -> str:
    lines = []
    for gold, pred in data().values():
        sizes = [gold.n_examples]
        for side in (gold, pred):
            sizes += [side.n_relations, len(side.values)]
        numbers = [np.array(sizes), gold.lengths]
        for rows in (gold, pred):
            numbers += [rows.relation_offsets, rows.row_offsets, rows.values.ravel(), np.zeros(1)]
        flat = np.concatenate(numbers).astype(np.int64).tolist()
        lines.append("rows " + " ".join(map(str, flat)))
        lines += [f"score 2 {protocol}" for protocol in PROTOCOLS if is_scored(protocol, gold)]
    lines += [f"tags {reading}\n{text}" for text in tagged() for reading in READINGS]
    return "\n".join(lines) + "\n"


def weighted_sum(values: np.ndarray) -> str:
    places = np.arange(values.size, dtype=np.uint64)
    weights = places * np.uint64(ODD % 2**64) + np.uint64(ODD // 2)
    return f"{int((values.ravel().view(np.uint64) * weights).sum(dtype=np.uint64)):016x}"


def printed(protocol: fc.Protocol, gold: Rows, pred: Rows) -> str:
    counts, per_example, partner, scores, as_given = capi.expected(protocol, gold, pred).values()
    bits = [f"{word:016x}" for word in scores.view(np.uint64).tolist()]
    sums = [weighted_sum(array) for array in (per_example, partner)]
    return " ".join([*map(str, counts.tolist()), *sums, str(as_given[0]), *bits])


def read(text: str, reading: str) -> str:
    try:
        n_tokens, spans = parse(text, reading)
    except ValueError:
        return "-1"
    in_order = sorted(spans, key=lambda span: (*span[1:], span[0]))
    return " ".join(map(str, [n_tokens, *(number for span in in_order for number in span)]))


@pytest.fixture(scope="module")
def expected() -> list[str]:
    scores = [
        printed(protocol, *both)
        for both in data().values() for protocol in PROTOCOLS if is_scored(protocol, both[0])
    ]  # fmt: skip
    return scores + [read(text, reading) for text in tagged() for reading in READINGS]


def built(target: str, folder: Path) -> Path:
    wasm = target.startswith("wasm")
    program, driver = folder / "driver", folder / "driver.o"
    zig = (sys.executable, "-m", "ziglang")
    only = ("-fno-exceptions",) if wasm else ("-static",)
    for command in (
        (*zig, "cc", "-target", target, "-std=c11", *FLAGS, "-c", DRIVER, "-o", driver),
        (
            *zig,
            "c++",
            "-target",
            target,
            "-std=c++17",
            *FLAGS,
            *only,
            capi.SOURCE,
            driver,
            "-o",
            program,
        ),
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    return program


def run_wasm(program: Path, given: Path) -> str:
    import wasmtime

    engine = wasmtime.Engine()
    store, linker = wasmtime.Store(engine), wasmtime.Linker(engine)
    linker.define_wasi()
    wasi = wasmtime.WasiConfig()
    wasi.stdin_file = given
    wasi.stdout_file = given.with_name("printed")
    store.set_wasi(wasi)
    module = wasmtime.Module.from_file(engine, str(program))
    start = linker.instantiate(store, module).exports(store)["_start"]
    with suppress(wasmtime.ExitTrap):  # the end of a program
        start(store)
    return given.with_name("printed").read_text()


@pytest.mark.parametrize("target", QEMU)
def test_a_processor_gives_the_same(target, expected, tmp_path):
    runner = QEMU[target]
    if target not in ALWAYS and os.environ.get("FASTCAUSAL_PROCESSORS") != "all":
        pytest.skip("FASTCAUSAL_PROCESSORS is not all")
    if find_spec("ziglang") is None:
        pytest.skip("no ziglang, which compiles for other processors")
    if runner == "wasmtime" and find_spec("wasmtime") is None:
        pytest.skip("no wasmtime, which runs WebAssembly")
    if runner not in (None, "wasmtime") and shutil.which(runner) is None:
        pytest.skip(f"no {runner}, which runs programs of {target}")
    program, given = built(target, tmp_path), tmp_path / "commands"
    given.write_text(commands(), encoding="utf-8")
    if runner == "wasmtime":
        found = run_wasm(program, given)
    else:
        command = [program] if runner is None else [runner, program]
        with given.open() as stdin:
            done = subprocess.run(command, stdin=stdin, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        found = done.stdout
    assert found.splitlines() == expected
