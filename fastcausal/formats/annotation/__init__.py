"""Annotation projects: spans and links become relations.

::

    links.py          documents of spans and links
    projects.py       exported zips; all documents of one annotator
    passages.py       the sentences of a document
    layers.py         layers of a CAS: the layer of Cause, Effect and Signal
    brat.py           brat standoff
    webanno.py        UIMA CAS JSON of WebAnno and INCEpTION
    webanno_tsv.py    WebAnno TSV 3
    xmi.py            UIMA CAS XMI
    tasks.py          texts with marks added one by one, for
    doccano.py        doccano, and
    label_studio.py   Label Studio
"""

from __future__ import annotations

from fastcausal.formats.reading.folders import LINE_FILES
from fastcausal.formats.reading.format import Format, late

TEXT_SUFFIX, SUFFIX = ".txt", ".ann"  # of the two files of brat
TAKES = (  # settings of reading, for every format of marked texts
    "unplaced", "links", "roles", "role", "link", "example", "lone", "trigger", "words",
)  # fmt: skip

FORMATS = (
    Format(
        "doccano",
        **late(f"{__name__}.doccano", "read", "write", "is_row", "sniff", "documents"),
        folder=LINE_FILES,
        key="relations",
        takes=TAKES,
        empty=False,
    ),
    Format(
        "prodigy",
        **late(f"{__name__}.prodigy", "read", "is_row", "documents"),
        folder=LINE_FILES,
        key="relations",
        takes=TAKES,
        empty=False,
    ),
    Format(
        "brat",
        **late(f"{__name__}.brat", "read", "write", "load", "documents"),
        suffixes=(SUFFIX,),
        folder=(SUFFIX,),
        takes=TAKES,
        empty=False,
    ),
    Format(
        "webanno",
        **late(f"{__name__}.webanno", "read", "sniff", "documents"),
        **late(f"{__name__}.cas", "write"),
        folder=(".json",),
        takes=TAKES,
        empty=False,
    ),
    Format(
        "webanno-tsv",
        **late(f"{__name__}.webanno_tsv", "read", "documents"),
        folder=(".tsv",),
        marks=(b"#FORMAT=WebAnno TSV ",),
        takes=TAKES,
        empty=False,
    ),
    Format(
        "xmi",
        **late(f"{__name__}.xmi", "read", "sniff", "documents"),
        suffixes=(".xmi",),
        folder=(".xmi",),
        takes=TAKES,
        empty=False,
    ),
    Format(
        "label-studio",
        **late(f"{__name__}.label_studio", "read", "write", "sniff", "documents"),
        folder=(".json",),
        takes=TAKES,
        empty=False,
    ),
)
