"""The process of a server: started and ended by blocking code, outside of any event loop.

Whatever happens in between (an error, a timeout, Ctrl-C, a signal), the code here ends the whole
group. A child that started its own session cannot be reached. Nothing here needs the SDK.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO, Final

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
