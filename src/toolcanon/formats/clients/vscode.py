"""VS Code with Copilot: a short prefix before names, which are cut; a limit for each request."""

from __future__ import annotations

from toolcanon.dialect import Dialect, NamePolicy, SizeLimits, Source
from toolcanon.formats.wire.dialects import ADVISORY

CLIENT = Dialect(
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
