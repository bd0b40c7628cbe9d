"""Cursor: tools with illegal characters, or too long with their server's name, are dropped."""

from __future__ import annotations

from toolcanon.dialect import Dialect, NamePolicy, SizeLimits, Source
from toolcanon.formats.wire.dialects import ADVISORY

CLIENT = Dialect(
    id="mcp/cursor",
    version="2026-11",
    title="in Cursor",
    sources=(
        Source(
            "github.com/ComposioHQ/composio/issues/2788",
            "2026-11",
            "server and tool name together: 60 is rejected as more than 60 (2026-02)",
            ("names",),
        ),
        Source(
            "github.com/PostHog/posthog/pull/51483",
            "2026-11",
            "59 pass, with hyphens (2026-03)",
            ("names",),
        ),
        Source(
            "github.com/webstudio-is/webstudio/issues/5960",
            "2026-11",
            "no dots (2026-07)",
            ("names",),
        ),
        Source(
            "github.com/Snowflake-Labs/mcp/issues/77",
            "2026-11",
            "80 tools, before 40 (2025-09)",
            ("tools",),
        ),
        Source(
            "github.com/DaxianLee/cocos-mcp-server/issues/11",
            "2026-11",
            "still 80 (2026-02)",
            ("tools",),
        ),
    ),
    keywords=ADVISORY,
    # Its message mentions letters, digits and underscores only, but hyphens are accepted.
    names=NamePolicy("a-zA-Z0-9_-", 59, prefix="{}"),
    limits=SizeLimits(tools=80),  # over all servers
    routes=("cursor",),
    options={"without": "execution"},
)
