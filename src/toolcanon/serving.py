"""Serve a toolset as an MCP server over stdio, with the official SDK."""

from __future__ import annotations

from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from toolcanon.conversion import bind
from toolcanon.define.toolset import Toolset
from toolcanon.errors import MissingPackage
from toolcanon.formats.mcp.results import write_result
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir import CanonicalTool
from toolcanon.text import safe_json

if TYPE_CHECKING:
    from mcp.server.lowlevel.server import Server

_NAME: Final = "toolcanon"
_STRUCTURED: Final = "structuredContent"


def server_of(toolset: Toolset, name: str = _NAME, instructions: str | None = None) -> Server[Any]:
    """Return a server with these tools; errors of tools are answers, not protocol errors."""
    types, server = _sdk()
    binding = bind([_for_all_versions(tool) for tool in toolset.tools], "mcp")
    listed = types.ListToolsResult.model_validate({"tools": binding.payload})
    own = {wire: canonical for canonical, wire in binding.names.items()}

    async def list_tools(context: Any, params: Any) -> Any:
        del context, params
        return listed

    async def call_tool(context: Any, params: Any) -> Any:
        del context
        called = await toolset.acall(own.get(params.name, params.name), params.arguments or {})
        answer = write_result(called.result, WriteLog())
        value = answer.get(_STRUCTURED)
        if value is not None and not isinstance(value, dict):  # only the newest version allows it
            text = {"type": "text", "text": safe_json(answer.pop(_STRUCTURED), indent=None)}
            answer["content"] = answer.get("content") or [text]
        return types.CallToolResult.model_validate(answer)

    made: Server[Any] = server(
        name, instructions=instructions, on_list_tools=list_tools, on_call_tool=call_tool
    )
    return made


def _for_all_versions(tool: CanonicalTool) -> CanonicalTool:
    """Return the tool as every protocol version accepts it: most require object answers."""
    if not tool.outputs or tool.output_schema.get("type") == "object":
        return tool
    return tool.model_copy(update={"outputs": {}})


async def serve_stdio(toolset: Toolset, out: BinaryIO, name: str = _NAME) -> None:
    """Answer requests from stdin on a byte stream until the client disconnects."""
    made = server_of(toolset, name)
    import anyio  # noqa: PLC0415 - comes with the extra
    from mcp.server.stdio import stdio_server  # noqa: PLC0415

    text = anyio.wrap_file(TextIOWrapper(out, encoding="utf-8"))
    async with stdio_server(stdout=text) as (read, write):
        await made.run(read, write, made.create_initialization_options())


def _sdk() -> tuple[Any, Any]:
    try:
        import mcp_types  # noqa: PLC0415 - an extra
        from mcp.server.lowlevel.server import Server  # noqa: PLC0415
    except ImportError:
        raise MissingPackage("mcp", "mcp", "serve tools as an MCP server") from None
    return mcp_types, Server
