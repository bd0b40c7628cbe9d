"""``@tool``: define a tool from a function, which stays unchanged."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from types import FrameType, MethodType
from typing import Any, Final, Literal, TypedDict, TypeVar, Unpack, overload

from pydantic import ValidationError

from toolcanon.conversion.plain import DEFINITION
from toolcanon.define.answers import answer_of
from toolcanon.define.docstrings import Docstring, parse
from toolcanon.define.function_tool import Draft, FunctionTool
from toolcanon.define.signature import Arguments, arguments_of
from toolcanon.define.subject import Subject, not_a_tool, subject_of
from toolcanon.errors import RefusedArguments, nearest
from toolcanon.ir import CanonicalTool, ToolCapability, ToolSecurity
from toolcanon.jsonio.types import JsonObject

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


class Options(TypedDict, total=False):
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
def tool(**options: Unpack[Options]) -> Callable[[Target], Target]: ...


def tool(target: Any = None, /, **options: Unpack[Options]) -> Any:
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


def define_tool(target: Any, /, **options: Unpack[Options]) -> FunctionTool:
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


def _defined(target: Any, frame: FrameType | None, options: Options) -> FunctionTool:
    subject = subject_of(target, frame)
    for option in options:
        if option not in Options.__optional_keys__:
            near = nearest(option, sorted(Options.__optional_keys__))
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
        Draft(_canonical(subject, options), write),
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


def _canonical(subject: Subject, options: Options) -> CanonicalTool:
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
