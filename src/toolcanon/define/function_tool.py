"""A tool that is a Python function, and the ``@tool`` decorator."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import FrameType, MethodType
from typing import Any, Final, Literal, TypedDict, TypeVar, Unpack, overload

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError, from_json, to_json, to_jsonable_python

from toolcanon.conversion import RestoredCall
from toolcanon.conversion.sdk_objects import DEFINITION
from toolcanon.define.callable_info import (
    CallableInfo,
    Context,
    Docstring,
    not_a_tool,
    parse,
    subject_of,
    supplied,
)
from toolcanon.define.signature import Arguments, ReturnAnnotation, answer_of, arguments_of
from toolcanon.errors import CannotCall, RefusedArguments, nearest
from toolcanon.ir import CanonicalTool, ToolCapability, ToolSecurity
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.validate import Problem
from toolcanon.text import safe, safe_json

_MOST_PROBLEMS: Final = 20
_LONGEST_MESSAGE: Final = 300
_LONGEST_VALUE: Final = 80
_OWN_WORDS: Final = {
    "missing": "required, but missing",
    "extra_forbidden": "there is no such parameter",
}


class DraftTool:
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

    draft: DraftTool
    """The definition before its schemas are made, which happens on first use."""
    fn: Callable[..., Any]
    """The called object: the decorated object itself, or the bound method."""
    arguments: Arguments
    """The parameters, with the validator of arguments."""
    answer: ReturnAnnotation | None = None
    """The return type; None where there is none."""
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


Target = TypeVar("Target")

_SAID: Final = (
    "title",
    "namespace",
    "category",
    "version",
    "timeout",
    "security",
    "capabilities",
)
_HINTS: Final = ("read_only", "destructive", "idempotent", "open_world")


class ToolOptions(TypedDict, total=False):
    """Settings of a tool beside its signature and its docstring."""

    name: str
    """Replaces the function's name."""
    description: str
    """Replaces the docstring's description."""
    title: str
    namespace: str
    category: str
    version: str
    tags: Sequence[str]
    timeout: float
    """Seconds."""
    read_only: bool
    destructive: bool
    idempotent: bool
    open_world: bool
    security: ToolSecurity | Mapping[str, Any]
    capabilities: ToolCapability | Mapping[str, Any]
    examples: Sequence[Mapping[str, Any]]
    """Arguments, each validated against the parameters."""
    outputs: bool
    """False leaves the return type out."""
    strict_docs: bool
    """Whether the docstring must describe every parameter, and no unknown one."""
    extra: Literal["ignore", "forbid"]
    """How arguments without a parameter are handled; a model has its own setting."""


@overload
def tool(target: Target, /) -> Target: ...


@overload
def tool(**options: Unpack[ToolOptions]) -> Callable[[Target], Target]: ...


def tool(target: Any = None, /, **options: Unpack[ToolOptions]) -> Any:
    """Define a tool from a function, method, callable, dataclass, TypedDict or pydantic model.

    Returns the same object with its definition attached: ``read``, ``convert``, ``check`` and
    ``Toolset`` accept it. Raises DefinitionError with file and line.

    >>> from toolcanon import read
    >>> @tool
    ... def search(query: str, limit: int = 10) -> list[str]:
    ...     '''Find pages.'''
    ...     return [query] * limit
    >>> search("tea", 1)
    ['tea']
    >>> read(search)[0].inputs["required"]
    ['query']
    """
    frame = sys._getframe(1)  # noqa: SLF001 - the scope of the definition, for its annotations

    def decorate(target: Target) -> Target:
        holder: Any = target
        if isinstance(target, (classmethod, staticmethod, MethodType)):
            holder = target.__func__
        given = holder if isinstance(target, MethodType) else target
        definition = _defined(given, frame, options)
        try:
            setattr(holder, DEFINITION, definition)
        except (AttributeError, TypeError):  # an object that allows no attributes
            raise subject_of(given, frame).refuse(
                f"a {type(target).__name__} cannot keep its definition",
                "wrap it in a function, or use define_tool",
            ) from None
        return target

    return decorate if target is None else decorate(target)


def define_tool(target: Any, /, **options: Unpack[ToolOptions]) -> FunctionTool:
    """Return the definition of an object, which is left unchanged, for example of a library."""
    return _defined(target, sys._getframe(1), options)  # noqa: SLF001 - as above


def definition_of(target: Any) -> FunctionTool:
    """Return the definition of a decorated object; that of a bound method calls the method.

    Raises DefinitionError for an object that is not decorated.
    """
    if isinstance(target, FunctionTool):
        return target
    holder = target
    if isinstance(target, (classmethod, staticmethod, MethodType)):
        holder = target.__func__
    found = getattr(holder, "__dict__", {}).get(DEFINITION)
    if not isinstance(found, FunctionTool):
        raise not_a_tool(target)
    if isinstance(target, MethodType):
        return found.calling(target)
    if found.fn is not holder:  # a wrapper with copied attributes
        return found.calling(holder, waits=found.waits)
    return found


def _defined(target: Any, frame: FrameType | None, options: ToolOptions) -> FunctionTool:
    subject = subject_of(target, frame)
    for option in options:
        if option not in ToolOptions.__optional_keys__:
            near = nearest(option, sorted(ToolOptions.__optional_keys__))
            advice = f"did you mean {near!r}?" if near else "see toolcanon.define.Options"
            raise subject.refuse(f"there is no option {option!r}", advice)
    if subject.is_model and "extra" in options:
        raise subject.refuse(
            "a class has its own setting for extra arguments",
            "set extra in its configuration instead",
        )
    arguments = arguments_of(subject, options.get("extra", "ignore"))
    answer = answer_of(subject) if options.get("outputs", True) else None
    is_strict = options.get("strict_docs", False)

    def write() -> JsonObject:
        docs = parse(subject.doc)
        inputs = arguments.schema()
        _describe(arguments, docs, inputs, is_strict=is_strict)
        outputs = {} if answer is None else answer.schema()
        if outputs and docs.returns:
            outputs.setdefault("description", docs.returns)
        description = options.get("description", docs.description)
        return {"description": description, "inputs": inputs, "outputs": outputs}

    made = FunctionTool(
        DraftTool(_canonical(subject, options), write),
        subject.called,
        arguments,
        answer,
        is_model=subject.is_model,
        waits=subject.waits,
    )
    if is_strict or not all(side is None or side.is_sayable for side in (arguments, answer)):
        made.draft.finished()  # written now, so that mistakes are reported here
    for number, example in enumerate(options.get("examples", ()), 1):
        try:
            made.validate(dict(example))
        except RefusedArguments as error:
            first = error.problems[0]
            raise subject.refuse(
                f"example {number} does not fit at {first.at or '/'}: {first.message}",
                "correct the example",
            ) from None
    return made


def _describe(
    arguments: Arguments, docs: Docstring, schema: JsonObject, *, is_strict: bool
) -> None:
    """Set the docstring's descriptions on parameters without one of their own."""
    subject = arguments.subject
    properties = schema.get("properties", {})
    names = arguments.names(schema)
    for name, text in docs.parameters.items():
        if name in names and text:
            properties[names[name]].setdefault("description", text)
        elif is_strict and name not in names and name not in subject.hints:
            raise subject.refuse(
                f"the docstring describes {name!r}, which is not a parameter",
                "correct the name, or remove it from the docstring",
            )
    if is_strict:
        for name, sent_as in names.items():
            if not properties[sent_as].get("description"):
                raise subject.refuse(
                    "it has no description", "describe it in the docstring or by Annotated", name
                )


def _canonical(subject: CallableInfo, options: ToolOptions) -> CanonicalTool:
    stated: Mapping[str, Any] = options
    fields = {key: stated[key] for key in _SAID if stated.get(key) is not None}
    hints = {key: stated[key] for key in _HINTS if stated.get(key) is not None}
    try:
        lists = {
            "tags": list(stated.get("tags", ())),
            "examples": [dict(example) for example in stated.get("examples", ())],
        }
    except (TypeError, ValueError) as error:  # not lists, or not lists of objects
        raise subject.refuse(f"tags or examples are wrong: {error}", "pass lists") from None
    try:
        tool = CanonicalTool(
            name=stated.get("name", subject.name),
            description=stated.get("description", ""),
            hints=hints,
            **lists,
            **fields,
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = ".".join(str(step) for step in first["loc"] if step != "hints")
        raise subject.refuse(f"the option {at} is wrong: {first['msg']}", "correct it") from None
    if not tool.name.strip():
        raise subject.refuse("the tool has no name", "pass name=…")
    return tool
