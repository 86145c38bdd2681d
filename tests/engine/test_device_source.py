"""csrc/device/ as NVIDIA's compilers see it: no GPU, no driver, no warnings."""

from __future__ import annotations

import shutil
import subprocess
from itertools import chain

import pytest

from fastcausal.engine.device import cuda
from fastcausal.engine.device.sources import csrc, digest
from fastcausal.engine.reference.kernels import KERNELS
from tests.support import nvrtc

ENTRIES = {
    "relations.cu": ["packed", "settle", *(f"score_{kernel}" for kernel in KERNELS)],
    "labels.cu": [f"labels_{kernel}" for kernel in KERNELS],
    "decoding.cu": ["decode_labels", "decode_selections", "decode_rows"],
}


# As CuPy calls it: with a further option of its own, and to machine code.


@pytest.mark.slow
@pytest.mark.parametrize("entry", [*chain(*ENTRIES.values())])
def test_nvrtc(entry):
    options = (*cuda.options(entry), "-arch=sm_90", "--device-as-default-execution-space")
    said, binary = nvrtc.compile_text(cuda.code(entry), options)
    assert said == ""
    assert entry.encode() in binary


@pytest.mark.slow
@pytest.mark.parametrize("entry", ["packed", "labels_exact_spans", "decode_selections"])
def test_nvrtc_for_the_oldest_device(entry):
    options = (*cuda.options(entry), f"-arch=sm_{nvrtc.architectures()[0]}")
    said, binary = nvrtc.compile_text(cuda.code(entry), options)
    assert said == ""
    assert entry.encode() in binary


@pytest.mark.slow
def test_nvrtc_says_what_is_wrong():
    """NVRTC's log holds warnings, so the empty logs above mean that there were none."""
    options = cuda.options("score_exact_spans")
    said, _ = nvrtc.compile_text(
        cuda.code("score_exact_spans") + "__device__ void left() { int unused; }",
        (*options, "-arch=sm_90"),
    )
    assert 'variable "unused" was declared but never referenced' in said
    with pytest.raises(AssertionError, match="no_spans"):
        nvrtc.compile_text(cuda.code("score_no_spans"), cuda.options("score_no_spans"))


@pytest.mark.slow
@pytest.mark.parametrize("name", ENTRIES)
def test_nvcc(tmp_path, name):
    """All entries at once."""
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        pytest.skip("no nvcc")
    listed = subprocess.run([nvcc, "--list-gpu-code"], capture_output=True, text=True, check=True)
    oldest = listed.stdout.split()[0]
    target = tmp_path / "device.cubin"
    options = [option for option in cuda.options("packed") if "FC_ONLY" not in option]
    flags = [*options, "-Werror", "all-warnings", f"-arch={oldest}", "-cubin"]
    command = [nvcc, *flags, csrc() / "device" / name, "-o", target]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert all(entry.encode() in target.read_bytes() for entry in ENTRIES[name])


def test_the_digest_sees_what_is_included(tmp_path, monkeypatch):
    shutil.copytree(csrc(), tmp_path / "csrc")
    before = digest()
    monkeypatch.setattr("fastcausal.engine.device.sources.PACKAGE", tmp_path / "fastcausal")
    monkeypatch.setattr("fastcausal.engine.device.sources.csrc", csrc.__wrapped__)
    assert digest.__wrapped__() == before
    with (tmp_path / "csrc" / "fastcausal" / "config.h").open("a") as header:
        header.write("\n")
    assert digest.__wrapped__() != before
    (tmp_path / "fastcausal" / "_csrc").mkdir(parents=True)  # of an installed package
    assert csrc.__wrapped__() == tmp_path / "fastcausal" / "_csrc"
