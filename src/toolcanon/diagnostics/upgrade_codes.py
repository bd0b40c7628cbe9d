"""What is told of schemas in older or looser words that were read as JSON Schema 2020-12."""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.code import Code
from toolcanon.diagnostics.effect import Effect

_EXACT, _HINT = Effect.EXACT, Effect.HINT_LOST

UPGRADE_CODES: Final = (
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
    Code("L106", "ref-siblings-ignored", _EXACT, "what bound values beside a reference is gone",
         "Up to draft 07 whatever stands beside $ref is ignored; from 2019-09 on it would count."),
    Code("L107", "keyword-renamed", _EXACT, "a keyword goes by its 2020-12 name",
         "id, example, divisibleBy, $recursiveRef and snake_case spellings have newer names."),
    Code("L108", "required-flag-moved", _EXACT, "required moved to the object that has the member",
         "Catalogs put required: true on a property, or the list of names among the properties, or "
         "mark only the optional ones, as in str, optional; JSON Schema lists the required names "
         "on the object."),
    Code("L109", "number-in-text-parsed", _EXACT, "a bound written as text became a number",
         "Protocol-buffer JSON writes 64-bit integers as strings."),
    Code("L110", "dialect-updated", _EXACT, "$schema names 2020-12",
         "The rewritten schema is read by 2020-12 rules."),
    Code("L111", "type-text-read", _EXACT, "a type written as an expression became a schema",
         "Catalogs write List[str], Map<String, Long>, str | None, list of strings, one of a, b. "
         "What the keywords beside it say counts more."),
    Code("L112", "property-map-wrapped", _EXACT, "a map of parameters became an object schema",
         "Catalogs hand in the parameters alone, without the object around them. By the letter "
         "every one would be an unknown keyword."),
    Code("L113", "member-text-read", _EXACT, "a parameter that was a text became a schema",
         "The text is its type if it can be read as one, and its description otherwise."),
    Code("L114", "choices-in-text-read", _EXACT, "an enum written as text became a list",
         "Catalogs write one of a, b where JSON Schema wants a list of values."),
    Code("L115", "listed-members-read", _EXACT, "parameters in a list became members by name",
         "Each held its name inside. By the letter a list of members declares none."),
    Code("L116", "schema-guessed", _HINT, "what may be read in two ways was read in one",
         "A list of str or int, json for a type, a word by itself or with a remark for an enum, a "
         "member that calls itself optional and is required, members beside a $ref of draft 07, "
         "which ignores them: the likeliest was taken."),
    Code("L117", "schema-text-read", _EXACT, "a type in place of a schema became one",
         "Catalogs write items: string and anyOf: [str, int], where schemas belong."),
    Code("L118", "required-text-read", _EXACT, "required in other words became a list of names",
         "Catalogs write a name, names in a text or a map of booleans. Read where all of them are "
         "members."),
    Code("L119", "limit-as-remark", Effect.WIDENED, "a limit in words is told in the description",
         "An enum or a required in a text that lists neither values nor members, such as any "
         "string, 1-5 or a or b: nobody can hold arguments to it."),
)  # fmt: skip
