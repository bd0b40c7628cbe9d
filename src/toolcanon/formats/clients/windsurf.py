"""Windsurf's Cascade: a limit for all servers together; rules for names are unknown."""

from __future__ import annotations

from toolcanon.dialect import Dialect, SizeLimits, Source
from toolcanon.formats.wire.dialects import ADVISORY

CLIENT = Dialect(
    id="mcp/windsurf",
    version="2026-11",
    title="in Windsurf",
    sources=(
        Source(
            "https://docs.windsurf.com/windsurf/cascade/mcp",
            "2026-11",
            "100 tools in all",
            ("tools",),
        ),
    ),
    keywords=ADVISORY,
    limits=SizeLimits(tools=100),
    routes=("windsurf",),
    options={"without": "execution"},
)
