"""From rows to counts: pair gold with predicted relations and sum the kernel's counts.

::

    kernel.py      a kernel and an objective
    kernel_checks.py  what a kernel says of itself, tried on a sample of pairs
    plan.py        a protocol made ready for rows; what a run is given and gives back
    run.py         one call for every backend
    cpu.py         backend "cpu": csrc/cpu.hpp through _native.pyx
    jit.py         a user's kernel as a C function for it; ordinal.py: an ordinal one in Python
    reference/     backend "reference": the specification in plain Python
    device/        backend "cuda": csrc/device/ through CuPy
"""
