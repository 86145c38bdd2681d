"""The engine on an NVIDIA GPU.

::

    machine.py   the device interface: memory and work queues
    cuda.py      the interface implemented with CuPy; backend ``cuda``
    scoring.py   score rows on a device, by csrc/device.cu
    labels.py    count batches of label ids on a device
    sources.py   paths of the CUDA sources
"""
