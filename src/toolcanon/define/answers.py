"""Results of a tool: their schema, and their values as JSON."""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine
from dataclasses import dataclass
from functools import cache
from types import UnionType
from typing import Annotated, Any, Final, Never, NoReturn, Union, get_args, get_origin

from pydantic import TypeAdapter

from toolcanon.define.schemas import schema_of
from toolcanon.define.signature import REFUSALS, adapter_of, words_of
from toolcanon.define.subject import Subject
from toolcanon.define.vouching import is_sayable
from toolcanon.errors import DefinitionError
from toolcanon.ir.response import ToolResponse
from toolcanon.jsonio.types import JsonObject

_NOTHING: Final = (None, type(None), Any, NoReturn, Never, object)
_UNIONS: Final = (Union, UnionType)


@dataclass(frozen=True, slots=True)
class Answer:
    """The return annotation of a tool."""

    adapter: TypeAdapter[Any]
    subject: Subject

    @property
    def is_sayable(self) -> bool:
        """Return whether writing its schema cannot fail."""
        return is_sayable(self.adapter.core_schema)

    def schema(self) -> JsonObject:
        """Return the JSON Schema of results; raises DefinitionError if there is none."""
        try:
            return schema_of(self.adapter.core_schema, "serialization", self.subject.names)
        except REFUSALS as error:
            raise _unusable(self.subject, error) from error


def answer_of(subject: Subject) -> Answer | None:
    """Return the return annotation; None if it states nothing.

    ``ToolResponse`` states nothing either: it is an envelope for any value.
    """
    hint = _awaited(subject.hints.get("return"))
    if _states_nothing(hint):
        return None
    try:
        if isinstance(hint, type) and hint.__module__ == "builtins":
            return Answer(_of_builtin(hint), subject)
        return Answer(adapter_of(hint, subject), subject)
    except REFUSALS as error:
        raise _unusable(subject, error) from error


@cache
def _of_builtin(hint: type[Any]) -> TypeAdapter[Any]:
    """Return a cached adapter: most tools return text."""
    return TypeAdapter(hint)


def _unusable(subject: Subject, error: Exception) -> DefinitionError:
    return subject.refuse(
        f"its return type has no JSON Schema: {words_of(error)}",
        "return a type that pydantic supports, annotate it with Any, or pass outputs=False",
    )


def _awaited(hint: Any) -> Any:
    """Return the type of the awaited value."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in {Awaitable, Coroutine} and inside:
        return inside[-1]
    return hint


def _states_nothing(hint: Any) -> bool:
    origin = get_origin(hint)
    if origin is Annotated:
        return _states_nothing(get_args(hint)[0])
    if origin in _UNIONS:
        return any(_is_envelope(choice) for choice in get_args(hint))
    return any(hint is nothing for nothing in _NOTHING) or _is_envelope(hint)


def _is_envelope(hint: Any) -> bool:
    return isinstance(hint, type) and issubclass(hint, ToolResponse)
