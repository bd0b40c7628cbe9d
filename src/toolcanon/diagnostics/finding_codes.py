"""Every finding we can report: its code, its name, what is wrong, why it matters, what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


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
        "a call has no result where the provider looks for it",
        "Every call must be answered before the conversation goes on; a session that was "
        "interrupted or cut leaves calls open, and every retry fails alike.",
        "add a result for it, if only an error that says that the call was interrupted"),
    FindingCode("C102", "orphan-result",
        "a result answers no call",
        "Cutting a history from the front leaves results behind whose calls are gone.",
        "remove the result, or keep the call it answers"),
    FindingCode("C103", "result-too-late",
        "a result does not follow its call at once",
        "Something stands between a call and its result, or the result comes a turn later.",
        "move the result to right behind the turn that made the call"),
    FindingCode("C104", "text-before-result",
        "words stand before a result in the answer to a call",
        "Results must come first in the turn that answers calls.",
        "move the words behind the results"),
    FindingCode("C105", "call-id-twice",
        "two calls have the same id",
        "Results are paired by id, so an id may stand for one call only.",
        "give each call an id of its own, and its result the same"),
    FindingCode("C106", "two-results",
        "a call is answered twice",
        "A call has one result.",
        "keep one of them"),
    FindingCode("C107", "call-id-illegal",
        "the id of a call is not one the provider takes",
        "Providers allow certain characters and lengths; ids of another provider often have "
        "more.",
        "give the call and its result an id of legal characters and length"),
    FindingCode("C108", "item-id-illegal",
        "the id of an item does not begin as it should",
        "Items and calls have different ids; one was taken for the other.",
        "leave the id of the item out"),
    FindingCode("C109", "call-name-illegal",
        "the name in a call is not one the provider takes",
        "Tools were renamed for the provider, but the history was not, or came from another one.",
        "rename the call as the tool is renamed"),
    FindingCode("C110", "tool-name-twice",
        "two tools have the same name",
        "A call could mean either.",
        "rename one of them, or leave it out"),
    FindingCode("C111", "tools-missing",
        "the history has calls, and the request declares no tools",
        "The provider refuses calls and results when no tools are declared.",
        "declare the tools that the history calls"),
    FindingCode("C112", "empty-text",
        "a text is empty, or only blank",
        "Models sometimes say nothing before a call; sent back as an empty text it is refused.",
        "leave the empty text out"),
    FindingCode("C113", "empty-message",
        "a message has no content",
        "The provider wants something in every message of this role.",
        "leave the message out, or say something in it"),
    FindingCode("C114", "error-without-words",
        "a result that tells of an error has no content",
        "The provider wants to hear what went wrong.",
        "say in the result what went wrong"),
    FindingCode("C115", "first-not-user",
        "the conversation does not begin with the user",
        "Cutting a history from the front often leaves the assistant's turn first.",
        "begin with a message of the user"),
    FindingCode("C116", "same-role-twice",
        "two messages of one role follow each other",
        "The provider wants roles to alternate.",
        "join the two messages"),
    FindingCode("C117", "ends-with-assistant",
        "the conversation ends with the assistant",
        "Some models do not continue their own words.",
        "add a message of the user"),
    FindingCode("C118", "arguments-no-object",
        "the arguments of a call are no object",
        "The provider takes an object; a model wrote something else, or its text was cut.",
        "send an object, and tell in the result that the arguments could not be read"),
    FindingCode("C119", "number-not-finite",
        "a number is infinite or no number",
        "JSON has no word for it, so no service can read it.",
        "replace it by null or by a text"),
    FindingCode("C120", "foreign-reasoning",
        "a thought was sealed by another provider or model",
        "A seal is of use only to the model that wrote it.",
        "leave the thought out"),
    FindingCode("C121", "reasoning-unsealed",
        "a thought has no seal",
        "The provider takes thoughts back only as it wrote them.",
        "leave the thought out"),
    FindingCode("C122", "reasoning-alone",
        "a thought is not followed by what came of it",
        "The provider pairs a thought with the item behind it.",
        "leave the thought out, or keep the item that followed it"),
    FindingCode("C123", "reasoning-missing",
        "the turn that called tools does not begin with a thought",
        "While thinking is on, the last turn with calls must begin with the thought that led to "
        "them.",
        "turn thinking off for this request, or keep the thought"),
    FindingCode("C124", "seal-missing",
        "a call lacks the seal that came with it",
        "The provider wants back what it put beside the first call of a turn.",
        "keep the seal, or use the word that the provider documents for foreign history"),
    FindingCode("C125", "forced-while-thinking",
        "a tool is forced while thinking is on",
        "The provider allows only one of the two.",
        "let the model choose, or turn thinking off"),
    FindingCode("C126", "choice-without-tools",
        "a tool is chosen, and the request declares no tools",
        "There is nothing to choose from.",
        "leave the choice out, or declare the tools"),
    FindingCode("C127", "choice-unknown",
        "the tool that is chosen is not declared",
        "It was renamed or removed, and the choice was not.",
        "choose a tool that the request declares"),
)  # fmt: skip

_COMPATIBILITY = (
    FindingCode("C201", "tool-not-supported",
        "the target has no place for such a tool",
        "Built-in tools of one provider mean nothing to another.",
        "offer a function that does the same, or leave it out there"),
    FindingCode("C202", "strict-refused",
        "the target's strict mode cannot hold the tool",
        "A grammar is made of the schema, and it has limits; a request beyond them fails.",
        "make the schema smaller or flatter, or do without strict mode for this tool"),
    FindingCode("C203", "limit-exceeded",
        "there is more of it than the target takes",
        "Requests beyond the limit fail, whatever else is right with them.",
        "send fewer tools at a time, or make the schema smaller"),
    FindingCode("C204", "target-unknown",
        "nothing is known of what the target accepts",
        "An unknown target is no pass: nobody has looked.",
        "name one that `toolcanon formats` lists"),
    FindingCode("C205", "loosely-spelled",
        "the schema uses words that JSON Schema 2020-12 does not have",
        "Validators pass unknown words by, so what was meant is not checked anywhere.",
        "write it in the words of 2020-12; --fix does"),
)  # fmt: skip

FINDINGS: Final[dict[str, FindingCode]] = {
    entry.code: entry for entry in (*_HISTORY, *_COMPATIBILITY)
}
