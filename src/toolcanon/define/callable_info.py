"""A callable that becomes a tool: its parameters, injected ones, docstring and place.

The style is recognised: a section is underlined (NumPy), ends in a colon with an indented block
below it (Google), or is a field between colons (Sphinx). Everything else is text. Sections about
anything but parameters, returns or errors stay in the text, since a model may use them.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, is_dataclass, replace
from functools import partial
from types import FrameType, FunctionType, MethodType, ModuleType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Generic,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel
from typing_extensions import is_typeddict

from toolcanon.errors import CannotCall, DefinitionError


class CodeLine(NamedTuple):
    """A line of a file; line 0 when only the file is known."""

    file: str
    line: int


def place_of(source: Any, parameter: str | None = None) -> CodeLine:
    """Return the line of a function or class, or of one of its parameters or fields."""
    code = getattr(source, "__code__", None)
    file = code.co_filename if code else _file_of(source)
    first = code.co_firstlineno if code else 0
    try:
        lines, start = inspect.getsourcelines(source)
    except (OSError, TypeError, SyntaxError):  # defined at a prompt or by exec, or built in
        return CodeLine(file, first)
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:  # part of a line
        return CodeLine(file, first)
    return CodeLine(file, max(start, 1) + _line_in(tree, parameter) - 1)


def _file_of(source: Any) -> str:
    try:
        return inspect.getsourcefile(source) or "unknown file"
    except (OSError, TypeError):  # built-in objects have no file
        return str(getattr(source, "__module__", None) or "unknown file")


def _line_in(tree: ast.Module, parameter: str | None) -> int:
    top = tree.body[0] if tree.body else None
    if isinstance(top, (ast.FunctionDef, ast.AsyncFunctionDef)):
        arguments = top.args
        extra = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
        for one in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *extra):
            if one.arg == parameter:
                return one.lineno
        return top.lineno
    if isinstance(top, ast.ClassDef):
        for item in top.body:
            if isinstance(item, ast.AnnAssign) and getattr(item.target, "id", "") == parameter:
                return item.lineno
        return top.lineno
    return 1


State = TypeVar("State")
_UNIONS = (Union, UnionType)


class Injected:
    """Marks a parameter that the application supplies: ``Annotated[Database, Injected]``."""


@dataclass(frozen=True, slots=True)
class Context(Generic[State]):
    """Values that the application passes to a call beside the model's arguments.

    A parameter annotated with it gets the whole context; one marked ``Injected`` gets the value of
    ``values`` under the parameter's name.
    """

    state: State
    """Anything the application keeps: a session, a user, a database."""
    values: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters marked ``Injected``, by the parameter's name."""
    call_id: str | None = None
    """The provider's id of the call, if it has one."""


def is_injected(hint: Any) -> bool:
    """Return whether the application supplies a parameter of this type."""
    if get_origin(hint) is Annotated:
        marks = get_args(hint)[1:]
        if any(mark is Injected or isinstance(mark, Injected) for mark in marks):
            return True
    return takes_context(hint)


def takes_context(hint: Any) -> bool:
    """Return whether the type is the context, or the context or None."""
    origin = get_origin(hint)
    if origin is Annotated:
        return takes_context(get_args(hint)[0])
    if origin in _UNIONS:
        return any(takes_context(choice) for choice in get_args(hint))
    return hint is Context or origin is Context


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter that the application supplies."""

    name: str
    is_context: bool
    is_optional: bool
    """Whether it has a default, used when nothing is supplied."""


def supplied(tool: str, slots: tuple[Slot, ...], context: Context[Any] | None) -> dict[str, Any]:
    """Return the values for the slots; raises CannotCall for one that has none."""
    out: dict[str, Any] = {}
    for slot in slots:
        if context is not None and slot.is_context:
            out[slot.name] = context
        elif context is not None and not slot.is_context and slot.name in context.values:
            out[slot.name] = context.values[slot.name]
        elif not slot.is_optional:
            wanted = "" if slot.is_context else f" with a value for {slot.name!r}"
            raise CannotCall(
                tool,
                f"nothing was supplied for {slot.name!r}",
                f"pass context=Context(…){wanted}",
            )
    return out


_TYPING: Final = frozenset({"types", "typing", "typing_extensions"})
_RECEIVERS: Final = frozenset({"self", "cls"})
_UNSAYABLE: Final = {
    inspect.Parameter.VAR_POSITIONAL: (
        "*{0} takes any number of values, but a model sends arguments by name",
        "write {0}: list[…] instead",
    ),
    inspect.Parameter.VAR_KEYWORD: (
        "**{0} takes arguments of any name, which a schema cannot list",
        "name them, or write {0}: dict[str, …] instead",
    ),
    inspect.Parameter.POSITIONAL_ONLY: (
        "{0} is positional only, but a model sends arguments by name",
        "move the / before it, or remove the /",
    ),
}


@dataclass(frozen=True, slots=True)
class CallableInfo:
    """An object to define a tool from."""

    called: Any
    """The called object; for a method without its object, the bare function."""
    source: Any
    """The function or class whose source, annotations and docstring are used."""
    name: str
    doc: str | None
    parameters: tuple[inspect.Parameter, ...] = ()
    """The parameters that a caller passes: without self and those bound by a partial."""
    hints: dict[str, Any] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    """Names in the scope of the definition, beside those of its module."""
    is_model: bool = False
    waits: bool = False
    """Whether it is a method without an object."""

    def refuse(self, reason: str, advice: str, parameter: str | None = None) -> DefinitionError:
        """Return the error with the place of the definition."""
        file, line = place_of(self.source, parameter)
        called = getattr(self.source, "__qualname__", self.name)
        name = called.rpartition("<locals>.")[2]
        return DefinitionError(name, file, line, reason, advice, parameter)


def not_a_tool(target: Any) -> DefinitionError:
    """Return the error for an object that is not decorated."""
    source = target if isinstance(target, type) else _source(getattr(target, "__func__", target))
    subject = CallableInfo(target, source, _name(target, source), None)
    return subject.refuse("it is not a tool", "decorate it with @tool")


def subject_of(target: Any, frame: FrameType | None = None) -> CallableInfo:
    """Inspect a decorated object; raises DefinitionError when it cannot be a tool."""
    if isinstance(target, type):
        return _model(target, frame)
    called = target.__func__ if isinstance(target, (classmethod, staticmethod)) else target
    source = _source(called)
    subject = CallableInfo(called, source, _name(called, source), _doc(called, source))
    if getattr(source, "__name__", "") == "<lambda>":
        raise subject.refuse(
            "a lambda has neither a name nor types", "write a function with annotations instead"
        )
    try:
        parameters = tuple(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):  # inspect finds no signature
        raise subject.refuse(
            f"a {type(called).__name__} has no known signature",
            "decorate a function, a method, a callable object, a dataclass, a TypedDict or a "
            "pydantic model",
        ) from None
    waits = isinstance(target, classmethod) or (
        target is called and isinstance(called, FunctionType) and _is_method(called, parameters)
    )
    bound = called.keywords if isinstance(called, partial) else {}
    kept = tuple(one for one in parameters[waits:] if one.name not in bound)
    hints, around = _hints(subject, frame)
    found = replace(subject, parameters=kept, hints=hints, names=_kept(around), waits=waits)
    for one in kept:
        _check(found, one)
    return found


def _check(subject: CallableInfo, parameter: inspect.Parameter) -> None:
    name = parameter.name
    if parameter.kind in _UNSAYABLE:
        reason, advice = _UNSAYABLE[parameter.kind]
        raise subject.refuse(reason.format(name), advice.format(name), name)
    if name not in subject.hints:
        raise subject.refuse(
            "it has no annotation, so its type is unknown",
            f"write {name}: str, or the type it takes",
            name,
        )


def _model(cls: type[Any], frame: FrameType | None) -> CallableInfo:
    doc = cls.__dict__.get("__doc__")
    if doc and is_dataclass(cls) and doc.startswith(f"{cls.__name__}("):
        doc = None  # generated by the dataclass decorator
    names = _kept(_around(cls, frame)[0])
    subject = CallableInfo(cls, cls, cls.__name__, doc, names=names, is_model=True)
    if not (issubclass(cls, BaseModel) or is_dataclass(cls) or is_typeddict(cls)):
        raise subject.refuse(
            "a class is a tool only when its fields are the arguments",
            "make it a dataclass, a TypedDict or a pydantic model, or decorate a method or an "
            "object that can be called",
        )
    return subject


def _source(called: Any) -> Any:
    """Return the function behind partials, bound methods, wrappers and callable objects."""
    while isinstance(called, partial):
        called = called.func
    if isinstance(called, MethodType):
        called = called.__func__
    if not inspect.isroutine(called) and not isinstance(called, type):
        called = type(called).__call__ if callable(called) else called
    return inspect.unwrap(called)


def _name(called: Any, source: Any) -> str:
    while isinstance(called, partial):
        called = called.func
    own = getattr(called, "__name__", None)
    if own is None:
        own = type(called).__name__ if callable(called) else repr(source)
    return str(own)


def _doc(called: Any, source: Any) -> str | None:
    own = getattr(source, "__doc__", None)
    if own or inspect.isroutine(called) or isinstance(called, partial):
        return own
    return type(called).__doc__  # a callable object is described by its class


def _is_method(function: FunctionType, parameters: tuple[inspect.Parameter, ...]) -> bool:
    """Return whether it is in the body of a class and has a parameter for the object."""
    home = function.__qualname__.rpartition(".")[0]
    if not home or home.endswith("<locals>") or not parameters:
        return False
    first = parameters[0]
    return first.annotation is first.empty or first.name in _RECEIVERS


def _around(source: Any, frame: FrameType | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the names of the enclosing function, without and with those of enclosing classes."""
    module = sys.modules.get(getattr(source, "__module__", None) or "")
    home = getattr(source, "__globals__", None) or getattr(module, "__dict__", None)
    is_local = "<locals>" in getattr(source, "__qualname__", "")
    classes: dict[str, Any] = {}
    while frame is not None and frame.f_globals is home and frame.f_locals is not home:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            function = dict(frame.f_locals) if is_local else {}
            return function, {**classes, **function}
        classes = {**frame.f_locals, **classes}
        frame = frame.f_back
    return {}, classes


def _kept(names: dict[str, Any]) -> dict[str, Any]:
    """Return the names that a type could need; other locals are not kept alive."""
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, (type, ModuleType)) or type(value).__module__ in _TYPING
    }


def _hints(subject: CallableInfo, frame: FrameType | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the evaluated annotations, and the names of the enclosing function, if any."""
    source = subject.source
    outside, inside = _around(source, frame)
    try:  # the class comes second: a method called list must not hide the type
        return get_type_hints(source, localns=outside or None, include_extras=True), outside
    except (NameError, AttributeError, SyntaxError, TypeError):  # an annotation is evaluated
        pass
    try:
        return get_type_hints(source, localns=inside, include_extras=True), outside
    except NameError as error:
        missing = error.name or str(error)
        raise subject.refuse(
            f"the name {missing!r} in an annotation is not defined",
            "define it above, and import it outside `if TYPE_CHECKING`",
            _mentioning(source, missing),
        ) from None
    except (AttributeError, SyntaxError, TypeError) as error:  # an annotation is evaluated
        raise subject.refuse(
            f"an annotation cannot be evaluated ({error})", "correct the annotation"
        ) from None


def _mentioning(source: Any, word: str) -> str | None:
    """Return the parameter whose annotation contains the word."""
    mentions = re.compile(rf"\b{re.escape(word)}\b")
    try:
        written = dict(getattr(source, "__annotations__", {}))
    except NameError:  # since Python 3.14 annotations are evaluated on access
        return None
    return next((str(name) for name, hint in written.items() if mentions.search(str(hint))), None)


_PARAMETERS: Final = "parameters"
_RETURNS: Final = "returns"
_RAISES: Final = "raises"

_SECTIONS: Final = {
    "args": _PARAMETERS,
    "arguments": _PARAMETERS,
    "attributes": _PARAMETERS,
    "keyword args": _PARAMETERS,
    "keyword arguments": _PARAMETERS,
    "other parameters": _PARAMETERS,
    "parameters": _PARAMETERS,
    "params": _PARAMETERS,
    "raises": _RAISES,
    "exceptions": _RAISES,
    "return": _RETURNS,
    "returns": _RETURNS,
    "yield": _RETURNS,
    "yields": _RETURNS,
}
_FIELDS: Final = {
    **dict.fromkeys(
        ("param", "parameter", "arg", "argument", "key", "keyword", "kwarg", "ivar", "var"),
        _PARAMETERS,
    ),
    **dict.fromkeys(("return", "returns", "yield", "yields"), _RETURNS),
    **dict.fromkeys(("raise", "raises", "except", "exception"), _RAISES),
    **dict.fromkeys(("type", "rtype", "ytype", "vartype", "meta"), ""),  # types are in the code
}
_UNDERLINE: Final = re.compile(r"[-=~]{3,}\s*$")
_NAMES: Final = re.compile(r"[`*\w][\w.`*, ]*")
_TYPE_ENDS: Final = re.compile(r"\)\s*:")
_TYPE: Final = re.compile(r"[\w.]+(\[[^:]*\])?( *\| *[\w.]+(\[[^:]*\])?)*: +")
_LONGEST_TYPE: Final = 120
_ON_ITS_OWN: Final = re.compile(r"[-*+•] |\d+[.)] |>>> |```|\|")


@dataclass(frozen=True, slots=True)
class Docstring:
    """The parts of a docstring."""

    summary: str = ""
    """The first paragraph."""
    text: str = ""
    """The rest, without the sections below."""
    parameters: dict[str, str] = field(default_factory=dict)
    returns: str = ""
    raises: dict[str, str] = field(default_factory=dict)

    @property
    def description(self) -> str:
        """Return summary and text."""
        return f"{self.summary}\n\n{self.text}" if self.text else self.summary


@dataclass(slots=True)
class _Found:
    """The parts read so far."""

    text: list[str] = field(default_factory=list)
    parameters: dict[str, str] = field(default_factory=dict)
    raises: dict[str, str] = field(default_factory=dict)
    returns: str = ""

    def add(self, kind: str, names: str, lines: list[str]) -> None:
        joined = _joined(lines)
        if kind == _RETURNS:
            self.returns = f"{self.returns}\n{joined}".strip()
        elif kind:
            table = self.parameters if kind == _PARAMETERS else self.raises
            for name in names.split(","):
                table[name.strip(" `*")] = joined


def parse(docstring: str | None) -> Docstring:
    r"""Read a docstring of any style.

    >>> parse("Find it.\n\nArgs:\n    query: What to look for.").parameters
    {'query': 'What to look for.'}
    """
    if not docstring or not docstring.strip():
        return Docstring()
    lines = inspect.cleandoc(docstring).splitlines()
    if _is_header(lines[0]) and not any(map(_is_header, lines[1:])):  # cleandoc dedented it
        lines[1:] = [f" {line}" for line in lines[1:]]
    found = _Found()
    at = 0
    while at < len(lines):
        at = _numpy(lines, at, found) or _google(lines, at, found) or _sphinx(lines, at, found)
    summary, _, text = "\n".join(found.text).strip().partition("\n\n")
    return Docstring(summary, text.strip(), found.parameters, found.returns, found.raises)


def _numpy(lines: list[str], at: int, found: _Found) -> int:
    """Return the end of a NumPy section that begins here; 0 if none does."""
    kind = _SECTIONS.get(lines[at].strip().lower())
    if kind is None or not _is_underlined(lines, at) or _indent(lines[at]):
        return 0
    end = at + 2
    while end < len(lines) and not _is_underlined(lines, end):
        end += 1
    items = list(_items(lines[at + 2 : end]))
    for head, body in items:
        if kind == _RETURNS:
            found.add(kind, "", body or [head])
        else:
            found.add(kind, head.partition(":")[0], body)
    return end


def _google(lines: list[str], at: int, found: _Found) -> int:
    """Return the end of a Google section that begins here; 0 if none does."""
    head, colon, rest = lines[at].partition(":")
    kind = _SECTIONS.get(head.strip().lower())
    if kind is None or not colon or _indent(head):
        return 0
    end = at + 1
    while end < len(lines) and (_indent(lines[end]) or not lines[end].strip()):
        end += 1
    block = inspect.cleandoc("\n" + "\n".join(lines[at + 1 : end])).splitlines()
    if kind == _RETURNS:
        joined = _joined([rest, *block])
        typed = _TYPE.match(joined[:_LONGEST_TYPE])
        found.add(kind, "", [joined[typed.end() :] if typed else joined])
        return end
    if rest.strip() or not block:
        return 0
    name, said_lines = "", list[str]()
    for first, body in _items(block):
        names, text = _item(first)
        if names:
            name, said_lines = names, [text, *body]
        else:  # a line with too little indentation
            said_lines += [first, *body]
        if name:
            found.add(kind, name, said_lines)
    return end


def _sphinx(lines: list[str], at: int, found: _Found) -> int:
    """Return the end of a Sphinx field that begins here, or of one line of text."""
    head, colon, text = lines[at][1:].partition(":")
    words = head.split()
    kind = _FIELDS.get(words[0].lower()) if words and lines[at][0] in ":@" else None
    if kind is None or not colon or text[:1].strip():
        found.text.append(lines[at])
        return at + 1
    end = at + 1
    while end < len(lines) and (_indent(lines[end]) or not lines[end].strip()):
        end += 1
    found.add(kind, words[-1], [text, *lines[at + 1 : end]])
    return end


def _item(line: str) -> tuple[str, str]:
    """Return names and text of ``name (type): text``; no names for another line."""
    match = _NAMES.match(line)
    rest = line[match.end() :] if match else ""
    if match and rest.startswith("("):
        typed = _TYPE_ENDS.search(rest)
        rest = rest[typed.end() - 1 :] if typed else ""
    if not match or not rest.startswith(":") or rest[1:2].strip():
        return "", ""
    return match[0], rest[1:]


def _is_header(line: str) -> bool:
    return line.endswith(":") and line[:-1].strip().lower() in _SECTIONS


def _is_underlined(lines: list[str], at: int) -> bool:
    below = at + 1
    return bool(lines[at].strip()) and below < len(lines) and bool(_UNDERLINE.match(lines[below]))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _items(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Yield lines without indentation, each with the indented ones below it."""
    head: str | None = None
    body: list[str] = []
    for line in lines:
        if line.strip() and not _indent(line):
            if head is not None:
                yield head, body
            head, body = line, []
        else:
            body.append(line)
    if head is not None:
        yield head, body


def _joined(lines: list[str]) -> str:
    """Join wrapped lines; paragraphs and lists stay apart."""
    out = ""
    apart = False
    for line in map(str.strip, lines):
        if not line:
            apart = bool(out)
            continue
        if out:
            out += "\n\n" if apart else "\n" if _ON_ITS_OWN.match(line) else " "
        out, apart = out + line, False
    return out
