"""The page of a starting kit, in Chromium, says what `fastcausal task check` says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from fastcausal import sample
from fastcausal.shared_task.check import check
from fastcausal.shared_task.program import lines
from fastcausal.shared_task.record import Limits
from fastcausal.tasks.extraction.scorer_page.core import has_core
from tests.support.hostile_submissions import zipped
from tests.support.shared_tasks import box, judged_here

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not has_core(), reason="needs `make page`"),
]
CAREFUL = Path(sample.SYSTEMS["careful"]).read_bytes()
ROWS = [json.loads(line) for line in CAREFUL.splitlines()]


def written(rows: list[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


SUBMISSIONS = {
    "careful.jsonl": CAREFUL,
    "chatty.jsonl": Path(sample.SYSTEMS["chatty"]).read_bytes(),
    "one.zip": zipped(("p.jsonl", CAREFUL), ("__MACOSX/._p.jsonl", b""), ("metadata", b"x")),
    "two.zip": zipped(("b.jsonl", CAREFUL), ("a.jsonl", CAREFUL)),
    "none.zip": zipped((".hidden", b"")),
    "blank.jsonl": b" \n",
    "packed.jsonl.gz": b"\x1f\x8b\x08" + bytes(20),
    "unclosed.jsonl": written([{**ROWS[0], "prediction": ["<ARG0>Rain"]}, *ROWS[1:]]),
    "few.jsonl": written(ROWS[:-1]),
    "twice.jsonl": written([*ROWS, ROWS[0]]),
    "no_json.jsonl": CAREFUL + b"{",
    "large.jsonl": CAREFUL + b" " * (1 << 20),
}


@pytest.mark.parametrize("name", ["recess", "cnc-2023"])
def test_the_page_says_what_the_command_says(name: str, opened: Any, tmp_path: Path) -> None:
    limits = Limits(size=1 << 20)
    kit = box(tmp_path / name, name, limits=limits) / "starting_kit"
    page = opened(kit / "check.html", offline=True)
    sent = {"baseline.zip": (kit / "baseline.zip").read_bytes(), **SUBMISSIONS}
    for submission, data in sent.items():
        path = tmp_path / submission
        path.write_bytes(data)
        page.set_input_files("#pred", [path])
        page.locator("html[data-state=done], html[data-state=refused]").wait_for(state="attached")
        with patch("fastcausal.shared_task.check.judged", judged_here):
            found = check(path, kit)
        said = page.locator("#refused:visible, #results p:visible").all_inner_texts()
        assert said == ([found.refusal] if found.refusal else ["accepted", *lines(found.judgment)])
