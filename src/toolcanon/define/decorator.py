"""``@tool``: a function becomes a tool and stays the function it was."""

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
    """What can be said of a tool beside its signature and its docstring."""

    name: str
    """Instead of the function's own."""
    description: str
    """Instead of the docstring's."""
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
    """Arguments, each checked against the parameters."""
    outputs: bool
    """False leaves the return type out."""
    strict_docs: bool
    """Whether the docstring must describe every parameter and none that does not exist."""
    extra: Literal["ignore", "forbid"]
    """What happens to arguments that no parameter takes; a model has its own settings."""


@overload
def tool(target: Target, /) -> Target: ...


@overload
def tool(**options: Unpack[Options]) -> Callable[[Target], Target]: ...


def tool(target: Any = None, /, **options: Unpack[Options]) -> Any:
    """Make a tool of a function, method, callable, dataclass, TypedDict or pydantic model.

    Return the same object with its definition attached: ``read``, ``convert``, ``check`` and
    ``Toolset`` accept it. Raises DefinitionError, with the line, for a mistake.

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
        except (AttributeError, TypeError):  # no attributes can be set on it
            raise subject_of(given, frame).refuse(
                f"a {type(target).__name__} cannot keep its definition",
                "wrap it in a function, or use define_tool",
            ) from None
        return target

    return decorate if target is None else decorate(target)


def define_tool(target: Any, /, **options: Unpack[Options]) -> FunctionTool:
    """The definition of something that is left untouched, such as a function of another library."""
    return _defined(target, sys._getframe(1), options)  # noqa: SLF001 - as above


def definition_of(target: Any) -> FunctionTool:
    """The definition of what was decorated; of a bound method, one that calls it.

    Raises DefinitionError for what was not decorated.
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
    if found.fn is not holder:  # a wrapper that copied the attributes of what it wraps
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
            "a class has settings of its own", "set extra there instead of in the decorator"
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
        made.draft.finished()  # here and now, so that mistakes are told here and now
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
    """Put the docstring's words on parameters that have none of their own."""
    subject = arguments.subject
    properties = schema.get("properties", {})
    names = arguments.names(schema)
    for name, text in docs.parameters.items():
        if name in names and text:
            properties[names[name]].setdefault("description", text)
        elif is_strict and name not in names and name not in subject.hints:
            raise subject.refuse(
                f"the docstring describes {name!r}, which is no parameter",
                "correct the name, or remove it from the docstring",
            )
    if is_strict:
        for name, sent_as in names.items():
            if not properties[sent_as].get("description"):
                raise subject.refuse(
                    "nothing describes it", "describe it in the docstring or by Annotated", name
                )


def _canonical(subject: Subject, options: Options) -> CanonicalTool:
    stated: Mapping[str, Any] = options
    said = {key: stated[key] for key in _SAID if stated.get(key) is not None}
    hints = {key: stated[key] for key in _HINTS if stated.get(key) is not None}
    try:
        lists = {
            "tags": list(stated.get("tags", ())),
            "examples": [dict(example) for example in stated.get("examples", ())],
        }
    except (TypeError, ValueError) as error:  # they are not lists, or not lists of objects
        raise subject.refuse(f"tags or examples are wrong: {error}", "pass lists") from None
    try:
        tool = CanonicalTool(
            name=stated.get("name", subject.name),
            description=stated.get("description", ""),
            hints=hints,
            **lists,
            **said,
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        at = ".".join(str(step) for step in first["loc"] if step != "hints")
        raise subject.refuse(f"the option {at} is wrong: {first['msg']}", "correct it") from None
    if not tool.name.strip():
        raise subject.refuse("the tool has no name", "pass name=…")
    return tool
