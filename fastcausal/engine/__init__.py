"""From rows to counts: pair gold with predicted relations and sum the kernel's counts.

::

    kernel.py      a kernel and an objective
    plan.py        a protocol compiled for rows; groups and results of a run
    run.py         one call for every backend
    cpu.py         backend "cpu": csrc/cpu.hpp through _native.pyx
    jit.py         a user's kernel as a C function, compiled by numba
    reference/     backend "reference": the specification in plain Python
    device/        backend "cuda": csrc/device.cu through CuPy
"""
