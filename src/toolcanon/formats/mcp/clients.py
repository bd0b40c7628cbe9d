"""Clients: applications that restrict the tools of the protocol, each a dialect of it.

What is unknown about a client is as the format has it.
"""

from __future__ import annotations

from toolcanon.dialect import Dialect, NamePolicy, SizeLimits, Source
from toolcanon.formats.wire.dialects import ADVISORY

# Names are ``mcp__server__tool``; tools are searched, and not limited in number.
CLAUDE_CODE = Dialect(
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


# Also claude.ai. One illegal name hides all tools of a server.
CLAUDE_DESKTOP = Dialect(
    id="mcp/claude-desktop",
    version="2026-11",
    title="in Claude Desktop",
    sources=(
        Source(
            "github.com/evoila/meho/issues/2745",
            "2026-11",
            "names, all or nothing (2026-08)",
            ("names",),
        ),
        Source(
            "github.com/loomle/loomle/issues/168",
            "2026-11",
            "names (version 1.9659, 2026-06)",
            ("names",),
        ),
        Source(
            "github.com/anthropics/claude-ai-mcp/issues/587",
            "2026-11",
            "the first 256 tools of a connector (2026-07)",
            ("tools",),
        ),
        Source(
            "github.com/anthropics/claude-code/issues/77296",
            "2026-11",
            "16,384 bytes of a schema, found by bisection (2026-07)",
            ("schema_bytes",),
        ),
        Source(
            "github.com/IBM-Cloud/ibm-cloud-cli-release/issues/226",
            "2026-11",
            "parameter names (2026-04)",
            ("members",),
        ),
    ),
    keywords=ADVISORY,
    members=NamePolicy("a-zA-Z0-9_.-", 64),
    names=NamePolicy("a-zA-Z0-9_-", 64),
    limits=SizeLimits(tools=256, schema_bytes=16_384),
    routes=("claude-desktop",),
    options={"without": "execution"},
)


# Tools with illegal characters, or too long with their server's name, are dropped.
CURSOR = Dialect(
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


# A short prefix before names, which are cut; a limit for each request.
VSCODE = Dialect(
    id="mcp/vscode",
    version="2026-11",
    title="in VS Code with Copilot",
    sources=(
        Source(
            "github.com/microsoft/vscode mcpServer.ts, mcpTypes.ts",
            "2026-11",
            "other characters become _; prefix and name are cut at 64, the prefix at 18",
            ("names",),
        ),
        Source(
            "github.com/microsoft/vscode/issues/308463",
            "2026-11",
            "its warning (2026-04)",
            ("names",),
        ),
        Source(
            "github.com/microsoft/vscode/issues/261213",
            "2026-11",
            "128 tools (2025-08)",
            ("tools",),
        ),
        Source(
            "https://code.visualstudio.com/docs/copilot/agents/agent-tools",
            "2026-09",
            "128 tools in a request",
            ("tools",),
        ),
    ),
    keywords=ADVISORY,
    booleans=False,  # it implements 2025-11-25
    names=NamePolicy("a-zA-Z0-9_-", 64, prefix="mcp_{:.13}_"),
    limits=SizeLimits(tools=128),  # its own tools count as well
    routes=("vscode",),
    options={"without": "", "object answers": "as in 2025-11-25"},
)


# Its agent Cascade has a limit for all servers together; rules for names are unknown.
WINDSURF = Dialect(
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

CLIENTS = (CLAUDE_CODE, CLAUDE_DESKTOP, CURSOR, VSCODE, WINDSURF)
