"""Pictures of a page, held to what a page allows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree

SVG = "{http://www.w3.org/2000/svg}"
FORBIDDEN = {f"{SVG}{name}" for name in ("style", "script", "metadata", "image", "a")}


def check_pictures(pictures: Sequence[tuple[str, str]]) -> list[str]:
    """Hold the pictures of one page to its rules; return the texts in them."""
    ids: Counter[str] = Counter()
    texts: list[str] = []
    for text, svg in pictures:
        root = ElementTree.fromstring(svg)
        assert root.tag == f"{SVG}svg"
        assert (root.get("role"), root.get("aria-label")) == ("img", text)
        elements = [*root.iter()]
        assert not FORBIDDEN & {each.tag for each in elements}
        values = [v for each in elements for name, v in each.items() if name != "aria-label"]
        assert not any("style" in each.attrib or "//" in " ".join(each.keys()) for each in elements)
        assert not any("//" in value or value == "#000000" for value in values)
        own = {name for each in elements if (name := each.get("id"))}
        assert set(re.findall(r"#(\w+)\)?$", "\n".join(values), re.M)) - _colours(values) == own
        ids.update(own)
        texts += ["".join(each.itertext()) for each in elements if each.tag == f"{SVG}text"]
    assert all(n == 1 for n in ids.values())
    return texts


def _colours(values: Sequence[str]) -> set[str]:
    return {value[1:] for value in values if re.fullmatch("#[0-9a-f]{6}", value)}
