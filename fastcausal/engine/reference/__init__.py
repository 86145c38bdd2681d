"""The specification of the engine in plain Python, and backend ``reference``.

::

    spans.py        spans as rows
    fair_spans.py   the kernel of many steps
    kernels.py      the other kernels, and the list of all
    pairing.py      the best pairing of relations
    driver.py       the loop over examples
"""
