"""``fastcausal doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastcausal.cli.console import print_json
from fastcausal.cli.tables import TABLES, TableOptions

if TYPE_CHECKING:
    from fastcausal.report.grid import Grid

# Libraries that fastcausal.training works with, and their extras.
TRAINING = {"torch": "torch", "torchmetrics": "torch", "transformers": "hf", "evaluate": "hf"}


def doctor(tables: TableOptions = TABLES) -> None:
    """Print installed versions and hardware; exit status 0 even if parts are missing.

    Examples
    --------
    fastcausal doctor --json
    """
    report = facts()
    if tables.format == "json":
        print_json(report)
    else:
        tables.show_grids([facts_grid(report)])


def facts() -> dict[str, Any]:
    """Return versions, build flags of native code, cores, and the GPU; null if missing."""
    import os
    import platform

    from fastcausal._version import __version__
    from fastcausal.engine._native import build_info
    from fastcausal.engine.device import cuda

    usable = getattr(os, "sched_getaffinity", None)
    return {
        "fastcausal": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "native": build_info(),
        "cores": {
            "machine": os.cpu_count(),
            "usable": len(usable(0)) if usable else os.cpu_count(),
        },
        "numpy": _version("numpy"),
        "pyarrow": _version("pyarrow"),
        "numba": _version("numba"),
        "training": {name: _version(name) for name in TRAINING},
        "cuda": cuda.facts(),
    }


def _version(package: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _install(extra: str) -> str:
    return f"not installed: pip install 'fastcausal[{extra}]'"


def facts_grid(report: dict[str, Any]) -> Grid:
    """Make a row per fact, except for missing facts."""
    from fastcausal.report.grid import Grid

    native, cores, cuda = report["native"], report["cores"], report["cuda"]
    abi = ", limited API" if native["limited_api"] else ""
    device = cuda["device"]
    rows = {
        "fastcausal": f"{report['fastcausal']} on Python {report['python']}, {report['system']}",
        "native code": f"{native['compiler']}, {native['instructions']}{abi}",
        "": native["flags"],
        "cores": f"{cores['usable']} of {cores['machine']}",
        "NumPy": report["numpy"],
        "pyarrow": report["pyarrow"],
        "numba": report["numba"] or _install("jit"),
        **{name: report["training"][name] or _install(extra) for name, extra in TRAINING.items()},
        "CuPy": cuda["cupy"] or "not installed",
        "CUDA": _cuda_text(cuda),
        "device": device and _device_text(device),
        "backends": "cpu, reference" + (", cuda" if device else ""),
        "missing": cuda["missing"],
    }
    grid = Grid("", [""], text=True)
    for name, value in rows.items():
        if value:
            grid.add(name, value)
    return grid


def _cuda_text(cuda: dict[str, Any]) -> str | None:
    if not cuda["cupy"]:
        return None
    return f"{cuda['runtime']}, driver for {cuda['driver'] or 'none'}"


def _device_text(device: dict[str, Any]) -> str:
    return (
        f"{device['name']}, compute capability {device['capability']}, "
        f"{device['multiprocessors']} multiprocessors, {device['memory'] / 2**30:.0f} GiB"
    )
