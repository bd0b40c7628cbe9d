"""Codes of losses, upgrades and repairs of arguments: name, effect, text, reason, edit.

Codes are never reused. `toolcanon explain CODE` prints an entry. Tests check that each can occur.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.conversation_codes import CONVERSATION_CODES, SWITCH_CODES
from toolcanon.diagnostics.loss import Code, Effect

_UPGRADE_CODES_EXACT, _UPGRADE_CODES_HINT = Effect.EXACT, Effect.HINT_LOST

UPGRADE_CODES: Final = (
    Code("L101", "type-word-replaced", _UPGRADE_CODES_EXACT,
         "`type` has its JSON Schema name",
         "Catalogs write dict, float, STRING, tuple, any and more. JSON Schema has seven types.",
         "use string, number, integer, boolean, object, array or null"),
    Code("L102", "nullable-merged", _UPGRADE_CODES_EXACT,
         "`nullable` is written as a null type",
         "OpenAPI 3.0 and its relatives declare null beside the type.",
         'write `"type": ["string", "null"]`'),
    Code("L103", "tuple-items-renamed", _UPGRADE_CODES_EXACT,
         "a list of item schemas is written as `prefixItems`",
         "2020-12 calls positional items `prefixItems`, and the rest `items`.",
         "use `prefixItems`"),
    Code("L104", "exclusive-bound-merged", _UPGRADE_CODES_EXACT,
         "a boolean exclusive bound is written as a number",
         "Draft 04 and OpenAPI 3.0 qualify `minimum` and `maximum` by a boolean.",
         "write the number under `exclusiveMinimum` or `exclusiveMaximum`"),
    Code("L105", "dependencies-split", _UPGRADE_CODES_EXACT,
         "`dependencies` is written as two keywords",
         "2019-09 split it into `dependentRequired` and `dependentSchemas`.",
         "use these two"),
    Code("L106", "ref-siblings-ignored", _UPGRADE_CODES_EXACT,
         "constraints beside `$ref` are dropped",
         "Up to draft 07 everything beside `$ref` is ignored; from 2019-09 on it counts.",
         "declare 2020-12, or put the constraints into `allOf`"),
    Code("L107", "keyword-renamed", _UPGRADE_CODES_EXACT,
         "a keyword has its 2020-12 name",
         "`id`, `example`, `divisibleBy`, `$recursiveRef` and snake_case spellings have newer "
         "names.",
         "use the newer name"),
    Code("L108", "required-flag-moved", _UPGRADE_CODES_EXACT,
         "`required` moved to the object that has the member",
         "Catalogs put `required: true` on a property, or the list of names among the properties, "
         "or mark only the optional members. JSON Schema lists the required names on the object.",
         "list the names under `required` of the object"),
    Code("L109", "number-in-text-parsed", _UPGRADE_CODES_EXACT,
         "a bound written as text is a number",
         "Protocol-buffer JSON writes 64-bit integers as strings.",
         "write a number"),
    Code("L110", "dialect-updated", _UPGRADE_CODES_EXACT,
         "`$schema` names 2020-12",
         "The rewritten schema follows the rules of 2020-12."),
    Code("L111", "type-text-read", _UPGRADE_CODES_EXACT,
         "a type written as an expression is a schema",
         "Catalogs write List[str], Map<String, Long>, str | None, list of strings, one of a, b. "
         "Keywords beside it take precedence.",
         "write it as JSON Schema"),
    Code("L112", "property-map-wrapped", _UPGRADE_CODES_EXACT,
         "a map of parameters is wrapped in an object schema",
         "Catalogs give the parameters without the object around them. By the rules of JSON "
         "Schema each of them would be an unknown keyword.",
         'write `{"type": "object", "properties": …}`'),
    Code("L113", "member-text-read", _UPGRADE_CODES_EXACT,
         "a parameter written as text is a schema",
         "The text is its type if it can be read as one, and its description otherwise.",
         "write a schema"),
    Code("L114", "choices-in-text-read", _UPGRADE_CODES_EXACT,
         "an `enum` written as text is a list",
         "Catalogs write one of a, b where JSON Schema requires a list of values.",
         "write a list"),
    Code("L115", "listed-members-read", _UPGRADE_CODES_EXACT,
         "parameters in a list are members by name",
         "Each has its name inside. By the rules of JSON Schema a list declares no members.",
         "write an object, with the names as keys"),
    Code("L116", "schema-guessed", _UPGRADE_CODES_HINT,
         "an ambiguous schema was read in one way",
         "Examples: a list of str or int, `json` as a type, a single word as an enum, a member "
         "that calls itself optional and is required, members beside a `$ref` of draft 07. The "
         "likeliest reading was taken.",
         "write it as JSON Schema 2020-12"),
    Code("L117", "schema-text-read", _UPGRADE_CODES_EXACT,
         "a type in place of a schema is a schema",
         "Catalogs write `items: string` and `anyOf: [str, int]`, where schemas belong.",
         'write `{"type": "string"}`'),
    Code("L118", "required-text-read", _UPGRADE_CODES_EXACT,
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


_EXACT, _HINT = Effect.EXACT, Effect.HINT_LOST

_ENVELOPE = (
    Code("L001", "name-aliased", _EXACT,
         "the tool has another name",
         "The target allows fewer characters or shorter names, or a naming profile was given. The "
         "alias depends on the name alone; a short digest is added where two aliases would be "
         "equal or a name is cut. The receipt maps calls back to the original name.",
         "use letters, digits, _ and - only, and at most 64 of them"),
    Code("L002", "namespace-folded", _EXACT,
         "the namespace is part of the name",
         "The target has no namespaces, so namespace and name are joined."),
    Code("L003", "title-dropped", _HINT,
         "the title is dropped",
         "The target has no field for a title that is shown to people."),
    Code("L004", "description-dropped", _HINT,
         "the description is dropped",
         "The target has no description for this kind of tool."),
    Code("L005", "output-schema-dropped", _HINT,
         "the output schema is dropped",
         "The target does not describe what a tool returns.",
         "mention in the description what the tool returns"),
    Code("L006", "examples-dropped", _HINT,
         "example inputs are dropped",
         "The target has no field for example inputs."),
    Code("L007", "hint-dropped", _HINT,
         "a hint about behaviour or delivery is dropped",
         "Hints are read-only, destructive, idempotent, open-world, strict, deferred and "
         "background. They are written where the target has a field for them."),
    Code("L008", "metadata-dropped", _HINT,
         "catalog metadata is dropped",
         "Version, category, tags, time limit, capabilities and security are fields of the "
         "canonical form that providers do not have."),
    Code("L009", "provider-field-dropped", _HINT,
         "a field of another provider is dropped",
         "The target has no such field."),
    Code("L010", "unknown-key-dropped", _HINT,
         "a key that the target does not know is dropped",
         "Providers reject keys they do not know. `--verbatim` (`lower=False`) keeps it."),
    Code("L011", "spelling-dropped", _EXACT,
         "another spelling of the same definition is not kept",
         "Formats allow several spellings (legacy shapes, letter case, null for absent). The "
         "target has one."),
    Code("L012", "default-spelled-out", _EXACT,
         "a field that was absent is written with its default",
         "The target requires the field. Its value is the one that applies while it is absent."),
    Code("L013", "free-text-as-parameter", _EXACT,
         "free text is a string parameter",
         "The target has function tools only, so the text is sent in a parameter named input."),
    Code("L014", "grammar-dropped", Effect.WIDENED,
         "the grammar of the free text is dropped",
         "The target cannot constrain text by a grammar.",
         "validate the text that comes back"),
    Code("L015", "tool-dropped", Effect.NARROWED,
         "the tool is not in the result",
         "It is built into its provider and exists nowhere else, or it is a marker and not a "
         "tool, or a naming profile declares it internal. The receipt keeps it.",
         "offer a function that does the same"),
    Code("L016", "schema-annotation-dropped", _HINT,
         "the title or description of the schema is dropped",
         "In a schema document the tool's own name and description take their place."),
    Code("L017", "reading-guessed", _HINT,
         "the reader guessed something",
         "The source is ambiguous or contradicts itself, and the likeliest reading was taken. "
         "`before` of the loss lists each guess with its place and its reason.",
         "write the definition so that it can be read in one way only"),
    Code("L018", "needed-part-missing", Effect.NARROWED,
         "a part that the target requires is missing",
         "No other format has a field for it, so a conversion cannot add it, and the target "
         "rejects the tool without it.",
         "add it to the payload: it states how the tool is called"),
    Code("L020", "rival-dropped", _HINT,
         "a second name, description or schema that differs is dropped",
         "The definition has it twice with different values, and one was read. The effect is "
         "narrowed and widened for a schema of the arguments, since calls that fit one need not "
         "fit the other.",
         "keep one of them"),
)  # fmt: skip

_LOWERING = (
    Code("L201", "reference-inlined", _EXACT,
         "`$ref` is replaced by its definition",
         "The target does not follow references, or not at the root, or not beside other "
         "keywords."),
    Code("L202", "reference-moved", _EXACT,
         "`$ref` has another pointer or no siblings",
         "The target follows references only into the definitions at the root, or only where a "
         "reference has no siblings."),
    Code("L203", "definitions-moved", _EXACT,
         "`$defs` moved",
         "Definitions are written out where they are used, or collected under `$defs` of the root "
         "as far as they are used."),
    Code("L204", "reference-unresolved", Effect.WIDENED,
         "`$ref` cannot be resolved",
         "It is remote, its target is missing, or it leads back to itself. References are never "
         "fetched, so any value is accepted there.",
         "copy the definition into `$defs`"),
    Code("L205", "recursion-as-text", Effect.WIDENED,
         "a value is sent as JSON text",
         "The target does not support the recursion, or the schema written out would be too "
         "large. `restore` parses the text and validates it.",
         "limit the depth: write the levels that are needed"),
    Code("L206", "all-of-merged", _EXACT,
         "the schemas of `allOf` are merged",
         "The target has no `allOf`."),
    Code("L207", "all-of-part-dropped", Effect.WIDENED,
         "a part of `allOf` is dropped",
         "Two parts constrain the same keyword in ways that one keyword cannot express.",
         "merge the parts by hand"),
    Code("L208", "root-wrapped", _EXACT,
         "the arguments are wrapped in an object",
         "Providers call a function with named arguments. `restore` unwraps them."),
    Code("L209", "union-folded", Effect.WIDENED,
         "`anyOf` or `oneOf` of objects is folded into one object",
         "The target does not accept a union there. All members are kept as optional; the "
         "description states which belong together, and `restore` validates it.",
         "declare one object with optional members, or one tool for each branch"),
    Code("L210", "condition-dropped", Effect.WIDENED,
         "a condition is dropped",
         "The target has no `if`, `not` or `dependentSchemas`. Members that they declare are kept "
         "as optional members.",
         "declare one tool for each case, or state the condition in the description"),
    Code("L211", "one-of-relaxed", Effect.WIDENED,
         "`oneOf` is written as `anyOf`",
         "The target cannot require that exactly one branch matches. Exact where no value matches "
         "two branches.",
         "use `anyOf`, or branches with different types or constants"),
    Code("L212", "const-as-enum", _EXACT,
         "`const` is written as an `enum` of one value",
         "The target has `enum` but not `const`."),
    Code("L213", "enum-coded", _EXACT,
         "`enum` values are written as strings",
         "The target accepts no such values in an enum. `restore` returns the values."),
    Code("L214", "enum-type-mended", Effect.WIDENED,
         "`type` is replaced by the types of the `enum` values",
         "No value of the enum has the declared type, so no argument would be valid.",
         "correct the type, or the values"),
    Code("L215", "type-inferred", Effect.NARROWED,
         "`type` is added",
         "The target requires it. The type follows from the other keywords, which do not "
         "constrain values of other types.",
         "declare the type"),
    Code("L216", "any-spelled-out", _EXACT,
         "a schema of any JSON value is written as a union of all types",
         "The target requires `type` in every schema."),
    Code("L217", "type-list-split", _EXACT,
         "a list of types is written as a union",
         "The target accepts one type in each schema."),
    Code("L218", "null-moved", _EXACT,
         "null is declared in another way",
         "The target declares null beside the type."),
    Code("L219", "tuple-as-object", _EXACT,
         "`prefixItems` is written as an object",
         "The target accepts one schema for all items. `restore` returns a list."),
    Code("L220", "tuple-as-list", _EXACT,
         "`prefixItems` is written as `items`",
         "All positions have the same schema."),
    Code("L221", "map-as-entries", _EXACT,
         "a map is written as a list of keys and values",
         "The target closes every object. `restore` returns the map."),
    Code("L222", "object-closed", _EXACT,
         "`additionalProperties` of an object changed",
         "The target requires closed objects, or rejects the keyword. The effect is narrowed "
         "where the schema allows undeclared members.",
         "declare every member, or set `additionalProperties: false`"),
    Code("L223", "optional-as-nullable", _EXACT,
         "an optional member is required and nullable",
         "The target requires every member. `restore` returns null as absent."),
    Code("L224", "optional-tagged", _EXACT,
         "an optional nullable member is wrapped",
         "Absent and null differ here, so the value is sent under a key of its own."),
    Code("L225", "absent-merged-with-null", Effect.NARROWED,
         "an absent member is sent as null",
         "Null is the declared default, so both mean the same. `restore` returns null."),
    Code("L226", "member-renamed", _EXACT,
         "a parameter has another name",
         "The target allows fewer characters or shorter names. `restore` returns the name."),
    Code("L227", "items-added", _EXACT,
         "`items` is added",
         "The target rejects an array without `items`."),
    Code("L228", "constraint-dropped", Effect.WIDENED,
         "a constraint is dropped",
         "The target rejects the keyword. The description states the constraint, and `restore` "
         "validates it. Exact where the constraint excludes no value.",
         "state it in the description, or do without it"),
    Code("L229", "annotation-dropped", _HINT,
         "an annotation of a schema is dropped",
         "The target rejects the keyword."),
    Code("L230", "format-dropped", _HINT,
         "`format` is dropped",
         "The target knows few formats. The description names it."),
    Code("L231", "union-tagged", _EXACT,
         "each branch of a union is under a key",
         "After lowering the branches could not be distinguished. `restore` chooses the branch by "
         "its key."),
    Code("L232", "boolean-schema-spelled-out", _EXACT,
         "`true` or `false` is written as a schema",
         "The target accepts objects only."),
    Code("L233", "malformed-keyword-dropped", Effect.WIDENED,
         "a keyword with a malformed value is dropped",
         "Its value has the wrong type, so validators do not agree on what it accepts. The effect "
         "is narrowed where the keyword was one of several choices or its calls are no longer "
         "possible, a lost hint where it limits nothing, and exact where another keyword states "
         "the same.",
         "correct the value, or remove the keyword"),
    Code("L234", "unreachable-value-dropped", _EXACT,
         "an `enum` value that no call can send is dropped",
         "It does not have the declared type.",
         "remove the value, or correct the type"),
    Code("L235", "object-spelled-out", _EXACT,
         "`type: object` and `properties` are written",
         "Providers differ in what they require where there is nothing to declare."),
    Code("L236", "member-declared", _EXACT,
         "a required member is declared",
         "It is required but not declared, and the target requires a declaration.",
         "declare the member under `properties`"),
    Code("L238", "constants-listed", _EXACT,
         "a union of constants is written as an `enum`",
         "Both mean the same, and grammars count unions."),
    Code("L245", "unevaluated-declared", _EXACT,
         "`unevaluatedProperties` or `unevaluatedItems` is written with other keywords",
         "The target does not track what was evaluated. What counts is declared."),
    Code("L246", "member-names-declared", _EXACT,
         "`propertyNames` is written as declared members or as a pattern",
         "The target has no rules for names of members."),
    Code("L247", "union-remarks-moved", _EXACT,
         "annotations beside a union moved into its branches",
         "The target accepts a union without siblings only."),
    Code("L250", "value-restated", _EXACT,
         "a default or an example is written as the target's schema has values",
         "Lowering changed how such values are written, for example as entries of a map."),
    Code("L237", "strict-refused", _HINT,
         "the tool is not strict",
         "It does not fit into the target's strict mode, or the target has none. The loss states "
         "the reason.",
         "make the schema smaller or flatter"),
    Code("L239", "over-limit", Effect.NARROWED,
         "the target accepts fewer tools or a smaller schema",
         "The tool is written, but the provider or the client rejects or ignores what is beyond "
         "the limit. Tools count in their order.",
         "send fewer tools, or make the schema smaller"),
)  # fmt: skip

_SPELLING = (
    Code("L401", "older-word", _EXACT,
         "a keyword has its name of an older draft",
         "The target uses an older draft of JSON Schema."),
    Code("L402", "said-with-older-words", _EXACT,
         "a keyword is written with keywords of an older draft",
         "The target uses an older draft of JSON Schema, which has no such keyword, or ignores "
         "what is beside a reference."),
    Code("L403", "dynamic-reference-fixed", _EXACT,
         "`$dynamicRef` is written as `$ref`",
         "Drafts before 2020-12 have no dynamic references. Exact where only one schema has the "
         "anchor."),
    Code("L404", "draft-declared", _EXACT,
         "`$schema` names the requested draft",
         "A document states the draft it is to be read by."),
    Code("L405", "mentions-renamed", _EXACT,
         "the description mentions tools by their new names",
         "The naming profile asks for it, so that a model finds the tools under the names it is "
         "given."),
)  # fmt: skip

_REPAIRS = (
    Code("R001", "arguments-parsed", _EXACT,
         "arguments that were encoded twice were parsed twice",
         "Providers pass arguments as JSON text; some models encode that text once more."),
    Code("R002", "nested-text-parsed", _EXACT,
         "a value that came as JSON text was parsed",
         "Models encode objects and lists twice. Done only where the schema requires an object or "
         "a list and the text is one."),
    Code("R003", "null-removed", _EXACT,
         "a null was removed",
         "Models write null for options they do not use. Done only where the member is optional "
         "and its schema rejects null."),
    Code("R004", "text-as-value", _EXACT,
         "a number or a boolean that came as a string was parsed",
         "Done only where the schema requires a number or a boolean."),
    Code("R005", "value-as-text", _EXACT,
         "a number or a boolean was turned into a string",
         "Done only where the schema requires a string."),
    Code("R006", "nothing-as-no-arguments", _EXACT,
         "an empty value was read as no arguments",
         "Done only where the tool accepts a call without arguments."),
    Code("R007", "own-shape-taken", _EXACT,
         "a value came in the tool's own shape instead of the one in the payload",
         "Some values are wrapped for a target. Done only where the tool accepts the value as it "
         "came."),
)  # fmt: skip

CODES: Final[dict[str, Code]] = {
    entry.code: entry
    for entry in (
        *_ENVELOPE,
        *UPGRADE_CODES,
        *_LOWERING,
        *CONVERSATION_CODES,
        *_SPELLING,
        *_REPAIRS,
        *SWITCH_CODES,
    )
}

REFUSALS: Final = {"L015": "C201", "L018": "C208", "L237": "C202", "L239": "C203"}
"""Losses that mean that the target does not get the tool, with the finding for each."""
