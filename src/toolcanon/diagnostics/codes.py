"""Every loss we can report: its code, its name, what it does, and why it happens.

Codes are never reused. `toolcanon explain CODE` prints an entry; a test demands that every entry
is reachable.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from toolcanon.diagnostics.effect import Effect


@dataclass(frozen=True, slots=True)
class Code:
    """One thing we can say."""

    code: str
    name: str
    effect: Effect
    says: str
    why: str


_EXACT, _HINT = Effect.EXACT, Effect.HINT_LOST

_ENVELOPE = (
    Code(
        "L001",
        "name-aliased",
        _EXACT,
        "the tool goes by another name",
        "The target allows fewer characters or shorter names. The alias depends on the name; a "
        "short digest is added where two names would meet or a name is cut. The receipt turns "
        "calls back to the original name.",
    ),
    Code(
        "L002",
        "namespace-folded",
        _EXACT,
        "the namespace became part of the name",
        "The target has no namespaces, so namespace and name are joined.",
    ),
    Code(
        "L003",
        "title-dropped",
        _HINT,
        "the display title is gone",
        "The target has no field for a title meant for people.",
    ),
    Code(
        "L004",
        "description-dropped",
        _HINT,
        "the description is gone",
        "The target has no field for it in this kind of tool.",
    ),
    Code(
        "L005",
        "output-schema-dropped",
        _HINT,
        "the schema of the answer is gone",
        "The target does not describe what a tool returns.",
    ),
    Code(
        "L006",
        "examples-dropped",
        _HINT,
        "example inputs are gone",
        "The target has no field for example inputs.",
    ),
    Code(
        "L007",
        "hint-dropped",
        _HINT,
        "a hint about behaviour or delivery is gone",
        "Read-only, destructive, idempotent, open-world, strict, deferred and background are "
        "stated where the target has a field for them and dropped elsewhere.",
    ),
    Code(
        "L008",
        "metadata-dropped",
        _HINT,
        "catalog metadata is gone",
        "Version, category, tags, time limit, capabilities and security are ours; providers have "
        "no fields for them.",
    ),
    Code(
        "L009",
        "provider-field-dropped",
        _HINT,
        "a field of another provider is gone",
        "The source format has a field that the target knows nothing like.",
    ),
    Code(
        "L010",
        "unknown-key-dropped",
        _HINT,
        "a key unknown to the target is gone",
        "Providers refuse keys they do not know. Pass lower=False to keep it.",
    ),
    Code(
        "L011",
        "spelling-dropped",
        _EXACT,
        "a way of writing the same thing is gone",
        "Formats allow several spellings (legacy shapes, letter case, null for absent). The "
        "target has one.",
    ),
    Code(
        "L012",
        "default-spelled-out",
        _EXACT,
        "a default is written in full",
        "The target demands the field; the value written is what its absence meant.",
    ),
    Code(
        "L013",
        "free-text-as-parameter",
        _EXACT,
        "free text became one string parameter",
        "The target has function tools only, so the text is carried in a parameter called input.",
    ),
    Code(
        "L014",
        "grammar-dropped",
        Effect.WIDENED,
        "the grammar of the free text is gone",
        "The target cannot constrain text by a grammar: check the text that comes back.",
    ),
    Code(
        "L015",
        "tool-dropped",
        Effect.NARROWED,
        "the tool is not in the result",
        "It is built in at its provider, or is no tool but a marker, and exists nowhere else. The "
        "receipt keeps it.",
    ),
    Code(
        "L016",
        "schema-annotation-dropped",
        _HINT,
        "a title or description of the schema is gone",
        "In a schema document the tool's own name and description take their place.",
    ),
)

_UPGRADE = (
    Code("L101", "type-word-replaced", _EXACT, "a type word became the JSON Schema one",
         "Catalogs write dict, float, STRING, tuple, any and more. JSON Schema knows seven types."),
    Code("L102", "nullable-merged", _EXACT, "nullable became a null in the type",
         "OpenAPI 3.0 and its relatives mark null beside the type."),
    Code("L103", "tuple-items-renamed", _EXACT, "a list of item schemas became prefixItems",
         "2020-12 calls positional items prefixItems and the rest items."),
    Code("L104", "exclusive-bound-merged", _EXACT, "a boolean exclusive bound became a number",
         "Draft 04 and OpenAPI 3.0 qualify minimum and maximum by a boolean."),
    Code("L105", "dependencies-split", _EXACT, "dependencies became two keywords",
         "2019-09 split it into dependentRequired and dependentSchemas."),
    Code("L106", "ref-siblings-ignored", _EXACT, "keywords beside a reference are gone",
         "Up to draft 07 everything beside $ref is ignored; from 2019-09 on it would count."),
    Code("L107", "keyword-renamed", _EXACT, "a keyword goes by its 2020-12 name",
         "id, example, divisibleBy, $recursiveRef and snake_case spellings have newer names."),
    Code("L108", "required-flag-moved", _EXACT, "required moved to the object that has the member",
         "Catalogs put required: true on a property; JSON Schema lists names on the object."),
    Code("L109", "number-in-text-parsed", _EXACT, "a bound written as text became a number",
         "Protocol-buffer JSON writes 64-bit integers as strings."),
    Code("L110", "dialect-updated", _EXACT, "$schema names 2020-12",
         "The rewritten schema is read by 2020-12 rules."),
)  # fmt: skip

CODES: Final[dict[str, Code]] = {entry.code: entry for entry in (*_ENVELOPE, *_UPGRADE)}
