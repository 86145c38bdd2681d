"""Reading: the shared parts of all readers and writers of relations.

::

    format.py    the declaration of a format; a file of known format
    opening.py   a path opened once, and its format
    folders.py   all files of a directory
    builder.py   examples added one by one; groups.py joins rows of one example
    batches.py   examples of a source batch by batch; streams.py of files one after another
    sources.py   types of sources
"""
