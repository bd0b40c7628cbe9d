"""What was decorated, seen as something that can be called with named parameters."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import dataclass, field, is_dataclass, replace
from functools import partial
from types import FrameType, FunctionType, MethodType, ModuleType
from typing import Any, Final, get_type_hints

from pydantic import BaseModel
from typing_extensions import is_typeddict

from toolcanon.define.place import place_of
from toolcanon.errors import DefinitionError

_TYPING: Final = frozenset({"types", "typing", "typing_extensions"})
_RECEIVERS: Final = frozenset({"self", "cls"})
_UNSAYABLE: Final = {
    inspect.Parameter.VAR_POSITIONAL: (
        "*{0} takes any number of values, but a model sends arguments by name",
        "write {0}: list[…] instead",
    ),
    inspect.Parameter.VAR_KEYWORD: (
        "**{0} takes arguments of any name, so a model cannot know them",
        "name them, or write {0}: dict[str, …] instead",
    ),
    inspect.Parameter.POSITIONAL_ONLY: (
        "{0} is positional only, but a model sends arguments by name",
        "move the / in front of it, or leave the / out",
    ),
}


@dataclass(frozen=True, slots=True)
class Subject:
    """Something to make a tool of."""

    called: Any
    """What a call calls; for a method that waits for its object, the bare function."""
    source: Any
    """The function or class whose text, annotations and docstring count."""
    name: str
    doc: str | None
    parameters: tuple[inspect.Parameter, ...] = ()
    """Those that a caller may give: without self, and without what a partial has bound."""
    hints: dict[str, Any] = field(default_factory=dict)
    names: dict[str, Any] = field(default_factory=dict)
    """Known where it was defined, beyond those of its module."""
    is_model: bool = False
    waits: bool = False
    """Whether it is a method that has no object yet."""

    def refuse(self, reason: str, advice: str, parameter: str | None = None) -> DefinitionError:
        """The error that says so, with the place."""
        file, line = place_of(self.source, parameter)
        called = getattr(self.source, "__qualname__", self.name)
        name = called.rpartition("<locals>.")[2]
        return DefinitionError(name, file, line, reason, advice, parameter)


def not_a_tool(target: Any) -> DefinitionError:
    """The error for something that nobody decorated, whether or not it could be a tool."""
    source = target if isinstance(target, type) else _source(getattr(target, "__func__", target))
    subject = Subject(target, source, _name(target, source), None)
    return subject.refuse("it is not a tool", "decorate it with @tool")


def subject_of(target: Any, frame: FrameType | None = None) -> Subject:
    """Look at what was decorated; raises DefinitionError when no tool can be made of it."""
    if isinstance(target, type):
        return _model(target, frame)
    called = target.__func__ if isinstance(target, (classmethod, staticmethod)) else target
    source = _source(called)
    subject = Subject(called, source, _name(called, source), _doc(called, source))
    if getattr(source, "__name__", "") == "<lambda>":
        raise subject.refuse(
            "a lambda has neither a name nor types", "write a function with annotations instead"
        )
    try:
        parameters = tuple(inspect.signature(called).parameters.values())
    except (TypeError, ValueError):  # inspect finds no signature
        raise subject.refuse(
            f"a {type(called).__name__} cannot be called in a known way",
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


def _check(subject: Subject, parameter: inspect.Parameter) -> None:
    name = parameter.name
    if parameter.kind in _UNSAYABLE:
        reason, advice = _UNSAYABLE[parameter.kind]
        raise subject.refuse(reason.format(name), advice.format(name), name)
    if name not in subject.hints:
        raise subject.refuse(
            "it has no annotation, so nobody knows what to send",
            f"write {name}: str, or whatever it takes",
            name,
        )


def _model(cls: type[Any], frame: FrameType | None) -> Subject:
    doc = cls.__dict__.get("__doc__")
    if doc and is_dataclass(cls) and doc.startswith(f"{cls.__name__}("):
        doc = None  # made by the dataclass decorator from the signature
    names = _kept(_around(cls, frame)[0])
    subject = Subject(cls, cls, cls.__name__, doc, names=names, is_model=True)
    if not (issubclass(cls, BaseModel) or is_dataclass(cls) or is_typeddict(cls)):
        raise subject.refuse(
            "a class is a tool only when its fields are the arguments",
            "make it a dataclass, a TypedDict or a pydantic model, or decorate a method or an "
            "object that can be called",
        )
    return subject


def _source(called: Any) -> Any:
    """The function behind partials, bound methods, wrappers and callable objects."""
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
    return type(called).__doc__  # an object whose class tells what calling it does


def _is_method(function: FunctionType, parameters: tuple[inspect.Parameter, ...]) -> bool:
    """Whether it stands in the body of a class and has a first parameter for the object."""
    home = function.__qualname__.rpartition(".")[0]
    if not home or home.endswith("<locals>") or not parameters:
        return False
    first = parameters[0]
    return first.annotation is first.empty or first.name in _RECEIVERS


def _around(source: Any, frame: FrameType | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """Names of the function around a definition, and the same with those of its classes."""
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
    """Those that a type could need; nothing else of a function's locals is kept alive."""
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, (type, ModuleType)) or type(value).__module__ in _TYPING
    }


def _hints(subject: Subject, frame: FrameType | None) -> tuple[dict[str, Any], dict[str, Any]]:
    """The annotations, evaluated, and the names of the function around, if there is one."""
    source = subject.source
    outside, inside = _around(source, frame)
    try:  # a method called list must not hide the type, so the class comes second
        return get_type_hints(source, localns=outside or None, include_extras=True), outside
    except (NameError, AttributeError, SyntaxError, TypeError):  # an annotation is evaluated
        pass
    try:
        return get_type_hints(source, localns=inside, include_extras=True), outside
    except NameError as error:
        missing = error.name or str(error)
        raise subject.refuse(
            f"the name {missing!r} in an annotation is not defined here",
            "define it above, and import it outside `if TYPE_CHECKING`",
            _mentioning(source, missing),
        ) from None
    except (AttributeError, SyntaxError, TypeError) as error:  # an annotation is evaluated
        raise subject.refuse(
            f"an annotation cannot be evaluated ({error})", "correct the annotation"
        ) from None


def _mentioning(source: Any, word: str) -> str | None:
    """The parameter whose annotation has the word in it."""
    mentions = re.compile(rf"\b{re.escape(word)}\b")
    try:
        written = dict(getattr(source, "__annotations__", {}))
    except NameError:  # since Python 3.14 they are evaluated when looked at
        return None
    return next((str(name) for name, hint in written.items() if mentions.search(str(hint))), None)
