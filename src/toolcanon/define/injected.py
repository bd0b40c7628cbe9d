"""Values that a tool gets from the application and that models never see."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import UnionType
from typing import Annotated, Any, Generic, TypeVar, Union, get_args, get_origin

from toolcanon.errors import CannotCall

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
