"""From rows to counts: pair gold with predicted relations and sum the kernel's counts.

::

    kernel.py         a kernel and an objective
    kernel_checks.py  a kernel's promises, tested on a sample of pairs
    plan.py           a protocol compiled for rows; groups of examples; the result of a run
    run.py            one call for every backend
    cpu.py            backend "cpu": csrc/engine/cpu.hpp through _native.pyx
    jit.py            a user's kernel as a C function for it; ordinal.py: an ordinal one in Python
    reference/        backend "reference": the specification in plain Python
    device/           backend "cuda": csrc/device/ through CuPy
"""
