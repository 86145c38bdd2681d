"""Memory of Arrow, NumPy, torch and CuPy, without copies.

::

    arrow.py      NumPy arrays on the memory of Arrow arrays, and back
    tensors.py    arrays of torch, CuPy and others: host or device, NumPy arrays on the same memory
    kept.py       values derived from an object once, by typed keys
    letters.py    Python's properties of letters, for native code
    distinct.py   the distinct rows of a table of numbers, with _distinct.pyx
    _spans.pyx    checks and passes over flat arrays of spans
    _ids.pyx      repeated ids, equal ids on both sides
    _objects.pyx  example dicts to flat arrays
"""
