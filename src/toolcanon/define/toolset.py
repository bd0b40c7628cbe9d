"""Tools with their functions: selected, bound for any provider, run for its answers.

Only statements count. A search may guess what a tool does from its description, but a guess is no
permission: a tool without a statement that it only reads is not selected as read-only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any, Final, Literal, Self, TypeAlias, TypedDict, TypeVar, Unpack

from toolcanon.calls.restore import Calls, CallShape
from toolcanon.conversations.read_write import codecs
from toolcanon.conversion import Binding
from toolcanon.conversion.binding import bind_target_of, calls_of
from toolcanon.conversion.target import BindTarget, Naming, Target, find_bind_target
from toolcanon.define.bound_toolset import BoundToolset
from toolcanon.define.callable_info import Context
from toolcanon.define.results import MOST_BYTES, MOST_CHARS, Sizes
from toolcanon.define.run_calls import (
    CallResult,
    Job,
    Restorer,
    acarry_out,
    carry_out,
    left_out,
    prepared,
    seconds,
    together,
)
from toolcanon.define.toolset_entries import ToolsetEntry, by_id, entries_of
from toolcanon.define.turn_messages import TurnMessages, answer_of, events_of, sendable
from toolcanon.errors import UnknownTool, UsageError, nearest
from toolcanon.formats.wire.bodies import why_spoilt
from toolcanon.ir import CanonicalTool, Kind, stated_hints
from toolcanon.ir.conversation import Answer, Call
from toolcanon.jsonio.load import repeats_keys
from toolcanon.jsonio.types import Json
from toolcanon.text import safe

Secrecy: TypeAlias = Literal["public", "internal", "confidential", "restricted"]
Cost: TypeAlias = Literal["free", "low", "medium", "high"]
Words: TypeAlias = str | Collection[str]
Test: TypeAlias = Callable[[CanonicalTool], bool]

_SECRECY: Final = ("public", "internal", "confidential", "restricted")
_COST: Final = ("free", "low", "medium", "high")


def tests(  # noqa: PLR0913 - one parameter for each criterion
    *,
    names: Words | None,
    capability: Words | None,
    tags: Words | None,
    read_only: bool | None,
    security: Secrecy | None,
    permissions: Words | None,
    cost: Cost | None,
) -> Iterator[Test]:
    """Return the conditions for a tool, for the criteria that are given."""
    if names is not None:
        wanted = _words(names)
        yield lambda tool: not wanted.isdisjoint({tool.name, tool.id})
    if capability is not None:
        kinds = _words(capability)
        yield (
            lambda tool: not kinds.isdisjoint({tool.capabilities.action, tool.capabilities.domain})
        )
    if tags is not None:
        marks = _words(tags)
        yield lambda tool: not marks.isdisjoint(tool.tags)
    if read_only is not None:
        yield lambda tool: _reads_only(tool) is read_only
    if security is not None:
        levels = _up_to(security, _SECRECY, "security")
        yield lambda tool: tool.security is not None and tool.security.data_classification in levels
    if permissions is not None:
        granted = _words(permissions)
        yield lambda tool: granted.issuperset(
            () if tool.security is None else tool.security.required_permissions
        )
    if cost is not None:
        prices = _up_to(cost, _COST, "cost")
        yield lambda tool: tool.capabilities.cost_estimate in prices


def _words(given: Words) -> frozenset[str]:
    return frozenset([given] if isinstance(given, str) else given)


def _up_to(word: str, scale: tuple[str, ...], option: str) -> frozenset[str]:
    if word not in scale:
        near = nearest(word, scale)
        hint = f"did you mean {near!r}?" if near else f"use one of {', '.join(scale)}"
        raise UsageError(f"{option}={word!r} is not a level; {hint}")
    return frozenset(scale[: scale.index(word) + 1])


def _reads_only(tool: CanonicalTool) -> bool:
    stated = stated_hints(tool).get("read_only")
    if stated is None and tool.has_own_capabilities:
        return not tool.capabilities.side_effects
    return stated is True


Member = TypeVar("Member")
AT_ONCE: Final = 16


class BindOptions(TypedDict, total=False):
    """How tools are written for a target; see ``toolcanon.bind``."""

    strict: bool | str
    dialect: str | None
    model: str | None
    via: str | None
    naming: Naming | None
    lower: bool


class Toolset:
    """Tools of any origin, under unique names.

    Members are functions (decorated or not), bound methods, models, definitions of any format,
    pairs of a definition and the function that takes its arguments as one dict, live servers, and
    other toolsets.

    >>> def add(a: int, b: int = 1) -> int:
    ...     '''Add two numbers.'''
    ...     return a + b
    >>> tools = Toolset([add])
    >>> tools.call("add", {"a": 2}).value
    3
    >>> tools.call("add", {"a": "x"}).response.error_type
    'validation'
    """

    def __init__(
        self,
        members: Iterable[Any] = (),
        *,
        namespace: str | None = None,
        max_result_chars: int | None = MOST_CHARS,
        max_media_bytes: int | None = MOST_BYTES,
        at_once: int = AT_ONCE,
    ) -> None:
        """``at_once`` is how many calls of one answer ``arun`` runs at a time.

        Raises UsageError for invalid members and limits, and DefinitionError.
        """
        _check_count("at_once", at_once, 1)
        for name, most in (("result_chars", max_result_chars), ("media_bytes", max_media_bytes)):
            if most is not None:
                _check_count(f"max_{name}", most, 0)
        self._entries: dict[str, ToolsetEntry] = {}
        self._bound: dict[str, list[BoundToolset]] = {}
        self._direct: Restorer | None = None
        self._sizes = Sizes(max_result_chars, max_media_bytes)
        self._at_once = at_once
        self._namespace = namespace
        for member in members:
            self.add(member)

    def add(self, member: Member, handler: Callable[[Any], Any] | None = None) -> Member:
        """Add one member; earlier bindings do not have it.

        ``handler`` runs the calls of a definition: it is called with the arguments as one dict,
        or with the text of a free-text tool. Returns the member, so it can be a decorator. Raises
        UsageError for a name that is taken, and DefinitionError.
        """
        found: Iterable[ToolsetEntry] = (
            member._entries.values()  # noqa: SLF001 - the same class
            if isinstance(member, Toolset)
            else entries_of(member, handler)
        )
        if self._namespace is not None:
            found = [_within(entry, self._namespace) for entry in found]
        self._entries = by_id([*self._entries.values(), *found])
        self._direct = None
        return member

    @property
    def tools(self) -> list[CanonicalTool]:
        """Return the definitions, in order."""
        return [entry.tool for entry in self._entries.values()]

    @property
    def names(self) -> list[str]:
        """Return the ids of the tools, in order."""
        return list(self._entries)

    def __iter__(self) -> Iterator[CanonicalTool]:
        return iter(self.tools)

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, tool: object) -> bool:
        if isinstance(tool, CanonicalTool):
            return tool.id in self._entries and self._entries[tool.id].tool == tool
        return isinstance(tool, str) and tool in self._entries

    def __getitem__(self, name: str) -> CanonicalTool:
        return self._entry(name).tool

    def __repr__(self) -> str:
        return f"Toolset({', '.join(self.names)})"

    def _entry(self, name: str) -> ToolsetEntry:
        try:
            return self._entries[name]
        except KeyError:
            raise UnknownTool(name, tuple(self._entries)) from None

    def filter(  # noqa: PLR0913 - one option for each criterion
        self,
        where: Test | None = None,
        *,
        names: Words | None = None,
        capability: Words | None = None,
        tags: Words | None = None,
        read_only: bool | None = None,
        security: Secrecy | None = None,
        permissions: Words | None = None,
        cost: Cost | None = None,
    ) -> Self:
        """Return the tools that meet all given criteria.

        ``capability`` is an action or a domain, ``tags`` matches any of several. ``security`` and
        ``cost`` are the highest allowed levels, ``permissions`` those granted. Levels and read_only
        need a statement: a tool without one does not match.
        """
        asked = list(
            tests(
                names=names,
                capability=capability,
                tags=tags,
                read_only=read_only,
                security=security,
                permissions=permissions,
                cost=cost,
            )
        )
        asked += [where] if where is not None else []
        kept = (e for e in self._entries.values() if all(test(e.tool) for test in asked))
        return self._like(kept)

    def prefixed(self, prefix: str) -> Self:
        """Return the same tools with a word and ``_`` before each name."""
        entries = self._entries.values()
        return self._like(one.renamed(name=f"{prefix}_{one.tool.name}") for one in entries)

    def _like(self, entries: Iterable[ToolsetEntry]) -> Self:
        made = type(self)(
            max_result_chars=self._sizes.chars,
            max_media_bytes=self._sizes.media,
            at_once=self._at_once,
        )
        made._entries = by_id(entries)  # noqa: SLF001 - the same class
        return made

    def bind(self, to: str | Target, **options: Unpack[BindOptions]) -> BoundToolset:
        """Write the tools for a target; answers from there are then read by this binding.

        The same target and options return the same binding until a tool is added; then a new one
        replaces it. Raises UnknownFormat, NotWritable, UnknownDialect.
        """
        bind_target = find_bind_target(to, **options)
        same = self._bound.setdefault(bind_target.target.id, [])
        for index, known in enumerate(same):
            if _is_same(known.asked, bind_target):
                if known.entries is not self._entries:
                    same[index] = self._bind(bind_target)
                return same[index]
        same.append(self._bind(bind_target))
        return same[-1]

    def _bind(self, bind_target: BindTarget) -> BoundToolset:
        bound = BoundToolset(self.tools, bind_target)
        bound.toolset, bound.asked, bound.entries = self, bind_target, self._entries
        return bound

    def run(
        self,
        response: Any,
        *,
        binding: Binding | None = None,
        context: Any = None,
        timeout: float | None = None,
        raw_bytes: bool = True,
    ) -> TurnMessages:
        """Run the calls of an answer in order; return the messages to append to the history.

        ``response`` is a provider's answer: the object of its SDK, its JSON, the events of a
        stream, or the result of ``accumulate``. Calls are read by the binding made for that
        provider, or by ``binding``. The list holds the model's turn, then the results of its calls:

            while True:
                ran = bound.run(ask(history))
                history += ran
                if ran.is_final:
                    break

        ``context`` is a Context or the state of one: tools get it, models never see it.
        ``timeout`` is seconds for each call; a tool's own limit holds as well. SDKs that take bytes
        get bytes; for messages that are sent as JSON, ``raw_bytes=False`` encodes them.

        Errors of the model or of a tool become answers for the model. Raises NotAConversation,
        CutStream, AnswerFailed for an error, an empty or an unfinished answer, CannotCall, and
        UsageError when no binding, or more than one, is for that provider.
        """
        answer, sent, jobs = self._jobs(response, binding, context, timeout)
        done = [one if isinstance(one, CallResult) else carry_out(one) for one in jobs]
        return TurnMessages(answer, sent, done, raw_bytes=raw_bytes)

    async def arun(
        self,
        response: Any,
        *,
        binding: Binding | None = None,
        context: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - gives an answer, does not raise
        raw_bytes: bool = True,
    ) -> TurnMessages:
        """Like ``run``, with all calls at once; functions that are not async run in threads.

        Also takes an async stream. Cancelling it cancels the calls.
        """
        response = events_of(response)
        if hasattr(response, "__aiter__"):
            response = [event async for event in response]
        answer, sent, jobs = self._jobs(response, binding, context, timeout)
        done = await together(jobs, self._at_once)
        return TurnMessages(answer, sent, done, raw_bytes=raw_bytes)

    def call(
        self, name: str, arguments: Json, *, context: Any = None, timeout: float | None = None
    ) -> CallResult:
        """Run one call with the tool's own name and arguments, and answer as ``run`` does."""
        job = self.job(self._calls(), name, arguments, None, context, timeout)
        return job if isinstance(job, CallResult) else carry_out(job)

    async def acall(
        self,
        name: str,
        arguments: Json,
        *,
        context: Any = None,
        timeout: float | None = None,  # noqa: ASYNC109 - gives an answer, does not raise
    ) -> CallResult:
        """Run one call with the tool's own name and arguments, awaited."""
        job = self.job(self._calls(), name, arguments, None, context, timeout)
        return job if isinstance(job, CallResult) else await acarry_out(job)

    def _calls(self) -> Restorer:
        """Return the restorer of calls that are not changed for a target."""
        if self._direct is None:
            shapes = Calls(_shape(entry.tool) for entry in self._entries.values())
            self._direct = Restorer(shapes)
        return self._direct

    def _jobs(
        self, response: Any, binding: Binding | None, context: Any, timeout: float | None
    ) -> tuple[Answer, Answer, list[Job | CallResult]]:
        """Return the answer, its form for the history, and its calls as jobs."""
        if timeout is not None:
            timeout = seconds(timeout)
        source = None if binding is None else binding.format
        answer = answer_of(response, source if source in codecs() else None)
        bound = binding or self._binding_for(answer.format)
        if not answer.calls:
            return answer, sendable(answer, None), []
        if bound is None:
            raise UsageError(
                f"no binding is for answers of {answer.format}; send that provider the payload "
                "of toolset.bind(…), or pass binding=…"
            )
        sent = sendable(answer, bind_target_of(bound).target.names)
        calls = bound.restorer if isinstance(bound, BoundToolset) else Restorer(calls_of(bound))
        jobs: list[Job | CallResult] = []
        for call, known in zip(answer.calls, sent.calls, strict=True):
            why = why_spoilt(call, answer)
            if why is None:
                name, arguments = _full_name(call), _sent(call)
                jobs.append(self.job(calls, name, arguments, known.id, context, timeout))
            else:
                jobs.append(left_out(call, why))
        return answer, sent, jobs

    def job(  # noqa: PLR0913, PLR0917 - all parameters of one call
        self,
        calls: Restorer,
        name: str,
        arguments: Json,
        call_id: str | None,
        context: Any,
        timeout: float | None,
    ) -> Job | CallResult:
        # One call, prepared; its result where it cannot be run. Internal, so without a docstring.
        if context is not None:
            given = context if isinstance(context, Context) else Context(context)
            context = given if call_id is None else replace(given, call_id=call_id)
        return prepared(
            calls,
            self._entries,
            name,
            arguments,
            call_id=call_id,
            context=context,
            timeout=timeout,
            sizes=self._sizes,
        )

    def _binding_for(self, format_id: str) -> BoundToolset | None:
        """Return the binding for answers of this format; some formats share their form of answers.

        Raises UsageError for several: each reads the same call differently.
        """
        found = self._bound.get(format_id)
        if not found:
            apart = (bound for known, bound in self._bound.items() if known not in codecs())
            found = [one for bound in apart for one in bound]
        if len(found) > 1:
            raise UsageError(
                f"{len(found)} bindings fit this answer of {format_id}; use "
                "bound.run(…) of the one that was sent, or pass binding=…"
            )
        return found[0] if found else None


def _check_count(name: str, value: Any, least: int) -> None:
    if value.__class__ is not int or value < least:
        raise UsageError(f"{name} is {safe(repr(value))}; pass a whole number, {least} or more")


def _within(entry: ToolsetEntry, namespace: str) -> ToolsetEntry:
    inner = entry.tool.namespace
    return entry.renamed(namespace=f"{namespace}.{inner}" if inner else namespace)


def _shape(tool: CanonicalTool) -> CallShape:
    inputs = tool.input_schema if tool.kind is Kind.FUNCTION else None
    return CallShape(tool.id, tool.id, inputs, inputs or {}, None)


def _full_name(call: Call) -> str:
    return f"{call.namespace}:{call.name}" if call.namespace else call.name


def _sent(call: Call) -> Json:
    """Return the arguments as they came: the text where its value does not have all of it."""
    text, value = call.text, call.arguments
    if call.is_text or (call.problem is not None and text is not None):
        return text
    return text if text and isinstance(value, dict) and repeats_keys(text, value) else value


def _is_same(one: BindTarget, other: BindTarget) -> bool:
    """Return whether tools are written the same for both."""
    return one.choice == other.choice and one.target.naming == other.target.naming
