"""One small document as UIMA CAS JSON, in both layouts."""

from __future__ import annotations

import json

TEXT = "Heavy rain caused floods .\r\nThey fled because of the floods ."
SENTENCES = [(0, 26), (28, 61)]
# Marks: a label, and the text that it marks.
MARKS = [("Cause", "Heavy rain"), ("Signal", "caused"), ("Effect", "floods"),
         ("Effect", "They fled"), ("Cause", "the floods"), ("Signal", "because of")]  # fmt: skip
LINKS = [(0, 2), (1, 2), (4, 3), (5, 3)]
META = {"documentTitle": "d.txt", "documentId": "ann"}
SEGMENT = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."


def located(marks=MARKS, text=TEXT):
    """(label, start, stop) of texts."""
    return [(label, text.index(t), text.index(t) + len(t)) for label, t in marks]


def units(text):
    """The UTF-16 position of each character."""
    return [len(text[:k].encode("utf-16-le")) // 2 for k in range(len(text) + 1)]


def structures(
    marks=None, links=LINKS, text=TEXT, sentences=SENTENCES, tokens=(), meta=META,
    span="webanno.custom.CauseEffectSignal", feature="CES", link="webanno.custom.CausalLabel",
):  # fmt: skip
    """(id, type, features) of a document; ids of marks start at 100, references are ``@id``."""
    at = units(text)
    found = [(k, f"{SEGMENT}Sentence", a, b, {}) for k, (a, b) in enumerate(sentences, 10)]
    found += [(k, f"{SEGMENT}Token", a, b, {}) for k, (a, b) in enumerate(tokens, 40)]
    for k, (label, a, b) in enumerate(located() if marks is None else marks, 100):
        found.append((k, span, a, b, {} if label is None else {feature: label}))
    for k, ends in enumerate(links, 200):
        refs = zip(("Governor", "Dependent"), ends, strict=True)
        found.append((k, link, 0, 1, {name: f"@{100 + m}" for name, m in refs if m is not None}))
    if meta:
        type = "de.tudarmstadt.ukp.dkpro.core.api.metadata.type.DocumentMetaData"
        found.append((3, type, 0, len(text), meta))
    return [(k, type, {"begin": at[a], "end": at[b], **v}) for k, type, a, b, v in found]


def new_layout(text=TEXT, mark="", **options):
    listed = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": text}]
    for k, type, values in structures(text=text, **options):
        item = {"%ID": k, "%TYPE": type, "@sofa": 1}
        for name, value in values.items():
            if isinstance(value, str) and value[:1] == "@":
                item["@" + name] = int(value[1:])
            else:
                item[mark * (name in ("begin", "end")) + name] = value
        listed.append(item)
    members = [item["%ID"] for item in listed[1:]]
    views = {"_InitialView": {"%SOFA": 1, "%MEMBERS": members}}
    return {"%TYPES": {}, "%FEATURE_STRUCTURES": listed, "%VIEWS": views}


def old_layout(text=TEXT, **options):
    """Return a document in the old layout, without zeros and with referenced structures shared."""
    shared = {"12": {"_type": "Sofa", "sofaID": "_InitialView", "sofaString": text}}
    view, types = {}, {}
    found = structures(text=text, **options)
    wanted = {v for *_, values in found for v in values.values() if isinstance(v, str)}
    for k, type, values in found:
        item = {"sofa": 12}
        for name, value in values.items():
            if isinstance(value, str) and value[:1] == "@":
                item[name] = int(value[1:])
            elif value != 0:
                item[name] = value
        short = type.rpartition(".")[2]
        types[short] = {"_id": type}
        if f"@{k}" in wanted:
            shared[str(k)] = {"_type": short, **item}
        view.setdefault(short, []).append(k if f"@{k}" in wanted else item)
    return {
        "_context": {"_types": types},
        "_views": {"_InitialView": view},
        "_referenced_fss": shared,
    }


LAYOUTS = {"new": new_layout, "old": old_layout}


def save(folder, data, name="x.json", **options):
    path = folder / name
    path.write_text(json.dumps(data, **options))
    return path
