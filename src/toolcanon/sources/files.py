"""Files, pipes and JSON Lines, read within limits and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import BinaryIO, cast

from toolcanon.errors import (
    CannotWrite,
    LimitExceeded,
    MalformedJson,
    MissingFile,
    NumberOutOfRange,
    ToolcanonError,
)
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Loaded, load, loads_line
from toolcanon.sources.yaml import SUFFIXES, load_yaml

STDIN = "-"
_GZIP = b"\x1f\x8b"


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
    """One JSON document from a file (or YAML, by its name), or from stdin when it is ``-``."""
    with _opened(path) as stream:
        try:
            if path.lower().endswith(SUFFIXES):
                return load_yaml(stream.read(limits.bytes + 1), limits)
            return load(stream, limits, duplicates=duplicates)
        except OSError as error:
            raise MissingFile(path, _reason(error)) from None


def read_lines(
    path: str, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Iterator[tuple[int, Loaded]]:
    """One document a line, with line numbers from 1; blank lines are skipped. Streams."""
    for number, line in raw_lines(path, limits):
        yield number, load_line(number, line, limits, duplicates=duplicates)


def raw_lines(path: str, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[int, bytes]]:
    """The same before anybody looks into them; what is packed by gzip is unpacked on the way.

    A line that is too long comes without its end, and the rest of it is skipped.
    """
    with _opened(path) as opened:
        stream = _unpacked(opened, path)
        read, most = stream.readline, limits.line
        try:
            for number, line in enumerate(iter(partial(read, most + 1), b""), 1):
                if len(line) > most:
                    rest = line
                    while rest and not rest.endswith(b"\n"):
                        rest = read(most)
                if not line.isspace():
                    yield number, line
        except EOFError:
            raise MissingFile(path, "the packed file ends too early") from None
        except OSError as error:  # a packed file that is damaged, too
            raise MissingFile(path, _reason(error)) from None


def load_line(number: int, line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """One line as a document; its errors know the number."""
    try:
        if len(line) > limits.line:
            raise LimitExceeded("line", limits.line)
        return loads_line(line, limits, duplicates=duplicates)
    except ToolcanonError as error:
        if isinstance(error, (MalformedJson, NumberOutOfRange)):
            error.line = number  # it knows its line as the first of one document
        else:
            error.row = number
        raise


def _unpacked(stream: BinaryIO, path: str) -> BinaryIO:
    """The stream, or what gzip packed in it: told by its first bytes."""
    peek = getattr(stream, "peek", None)
    try:
        if peek is None or not peek(2).startswith(_GZIP):
            return stream
    except OSError as error:
        raise MissingFile(path, _reason(error)) from None
    import gzip  # noqa: PLC0415 - hardly ever needed

    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def check_place(path: str) -> None:
    """Refuse early what could not be written later, before anything else was."""
    parent = Path(path).parent
    if not parent.is_dir():
        raise CannotWrite(path, f"{parent} is no folder")
    if Path(path).is_dir():
        raise CannotWrite(path, "it is a folder")


def write_file(path: str, chunks: Iterable[str]) -> None:
    """Write a file whole or leave what was there."""
    with writing(path) as stream:
        for chunk in chunks:
            stream.write(chunk.encode())


@contextlib.contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """A file that is there when all of it is written, or not at all: temporary file, sync, rename.

    A link is followed. What is no regular file (a device, a pipe) is written to as it stands.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        target = target.resolve()
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    except OSError as error:
        raise CannotWrite(path, _reason(error)) from None
    try:
        with os.fdopen(handle, "wb") as stream:
            yield stream
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
