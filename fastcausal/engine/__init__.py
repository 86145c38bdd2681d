"""From rows to counts: pair gold with predicted relations and add up what the kernel finds.

::

    run.py         one call for every backend
      plain.py       backend "reference": Python loop over reference.py
      cpu.py         backend "cpu": csrc/cpu.hpp through _native.pyx
        jit.py         a user's kernel as a C function for it
      cuda.py        backend "cuda": csrc/device.cu through CuPy, driven by device.py
    label_counts.py  label ids on a device to counts there
    device_decoding.py  logits on a device to label ids or relations there, by csrc/decoding.cu
    rows.py        Relations as flat integer arrays
    kernel.py      what a kernel and an objective are
"""
