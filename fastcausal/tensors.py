"""Arrays of other libraries: where they are, and NumPy arrays on the same memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.errors import InputError

_HOST = (1, 3)  # kDLCPU, kDLCUDAHost


def on_device(value: Any) -> bool:
    """Whether an array is in the memory of a GPU.

    Examples
    --------
    >>> on_device(np.zeros(3)), on_device([0.0])
    (False, False)
    """
    if isinstance(value, np.ndarray | list | tuple):
        return False
    if hasattr(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] not in _HOST
    return hasattr(value, "__cuda_array_interface__")


def on_host(name: str, value: Any) -> npt.NDArray[Any]:
    """A NumPy array on the memory of an array of NumPy, torch or another library, or of a list.

    Copied only where NumPy has no such numbers (bfloat16) or a list has to be made an array.

    Raises
    ------
    InputError
        It is in the memory of a GPU, or no array; ``name`` is what the message calls it.

    Examples
    --------
    >>> on_host("logits", [[0.5, 1.0]])
    array([[0.5, 1. ]])
    """
    if isinstance(value, np.ndarray):
        return value
    if on_device(value):
        raise InputError(f"{name}: is on a GPU, expected an array in host memory")
    if hasattr(value, "detach"):  # torch
        value = value.detach()
        if str(value.dtype) == "torch.bfloat16":
            value = value.float()
    try:
        return np.asarray(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {error}") from error
