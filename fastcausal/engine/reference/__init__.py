"""The specification of the engine in plain Python, and backend ``reference``.

::

    kernels.py   the kernels
    pairing.py   the best pairing of relations
    driver.py    the loop over examples
"""
