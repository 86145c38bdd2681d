"""Random examples of strategies.py with texts that a page or a terminal may take for its own."""

from __future__ import annotations

from hypothesis import strategies as st

import fastcausal as fc
from tests.support.strategies import sides
from tests.support.tables import LENGTH, table_of

HOSTILE = [
    "</script>",
    "[red]x[/red]",
    "\x1b[31m",
    "\u202eabc",
    "ש\u05dc\u05d5\u05dd",
    "👩‍🚒",
    "<b>&amp;",
    "'\"",
    "$body",
]
words = st.sampled_from([*HOSTILE, "Rain", "floods"]) | st.text(
    st.characters(exclude_categories=["Cs", "Z", "Cc"]), min_size=1, max_size=4
)


@st.composite
def cases(draw: st.DrawFn) -> tuple[fc.Relations, fc.Relations, list[list[str]]]:
    """Draw both sides, and the words of their texts."""
    gold, pred = draw(sides(most_examples=5))
    texts = [draw(st.lists(words, min_size=LENGTH, max_size=LENGTH)) for _ in gold]
    names = [f"{draw(words)}{k}" for k in range(len(gold))]
    columns = {"id": names, "text": [" ".join(each) for each in texts]}
    return table_of(gold, **columns), table_of(pred, id=names), texts
