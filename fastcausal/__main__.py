"""``python -m fastcausal``: the command line."""

from __future__ import annotations

from fastcausal.cli import main

if __name__ == "__main__":
    main()
