"""Findings: what is wrong, where, what to do; and the codes of those that no rule has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject

Level: TypeAlias = Literal["error", "warning", "info"]


@dataclass(frozen=True, slots=True)
class FilePlace:
    """A place in a file; lines and columns count from 1, columns in characters."""

    file: str
    line: int = 1
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Fix:
    """A change to one value that resolves a finding."""

    says: str
    """What the fix does, in a few words: "write the type in lower case"."""
    after: Json = None
    """The new value."""
    is_removal: bool = False
    """Whether the member is removed instead of changed."""
    is_safe: bool = False
    """Whether the fix cannot break a caller or change what a model reads."""
    at: Pointer | None = None
    """The place in the canonical tool, if it differs from the place of the finding."""
    origin: Pointer | None = None
    """The same place in the given payload."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem at one place of a tool or a conversation."""

    code: str
    """Its code, such as C101; ``toolcanon explain`` describes it."""
    name: str
    """The name of the code."""
    level: Level
    """error, warning or info."""
    at: Pointer
    """The place in the canonical tool or the conversation."""
    message: str
    """What is wrong here, in one sentence."""
    remedy: str = ""
    """What to do about it."""
    subject: str = ""
    """The name of the tool or the call."""
    target: str = ""
    """The dialect it applies to; empty when it applies to every target."""
    quote: str = ""
    """The error message of that provider, as its API returns it."""
    source: str = ""
    """The fact the finding is based on, with its source and date."""
    origin: Pointer | None = None
    """The same place in the given payload; ``at`` points into the canonical tool."""
    place: FilePlace | None = None
    """The same place in a file."""
    fix: Fix | None = None
    """A change that resolves it, where one is known."""

    def to_dict(self) -> JsonObject:
        """Return plain JSON without empty fields."""
        out: JsonObject = {
            "code": self.code,
            "name": self.name,
            "level": self.level,
            "at": str(self.at),
            "message": self.message,
        }
        for name in ("remedy", "subject", "target", "quote", "source"):
            if value := getattr(self, name):
                out[name] = value
        if self.origin is not None:
            out["origin"] = str(self.origin)
        if self.place is not None:
            place = self.place
            out["place"] = {"file": place.file, "line": place.line, "column": place.column}
        if self.fix is not None:
            out["fix"] = {"says": self.fix.says, "safe": self.fix.is_safe}
        return out


@dataclass(frozen=True, slots=True)
class FindingCode:
    """One thing that can be found."""

    code: str
    name: str
    says: str
    why: str
    remedy: str


_HISTORY = (
    FindingCode("C101", "call-without-result",
        "a call has no result where the provider expects it",
        "Every call must have a result before the conversation continues. An interrupted or cut "
        "session leaves calls open, and every retry fails in the same way.",
        "add a result, for example an error that states that the call was interrupted"),
    FindingCode("C102", "orphan-result",
        "a result belongs to no call",
        "Cutting a history from the front leaves results whose calls are gone.",
        "remove the result, or keep its call"),
    FindingCode("C103", "result-too-late",
        "a result does not follow its call directly",
        "Something is between a call and its result, or the result comes a turn later.",
        "move the result directly behind the turn that made the call"),
    FindingCode("C104", "text-before-result",
        "text comes before a result in the answer to a call",
        "Results must come first in the turn that answers calls.",
        "move the text behind the results"),
    FindingCode("C105", "call-id-twice",
        "two calls have the same id",
        "Results are paired by id, so an id must belong to one call.",
        "give each call an id of its own, and its result the same"),
    FindingCode("C106", "two-results",
        "a call has two results",
        "A call has one result.",
        "keep one of them"),
    FindingCode("C107", "call-id-illegal",
        "the id of a call has characters or a length that the provider rejects",
        "Providers allow certain characters and lengths; ids of another provider often exceed "
        "them.",
        "give the call and its result an id of legal characters and length"),
    FindingCode("C108", "item-id-illegal",
        "the id of an item has the wrong prefix",
        "Items and calls have different ids; one was used for the other.",
        "leave out the id of the item"),
    FindingCode("C109", "call-name-illegal",
        "the name in a call has characters or a length that the provider rejects",
        "Tools were renamed for the provider and the history was not, or it came from another "
        "provider.",
        "rename the call as the tool is renamed"),
    FindingCode("C110", "tool-name-twice",
        "two tools have the same name",
        "A call could mean either.",
        "rename one of them, or leave it out"),
    FindingCode("C111", "tools-missing",
        "the history has calls, and the request declares no tools",
        "The provider rejects calls and results when no tools are declared.",
        "declare the tools that the history calls"),
    FindingCode("C112", "empty-text",
        "a text is empty or blank",
        "Some models write an empty text before a call; sent back, it is rejected.",
        "leave out the empty text"),
    FindingCode("C113", "empty-message",
        "a message has no content",
        "The provider requires content in every message of this role.",
        "leave out the message, or add content"),
    FindingCode("C114", "error-without-words",
        "an error result has no content",
        "The provider requires a text that describes the error.",
        "describe the error in the result"),
    FindingCode("C115", "first-not-user",
        "the conversation does not begin with the user",
        "Cutting a history from the front often leaves the assistant's turn first.",
        "begin with a user message"),
    FindingCode("C116", "same-role-twice",
        "two consecutive messages have the same role",
        "The provider requires alternating roles.",
        "join the two messages"),
    FindingCode("C117", "ends-with-assistant",
        "the conversation ends with the assistant",
        "Some models do not continue an assistant message.",
        "add a user message"),
    FindingCode("C118", "arguments-no-object",
        "the arguments of a call are not an object",
        "The provider requires an object; a model wrote something else, or its text was cut.",
        "send an object, and state in the result that the arguments could not be read"),
    FindingCode("C119", "number-not-finite",
        "a number is infinite or NaN",
        "JSON cannot express it, so no service can read it.",
        "replace it by null or by a text"),
    FindingCode("C120", "foreign-reasoning",
        "reasoning was signed by another provider or model",
        "A signature is valid only for the model that wrote it.",
        "leave out the reasoning"),
    FindingCode("C121", "reasoning-unsealed",
        "reasoning has no signature",
        "The provider accepts reasoning only as it wrote it.",
        "leave out the reasoning"),
    FindingCode("C122", "reasoning-alone",
        "the item that belongs to a piece of reasoning is missing",
        "The provider pairs reasoning with the item behind it.",
        "leave out the reasoning, or keep the item that followed it"),
    FindingCode("C123", "reasoning-missing",
        "the turn that called tools does not begin with its reasoning",
        "With thinking on, the last turn with calls must begin with the reasoning that led to "
        "them.",
        "turn thinking off for this request, or keep the reasoning"),
    FindingCode("C124", "seal-missing",
        "a call lacks its signature",
        "The provider requires the signature that it sent with the first call of a turn.",
        "keep the signature, or use the placeholder that the provider documents"),
    FindingCode("C125", "forced-while-thinking",
        "a tool is forced while thinking is on",
        "The provider allows only one of the two.",
        "let the model choose, or turn thinking off"),
    FindingCode("C126", "choice-without-tools",
        "a tool is chosen, and the request declares no tools",
        "There is nothing to choose from.",
        "leave out the choice, or declare the tools"),
    FindingCode("C127", "choice-unknown",
        "the chosen tool is not declared",
        "It was renamed or removed, and the choice was not.",
        "choose a tool that the request declares"),
    FindingCode("C128", "member-misshapen",
        "a member has a type that the provider rejects",
        "Examples: an object where a text belongs, one block instead of a list, null for an "
        "absent member. SDKs and hand-written histories have them.",
        "send the type that the provider documents, and leave out nulls"),
    FindingCode("C129", "call-unreadable",
        "a call has no name",
        "The provider rejects it, and the called tool is unknown.",
        "leave out the call and its result"),
    FindingCode("C130", "system-misplaced",
        "a system message is where the model accepts none",
        "The model accepts no system messages among the others, or none before the first user "
        "message.",
        "move the text into the system prompt of the request"),
)  # fmt: skip

_COMPATIBILITY = (
    FindingCode("C201", "tool-not-supported",
        "the target does not support this kind of tool",
        "Built-in tools of one provider do not exist at another.",
        "offer a function that does the same, or leave it out there"),
    FindingCode("C202", "strict-refused",
        "the tool does not fit into the target's strict mode",
        "The provider builds a grammar from the schema, and grammars have limits; a request "
        "beyond them fails.",
        "make the schema smaller or flatter, or turn strict mode off for this tool"),
    FindingCode("C203", "limit-exceeded",
        "a limit of the target is exceeded",
        "Requests beyond the limit fail.",
        "send fewer tools at a time, or make the schema smaller"),
    FindingCode("C204", "target-unknown",
        "the target is unknown",
        "Nothing was checked: an unknown target is not a pass.",
        "use one that `toolcanon formats` lists"),
    FindingCode("C205", "loosely-spelled",
        "the schema uses type names or keywords that JSON Schema 2020-12 does not have",
        "Validators ignore what they do not know, so it is not checked anywhere.",
        "write it as 2020-12; --fix does"),
    FindingCode("C208", "needed-part-missing",
        "the target rejects a tool without this part, and the source does not have it",
        "No other format has a field for it, so a conversion cannot add it.",
        "add it to the payload: it states how the tool is called"),
)  # fmt: skip

FINDINGS: Final[dict[str, FindingCode]] = {
    entry.code: entry for entry in (*_HISTORY, *_COMPATIBILITY)
}
