"""The way of the data through the files of the package stays short."""

from __future__ import annotations

from bench.moves import moves_of, scored


def test_moves_from_file_to_file():
    """A bound to lower, never to raise: it was 277 before files were opened and told once."""
    moves = moves_of(scored)
    assert moves.total() <= 90, moves.most_common(20)


def test_no_file_is_told_twice():
    moves = moves_of(scored)
    told = {function: n for (_, file, function), n in moves.items() if "sniffing" in file}
    assert told == {"named": 2, "sniff": 1}
    assert sum(n for (*_, name), n in moves.items() if name == "with_tags") == 1
