"""Relations of the files of annotation tools, by plain loops over a file.

After shared/reference/relations.md, parts 1 and 3; shares nothing with the package. A reader makes
a ``Document`` of a file, ``examples`` makes sets of tokens of it.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from itertools import groupby, product
from types import MappingProxyType
from typing import NamedTuple
from xml.etree import ElementTree

BLANKS = " \t\n\r\v\f"
# Every other code point of the property White_Space.
WIDE_BLANKS = "\x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
WIDE_BLANKS += "\u2028\u2029\u202f\u205f\u3000"
# How the names of the letters of these scripts begin; sound marks and numbers are named apart.
SCRIPTS = (
    "CJK UNIFIED IDEOGRAPH", "CJK COMPATIBILITY IDEOGRAPH", "HANGZHOU NUMERAL",
    "VERTICAL IDEOGRAPHIC ITERATION MARK", "OLD CHINESE ITERATION MARK", "HIRAGANA", "HENTAIGANA",
    "KATAKANA", "HALFWIDTH KATAKANA", "BOPOMOFO", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN",
)  # fmt: skip
NAMED = "\u30fc\u3005\u3006\u3007"
NEGATED = {"not causal", "noncausal", "not_causal", "no"}


class Unsettled(Exception):
    """The contract does not say what becomes of such a file."""


class Cut(Exception):
    """A span cuts a token of two or more letters of the scripts without blanks."""


class Options(NamedTuple):
    roles: tuple[str, ...] = ("cause", "effect", "signal")
    role: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    link: tuple[tuple[str, str, str], ...] = ()
    example: str | None = None
    lone: str = "drop"
    trigger: str = "signal"
    words: str = "blank"

    def role_of(self, label):
        """The role that a label means."""
        low = (label or "").lower()
        for role in self.roles:
            if low == role or low in [name.lower() for name in self.role.get(role, ())]:
                return role
        return None


class Document(NamedTuple):
    """A text, its examples, and what is marked; ``tokens`` where the file has its own."""

    text: str
    pieces: list  # (id, start, stop)
    tokens: list | None
    spans: dict  # name: (label, [(start, stop), ...])
    links: list  # (type, source, target)
    events: Mapping = MappingProxyType({})  # name: (type, trigger, [(argument, name), ...])


class Example(NamedTuple):
    id: str
    text: str
    tokens: list[str]
    relations: list  # (type, {role: tokens}), or None


def is_letter(c):
    """Whether it is a letter of the scripts that put no blanks between words."""
    if c in NAMED:
        return True
    if unicodedata.category(c)[0] not in "LN" or "\uff66" > c > "\uff00":
        return False
    return unicodedata.name(c, "").startswith(SCRIPTS)


def cut(text, words="blank"):
    """The tokens of a text, as (start, stop)."""
    blanks = BLANKS + WIDE_BLANKS * (words == "letters")
    found, at = [], 0
    for is_blank, run in groupby(text, lambda c: c in blanks):
        n = len(list(run))
        if not is_blank:
            found += [(at, at + n)] if words == "blank" else letters(text, at, at + n)
        at += n
    return found


def letters(text, start, stop):
    """Tokens of a run without blanks: a letter of these scripts with its marks, or what is else."""
    found, alone = [], False
    for i in range(start, stop):
        if is_letter(text[i]):
            found.append([i, i + 1])
            alone = True
        elif found and (not alone or unicodedata.category(text[i])[0] == "M"):
            found[-1][1] = i + 1
        else:
            found.append([i, i + 1])
            alone = False
    return [tuple(one) for one in found]


def covered(parts, tokens, text):
    """The tokens that parts touch."""
    merged = []
    for a, b in sorted(parts):
        if merged and not text[merged[-1][1] : a].strip(BLANKS + WIDE_BLANKS):
            merged[-1][1] = max(b, merged[-1][1])
        else:
            merged.append([a, b])
    for (a, b), (start, stop) in product(merged, tokens):
        cuts = start < a < stop or start < b < stop
        if cuts and sum(map(is_letter, text[start:stop])) > 1:
            raise Cut(text[start:stop])
    return frozenset(k for k, (a, b) in enumerate(tokens) if any(a < y and x < b for x, y in parts))


def examples(document, options):
    """Every example of a document."""
    text, spans = document.text, document.spans
    tokens = document.tokens or cut(text, options.words)
    links = [
        (type, *(document.events[end][1] if end in document.events else end for end in ends))
        for type, *ends in document.links
    ]
    chosen, used = with_links(spans, links, options)
    found, more = with_events(document, options)
    chosen, used = chosen + found, used | more
    rows = {id: [] for id, _, _ in document.pieces}

    def home(name):
        first = min(spans[name][1])[0]
        return next((p for p in document.pieces if p[1] <= first < p[2]), None)

    def is_within(name, piece):
        return piece and all(piece[1] <= a < b <= piece[2] for a, b in spans[name][1])

    dropped, dropped_arguments = set(), []
    for type, roles in chosen:
        arguments = [*roles.get("effect", ()), *roles.get("cause", ())]
        piece = home(arguments[0])
        if not all(is_within(name, piece) for name in arguments) or "no cause" in roles:
            rows[piece[0]].append(None)
            dropped_arguments.append((piece, arguments))
            continue
        inside = {r: [n for n in names if is_within(n, piece)] for r, names in roles.items()}
        dropped |= {n for r in roles for n in roles[r]} - {n for r in inside for n in inside[r]}
        rows[piece[0]].append((type, inside))
    for (_, start, stop), names in dropped_arguments:
        try:
            for name in names:
                covered(spans[name][1], [t for t in tokens if start <= t[0] < stop], text)
        except Cut as cut_in_null:
            raise Unsettled("a relation across sentences with a span that cuts") from cut_in_null
    if options.lone != "drop":
        for id, found in alone(spans, used, document, home, is_within, options).items():
            rows[id] += found
        kept = [row[1].values() for id in rows for row in rows[id] if row]
        if dropped - {name for names in kept for one in names for name in one}:
            raise Unsettled("a signal of another sentence than its effect")
    result = []
    for id, start, stop in document.pieces:
        mine = [(a, b) for a, b in tokens if start <= a and b <= stop]
        if not mine:
            continue
        relations = []
        for row in rows[id]:
            sets = row and {
                role: frozenset().union(*(covered(spans[n][1], mine, text) for n in names))
                for role, names in row[1].items()
                if names
            }
            relations.append(row and (row[0], sets))
        said = text[start:stop]
        if options.example == "document":
            said = said.replace("\r\n", " ").replace("\n", " ")
        result.append(Example(id, said, [text[a:b] for a, b in mine], relations))
    return result


def with_links(spans, links, options):
    """(type, {role: names}) of each relation of links, and the names that are in one."""
    role = {name: options.role_of(label) for name, (label, _) in spans.items()}
    pairs, others = [], []
    named = {type.lower(): (source, target) for type, source, target in options.link}
    for type, source, target in links:
        if source == target or source not in spans or target not in spans:
            continue
        ends = source, target
        kinds = [role[end] for end in ends]
        if options.link:
            if (type or "").lower() not in named:
                continue
            further = [kind not in (None, "cause", "effect") for kind in kinds]
            if not any(further):
                ways = dict(zip(named[type.lower()], ends, strict=True))
                pairs.append((type, ways["cause"], ways["effect"]))
            elif not all(further):
                others.append(ends if further[0] else ends[::-1])
            continue
        if (type or "").lower() in NEGATED or None in kinds:
            continue
        if sorted(kinds) == ["cause", "effect"]:
            pairs.append((type, *(ends if kinds[0] == "cause" else ends[::-1])))
        elif "effect" in kinds and set(kinds) - {"cause", "effect"}:
            others.append(ends if kinds[1] == "effect" else ends[::-1])
    pairs = list(dict.fromkeys(pairs))
    found, used = [], set()
    for type, cause, effect in pairs:
        named_so = None if type == "Causes" else type
        found.append((named_so, {"cause": [cause], "effect": [effect]}))
        used |= {cause, effect}
    for other, end in dict.fromkeys(others):
        mine = [f for f in found if f[1]["effect"] == [end] and "no cause" not in f[1]]
        mine = mine or [f for f in found if f[1].get("cause") == [end]]
        if not mine and options.link:
            raise Unsettled("a signal of a span in no relation")
        used |= {other, end}
        if not mine:
            if not any(f[1]["effect"] == [end] for f in found):
                found.append((None, {"effect": [end], "no cause": []}))
            continue
        for _, roles in mine:
            roles.setdefault(role[other], []).append(other)
    return found, used


def with_events(document, options):
    """The same of n-ary events."""
    events = document.events
    reached = {name: {ref for _, ref in events[name][2] if ref in events} for name in events}
    for _ in events:
        for name in events:
            reached[name] |= {far for near in reached[name] for far in reached[near]}
    found, used = [], set()
    for name, (type, trigger, arguments) in events.items():
        roles = {}
        for argument, ref in arguments:
            role = options.role_of(argument) or options.role_of(argument.rstrip("0123456789"))
            if role:
                roles.setdefault(role, []).append(events[ref][1] if ref in events else ref)
        if name in reached[name] or not {"cause", "effect"} & {*roles}:
            if options.lone != "drop" and options.role_of(document.spans[trigger][0]):
                raise Unsettled("a trigger of no relation, with the label of a role")
            continue
        if options.trigger == "signal" and "signal" in options.roles and "signal" not in roles:
            roles["signal"] = [trigger]
        found.append((type, roles))
        used |= {trigger, *(one for names in roles.values() for one in names)}
    return found, used


def alone(spans, used, document, home, is_within, options):
    """The relations of spans in no relation, by example."""
    free = {}
    for name, (label, _) in spans.items():
        role = options.role_of(label)
        if not role or name in used:
            continue
        piece = home(name)
        if not is_within(name, piece):
            raise Unsettled("a lone span across sentences")
        free.setdefault(piece[0], []).append((role, name))
    found = {}
    for id, listed in free.items():
        kinds = Counter(role for role, _ in listed)
        if options.lone == "pair" and kinds["cause"] == kinds["effect"] == 1:
            roles = {}
            for role, name in listed:
                roles.setdefault(role, []).append(name)
            found[id] = [(None, roles)]
        else:
            found[id] = [(None, {role: [name]}) for role, name in listed]
    return found


# --------------------------------------------------------------------------- files


def lines(text):
    """(number, start, stop) of lines that are not blank."""
    at, found = 0, []
    for k, line in enumerate(text.split("\n"), 1):
        if line.strip(BLANKS):
            found.append((k, at, at + len(line.removesuffix("\r"))))
        at += len(line) + 1
    return found


def brat(path, options):
    """NAME.ann beside NAME.txt."""
    text = path.with_suffix(".txt").read_bytes().decode()
    spans, links, events = {}, [], {}
    for line in path.read_bytes().decode().split("\n"):
        name, _, rest = line.partition("\t")
        kind, _, more = rest.partition("\t")[0].rstrip("\r").partition(" ")
        if name[:1] == "T":
            spans[name] = kind, [tuple(map(int, p.split())) for p in more.split(";")]
        elif name[:1] == "R":
            first, second = (part.partition(":")[2] for part in more.split())
            links.append((kind, first, second))
        elif name[:1] == "E":
            type, _, trigger = kind.partition(":")
            events[name] = type, trigger, [tuple(p.split(":")) for p in more.split()]
    pieces = [(f"{path.stem}:{k}", a, b) for k, a, b in lines(text)]
    if options.example == "document":
        pieces = [(path.stem, 0, len(text))]
    return examples(Document(text, pieces, None, spans, links, events), options)


def places(text):
    """The character at each position of UTF-16."""
    return [k for k, c in enumerate(text) for _ in range(1 + (ord(c) > 0xFFFF))] + [len(text)]


def bare(cell):
    """A cell of WebAnno TSV without its escapes."""
    kept = {"t": "\t", "n": "\n", "r": "\r"}
    return re.sub(r"\\(.)", lambda m: kept.get(m[1], m[1]), cell)


def webanno_tsv(path, options):
    """WebAnno TSV 3.3: one layer of spans with a label, one of links with a type."""
    content = path.read_bytes().decode()
    head, *blocks = re.split(r"\n\n+(?=#Text=)", content)
    fields = [f for line in head.split("\n") if line[:3] == "#T_" for f in line.split("|")[1:]]
    fields = ["label", *(["type", "source"] if fields[-1][:3] == "BT_" and len(fields) == 3
                         else ["source"])]  # fmt: skip
    text, pieces, tokens, spans, rows = "", [], [], {}, []
    for block in blocks:
        said = [bare(m[1]) for m in re.finditer(r"^#Text=(.*)$", block, re.M)]
        own = [line.split("\t") for line in block.split("\n") if line and line[0] != "#"]
        first = int(own[0][1].partition("-")[0])
        text += " " * (first - len(text.encode("utf-16-le")) // 2)
        at = places(text + said[0])
        pieces.append([own[0][0].partition("-")[0], len(text), len(text + said[0])])
        text += said[0]
        for row in own:
            a, b = (at[int(n)] for n in row[1].split("-"))
            if "." not in row[0]:
                tokens.append((a, b))
            rows.append((row[0], (a, b), row[3 : 3 + len(fields)]))
    number = lambda cell: re.search(r"(?<!\\)\[(\d+)\]$", cell)  # noqa: E731
    split = lambda cell: [] if cell == "_" else re.split(r"(?<!\\)\|", cell)  # noqa: E731
    for at, place, cells in rows:
        for k, cell in enumerate(split(cells[0])):
            mark = number(cell)
            name = int(mark[1]) if mark else (at, k)
            label = bare(cell[: mark.start()] if mark else cell)
            spans.setdefault(name, (None if label == "*" else label, []))[1].append(place)
    for _, parts in spans.values():
        parts[:] = [(min(a for a, _ in parts), max(b for _, b in parts))]
    links = []
    for at, _, cells in rows:
        sources = split(cells[-1])
        types = split(cells[1]) if len(fields) == 3 else ["*"] * len(sources)
        for type, source in zip(types, sources, strict=True):
            place, _, pair = source.partition("[")
            ids = [int(n) for n in pair.rstrip("]").split("_")] if pair else [0, 0]
            ends = [n or (where, 0) for n, where in zip(ids, (place, at), strict=True)]
            type = bare(re.sub(r"(?<!\\)\[\d+\]$", "", type))
            links.append((None if type == "*" else type, *ends))
    named = [(f"{path.parent.name}:{k}", a, b) for k, a, b in pieces]
    if options.example == "document":
        named = [(path.stem, 0, len(text))]
    return examples(Document(text, named, tokens, spans, links), options)


def xmi(path, options):
    """UIMA CAS XMI: a feature ``label`` of spans and links, UTF-16 offsets."""
    root = ElementTree.parse(path).getroot()
    key = "{http://www.omg.org/XMI}id"
    kinds = {}
    for node in root:
        kinds.setdefault(node.tag.rpartition("}")[2], []).append(node.attrib)
    text = kinds["Sofa"][0]["sofaString"]
    at = places(text)
    place = lambda node: (at[int(node["begin"])], at[int(node["end"])])  # noqa: E731
    pieces = sorted(place(node) for node in kinds["Sentence"])
    tokens = sorted(place(node) for node in kinds.get("Token", []))
    spans = {n[key]: (n.get("CES"), [place(n)]) for n in kinds.get("CauseEffectSignal", [])}
    links = [(n.get("label"), n["Governor"], n["Dependent"]) for n in kinds.get("CausalLabel", [])]
    named = [(f"{path.parent.name}:{k}", a, b) for k, (a, b) in enumerate(pieces, 1)]
    if options.example == "document":
        named = [(path.stem, 0, len(text))]
    return examples(Document(text, named, tokens or None, spans, links), options)


def doccano(path, options):
    """JSON lines with entities and relations."""
    found = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        if not line.strip():
            continue
        row = json.loads(line)
        text = row["text"]
        spans = {
            e["id"]: (e["label"], [(e["start_offset"], e["end_offset"])]) for e in row["entities"]
        }
        links = [(r.get("type"), r["from_id"], r["to_id"]) for r in row["relations"]]
        document = Document(text, [(str(row["id"]), 0, len(text))], None, spans, links)
        found += examples(document, options)
    return found


def countings(text):
    """The character at each position, in each way that Label Studio may count."""
    folded = [m.start() for m in re.finditer("\r\n|(?s:.)", text)] + [len(text)]
    yield False, [*range(len(text) + 1)]
    yield False, places(text)
    yield True, folded
    yield True, [k for k in folded[:-1] for _ in range(1 + (ord(text[k]) > 0xFFFF))] + [len(text)]


def label_studio(path, options):
    """The export of tasks with annotations."""
    found = []
    for task in json.loads(path.read_text(encoding="utf-8")):
        text = task["data"]["text"]
        result = task["annotations"][0]["result"]
        marks = {r["id"]: r["value"] for r in result if r["type"] == "labels"}
        fitting = []
        for is_folded, at in countings(text):
            spans = {}
            for name, value in marks.items():
                if value["end"] < len(at):
                    a, b = at[value["start"]], at[value["end"]]
                    marked = text[a:b].replace("\r\n", "\n") if is_folded else text[a:b]
                    if marked == value["text"]:
                        spans[name] = value["labels"][0], [(a, b)]
            if len(spans) == len(marks) and spans not in fitting:
                fitting.append(spans)
        if len(fitting) > 1:
            raise Unsettled("offsets that fit in two ways of counting")
        spans = fitting[0]
        links = []
        for r in result:
            if r["type"] == "relation":
                ends = r["from_id"], r["to_id"]
                type = (r.get("labels") or [None])[0]
                links += [(type, *ends)] * (r["direction"] != "left")
                links += [(type, *ends[::-1])] * (r["direction"] != "right")
        document = Document(text, [(str(task["id"]), 0, len(text))], None, spans, links)
        found += examples(document, options)
    return found


def prodigy(path, options):
    """JSON lines of relations between spans of tokens."""
    found = []
    for line in path.read_text(encoding="utf-8").split("\n"):
        row = json.loads(line) if line.strip() else {"answer": "ignore"}
        if row.get("answer", "accept") != "accept":
            continue
        tokens = [(t["start"], t["end"]) for t in row["tokens"]]
        spans = {
            (s["token_start"], s["token_end"]): (
                s["label"], [(tokens[s["token_start"]][0], tokens[s["token_end"]][1])],
            )
            for s in row["spans"]
        }  # fmt: skip
        links = [
            (r["label"], *((r[f"{end}_span"]["token_start"], r[f"{end}_span"]["token_end"])
                           for end in ("head", "child")))
            for r in row["relations"]
        ]  # fmt: skip
        name = str(row.get("id", row.get("_input_hash")))
        document = Document(row["text"], [(name, 0, len(row["text"]))], tokens, spans, links)
        found += examples(document, options)
    return found


READERS = {
    "brat": brat, "webanno-tsv": webanno_tsv, "xmi": xmi, "doccano": doccano,
    "label-studio": label_studio, "prodigy": prodigy,
}  # fmt: skip


# --------------------------------------------------------------------------- two sides


def joined(golds, preds):
    """Places of gold and predicted texts that belong together; None where one side is alone."""
    left: dict[str, list[int]] = {}
    for k, text in enumerate(preds):
        left.setdefault(" ".join(text.split()), []).append(k)
    pairs = []
    for k, text in enumerate(golds):
        same = left.get(" ".join(text.split()))
        pairs.append((k, same.pop(0) if same else None))
    return pairs + [(None, k) for listed in left.values() for k in listed]


def best(golds, preds, worth, typed):
    """The greatest worth of any pairing; ``typed``: relations of different types never pair."""

    def extend(k, taken):
        if k == len(golds):
            yield ()
            return
        for j in [None, *range(len(preds))]:
            if j is None or (j not in taken and (not typed or golds[k][0] == preds[j][0])):
                for rest in extend(k + 1, taken | {j} - {None}):
                    yield (j, *rest)

    return max(
        worth([(golds[k], None if j is None else preds[j]) for k, j in enumerate(pairing)]
              + [(None, p) for j, p in enumerate(preds) if j not in pairing])
        for pairing in extend(0, frozenset())
    )  # fmt: skip
