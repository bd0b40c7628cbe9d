"""Files, pipes, JSON Lines and revisions of git, read within limits and written whole.

Git is run without a shell, with only a revision and a path after ``--end-of-options``. Filters,
hooks, pagers and the network are not involved in showing a blob.
"""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple, cast

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

STDIN = "-"
PACKED = ".gz"
YAML_SUFFIXES = (".yaml", ".yml")
_GZIP = b"\x1f\x8b"
_CHUNK = 1024 * 1024
_BUFFER = 256 * 1024  # for files of many rows: the default of 8 KiB means many system calls
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
def _reading_errors(path: str) -> Iterator[None]:
    """Convert errors of reading into ToolcanonErrors with the path."""
    try:
        yield
    except EOFError:
        raise MissingFile(path, "the packed file ends too early") from None
    except zlib.error:
        raise MissingFile(path, "the packed file is damaged") from None
    except OSError as error:  # also from a damaged packed file
        raise MissingFile(path, _reason(error)) from None


def _reason(error: OSError) -> str:
    return (error.strerror or str(error)).lower()


def read_document(
    path: str, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Loaded:
    """Read one JSON document from a file (YAML by its suffix), or from stdin for ``-``."""
    return parse(path, read_bytes(path, limits), limits, duplicates=duplicates)


def read_bytes(path: str, limits: Limits = DEFAULT_LIMITS) -> bytes:
    """Read a file or stdin, unpacked, up to one byte more than the limit."""
    with _opened(path) as opened, _reading_errors(path):
        stream = _unpacked(opened, path)
        chunks: list[bytes] = []
        left = limits.bytes + 1
        while left > 0:  # in chunks: a large limit must not allocate its size at once
            chunk = stream.read(min(_CHUNK, left))
            if not chunk:
                break
            chunks.append(chunk)
            left -= len(chunk)
        return b"".join(chunks)


def parse(path: str, data: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """Parse the content of a path as one document."""
    if is_yaml(path):
        return _load_yaml(data, limits)
    return loads(data, limits, duplicates=duplicates)


def is_yaml(path: str) -> bool:
    """Return whether the suffix means YAML."""
    return path.lower().removesuffix(PACKED).endswith(YAML_SUFFIXES)


def _load_yaml(data: bytes, limits: Limits) -> Loaded:
    from toolcanon.sources.yaml import load_yaml  # noqa: PLC0415 - most files are JSON

    return load_yaml(data, limits)


def rows_in(data: bytes, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[int, bytes]] | None:
    """Yield the lines if each is a document: the first is one and more follow; None otherwise."""
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
    """Yield one document a line, with line numbers from 1; blank lines are skipped."""
    for number, line in raw_lines(path, limits):
        yield number, load_line(number, line, limits, duplicates=duplicates)


def raw_lines(path: str, limits: Limits = DEFAULT_LIMITS) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file with their numbers, unparsed; gzip is unpacked while reading.

    A line over the limit is truncated, and the rest of it is skipped.
    """
    with _opened(path) as opened:
        stream = _unpacked(opened, path)
        read, most = stream.readline, limits.line
        with _reading_errors(path):
            for number, line in enumerate(iter(partial(read, most + 1), b""), 1):
                if len(line) > most:
                    rest = line
                    while rest and not rest.endswith(b"\n"):
                        rest = read(most)
                if not line.isspace():
                    yield number, line


def load_line(number: int, line: bytes, limits: Limits, *, duplicates: bool = False) -> Loaded:
    """Parse one line; errors have its number."""
    try:
        if len(line) > limits.line:
            raise LimitExceeded("line", limits.line)
        return loads_line(line, limits, duplicates=duplicates)
    except ToolcanonError as error:
        if not _is_placed(error, number):
            error.row = number
        raise


def _is_placed(error: ToolcanonError, number: int) -> bool:
    """Return whether an error has a line, and set it to this one, as the parser saw one line."""
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
    """Return the stream, unpacked if its first bytes are those of gzip."""
    peek = getattr(stream, "peek", None)
    try:
        if peek is None or not peek(2).startswith(_GZIP):
            return stream
    except OSError as error:
        raise MissingFile(path, _reason(error)) from None
    import gzip  # noqa: PLC0415 - rarely needed

    return cast("BinaryIO", gzip.GzipFile(fileobj=stream))


def check_place(path: str) -> None:
    """Raise CannotWrite for an output that cannot be written, before other output is written."""
    parent = Path(path).parent
    if not parent.is_dir():
        raise CannotWrite(path, f"{parent} is not a folder")
    if Path(path).is_dir():
        raise CannotWrite(path, "it is a folder")
    _ensure_unprotected(Path(path))


def _ensure_unprotected(target: Path) -> None:
    """Raise CannotWrite for a write-protected file, which renaming over it would ignore."""
    if target.is_file() and not target.stat().st_mode & _WRITABLE:
        raise CannotWrite(str(target), "it is write-protected")


def write_file(path: str, chunks: Iterable[str]) -> None:
    """Write a file completely, or leave the old one."""
    with writing(path) as stream:
        for chunk in chunks:
            stream.write(chunk.encode())


@contextlib.contextmanager
def writing(path: str) -> Iterator[BinaryIO]:
    """Yield a stream whose file appears when it is complete: temporary file, sync, rename.

    A link is followed. A device, a pipe or an open stream is written to directly. A name that ends
    with .gz is packed.
    """
    with _whole(path) as stream:
        if not path.endswith(PACKED):
            yield stream
            return
        import gzip  # noqa: PLC0415 - rarely needed

        with gzip.GzipFile(
            "", "wb", fileobj=stream, mtime=0
        ) as packed:  # the same bytes every time
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
        _ensure_unprotected(target)
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
    """Return the number of an open stream that a path names; opening it again would truncate it."""
    found = _STREAMS.fullmatch(path)
    if found is None:
        return None
    return int(found[1]) if found[1] else 1 if path.endswith("out") else 2


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


PREFIX: Final = "git:"
_SECONDS: Final = 30
_REVISION: Final = re.compile(r"[^\s:\-\x00-\x1f\x7f][^\s:\x00-\x1f\x7f]{0,255}")
_COMMAND: Final = (
    "git", "--no-pager", "-c", "core.fsmonitor=false", "show", "--no-textconv", "--no-ext-diff",
    "--end-of-options",
)  # fmt: skip
_QUIET: Final = {
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "LC_ALL": "C",
}


class Revision(NamedTuple):
    """A file at a revision."""

    revision: str
    path: str

    @classmethod
    def parse(cls, spec: str, path: str | None = None) -> Revision:
        """Read ``git:REV:path``, or ``git:REV`` with a given path. Raises MissingFile.

        As in git, a path is relative to the root of the repository unless it begins with ``./``.
        """
        revision, _, file = spec.removeprefix(PREFIX).partition(":")
        if not _REVISION.fullmatch(revision):
            raise MissingFile(spec, "it has no revision; write git:REV:path")
        if not file and path is not None:
            file = path if path.startswith(("/", "./", "../")) else f"./{path}"
        if not file or "\x00" in file or "\n" in file:
            raise MissingFile(spec, "it has no file; write git:REV:path")
        return cls(revision, file)

    def __str__(self) -> str:
        return f"{PREFIX}{self.revision}:{self.path}"


def read_revision(
    revision: Revision, limits: Limits = DEFAULT_LIMITS, *, duplicates: bool = False
) -> Loaded:
    """Return the document of a file at a revision. Raises MissingFile when there is none."""
    raw = _shown(revision, limits)
    if revision.path.lower().endswith(YAML_SUFFIXES):
        return _load_yaml(raw, limits)
    return loads(raw, limits, duplicates=duplicates)


def _shown(revision: Revision, limits: Limits) -> bytes:
    """Return the bytes of the file, up to one more than allowed."""
    what = f"{revision.revision}:{revision.path}"
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell, and no argument is read as an option
            [*_COMMAND, what],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **_QUIET},
        )
    except OSError:
        raise MissingFile(str(revision), "git is not installed") from None
    with process:
        assert process.stdout is not None  # noqa: S101 - piped above
        raw = process.stdout.read(limits.bytes + 1)
        if len(raw) > limits.bytes:
            process.kill()
            return raw
        try:
            _, errors = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise MissingFile(str(revision), "git does not answer") from None
    if process.returncode:
        words = errors.decode("utf-8", "replace").strip().splitlines()
        reason = words[-1].removeprefix("fatal: ") if words else "git failed without a message"
        raise MissingFile(str(revision), reason)
    return raw
