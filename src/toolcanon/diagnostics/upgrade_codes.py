"""What happens to schemas of older drafts and of catalogs when they are read as 2020-12."""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.code import Code
from toolcanon.diagnostics.effect import Effect

_EXACT, _HINT = Effect.EXACT, Effect.HINT_LOST

UPGRADE_CODES: Final = (
    Code("L101", "type-word-replaced", _EXACT,
         "`type` has its JSON Schema name",
         "Catalogs write dict, float, STRING, tuple, any and more. JSON Schema has seven types.",
         "use string, number, integer, boolean, object, array or null"),
    Code("L102", "nullable-merged", _EXACT,
         "`nullable` is written as a null type",
         "OpenAPI 3.0 and its relatives declare null beside the type.",
         'write `"type": ["string", "null"]`'),
    Code("L103", "tuple-items-renamed", _EXACT,
         "a list of item schemas is written as `prefixItems`",
         "2020-12 calls positional items `prefixItems`, and the rest `items`.",
         "use `prefixItems`"),
    Code("L104", "exclusive-bound-merged", _EXACT,
         "a boolean exclusive bound is written as a number",
         "Draft 04 and OpenAPI 3.0 qualify `minimum` and `maximum` by a boolean.",
         "write the number under `exclusiveMinimum` or `exclusiveMaximum`"),
    Code("L105", "dependencies-split", _EXACT,
         "`dependencies` is written as two keywords",
         "2019-09 split it into `dependentRequired` and `dependentSchemas`.",
         "use these two"),
    Code("L106", "ref-siblings-ignored", _EXACT,
         "constraints beside `$ref` are dropped",
         "Up to draft 07 everything beside `$ref` is ignored; from 2019-09 on it counts.",
         "declare 2020-12, or put the constraints into `allOf`"),
    Code("L107", "keyword-renamed", _EXACT,
         "a keyword has its 2020-12 name",
         "`id`, `example`, `divisibleBy`, `$recursiveRef` and snake_case spellings have newer "
         "names.",
         "use the newer name"),
    Code("L108", "required-flag-moved", _EXACT,
         "`required` moved to the object that has the member",
         "Catalogs put `required: true` on a property, or the list of names among the properties, "
         "or mark only the optional members. JSON Schema lists the required names on the object.",
         "list the names under `required` of the object"),
    Code("L109", "number-in-text-parsed", _EXACT,
         "a bound written as text is a number",
         "Protocol-buffer JSON writes 64-bit integers as strings.",
         "write a number"),
    Code("L110", "dialect-updated", _EXACT,
         "`$schema` names 2020-12",
         "The rewritten schema follows the rules of 2020-12."),
    Code("L111", "type-text-read", _EXACT,
         "a type written as an expression is a schema",
         "Catalogs write List[str], Map<String, Long>, str | None, list of strings, one of a, b. "
         "Keywords beside it take precedence.",
         "write it as JSON Schema"),
    Code("L112", "property-map-wrapped", _EXACT,
         "a map of parameters is wrapped in an object schema",
         "Catalogs give the parameters without the object around them. By the rules of JSON "
         "Schema each of them would be an unknown keyword.",
         'write `{"type": "object", "properties": …}`'),
    Code("L113", "member-text-read", _EXACT,
         "a parameter written as text is a schema",
         "The text is its type if it can be read as one, and its description otherwise.",
         "write a schema"),
    Code("L114", "choices-in-text-read", _EXACT,
         "an `enum` written as text is a list",
         "Catalogs write one of a, b where JSON Schema requires a list of values.",
         "write a list"),
    Code("L115", "listed-members-read", _EXACT,
         "parameters in a list are members by name",
         "Each has its name inside. By the rules of JSON Schema a list declares no members.",
         "write an object, with the names as keys"),
    Code("L116", "schema-guessed", _HINT,
         "an ambiguous schema was read in one way",
         "Examples: a list of str or int, `json` as a type, a single word as an enum, a member "
         "that calls itself optional and is required, members beside a `$ref` of draft 07. The "
         "likeliest reading was taken.",
         "write it as JSON Schema 2020-12"),
    Code("L117", "schema-text-read", _EXACT,
         "a type in place of a schema is a schema",
         "Catalogs write `items: string` and `anyOf: [str, int]`, where schemas belong.",
         'write `{"type": "string"}`'),
    Code("L118", "required-text-read", _EXACT,
         "`required` is a list of names",
         "Catalogs write one name, names in a text, or a map of booleans. Read where all of them "
         "are members.",
         "write a list of names"),
    Code("L119", "limit-as-remark", Effect.WIDENED,
         "a limit in prose moved into the description",
         "An `enum` or a `required` whose text lists neither values nor members, such as: any "
         "string, 1-5, a or b. It cannot be validated.",
         "write it as JSON Schema"),
)  # fmt: skip
