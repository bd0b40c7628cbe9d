"""A tool that is a Python function: its definition, and how calls reach the function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json, to_jsonable_python

from toolcanon.conversion import RestoredCall
from toolcanon.define.answers import Answer
from toolcanon.define.docstrings import Docstring, parse
from toolcanon.define.injected import Context, supplied
from toolcanon.define.signature import Arguments
from toolcanon.errors import CannotCall, RefusedArguments
from toolcanon.ir import CanonicalTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.judge import Problem
from toolcanon.text import safe, safe_json

_MOST_PROBLEMS: Final = 20
_LONGEST_MESSAGE: Final = 300
_LONGEST_VALUE: Final = 80
_OWN_WORDS: Final = {
    "missing": "required, but missing",
    "extra_forbidden": "there is no such parameter",
}


class Draft:
    """A canonical tool with some fields that are written on first use."""

    __slots__ = ("_tool", "_write")

    def __init__(self, tool: CanonicalTool, write: Callable[[], JsonObject]) -> None:
        self._tool = tool
        self._write: Callable[[], JsonObject] | None = write

    @property
    def name(self) -> str:
        """Return the tool's id."""
        return self._tool.id

    def finished(self) -> CanonicalTool:
        """Return the complete tool. Threads that call it at once write the same."""
        write = self._write
        if write is not None:
            for field, value in write().items():
                setattr(self._tool, field, value)
            self._write = None
        return self._tool


@dataclass(frozen=True, slots=True, eq=False)
class FunctionTool:
    """A function, method, callable or model with its definition.

    ``call`` and ``acall`` take what a model sent: a JSON value, or its text. Arguments that do not
    fit raise RefusedArguments, whose text is meant for the model.
    """

    draft: Draft
    fn: Callable[..., Any]
    """The called object: the decorated object itself, or the bound method."""
    arguments: Arguments
    answer: Answer | None = None
    is_model: bool = False
    """Whether it is a class whose fields are the arguments; a call returns the instance."""
    waits: bool = False
    """Whether it is a method without an object."""

    @property
    def tool(self) -> CanonicalTool:
        """Return the definition, as a format's reader would give it."""
        return self.draft.finished()

    @property
    def docs(self) -> Docstring:
        """Return the parsed docstring."""
        return parse(self.arguments.subject.doc)

    @property
    def name(self) -> str:
        """Return the tool's id."""
        return self.draft.name

    @property
    def is_async(self) -> bool:
        """Return whether a call returns an awaitable."""
        fn: Any = self.fn
        return inspect.iscoroutinefunction(fn) or (
            not inspect.isroutine(fn)
            and not isinstance(fn, type)
            and inspect.iscoroutinefunction(type(fn).__call__)
        )

    def __repr__(self) -> str:
        return f"FunctionTool({self.name!r})"

    def to_dict(self) -> JsonObject:
        """Return the canonical document, so that it can be read and bound like any tool."""
        return self.tool.to_dict()

    def calling(self, fn: Callable[..., Any], *, waits: bool = False) -> FunctionTool:
        """Return the definition for another callable: a bound method, or a wrapper."""
        return replace(self, fn=fn, waits=waits)

    def validate(self, arguments: Json) -> Any:
        """Return the arguments as Python values: keyword arguments, or the instance of a model.

        They are read as JSON, as text or as a value: a date is a string, a set is an array. Raises
        RefusedArguments.
        """
        validator = self.arguments.adapter.validator
        try:
            text = (
                arguments
                if isinstance(arguments, (str, bytes))
                else to_json(arguments, inf_nan_mode="constants")
            )
            return validator.validate_json(text)
        except ValidationError as error:
            problems = tuple(_problems(error, arguments))
        except (PydanticSerializationError, UnicodeEncodeError) as error:
            reason = safe(str(error).partition("\n")[0], _LONGEST_MESSAGE)
            problems = (Problem(Pointer(), "json", f"not JSON: {reason}"),)
        refused = RestoredCall(self.name, None, problems)
        raise RefusedArguments(self.name, problems, refused.message) from None

    def call(self, arguments: Json, context: Context[Any] | None = None) -> Any:
        """Validate and call. Raises RefusedArguments, and CannotCall for an async function."""
        found = None if self.is_async else self._called(arguments, context)
        if inspect.iscoroutine(found):  # an async function inside a wrapper that is not async
            found.close()
        if self.is_async or inspect.isawaitable(found):
            raise CannotCall(self.name, "it is async", "await acall(…) instead of call(…)")
        return found

    async def acall(self, arguments: Json, context: Context[Any] | None = None) -> Any:
        """Validate, call and await. A function that is not async runs in the caller's thread."""
        found = self._called(arguments, context)
        return await found if inspect.isawaitable(found) else found

    def dump(self, value: Any) -> Json:
        """Return a result as JSON, by the return type if there is one."""
        if self.answer is not None:
            write = self.answer.adapter.serializer.to_python  # faster than dump_python
            return write(value, mode="json", by_alias=True, warnings=False)
        return to_jsonable_python(value)

    def _called(self, arguments: Json, context: Context[Any] | None) -> Any:
        if self.waits:
            raise CannotCall(
                self.name,
                "it is a method and has no object",
                "take the definition of the bound method: definition_of(object.method)",
            )
        values = self.validate(arguments)
        if self.is_model:
            return values
        return self.fn(**values, **supplied(self.name, self.arguments.slots, context))


def _problems(error: ValidationError, arguments: Json) -> Iterator[Problem]:
    """Yield why arguments do not fit: one problem for each place, for all branches of unions."""
    value = _parsed(arguments)
    found: dict[Pointer, tuple[str, dict[str, None], Any]] = {}
    for one in error.errors(include_url=False, include_context=False):
        missing = one["type"] == "missing"
        at = _place(value, one["loc"], missing=missing)
        reason = _OWN_WORDS.get(one["type"], one["msg"])
        found.setdefault(at, (one["type"], {}, one["input"]))[1][reason] = None
    for at, (kind, reasons, came) in list(found.items())[:_MOST_PROBLEMS]:
        message = safe(", or: ".join(reasons), _LONGEST_MESSAGE)
        if kind not in _OWN_WORDS and kind != "json_invalid":
            message += f"; got {_shown(came)}"
        yield Problem(at, kind, message)


def _place(value: Json, steps: tuple[str | int, ...], *, missing: bool) -> Pointer:
    """Return the place in the arguments, without pydantic's own names of branches."""
    out: list[str | int] = []
    for number, step in enumerate(steps, 1):
        if step in value if isinstance(value, dict) else _is_index(value, step):
            value = value[step]
        elif not (missing and number == len(steps)):
            continue
        out.append(step)
    return Pointer(out)


def _is_index(value: Json, step: str | int) -> bool:
    return isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)


def _parsed(arguments: Json) -> Json:
    try:
        return from_json(arguments) if isinstance(arguments, (str, bytes)) else arguments
    except ValueError:
        return None


def _shown(value: Any) -> str:
    try:
        text = safe_json(value, indent=None)
    except (TypeError, ValueError, RecursionError):  # it is not JSON
        text = safe(repr(value))
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}…"
