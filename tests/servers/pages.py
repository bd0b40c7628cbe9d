"""What ``paged.py`` answers over pipes, without the SDK, which takes half a second to import.

A test compares the answers of both.
"""

import json
import sys

TOOLS = [
    {
        "name": f"tool_{number}",
        "title": f"Tool {number}",
        "description": "Does — nothing.",
        "inputSchema": {"type": "object", "properties": {"n": {"type": "integer", "x-of": number}}},
        "annotations": {"readOnlyHint": True},
        "_meta": {"example.org/kept": [number, None, 1.5]},
    }
    for number in range(7)
]
SIZE = 2
ABOUT = {"name": "paged", "title": "Pages", "version": "1.2.3"}
ALWAYS = {
    "cacheScope": "private",
    "resultType": "complete",
    "ttlMs": 0,
    "_meta": {"io.modelcontextprotocol/serverInfo": ABOUT},
}


def discover(_):
    return {
        "capabilities": {"tools": {"listChanged": False}},
        "instructions": "Turn them.",
        "supportedVersions": ["2026-07-28"],
    }


def list_tools(params):
    start = int(params.get("cursor", 0))
    end = start + SIZE
    more = {"nextCursor": str(end)} if end < len(TOOLS) else {}
    return {**more, "tools": TOOLS[start:end]}


METHODS = {"server/discover": discover, "tools/list": list_tools}

if __name__ == "__main__":
    for line in sys.stdin:
        request = json.loads(line)
        result = {**METHODS[request["method"]](request["params"]), **ALWAYS}
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)  # noqa: T201
