"""From logits to label ids to rows.

::

    tags.py            label ids and logits of a tagger
    spans.py           logits of span boundaries
    device.py          both on a device, by csrc/device/decoding.cu
    label_paths.py     the best path of labels in plain Python
    span_selection.py  the beam search over spans in plain Python
"""
