"""The engine on an NVIDIA GPU.

::

    machine.py   the device interface: memory and work queues
    cuda.py      the interface implemented with CuPy; backend ``cuda``
    patterns.py  patterns for look-up on a device, learnt on the host
    launches.py  launches that count
    scoring.py   score rows on a device
    labels.py    count batches of label ids on a device
    sources.py   paths of the CUDA sources
"""
