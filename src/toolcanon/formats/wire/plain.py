"""Plain function tools: what the fast lane needs to know of a format, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from toolcanon.jsonio.types import JsonObject

PlainWriter: TypeAlias = Callable[
    [str, str, JsonObject, bool | None, JsonObject | None], JsonObject
]
"""Name, description (maybe empty), schema, strictness and output schema (if stated), written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainForm:
    """One shape in which a format writes a function tool: where things stand."""

    inputs: str
    """The key of the schema; ``name`` and ``description`` are called that everywhere."""
    inside: str | None = None
    """The key of the object that holds them."""
    type: str | None = None
    """What ``type`` says at the top."""
    reads: Mapping[str, str] = field(default_factory=dict)
    """Other keys beside the name that have a meaning of ours, and which."""
    within: str | None = None
    """The only key of an object around the schema."""
    odd: str | None = None
    """A keyword in the schema that the reader does not take as it stands."""

    def __post_init__(self) -> None:
        """A catalog's ``required`` beside the schema belongs into it, in every form."""
        object.__setattr__(self, "reads", {"required": "inputs", **self.reads})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What it takes to convert a plain function tool without looking further."""

    write: PlainWriter
    apart: Mapping[str, PlainWriter] = field(default_factory=dict)
    """How it is written in dialects that have keys of their own, by id."""
    writes: frozenset[str] = frozenset()
    """What it can say of a function tool beside name, description and schema."""
    forms: tuple[PlainForm, ...] = ()
    carries: frozenset[str] = frozenset()
    """Keys of its own that tools in the envelopes of others carry for it."""


def flat(
    schema_key: str, *, strict_key: str | None = None, outputs_key: str | None = None
) -> PlainWriter:
    """Everything side by side; what the format has no key for is left out."""

    def write(
        name: str,
        description: str,
        schema: JsonObject,
        strict: bool | None,  # noqa: FBT001
        outputs: JsonObject | None,
    ) -> JsonObject:
        out: JsonObject = {"name": name}
        if description:
            out["description"] = description
        out[schema_key] = schema
        if outputs is not None and outputs_key is not None:
            out[outputs_key] = outputs
        if strict is not None and strict_key is not None:
            out[strict_key] = strict
        return out

    return write
