"""The folder of a sweep: each file appears complete or not at all; equal input, equal bytes.

::

    sweep.json               the settings of all runs; another sweep is refused
    runs/NAME.parquet        the statistics of a run; a changed byte makes the file invalid
    failed/NAME.json         the error of a run that could not be scored
    scores.parquet           the scores of all runs
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from fastcausal.counts.files import metadata_of
from fastcausal.counts.seals import Written
from fastcausal.counts.statistics import Statistics
from fastcausal.errors import InputError, OutputError
from fastcausal.files.files import Source, replacing
from fastcausal.files.packed import only_files
from fastcausal.files.schemas import require_version
from fastcausal.sweeps.runs import file_name, run_name

if TYPE_CHECKING:
    from fastcausal.sweeps.scoring import Scoring

VERSION = 1
ABOUT = "sweep.json"
SCORES = "scores.parquet"
KEY = b"fastcausal.run"  # in the metadata of a run's file
OPEN = "0" * 32  # the seal while the digest is computed
_SEALED = re.compile(rb'\{"pred": "([0-9a-f]{32})", "seal": "([0-9a-f]{32})"\}')


class Folder:
    """The folder of a sweep at work."""

    def __init__(self, path: str | os.PathLike[str], about: Mapping[str, Any]) -> None:
        self.path: Path = Path(path)
        self._about = {"sweep": VERSION, **about}

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Create the folder, or continue in it; other shards may be working in it."""
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with _lock(self.path):
                if not self._is_there():
                    _write(self.path / ABOUT, _json(self._about))
                for name in ("runs", "failed"):
                    (self.path / name).mkdir(exist_ok=True)
                yield
        except OSError as error:
            raise OutputError(f"{self.path}: {error.strerror or error}") from error

    def load_run(self, run: str, pred: str) -> Statistics | None:
        """Load the statistics of a run; return None if missing or of other predictions."""
        kept = _load(self._counts(run))
        if kept is None or kept[0] != pred:
            return None
        self._failure(run).unlink(missing_ok=True)
        return kept[1]

    def keep(self, run: str, pred: str, statistics: Statistics) -> None:
        """Write the statistics of a run, with the digest of its predictions."""
        _write(self._counts(run), _seal(statistics, pred))
        self._failure(run).unlink(missing_ok=True)

    def set_aside(self, run: str, error: str) -> None:
        """Write the error of a run that could not be scored."""
        _write(self._failure(run), _json({"run": run, "error": error}))
        self._counts(run).unlink(missing_ok=True)

    def write_scores(
        self,
        every: Sequence[str],  # the runs of all shards
        sums: Mapping[str, Any],  # of runs already in memory
        scoring: Scoring,
    ) -> None:
        """Write the scores of all finished runs, once every shard is done."""
        if not all(self._counts(run).exists() or self._failure(run).exists() for run in every):
            return
        made: dict[tuple[str, int, int], Any] = {}
        before = None
        while (now := self._runs()) != before:  # another shard may have written in the meantime
            for stamp in [stamp for stamp in now if stamp not in made]:
                run = stamp[0]
                if run in sums:
                    made[stamp] = sums[run]
                elif (kept := _load(self._counts(run))) is not None:
                    made[stamp] = scoring.sums_of(kept[1])
            table = scoring.table_of({stamp[0]: made[stamp] for stamp in now if stamp in made})
            _write(self.path / SCORES, _parquet(table))
            before = now

    def _runs(self) -> list[tuple[str, int, int]]:
        """Return the finished runs, with size and time of their files to detect changes."""
        stamps = []
        for run, file in sorted(counts_of_runs(self.path).items()):
            with suppress(FileNotFoundError):  # another shard failed on this run
                status = file.stat()
                stamps.append((run, status.st_ino, status.st_mtime_ns))
        return stamps

    def _counts(self, run: str) -> Path:
        return self.path / "runs" / f"{file_name(run)}.parquet"

    def _failure(self, run: str) -> Path:
        return self.path / "failed" / f"{file_name(run)}.json"

    def _is_there(self) -> bool:
        """Return True if this sweep was started in the folder; refuse any other content."""
        names = {entry.name for entry in self.path.iterdir() if not entry.name.startswith(".")}
        if ABOUT not in names:
            if names:
                raise InputError(
                    f"{self.path} holds something else ({min(names)}), expected a new folder "
                    "or that of a sweep"
                )
            return False
        written = about_of(self.path)
        expected = json.loads(_json(self._about))
        for key in expected | written:
            if written.get(key) != (value := expected.get(key)):
                raise InputError(
                    f"{self.path}: its sweep has the {key} {json.dumps(written.get(key))}, "
                    f"expected {json.dumps(value)} or another folder"
                )
        return True


def about_of(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the settings of a sweep from its folder; raise InputError for other folders."""
    path = Path(folder, ABOUT)
    try:
        about = json.loads(Source.open(path).data)
    except ValueError as error:
        raise InputError(f"{path}: cannot be read as that of a sweep: {error}") from error
    if not isinstance(about, dict) or "sweep" not in about:
        raise InputError(f"{path}: not the settings of a sweep")
    require_version(about["sweep"], VERSION, str(path), "sweep")
    return about


def counts_of_runs(folder: str | os.PathLike[str]) -> dict[str, Path]:
    """Return the file of statistics of each run in the folder of a sweep."""
    files = only_files(sorted(Path(folder, "runs").glob("[!.]*.parquet")))
    return {run_name(file.stem): file for file in files}


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    """Share a lock on a folder; the first holder removes leftovers of killed processes."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # another process holds it, or folders cannot be locked
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for partial in folder.rglob(".*.partial"):
                partial.unlink()
        with suppress(OSError):
            fcntl.flock(handle, fcntl.LOCK_SH)
        yield
    finally:
        os.close(handle)


def _load(path: Path) -> tuple[str, Statistics] | None:
    """Return the digest of the predictions and the statistics of a run; None if damaged."""
    try:
        pred = _unseal(Source.open(path).data)
        return None if pred is None else (pred, Statistics.read(path))
    except InputError:
        return None


def _seal(statistics: Statistics, pred: str) -> bytes:
    """Return a Parquet file that contains the digest of its own bytes."""
    seal = json.dumps({"pred": pred, "seal": OPEN}).encode()
    table = statistics.table()
    about = statistics.about(Written.seal(statistics.formula, table))
    data = _parquet(table, {**metadata_of(about), KEY: seal})
    return data.replace(seal, seal.replace(OPEN.encode(), _digest(data)))


def _unseal(data: bytes) -> str | None:
    """Return the digest of the predictions; None if any byte was changed."""
    for match in _SEALED.finditer(data):
        pred, digest = match.groups()
        seal = match[0]
        if _digest(data.replace(seal, seal.replace(digest, OPEN.encode()))) == digest:
            return pred.decode()
    return None


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).hexdigest().encode()


def _parquet(table: pa.Table, metadata: Mapping[bytes, bytes] | None = None) -> bytes:
    """Return a Parquet file: of many small columns the quickest, in docs/decisions/sweeps.md."""
    file = io.BytesIO()
    with pq.ParquetWriter(
        file, table.schema, use_dictionary=False, write_statistics=False, store_schema=False
    ) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata(metadata or {})
    return file.getvalue()


def _json(value: Mapping[str, Any]) -> bytes:
    return (json.dumps(value, indent=2) + "\n").encode()


def _write(path: Path, data: bytes) -> None:
    with replacing(path) as file:
        file.write(data)
