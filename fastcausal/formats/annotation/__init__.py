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
