"""Every loss and every repair we can report: its code, its name, what it does, and why it happens.

Codes are never reused. `toolcanon explain CODE` prints an entry; a test demands that every entry
is reachable.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.code import Code
from toolcanon.diagnostics.conversation_codes import CONVERSATION_CODES
from toolcanon.diagnostics.effect import Effect
from toolcanon.diagnostics.switch_codes import SWITCH_CODES
from toolcanon.diagnostics.upgrade_codes import UPGRADE_CODES

_EXACT, _HINT = Effect.EXACT, Effect.HINT_LOST

_ENVELOPE = (
    Code(
        "L001",
        "name-aliased",
        _EXACT,
        "the tool goes by another name",
        "The target allows fewer characters or shorter names, or a naming profile was asked for. "
        "The alias depends on the name; a short digest is added where two names would meet or a "
        "name is cut. The receipt turns calls back to the original name.",
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
        "a field that was left out is written with its default",
        "The target requires the field. Its value is the one that applied while it was left out.",
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
        "It is built in at its provider, or is no tool but a marker, and exists nowhere else; or a "
        "naming profile says that it is internal. The receipt keeps it.",
    ),
    Code(
        "L016",
        "schema-annotation-dropped",
        _HINT,
        "a title or description of the schema is gone",
        "In a schema document the tool's own name and description take their place.",
    ),
    Code(
        "L017",
        "reading-guessed",
        _HINT,
        "something was guessed in reading",
        "The source left open what it means, or said it twice, and the likeliest was taken. The "
        "guesses stand in what the loss tells of before, each with its place and its reason; the "
        "result does not show them.",
    ),
    Code(
        "L018",
        "needed-part-missing",
        Effect.NARROWED,
        "a part that the target demands is not there",
        "No other format has a word for it, so whoever serves the tool must add it: a tool without "
        "it is refused there.",
    ),
    Code(
        "L020",
        "rival-dropped",
        _HINT,
        "a second name, description or schema that differs is gone",
        "The definition gives it twice and differently, and one of the two was read. Narrowed and "
        "widened for a schema of the arguments: calls that fit the other one need not fit this.",
    ),
)

_LOWERING = (
    Code("L201", "reference-inlined", _EXACT,
         "a reference was written out",
         "The target follows no references, or none at the root or beside other keywords."),
    Code("L202", "reference-moved", _EXACT,
         "a reference is spelled differently",
         "The target follows references only into the definitions at the root, or only "
         "alone."),
    Code("L203", "definitions-moved", _EXACT,
         "definitions left their place",
         "They are written out where they are used, or at the root under $defs as far as "
         "they are used."),
    Code("L204", "reference-unresolved", Effect.WIDENED,
         "a reference leads nowhere",
         "It is remote, its target is missing, or it leads back to itself. Nothing is ever "
         "fetched, so any value is accepted there."),
    Code("L205", "recursion-as-text", Effect.WIDENED,
         "a value travels as JSON text",
         "The target cannot hold the recursion, or writing it out would be too large. The "
         "text is parsed on the way back and checked there."),
    Code("L206", "all-of-merged", _EXACT,
         "the parts of allOf became one schema",
         "The target knows no conjunction."),
    Code("L207", "all-of-part-dropped", Effect.WIDENED,
         "a part of a conjunction is gone",
         "Two parts say things about the same keyword that one keyword cannot say."),
    Code("L208", "root-wrapped", _EXACT,
         "the arguments were wrapped into an object",
         "A provider calls a function with named arguments; restore unwraps them."),
    Code("L209", "union-folded", Effect.WIDENED,
         "a union of objects became one object",
         "The target takes no union there. All members are kept; which of them go together "
         "is told in the description and checked when arguments come back."),
    Code("L210", "condition-dropped", Effect.WIDENED,
         "a condition is gone",
         "The target knows no if, not or dependent schemas. Members they declare are kept "
         "as optional ones."),
    Code("L211", "one-of-relaxed", Effect.WIDENED,
         "oneOf became anyOf",
         "The target cannot see to it that only one branch matches. Exact where no value "
         "fits two."),
    Code("L212", "const-as-enum", _EXACT,
         "a constant became an enum of one",
         "The target knows enum and not const."),
    Code("L213", "enum-coded", _EXACT,
         "enum values became words",
         "The target takes no such values in an enum; restore gives the values back."),
    Code("L214", "enum-type-mended", Effect.WIDENED,
         "the type gave way to the values of an enum",
         "No value of the enum is of the type declared beside it, so nothing could ever be "
         "sent."),
    Code("L215", "type-inferred", Effect.NARROWED,
         "a type was added",
         "The target wants one. The keywords tell which; they said nothing of values of "
         "other types."),
    Code("L216", "any-spelled-out", _EXACT,
         "any JSON value is spelled out as a union",
         "The target wants every schema to name types."),
    Code("L217", "type-list-split", _EXACT,
         "a list of types became a union",
         "The target takes one type for each schema."),
    Code("L218", "null-moved", _EXACT,
         "null is said in another way",
         "The target says null beside the type."),
    Code("L219", "tuple-as-object", _EXACT,
         "a list by places became an object",
         "The target takes one schema for all items; restore makes the list again."),
    Code("L220", "tuple-as-list", _EXACT,
         "a list by places became a plain list",
         "All places have the same schema."),
    Code("L221", "map-as-entries", _EXACT,
         "a map became a list of key and value",
         "The target closes every object; restore makes the map again."),
    Code("L222", "object-closed", _EXACT,
         "the rule of an object for undeclared members changed",
         "The target requires closed objects, or refuses the keyword that describes undeclared "
         "members. The effect is narrowed where the schema allowed them."),
    Code("L223", "optional-as-nullable", _EXACT,
         "an optional member is required and may be null",
         "The target wants every member written; null comes back as absent."),
    Code("L224", "optional-tagged", _EXACT,
         "an optional member that may be null was wrapped",
         "Absent and null are different here, so the value stands under a key of its own."),
    Code("L225", "absent-merged-with-null", Effect.NARROWED,
         "an absent member is written as null",
         "Null is the declared default, so both mean the same; what comes back says null."),
    Code("L226", "member-renamed", _EXACT,
         "a parameter goes by another name",
         "The target allows fewer characters or shorter names; restore gives the name "
         "back."),
    Code("L227", "items-added", _EXACT,
         "a list says that its items may be anything",
         "The target refuses a list that does not say what its items are."),
    Code("L228", "constraint-dropped", Effect.WIDENED,
         "a constraint is gone",
         "The target refuses the keyword. It is told in the description and checked when "
         "arguments come back. Exact where it never decided anything."),
    Code("L229", "annotation-dropped", _HINT,
         "a remark in a schema is gone",
         "The target refuses the keyword."),
    Code("L230", "format-dropped", _HINT,
         "a string format is gone",
         "The target knows few formats; the name is kept in the description."),
    Code("L231", "union-tagged", _EXACT,
         "the branches of a union stand under keys",
         "After rewriting they could no longer be told apart; restore takes the branch "
         "from the key."),
    Code("L232", "boolean-schema-spelled-out", _EXACT,
         "true or false became a schema",
         "The target takes objects only."),
    Code("L233", "malformed-keyword-dropped", Effect.WIDENED,
         "a keyword with a malformed value is removed",
         "Its value is of the wrong type, so validators do not agree on what it accepts. The "
         "effect is narrowed where the keyword was one of several choices or its calls are no "
         "longer possible, a hint where it limits nothing, and exact where another keyword "
         "states the same."),
    Code("L234", "unreachable-value-dropped", _EXACT,
         "an enum value that could never be sent is gone",
         "It is not of the type declared beside it."),
    Code("L235", "object-spelled-out", _EXACT,
         "the arguments' schema says that it is an object, and what is in it",
         "Providers differ in what they want to see where there is nothing to say."),
    Code("L236", "member-declared", _EXACT,
         "a required member is declared",
         "It was required and never described; the target wants every member described."),
    Code("L238", "constants-listed", _EXACT,
         "a union of constants became an enum",
         "It says the same in one keyword, and grammars count unions."),
    Code("L245", "unevaluated-declared", _EXACT,
         "what is said of unevaluated members or items is said of additional ones",
         "The target does not keep count of what was evaluated. What counts is declared."),
    Code("L246", "member-names-declared", _EXACT,
         "a rule for names of members became a list or a pattern of members",
         "The target has no rules for names by themselves."),
    Code("L247", "union-remarks-moved", _EXACT,
         "what is remarked beside a union stands in its branches",
         "The target, or whoever translates for it, takes a union and nothing beside it."),
    Code("L250", "value-restated", _EXACT,
         "a default or an example is written as the target's schema has values",
         "Arguments are written otherwise than the original schema has them, as entries or as "
         "words for values; what the schema says of values has to be written so, too."),
    Code("L237", "strict-refused", _HINT,
         "the tool is not strict",
         "It does not fit the strict mode of the target, or the target has none. What follows "
         "says why."),
    Code("L239", "over-limit", Effect.NARROWED,
         "the tool is more than the target takes",
         "It is written, but a request or a client holds only so many tools, or a schema only so "
         "many bytes; what is beyond is refused or left out there. Tools count in their order."),
)  # fmt: skip

_SPELLING = (
    Code("L401", "older-word", _EXACT,
         "a keyword is spelled as an older draft has it",
         "The target speaks an older draft of JSON Schema, which says the same in another word."),
    Code("L402", "said-with-older-words", _EXACT,
         "a keyword is said with other keywords",
         "The target speaks an older draft of JSON Schema without this word, or one that reads "
         "nothing beside a reference."),
    Code("L403", "dynamic-reference-fixed", _EXACT,
         "a dynamic reference became a plain one",
         "Before 2020-12 there are none. Exact where only one schema has the name."),
    Code("L404", "draft-declared", _EXACT,
         "$schema names the draft that was asked for",
         "A document says which rules it is to be read by."),
    Code("L405", "mentions-renamed", _EXACT,
         "the description tells other names of the tools it mentions",
         "The naming profile asks for it, so that a model finds the tools under the names it is "
         "given."),
)  # fmt: skip

_REPAIRS = (
    Code("R001", "arguments-parsed", _EXACT,
         "arguments that were encoded twice were parsed twice",
         "Providers hand arguments over as JSON text; some models encode that text once more."),
    Code("R002", "nested-text-parsed", _EXACT,
         "a value that came as JSON text was parsed",
         "Models encode objects and lists twice. Done only where the schema wants an object or a "
         "list and the text is one."),
    Code("R003", "null-removed", _EXACT,
         "a null was taken as absent",
         "Models write null for options they do not use. Done only where the member is optional "
         "and its schema refuses null."),
    Code("R004", "text-as-value", _EXACT,
         "a number or a boolean that came as text was read",
         "Done only where the schema wants the one and refuses text."),
    Code("R005", "value-as-text", _EXACT,
         "a number or a boolean became text",
         "Done only where the schema wants text and refuses the other."),
    Code("R006", "nothing-as-no-arguments", _EXACT,
         "nothing at all was taken as no arguments",
         "Done only where a call without arguments is one that the tool takes."),
    Code("R007", "own-shape-taken", _EXACT,
         "a value came in the tool's own shape instead of the one that the model was shown",
         "Some values are wrapped for a target. Done only where the tool takes the value as it "
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
