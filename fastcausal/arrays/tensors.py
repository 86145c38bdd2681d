"""Arrays of torch, CuPy and other libraries, without a copy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from fastcausal.errors import InputError

_HOST = (1, 3)  # kDLCPU, kDLCUDAHost
INTEGERS = ("int8", "int16", "int32", "int64")
LAST_WORD = np.iinfo(np.int32).max


def is_on_device(value: Any) -> bool:
    """Return True if an array is in GPU memory."""
    if type(value) in (np.ndarray, list, tuple):
        return False
    kind = getattr(getattr(value, "device", None), "type", None)
    if kind is not None:  # torch; DLPack would take 3 µs
        return bool(kind == "cuda")
    if hasattr(value, "__dlpack_device__"):
        return value.__dlpack_device__()[0] not in _HOST
    return hasattr(value, "__cuda_array_interface__")


def view_on_host(name: str, value: Any) -> npt.NDArray[Any]:
    """Return a NumPy array on the memory of a NumPy, torch or other array, or of a list."""
    # Copies only numbers that NumPy lacks (bfloat16), and lists.
    if is_on_device(value):
        raise InputError(f"{name}: is on a GPU, expected an array in host memory")
    if isinstance(value, np.ndarray):
        return value
    try:
        return np.asarray(detached(value))
    except (TypeError, ValueError, RuntimeError) as error:  # torch's are of every kind
        raise InputError(f"{name} cannot be read: {error}") from error


def detached(value: Any) -> Any:
    """Detach a torch tensor from its gradient, bfloat16 as float32; return others unchanged."""
    if not hasattr(value, "detach"):
        return value
    value = value.detach().resolve_conj().resolve_neg()
    return value.float() if str(value.dtype) == "torch.bfloat16" else value


def matrix(
    name: str, value: Any, kinds: Sequence[str], shape: tuple[int, ...] | None = None
) -> npt.NDArray[Any]:
    """Return an array [batch, tokens] in host memory: contiguous, aligned, native byte order."""
    array = view_on_host(name, value)
    check_matrix(name, array, kinds, shape)
    array = np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    return array if array.flags.aligned else array.copy()


def check_matrix(
    name: str, array: Any, kinds: Sequence[str], shape: tuple[int, ...] | None
) -> None:
    """Refuse a NumPy or CuPy array that is not [batch, tokens]; raises as `matrix` does."""
    if array.dtype.name not in kinds:
        raise InputError(f"{name}: found {array.dtype}, expected {', '.join(kinds)}")
    if array.ndim != 2:
        raise InputError(f"{name}: found the shape {array.shape}, expected [batch, tokens]")
    if shape not in (None, array.shape):
        raise InputError(f"{name}: found the shape {array.shape}, expected {shape}")


def word_numbers(value: Any, shape: tuple[int, ...] | None = None) -> npt.NDArray[np.int32]:
    """Return the word index of each token, -1 for none: int32[batch, tokens]."""
    words = matrix("word_ids", value, INTEGERS, shape)
    if words.size and not -1 <= words.min() <= words.max() < LAST_WORD:
        raise InputError(f"word_ids: found {words.min()} to {words.max()}, expected -1 or a number")
    return words.astype(np.int32, copy=False)


def misplaced_word(words: npt.NDArray[Any], example: int, token: int) -> str:
    """Return the error for a word out of order or with the largest possible number.

    >>> misplaced_word(np.array([[0, 2, -1, 1]]), 0, 3)
    'example 0, token 3: word 1 after word 2, expected in order'
    """
    line = words[example]
    before = line[:token].max(initial=-1)
    where = f"example {example}, token {token}"
    if line[token] == LAST_WORD:
        return f"{where}: word {LAST_WORD}, expected a number below"
    if line[token] >= before:
        return overwritten(where)
    return f"{where}: word {line[token]} after word {before}, expected in order"


def overwritten(where: str) -> str:
    """Report that the invalid value was overwritten before it could be reported."""
    return f"{where}: the arrays changed while they were read"
