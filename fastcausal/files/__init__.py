"""Files: from bytes to records, for any format of relations.

::

    packed.py zips.py   paths, URLs, streams and archives to bytes, within bounds
    files.py            bytes with the lines for messages; files written completely or not at all
    lines.py cells.py   JSON lines and CSV cells, counted and split natively
    values.py           values of JSON, named in messages
    records.py          rows of any flat table, with their places
    columns.py          one column as keys, labels, text or numbers
    keys.py             rows of two sources joined by key; keys that repeat; numbers of names
    patterns.py         patterns of names, with fields in braces
    words.py            words that stand for a missing value
    parts.py            the rows of a file by annotator
    binary.py           Parquet and Arrow IPC
    on_disk.py          these part by part, or columns of a large Parquet file when asked for
    schemas.py          the check of their schemas
    outputs.py          one file to write
    targets.py          files to write, kept apart from sources
"""
