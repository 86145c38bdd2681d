"""The lists of built-in kernels that are no Python: made from the kernels' records.

``python -m tests.support.kernel_tables`` (part of ``make format``) writes them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from fastcausal.engine.kernel import Kernel, Measure
from fastcausal.engine.reference.kernels import KERNELS

ROOT = Path(__file__).parents[2]
MADE = "// Made of the records in fastcausal/engine/reference/ by `make format`."


def quote(names: Iterable[str]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def make_list() -> str:
    """Return the list of headers and names for host and device."""
    includes = "".join(f'#include "{name}.h"\n' for name in sorted(KERNELS))
    names = " ".join(f"KERNEL({name})" for name in KERNELS)
    return f"""{MADE}
#pragma once
{includes}
// clang-format off
#define FC_KERNELS(KERNEL) {names}
"""


def make_table() -> str:
    """Return the records for the C interface."""
    records = "".join(map(make_record, KERNELS.values()))
    return f"""{MADE}
#pragma once
#include <vector>

#include "capi/kernel_record.hpp"

// clang-format off
namespace fastcausal::capi {{

inline const std::vector<KernelRecord>& kernel_records() {{
  static const std::vector<KernelRecord> all = {{
{records}  }};
  return all;
}}

}}  // namespace fastcausal::capi
"""


def make_record(kernel: Kernel) -> str:
    """Return a record as C++."""
    scores = "".join(f"        {make_measure(score)},\n" for score in kernel.scores)
    return f"""      {{"{kernel.name}",
       {{{quote(kernel.fields)}}},
       {{{quote(kernel.overall)}}},
       "{kernel.objective}",
       {str(kernel.additive).lower()}, {str(kernel.never_costs).lower()},
       {{
{scores}       }}}},
"""


def make_measure(score: Measure) -> str:
    def make_terms(terms: Mapping[str, float]) -> str:
        return "{" + ", ".join(f'{{"{name}", {weight}}}' for name, weight in terms.items()) + "}"

    sums = ", ".join(map(make_terms, score.sums))
    return f'{{Formula::{score.formula.upper()}, "{score.name}", {{{sums}}}}}'


def make_files() -> Iterator[tuple[Path, str]]:
    """Yield each file with the text that it should have."""
    yield ROOT / "csrc" / "fastcausal" / "kernel_list.h", make_list()
    yield ROOT / "csrc" / "capi" / "kernel_table.hpp", make_table()
    names = quote(KERNELS)
    for path, before, after in (
        ("fastcausal/options.py", "KernelName = Literal[", "]"),
        ("conformance/schema.json", '"kernel": {"enum": [', "]}"),
    ):
        text = (ROOT / path).read_text(encoding="utf-8")
        pattern = f"(?<={re.escape(before)})[^]]*(?={re.escape(after)})"
        yield ROOT / path, re.sub(pattern, names, text, count=1)


if __name__ == "__main__":
    for path, text in make_files():
        path.write_text(text, encoding="utf-8")
