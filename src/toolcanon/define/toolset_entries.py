"""Entries of a toolset: tools, each with the handler of its calls."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol, runtime_checkable

from pydantic_core import to_jsonable_python

from toolcanon.conversion import read
from toolcanon.define.callable_info import Context, place_of
from toolcanon.define.function_tool import FunctionTool, define_tool, definition_of
from toolcanon.errors import CannotCall, DefinitionError, UsageError
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio.types import Json

_PAIR: Final = 2


@runtime_checkable
class LiveSource(Protocol):
    """Has tools and answers their calls, for example a connection to a server.

    ``call`` returns a CallToolResult of the Model Context Protocol, or any value that a function
    may return. With ``async def acall(name, arguments)`` as well, waiting needs no thread.
    """

    def tools(self) -> Sequence[CanonicalTool]:
        """Return the current tools."""

    def call(self, name: str, arguments: Json) -> Any:
        """Return the answer to one call."""


class Handler(Protocol):
    """Runs the calls of one tool."""

    @property
    def is_async(self) -> bool:
        """Return whether ``acall`` does not block the event loop."""

    def call(self, arguments: Json, context: Context[Any] | None) -> Any:
        """Run a call and wait for it."""

    async def acall(self, arguments: Json, context: Context[Any] | None) -> Any:
        """Run a call, awaited."""

    def dump(self, value: Any) -> Json:
        """Return a result as JSON."""


@dataclass(frozen=True, slots=True)
class _Handled:
    """A function that takes the arguments of a tool as one value."""

    fn: Callable[[Any], Any]
    is_async: bool

    def call(self, arguments: Json, context: Context[Any] | None) -> Any:
        del context
        return self.fn(arguments)

    async def acall(self, arguments: Json, context: Context[Any] | None) -> Any:
        found = self.call(arguments, context)
        return await found if inspect.isawaitable(found) else found

    def dump(self, value: Any) -> Json:
        return to_jsonable_python(value)


@dataclass(frozen=True, slots=True)
class _FunctionEntry:
    """A function with its definition; whether it is async is determined once."""

    definition: FunctionTool
    is_async: bool
    is_simple: bool
    """Whether it takes only the model's arguments."""

    @property
    def name(self) -> str:
        return self.definition.name

    def call(self, arguments: Json, context: Context[Any] | None) -> Any:
        definition = self.definition
        if self.is_simple:
            return definition.fn(**definition.validate(arguments))
        return definition._called(arguments, context)  # noqa: SLF001 - of the same package

    async def acall(self, arguments: Json, context: Context[Any] | None) -> Any:
        return await self.definition.acall(arguments, context)

    def dump(self, value: Any) -> Json:
        return self.definition.dump(value)


@dataclass(frozen=True, slots=True)
class _Remote:
    """A tool of a live source, under its name there."""

    source: Any
    name: str

    @property
    def is_async(self) -> bool:
        return hasattr(self.source, "acall")

    def call(self, arguments: Json, context: Context[Any] | None) -> Any:
        del context
        return self.source.call(self.name, arguments)

    async def acall(self, arguments: Json, context: Context[Any] | None) -> Any:
        del context
        return await self.source.acall(self.name, arguments)

    def dump(self, value: Any) -> Json:
        return to_jsonable_python(value)


@dataclass(frozen=True, slots=True, eq=False)
class ToolsetEntry:
    """A tool, its handler, and where it came from."""

    tool: CanonicalTool
    handler: Handler | None
    origin: Any
    is_async: bool = False

    @property
    def limit(self) -> float | None:
        """Return the time limit in seconds, if its definition has one."""
        found: float | None = self.tool.__dict__.get("timeout")  # faster than a missing attribute
        return found

    @property
    def is_plain(self) -> bool:
        """Return whether its calls can run without an event loop."""
        return not self.is_async or isinstance(self.handler, _Remote)

    @property
    def carrier(self) -> Handler:
        """Return the handler of its calls; raises CannotCall when there is none."""
        if self.handler is None:
            raise CannotCall(
                self.tool.id,
                "no function runs it",
                "give it a function: toolset.add(tool, function)",
            )
        return self.handler

    def is_blamed(self, error: CannotCall) -> bool:
        """Return whether the error is about a wrong call of this tool."""
        return error.tool in {self.tool.id, getattr(self.handler, "name", None)}

    def renamed(self, **changes: str) -> ToolsetEntry:
        """Return the entry with another name or namespace."""
        return replace(self, tool=self.tool.model_copy(update=changes))

    def described(self) -> str:
        """Return where it came from, for errors."""
        origin = self.origin
        if isinstance(origin, FunctionTool):
            source = origin.arguments.subject.source
            file, line = place_of(source)
            return f"{getattr(source, '__qualname__', origin.name)} ({file}:{line})"
        if isinstance(origin, CanonicalTool):
            return f"a definition read from {origin.source_format}"
        return str(getattr(origin, "reached", None) or type(origin).__name__)


def entries_of(member: Any, handler: Callable[[Any], Any] | None = None) -> Iterator[ToolsetEntry]:
    """Yield the tools of one member; raises UsageError or DefinitionError for none."""
    if isinstance(member, tuple) and len(member) == _PAIR and callable(member[1]):
        member, handler = member
    if isinstance(member, dict):
        members = read(member)
        if handler is not None and len(members) != 1:
            raise UsageError(
                "one function cannot run the calls of several tools; add them one by one"
            )
        for tool in members:
            yield from entries_of(tool, handler)
    elif isinstance(member, CanonicalTool):
        yield ToolsetEntry(member, *_handled(handler, member))
    elif handler is not None:
        raise UsageError(
            f"a {type(member).__name__} answers its own calls; leave the second function out"
        )
    elif isinstance(member, LiveSource) and not isinstance(member, type):
        for tool in member.tools():
            remote = _Remote(member, tool.name)
            yield ToolsetEntry(tool, remote, member, remote.is_async)
    else:
        definition = _definition(member)
        is_simple = not (definition.is_model or definition.arguments.slots)
        function = _FunctionEntry(definition, definition.is_async, is_simple)
        yield ToolsetEntry(definition.tool, function, definition, function.is_async)


def _handled(handler: Callable[[Any], Any] | None, origin: Any) -> tuple[Handler | None, Any, bool]:
    if handler is None:
        return None, origin, False
    is_async = inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
        getattr(handler, "__call__", None)  # noqa: B004 - its type matters, not its existence
    )
    return _Handled(handler, is_async), origin, is_async


def _definition(member: Any) -> FunctionTool:
    try:
        definition = definition_of(member)
    except DefinitionError:
        if not callable(member):
            raise UsageError(
                f"a {type(member).__name__} is not a tool; pass functions, definitions, toolsets "
                "or live servers"
            ) from None
        definition = define_tool(member)
    if definition.waits:
        raise CannotCall(
            definition.name,
            "it is a method and has no object",
            "give the bound method: object.method",
        )
    return definition


def by_id(entries: Iterable[ToolsetEntry]) -> dict[str, ToolsetEntry]:
    """Return the entries by the ids of their tools; raises UsageError that names both of a pair."""
    table: dict[str, ToolsetEntry] = {}
    for entry in entries:
        other = table.setdefault(entry.tool.id, entry)
        if other is not entry:
            raise UsageError(
                f"two tools are called {entry.tool.id!r}: {other.described()} and "
                f"{entry.described()}; rename one, or give one a namespace"
            )
    return table
