"""Files, pipes and JSON Lines, read within limits and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from toolcanon.errors import CannotWrite, LimitExceeded, MissingFile
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Loaded, load, loads

STDIN = "-"


@contextlib.contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    if path == STDIN:
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
        while line := stream.readline(limits.line + 1):
            number += 1
            if len(line) > limits.line:
                raise LimitExceeded("line", limits.line, None, f" in line {number}")
            if line.strip():
                yield number, loads(line, limits, duplicates=duplicates)


def write_file(path: str, text: str) -> None:
    """Write a file whole or leave what was there: temporary file, sync, rename."""
    target = Path(path)
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    except OSError as error:
        raise CannotWrite(path, _reason(error)) from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
        Path(name).chmod(mode)
        Path(name).replace(target)
    except OSError as error:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise CannotWrite(path, _reason(error)) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
