"""A sound server written with the official SDK: seven tools on four pages, over pipes or HTTP.

``paged.py`` speaks on stdin and stdout; ``paged.py PORT [json]`` listens on loopback and wants the
header ``X-Key`` to be the value of the variable ``WANTED_KEY``.
"""

import asyncio
import os
import sys

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

TOOLS = [
    types.Tool(
        name=f"tool_{number}",
        title=f"Tool {number}",
        description="Does — nothing.",
        input_schema={"type": "object", "properties": {"n": {"type": "integer", "x-of": number}}},
        annotations=types.ToolAnnotations(read_only_hint=True),
        _meta={"example.org/kept": [number, None, 1.5]},
    )
    for number in range(7)
]
SIZE = 2


async def list_tools(ctx, params):
    start = int(params.cursor) if params and params.cursor else 0
    end = start + SIZE
    following = str(end) if end < len(TOOLS) else None
    return types.ListToolsResult(tools=TOOLS[start:end], next_cursor=following)


def server():
    return Server(
        "paged", version="1.2.3", title="Pages", instructions="Turn them.", on_list_tools=list_tools
    )


async def over_pipes():
    made = server()
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())


def over_http(port, *, as_json):
    import uvicorn
    from starlette.responses import PlainTextResponse

    app = server().streamable_http_app(json_response=as_json)

    async def guarded(scope, receive, send):
        key = dict(scope.get("headers", ())).get(b"x-key", b"").decode()
        if scope["type"] == "http" and key != os.environ["WANTED_KEY"]:
            await PlainTextResponse("who are you?", 401)(scope, receive, send)
            return
        await app(scope, receive, send)

    uvicorn.run(guarded, host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        over_http(int(sys.argv[1]), as_json=sys.argv[2:] == ["json"])
    else:
        asyncio.run(over_pipes())
