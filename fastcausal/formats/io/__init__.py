"""Files, batches and builders that all readers and writers share.

::

    format.py    what a format declares; a file whose format is known
    files.py     opened files with locations for messages; files written atomically
    values.py    values of JSON in messages and in files
    cells.py     cells of CSV files
    zips.py      zip archives in memory, hostile ones refused
    lines.py     JSON lines in batches
    builder.py   examples added one by one
    batches.py   examples of a source batch by batch; batches of Parquet and Arrow files
"""
