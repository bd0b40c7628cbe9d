"""A command line, run in this process: the same streams, status and assertions without a start.

What only a process can show has one of its own: see `run_process`.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from tests.conftest import ROOT
from toolcanon.cli import toolcanon, toolwatch

WATCH = "toolcanon.cli.watch"
"""The module that is toolwatch; the other command is the default."""
_GROUPS = {"toolcanon": toolcanon, WATCH: toolwatch}
_HANDLED = (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)
# Read once, when the interpreter starts.
_AT_START = ("PYTHON", "LC_", "LANG")
_INSTALLED = tuple(sysconfig.get_paths()[key] for key in ("stdlib", "purelib", "platlib"))


def run(
    *args: object,
    stdin: object = b"",
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    memory: int | None = None,
    module: str = "toolcanon",
) -> subprocess.CompletedProcess:
    """The command on these words; in a process where memory or the interpreter's start count."""
    if memory or any(name.startswith(_AT_START) for name in env or ()):
        return run_process(
            *args, stdin=stdin, env=env, timeout=timeout, memory=memory, module=module
        )
    words = [str(arg) for arg in args]
    group = _GROUPS[module]
    name = str(group.name)
    with (
        _streams(_bytes(stdin)) as written,
        _untouched(),
        mock.patch.dict(os.environ, env or {}),
        mock.patch.object(sys, "argv", [name, *words]),
    ):
        try:
            status = group(words, prog_name=name, standalone_mode=False)
        except SystemExit as ended:
            status = ended.code
    status = status if isinstance(status, int) else 0
    return subprocess.CompletedProcess(words, status, *written)


def run_process(
    *args: object,
    stdin: object = b"",
    env: Mapping[str, str] | None = None,
    timeout: float = 60,
    memory: int | None = None,
    module: str = "toolcanon",
) -> subprocess.CompletedProcess:
    """The same in a process of its own."""

    def limit() -> None:
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    return subprocess.run(
        [sys.executable, "-m", module, *map(str, args)],
        input=_bytes(stdin),
        capture_output=True,
        check=False,
        timeout=timeout,
        env={**os.environ, **(env or {})},
        preexec_fn=limit,
    )


def _bytes(stdin: object) -> bytes:
    return stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()


@contextmanager
def _streams(given: bytes) -> Iterator[list[bytes]]:
    """Files for the three descriptors, as the shell opens them, and Python's streams on them."""
    with tempfile.TemporaryFile() as read, tempfile.TemporaryFile() as out, \
            tempfile.TemporaryFile() as err:  # fmt: skip
        read.write(given)
        read.seek(0)
        former = sys.stdin, sys.stdout, sys.stderr
        for stream in former[1:]:
            stream.flush()
        kept = [os.dup(number) for number in range(3)]
        for number, file in enumerate((read, out, err)):
            os.dup2(file.fileno(), number)
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(  # noqa: SIM115
            2, "w", encoding="utf-8", errors="backslashreplace", closefd=False
        )
        written = []
        try:
            yield written
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            opened = sys.stdin, sys.stdout, sys.stderr
            sys.stdin, sys.stdout, sys.stderr = former
            for stream in opened:
                stream.close()
            for number, held in enumerate(kept):
                os.dup2(held, number)
                os.close(held)
        for file in (out, err):
            file.seek(0)
            written.append(file.read())


@contextmanager
def _untouched() -> Iterator[None]:
    """Paths, handlers and the user's modules as they were: the next command starts anew."""
    paths, modules = list(sys.path), set(sys.modules)
    handlers = {number: signal.getsignal(number) for number in _HANDLED}
    try:
        yield
    finally:
        sys.path[:] = paths
        for number, handler in handlers.items():
            signal.signal(number, handler)
        for name in set(sys.modules) - modules:
            if _is_users(getattr(sys.modules[name], "__file__", None)):
                del sys.modules[name]


def _is_users(file: str | None) -> bool:
    """Whether a module is neither ours nor installed: the user's own."""
    return file is not None and not file.startswith((*_INSTALLED, str(ROOT), str(Path(sys.prefix))))
