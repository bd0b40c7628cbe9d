"""Many rows in one conversion: for files of millions and for libraries that map over batches.

A row is a definition, a payload, or an object that has tools in a field, often as encoded text and
with calls beside them that a model is to learn. The binding of the tools writes the calls and the
messages of the row as well, so that a label never contradicts a schema.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

import orjson

from toolcanon.bulk.row_columns import (
    COLUMNS,
    WrittenRow,
    advised,
    ensure_agreement,
    ensure_whole,
    written,
    written_calls,
)
from toolcanon.conversations.find_history import HistoryLocation, history_in
from toolcanon.conversion.api import Conversion, convert_by
from toolcanon.conversion.detect import contents, text_of_tools
from toolcanon.conversion.target import (
    BindTarget,
    Naming,
    Target,
    find_bind_target,
    merged,
    profile_of,
)
from toolcanon.diagnostics import Effect, Losses, LossKinds
from toolcanon.errors import NoTools, ToolcanonError, UsageError
from toolcanon.jsonio import compact, exact_bytes, loads
from toolcanon.jsonio.canonical import dumps_exactly, loads_exactly
from toolcanon.jsonio.types import Json, JsonObject

OnError: TypeAlias = Literal["fail", "skip"]
_MOST_BYTES: Final = 32 << 20
_LARGEST: Final = 1 << 18
ORIGINAL: Final = "_original"
"""The suffix of the field that keeps an original value."""


class SummedRow(NamedTuple):
    """A converted row, as a value or as text, with what sums over many rows need."""

    row: Json
    losses: tuple[tuple[str, LossKinds], ...]
    """Codes and effects of the losses of each tool."""
    needs_restore: bool


@lru_cache(maxsize=1024)
def _kind(code: str, effect: Effect) -> LossKinds:
    """Return the same object for the same loss; sums count by identity."""
    return ((code, effect),)


class ConvertedRow(NamedTuple):
    """A converted row, and the conversion of its tools."""

    row: Json
    """The row with tools, calls and messages of the target."""
    done: Conversion
    """The conversion of its tools."""
    history: WrittenRow | None = None
    """The conversion of its conversation, if it has one."""

    @property
    def losses(self) -> Losses:
        """The losses of its conversation, then of its tools."""
        if self.history is None:
            return self.done.losses
        return Losses([*self.history.losses, *self.done.losses])

    def kinds(self) -> tuple[tuple[str, LossKinds], ...]:
        """Return codes and effects of losses, with the name of each tool."""
        found = tuple((loss.tool, _kind(loss.code, loss.effect)) for loss in self.done.losses)
        if self.history is None or not self.history.kinds:
            return found
        return (("", self.history.kinds), *found)

    def summed(self) -> SummedRow:
        """Return the row with no more than sums need."""
        return SummedRow(self.row, self.kinds(), self.needs_restore)

    @property
    def needs_restore(self) -> bool:
        """Whether calls arrive with other names or arguments than the tools' own."""
        return self.done.needs_restore


class _KnownResult(NamedTuple):
    """The result for equal tools before; as text, so that no caller can change it."""

    text: bytes
    done: Conversion


class Converter:
    """Converts rows one by one or in batches; can be pickled and sent to other processes.

    ``tools_field`` names the field that holds the tools; without it the row itself is the payload.
    ``calls_field`` names the field of the calls. Fields that hold encoded text get encoded text.
    ``keep_original`` keeps the old value of a changed field under its name with "_original" added.
    ``on_error="skip"`` leaves out rows that cannot be converted. ``on_duplicates`` is called with
    the keys that repeat in encoded text, whose last value is then used; without it such text is an
    error.

    >>> Converter(to="anthropic").batch([{"name": "f", "parameters": {"type": "object"}}])
    [{'name': 'f', 'input_schema': {'type': 'object'}}]
    """

    def __init__(  # noqa: PLR0913 - the options of ``convert``, and of rows
        self,
        to: str | Target,
        *,
        source: str | None = None,
        strict: bool | str = False,
        dialect: str | None = None,
        model: str | None = None,
        via: str | None = None,
        naming: Naming | None = None,
        lower: bool = True,
        tools_field: str | None = None,
        calls_field: str | None = None,
        keep_original: bool = False,
        on_error: OnError = "fail",
        on_duplicates: Callable[[tuple[str, ...]], None] | None = None,
    ) -> None:
        if calls_field is not None and tools_field is None:
            raise UsageError("calls_field needs tools_field: the tools that are called")
        if keep_original and tools_field is None:
            raise UsageError("keep_original needs tools_field: the field whose value is kept")
        if calls_field is not None and calls_field == tools_field:
            raise UsageError(f"tools_field and calls_field are both {tools_field!r}")
        if on_error not in {"fail", "skip"}:
            raise UsageError(f'on_error must be "fail" or "skip", not {on_error!r}')
        self.to = to
        self._target = replace(to, naming=None) if isinstance(to, Target) else to
        self.source = source
        self.tools_field = tools_field
        self.calls_field = calls_field
        self.keep_original = keep_original
        self.on_error = on_error
        self.on_duplicates = on_duplicates
        self._known: dict[bytes | str, _KnownResult] = {}
        self._held = 0
        self._asked = (strict, dialect, model, via, lower)
        naming = merged("naming", to, naming) if isinstance(to, Target) else naming
        self._naming = None if naming is None else profile_of(naming)
        self.bind_target()  # raises for a wrong option now

    def __getstate__(self) -> JsonObject:
        return {**self.__dict__, "_known": {}, "_held": 0}

    def __call__(self, row: Json) -> Json:
        """Return the converted row."""
        return self._row(row).row

    def row(self, row: Json) -> ConvertedRow:
        """Return the converted row, with what its tools lost. Raises InputError with the reason."""
        return self._row(row)

    def _row(self, row: Json) -> ConvertedRow:
        history = history_in(row, self._loads, self.tools_field)
        field = self.tools_field or _tools_in_text(row, history)
        if field is None:
            if history is None:
                return self._alone(row)
            if not history.tool_keys:
                with suppress(NoTools):  # then it is a conversation without tools
                    return self._alone(row)
            done = self._beside(row, history)
            whole = written(row, history, done, naming=self._naming, source=self.source)
            return ConvertedRow(whole.row, done, whole)
        if not isinstance(row, dict) or row.get(field) is None:
            raise NoTools(f"the row has no field {field!r}")
        payload, done = self._tools(row[field])
        out, made = {**row, field: payload}, None
        if history is not None and history.key != field:
            made = written(
                out, history, done, naming=self._naming, source=self.source, tools_field=field
            )
            out = dict(made.row)
        beside = self.calls_field
        if not COLUMNS.isdisjoint(row) and done.needs_restore:
            ensure_agreement(row, (field, beside, history and history.key), self._loads)
        if beside is not None and row.get(beside) is not None:
            out[beside] = written_calls(row[beside], done, f"/{beside}", self._loads)
        kept_fields = self._kept()
        if made is not None and history is not None and self.keep_original:
            kept_fields.append(history.key)
        for kept in kept_fields:
            if kept + ORIGINAL in row:
                raise UsageError(
                    f"the row has a field {kept + ORIGINAL!r} already: rename it, "
                    "or leave out keep_original"
                )
            if kept in row:
                out[kept + ORIGINAL] = row[kept]
        return ConvertedRow(out, done, made)

    def _alone(self, row: Json) -> ConvertedRow:
        """Convert a row that is a payload of tools."""
        ensure_whole(row, self._loads)
        try:
            return ConvertedRow(*self._tools(row))
        except NoTools as error:
            raise advised(error, row, self._loads) from None

    def _beside(self, row: JsonObject, history: HistoryLocation) -> Conversion:
        """Convert the tools beside a conversation; there may be none."""
        held = {key: row[key] for key in history.tool_keys}
        if not any(hit.value for hit in contents(held)):
            return Conversion([], self.bind_target())
        return self._convert(held)

    def _kept(self) -> list[str]:
        """Return the fields whose original value is kept."""
        fields = (self.tools_field, self.calls_field) if self.keep_original else ()
        return [field for field in fields if field is not None]

    def batch(self, rows: Any) -> Any:
        """Convert a list of rows, or a dict of columns as ``map`` functions pass it."""
        if isinstance(rows, Sequence) and not isinstance(rows, str | bytes):
            return [row for _, row in self._each(rows)]
        if not hasattr(rows, "keys"):
            raise UsageError("a batch is a list of rows or a dict of columns")
        columns = {name: list(rows[name]) for name in rows}
        height = max(map(len, columns.values()), default=0)
        if any(len(column) < height for column in columns.values()):
            raise UsageError("the columns of a batch must have equal length")
        table = [{name: column[i] for name, column in columns.items()} for i in range(height)]
        if self.tools_field is None:
            raise UsageError("columns need tools_field: the column that holds the tools")
        done = [row for _, row in self._each(table)]
        kept = [name + ORIGINAL for name in self._kept() if name in columns]
        names = dict.fromkeys([*columns, *kept])
        if done:  # messages may have another column name now
            held = dict.fromkeys(name for row in done for name in row)
            names = {name: None for name in [*names, *held] if name in held}
        return {name: [row.get(name) for row in done] for name in names}

    def _each(self, rows: Sequence[Json]) -> list[tuple[int, Json]]:
        out = []
        for number, row in enumerate(rows):
            try:
                out.append((number, self(row)))
            except ToolcanonError as error:
                if self.on_error == "fail":
                    error.row = number
                    raise
        return out

    def _tools(self, value: Json) -> tuple[Json, Conversion]:
        """Convert the tools, in the same encoding; results of small values are remembered."""
        known: _KnownResult | None
        if isinstance(value, str):
            known = self._known.get(value) or self._learn(value, *self._tools(self._in_text(value)))
            return known.text.decode(), known.done
        if value.__class__ is dict:  # a lookup costs as much as converting one tool
            done = self._convert(value)
            return done.payload, done
        key = _key(value)
        if key is None:
            return self._together(value)
        known = self._known.get(key) or self._learn(key, *self._together(value))
        return loads_exactly(known.text), known.done

    def _together(self, value: Json) -> tuple[Json, Conversion]:
        """Convert several tools; where each tool is a text, each result is a text."""
        if not (value.__class__ is list and value and all(isinstance(one, str) for one in value)):
            done = self._convert(value)
            return done.payload, done
        done = self._convert([self._in_text(one) for one in value])
        written = done.payload
        if isinstance(written, list) and len(written) == len(value):
            written = [dumps_exactly(one) for one in written]
        return written, done

    def _in_text(self, text: str) -> Json:
        try:
            return self._loads(text)
        except ToolcanonError as error:
            held = "the row" if self.tools_field is None else f"the field {self.tools_field!r}"
            raise NoTools(f"{held} is text that is not JSON: {error}") from None

    def _loads(self, text: str) -> Json:
        loaded = loads(text, duplicates=self.on_duplicates is not None)
        if loaded.duplicate_keys and self.on_duplicates is not None:
            self.on_duplicates(loaded.duplicate_keys)
        return loaded.value

    def bind_target(self) -> BindTarget:
        """Return the target of its tools."""
        return find_bind_target(self._target, *self._asked, self._naming)

    def _convert(self, value: Json) -> Conversion:
        return convert_by(self.bind_target(), value, self.source)

    def _learn(self, key: bytes | str, payload: Json, done: Conversion) -> _KnownResult:
        made = _KnownResult(compact(dumps_exactly(payload).encode()), done)
        weight = len(key) + 8 * len(made.text)  # about: the conversion keeps its tools
        if weight <= _LARGEST:
            self._held += weight
            if self._held > _MOST_BYTES:
                self._known.clear()
                self._held = weight
            self._known[key] = made
        return made


def _tools_in_text(row: JsonObject, history: HistoryLocation | None) -> str | None:
    """Return the column of a conversation's tools, where it has one type and holds text."""
    return None if history is None or history.tool_keys else text_of_tools(row)


def _key(value: Json) -> bytes | None:
    """Return the bytes that equal tools have in common; None where JSON would change the value."""
    try:
        text = orjson.dumps(value)
    except TypeError:  # integers beyond 64 bits
        return None
    if orjson.loads(text) != value:  # NaN becomes null, a tuple becomes a list
        return None
    try:
        return exact_bytes(value)
    except ValueError:  # subclasses of str, for example
        return None
