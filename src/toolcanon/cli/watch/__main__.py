"""``python -m toolcanon.cli.watch`` is ``toolwatch``."""

from __future__ import annotations

from toolcanon.cli.watch import toolwatch

if __name__ == "__main__":
    toolwatch(prog_name="toolwatch")
