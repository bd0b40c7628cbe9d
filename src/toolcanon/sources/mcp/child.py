"""A server as a child process: a small environment, a group of its own, and a certain end.

The process is started and ended by plain blocking code, outside of any event loop: whatever happens
in between (an error, a time limit, Ctrl-C, a signal), the last lines here run, and they end the
whole group. A child that made a session of its own is beyond reach.
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

# What programs need to find themselves, their caches and their language; nothing that is a secret.
PASSED_ON: Final = (
    "HOME LANG LC_ALL LC_CTYPE LOGNAME PATH SHELL SYSTEMROOT TEMP TERM TMPDIR TZ USER".split()
)
_TAIL: Final = 8192
_PATIENCE: Final = 1.0
"""Seconds to go by itself once its input has ended, then after SIGTERM, then after SIGKILL."""
_PAUSE: Final = 0.02
_ASKED_TO_STOP: Final = (signal.SIGTERM, signal.SIGHUP)


class Tail:
    """The end of what a child writes to stderr; what came before is read and let go."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        self._kept = b""

    def add(self, data: bytes) -> None:
        """Keep these bytes, too, as far as there is room."""
        self._kept = (self._kept + data)[-_TAIL:]

    def text(self) -> str:
        """What is kept, with a mark for bytes that are no text."""
        return self._kept.decode("utf-8", "replace")


class CannotStart(Exception):
    """The command could not be started; its one argument says why."""


class Child:
    """A running server, its pipes and the end of its stderr."""

    __slots__ = ("has_answered", "process", "tail")

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.tail = Tail()
        self.has_answered = False
        """Whether it deserves the time to leave by itself."""

    @property
    def input(self) -> int:
        """The descriptor it reads from."""
        return _descriptor(self.process.stdin)

    @property
    def output(self) -> int:
        """The descriptor it answers on."""
        return _descriptor(self.process.stdout)

    @property
    def errors(self) -> int:
        """The descriptor of its stderr."""
        return _descriptor(self.process.stderr)

    def end(self) -> None:
        """End it and everything in its group: by the end of its input, by asking, by force."""
        group = self.process.pid  # it leads a group of its own since it was started
        _close(self.process.stdin)
        self._wait(_PATIENCE if self.has_answered else 0)
        for order in (signal.SIGTERM, signal.SIGKILL):
            if not _tell(group, order):
                break
            until = time.monotonic() + _PATIENCE
            while time.monotonic() < until and self._is_alive(group):
                time.sleep(_PAUSE)
        self._wait(_PATIENCE)
        self._read_rest()
        _close(self.process.stdout)
        _close(self.process.stderr)

    def _is_alive(self, group: int) -> bool:
        self.process.poll()  # a leader nobody waited for still counts as a member
        return _tell(group, 0) and _has_living(group)

    def _wait(self, seconds: float) -> None:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)

    def _read_rest(self) -> None:
        """What it said last may still lie in the pipe; someone else may hold its other end."""
        with contextlib.suppress(OSError):
            os.set_blocking(self.errors, False)
            for _ in range(64):  # a pipe holds this much at most
                data = os.read(self.errors, 65536)
                if not data:
                    break
                self.tail.add(data)


@contextlib.contextmanager
def running(
    command: Sequence[str], env: Mapping[str, str], cwd: str | None = None
) -> Iterator[Child]:
    """Start a command without a shell; when this is left, it and its group have ended.

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
        return subprocess.Popen(  # noqa: S603 - the user's own command, or one agreed to
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
        raise CannotStart("the command or its environment cannot be handed to a process") from None


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """The few variables of ours that a child may see, and those that are meant for it."""
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return {**passed, **own}


def working_folder(cwd: str | None) -> str:
    """The folder a command would run in, as an absolute path."""
    return str((Path.cwd() / Path(cwd or "").expanduser()).resolve())


@contextlib.contextmanager
def _signals_raised() -> Iterator[None]:
    """Have the signals that end a program unwind it instead, so that children are ended first.

    They go the way of Ctrl-C, which an event loop takes for a reason to cancel what it runs. An
    exception in the midst of a task would leave others waiting for that task for ever.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    asked: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        asked.append(number)
        interrupt = signal.getsignal(signal.SIGINT)
        if not callable(interrupt):  # whoever began us wants Ctrl-C to be ignored
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
    """Let nobody interrupt the ending itself, which is short; an impatient Ctrl-C comes after."""
    held = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, *_ASKED_TO_STOP})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, held)


def _tell(group: int, order: int) -> bool:
    """Send a signal to a group; whether there was anybody to receive it."""
    try:
        os.killpg(group, order)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _has_living(group: int) -> bool:
    """Whether more is left of a group than the dead.

    In a container there is often nobody to wait for orphans, and they count as members for ever.
    """
    try:
        for path in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                state, _, its_group = path.read_bytes().rpartition(b") ")[2].split()[:3]
                if int(its_group) == group and state not in b"ZX":
                    return True
    except ValueError:
        return True
    return not Path("/proc/self/stat").exists()  # elsewhere nobody can tell


def _descriptor(stream: IO[bytes] | None) -> int:
    if stream is None:  # all three are pipes
        raise ValueError("no pipe")
    return stream.fileno()


def _close(stream: IO[bytes] | None) -> None:
    if stream is not None:
        with contextlib.suppress(OSError):
            stream.close()
