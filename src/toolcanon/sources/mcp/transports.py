"""Transports to live servers: child processes, stdio, streamable HTTP.

The process is started and ended by blocking code outside of any event loop: whatever happens in
between (an error, a timeout, Ctrl-C, a signal), the code here ends the whole group. A child that
started its own session cannot be reached.

The SDK's own transport reads lines of any length, accepts duplicate keys and NaN, and leaves
processes behind that a server forked. The SDK's session takes any pair of streams.

The SDK follows redirects within the origin only, so headers never reach another host. Bodies must
not be compressed: a small compressed body can be endless.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import IO, Final

import anyio
import httpx2
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import jsonrpc_message_adapter
from pydantic import ValidationError

from toolcanon.errors import ToolcanonError
from toolcanon.formats.wire.streams import EventDecoder
from toolcanon.sources.mcp.session import Refused, ServerSession, Streams, what
from toolcanon.text.secrets import mask_url

# What programs need to find themselves, their caches and their language; no secrets.
PASSED_ON: Final = (
    "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL SYSTEMROOT TEMP TERM TMPDIR TZ USER".split()
)
_TAIL: Final = 8192
_PATIENCE: Final = 1.0
"""Seconds to wait after its input ended, then after SIGTERM, then after SIGKILL."""
_PAUSE: Final = 0.02
_ASKED_TO_STOP: Final = (signal.SIGTERM, signal.SIGHUP)


class Tail:
    """The end of a child's stderr; earlier output is read and dropped."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept = b""

    def add(self, data: bytes) -> None:
        """Append bytes and drop the oldest beyond the limit."""
        self._kept = (self._kept + data)[-_TAIL:]

    def text(self) -> str:
        """Return the kept bytes as text, with a mark for invalid UTF-8."""
        return self._kept.decode("utf-8", "replace")


class CannotStart(Exception):
    """The command could not be started; the argument is the reason."""


class Child:
    """A running server, its pipes and the end of its stderr."""

    __slots__ = ("has_answered", "process", "tail")

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.tail = Tail()
        self.has_answered = False
        """Whether the child gets time to exit by itself."""

    @property
    def input(self) -> int:
        """Return the descriptor that the child reads from."""
        return _descriptor(self.process.stdin)

    @property
    def output(self) -> int:
        """Return the descriptor that the child writes to."""
        return _descriptor(self.process.stdout)

    @property
    def errors(self) -> int:
        """Return the descriptor of the child's stderr."""
        return _descriptor(self.process.stderr)

    def end(self) -> None:
        """End the child and its group: close its input, then SIGTERM, then SIGKILL."""
        group = self.process.pid  # it was started as the leader of its own group
        _close(self.process.stdin)
        self._wait(_PATIENCE if self.has_answered else 0)
        for order in (signal.SIGTERM, signal.SIGKILL):
            if not _signal(group, order):
                break
            until = time.monotonic() + _PATIENCE
            while time.monotonic() < until and self._is_alive(group):
                time.sleep(_PAUSE)
        self._wait(_PATIENCE)
        self._read_rest()
        _close(self.process.stdout)
        _close(self.process.stderr)

    def _is_alive(self, group: int) -> bool:
        self.process.poll()  # an exited leader counts as a member until it is waited for
        return _signal(group, 0) and _has_living(group)

    def _wait(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def _read_rest(self) -> None:
        """Read what is left in the stderr pipe, whose other end another process may still hold."""
        with contextlib.suppress(OSError):
            os.set_blocking(self.errors, False)
            for _ in range(64):  # the largest content of a pipe
                data = os.read(self.errors, 65536)
                if not data:
                    break
                self.tail.add(data)


@contextlib.contextmanager
def running(
    command: Sequence[str], env: Mapping[str, str], cwd: str | None = None
) -> Iterator[Child]:
    """Start a command without a shell; on exit, it and its group have ended.

    Raises CannotStart.
    """
    with _signals_raised():
        child = Child(_start(command, env, cwd))
        try:
            yield child
        finally:
            with _signals_held():
                child.end()


def _start(
    command: Sequence[str], env: Mapping[str, str], cwd: str | None
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(  # noqa: S603 - typed by the user, or with consent
            list(command),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(env),
            cwd=cwd,
            start_new_session=True,
        )
    except OSError as error:
        raise CannotStart((error.strerror or type(error).__name__).lower()) from None
    except ValueError:
        raise CannotStart("the command or its environment cannot be passed to a process") from None


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of this process that a child may see, and those meant for it."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**passed, **own}


def working_folder(cwd: str | None) -> str:
    """Return the folder that a command runs in, as an absolute path."""
    return str((Path.cwd() / Path(cwd or "").expanduser()).resolve())


@contextlib.contextmanager
def _signals_raised() -> Iterator[None]:
    """Turn the signals that end a program into exceptions, so that children are ended first.

    They are handled like Ctrl-C, which an event loop answers by cancelling its tasks. An exception
    within a task would leave tasks that wait for it waiting for ever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # the parent process set Ctrl-C to be ignored
            raise SystemExit(128 + number)
        interrupt(signal.SIGINT, frame)

    usual = [number for number in _ASKED_TO_STOP if signal.getsignal(number) is signal.SIG_DFL]
    for number in usual:
        signal.signal(number, stop)
    try:
        yield
    except KeyboardInterrupt:
        if asked:
            raise SystemExit(128 + asked[0]) from None
        raise
    finally:
        for number in usual:
            signal.signal(number, signal.SIG_DFL)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Block signals while the children are ended, which is short; they are delivered afterwards."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *_ASKED_TO_STOP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _signal(group: int, order: int) -> bool:
    """Send a signal to a group; return whether a process received it."""
    try:
        os.killpg(group, order)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _has_living(group: int) -> bool:
    """Return whether a group has a process that is not a zombie.

    In a container, orphaned zombies often stay for ever and count as members of the group.
    """
    try:
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, its_group = path.read_bytes().rpartition(b") ")[2].split()[:3]
                if int(its_group) == group and state not in b"ZX":
                    return True
    except ValueError:
        return True
    return not Path("/proc/self/stat").exists()  # without /proc this is unknown


def _descriptor(stream: IO[bytes] | None) -> int:
    if stream is None:  # all three are pipes
        raise ValueError("no pipe")
    return stream.fileno()


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.close()


_CHUNK: Final = 65536


@asynccontextmanager
async def pipe_streams(child: Child, wire: ServerSession) -> AsyncIterator[Streams]:
    """Yield the two streams of a session over a child's pipes; the caller ends the child."""
    incoming, reading = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    writing, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    for pipe in (child.input, child.output, child.errors):
        os.set_blocking(pipe, False)
    async with incoming, reading, writing, outgoing, anyio.create_task_group() as tasks:
        tasks.start_soon(_listen, child, wire, incoming)
        tasks.start_soon(_write, child, outgoing)
        tasks.start_soon(_drain, child)
        yield reading, writing
        tasks.cancel_scope.cancel()


async def _listen(
    child: Child, wire: ServerSession, incoming: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    """Pass on each line that is a message; close the session's stream when the output ends."""
    parts: list[bytes] = []
    size = 0
    async with incoming:
        try:
            async for data in _chunks(child.output):
                wire.count(len(data))
                *lines, rest = data.split(b"\n")
                for line in lines:
                    await _pass_on(b"".join((*parts, line)), wire, incoming)
                    parts, size = [], 0
                size += len(rest)
                if size > wire.limits.line:
                    raise wire.refuse(f"it sent a line of more than {wire.limits.line:,} bytes")
                if rest:
                    parts.append(rest)
                wire.is_cut = bool(parts)
        except (Refused, anyio.BrokenResourceError, anyio.ClosedResourceError):
            return


async def _pass_on(
    line: bytes, wire: ServerSession, incoming: MemoryObjectSendStream[SessionMessage | Exception]
) -> None:
    line = line.strip()
    if not line:
        return
    if not line.startswith(b"{"):
        wire.skip_noise(line)
        return
    value = wire.load(line)
    try:
        message = jsonrpc_message_adapter.validate_python(value, by_name=False)
    except ValidationError:
        wire.skip_noise(line)
        return
    await incoming.send(SessionMessage(message))


async def _write(child: Child, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
    try:
        async for item in outgoing:
            text = item.message.model_dump_json(by_alias=True, exclude_unset=True)
            data = f"{text}\n".encode()
            while data:
                await anyio.wait_writable(child.input)
                data = data[os.write(child.input, data) :]
    except OSError:
        return  # it stopped reading; its output shows why


async def _drain(child: Child) -> None:
    async for data in _chunks(child.errors):
        child.tail.add(data)


async def _chunks(pipe: int) -> AsyncIterator[bytes]:
    """Yield the bytes that arrive at a descriptor, until the other side closes it."""
    while True:
        await anyio.wait_readable(pipe)
        try:
            data = os.read(pipe, _CHUNK)
        except BlockingIOError:
            continue
        except OSError:
            return
        if not data:
            return
        yield data


_FAILED: Final = 400
_REDIRECTS: Final = 300
_ACCEPTED: Final = 202
_HINTS: Final = {
    401: "it requires authentication: pass --header",
    403: "it denies access to this caller",
    404: "it has nothing at this path",
    405: "this path does not accept POST, so it is not an MCP endpoint",
}


@asynccontextmanager
async def web_streams(
    url: str, headers: Mapping[str, str], wire: ServerSession, patience: float
) -> AsyncIterator[Streams]:
    """Yield the two streams of a session over HTTP."""

    async def look(response: httpx2.Response) -> None:
        _judge(response, wire)
        if isinstance(response.stream, httpx2.AsyncByteStream):
            response.stream = _Watched(response.stream, response, wire)

    client = httpx2.AsyncClient(
        headers={**headers, "accept-encoding": "identity"},
        timeout=httpx2.Timeout(patience),
        event_hooks={"response": [look]},
    )
    async with (
        client,
        streamable_http_client(
            url, http_client=client, max_sse_event_size=wire.limits.line
        ) as streams,
    ):
        yield streams


def _judge(response: httpx2.Response, wire: ServerSession) -> None:
    """Keep the HTTP reason of a failure, which the SDK replaces by a general error."""
    if response.request.method != "POST":
        return
    status, kind = response.status_code, response.headers.get("content-type", "").lower()
    wire.status = ""
    wire.is_explained = not kind.startswith("application/json")  # JSON may hold a better reason
    if status >= _FAILED:
        hint = _HINTS.get(status, response.reason_phrase)
        wire.status = f"HTTP {status}: {hint}" if hint else f"HTTP {status}"
    elif status >= _REDIRECTS:
        place = mask_url(response.headers.get("location", "nowhere"))
        wire.status = f"HTTP {status}: it redirects to {place}, which is not followed"
    elif status != _ACCEPTED and not kind.startswith(("application/json", "text/event-stream")):
        wire.status = f"it answers with {kind or 'nothing'}, so this is not an MCP endpoint"
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise wire.refuse("its answer is compressed, although the request excludes that")


class _Watched(httpx2.AsyncByteStream):
    """A body that is counted and, where it is JSON, checked by the strict loader."""

    def __init__(
        self, stream: httpx2.AsyncByteStream, response: httpx2.Response, wire: ServerSession
    ) -> None:
        kind = response.headers.get("content-type", "").lower()
        self._stream = stream
        self._wire = wire
        self._is_json = kind.startswith("application/json") and response.status_code < _FAILED
        self._is_events = kind.startswith("text/event-stream")

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for chunk in self._checked():
                yield chunk
        except Refused:
            raise httpx2.StreamError("refused") from None

    async def _checked(self) -> AsyncIterator[bytes]:
        events = EventDecoder(self._wire.limits.line)
        body: list[bytes] = []
        async for chunk in self._stream:
            self._wire.count(len(chunk))
            if self._is_json:
                body.append(chunk)
            elif self._is_events:
                self._check_events(events, chunk)
            yield chunk
        if self._is_json:
            self._wire.load(b"".join(body))

    def _check_events(self, events: EventDecoder, chunk: bytes) -> None:
        try:
            found = events.feed(chunk)
        except ToolcanonError as error:
            raise self._wire.refuse(f"it sent an unreadable message: {what(error)}") from None
        for _, text in found:
            if text:
                self._wire.load(text)

    async def aclose(self) -> None:
        await self._stream.aclose()
