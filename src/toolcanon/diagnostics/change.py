"""A change: one difference between two versions of a tool, who breaks, and its code.

Codes and names are never reused. Inputs and outputs share what can happen to a schema, and what
is harmless on one side hurts on the other: D2nn and D3nn with the same number are such a pair.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from toolcanon.diagnostics.finding import Level
from toolcanon.jsonio import Pointer, digest
from toolcanon.jsonio.types import Json, JsonObject

DriftVerdict: TypeAlias = Literal[
    "security", "breaking", "unknown", "compatible", "cosmetic", "identical"
]
DRIFT_VERDICTS: Final[tuple[DriftVerdict, ...]] = get_args(DriftVerdict)
"""Worst first."""
Severity: TypeAlias = Literal["high", "medium", "low", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
Outcome: TypeAlias = Literal["refused", "ignored", "differs", "unexpected", "missing"]
"""The result of a witness: a call is rejected, an argument is ignored, or the same call does
something else; a result was impossible before, or lacks a declared member."""

_LEVELS: Final[dict[Severity, Level]] = {
    "high": "error",
    "medium": "warning",
    "low": "warning",
    "info": "info",
}


@dataclass(frozen=True, slots=True)
class Witness:
    """A value that proves the change: the smallest call or result that was found."""

    value: Json
    outcome: Outcome
    says: str = ""
    """The reason for the rejection, as the validator reports it."""

    def to_dict(self) -> JsonObject:
        out: JsonObject = {"value": self.value, "outcome": self.outcome}
        return {**out, "says": self.says} if self.says else out


@dataclass(frozen=True)
class Change:
    """One difference at one place of a tool, or in the set of tools."""

    code: str
    """Its code, such as D101; ``toolcanon explain`` describes it."""
    name: str
    """The name of the code."""
    verdict: DriftVerdict
    """What it means for callers."""
    severity: Severity
    """high, medium, low or info."""
    message: str
    """What changed, in one sentence; reports escape text that comes from the tool."""
    tool: str = ""
    """The name of the tool."""
    at: Pointer | None = None
    """The place in the new canonical tool; None when it was removed."""
    was: Pointer | None = None
    """The place in the old canonical tool; None when it is new."""
    before: Json = None
    """The old value; None where it was absent."""
    after: Json = None
    """The new value; None where it is absent."""
    witness: Witness | None = None
    """Arguments or an answer that prove it, where one was found."""
    reason: str = ""
    """Why the verdict is ``unknown``, or why there is no witness."""
    hint: str = ""
    """An explanation, or a circumstance that lowers the severity."""
    target: str = ""
    """The dialect it applies to; empty when it applies to every target."""
    model_visible: bool = False
    """Whether the text that a model reads changed."""

    @property
    def is_alarm(self) -> bool:
        """Whether the verdict is ``security`` or ``breaking``."""
        return self.verdict in {"security", "breaking"}

    @property
    def level(self) -> Level:
        """The level of findings that reports display it with."""
        return _LEVELS[self.severity]

    @property
    def place(self) -> Pointer:
        """The new place, or the old one if it was removed."""
        return self.at if self.at is not None else self.was or Pointer()

    @cached_property
    def fingerprint(self) -> str:
        """A digest of the change that does not depend on its message or on the order of changes."""
        pointers = [
            None if at is None else [str(step) for step in at] for at in (self.was, self.at)
        ]
        facts = ["change", self.name, self.tool, self.target, pointers]
        return digest([*facts, digest(self.before), digest(self.after)])

    def to_dict(self) -> JsonObject:
        """Return plain JSON without empty fields."""
        out: JsonObject = {
            "code": self.code,
            "name": self.name,
            "verdict": self.verdict,
            "severity": self.severity,
            "tool": self.tool,
            "message": self.message,
            "before": self.before,
            "after": self.after,
            "model_visible": self.model_visible,
            "fingerprint": self.fingerprint,
        }
        for key in ("reason", "hint", "target"):
            if value := getattr(self, key):
                out[key] = value
        for key in ("was", "at"):
            if (place := getattr(self, key)) is not None:
                out[key] = str(place)
        if self.witness is not None:
            out["witness"] = self.witness.to_dict()
        return out


@dataclass(frozen=True, slots=True)
class ChangeCode:
    """One kind of change."""

    code: str
    name: str
    verdict: DriftVerdict
    """The usual verdict; each change has its own."""
    says: str
    why: str
    remedy: str = ""
    mirror: str = ""
    """The name of the change when the versions are swapped; empty when there is none."""


_ASK: Final = "ask the owner of the tool; once it is accepted, learn the shape again"
_WITHHOLD: Final = "withhold the response from the model until it is reviewed"

SHAPE_CODES: Final = (
    ChangeCode("D901", "response-key-vanished", "breaking",
        "a member is no longer in responses",
        "Readers do not find it. Reported when the absences are statistically significant.",
        _ASK,
        "response-key-added"),
    ChangeCode("D902", "response-key-added", "compatible",
        "a member is new in responses",
        "Readers ignore members they do not know. Reported when most responses have it.",
        "",
        "response-key-vanished"),
    ChangeCode("D903", "response-key-optional", "breaking",
        "a member that every response had is sometimes missing",
        "Readers that rely on it sometimes fail.",
        _ASK),
    ChangeCode("D904", "response-type-changed", "breaking",
        "the type of a value changed",
        "Readers expect the former type. Integers among other numbers are not a change.",
        _ASK,
        "response-type-changed"),
    ChangeCode("D905", "response-null-appeared", "breaking",
        "a value that was never null is null",
        "Readers that do not expect null fail.",
        _ASK),
    ChangeCode("D906", "response-format-changed", "breaking",
        "a text no longer has the format it always had",
        "A parser of that format, for example of dates, fails.",
        _ASK,
        "response-format-changed"),
    ChangeCode("D907", "response-value-unseen", "compatible",
        "a value from a short list is new",
        "Readers that distinguish cases may not know it. Breaking when no known value is left.",
        _ASK),
    ChangeCode("D908", "response-range-shifted", "breaking",
        "the range of numbers moved",
        "The unit, the scale or the meaning may have changed. Reported only when nearly all "
        "moved.",
        _ASK,
        "response-range-shifted"),
    ChangeCode("D909", "response-precision-changed", "breaking",
        "numbers are less precise, or no longer integers",
        "Readers of integers fail on fractions; long ids that were stored as doubles are other "
        "ids.",
        _ASK,
        "response-precision-changed"),
    ChangeCode("D910", "response-list-emptied", "breaking",
        "a list or map that was never empty is empty",
        "Usually its source is gone.",
        _ASK),
    ChangeCode("D911", "response-list-capped", "breaking",
        "lists end at a round length that they exceeded before",
        "The rest is cut off without a notice.",
        "request further pages, or a higher limit"),
    ChangeCode("D912", "response-error-rate-raised", "breaking",
        "more calls fail than before",
        "Failures are responses, so nothing else may look different.",
        _ASK),
    ChangeCode("D913", "response-contradicts-schema", "breaking",
        "responses do not follow the output schema",
        "Hosts that validate reject them, and readers rely on the schema.",
        "fix the tool, or declare what it really returns"),
    ChangeCode("D914", "response-instruction-injected", "security",
        "a text or a key in responses gives orders to the model, or hides something",
        "A model reads results like any other text. One such text is enough.",
        _WITHHOLD),
    ChangeCode("D915", "response-pattern-changed", "unknown",
        "members of responses or types of values changed",
        "The hash of keys and types differs, and there are too few samples to judge it.",
        "give more samples; once it is accepted, learn the shape again",
        "response-pattern-changed"),
)  # fmt: skip


_RESTORE: Final = "keep what worked before, or announce a major version"
_INVESTIGATE: Final = "find out who changed it and why before the tool is used again"
_REVIEW: Final = "read the new text as a model will"

_IDENTITY: Final = (
    ChangeCode("D101", "tool-removed", "breaking", "a tool was removed",
        "Every call of it fails.", _RESTORE, "tool-added"),
    ChangeCode("D102", "tool-added", "compatible", "a tool was added",
        "Callers are not affected, but a model can do more.", "review it like any new tool",
        "tool-removed"),
    ChangeCode("D103", "tool-renamed", "breaking", "a tool has another name",
        "Calls by the old name fail, and approvals by name no longer apply.", _RESTORE,
        "tool-renamed"),
    ChangeCode("D104", "tool-duplicated", "security", "two tools have the same name",
        "Which of them is called depends on the host.", _INVESTIGATE),
    ChangeCode("D105", "name-confusable", "security", "a new name looks like another one",
        "Models and people pick tools by name.", _INVESTIGATE),
    ChangeCode("D106", "name-shadows-other-server", "security",
        "a new tool has the name of another server's tool",
        "Calls meant for the other server may arrive here.", _INVESTIGATE),
    ChangeCode("D107", "name-invalid", "breaking", "hosts reject the new name",
        "Hosts allow letters, digits and a few separators, up to 128 of them.",
        "use letters, digits, _, - and . only"),
    ChangeCode("D108", "tool-order-changed", "cosmetic", "the order of tools changed",
        "The order has no meaning for callers, but prompt caches may miss.", "",
        "tool-order-changed"),
    ChangeCode("D109", "title-changed", "cosmetic", "the title changed",
        "People see it when they approve a call.", "", "title-changed"),
    ChangeCode("D110", "annotation-title-changed", "cosmetic",
        "the title in the annotations changed",
        "People see it when they approve a call.", "", "annotation-title-changed"),
    ChangeCode("D111", "server-instructions-changed", "cosmetic",
        "the server's instructions changed",
        "A model reads instructions like a description.", _REVIEW,
        "server-instructions-changed"),
    ChangeCode("D112", "server-version-changed", "cosmetic", "the server's version changed",
        "It explains changes that come with it.", "", "server-version-changed"),
    ChangeCode("D113", "protocol-version-changed", "compatible",
        "the server's protocol version changed",
        "It explains fields that were added or removed.", "", "protocol-version-changed"),
    ChangeCode("D114", "kind-changed", "breaking", "the kind of the tool changed",
        "Function, free-text and built-in tools are called in different ways.", _RESTORE,
        "kind-changed"),
    ChangeCode("D115", "server-identity-changed", "security",
        "a reviewed server name belongs to another command or URL",
        "The approval belongs to the server that was reviewed. Another one with the same name "
        "needs a review of its own.", _INVESTIGATE, "server-identity-changed"),
    ChangeCode("D116", "definition-changed", "cosmetic",
        "the definition differs in a place without a rule",
        "A lockfile pins every character, whatever it means.", "",
        "definition-changed"),
    ChangeCode("D117", "tool-unreviewed", "unknown", "the tool is not approved",
        "It was locked when it was first seen, and has not been reviewed since.",
        "review it, then run `toolwatch approve`"),
)  # fmt: skip

# Number, name without its side, mirror, verdicts for inputs and outputs, message.
_B: Final[DriftVerdict] = "breaking"
_C: Final[DriftVerdict] = "compatible"
_N: Final[DriftVerdict] = "cosmetic"
_EITHER: Final[tuple[tuple[int, str, str, DriftVerdict, DriftVerdict, str], ...]] = (
    (10, "property-removed", "property-added", _B, _B, "a declared member was removed"),
    (11, "property-renamed", "property-renamed", _B, _B, "a member was renamed"),
    (13, "required-added", "required-removed", _B, _C, "a member became required"),
    (14, "required-removed", "required-added", _C, _B, "a member became optional"),
    (15, "type-changed", "type-changed", _B, _B, "the type of a value changed"),
    (16, "type-narrowed", "type-widened", _B, _C, "fewer types are allowed"),
    (17, "type-widened", "type-narrowed", _C, _B, "more types are allowed"),
    (18, "enum-added", "enum-removed", _B, _C, "`enum` was added"),
    (19, "enum-removed", "enum-added", _C, _B, "`enum` was removed"),
    (20, "enum-value-removed", "enum-value-added", _B, _C, "a value was removed from `enum`"),
    (21, "enum-value-added", "enum-value-removed", _C, _B, "a value was added to `enum`"),
    (22, "const-changed", "const-changed", _B, _B, "`const` changed"),
    (23, "range-narrowed", "range-widened", _B, _C, "a limit is tighter or new"),
    (24, "range-widened", "range-narrowed", _C, _B, "a limit is wider or removed"),
    (25, "pattern-changed", "pattern-changed", _B, _B, "`pattern` changed"),
    (26, "pattern-added", "pattern-removed", _B, _C, "`pattern` was added"),
    (27, "pattern-removed", "pattern-added", _C, _B, "`pattern` was removed"),
    (28, "format-changed", "format-changed", _B, _B, "`format` changed"),
    (29, "format-added", "format-removed", _B, _C, "`format` was added"),
    (30, "format-removed", "format-added", _C, _B, "`format` was removed"),
    (31, "items-narrowed", "items-widened", _B, _C, "fewer items are allowed in a list"),
    (32, "items-widened", "items-narrowed", _C, _B, "more items are allowed in a list"),
    (33, "additional-properties-closed", "additional-properties-opened", _C, _C,
        "undeclared members are no longer accepted"),
    (34, "additional-properties-opened", "additional-properties-closed", _C, _C,
        "undeclared members are accepted"),
    (35, "pattern-properties-removed", "pattern-properties-added", _B, _B,
        "`patternProperties` were removed"),
    (36, "pattern-properties-narrowed", "pattern-properties-widened", _B, _C,
        "`patternProperties` accept less"),
    (37, "pattern-properties-added", "pattern-properties-removed", _C, _C,
        "`patternProperties` were added"),
    (38, "pattern-properties-widened", "pattern-properties-narrowed", _C, _B,
        "`patternProperties` accept more"),
    (39, "property-names-narrowed", "property-names-widened", _B, _C,
        "`propertyNames` accept less"),
    (40, "property-names-widened", "property-names-narrowed", _C, _B,
        "`propertyNames` accept more"),
    (41, "dependency-added", "dependency-removed", _B, _C, "a member requires another one"),
    (42, "dependency-removed", "dependency-added", _C, _B,
         "a member no longer requires another one"),
    (43, "conditional-added", "conditional-removed", _B, _C, "a condition was added"),
    (44, "conditional-changed", "conditional-changed", _B, _B, "a condition changed"),
    (45, "conditional-removed", "conditional-added", _C, _B, "a condition was removed"),
    (46, "not-added", "not-removed", _B, _C, "`not` was added"),
    (47, "not-removed", "not-added", _C, _B, "`not` was removed"),
    (48, "default-added", "default-removed", _C, _N, "`default` was added"),
    (49, "default-changed", "default-changed", _B, _N,
        "`default` changed"),
    (50, "default-removed", "default-added", _B, _N,
        "`default` was removed"),
    (51, "deprecated-set", "deprecated-cleared", _C, _C, "a member is deprecated"),
    (52, "deprecated-cleared", "deprecated-set", _C, _C, "a member is no longer deprecated"),
    (53, "read-write-only-changed", "read-write-only-changed", _C, _C,
        "`readOnly` or `writeOnly` changed"),
    (54, "description-changed", "description-changed", _N, _N,
         "the description of a member changed"),
    (55, "examples-changed", "examples-changed", _N, _N, "the examples changed"),
    (56, "title-changed", "title-changed", _N, _N, "the title of a member changed"),
    (57, "content-encoding-changed", "content-encoding-changed", _B, _B,
        "`contentEncoding` or `contentMediaType` changed"),
    (58, "schema-rewritten", "schema-rewritten", _N, _N,
        "the schema is written differently and means the same"),
)  # fmt: skip
_WHY: Final[dict[tuple[str, DriftVerdict], str]] = {
    ("input", _B): "A call that was valid is rejected, is read differently, or silently loses an "
    "argument.",
    ("input", _C): "Calls that were valid are still valid.",
    ("input", _N): "The same calls are valid; at most, a model reads another text.",
    ("output", _B): "Readers of results may find values that were impossible before, or miss "
    "declared ones.",
    ("output", _C): "Every result was possible before; readers ignore members they do not know.",
    ("output", _N): "The same results are possible; at most, a model reads another text.",
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
    ChangeCode("D201", "input-schema-missing", "breaking", "the input schema was removed",
        "Strict clients drop a tool without one, and callers do not know what to send.", _RESTORE,
        "input-schema-restored"),
    ChangeCode("D202", "input-schema-restored", "compatible", "the input schema was added",
        "Callers know what to send.", "", "input-schema-missing"),
    ChangeCode("D203", "schema-invalid", "breaking", "the schema is no longer valid",
        "A keyword has a value that JSON Schema does not allow, a pattern cannot be read, or a "
        "reference leads to nothing or back to itself. Clients that validate reject the tool or "
        "every call of it.", "repair the keyword at this place"),
    ChangeCode("D204", "schema-external-ref", "security",
        "the schema has a reference to a network address",
        "A client that fetches it lets a definition reach into its network.", _INVESTIGATE),
    ChangeCode("D205", "schema-too-complex", "unknown", "the two schemas were not compared",
        "Comparing them would exceed the work limit for untrusted schemas.",
        "compare the parts, or simplify the schema", "schema-too-complex"),
    ChangeCode("D206", "input-undecided", "unknown", "it is unknown whether old calls still work",
        "Neither a proof nor a witness was found.", "read the reason, and try a few calls",
        "input-undecided"),
    ChangeCode("D212", "input-optional-property-added", "compatible",
        "an optional member was added",
        _WHY["input", _C], "", "input-property-removed"),
)  # fmt: skip
_OUTPUTS: Final = (
    ChangeCode("D301", "output-schema-removed", "breaking", "the output schema was removed",
        "Readers of structured results can no longer rely on it.", _RESTORE,
        "output-schema-added"),
    ChangeCode("D302", "output-schema-added", "compatible", "the output schema was added",
        "Hosts validate results against it, so a wrong schema makes calls fail.", "",
        "output-schema-removed"),
    ChangeCode("D306", "output-undecided", "unknown",
        "it is unknown whether results still follow the old schema",
        "Neither a proof nor a witness was found.", "read the reason", "output-undecided"),
    ChangeCode("D312", "output-property-added", "compatible", "a member was added to results",
        "Tolerant readers ignore it; readers that validate against a closed object reject it.", "",
        "output-property-removed"),
)  # fmt: skip

_TEXTS: Final = (
    ChangeCode("D401", "description-whitespace-changed", "cosmetic",
        "white space or quotes of the description changed", "The text means the same.", "",
        "description-whitespace-changed"),
    ChangeCode("D402", "description-changed", "cosmetic", "the description changed",
        "The contract is the same, but a model chooses and calls tools by this text.",
        _REVIEW, "description-changed"),
    ChangeCode("D403", "description-added", "compatible", "a description was added",
        "A model knows more about the tool.", _REVIEW, "description-removed"),
    ChangeCode("D404", "description-removed", "compatible", "the description was removed",
        "A model knows less about the tool.", "", "description-added"),
    ChangeCode("D405", "description-constraint-changed", "compatible",
        "a text states another limit, and the schema does not",
        "A number, a unit or a condition in a text is a rule that no validator checks.",
        "state it in the schema as well", "description-constraint-changed"),
    ChangeCode("D406", "description-tool-reference-added", "cosmetic",
        "the description mentions another tool of the server", "It advises which tool to use.", ""),
)  # fmt: skip

_ANNOTATIONS: Final = (
    ChangeCode("D501", "annotation-default-omitted", "cosmetic",
        "a hint with the default value was left out", "The claim is the same.", "",
        "annotation-default-made-explicit"),
    ChangeCode("D502", "annotation-default-made-explicit", "cosmetic",
        "a hint with the default value was added", "The claim is the same.", "",
        "annotation-default-omitted"),
    ChangeCode("D503", "annotation-readonly-dropped", "security",
        "the tool no longer claims to be read-only",
        "An approval of a read-only tool does not cover it.", _INVESTIGATE,
        "annotation-readonly-claimed"),
    ChangeCode("D504", "annotation-readonly-claimed", "security",
        "the tool claims to be read-only",
        "Hosts run such tools without asking, and the claim is unverified.", _INVESTIGATE,
        "annotation-readonly-dropped"),
    ChangeCode("D505", "annotation-destructive-raised", "security",
        "the tool states that it may be destructive",
        "Earlier approvals do not cover it.", _INVESTIGATE, "annotation-destructive-cleared"),
    ChangeCode("D506", "annotation-destructive-cleared", "security",
        "the tool states that it is not destructive",
        "Hosts ask less often, and the claim is unverified.", _INVESTIGATE,
        "annotation-destructive-raised"),
    ChangeCode("D507", "annotation-idempotent-dropped", "security",
        "the tool no longer claims to be idempotent",
        "Retries may no longer be safe.", _INVESTIGATE, "annotation-idempotent-claimed"),
    ChangeCode("D508", "annotation-idempotent-claimed", "security",
        "the tool claims to be idempotent", "Clients may retry calls.", _INVESTIGATE,
        "annotation-idempotent-dropped"),
    ChangeCode("D509", "annotation-openworld-raised", "security",
        "the tool states that it reaches open systems",
        "Its results may be written by third parties.", _INVESTIGATE,
        "annotation-openworld-cleared"),
    ChangeCode("D510", "annotation-openworld-cleared", "security",
        "the tool states that it reaches closed systems only",
        "Hosts trust its results, and the claim is unverified.", _INVESTIGATE,
        "annotation-openworld-raised"),
    ChangeCode("D511", "annotation-unknown-changed", "cosmetic",
        "a vendor's hint changed", "Only the vendor knows what it means.", "",
        "annotation-unknown-changed"),
)  # fmt: skip

_METADATA: Final = (
    ChangeCode("D601", "icons-changed", "cosmetic", "the icons changed",
        "They are only displayed.", "", "icons-changed"),
    ChangeCode("D602", "icon-remote-source-added", "security",
        "an icon is loaded from a third party",
        "Displaying it reveals to that host who uses the tool, and when.", "embed the icon"),
    ChangeCode("D603", "meta-changed", "cosmetic", "metadata changed",
        "Only the vendor knows what it means.", "", "meta-changed"),
    ChangeCode("D604", "meta-ui-binding-added", "compatible", "the tool has a user interface",
        "The interface is a new attack surface.", "review the interface",
        "meta-ui-binding-removed"),
    ChangeCode("D605", "meta-ui-binding-changed", "compatible",
        "the tool's user interface changed", "The interface is a new attack surface.",
        "review the interface", "meta-ui-binding-changed"),
    ChangeCode("D606", "meta-scope-expanded", "security", "the tool asks for more permissions",
        "Earlier grants do not cover it.", _INVESTIGATE, "meta-scope-reduced"),
    ChangeCode("D607", "execution-mode-changed", "breaking",
        "the execution mode changed",
        "A client that calls in the old mode is rejected, for example when tasks became "
        "required.",
        _RESTORE, "execution-mode-changed"),
    ChangeCode("D608", "deprecated-set", "compatible", "the tool is deprecated",
        "It will be removed.", "look for its replacement", "deprecated-cleared"),
    ChangeCode("D609", "deprecated-cleared", "compatible", "the tool is no longer deprecated",
        "Its removal was announced before.", "", "deprecated-set"),
    ChangeCode("D610", "meta-ui-binding-removed", "compatible",
        "the tool's user interface was removed", "Hosts show its results like others.", "",
        "meta-ui-binding-added"),
    ChangeCode("D611", "meta-scope-reduced", "compatible", "the tool asks for fewer permissions",
        "Earlier grants cover it.", "", "meta-scope-expanded"),
    ChangeCode("D612", "execution-default-stated", "cosmetic",
        "the default execution mode was added or left out", "Both mean the same.", "",
        "execution-default-stated"),
)  # fmt: skip

_SECURITY: Final = tuple(
    ChangeCode(f"D7{number:02d}", name, "security", says, why, _INVESTIGATE)
    for number, name, says, why in (
        (1, "text-invisible-characters", "a text has invisible characters",
         "A reviewer approves what is displayed; a model reads every character."),
        (2, "text-bidi-control", "a text is displayed in another order than it is read",
         "A reviewer sees another text than the model reads."),
        (3, "text-control-characters", "a text has control characters",
         "Printed unescaped, they change what a terminal displays."),
        (4, "text-confusable-letters", "a word is written with look-alike letters",
         "Searches do not find it, and readers do not notice."),
        (5, "text-hidden-markup", "a text has hidden markup",
         "Comments and collapsed parts are read by the model only."),
        (6, "text-encoded-payload", "a text has an encoded sentence",
         "Models read base64 and escapes; people do not."),
        (7, "text-padding", "a text has padding that moves a part out of sight",
         "A reviewer sees only the beginning."),
        (8, "description-instruction-injected", "the description gives orders to the model",
         "The approved text gave no orders."),
        (9, "input-instruction-injected", "the text of a parameter gives orders to the model",
         "A model reads texts of parameters like any other."),
        (10, "output-instruction-injected",
         "a text of the output schema gives orders to the model",
         "A model reads texts of output schemas like any other."),
        (11, "description-cross-tool-instruction",
         "a text states how other tools are to be used",
         "A server can change how another server's tools are used."),
        (12, "description-priority-claim", "a text claims priority over other tools",
         "It attracts calls that were meant for others."),
        (13, "description-secrecy-demand", "a text asks to hide something from the user",
         "An honest tool has no reason to."),
        (14, "description-sensitive-path",
         "a text asks for keys, credentials or history",
         "Poisoned tools make the model read secrets and pass them on."),
        (15, "description-external-url", "a text names a URL that data could be sent to",
         "Stolen data is sent to hosts that record requests."),
        (16, "description-scope-expanded", "the tool does more than before, or promises less",
         "The approval covers less."),
        (17, "input-sensitive-sink-added",
         "a parameter was added that data could be sent through",
         "A model fills in every parameter."),
        (18, "default-suspicious-value", "a default has a dangerous value",
         "A default is used without a decision."),
        (19, "input-write-parameter-added",
         "a read-only tool has a parameter that makes it write",
         "Hosts run read-only tools without asking."),
    )
)  # fmt: skip

_PROVIDERS: Final = (
    ChangeCode("D801", "target-newly-rejects", "breaking",
        "a provider rejects the tool",
        "The tool could be lowered for it before, and no longer can.",
        "use keywords that the target supports", "target-newly-accepts"),
    ChangeCode("D802", "target-newly-loses", "compatible",
        "a provider loses a part of the tool",
        "The model there may send arguments that the tool rejects, or can no longer send "
        "accepted ones.",
        "use keywords that the target supports", "target-no-longer-loses"),
    ChangeCode("D803", "target-newly-accepts", "compatible",
        "a provider accepts the tool", "It was rejected before.", "",
        "target-newly-rejects"),
    ChangeCode("D804", "target-no-longer-loses", "compatible",
        "a provider no longer loses a part of the tool",
         "Nothing is lost there now.",
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
