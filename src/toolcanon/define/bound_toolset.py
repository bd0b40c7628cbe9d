"""A binding that knows its functions: what was sent, and what runs when it comes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolcanon.conversion import Binding
from toolcanon.conversion.bind_target import BindTarget
from toolcanon.conversion.binding import calls_of
from toolcanon.define.entries import Entry
from toolcanon.define.ran import TurnMessages
from toolcanon.define.restoring import Restorer
from toolcanon.define.running import CallResult, acarry_out, carry_out
from toolcanon.jsonio.types import Json

if TYPE_CHECKING:
    from toolcanon.define.toolset import Toolset


class BoundToolset(Binding):
    """A binding that knows its functions, so that it can run what comes back."""

    __slots__ = ("_restorer", "asked", "entries", "toolset")

    toolset: Toolset
    asked: BindTarget
    """How it was asked for; the binding's own way may have names beside."""
    entries: dict[str, Entry]
    """The tools that it was made for."""
    _restorer: Restorer

    @property
    def restorer(self) -> Restorer:
        """The way back of its calls, made once."""
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
        """``Toolset.run`` by this very binding."""
        return self.toolset.run(
            response, binding=self, context=context, timeout=timeout, raw_bytes=raw_bytes
        )

    async def arun(
        self,
        response: Any,
        *,
        context: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - a limit that is answered, not raised
        raw_bytes: bool = True,
    ) -> TurnMessages:
        """``Toolset.arun`` by this very binding."""
        return await self.toolset.arun(
            response, binding=self, context=context, timeout=timeout, raw_bytes=raw_bytes
        )

    def call(
        self, name: str, arguments: Json, *, context: Any = None, timeout: float | None = None
    ) -> CallResult:
        """Carry out one call as a model of this target wrote it."""
        job = self.toolset.job(self.restorer, name, arguments, None, context, timeout)
        return job if isinstance(job, CallResult) else carry_out(job)

    async def acall(
        self,
        name: str,
        arguments: Json,
        *,
        context: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - as above
    ) -> CallResult:
        """The same, awaited."""
        job = self.toolset.job(self.restorer, name, arguments, None, context, timeout)
        return job if isinstance(job, CallResult) else await acarry_out(job)

    def to_langchain(self, context: Any = None) -> list[Any]:
        """Tools of LangChain that send what was bound and run what comes back."""
        from toolcanon.define.frameworks import langchain_tools  # noqa: PLC0415 - an extra

        return langchain_tools(self, context)

    def to_pydantic_ai(self, context: Any = None) -> list[Any]:
        """The same for Pydantic AI."""
        from toolcanon.define.frameworks import pydantic_ai_tools  # noqa: PLC0415 - an extra

        return pydantic_ai_tools(self, context)

    def to_openai_agents(self, context: Any = None) -> list[Any]:
        """The same for the OpenAI Agents SDK."""
        from toolcanon.define.frameworks import openai_agents_tools  # noqa: PLC0415 - an extra

        return openai_agents_tools(self, context)
