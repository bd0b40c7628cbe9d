"""Files, pipes and JSON Lines, read within limits and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO

from toolcanon.errors import (
    CannotWrite,
    LimitExceeded,
    MalformedJson,
    MissingFile,
    NumberOutOfRange,
    ToolcanonError,
)
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Loaded, load, loads

STDIN = "-"


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == STDIN:
        if sys.stdin is None:
            raise MissingFile("stdin", "it is closed")
        yield sys.stdin.buffer
        return
    try:
        if Path(path).is_dir():
            raise MissingFile(path, "it is a folder")
        stream = Path(path).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise MissingFile(path, _reason(error)) from None
    try:
        yield stream
    finally:
        stream.close()


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def read_document(
    path: str, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Loaded:
    """One JSON document from a file, or from stdin when the path is ``-``."""
    with _opened(path) as stream:
        try:
            return load(stream, limits, duplicates=duplicates)
        except OSError as error:
            raise MissingFile(path, _reason(error)) from None


def read_lines(
    path: str, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Iterator[tuple[int, Loaded]]:
    """One document a line, with line numbers from 1; blank lines are skipped. Streams."""
    with _opened(path) as stream:
        number = 0
        while line := _line(stream, limits, path):
            number += 1
            try:
                if len(line) > limits.line:
                    raise LimitExceeded("line", limits.line)
                if line.strip():
                    yield number, loads(line, limits, duplicates=duplicates)
            except ToolcanonError as error:
                if isinstance(error, (MalformedJson, NumberOutOfRange)):
                    error.line = number  # it knows its line as the first of one document
                else:
                    error.row = number
                raise


def _line(stream: BinaryIO, limits: Limits, path: str) -> bytes:
    try:
        return stream.readline(limits.line + 1)
    except OSError as error:
        raise MissingFile(path, _reason(error)) from None


def check_place(path: str) -> None:
    """Refuse early what could not be written later, before anything else was."""
    parent = Path(path).parent
    if not parent.is_dir():
        raise CannotWrite(path, f"{parent} is no folder")
    if Path(path).is_dir():
        raise CannotWrite(path, "it is a folder")


def write_file(path: str, chunks: Iterable[str]) -> None:
    """Write a file whole or leave what was there: temporary file, sync, rename.

    A link is followed. What is no regular file (a device, a pipe) is written to as it stands.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("w", encoding="utf-8", newline="\n") as stream:
                stream.writelines(chunks)
            return
        target = target.resolve()
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    except OSError as error:
        raise CannotWrite(path, _reason(error)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.writelines(chunks)
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except BaseException as error:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        if isinstance(error, OSError) and not isinstance(error, BrokenPipeError):
            raise CannotWrite(path, _reason(error)) from None
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
