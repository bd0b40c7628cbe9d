"""Files, pipes and JSON Lines, read within limits and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, cast

from toolcanon.errors import (
    CannotWrite,
    DuplicateKey,
    LimitExceeded,
    MalformedJson,
    MissingFile,
    NumberOutOfRange,
    ToolcanonError,
    place,
)
from toolcanon.jsonio import DEFAULT_LIMITS, Limits, Loaded, loads, loads_line
from toolcanon.sources.yaml import SUFFIXES, load_yaml

STDIN = "-"
PACKED = ".gz"
_GZIP = b"\x1f\x8b"
_CHUNK = 1024 * 1024
_BUFFER = 256 * 1024  # for files of many rows: a few kilobytes at a time cost a call each
_WRITABLE = 0o222
_STREAMS = re.compile(r"/dev/std(?:out|err)|(?:/dev|/proc/self)/fd/([0-9]{1,4})")


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
        stream = Path(path).open("rb", _BUFFER)  # noqa: SIM115 - closed below
    except OSError as error:
        raise MissingFile(path, _reason(error)) from None
    try:
        yield stream
    finally:
        stream.close()


@contextlib.contextmanager
def _told(path: str) -> Iterator[None]:
    """What goes wrong while reading, as an error with the path."""
    try:
        yield
    except EOFError:
        raise MissingFile(path, "the packed file ends too early") from None
    except zlib.error:
        raise MissingFile(path, "the packed file is damaged") from None
    except OSError as error:  # a packed file that is damaged, too
        raise MissingFile(path, _reason(error)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def read_document(
    path: str, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Loaded:
    """One JSON document from a file (or YAML, by its name), or from stdin when it is ``-``."""
    return parse(path, read_bytes(path, limits), limits, duplicates=duplicates)


def read_bytes(path: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """All of a file or of stdin, unpacked; of more than the limit only that there is more."""
    with _opened(path) as opened, _told(path):
        stream = _unpacked(opened, path)
        chunks: list[bytes] = []
        left = limits.bytes + 1
        while left > 0:  # in pieces: a large limit must not reserve its size at once
            chunk = stream.read(min(_CHUNK, left))
            if not chunk:
                break
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)


def parse(path: str, data: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """What was read from a path as one document."""
    if is_yaml(path):
        return load_yaml(data, limits)
    return loads(data, limits, duplicates=duplicates)


def is_yaml(path: str) -> bool:
    """Whether a file is YAML, by its name."""
    return path.lower().removesuffix(PACKED).endswith(SUFFIXES)


def rows_in(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[int, bytes]] | None:
    """The lines, when each of them is a document of its own: the first is one, and more follow."""
    lines = enumerate(BytesIO(data), 1)
    first = next((line for _, line in lines if not line.isspace()), b"")
    if not any(not line.isspace() for _, line in lines) or len(first) > limits.line:
        return None
    try:
        loads_line(first, limits, duplicates=True)
    except ToolcanonError:
        return None
    return ((number, line) for number, line in enumerate(BytesIO(data), 1) if not line.isspace())


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
        with _told(path):
            for number, line in enumerate(iter(partial(read, most + 1), b""), 1):
                if len(line) > most:
                    rest = line
                    while rest and not rest.endswith(b"\n"):
                        rest = read(most)
                if not line.isspace():
                    yield number, line


def load_line(number: int, line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """One line as a document; its errors know the number."""
    try:
        if len(line) > limits.line:
            raise LimitExceeded("line", limits.line)
        return loads_line(line, limits, duplicates=duplicates)
    except ToolcanonError as error:
        if not _is_placed(error, number):
            error.row = number
        raise


def _is_placed(error: ToolcanonError, number: int) -> bool:
    """Whether an error tells a line, which is this one now: it took it for the first and only."""
    if isinstance(error, (MalformedJson, NumberOutOfRange)):
        error.line = number
        return True
    if isinstance(error, DuplicateKey) and error.first and error.second:
        error.first, error.second = (number, error.first[1]), (number, error.second[1])
        return True
    first = place(1, 0).removesuffix("0")
    if isinstance(error, LimitExceeded) and first in error.where:
        error.where = error.where.replace(first, place(number, 0).removesuffix("0"), 1)
        return True
    return False


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
    _refuse_protected(Path(path))


def _refuse_protected(target: Path) -> None:
    """Renaming over a file asks nobody whether it may be written; its owner said no."""
    if target.is_file() and not target.stat().st_mode & _WRITABLE:
        raise CannotWrite(str(target), "it is write-protected")


def write_file(path: str, chunks: Iterable[str]) -> None:
    """Write a file whole or leave what was there."""
    with writing(path) as stream:
        for chunk in chunks:
            stream.write(chunk.encode())


@contextlib.contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """A file that is there when all of it is written, or not at all: temporary file, sync, rename.

    A link is followed. What is no regular file (a device, a pipe) is written to as it stands, and
    so is a stream that is open already. What is called .gz is packed.
    """
    with _whole(path) as stream:
        if not path.endswith(PACKED):
            yield stream
            return
        import gzip  # noqa: PLC0415 - hardly ever needed

        with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as packed:  # the same bytes each time
            yield cast("BinaryIO", packed)


@contextlib.contextmanager
def _whole(path: str) -> Iterator[BinaryIO]:
    target = Path(path)
    try:
        if (opened := _descriptor(path)) is not None:
            if sys.stdout is not None:
                sys.stdout.flush()
            with os.fdopen(os.dup(opened), "wb") as stream:
                yield stream
            return
        if target.exists() and not target.is_file():
            with target.open("wb") as stream:
                yield stream
            return
        _refuse_protected(target)
        target = target.resolve()
        handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    except OSError as error:
        raise CannotWrite(path, _reason(error)) from None
    try:
        with os.fdopen(handle, "wb", _BUFFER) as stream:
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


def _descriptor(path: str) -> int | None:
    """The number of a stream that a path stands for, which a second opening would cut short."""
    found = _STREAMS.fullmatch(path)
    if found is None:
        return None
    return int(found[1]) if found[1] else 1 if path.endswith("out") else 2


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
