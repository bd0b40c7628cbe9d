"""Ask a live server for its tools, within a time limit."""

from __future__ import annotations

import contextlib
import logging
import re
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, unquote, urlsplit

from toolcanon.errors import MissingPackage, ServerFailed
from toolcanon.jsonio import DEFAULT_LIMITS, Limits
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.sources.mcp.child import (
    CannotStart,
    Child,
    environment,
    running,
    working_folder,
)
from toolcanon.text.secrets import (
    mask_command,
    mask_text,
    mask_url,
    secrets_of_command,
    secrets_of_url,
)

if TYPE_CHECKING:
    from toolcanon.sources.mcp.session import Outcome, ServerSession, Streams

    Opener = Callable[[ServerSession], AbstractAsyncContextManager[Streams]]

TIMEOUT: Final = 60.0
"""Total seconds for starting, negotiating and all pages. Ending takes up to three more."""

# The part of what HTTP allows that every server accepts.
HEADER_NAME: Final = r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"
HEADER_VALUE: Final = r"[\t\x20-\x7e]*"

_LOGGERS: Final = ("mcp", "client", "httpx2", "httpcore2")
_LAST_BREATH: Final = 0.3


@dataclass(frozen=True, slots=True)
class Served:
    """The raw answer of a server; tools are neither dropped nor repaired."""

    protocol: str
    """The negotiated version of the protocol."""
    server: JsonObject
    """What it reports about itself: name, version, title and so on."""
    instructions: str | None
    answer: JsonObject
    """Its answer to tools/list, with the pages joined."""
    reached: str
    """The command or the address, without secrets."""
    said: str = ""
    """The end of its stderr, without secrets."""
    noise: int = 0
    """The number of lines on stdout that were not messages."""

    @property
    def tools(self) -> list[Json]:
        """Return the definitions, in the order of the server."""
        tools = self.answer["tools"]
        return tools if isinstance(tools, list) else []

    def about(self) -> JsonObject:
        """Return everything but the tools, for printing or storing."""
        return {
            "protocol": self.protocol,
            "server": self.server,
            "instructions": self.instructions,
            "reached": self.reached,
            "tools": len(self.tools),
        }


def fetch_command(
    command: Sequence[str],
    *,
    env: Mapping[str, str] | None = None,
    cwd: str | None = None,
    timeout: float = TIMEOUT,
    limits: Limits = DEFAULT_LIMITS,
) -> Served:
    """Start a server, ask for its tools over its pipes, and end it with all its children.

    ``env`` is added to the few variables that a server gets. No shell is involved. Raises
    ServerFailed, and MissingPackage without the SDK. Not to be called from a running event loop.
    """
    ask = _sdk()
    reached = shlex.join(mask_command(command))
    known = _known((*secrets_of_command(command), *(env or {}).values()))
    until = time.monotonic() + timeout
    # Some servers exit when the first message is not a handshake. They are started again and get
    # a handshake first.
    for probe in (True, False):
        outcome, child = _ask_child(command, env or {}, cwd, ask, until, limits, reached, probe)
        stderr = mask_text(child.tail.text(), known)
        if outcome.heard is not None:
            return Served(*outcome.heard, reached, stderr, outcome.noise)
        if not (probe and outcome.has_left and outcome.is_mute):
            break
    reason = mask_text(outcome.reason, known)
    raise ServerFailed(outcome.stage, reached, reason, stderr)


def fetch_url(
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    timeout: float = TIMEOUT,
    limits: Limits = DEFAULT_LIMITS,
) -> Served:
    """Ask a server for its tools over streamable HTTP.

    Redirects to another origin are not followed. Raises ServerFailed, and MissingPackage without
    the SDK. Not to be called from a running event loop.
    """
    ask = _sdk()
    given = dict(headers or {})
    reached = mask_url(url)
    known = _known((*secrets_of_url(url), *given.values()))
    _check_address(url, reached)
    _check_headers(given, reached)

    from toolcanon.sources.mcp.transports import web_streams  # noqa: PLC0415 - an extra

    with _hushed():
        outcome = ask(
            lambda wire: web_streams(url, given, wire, timeout), limits, timeout, probe=True
        )
    if outcome.heard is not None:
        return Served(*outcome.heard, reached)
    raise ServerFailed(outcome.stage, reached, mask_text(outcome.reason, known))


def _ask_child(  # noqa: PLR0913, PLR0917 - all parameters of one session
    command: Sequence[str],
    env: Mapping[str, str],
    cwd: str | None,
    ask: Callable[..., Outcome],
    until: float,
    limits: Limits,
    reached: str,
    probe: bool,  # noqa: FBT001 - private
) -> tuple[Outcome, Child]:
    from toolcanon.sources.mcp.transports import pipe_streams  # noqa: PLC0415 - an extra

    try:
        with _hushed(), running(command, environment(env), cwd and working_folder(cwd)) as child:
            seconds = max(until - time.monotonic(), 0.01)
            outcome = ask(lambda wire: pipe_streams(child, wire), limits, seconds, probe=probe)
            child.has_answered = outcome.heard is not None
            if outcome.has_left:
                outcome.reason += _status(child)
    except CannotStart as error:
        raise ServerFailed("start", reached, str(error)) from None
    return outcome, child


def _sdk() -> Callable[..., Outcome]:
    try:
        # All of it is loaded here, so that loading takes nothing from the server's time.
        import toolcanon.sources.mcp.transports  # noqa: F401, PLC0415 - an extra
        from toolcanon.sources.mcp.session import ask  # noqa: PLC0415
    except ImportError:
        raise MissingPackage("mcp", "mcp", "ask a live server") from None
    return ask


def _status(child: Child) -> str:
    """Return the exit status as words, if the child exited by itself; empty otherwise."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        code = child.process.wait(_LAST_BREATH)
        return f", with status {code}" if code >= 0 else f", by signal {-code}"
    return ""


def _check_address(url: str, reached: str) -> None:
    try:
        parts = urlsplit(url)
        is_usable = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable:
        raise ServerFailed("connect", reached, "this is not an http or https address")


def _check_headers(headers: Mapping[str, str], reached: str) -> None:
    for name, value in headers.items():
        if not re.fullmatch(HEADER_NAME, name) or not re.fullmatch(HEADER_VALUE, value):
            raise ServerFailed("connect", reached, f"the header {name!r} cannot be sent")


def _known(values: Sequence[str]) -> tuple[str, ...]:
    """Return the values to mask, in every encoding; of a header also its last word alone."""
    pieces = [part for value in values for part in (value, *value.split())]
    return tuple(dict.fromkeys(s for part in pieces for s in (part, quote(part), unquote(part))))


@contextlib.contextmanager
def _hushed() -> Iterator[None]:
    """Disable the SDK's logging, which may hold secrets and control characters."""
    loggers = [logging.getLogger(name) for name in _LOGGERS]
    before = [(logger.handlers, logger.propagate) for logger in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [logging.NullHandler()], False
    try:
        yield
    finally:
        for logger, (handlers, propagate) in zip(loggers, before, strict=True):
            logger.handlers, logger.propagate = handlers, propagate
