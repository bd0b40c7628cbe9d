"""Calls carried out: restored, validated, run within their time, and answered.

Errors of the model or of a tool become answers. Errors of the application (a tool without a
function, a missing context) are raised, and so are cancellation and Ctrl-C.

A time limit cancels an async function. A function that is not async cannot be stopped: it runs in
its own thread, and after the limit its result is ignored. Without a limit it runs in the caller's
thread or, awaited, in a worker thread.

Most calls are valid as they are: then the lens and one validation are enough. For others ``Calls``
finds repairs and problems.
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

from toolcanon.calls.restore import Calls, CallShape
from toolcanon.conversion import RestoredCall
from toolcanon.conversion.losses import OBSERVERS, tell
from toolcanon.define.callable_info import Context
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
from toolcanon.define.toolset_entries import Handler, ToolsetEntry
from toolcanon.diagnostics import Repair
from toolcanon.errors import CannotCall, RefusedArguments, UnknownTool, UsageError
from toolcanon.ir.conversation import Call, Result
from toolcanon.ir.response import ErrorKind, ToolResponse
from toolcanon.jsonio.canonical import loads_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering.step import Trouble
from toolcanon.schema import upgrade
from toolcanon.schema.validate import Problem, judge
from toolcanon.text import safe
from toolcanon.text.secrets import mask_text


class Restorer:
    """Restores the calls of one binding."""

    __slots__ = ("_calls", "_known")

    def __init__(self, calls: Calls) -> None:
        self._calls = calls
        self._known: dict[str, CallShape] = {}
        for shape in calls.shapes:  # Calls resolves other names
            self._known.setdefault(shape.full_name, shape)

    def fitting(self, name: str, arguments: Json) -> tuple[CallShape, JsonObject] | None:
        """Return the tool and its own arguments for a valid call; None otherwise."""
        shape = self._known.get(name)
        if shape is None or shape.inputs is None:
            return None
        found = _quickly(shape, arguments)
        return (shape, found) if found.__class__ is dict and shape.judge.accepts(found) else None

    def restore(self, name: str, arguments: Json) -> RestoredCall:
        """Return a model's call with the tool's own name and arguments. Raises UnknownTool."""
        restored = self._calls.restore(name, arguments)
        if OBSERVERS:
            tell(restored.repairs)
        return restored

    def as_seen(self, restored: RestoredCall, arguments: Json) -> tuple[Problem, ...]:
        """Return the problems in terms of the wire schema, where it shows them."""
        shape = self._calls.named(restored.name)
        wire = _parsed(arguments)
        if shape.lens is None or not isinstance(wire, dict):
            return restored.problems
        found = judge(upgrade(shape.wire_inputs).schema).problems(wire)
        return tuple(found) or restored.problems


def _quickly(shape: CallShape, arguments: Json) -> Json:
    """Return the arguments if they are valid without repairs; None otherwise."""
    wire = arguments
    if wire.__class__ is bytes or wire.__class__ is str:
        try:
            wire = loads_exactly(wire)
        except ValueError:
            return None
    if shape.lens is None or wire.__class__ is not dict:
        return wire
    troubles: list[Trouble] = []
    found = shape.lens.restore(wire, troubles)
    return None if troubles else found


def _parsed(arguments: Json) -> Json:
    if not isinstance(arguments, (str, bytes)):
        return arguments
    try:
        return loads_exactly(arguments)
    except ValueError:
        return None


T = TypeVar("T")
_LONGEST: Final = 2000
_LONGEST_WAIT: Final = threading.TIMEOUT_MAX
"""Centuries; Python raises for longer timeouts."""
_CANCELLED: Final = "it was cancelled from within"
_SPOILT: Final = {
    "length": "was cut at the limit of the answer's length, so its arguments may be incomplete. It "
    "was not carried out. Call the tool again with shorter arguments.",
    "filter": "came in an answer that a filter stopped, so it may be incomplete. It was not "
    "carried out. Go on without it, or call the tool again with other arguments.",
}


@dataclass(slots=True, eq=False)  # frozen would cost more than validating the arguments
class CallResult:
    """One call and its answer."""

    name: str
    """The tool's id; the name in the call when there is no such tool."""
    arguments: Json
    """In the tool's own terms; unusable ones as they came."""
    result: Result
    """The answer for the model."""
    value: Any = None
    """The value that the function returned."""
    error: BaseException | None = None
    """The exception that the function raised."""
    repairs: tuple[Repair, ...] = ()
    """What was repaired in the arguments."""
    seconds: float = 0.0
    """The duration of the call."""

    @property
    def ok(self) -> bool:
        """Return whether the tool ran without an error."""
        return not self.result.is_error

    @property
    def response(self) -> ToolResponse:
        """Return the answer as data, or as an error with its kind."""
        return ToolResponse.from_result(self.result)


@dataclass(slots=True, eq=False)  # frozen would cost more than validating the arguments
class Job:
    """One call that can be run."""

    entry: ToolsetEntry
    handler: Handler
    name: str
    called: str
    """The name in the model's call."""
    arguments: Json
    repairs: tuple[Repair, ...]
    call_id: str | None
    context: Context[Any] | None
    limit: float | None
    sizes: Sizes

    def answered(self, value: Any, begun: float) -> CallResult:
        """Return the call with its result. Raises NotSayable."""
        result = result_of(value, self.handler.dump)
        result.content = fitted(result.content, self.sizes, self.entry.tool)
        return self._called(result, begun, value=value)

    def failed(self, error: Exception, begun: float) -> CallResult:
        """Return the call with its error; raises errors of the application."""
        if isinstance(error, CannotCall) and self.entry.is_blamed(error):
            raise error
        return self._called(_failure(error, self.called).to_result(None), begun, error=error)

    def overdue(self, begun: float, *, is_stopped: bool) -> CallResult:
        """Return the call after its time limit."""
        end = "and was stopped" if is_stopped else "and may still be at work"
        text = f"{self.called} did not finish within {self.limit:g} seconds {end}."
        return self._called(
            _failed_response(text, "timeout").to_result(None), begun, error=TimeoutError(text)
        )

    def _called(
        self, result: Result, begun: float, value: Any = None, error: BaseException | None = None
    ) -> CallResult:
        result.call_id, result.name = self.call_id, self.called
        seconds = time.perf_counter() - begun
        return CallResult(self.name, self.arguments, result, value, error, self.repairs, seconds)


def seconds(timeout: Any) -> float:
    """Return a valid time limit; raises UsageError for an invalid one."""
    is_number = isinstance(timeout, (int, float)) and not isinstance(timeout, bool)
    if is_number and timeout > 0:  # also excludes NaN
        return timeout  # type: ignore[no-any-return]  # a number, checked above
    raise UsageError(f"the timeout {safe(repr(timeout))} is invalid; pass seconds, or None")


def prepared(  # noqa: PLR0913 - the call, and how to run it
    calls: Restorer,
    entries: Mapping[str, ToolsetEntry],
    name: str,
    arguments: Json,
    *,
    call_id: str | None,
    context: Context[Any] | None,
    timeout: float | None,
    sizes: Sizes,
) -> Job | CallResult:
    """Return a model's call as a job; as a result when it cannot be run.

    Raises CannotCall for a tool without a function.
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
            result = _failed_response(str(error), "not_found").to_result(call_id, name)
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
    """Return the answer to a call that may be incomplete because the model's answer was cut."""
    text = f"The call of {call.name} {_SPOILT[why]}"
    result = _failed_response(text, "validation").to_result(call.id, call.name)
    return CallResult(call.name, call.arguments, result)


def carry_out(job: Job) -> CallResult:
    """Run one call and wait for it."""
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
    except asyncio.CancelledError:  # the function itself raised it
        return job.failed(RuntimeError(_CANCELLED), begun)
    except Exception as error:  # noqa: BLE001 - any exception of a tool becomes its answer
        return job.failed(error, begun)


async def acarry_out(job: Job) -> CallResult:
    """Run one call without blocking the event loop."""
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
    except Exception as error:  # noqa: BLE001 - any exception of a tool becomes its answer
        return job.failed(error, begun)


async def together(jobs: list[Job | CallResult], at_once: int) -> list[CallResult]:
    """Run all calls of one answer, ``at_once`` at a time; return the results in order."""
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
    """Run a coroutine in a new event loop. Raises CannotCall inside a running one."""
    if _is_in_loop():
        raise CannotCall(
            name, "it is async and the caller is async, too", "await arun(…) or acall(…)"
        )
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
    except GeneratorExit as error:  # the caller would take it for its own closing
        raise RuntimeError("it raised GeneratorExit") from error


def _is_open(value: Any) -> bool:
    """Return whether a value must be awaited, although the function is not declared async."""
    if value.__class__ in PLAIN:
        return False
    return inspect.isawaitable(value) or inspect.isasyncgen(value)


async def _settled(value: Any) -> Any:
    return await (acollected(value) if inspect.isasyncgen(value) else value)


@dataclass(slots=True, eq=False)
class _Ended:
    """The outcome of some work as a value: event loops do not pass on every exception."""

    found: Any = None
    error: BaseException | None = None

    def value(self) -> Any:
        """Return the result; raises the exception."""
        if self.error is not None:
            raise self.error
        return self.found


def _in_thread(work: Callable[[], Any]) -> Future[_Ended]:
    """Start a daemon thread, which a program does not wait for, unlike those of pools."""
    future: Future[_Ended] = Future()
    context = copy_context()

    def body() -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            ended = _Ended(context.run(work))
        except BaseException as error:  # noqa: BLE001 - passed to the waiting caller
            ended = _Ended(error=error)
        future.set_result(ended)

    threading.Thread(target=body, name="toolcanon call", daemon=True).start()
    return future


def _failure(error: Exception, called: str) -> ToolResponse:
    """Return the answer about an exception, without a traceback and with secrets masked."""
    if isinstance(error, RefusedArguments):
        again = RestoredCall(error.tool, None, error.problems, (), called)
        places = [str(problem.at) for problem in error.problems if str(problem.at)]
        details = {"parameter": clean_text(places[0])} if len(places) == 1 else {}
        return _failed_response(again.message, "validation", **details)
    if isinstance(error, NotSayable):
        return _failed_response(f"{called} failed: {error}.", "execution")
    try:
        message = mask_text(clean_text(str(error)[: 2 * _LONGEST]))[:_LONGEST]
    except Exception:  # noqa: BLE001 - an exception whose str() fails
        message = ""
    kind = type(error).__name__
    return _failed_response(f"{kind}: {message}" if message else kind, "execution")


def _failed_response(text: str, kind: ErrorKind, **details: Json) -> ToolResponse:
    """Return a failure whose text can be sent, whatever it quotes."""
    return ToolResponse.failure(clean_text(text), kind, **details)
