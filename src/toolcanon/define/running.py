"""Calls carried out: restored, checked, run within their time, and answered whatever happens.

What a model does wrong and what a tool fails with are answers. What the application does wrong (a
tool without a function, a context that is missing) is raised, and so are cancellation and Ctrl-C.

A time limit ends an async function where it waits. A function that is not async cannot be stopped
from outside: it runs in a thread of its own, and when its time is up nobody waits for it any more.
Without a limit it runs in the caller's own thread, or, awaited, in a thread beside the loop.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from dataclasses import dataclass
from functools import partial
from types import GeneratorType
from typing import Any, Final, Literal, TypeVar

from toolcanon.conversion import RestoredCall
from toolcanon.define.entries import Entry, Handler
from toolcanon.define.injected import Context
from toolcanon.define.restoring import Restorer
from toolcanon.define.results import (
    PLAIN,
    NotSayable,
    Sizes,
    acollected,
    clean_text,
    collected,
    fitted,
    result_of,
)
from toolcanon.diagnostics import Repair
from toolcanon.errors import CannotCall, RefusedArguments, UnknownTool, UsageError
from toolcanon.ir.conversation import Call, Result
from toolcanon.ir.response import ErrorKind, ToolResponse
from toolcanon.jsonio.types import Json
from toolcanon.text import safe
from toolcanon.text.secrets import mask_text

T = TypeVar("T")
_LONGEST: Final = 2000
_LONGEST_WAIT: Final = threading.TIMEOUT_MAX
"""Centuries; Python refuses to wait any longer."""
_CANCELLED: Final = "it was cancelled from within"
_SPOILT: Final = {
    "length": "was cut at the limit of the answer's length, so its arguments may be incomplete. It "
    "was not carried out. Call the tool again with shorter arguments.",
    "filter": "came in an answer that a filter stopped, so it may be incomplete. It was not "
    "carried out. Go on without it, or call the tool again with other arguments.",
}


@dataclass(slots=True, eq=False)  # frozen would cost more than a look at the arguments
class CallResult:
    """One call and its answer."""

    name: str
    """The tool's id; what the model called it, when there is no such tool."""
    arguments: Json
    """In the tool's own terms; as they came, when they cannot be used."""
    result: Result
    """What the model is told."""
    value: Any = None
    """What the function returned."""
    error: BaseException | None = None
    """What it raised."""
    repairs: tuple[Repair, ...] = ()
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Whether the tool was run and did not fail."""
        return not self.result.is_error

    @property
    def response(self) -> ToolResponse:
        """The answer as data, or as an error with a kind."""
        return ToolResponse.from_result(self.result)


@dataclass(slots=True, eq=False)  # frozen would cost more than a look at the arguments
class Job:
    """One call that can be carried out."""

    entry: Entry
    handler: Handler
    name: str
    called: str
    """The name by which the model called it."""
    arguments: Json
    repairs: tuple[Repair, ...]
    call_id: str | None
    context: Context[Any] | None
    limit: float | None
    sizes: Sizes

    def answered(self, value: Any, begun: float) -> CallResult:
        """The call with what came back. Raises NotSayable."""
        result = result_of(value, self.handler.dump)
        result.content = fitted(result.content, self.sizes, self.entry.tool)
        return self._called(result, begun, value=value)

    def failed(self, error: Exception, begun: float) -> CallResult:
        """The call with what went wrong; raises what is the application's own mistake."""
        if isinstance(error, CannotCall) and self.entry.is_blamed(error):
            raise error
        return self._called(_failure(error, self.called).to_result(None), begun, error=error)

    def overdue(self, begun: float, *, is_stopped: bool) -> CallResult:
        """The call, given up."""
        end = "and was stopped" if is_stopped else "and may still be at work"
        text = f"{self.called} did not finish within {self.limit:g} seconds {end}."
        return self._called(_told(text, "timeout").to_result(None), begun, error=TimeoutError(text))

    def _called(
        self, result: Result, begun: float, value: Any = None, error: BaseException | None = None
    ) -> CallResult:
        result.call_id, result.name = self.call_id, self.called
        seconds = time.perf_counter() - begun
        return CallResult(self.name, self.arguments, result, value, error, self.repairs, seconds)


def seconds(timeout: Any) -> float:
    """A limit that can be kept; raises UsageError for one that means nothing."""
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if is_number and timeout > 0:  # which no NaN is, either
        return timeout  # type: ignore[no-any-return]  # a number, as was asked
    raise UsageError(f"a timeout of {safe(repr(timeout))} means nothing; give seconds, or None")


def prepared(  # noqa: PLR0913 - what came, and how it is to be run
    calls: Restorer,
    entries: Mapping[str, Entry],
    name: str,
    arguments: Json,
    *,
    call_id: str | None,
    context: Context[Any] | None,
    timeout: float | None,
    sizes: Sizes,
) -> Job | CallResult:
    """A model's call as one to carry out; already answered when it cannot be.

    Raises CannotCall for a tool that nothing carries out.
    """
    fitting = calls.fitting(name, arguments)
    repairs: tuple[Repair, ...] = ()
    if fitting is not None:
        shape, found = fitting
        tool, called = shape.id, shape.wire_name
    else:
        try:
            restored = calls.restore(name, arguments)
        except UnknownTool as error:
            result = _told(str(error), "not_found").to_result(call_id, name)
            return CallResult(name, arguments, result, error=error)
        if restored.problems:
            problems = calls.as_seen(restored, arguments)
            refused = RefusedArguments(restored.name, problems, restored.message)
            result = _failure(refused, restored.called).to_result(call_id, restored.called)
            return CallResult(restored.name, arguments, result, None, refused, restored.repairs)
        tool, called, found = restored.name, restored.called, restored.arguments
        repairs = restored.repairs
    entry = entries.get(tool)
    if entry is None:
        reason = f"it was bound, but is not in this toolset ({', '.join(entries) or 'empty'})"
        advice = "use the toolset that made the binding, or a binding that this toolset makes"
        raise CannotCall(tool, reason, advice)
    limit = entry.limit
    if timeout is not None:
        timeout = seconds(timeout)
        limit = timeout if limit is None else min(timeout, limit)
    return Job(entry, entry.carrier, tool, called, found, repairs, call_id, context, limit, sizes)


def left_out(call: Call, why: Literal["length", "filter"]) -> CallResult:
    """The answer to a call that the end of the model's answer may have spoilt."""
    text = f"The call of {call.name} {_SPOILT[why]}"
    result = _told(text, "validation").to_result(call.id, call.name)
    return CallResult(call.name, call.arguments, result)


def carry_out(job: Job) -> CallResult:
    """Carry out one call and wait for it."""
    begun = time.perf_counter()
    try:
        if job.entry.is_async and not (job.entry.is_plain and _is_in_loop()):
            return _alone(partial(acarry_out, job), job.name)
        if job.limit is None:
            value = _worked(job)
        else:
            ended = _in_thread(partial(_worked, job)).result(min(job.limit, _LONGEST_WAIT))
            value = ended.value()
        if _is_open(value):
            value = _alone(partial(_settled, value), job.name)
        return job.answered(value, begun)
    except TimeoutError as error:
        if job.limit is not None and time.perf_counter() - begun >= job.limit:
            return job.overdue(begun, is_stopped=False)
        return job.failed(error, begun)
    except asyncio.CancelledError:  # nobody else can cancel where nobody awaits
        return job.failed(RuntimeError(_CANCELLED), begun)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is its answer
        return job.failed(error, begun)


async def acarry_out(job: Job) -> CallResult:
    """Carry out one call while others run."""
    begun = time.perf_counter()
    scope = asyncio.timeout(job.limit)
    try:
        async with scope:
            if job.entry.is_async:
                value = await job.handler.acall(job.arguments, job.context)
            else:
                ended = await asyncio.wrap_future(_in_thread(partial(_worked, job)))
                value = ended.value()
            if _is_open(value):
                value = await _settled(value)
        return job.answered(value, begun)
    except TimeoutError as error:
        if scope.expired():
            return job.overdue(begun, is_stopped=job.entry.is_async)
        return job.failed(error, begun)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if task is None or task.cancelling():
            raise
        return job.failed(RuntimeError(_CANCELLED), begun)
    except Exception as error:  # noqa: BLE001 - whatever a tool raises is its answer
        return job.failed(error, begun)


async def together(jobs: list[Job | CallResult], at_once: int) -> list[CallResult]:
    """All calls of one answer, so many at a time; in the order in which they were asked for."""
    free = asyncio.Semaphore(at_once)

    async def one(job: Job | CallResult) -> CallResult:
        if isinstance(job, CallResult):
            return job
        async with free:
            return await acarry_out(job)

    try:
        async with asyncio.TaskGroup() as tasks:
            running = [tasks.create_task(one(job)) for job in jobs]
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None
    return [task.result() for task in running]


def _alone(work: Callable[[], Coroutine[Any, Any, T]], name: str) -> T:
    """Run something async where nothing else is."""
    if _is_in_loop():
        raise CannotCall(name, "it is async, and so is whoever calls", "await arun(…) or acall(…)")
    return asyncio.run(work())


def _is_in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


def _worked(job: Job) -> Any:
    try:
        value = job.handler.call(job.arguments, job.context)
        return collected(value) if isinstance(value, GeneratorType) else value
    except GeneratorExit as error:  # nothing that is called can be closed from outside
        raise RuntimeError("it raised GeneratorExit") from error


def _is_open(value: Any) -> bool:
    """Whether it has to be awaited, although the function does not say that it is async."""
    if value.__class__ in PLAIN:
        return False
    return inspect.isawaitable(value) or inspect.isasyncgen(value)


async def _settled(value: Any) -> Any:
    return await (acollected(value) if inspect.isasyncgen(value) else value)


@dataclass(slots=True, eq=False)
class _Ended:
    """How some work ended, as a value: there are errors that a loop refuses to hand over."""

    found: Any = None
    error: BaseException | None = None

    def value(self) -> Any:
        """What was found; raises what was raised."""
        if self.error is not None:
            raise self.error
        return self.found


def _in_thread(work: Callable[[], Any]) -> Future[_Ended]:
    """Start something in a thread that a program may end without; the pools of others wait."""
    future: Future[_Ended] = Future()
    context = copy_context()

    def body() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            ended = _Ended(context.run(work))
        except BaseException as error:  # noqa: BLE001 - handed to whoever waits
            ended = _Ended(error=error)
        future.set_result(ended)

    threading.Thread(target=body, name="toolcanon call", daemon=True).start()
    return future


def _failure(error: Exception, called: str) -> ToolResponse:
    """What is told of an error: never a trace, never what looks like a secret."""
    if isinstance(error, RefusedArguments):
        again = RestoredCall(error.tool, None, error.problems, (), called)
        places = [str(problem.at) for problem in error.problems if str(problem.at)]
        details = {"parameter": clean_text(places[0])} if len(places) == 1 else {}
        return _told(again.message, "validation", **details)
    if isinstance(error, NotSayable):
        return _told(f"{called} failed: {error}.", "execution")
    try:
        said = mask_text(clean_text(str(error)[: 2 * _LONGEST]))[:_LONGEST]
    except Exception:  # noqa: BLE001 - an error that cannot even say what it is
        said = ""
    kind = type(error).__name__
    return _told(f"{kind}: {said}" if said else kind, "execution")


def _told(text: str, kind: ErrorKind, **details: Json) -> ToolResponse:
    """A failure in words that can be sent, whatever they quote."""
    return ToolResponse.failure(clean_text(text), kind, **details)
