"""Drawn projects of annotators, in the layout of each tool: texts of any script, marks, links.

Words are strings of letters without a meaning. A number determines the project.
"""

from __future__ import annotations

import json
from typing import NamedTuple
from xml.sax.saxutils import quoteattr

from tests.oracles.marks import Options, covered, cut, lines
from tests.support import projects
from tests.support.cas import units

SCRIPTS = (
    "abcdeéß", "大雨导致道路关闭水火々〇", "あめがふってアイウー", "ｱｲｳｰﾞ", "ㄅㄆㄇ",
    "ฝนตกหนักทำให้ถนนปิด",
    "ຝົນຕົກຫນັກ", "ភ្លៀងធ្លាក់ខ្លាំង", "မိုးရွာသည်", "ཆར་པ་", "वर्षासेसड़क", "مطرغزيرطريق", "ዝናብመንገድዘጋ",
    "😀🌧️👩‍👩‍👧", "e\u0301o\u0308n\u0303", "2024", "x.,;()|[]_*\\-",
)  # fmt: skip
LABELS = ("Cause", "Effect", "Signal", "cause", "EFFECT", "Cause", "Effect")
STRANGE = ("Drug", "Wirkung", "Degree", "Event")
TYPES = (None, "causes", "causes", "caused_by", "enables", "prevents", "not causal")
ARGUMENTS = ("Cause", "Cause2", "Effect", "Effect", "effect3", "Signal", "Degree", "Drug", "Means")
ROLES = (("cause", "effect", "signal", "degree"), ("degree", "effect", "cause", "signal"),
         ("cause", "effect"))  # fmt: skip
NAMED = (("causes", "cause", "effect"), ("caused_by", "effect", "cause"),
         ("Enables", "cause", "effect"))  # fmt: skip


class Drawn(NamedTuple):
    """A text with spans (label, parts), links (type, from, to, direction) and events of brat."""

    text: str
    spans: list
    links: list
    events: dict

    @property
    def arcs(self):
        """(type, source, target) of each link."""
        found = []
        for type, a, b, way in self.links:
            found += [(type, a, b)] * (way != "left") + [(type, b, a)] * (way != "right")
        return found

    @property
    def is_crossed(self):
        """Whether a span lies in two lines."""
        return any(not {*"\r\n"}.isdisjoint(self.text[p[0][0] : p[-1][1]]) for _, p in self.spans)


def options(rng, words):
    """Options of reading."""
    return Options(
        roles=rng.choice(ROLES) if rng.random() < 0.4 else Options().roles,
        role={"cause": ("drug", "Ursache"), "effect": ("Wirkung",)} if rng.random() < 0.4 else {},
        link=tuple(rng.sample(NAMED, rng.randint(1, 3))) if rng.random() < 0.4 else (),
        lone=rng.choice(("drop", "keep", "pair")),
        trigger=rng.choice(("signal", "signal", "none")),
        words=words,
    )


def project(rng, words, richly):
    """A project; ``richly``: with what brat alone has, as spans of parts and events."""
    end = rng.choice(("\n", "\n", "\r\n"))
    text = end.join(line(rng) for _ in range(rng.randint(1, 4)))
    text = text + end * rng.randint(0, 2)
    tokens = cut(text, words)
    spans, taken = [], set()
    for _ in range(rng.randint(0, 8)):
        first = rng.randrange(len(tokens))
        last = min(first + rng.randint(0, 4), len(tokens) - 1)
        parts = [(tokens[first][0], tokens[last][1])]
        if text[parts[0][0] : parts[0][1]].count("\n") and rng.random() < 0.9:
            continue
        if rng.random() < 0.04:
            parts = [inside(rng, *tokens[first])]
        if richly and rng.random() < 0.3:
            more = tokens[rng.randrange(len(tokens))]
            parts += [more] if more not in parts else []
        on = covered(parts, tokens, "")
        if not richly and on in taken:
            continue
        taken.add(on)
        label = rng.choice(LABELS if rng.random() < 0.8 else STRANGE)
        spans.append((label, parts))
    links, events = [], {}
    if spans:
        for _ in range(rng.randint(0, 6)):
            a, b = (rng.randrange(len(spans)) for _ in "ab")
            way = rng.choice(("right", "right", "left", "bi"))
            one = (rng.choice(TYPES), a, b, way)
            if all({*one[1:3]} != {*other[1:3]} for other in links):
                links.append(one)
    if richly and spans and rng.random() < 0.6:
        links = []
        for k in range(rng.randint(1, 4)):
            refs = [*range(len(spans)), *(f"E{j}" for j in range(k + 2))]
            events[f"E{k}"] = (
                rng.choice(("Consequence", "Motivation")), rng.randrange(len(spans)),
                [(rng.choice(ARGUMENTS), rng.choice(refs)) for _ in range(rng.randint(0, 4))],
            )  # fmt: skip
        for _, _, listed in events.values():
            listed[:] = [(a, r) for a, r in listed if r in events or not isinstance(r, str)]
    return Drawn(text, spans, links, events)


def line(rng):
    """Return a line: words of a script or of several, with and without blanks between."""
    own = rng.sample(SCRIPTS, rng.randint(1, 3))
    found = ""
    for _ in range(rng.randint(2, 8)):
        script = rng.choice(own)
        at = rng.randrange(len(script))
        word = script[at : at + rng.randint(1, 5)] + rng.choice(("", "", ".", "。"))
        found += word + rng.choice((" ", " ", " ", "", "  ", "\t", "\u3000"))
    return found.strip() or "a"


def inside(rng, start, stop):
    """Return a part of a token."""
    a = rng.randrange(start, stop)
    return a, rng.randint(a + 1, stop)


# --------------------------------------------------------------------------- layouts


def brat(drawn, rng):
    """Return the marks; the text stands beside them."""
    name = lambda ref: ref if isinstance(ref, str) else f"T{ref + 1}"  # noqa: E731
    rows = []
    for k, (label, parts) in enumerate(drawn.spans):
        said = " ".join(drawn.text[a:b] for a, b in parts).replace("\r", " ").replace("\n", " ")
        at = ";".join(f"{a} {b}" for a, b in parts)
        rows.append(f"T{k + 1}\t{label} {at}\t{said}")
    for k, (type, a, b) in enumerate(drawn.arcs):
        kind = (type or "Causes").replace(" ", "_")
        rows.append(f"R{k}\t{kind} Arg1:{name(a)} Arg2:{name(b)}")
    for key, (type, trigger, listed) in drawn.events.items():
        more = "".join(f" {argument}:{name(ref)}" for argument, ref in listed)
        rows.append(f"{key}\t{type}:{name(trigger)}{more}")
    rows += [f"A1\tDegree {key} Facilitate" for key in [*drawn.events][:1]]
    rng.shuffle(rows)
    return "".join(row + "\n" for row in rows)


def webanno_tsv(drawn, words):
    """Parts of tokens have rows of their own; a relation stands in the first row of its target."""
    text, at = drawn.text, units(drawn.text)
    every = [(a, b) for _, [(a, b)] in drawn.spans]
    rows = []  # address, place
    sentences = [(a, b) for _, a, b in lines(text)]
    for number, (start, stop) in enumerate(sentences, 1):
        mine = [t for t in cut(text, words) if start <= t[0] and t[1] <= stop]
        for k, (a, b) in enumerate(mine, 1):
            rows.append((f"{number}-{k}", (a, b)))
            parts = {(max(a, x), min(b, y)) for x, y in every if x < b and a < y} - {(a, b)}
            rows += [(f"{number}-{k}.{j}", p) for j, p in enumerate(sorted(parts), 1)]
    on = []
    for x, y in every:
        own = []
        for where, (a, b) in rows:
            if "." not in where and x < b and a < y:
                place = max(a, x), min(b, y)
                head = where + "." if place != (a, b) else where
                own.append(next(r for r in rows if r[1] == place and r[0].startswith(head)))
        on.append(own)
    stacked = {row: [k for k, own in enumerate(on) if row in own] for row in rows}
    many = {k for k, own in enumerate(on) if len(own) > 1 or any(len(stacked[r]) > 1 for r in own)}
    mark = lambda k: f"[{k + 1}]" if k in many else ""  # noqa: E731
    escaped = projects._escaped
    out = ["#FORMAT=WebAnno TSV 3.3", f"#T_SP={projects.SPAN}|CES",
           f"#T_RL={projects.LINK}|label|BT_{projects.SPAN}", "", ""]  # fmt: skip
    for number, (_, stop) in enumerate(sentences, 1):
        mine = [row for row in rows if row[0].partition("-")[0] == str(number)]
        out.append(f"#Text={escaped(text[mine[0][1][0] : stop])}")
        for row in mine:
            where, (a, b) = row
            labels = [escaped(drawn.spans[k][0]) + mark(k) for k in stacked[row]]
            arcs = [(type, s, t) for type, s, t in drawn.arcs if on[t][0] == row]
            types = [escaped(type or "*") if type else "*" for type, _, _ in arcs]
            sources = []
            for _, s, t in arcs:
                pair = [k + 1 if k in many else 0 for k in (s, t)]
                sources.append(on[s][0][0] + (f"[{pair[0]}_{pair[1]}]" if any(pair) else ""))
            cells = ("|".join(listed) or "_" for listed in (labels, types, sources))
            out.append("\t".join([where, f"{at[a]}-{at[b]}", escaped(text[a:b]), *cells, ""]))
        out += [""]
    return "\n".join(out) + "\n"


LABEL = "<featureDescription><name>label</name><description/><rangeTypeName>uima.cas.String"
LABEL += "</rangeTypeName></featureDescription>\n"
BEFORE = "<featureDescription><name>Governor"
TYPE_SYSTEM = projects.TYPE_SYSTEM.replace(BEFORE, LABEL + BEFORE)


def xmi(drawn, words):
    """Write the file as INCEpTION does, with types of links; ``words`` None: without tokens."""
    at = units(drawn.text)
    rows = []

    def add(name, spot, more=""):
        begin, end = at[spot[0]], at[spot[1]]
        key = 10 + len(rows)
        rows.append(f'<{name} xmi:id="{key}" sofa="1" begin="{begin}" end="{end}"{more}/>')
        return key

    for _, a, b in lines(drawn.text):
        add("type:Sentence", (a, b))
    for spot in cut(drawn.text, words) if words else ():
        add("type:Token", spot)
    spans = [add("custom:CauseEffectSignal", parts[0], f" CES={quoteattr(label)}")
             for label, parts in drawn.spans]  # fmt: skip
    for type, a, b in drawn.arcs:
        more = f' Governor="{spans[a]}" Dependent="{spans[b]}"'
        label = f" label={quoteattr(type)}" if type else ""
        add("custom:CausalLabel", drawn.spans[b][1][0], more + label)
    members = " ".join(str(10 + k) for k in range(len(rows)))
    segment = projects.SEGMENT.replace(".", "/").rstrip("/")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" '
        'xmlns:cas="http:///uima/cas.ecore" xmlns:custom="http:///webanno/custom.ecore" '
        f'xmlns:type="http:///{segment}.ecore" xmi:version="2.0"><cas:NULL xmi:id="0"/>'
        + "".join(rows)
        + '<cas:Sofa xmi:id="1" sofaNum="1" sofaID="_InitialView" mimeType="text" '
        f'sofaString={quoteattr(drawn.text)}/><cas:View sofa="1" members="{members}"/></xmi:XMI>'
    )


def doccano(drawn, number):
    """Return a line of the export."""
    entities = [
        {"id": 50 + k, "label": label, "start_offset": parts[0][0], "end_offset": parts[0][1]}
        for k, (label, parts) in enumerate(drawn.spans)
    ]
    relations = [
        {"id": k, "from_id": 50 + a, "to_id": 50 + b, "type": type}
        for k, (type, a, b) in enumerate(drawn.arcs)
    ]
    row = {"id": number, "text": drawn.text, "entities": entities, "relations": relations}
    return json.dumps(row, ensure_ascii=bool(number % 2))


def label_studio(drawn, number, wide, folded):
    """Return a task; ``folded``: offsets of a browser, to which a line end is one unit."""
    text = drawn.text
    at = units(text) if wide else [*range(len(text) + 1)]
    if folded:
        at = [n - text.count("\r\n", 0, k) for k, n in enumerate(at)]
    result = []
    for k, (label, [(a, b)]) in enumerate(drawn.spans):
        said = text[a:b].replace("\r\n", "\n") if folded else text[a:b]
        value = {"start": at[a], "end": at[b], "text": said, "labels": [label]}
        result.append({"id": f"s{k}", "from_name": "label", "to_name": "text", "type": "labels",
                       "value": value})  # fmt: skip
    for type, a, b, way in drawn.links:
        one = {"from_id": f"s{a}", "to_id": f"s{b}", "type": "relation", "direction": way}
        result.append(one | ({"labels": [type]} if type else {}))
    by = {"id": 7, "email": "amy@example.org"}
    marks = {"id": 1, "completed_by": by, "was_cancelled": False, "result": result}
    return {"id": number, "data": {"text": text}, "annotations": [marks], "predictions": []}


def prodigy(drawn, number, words):
    """Return a line of a dataset of relations; spans are whole tokens."""
    text = drawn.text
    tokens = cut(text, words)
    spans = []
    for label, parts in drawn.spans:
        on = sorted(covered(parts, tokens, ""))
        spans.append({"label": label, "start": tokens[on[0]][0], "end": tokens[on[-1]][1],
                      "token_start": on[0], "token_end": on[-1]})  # fmt: skip
    relations = [
        {"head": spans[a]["token_end"], "child": spans[b]["token_end"], "head_span": spans[a],
         "child_span": spans[b], "color": "#c5bdf4", "label": type}
        for type, a, b in drawn.arcs
    ]  # fmt: skip
    row = {
        "text": text, "_input_hash": number, "_task_hash": -number, "answer": "accept",
        "tokens": [{"text": text[a:b], "start": a, "end": b, "id": k, "ws": text[b : b + 1] == " "}
                   for k, (a, b) in enumerate(tokens)],
        "spans": spans, "relations": relations,
    }  # fmt: skip
    return json.dumps(row)


def write(folder, kind, drawn, words, rng):
    """Write a project, or projects of tasks, in the layout of a tool; return the file's path."""
    folder.mkdir(parents=True, exist_ok=True)
    one = drawn[0]
    path = folder / {"brat": "d.ann", "webanno-tsv": "d.tsv", "xmi": "d.xmi",
                     "label-studio": "d.json"}.get(kind, "amy.jsonl")  # fmt: skip
    if kind == "brat":
        path.with_suffix(".txt").write_bytes(one.text.encode())
        data = brat(one, rng)
    elif kind == "webanno-tsv":
        data = webanno_tsv(one, words)
    elif kind == "xmi":
        (folder / "TypeSystem.xml").write_text(TYPE_SYSTEM)
        data = xmi(one, rng.choice((words, None)))
    elif kind == "label-studio":
        ways = rng.choice(((False, False), (True, False), (True, True), (False, True)))
        data = json.dumps([label_studio(d, 7 + k, *ways) for k, d in enumerate(drawn)])
    else:
        rows = [doccano(d, 7 + k) if kind == "doccano" else prodigy(d, 7 + k, words)
                for k, d in enumerate(drawn)]  # fmt: skip
        data = "\n".join(rows) + "\n"
    path.write_bytes(data.encode())
    return path
