"""Every message on the page of troubleshooting is one that a command prints."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from fastcausal import sample
from tests.cli.test_bad_input import BAD, write
from tests.support.cli import cli

PAGE = Path(__file__).parents[1] / "docs" / "howto" / "troubleshooting.md"
MESSAGE = re.compile(r"^### `(.+)`\n\n\S", re.MULTILINE)
GOLD, PRED = "sample/gold.csv", "sample/careful.jsonl"
COMMANDS = [
    ("score", GOLD, "away.jsonl"),
    ("score", GOLD, "table.xls"),
    ("score", GOLD, PRED, "--away"),
    ("score", GOLD, PRED, "--seed", "1", "--seed", "2"),
    ("score", GOLD, PRED, "--by", "away"),
    ("score",),
    ("scores",),
    ("gate", "--baseline", "a.parquet", "--candidate", "b.parquet"),
    ("compare", "sample/lm_run_a.jsonl", "sample/lm_run_b.jsonl"),
]


@pytest.fixture
def messages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the standard error of failing commands and of bad files."""
    monkeypatch.chdir(tmp_path)
    sample.copy_to(tmp_path / "sample")
    (tmp_path / "table.xls").write_bytes(bytes.fromhex("d0cf11e0a1b11ae1"))
    said = [cli(*arguments, expect=2)[1] for arguments in COMMANDS]
    for text, name, gold, _ in BAD.values():
        bad = write(tmp_path / name, text)
        other = bad if gold is None else write(tmp_path / "gold", gold)
        said.append(cli("score", other, bad, expect=None)[1])
    return "\n".join(said)


def test_messages_are_made_by_commands(messages: str) -> None:
    shown = MESSAGE.findall(PAGE.read_text(encoding="utf-8"))
    assert len(shown) >= 30
    assert [message for message in shown if message not in messages] == []
