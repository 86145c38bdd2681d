"""Annotation projects: spans and links become relations.

::

    links.py     documents of spans and links
    brat.py      brat standoff
    webanno.py   UIMA-CAS JSON of WebAnno and INCEpTION
"""
