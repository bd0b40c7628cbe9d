"""A binding with the functions of its tools: it runs the calls of answers."""

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
    """A binding with the functions of its tools, so that it can run calls."""

    __slots__ = ("_restorer", "asked", "entries", "toolset")

    toolset: Toolset
    asked: BindTarget
    """The target as requested; the binding's own may have names as well."""
    entries: dict[str, Entry]
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
        from toolcanon.define.frameworks import langchain_tools  # noqa: PLC0415 - an extra

        return langchain_tools(self, context)

    def to_pydantic_ai(self, context: Any = None) -> list[Any]:
        """Return Pydantic AI tools with the bound definitions, which run the calls."""
        from toolcanon.define.frameworks import pydantic_ai_tools  # noqa: PLC0415 - an extra

        return pydantic_ai_tools(self, context)

    def to_openai_agents(self, context: Any = None) -> list[Any]:
        """Return OpenAI Agents SDK tools with the bound definitions, which run the calls."""
        from toolcanon.define.frameworks import openai_agents_tools  # noqa: PLC0415 - an extra

        return openai_agents_tools(self, context)
