"""Claude Desktop and claude.ai: one illegal name hides all tools of a server."""

from __future__ import annotations

from toolcanon.dialect import Dialect, NamePolicy, SizeLimits, Source
from toolcanon.formats.wire.dialects import ADVISORY

CLIENT = Dialect(
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
