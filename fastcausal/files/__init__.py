"""Files: bytes to records. Nothing here knows a format of relations.

::

    packed.py zips.py   paths, URLs, streams and archives to bytes, within bounds
    files.py            bytes with the lines that messages name; files written whole or not at all
    lines.py cells.py   JSON lines and CSV cells, counted and split natively
    values.py           values of JSON, named in messages
    records.py          rows of any flat table that know their place
    parts.py            the rows of a file by annotator
    binary.py           Parquet and Arrow IPC
    schemas.py          the check of their schemas
    outputs.py          one file to write
    targets.py          files to write, kept apart from those that are read
"""
