"""UniCausal's examples and tags in plain Python; scores by scikit-learn and seqeval.

Written from the rules of docs/howto/unicausal.md alone.
"""

from __future__ import annotations

from typing import Any

PAIRS_OF = {"altlex", "because", "ctb", "semeval2010t8", "other"}
SPANS_OF = {"altlex", "because", "other"}


def chosen(files: list[list[dict[str, Any]]], task: str) -> list[tuple[str, str, int, str]]:
    """Index, corpus, label and marked text of every example; files are lists of rows."""
    found = []
    for rows in files:
        grouped = "num_rs" in rows[0]
        for row in rows:
            sequence, pair = int(float(row["seq_label"])), int(float(row["pair_label"]))
            first = row["eg_id"] == 0
            marked = row["text_w_pairs"]
            several = row["list"] if grouped and pair and row["list"] else [marked]
            if task == "unicausal-seq":
                if (grouped and (pair or (first and not sequence))) or (not grouped and first):
                    found.append((row["index"], row["corpus"], sequence, ""))
            else:
                corpora = PAIRS_OF if task == "unicausal-pair" else SPANS_OF
                if row["corpus"] in corpora and (pair or task == "unicausal-pair"):
                    found += [(row["index"], row["corpus"], pair, t) for t in several if t]
    return found


def run_on(text: str) -> list[str]:
    """A mark decides the tag of its word, and of the words up to the next one."""
    tags = []
    state = "O"
    for word in text.split(" "):
        if "<ARG0>" in word:
            tag, state = "B-C", "I-C"
        elif "</ARG0>" in word:
            tag, state = "I-C", "O"
        elif "<ARG1>" in word:
            tag, state = "B-E", "I-E"
        elif "</ARG1>" in word:
            tag, state = "I-E", "O"
        else:
            tag = state
        tags.append(tag)
    return tags


def as_marked(text: str) -> list[str]:
    """A word is in a span if it has a letter between its marks; letter by letter."""
    tags = []
    role, begun, k = "", False, 0
    for word in text.split(" "):
        tag, k = "", 0
        while k < len(word):
            if word[k] == "<":
                mark = word[k : word.index(">", k) + 1]
                k += len(mark)
                if mark[:4] == "<ARG":
                    role, begun = "CE"[int(mark[4])], False
                elif mark[:5] == "</ARG":
                    role = ""
                continue
            if role and not tag:
                tag = ("I-" if begun else "B-") + role
                begun = True
            k += 1
        if not tag and role and begun:  # a blank word within a span
            tag = f"I-{role}"
        tags.append(tag or "O")
    return tags
