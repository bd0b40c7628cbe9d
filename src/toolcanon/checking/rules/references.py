"""Rules about references and definitions in a schema."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.checking.rule import Rule, RuleHit
from toolcanon.diagnostics import Fix, Level
from toolcanon.formats.wire.unread_parameters import Field, rivals
from toolcanon.ir.walk import ToolView
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.schema.references import Place
from toolcanon.schema.resources import by_place
from toolcanon.text import safe

_CIRCULAR_SHOWN: Final = 120


def _find_reference_circular(subject: ToolView) -> Iterator[RuleHit]:
    for at, flaw in subject.lost_references:
        if flaw.is_circular:
            yield RuleHit(at, f"{safe(str(flaw.value), _CIRCULAR_SHOWN)} leads back to itself")


REFERENCE_CIRCULAR_RULE = Rule(
    code="C210",
    name="reference-circular",
    level="error",
    says="a reference leads back to itself",
    why="What it accepts is undefined: validators recurse without end or reject the schema. "
    "Conversion replaces such a cycle with a schema that accepts anything.",
    remedy="refer to a schema that describes the value",
    wrong=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"$ref": "#/$defs/a"}},
            },
        },
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "integer", "allOf": [{"$ref": "#/$defs/a"}]}},
            },
        },
    ),
    right=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"properties": {"next": {"$ref": "#/$defs/a"}}}},
            },
        },
    ),
    look=_find_reference_circular,
)


_DANGLING_SHOWN: Final = 120


def _find_reference_dangling(subject: ToolView) -> Iterator[RuleHit]:
    for at, flaw in subject.lost_references:
        if not flaw.is_circular and str(flaw.value).startswith("#"):
            yield RuleHit(
                at, f"{safe(str(flaw.value), _DANGLING_SHOWN)} cannot be resolved in this schema"
            )


REFERENCE_DANGLING_RULE = Rule(
    code="C211",
    name="reference-dangling",
    level="error",
    says="a reference cannot be resolved in its schema",
    why="Validators reject the schema. Conversion replaces the reference with a schema that "
    "accepts anything.",
    remedy="add the definition, or correct the reference",
    wrong=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/b"}},
                "$defs": {"a": {"type": "integer"}},
            },
        },
    ),
    right=(
        {
            "name": "add",
            "description": "Adds numbers.",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "integer"}},
            },
        },
    ),
    look=_find_reference_dangling,
)


_ADDRESS_SHOWN: Final = 120


def _find_remote_reference(subject: ToolView) -> Iterator[RuleHit]:
    far = [text for text in subject.texts if text.role == "reference" and text.text[:1] != "#"]
    if not far:
        return
    tool = subject.tool
    local = {*_resolved(tool.input_schema, "inputs"), *_resolved(tool.output_schema, "outputs")}
    reported: set[str] = set()
    for text in far:
        address = text.text.partition("#")[0]
        if tuple(text.at) in local or address in reported:
            continue
        reported.add(address)
        yield RuleHit(text.at, f"refers to {safe(text.text, _ADDRESS_SHOWN)}")


def _resolved(schema: Json, side: str) -> Iterator[Place]:
    """Return references that resolve by an identifier within the schema."""
    if isinstance(schema, dict):
        yield from ((side, *at) for at, _, now in by_place(schema)[1] if now is not None)


REMOTE_REFERENCE_RULE = Rule(
    code="S114",
    name="remote-reference",
    level="error",
    says="a reference points to another document",
    why="A client that fetches it lets a definition reach into its network, and the document may "
    "change after review. toolcanon never fetches it; providers reject it or accept anything "
    "in its place.",
    remedy="copy the schema into `$defs`",
    wrong=(
        {
            "name": "add",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "https://schemas.example.net/a.json"}},
            },
        },
    ),
    right=(
        {
            "name": "add",
            "inputSchema": {
                "type": "object",
                "properties": {"a": {"$ref": "#/$defs/a"}},
                "$defs": {"a": {"type": "integer"}},
            },
        },
    ),
    look=_find_remote_reference,
)


_WORDS: Final = ("$defs", "definitions")
# Keywords that reach a definition in another way than by its place.
_INDIRECT: Final = frozenset({"$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$id"})
_LONGEST: Final = 60
_SHOWN: Final = 3


def _find_definition_unused(subject: ToolView) -> Iterator[RuleHit]:
    for word in _WORDS:
        definitions = subject.schema.get(word)
        if not isinstance(definitions, dict) or not definitions:
            continue
        used = _used(subject)
        if used is None:
            return
        idle = [name for name in definitions if (word, name) not in used]
        if not idle:
            continue
        shown = ", ".join(safe(name, _LONGEST) for name in idle[:_SHOWN])
        more = f" and {len(idle) - _SHOWN} more" if len(idle) > _SHOWN else ""
        rest = {name: held for name, held in definitions.items() if name not in idle}
        fix = Fix("remove unused definitions", rest or None, is_removal=not rest, is_safe=True)
        yield RuleHit(
            Pointer(("inputs", word)),
            f"{len(idle)} of {len(definitions)} definitions are not used: {shown}{more}",
            fix=fix if subject.schema is subject.tool.inputs else None,
        )


def _used(subject: ToolView) -> set[tuple[str, str]] | None:
    """Return the reachable definitions; None when other ways to reach them are in use."""
    refers: dict[tuple[str, str] | None, set[tuple[str, str]]] = {}
    for at, node in subject.nodes:
        if not _INDIRECT.isdisjoint(node):
            return None
        reference = node.get("$ref")
        if not isinstance(reference, str):
            continue
        if not reference.startswith("#/") or "%" in reference or "~" in reference:
            return None
        steps = reference[2:].split("/")
        if steps[0] not in _WORDS or len(steps) == 1:
            return None  # a reference into the middle of a definition
        home = (str(at[1]), str(at[2])) if len(at) > 2 and at[1] in _WORDS else None  # noqa: PLR2004
        refers.setdefault(home, set()).add((steps[0], steps[1]))
    reached: set[tuple[str, str]] = set()
    waiting = list(refers.get(None, ()))
    while waiting:
        name = waiting.pop()
        if name not in reached:
            reached.add(name)
            waiting += refers.get(name, ())
    return reached


DEFINITION_UNUSED_RULE = Rule(
    code="Q113",
    name="definition-unused",
    level="info",
    says="a definition is not used",
    why="It is sent with every request, counts against the limits of providers, and has no effect.",
    remedy="remove unused definitions",
    wrong=(
        {
            "name": "stop",
            "description": "Stops the robot.",
            "inputSchema": {"type": "object", "$defs": {"Speed": {"type": "number"}}},
        },
    ),
    right=(
        {
            "name": "go",
            "description": "Moves the robot.",
            "inputSchema": {
                "type": "object",
                "properties": {"speed": {"$ref": "#/$defs/Speed", "description": "In m/s."}},
                "$defs": {"Speed": {"type": "number"}},
            },
        },
    ),
    look=_find_definition_unused,
)


_SCHEMAS: Final[dict[Field, str]] = {
    "inputs": "the schema of the arguments",
    "outputs": "the schema of the results",
}


def _find_definition_ambiguous(subject: ToolView) -> Iterator[RuleHit]:
    for rival in rivals(subject.tool):
        key = safe(rival.at[-1], _LONGEST)
        if rival.field in _SCHEMAS:
            message = f"{key} is not read: {_SCHEMAS[rival.field]} is different elsewhere"
        elif rival.field == "hint":
            outer, inner = ("true", "false") if rival.value else ("false", "true")
            message = f"{key} {outer} is not read: {key} inside is {inner}"
        else:
            found = safe(str(rival.value), _LONGEST)
            read = safe(str(subject.tool.__dict__.get(rival.field, "")), _LONGEST)
            message = f"{key} {found!r} is not read: the {rival.field} inside is {read!r}"
        level: Level = "error" if rival.field == "inputs" else "warning"
        yield RuleHit(Pointer(rival.at), message, remedy=f"remove {key}, or make both the same",
                  level=level)  # fmt: skip


DEFINITION_AMBIGUOUS_RULE = Rule(
    code="C212",
    name="definition-ambiguous",
    level="error",
    says="a definition has two different names, descriptions or schemas",
    why="It is unknown which one is meant. One of them is read, and other readers may read the "
    "other one.",
    remedy="keep one of them",
    wrong=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
            "parameters": {"type": "object", "properties": {"person": {"type": "string"}}},
        },
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
            "outputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
            "output_schema": {"type": "object", "properties": {"id": {"type": "integer"}}},
        },
    ),
    right=(
        {
            "name": "greet",
            "description": "Greets a user.",
            "inputSchema": {"type": "object", "properties": {"name": {"type": "string"}}},
        },
    ),
    look=_find_definition_ambiguous,
)


RULES = (
    DEFINITION_AMBIGUOUS_RULE,
    DEFINITION_UNUSED_RULE,
    REFERENCE_CIRCULAR_RULE,
    REFERENCE_DANGLING_RULE,
    REMOTE_REFERENCE_RULE,
)
