"""``toolcanon convert`` on JSON Lines: row by row, in order, in constant memory."""

from __future__ import annotations

import contextlib
import gc
import signal
import sys
import threading
import time
from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, TypeAlias

import orjson

from toolcanon.bulk.rows import Converter
from toolcanon.bulk.templates import Templates
from toolcanon.cli.options import warn_duplicates, weigh_tools
from toolcanon.conversion.verify import Verification, verify
from toolcanon.errors import ToolcanonError
from toolcanon.jsonio import Limits, Loaded, loads
from toolcanon.jsonio.canonical import dumps_exactly
from toolcanon.jsonio.load import UNPROVEN, proven, usual_length
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.report.lines import LossCounts
from toolcanon.sources import load_line, raw_lines, writing
from toolcanon.sources.files import STDIN
from toolcanon.text import safe_json

_Line: TypeAlias = tuple[int, bytes]
"""The number of a row and its text."""
_MOST_EXAMPLES: Final = 3
_MOST_ROWS: Final = 2048  # rows in a batch
_MOST_BYTES: Final = 2 << 20  # bytes in a batch
_LONGEST_WAIT: Final = 0.2  # seconds until a batch that is not full is written
_MOST_YOUNG: Final = 50_000  # allocations between two runs of the garbage collector
_ROWS_PER_CHECK: Final = 256  # rows between two checks of the clock
_SECONDS_PER_UPDATE: Final = 0.2  # seconds between two updates of the progress line


class RowRun:
    """One run over a file of rows, with the counts to report at the end."""

    def __init__(
        self,
        converter: Converter,
        tally: LossCounts,
        limits: Limits,
        *,
        duplicates: bool,
        verifies: bool,
    ) -> None:
        self.converter = converter
        self.tally = tally
        self.limits = limits
        self.duplicates = duplicates
        if duplicates:
            converter.on_duplicates = warn_duplicates
        self.verification = Verification() if verifies else None
        self.needs_restore = False
        self.rows = 0
        # A line below this size can hold neither too many tools nor one too large.
        self._usual = min(usual_length(limits), limits.line, limits.tool, 2 * limits.tools - 1)
        self._templates = Templates(converter, self._usual)
        self.skipped: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], list[int]] = {}

    def run(
        self, path: str, output: str | None, losses: str | None, rejects: str | None, *, quiet: bool
    ) -> None:
        """Convert every row. Raises the error of the first bad row, unless such rows are skipped.

        Rows go to ``output``, or to stdout for None; losses and rejected rows to their files.
        """
        progress = None if quiet else _Progress(path)
        with contextlib.ExitStack() as stack, _exit_on_sigterm(), _rare_collection():
            out = stack.enter_context(_rows_out(output))
            losses_out = _opened(stack, losses)
            rejects_out = _opened(stack, rejects)
            verifies = self.verification is not None
            is_summed = not (self.tally.is_verbose or verifies or losses_out is not None)
            lines = raw_lines(path, self.limits)
            if not (is_summed and self._templates.are_used):
                for number, line in lines:
                    self._one(number, line, out, losses_out, rejects_out, is_summed=is_summed)
                    if progress is not None:
                        progress.add(number, len(line))
            else:
                for some in _batches(lines):
                    self._together(some, out, rejects_out)
                    if progress is not None:
                        progress.add(some[-1][0], sum(len(line) for _, line in some))
        if progress is not None:
            progress.clear()

    def _together(self, some: Sequence[_Line], out: _Out, rejects: BinaryIO | None) -> None:
        """Convert a batch of which only counts are reported; templates write most rows."""
        texts: list[bytes] = []
        add_kinds = self.tally.add_kinds
        for at, written in enumerate(self._templates.written([line for _, line in some])):
            if written is None:
                self._write(texts, out)
                self._one(*some[at], out, None, rejects, is_summed=True)
                continue
            text, tool, example, beside = written
            texts.append(text)
            if example.losses:
                add_kinds(tool, example.losses)
            if example.needs_restore:
                self.needs_restore = True
            for member in beside or ():
                if member.losses:
                    add_kinds(tool, member.losses)
                if member.needs_restore:
                    self.needs_restore = True
        self._write(texts, out)

    def _write(self, texts: list[bytes], out: _Out) -> None:
        out.texts(texts)
        self.rows += len(texts)
        texts.clear()

    def _one(
        self,
        number: int,
        line: bytes,
        out: _Out,
        losses: BinaryIO | None,
        rejects: BinaryIO | None,
        *,
        is_summed: bool,
    ) -> None:
        try:
            if is_summed and len(line) <= self._usual:
                made = self._summed(number, line)
            else:
                made = self._row(number, line, losses)
        except ToolcanonError as error:
            if self.converter.on_error == "fail":
                raise
            self._reject(number, line, error, rejects)
        else:
            out(made)
            self.rows += 1

    def _summed(self, number: int, line: bytes) -> Json:
        """Convert a row like ``_row`` when only counts of losses are needed."""
        value = proven(line)
        if value is UNPROVEN:
            return self._row(number, line, None)
        try:
            row, lost, needs_restore = self.converter.row(value).summed()
        except ToolcanonError as error:
            error.row = number
            raise
        for tool, kinds in lost:
            self.tally.add_kinds(tool, kinds)
        if needs_restore:
            self.needs_restore = True
        return row

    def _row(self, number: int, line: bytes, losses: BinaryIO | None) -> Json:
        loaded = load_line(number, line, self.limits, duplicates=self.duplicates)
        try:
            if loaded.duplicate_keys:
                warn_duplicates(loaded.duplicate_keys)
            weigh_tools(self._tools_of(loaded), self.limits)
            done = self.converter.row(loaded.value)
        except ToolcanonError as error:
            error.row = number
            raise
        if self.tally.is_verbose:
            self.tally.add(done.losses)
        else:
            for tool, kinds in done.kinds():
                self.tally.add_kinds(tool, kinds)
        self.needs_restore = self.needs_restore or done.needs_restore
        if self.verification is not None:
            self.verification.add(verify(done.done.binding))
        if losses is not None:
            for loss in done.losses:
                entry = {"row": number, **loss.to_dict()}
                losses.write(f"{safe_json(entry, indent=None)}\n".encode())
        return done.row

    def _tools_of(self, loaded: Loaded) -> Loaded:
        """Return the part of a row that holds tools, to check their number and size."""
        field, row = self.converter.tools_field, loaded.value
        if loaded.size <= self._usual or field is None or not isinstance(row, dict):
            return loaded
        value = row.get(field)
        if not isinstance(value, str):
            return Loaded(value, (), len(dumps_exactly(value)))
        with contextlib.suppress(ToolcanonError):  # the conversion reports what is wrong
            return loads(value, self.limits)
        return Loaded(None, (), 0)

    def _reject(
        self, number: int, line: bytes, error: ToolcanonError, rejects: BinaryIO | None
    ) -> None:
        sort = (error.code, error.name)
        self.skipped[sort] += 1
        examples = self._examples.setdefault(sort, [])
        if len(examples) < _MOST_EXAMPLES:
            examples.append(number)
        if rejects is not None:
            entry: JsonObject = {
                "row": number,
                "error": {"code": error.code, "name": error.name, "message": str(error)},
                "line": line.decode("utf-8", "replace").rstrip("\r\n"),
            }
            if len(line) > self.limits.line:
                entry["cut"] = True
            elif not _is_text(line):
                entry["bytes"] = b64encode(line.rstrip(b"\r\n")).decode()
            rejects.write(f"{safe_json(entry, indent=None)}\n".encode())

    def lines(self) -> Iterator[str]:
        """Yield the counts of rows, and which rows could not be converted."""
        yield f"rows: {self.rows:,} converted, {sum(self.skipped.values()):,} skipped"
        for (code, name), count in self.skipped.most_common():
            rows = ", ".join(map(str, self._examples[code, name]))
            more = " …" if count > _MOST_EXAMPLES else ""
            yield f"{code} {name} x{count:,}: rows {rows}{more}"


def _batches(lines: Iterator[_Line]) -> Iterator[list[_Line]]:
    """Yield rows in batches. When reading fails, the rows before that are yielded first."""
    batch: list[_Line] = []
    size, since = 0, time.monotonic()
    try:
        for line in lines:
            batch.append(line)
            size += len(line[1])
            waited = time.monotonic() - since
            if len(batch) >= _MOST_ROWS or size >= _MOST_BYTES or waited >= _LONGEST_WAIT:
                yield batch
                batch, size, since = [], 0, time.monotonic()
    except GeneratorExit:
        raise
    except BaseException:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


@contextlib.contextmanager
def _exit_on_sigterm() -> Iterator[None]:
    """Exit normally on SIGTERM, so that unfinished output files are removed."""
    is_ours = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if not is_ours or threading.current_thread() is not threading.main_thread():
        yield  # another handler is set
        return

    def end(number: int, _: object) -> None:
        sys.exit(128 + number)  # as shells report it

    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextlib.contextmanager
def _rare_collection() -> Iterator[None]:
    """Run the garbage collector less often: rows and templates hold no reference cycles."""
    usual = gc.get_threshold()
    gc.set_threshold(_MOST_YOUNG, *usual[1:])
    gc.freeze()  # what was imported is not looked through again
    try:
        yield
    finally:
        gc.unfreeze()
        gc.set_threshold(*usual)


@contextlib.contextmanager
def _rows_out(output: str | None) -> Iterator[_Out]:
    if output is not None:
        with writing(output) as stream:
            yield _Out(stream, safely=False)
        return
    sys.stdout.flush()
    stream = sys.stdout.buffer
    yield _Out(stream, safely=sys.stdout.isatty())
    stream.flush()


class _Out:
    """Writes rows; on a terminal, control characters are escaped."""

    def __init__(self, stream: BinaryIO, *, safely: bool) -> None:
        self._write = stream.write
        self._safely = safely

    def texts(self, rows: Sequence[bytes]) -> None:
        """Write rows that are already text."""
        if not self._safely:
            self._write(b"".join(rows))
            return
        for row in rows:
            self(orjson.loads(row))

    def __call__(self, row: Json) -> None:
        if not self._safely:
            try:
                self._write(orjson.dumps(row, None, orjson.OPT_APPEND_NEWLINE))
            except TypeError:  # integers beyond 64 bits
                pass
            else:
                return
        self._write(f"{safe_json(row, indent=None)}\n".encode())


def _is_text(line: bytes) -> bool:
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True


def _opened(stack: contextlib.ExitStack, path: str | None) -> BinaryIO | None:
    return None if path is None else stack.enter_context(writing(path))


class _Progress:
    """A progress line on a terminal."""

    def __init__(self, path: str) -> None:
        self._shows = sys.stderr.isatty()
        self._size = 0
        if path != STDIN and not path.endswith(".gz"):
            with contextlib.suppress(OSError):  # opening the file for reading reports the error
                self._size = Path(path).stat().st_size
        self._read = 0
        self._next = _ROWS_PER_CHECK
        self._begin = self._last = time.monotonic()

    def add(self, rows: int, read: int) -> None:
        """Count ``rows`` converted in total and ``read`` more bytes, and update the line."""
        self._read += read
        if rows < self._next:
            return
        self._next = rows + _ROWS_PER_CHECK
        now = time.monotonic()
        if not self._shows or now - self._last < _SECONDS_PER_UPDATE:
            return
        self._last = now
        share = f" ({self._read * 100 // self._size} %)" if self._size else ""
        pace = rows / (now - self._begin)
        sys.stderr.write(f"\r{rows:,} rows{share}, {pace:,.0f} a second\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._shows:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
