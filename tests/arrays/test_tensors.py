"""Arrays of other libraries: memory on the host is shared, memory elsewhere is refused."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

import fastcausal as fc
from fastcausal.arrays.tensors import is_on_device, view_on_host

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.slow  # imports PyTorch


def test_memory_is_shared():
    tensor = torch.arange(6.0, requires_grad=True).reshape(2, 3)
    array = view_on_host("x", tensor)
    assert array.ctypes.data == tensor.data_ptr()
    assert view_on_host("x", array) is array
    assert not is_on_device(tensor)


def test_bfloat16_is_widened():
    tensor = torch.tensor([1.0, -3.5, torch.inf], dtype=torch.bfloat16)
    assert view_on_host("x", tensor).tolist() == [1.0, -3.5, np.inf]


def test_what_is_refused():
    for device in (
        SimpleNamespace(__dlpack_device__=lambda: (2, 0)),
        SimpleNamespace(__cuda_array_interface__={}),
    ):
        assert is_on_device(device)
        with pytest.raises(fc.InputError, match="x: is on a GPU, expected an array in host memory"):
            view_on_host("x", device)
    with pytest.raises(fc.InputError, match="x cannot be read"):
        view_on_host("x", [[1], [1, 2]])


def special_tensors():
    """Tensors of ratings with a gradient, a negative bit, 16 bits; and two without numbers."""
    ratings = torch.tensor([[1.0, 1.0], [2.0, 2.0], [1.0, 2.0]])
    return {
        "gradient": ratings.clone().requires_grad_(),
        "negative": torch.conj(torch.complex(ratings, -ratings)).imag,
        "bfloat16": ratings.bfloat16(),
        "meta": ratings.to("meta"),
        "sparse": ratings.to_sparse(),
    }


@pytest.mark.parametrize("kind", special_tensors())
def test_special_tensors_are_read_or_refused(kind):
    tensor = special_tensors()[kind]
    a, b = tensor.T if kind != "sparse" else (tensor, tensor)
    for measure in (
        lambda: fc.krippendorff_alpha(tensor),
        lambda: fc.krippendorff_alpha([*tensor]),
        lambda: fc.cohen_kappa(a, b) / 0.9,
        lambda: fc.classify(a.long(), b.long())["overall"].accuracy * 2 / 3,
    ):
        if kind in ("meta", "sparse"):
            with pytest.raises(fc.InputError, match="cannot be read"):
                measure()
        else:
            assert measure() == pytest.approx(4 / 9)
