"""A binding that knows its functions, and its tools as tools of frameworks.

A framework sends the bound names and schemas, so they are lowered for the provider in use. Each
framework is imported when it is used. The context for the tools is given when they are made.
"""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from toolcanon.conversion import Binding
from toolcanon.conversion.binding import bound_tools, calls_of
from toolcanon.conversion.target import BindTarget
from toolcanon.define.run_calls import CallResult, Restorer, acarry_out, carry_out
from toolcanon.define.toolset_entries import ToolsetEntry
from toolcanon.define.turn_messages import TurnMessages
from toolcanon.errors import UsageError
from toolcanon.formats.wire.codec import data_uri
from toolcanon.formats.wire.results import once, result_text
from toolcanon.ir.conversation import Media, Result, Text
from toolcanon.jsonio.types import Json

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolcanon.conversion.bind_tool import BoundTool
    from toolcanon.define.toolset import Toolset
    from toolcanon.formats.wire import LoweredTool


def langchain_tools(bound: BoundToolset, context: Any = None) -> list[Any]:
    """Return LangChain structured tools. A failed call is a message with the status of an error."""
    try:
        from langchain_core.tools import StructuredTool, ToolException  # noqa: PLC0415 - theirs
    except ImportError:
        raise _missing("langchain-core") from None

    def message_of(done: CallResult) -> Any:
        if not done.ok:
            raise ToolException(_failure(done))
        if any(map(_is_image, done.result.content)):
            return [_block(part) for part in once(done.result.content)]
        return result_text(done.result)

    def made(wire: LoweredTool, item: BoundTool) -> Any:
        def call(**arguments: Any) -> Any:
            return message_of(bound.call(wire.name, arguments, context=context))

        async def acall(**arguments: Any) -> Any:
            return message_of(await bound.acall(wire.name, arguments, context=context))

        return StructuredTool(
            name=wire.name,
            description=item.tool.description,
            args_schema=_schema(wire),
            func=call,
            coroutine=acall,
            handle_tool_error=True,
        )

    return [made(wire, item) for wire, item in _written(bound)]


def pydantic_ai_tools(bound: BoundToolset, context: Any = None) -> list[Any]:
    """Return Pydantic AI tools. Rejected arguments ask the model to try again."""
    try:
        from pydantic_ai import BinaryContent, ModelRetry, Tool  # noqa: PLC0415 - theirs
    except ImportError:
        raise _missing("pydantic-ai-slim") from None

    def message_of(part: Any) -> Any:
        if isinstance(part, Media) and part.data is not None:
            mime = part.mime or "application/octet-stream"
            return BinaryContent(data=b64decode(part.data), media_type=mime)
        return part.text if isinstance(part, Text) else getattr(part, "value", None)

    def made(wire: LoweredTool, item: BoundTool) -> Any:
        async def call(**arguments: Any) -> Any:
            done = await bound.acall(wire.name, arguments, context=context)
            response = done.response
            if response.error_type == "validation":
                raise ModelRetry(_failure(done))
            if not done.ok:
                return response.to_dict()
            values = [message_of(part) for part in once(done.result.content, values=True)]
            return values[0] if len(values) == 1 else values

        return Tool.from_schema(
            call, name=wire.name, description=item.tool.description, json_schema=_schema(wire)
        )

    return [made(wire, item) for wire, item in _written(bound)]


def openai_agents_tools(bound: BoundToolset, context: Any = None) -> list[Any]:
    """Return OpenAI Agents SDK function tools. A failed call is text, as with its own tools."""
    try:
        from agents import FunctionTool, ToolOutputImage, ToolOutputText  # noqa: PLC0415 - theirs
    except ImportError:
        raise _missing("openai-agents") from None

    def message_of(done: CallResult) -> Any:
        if not done.ok:
            return _failure(done)
        if not any(map(_is_image, done.result.content)):
            return result_text(done.result)
        return [
            ToolOutputImage(image_url=data_uri(part))
            if isinstance(part, Media) and _is_image(part)
            else ToolOutputText(text=result_text(Result(None, [part])))
            for part in once(done.result.content)
        ]

    def made(wire: LoweredTool, item: BoundTool) -> Any:
        async def call(_: Any, arguments: str) -> Any:
            return message_of(await bound.acall(wire.name, arguments, context=context))

        return FunctionTool(
            name=wire.name,
            description=item.tool.description,
            params_json_schema=_schema(wire),
            on_invoke_tool=call,
            strict_json_schema=bool(wire.strict),
        )

    return [made(wire, item) for wire, item in _written(bound)]


def _written(bound: BoundToolset) -> Iterator[tuple[LoweredTool, BoundTool]]:
    return ((item.wire, item) for item in bound_tools(bound) if item.wire is not None)


def _schema(wire: LoweredTool) -> dict[str, Json]:
    """Return the bound schema; frameworks need an object even without parameters."""
    return {"type": "object", "properties": {}, **wire.inputs}


def _failure(done: CallResult) -> str:
    response = done.response
    kind = f"{response.error_type}: " if response.error_type else ""
    return f"{kind}{response.error}"


def _is_image(part: object) -> bool:
    return isinstance(part, Media) and part.kind == "image" and data_uri(part) is not None


def _block(part: Any) -> Json:
    if _is_image(part):
        return {"type": "image_url", "image_url": {"url": data_uri(part)}}
    return {"type": "text", "text": result_text(Result(None, [part]))}


def _missing(package: str) -> UsageError:
    return UsageError(f"{package} is not installed; pip install {package}")


class BoundToolset(Binding):
    """A binding with the functions of its tools, so that it can run calls."""

    __slots__ = ("_restorer", "asked", "entries", "toolset")

    toolset: Toolset
    asked: BindTarget
    """The target as requested; the binding's own may have names as well."""
    entries: dict[str, ToolsetEntry]
    """The tools that were bound."""
    _restorer: Restorer

    @property
    def restorer(self) -> Restorer:
        """Return the restorer of its calls, made once."""
        try:
            return self._restorer
        except AttributeError:
            self._restorer = Restorer(calls_of(self))
            return self._restorer

    def run(
        self,
        response: Any,
        *,
        context: Any = None,
        timeout: float | None = None,
        raw_bytes: bool = True,
    ) -> TurnMessages:
        """Like ``Toolset.run``, with this binding."""
        return self.toolset.run(
            response, binding=self, context=context, timeout=timeout, raw_bytes=raw_bytes
        )

    async def arun(
        self,
        response: Any,
        *,
        context: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - gives an answer, does not raise
        raw_bytes: bool = True,
    ) -> TurnMessages:
        """Like ``Toolset.arun``, with this binding."""
        return await self.toolset.arun(
            response, binding=self, context=context, timeout=timeout, raw_bytes=raw_bytes
        )

    def call(
        self, name: str, arguments: Json, *, context: Any = None, timeout: float | None = None
    ) -> CallResult:
        """Run one call as a model of this target wrote it."""
        job = self.toolset.job(self.restorer, name, arguments, None, context, timeout)
        return job if isinstance(job, CallResult) else carry_out(job)

    async def acall(
        self,
        name: str,
        arguments: Json,
        *,
        context: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - gives an answer, does not raise
    ) -> CallResult:
        """Run one call as a model of this target wrote it, awaited."""
        job = self.toolset.job(self.restorer, name, arguments, None, context, timeout)
        return job if isinstance(job, CallResult) else await acarry_out(job)

    def to_langchain(self, context: Any = None) -> list[Any]:
        """Return LangChain tools with the bound definitions, which run the calls."""
        return langchain_tools(self, context)

    def to_pydantic_ai(self, context: Any = None) -> list[Any]:
        """Return Pydantic AI tools with the bound definitions, which run the calls."""
        return pydantic_ai_tools(self, context)

    def to_openai_agents(self, context: Any = None) -> list[Any]:
        """Return OpenAI Agents SDK tools with the bound definitions, which run the calls."""
        return openai_agents_tools(self, context)
