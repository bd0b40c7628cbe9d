"""A server whose tools do something: an image, an error, structured data, waiting; over pipes."""

import asyncio
import os

import mcp_types as types
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError

TEXT = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
NOTHING = {"type": "object", "properties": {}}
TOOLS = [
    types.Tool(name="echo", description="Say it again.", input_schema=TEXT),
    types.Tool(name="picture", description="Draw.", input_schema=NOTHING),
    types.Tool(name="fail", description="Fail.", input_schema=NOTHING),
    types.Tool(name="refuse", description="Refuse.", input_schema=NOTHING),
    types.Tool(name="wait", description="Wait.", input_schema=NOTHING),
    types.Tool(name="leave", description="End the server.", input_schema=NOTHING),
]


async def list_tools(ctx, params):
    return types.ListToolsResult(tools=TOOLS)


async def call_tool(ctx, params):
    arguments = params.arguments or {}
    match params.name:
        case "echo":
            await asyncio.sleep(0.05)
            return types.CallToolResult(
                content=[types.TextContent(type="text", text=arguments["text"])],
                structured_content={"length": len(arguments["text"])},
            )
        case "picture":
            image = types.ImageContent(type="image", data="iVBORw0KGgo=", mime_type="image/png")
            return types.CallToolResult(content=[image])
        case "fail":
            text = types.TextContent(type="text", text="out of paper")
            return types.CallToolResult(content=[text], is_error=True)
        case "wait":
            await asyncio.sleep(60)
        case "leave":
            os._exit(3)
    raise MCPError(code=-32602, message="not like this")


async def main():
    made = Server("calls", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
