"""The large corpus (``--sentences``): every kernel from rows, tables and files, on one and two
threads."""

from __future__ import annotations

import numpy as np
import pytest

import fastcausal as fc

from . import corpus, ours

CORPUS = "CNC"
SAMPLED = 1_000  # sentences that the reference backend counts, too


both_systems = pytest.mark.parametrize("sentences", corpus.NOISES, indirect=True)


@both_systems
@pytest.mark.parametrize("name", ["recess", "cnc-2023", *ours.KERNELS])
@pytest.mark.parametrize("num_threads", [1, 2])
def test_rows(race, sentences, name, num_threads):
    some = [corpus.drawn(side, np.arange(min(SAMPLED, side.n_examples))) for side in sentences]
    native, reference = (ours.counts(name, *some, backend=b) for b in ("cpu", "reference"))
    assert (native == reference).all()

    def scored(num_threads=num_threads):
        return ours.report(name, *sentences, num_threads)

    assert scored().to_dict() == scored(1).to_dict()
    others = {"1 thread": lambda: scored(1)} if num_threads > 1 else {}
    threads = "1 thread" if num_threads == 1 else f"{num_threads} threads"
    race(
        f"{name}: rows to report, {threads}",
        sentences[0].n_examples,
        scored,
        others,
        n_bytes=corpus.n_bytes(*sentences),
        n_relations=sum(side.n_relations for side in sentences),
    )


@both_systems
@pytest.mark.parametrize("name", ["recess", "cnc-2023"])
@pytest.mark.parametrize("ids", [True, False], ids=["ids", "no_ids"])
def test_relations(race, sentences, name, ids):
    gold, pred = (corpus.table_of(side, ids) for side in sentences)
    report = ours.report(name, *sentences)
    assert fc.score(gold, pred, name).scores == report.scores
    named = "with" if ids else "without"
    race(
        f"{name}: Relations {named} ids to report",
        len(gold),
        lambda: fc.score(gold, pred, name),
        {"rows to report": lambda: ours.report(name, *sentences)},
    )


@both_systems
def test_parquet(race, sentences, tmp_path):
    paths = [tmp_path / "gold.parquet", tmp_path / "pred.parquet"]
    tables = [corpus.table_of(side) for side in sentences]
    for path, table in zip(paths, tables, strict=True):
        fc.write(table, path)
    assert fc.score(*paths).scores == fc.score(*tables).scores
    race(
        "recess: Parquet files to report",
        len(tables[0]),
        lambda: fc.score(*paths),
        {"Relations to report": lambda: fc.score(*tables)},
    )
