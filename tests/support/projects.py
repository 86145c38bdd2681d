"""One annotation as every tool exports it, written after the tools' own documentation.

A document is a text of lines, with spans (label, start, stop in characters) and links between
these; white space separates its words, so that every tool has the same tokens.
"""

from __future__ import annotations

import io
import json
import re
from typing import NamedTuple

from tests.support import cas
from tests.support.zips import packed

SPAN, LINK = "webanno.custom.CauseEffectSignal", "webanno.custom.CausalLabel"
SEGMENT = "de.tudarmstadt.ukp.dkpro.core.api.segmentation.type."


class Marked(NamedTuple):
    """A document that an annotator marked."""

    text: str
    spans: tuple[tuple[str, int, int], ...]
    links: tuple[tuple[int, int], ...]

    @property
    def lines(self):
        ends = [match.end() for match in re.finditer("$", self.text, re.MULTILINE)]
        return list(zip([0, *(end + 1 for end in ends)], ends, strict=False))

    @property
    def tokens(self):
        return [match.span() for match in re.finditer(r"[^ \n]+", self.text)]

    @property
    def units(self):
        return cas.units(self.text)


def brat(marked):
    spans = (
        f"T{k}\t{label} {a} {b}\t{marked.text[a:b]}\n"
        for k, (label, a, b) in enumerate(marked.spans)
    )
    links = (f"R{k}\tCauses Arg1:T{a} Arg2:T{b}\n" for k, (a, b) in enumerate(marked.links))
    return "".join([*spans, *links])


def cas_json(marked, **options):
    return json.dumps(
        cas.new_layout(
            text=marked.text, marks=marked.spans, links=marked.links, sentences=marked.lines,
            tokens=marked.tokens, **({"meta": {}} | options),
        )
    )  # fmt: skip


def _escaped(text):
    return re.sub(
        r"->|[\\\[\]|_;\t\n*]", lambda m: "\\" + {"\t": "t", "\n": "n"}.get(m[0], m[0]), text
    )


def tsv(marked, version="3.3", slots=False):
    """Stacked and long spans have numbers; a relation stands in the first line of its target."""
    at = marked.units
    slot = "|ROLE_webanno.custom.X:r_webanno.custom.XLink|uima.tcas.Annotation" if slots else ""
    out = [
        f"#FORMAT=WebAnno TSV {version}",
        f"#T_SP={SPAN}|CES|note{slot}",
        f"#T_RL={LINK}|BT_{SPAN}",
        "",
        "",
    ]
    rows = []
    for number, (start, stop) in enumerate(marked.lines, 1):
        tokens = [t for t in marked.tokens if start <= t[0] and t[1] <= stop]
        rows += [(number, k, t) for k, t in enumerate(tokens, 1)]
    covered = [[r for r in rows if a < r[2][1] and r[2][0] < b] for _, a, b in marked.spans]
    on = {r: [k for k, rs in enumerate(covered) if r in rs] for r in rows}
    numbered = {k for k, rs in enumerate(covered) if len(rs) > 1 or any(len(on[r]) > 1 for r in rs)}
    name = lambda k: f"[{k + 1}]" if k in numbered else ""  # noqa: E731
    for number, (_, stop) in enumerate(marked.lines, 1):
        mine = [row for row in rows if row[0] == number]
        if not mine:
            continue
        first = mine[0][2][0]
        out += [f"#Text={_escaped(marked.text[first:stop])}"]
        for row in mine:
            _, k, (a, b) = row
            labels = "|".join(_escaped(marked.spans[s][0]) + name(s) for s in on[row]) or "_"
            notes = "|".join("*" + name(s) for s in on[row]) or "_"
            arcs = []
            for s, t in marked.links:
                if covered[t] and covered[t][0] == row and covered[s]:
                    source = covered[s][0]
                    pair = [n + 1 if n in numbered else 0 for n in (s, t)]
                    ids = f"[{pair[0]}_{pair[1]}]" if any(pair) else ""
                    arcs.append(f"{source[0]}-{source[1]}{ids}")
            cells = [f"{number}-{k}", f"{at[a]}-{at[b]}", _escaped(marked.text[a:b]), labels, notes]
            cells += ["_", "_"] * slots + ["|".join(arcs) or "_", ""]
            out.append("\t".join(cells))
        out.append("")
    return "\n".join(out) + "\n"


TYPES = """<?xml version="1.0" encoding="UTF-8"?>
<typeSystemDescription xmlns="http://uima.apache.org/resourceSpecifier"><types>
{}</types></typeSystemDescription>
"""


def type_of(name, base, **features):
    listed = "".join(
        f"<featureDescription><name>{f}</name><description/><rangeTypeName>{r}</rangeTypeName>"
        "</featureDescription>\n"
        for f, r in features.items()
    )
    return (
        f"<typeDescription><name>{name}</name><description/><supertypeName>{base}</supertypeName>"
        f"<features>{listed}</features></typeDescription>\n"
    )


TYPE_SYSTEM = TYPES.format(
    type_of(SEGMENT + "Sentence", "uima.tcas.Annotation")
    + type_of(SEGMENT + "Token", "uima.tcas.Annotation")
    + type_of(SPAN, "uima.tcas.Annotation", CES="uima.cas.String")
    + type_of(LINK, "uima.tcas.Annotation", Governor=SPAN, Dependent=SPAN)
)


def xmi(marked):
    """Write XMI as Apache UIMA does: an element per structure, offsets in UTF-16 units."""
    from xml.sax.saxutils import quoteattr

    at = marked.units
    quoted = lambda text: quoteattr(text).replace("\n", "&#10;")  # noqa: E731
    place = lambda a, b: f'sofa="1" begin="{at[a]}" end="{at[b]}"'  # noqa: E731
    rows = [
        f'<type:Sentence xmi:id="{10 + k}" {place(*line)}/>' for k, line in enumerate(marked.lines)
    ]
    rows += [f'<type:Token xmi:id="{1000 + k}" {place(*t)}/>' for k, t in enumerate(marked.tokens)]
    rows += [
        f'<custom:CauseEffectSignal xmi:id="{5000 + k}" {place(a, b)} CES={quoted(label)}/>'
        for k, (label, a, b) in enumerate(marked.spans)
    ]
    rows += [
        f'<custom:CausalLabel xmi:id="{8000 + k}" {place(0, 0)} Governor="{5000 + a}" '
        f'Dependent="{5000 + b}"/>'
        for k, (a, b) in enumerate(marked.links)
    ]
    members = " ".join(re.findall(r'xmi:id="(\d+)"', "".join(rows)))
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" '
        f'xmlns:type="http:///{SEGMENT.replace(".", "/").rstrip("/")}.ecore" xmi:version="2.0">'
        '<cas:NULL xmi:id="0"/>' + "".join(rows)
        + '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" '
        f'sofaString={quoted(marked.text)}/><cas:View sofa="1" members="{members}"/></xmi:XMI>'
    )  # fmt: skip


def doccano(tasks):
    """Write {id: a marked text} as a line per text; span ids look like ids of a database."""
    rows = []
    for name, marked in tasks.items():
        ids = [1000 + 7 * k for k in range(len(marked.spans))]
        rows.append({
            "id": name, "text": marked.text,
            "entities": [{"id": i, "label": label, "start_offset": a, "end_offset": b}
                         for i, (label, a, b) in zip(ids, marked.spans, strict=True)],
            "relations": [{"id": k, "from_id": ids[a], "to_id": ids[b], "type": "causes"}
                          for k, (a, b) in enumerate(marked.links)],
            "Comments": [],
        })  # fmt: skip
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def prodigy(tasks, by=None):
    """Write {id: a marked text} as a line per text, its words as tokens."""
    rows = []
    for name, marked in tasks.items():
        at = {}
        for label, a, b in marked.spans:
            on = [k for k, (start, stop) in enumerate(marked.tokens) if a < stop and start < b]
            at[label, a, b] = {
                "text": marked.text[a:b], "start": a, "end": b, "token_start": on[0],
                "token_end": on[-1], "label": label,
            }  # fmt: skip
        relations = []
        for ends in marked.links:
            source, target = (at[marked.spans[k]] for k in ends)
            relations.append({
                "head": source["token_end"], "child": target["token_end"], "head_span": source,
                "child_span": target, "color": "#ffd882", "label": "causes",
            })  # fmt: skip
        rows.append({
            "text": marked.text, "_input_hash": name, "_task_hash": -1, "_is_binary": False,
            "tokens": [{"text": marked.text[a:b], "start": a, "end": b, "id": k, "ws": True}
                       for k, (a, b) in enumerate(marked.tokens)],
            "spans": [*at.values()], "relations": relations, "answer": "accept",
            **({"_annotator_id": by} if by else {}),
        })  # fmt: skip
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def label_studio(tasks, wide=True):
    """{id: {annotator: a marked text}}; ``wide``: offsets count UTF-16 units."""
    listed = []
    for name, sides in tasks.items():
        annotations = []
        for by, marked in sides.items():
            at = marked.units if wide else range(len(marked.text) + 1)
            result = [
                {"id": f"s{k}", "from_name": "label", "to_name": "text", "type": "labels",
                 "value": {"start": at[a], "end": at[b], "text": marked.text[a:b],
                           "labels": [label]}}
                for k, (label, a, b) in enumerate(marked.spans)
            ]  # fmt: skip
            result += [
                {"from_id": f"s{a}", "to_id": f"s{b}", "type": "relation", "direction": "right"}
                for a, b in marked.links
            ]
            completed = {"id": 7, "email": f"{by}@example.org"}
            annotations.append(
                {"id": 1, "completed_by": completed, "was_cancelled": False, "result": result}
            )
        text = next(iter(sides.values())).text
        listed.append(
            {"id": name, "data": {"text": text}, "annotations": annotations, "predictions": []}
        )
    return json.dumps(listed, indent=1)


def _inner(marked, user, kind):
    if kind == "xmi":
        return packed({f"{user}.xmi": xmi(marked).encode(), "TypeSystem.xml": TYPE_SYSTEM.encode()})
    return packed({f"{user}.{kind}": FILES[kind](marked).encode()})


FILES = {"json": cas_json, "tsv": tsv, "xmi": xmi}


def project(documents, kind, inner):
    """{document: {annotator: a marked text}} as a project of INCEpTION or WebAnno is exported."""
    files = {"exportedproject.json": b'{"name": "causes"}', "log/project.log": b"..."}
    for document, sides in documents.items():
        blank = next(iter(sides.values()))._replace(spans=(), links=())
        for user, marked in {**sides, "INITIAL_CAS": blank}.items():
            suffix, data = ("zip", _inner(marked, user, kind)) if inner else (
                kind, FILES[kind](marked).encode())  # fmt: skip
            files[f"annotation/{document}/{user}.{suffix}"] = data
        suffix = "zip" if inner else kind
        files[f"curation/{document}/CURATION_USER.{suffix}"] = files[
            f"annotation/{document}/{next(iter(sides))}.{suffix}"
        ]
        files[f"source/{document}"] = blank.text.encode()
    return packed(files)


def unzipped(data, folder):
    """Write the files of a zip, as users do."""
    import zipfile

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        archive.extractall(folder)
    return folder
