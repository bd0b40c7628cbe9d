"""Claude Code: names are ``mcp__server__tool``; tools are searched, and not limited in number."""

from __future__ import annotations

from toolcanon.dialect import Dialect, NamePolicy, Source
from toolcanon.formats.wire.dialects import ADVISORY

CLIENT = Dialect(
    id="mcp/claude-code",
    version="2026-11",
    title="in Claude Code",
    sources=(
        Source(
            "github.com/mims-harvard/ToolUniverse/issues/65",
            "2026-11",
            "64 with the prefix pass, 65 do not (2026-01)",
            ("names",),
        ),
        Source(
            "github.com/anthropics/claude-code/issues/16425",
            "2026-11",
            "128 in a definition, 64 where a search refers to it (2026-01)",
            ("names",),
        ),
        Source(
            "github.com/microsoft/wassette/issues/56",
            "2026-11",
            "characters (2025-08)",
            ("names",),
        ),
        Source(
            "github.com/anthropics/claude-code/issues/79418",
            "2026-11",
            "parameters (2026-08)",
            ("members",),
        ),
        Source("github.com/anthropics/claude-code/issues/44788", "2026-08", "unions at the root"),
        Source(
            "https://code.claude.com/docs/en/mcp",
            "2026-09",
            "no fixed number of tools; searched",
            ("tools",),
        ),
    ),
    keywords=ADVISORY,
    root_unions=False,
    members=NamePolicy("a-zA-Z0-9_.-", 64),
    names=NamePolicy("a-zA-Z0-9_-", 64, prefix="mcp__{}__"),
    routes=("claude-code",),
    options={"without": "execution"},
)
