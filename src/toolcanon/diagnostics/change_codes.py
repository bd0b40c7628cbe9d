"""Every change we can report: its code, its name, the usual verdict, and why it matters.

Codes and names are never reused. Inputs and outputs share what can happen to a schema, and what
is harmless on one side hurts on the other: D2nn and D3nn with the same number are such a pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from toolcanon.diagnostics.change import DriftVerdict
from toolcanon.diagnostics.change_code import ChangeCode
from toolcanon.diagnostics.shape_codes import SHAPE_CODES

_RESTORE: Final = "keep what worked before, or announce a major version"
_APPROVE: Final = "find out who changed it and why before anybody uses the tool again"
_REVIEW: Final = "read the new text as a model will"

_IDENTITY: Final = (
    ChangeCode("D101", "tool-removed", "breaking", "a tool is gone",
        "Every call of it fails.", _RESTORE, "tool-added"),
    ChangeCode("D102", "tool-added", "compatible", "there is a new tool",
        "Callers are not affected; what a model can do has grown.", "review it like any new tool",
        "tool-removed"),
    ChangeCode("D103", "tool-renamed", "breaking", "a tool has another name",
        "Calls by the old name fail, and whatever is pinned by name loses its hold.", _RESTORE,
        "tool-renamed"),
    ChangeCode("D104", "tool-duplicated", "security", "two tools have the same name now",
        "Which of them is called depends on the host.", _APPROVE),
    ChangeCode("D105", "name-confusable", "security", "a new name can be taken for another",
        "Models and people pick tools by name.", _APPROVE),
    ChangeCode("D106", "name-shadows-other-server", "security",
        "a new name is that of another server's tool",
        "Calls meant for the other server may arrive here.", _APPROVE),
    ChangeCode("D107", "name-invalid", "breaking", "the new name is not one that hosts accept",
        "Hosts allow letters, digits and a few separators, up to 128 of them.",
        "use letters, digits, _, - and . only"),
    ChangeCode("D108", "tool-order-changed", "cosmetic", "tools stand in another order",
        "The order carries no contract, though caches of prompts may miss.", "",
        "tool-order-changed"),
    ChangeCode("D109", "title-changed", "cosmetic", "the title is another one",
        "People see it when they approve a call.", "", "title-changed"),
    ChangeCode("D110", "annotation-title-changed", "cosmetic",
        "the title among the annotations is another one",
        "People see it when they approve a call.", "", "annotation-title-changed"),
    ChangeCode("D111", "server-instructions-changed", "cosmetic",
        "what the server tells every model has changed",
        "Instructions are read by the model exactly like a description.", _REVIEW,
        "server-instructions-changed"),
    ChangeCode("D112", "server-version-changed", "cosmetic", "the server has another version",
        "It explains changes that come together.", "", "server-version-changed"),
    ChangeCode("D113", "protocol-version-changed", "compatible",
        "the server speaks another version of the protocol",
        "It explains fields that come or go.", "", "protocol-version-changed"),
    ChangeCode("D114", "kind-changed", "breaking", "the tool is of another kind",
        "Function, free-text and built-in tools are called in different ways.", _RESTORE,
        "kind-changed"),
    ChangeCode("D115", "server-identity-changed", "security",
        "another command or address goes by the name that was reviewed",
        "What was approved belongs to the server that was looked at; another one with the same "
        "name has to be looked at again.", _APPROVE, "server-identity-changed"),
    ChangeCode("D116", "definition-changed", "cosmetic",
        "the definition differs where no rule looks",
        "What was reviewed is pinned to the last character, whatever it means.", "",
        "definition-changed"),
    ChangeCode("D117", "tool-unreviewed", "unknown", "nobody has approved the tool",
        "It was locked as it was seen first, and nobody has looked at it since.",
        "look at it, then run `toolwatch approve`"),
)  # fmt: skip

# Number, name without its side, mirror, verdicts for inputs and outputs, what it says.
_B: Final[DriftVerdict] = "breaking"
_C: Final[DriftVerdict] = "compatible"
_N: Final[DriftVerdict] = "cosmetic"
_EITHER: Final[tuple[tuple[int, str, str, DriftVerdict, DriftVerdict, str], ...]] = (
    (10, "property-removed", "property-added", _B, _B, "a declared member is gone"),
    (11, "property-renamed", "property-renamed", _B, _B, "a member has another name"),
    (13, "required-added", "required-removed", _B, _C, "a member is required now"),
    (14, "required-removed", "required-added", _C, _B, "a member is no longer required"),
    (15, "type-changed", "type-changed", _B, _B, "a value is of another type"),
    (16, "type-narrowed", "type-widened", _B, _C, "fewer kinds of values are allowed"),
    (17, "type-widened", "type-narrowed", _C, _B, "more kinds of values are allowed"),
    (18, "enum-added", "enum-removed", _B, _C, "a free value became a list of values"),
    (19, "enum-removed", "enum-added", _C, _B, "a list of values became a free value"),
    (20, "enum-value-removed", "enum-value-added", _B, _C, "a value left the list"),
    (21, "enum-value-added", "enum-value-removed", _C, _B, "a value joined the list"),
    (22, "const-changed", "const-changed", _B, _B, "the one value allowed is another one"),
    (23, "range-narrowed", "range-widened", _B, _C, "a limit is tighter, or new"),
    (24, "range-widened", "range-narrowed", _C, _B, "a limit is wider, or gone"),
    (25, "pattern-changed", "pattern-changed", _B, _B, "another pattern has to match"),
    (26, "pattern-added", "pattern-removed", _B, _C, "a pattern has to match now"),
    (27, "pattern-removed", "pattern-added", _C, _B, "no pattern has to match any more"),
    (28, "format-changed", "format-changed", _B, _B, "a text has another format"),
    (29, "format-added", "format-removed", _B, _C, "a text has a format now"),
    (30, "format-removed", "format-added", _C, _B, "a text has no format any more"),
    (31, "items-narrowed", "items-widened", _B, _C, "fewer items are allowed in a list"),
    (32, "items-widened", "items-narrowed", _C, _B, "more items are allowed in a list"),
    (33, "additional-properties-closed", "additional-properties-opened", _C, _C,
        "members that are not declared are refused now"),
    (34, "additional-properties-opened", "additional-properties-closed", _C, _C,
        "members that are not declared are no longer refused"),
    (35, "pattern-properties-removed", "pattern-properties-added", _B, _B,
        "members of some names are no longer described"),
    (36, "pattern-properties-narrowed", "pattern-properties-widened", _B, _C,
        "members of some names are held to more"),
    (37, "pattern-properties-added", "pattern-properties-removed", _C, _C,
        "members of some names are described now"),
    (38, "pattern-properties-widened", "pattern-properties-narrowed", _C, _B,
        "members of some names are held to less"),
    (39, "property-names-narrowed", "property-names-widened", _B, _C,
        "names of members are held to more"),
    (40, "property-names-widened", "property-names-narrowed", _C, _B,
        "names of members are held to less"),
    (41, "dependency-added", "dependency-removed", _B, _C, "one member asks for another now"),
    (42, "dependency-removed", "dependency-added", _C, _B, "one member no longer asks for another"),
    (43, "conditional-added", "conditional-removed", _B, _C, "a condition holds now"),
    (44, "conditional-changed", "conditional-changed", _B, _B, "a condition is another one"),
    (45, "conditional-removed", "conditional-added", _C, _B, "a condition no longer holds"),
    (46, "not-added", "not-removed", _B, _C, "some values are ruled out now"),
    (47, "not-removed", "not-added", _C, _B, "some values are no longer ruled out"),
    (48, "default-added", "default-removed", _C, _N, "leaving a member out means a value now"),
    (49, "default-changed", "default-changed", _B, _N,
        "leaving a member out means another value"),
    (50, "default-removed", "default-added", _B, _N,
        "what leaving a member out means is no longer said"),
    (51, "deprecated-set", "deprecated-cleared", _C, _C, "a member is on its way out"),
    (52, "deprecated-cleared", "deprecated-set", _C, _C, "a member is here to stay again"),
    (53, "read-write-only-changed", "read-write-only-changed", _C, _C,
        "whether a member is only read or only written has changed"),
    (54, "description-changed", "description-changed", _N, _N, "the text of a member changed"),
    (55, "examples-changed", "examples-changed", _N, _N, "the examples changed"),
    (56, "title-changed", "title-changed", _N, _N, "the title of a member changed"),
    (57, "content-encoding-changed", "content-encoding-changed", _B, _B,
        "how a text is encoded, or what is in it, has changed"),
    (58, "schema-rewritten", "schema-rewritten", _N, _N,
        "the schema is written in other words and means the same"),
)  # fmt: skip
_WHY: Final[dict[tuple[str, DriftVerdict], str]] = {
    ("input", _B): "A call that was right is refused, is read in another way, or loses an argument "
    "without a word.",
    ("input", _C): "Calls that were right before are still right.",
    ("input", _N): "The same calls are right; at most, a model reads other words.",
    ("output", _B): "Whoever reads results may meet what could not be there, or miss what was "
    "promised.",
    ("output", _C): "Every result is one that could be there before; readers ignore what they do "
    "not know.",
    ("output", _N): "The same results are possible; at most, a model reads other words.",
}


def _either() -> Iterator[ChangeCode]:
    for side, series in (("input", "D2"), ("output", "D3")):
        for number, name, mirror, taken, given, says in _EITHER:
            verdict = taken if side == "input" else given
            if side == "input" and mirror == "property-added":
                mirror = "optional-property-added"  # noqa: PLW2901 - a name older than the table
            yield ChangeCode(f"{series}{number:02d}", f"{side}-{name}", verdict, says,
                             _WHY[side, verdict], _RESTORE if verdict == _B else "",
                             f"{side}-{mirror}")  # fmt: skip


_INPUTS: Final = (
    ChangeCode("D201", "input-schema-missing", "breaking", "the arguments have no schema any more",
        "Strict clients drop a tool without one, and nobody knows what to send.", _RESTORE,
        "input-schema-restored"),
    ChangeCode("D202", "input-schema-restored", "compatible", "the arguments have a schema again",
        "What can be sent is known now.", "", "input-schema-missing"),
    ChangeCode("D203", "schema-invalid", "breaking", "the schema is not valid any more",
        "A keyword has a value that JSON Schema does not allow, a pattern cannot be read, or a "
        "reference leads to nothing or back to itself. Clients that validate reject the tool or "
        "every call of it.", "repair the keyword at this place"),
    ChangeCode("D204", "schema-external-ref", "security",
        "the schema refers to an address on the network",
        "Fetching it would let a definition reach into the network of whoever reads it.", _APPROVE),
    ChangeCode("D205", "schema-too-complex", "unknown", "the two schemas were not compared",
        "Comparing them would take more work than anybody should do for a stranger's schema.",
        "compare the parts, or write the schema more simply", "schema-too-complex"),
    ChangeCode("D206", "input-undecided", "unknown", "whether old calls still work is not known",
        "Neither a proof nor a witness was found.", "see the reason, and try a few calls",
        "input-undecided"),
    ChangeCode("D212", "input-optional-property-added", "compatible",
        "there is a new member that may be left out",
        _WHY["input", _C], "", "input-property-removed"),
)  # fmt: skip
_OUTPUTS: Final = (
    ChangeCode("D301", "output-schema-removed", "breaking", "results are no longer promised",
        "Whoever relied on structured results has nothing to rely on.", _RESTORE,
        "output-schema-added"),
    ChangeCode("D302", "output-schema-added", "compatible", "results are promised now",
        "Hosts hold results against it, so a wrong promise makes calls fail.", "",
        "output-schema-removed"),
    ChangeCode("D306", "output-undecided", "unknown",
        "whether results are as promised before is not known",
        "Neither a proof nor a witness was found.", "see the reason", "output-undecided"),
    ChangeCode("D312", "output-property-added", "compatible", "results have a new member",
        "Tolerant readers ignore it; whoever validates against a closed object refuses it.", "",
        "output-property-removed"),
)  # fmt: skip

_TEXTS: Final = (
    ChangeCode("D401", "description-whitespace-changed", "cosmetic",
        "the description has other blanks or quotes", "Nobody reads anything else in it.", "",
        "description-whitespace-changed"),
    ChangeCode("D402", "description-changed", "cosmetic", "the description has other words",
        "The contract is the same, but a model chooses and fills in tools by these words.",
        _REVIEW, "description-changed"),
    ChangeCode("D403", "description-added", "compatible", "there is a description now",
        "A model knows more of the tool than before.", _REVIEW, "description-removed"),
    ChangeCode("D404", "description-removed", "compatible", "the description is gone",
        "A model knows less of the tool than before.", "", "description-added"),
    ChangeCode("D405", "description-constraint-changed", "compatible",
        "a text names another limit, and the schema does not",
        "A number, a unit or a condition in the words is a rule that no validator sees.",
        "say it in the schema, too", "description-constraint-changed"),
    ChangeCode("D406", "description-tool-reference-added", "cosmetic",
        "the description speaks of a sibling now", "It is advice on which tool to take.", ""),
)  # fmt: skip

_ANNOTATIONS: Final = (
    ChangeCode("D501", "annotation-default-omitted", "cosmetic",
        "a hint that says the default is left out", "The claim is the same.", "",
        "annotation-default-made-explicit"),
    ChangeCode("D502", "annotation-default-made-explicit", "cosmetic",
        "a hint says what was the default anyway", "The claim is the same.", "",
        "annotation-default-omitted"),
    ChangeCode("D503", "annotation-readonly-dropped", "security",
        "the tool no longer claims to read only",
        "Whoever approved it as harmless approved something else.", _APPROVE,
        "annotation-readonly-claimed"),
    ChangeCode("D504", "annotation-readonly-claimed", "security",
        "the tool claims to read only now",
        "Hosts let such tools pass without asking; the claim is the server's own.", _APPROVE,
        "annotation-readonly-dropped"),
    ChangeCode("D505", "annotation-destructive-raised", "security",
        "the tool says that it may destroy things now",
        "Earlier approvals did not know of it.", _APPROVE, "annotation-destructive-cleared"),
    ChangeCode("D506", "annotation-destructive-cleared", "security",
        "the tool says that it destroys nothing any more",
        "Hosts ask less often; the claim is the server's own.", _APPROVE,
        "annotation-destructive-raised"),
    ChangeCode("D507", "annotation-idempotent-dropped", "security",
        "repeating a call is no longer said to be harmless",
        "Retries that were safe may not be.", _APPROVE, "annotation-idempotent-claimed"),
    ChangeCode("D508", "annotation-idempotent-claimed", "security",
        "repeating a call is said to be harmless now", "It invites retries.", _APPROVE,
        "annotation-idempotent-dropped"),
    ChangeCode("D509", "annotation-openworld-raised", "security",
        "the tool says that it reaches outside now",
        "What it returns may have been written by anybody.", _APPROVE,
        "annotation-openworld-cleared"),
    ChangeCode("D510", "annotation-openworld-cleared", "security",
        "the tool says that it stays inside now",
        "Hosts trust what it returns; the claim is the server's own.", _APPROVE,
        "annotation-openworld-raised"),
    ChangeCode("D511", "annotation-unknown-changed", "cosmetic",
        "a hint without a common meaning changed", "Only its vendor knows what it says.", "",
        "annotation-unknown-changed"),
)  # fmt: skip

_METADATA: Final = (
    ChangeCode("D601", "icons-changed", "cosmetic", "the icons changed",
        "They are for the eye.", "", "icons-changed"),
    ChangeCode("D602", "icon-remote-source-added", "security",
        "an icon comes from a third party's host now",
        "Showing it tells that host who uses the tool, and when.", "ship the icon inline"),
    ChangeCode("D603", "meta-changed", "cosmetic", "metadata changed",
        "Only its vendor knows what it says.", "", "meta-changed"),
    ChangeCode("D604", "meta-ui-binding-added", "compatible", "the tool brings an interface now",
        "What it shows is a new surface.", "review the interface", "meta-ui-binding-removed"),
    ChangeCode("D605", "meta-ui-binding-changed", "compatible",
        "the tool brings another interface", "What it shows is a new surface.",
        "review the interface", "meta-ui-binding-changed"),
    ChangeCode("D606", "meta-scope-expanded", "security", "the tool asks for more permissions",
        "What was granted before does not cover it.", _APPROVE, "meta-scope-reduced"),
    ChangeCode("D607", "execution-mode-changed", "breaking",
        "how a call has to be made has changed",
        "A client that calls in the old way is refused, when tasks became necessary or are gone.",
        _RESTORE, "execution-mode-changed"),
    ChangeCode("D608", "deprecated-set", "compatible", "the tool is on its way out",
        "It will be gone some day.", "look for what replaces it", "deprecated-cleared"),
    ChangeCode("D609", "deprecated-cleared", "compatible", "the tool is here to stay again",
        "It was announced to go.", "", "deprecated-set"),
    ChangeCode("D610", "meta-ui-binding-removed", "compatible",
        "the tool brings no interface any more", "Hosts show its results as they do others.", "",
        "meta-ui-binding-added"),
    ChangeCode("D611", "meta-scope-reduced", "compatible", "the tool asks for fewer permissions",
        "What was granted before is more than enough.", "", "meta-scope-expanded"),
    ChangeCode("D612", "execution-default-stated", "cosmetic",
        "how calls are made is said or left out, and is the default", "It means the same.", "",
        "execution-default-stated"),
)  # fmt: skip

_SECURITY: Final = tuple(
    ChangeCode(f"D7{number:02d}", name, "security", says, why, _APPROVE)
    for number, name, says, why in (
        (1, "text-invisible-characters", "a text has characters now that nobody sees",
         "A reviewer approves what is shown; a model reads every character."),
        (2, "text-bidi-control", "a text is shown in another order than it is read in now",
         "A reviewer sees one text and the model reads another."),
        (3, "text-control-characters", "a text has control characters now",
         "Printed as they are, they rewrite what a terminal shows."),
        (4, "text-confusable-letters", "a word is written in look-alike letters now",
         "A search does not find it, and a reader does not notice."),
        (5, "text-hidden-markup", "a text has a part now that is not shown",
         "Comments, folds and far corners are read by the model alone."),
        (6, "text-encoded-payload", "a text has a sentence now that is written as data",
         "Models read base64 and escapes; people do not."),
        (7, "text-padding", "a text pushes a part of itself out of sight now",
         "Whoever reviews it sees the beginning."),
        (8, "description-instruction-injected", "the description gives the model orders now",
         "A tool that was approved turns into one that commands."),
        (9, "input-instruction-injected", "a parameter gives the model orders now",
         "Texts of parameters are read like any other."),
        (10, "output-instruction-injected", "the text of a result gives the model orders now",
         "Texts of output schemas are read like any other."),
        (11, "description-cross-tool-instruction",
         "a text says now how other tools are to be used",
         "A server can bend what another server's tools do."),
        (12, "description-priority-claim", "a text puts the tool before others now",
         "It draws calls to itself that were meant for others."),
        (13, "description-secrecy-demand", "a text asks now to keep something from the user",
         "A tool that does what it says has no reason to."),
        (14, "description-sensitive-path",
         "a text asks now for keys, credentials, history or the like",
         "Poisoned tools have the model fetch secrets and hand them over."),
        (15, "description-external-url", "a text names an address now that data could leave by",
         "Hosts that catch requests are where stolen data goes."),
        (16, "description-scope-expanded", "the tool does more than it did, or promises less",
         "What was approved is not what runs now."),
        (17, "input-sensitive-sink-added",
         "there is a new parameter that data could leave by",
         "A model fills in what a parameter asks for."),
        (18, "default-suspicious-value", "leaving an argument out means something dangerous now",
         "A default is used without anybody choosing it."),
        (19, "input-write-parameter-added", "a tool that reads only can be told to write now",
         "Hosts let tools that only read pass without asking."),
    )
)  # fmt: skip

_PROVIDERS: Final = (
    ChangeCode("D801", "target-newly-rejects", "breaking",
        "a provider that took the tool refuses it now",
        "Lowering for it, which worked before, has no way to say the tool.",
        "say it so that the target can hold it", "target-newly-accepts"),
    ChangeCode("D802", "target-newly-loses", "compatible",
        "a provider that took all of the tool loses a part of it now",
        "The model there may send what the tool refuses, or can no longer say what it takes.",
        "say it so that the target can hold it", "target-no-longer-loses"),
    ChangeCode("D803", "target-newly-accepts", "compatible",
        "a provider that refused the tool takes it now", "It can be offered there.", "",
        "target-newly-rejects"),
    ChangeCode("D804", "target-no-longer-loses", "compatible",
        "a provider that lost a part of the tool takes all of it now", "Nothing is lost there.",
        "", "target-newly-loses"),
)  # fmt: skip

_ALL: Final = (
    *_IDENTITY, *_INPUTS, *_OUTPUTS, *_either(), *_TEXTS, *_ANNOTATIONS, *_METADATA, *_SECURITY,
    *_PROVIDERS, *SHAPE_CODES,
)  # fmt: skip
CHANGES: Final[dict[str, ChangeCode]] = {
    entry.name: entry for entry in sorted(_ALL, key=lambda entry: entry.code)
}
"""By name."""
