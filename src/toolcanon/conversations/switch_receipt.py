"""The receipt of a switch, as the next switch reads it, and the choice of tools it restores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from toolcanon.calls.restore import Calls
from toolcanon.conversations.read_write import system_of
from toolcanon.conversations.switch_request import is_stub
from toolcanon.conversion.api import read
from toolcanon.conversion.binding import Binding, bound_tools, calls_of
from toolcanon.conversion.receipt import SWITCH_MARK, document_of, tool_of
from toolcanon.diagnostics import Repair
from toolcanon.errors import BadReceipt, NotAConversation
from toolcanon.formats.wire.codec import Codec
from toolcanon.ir import CanonicalTool
from toolcanon.ir.conversation import Conversation, Message, ToolChoice
from toolcanon.jsonio.types import Json, JsonObject

_CHANGES: Final = frozenset({"R118", "R140"})
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Withheld:
    """A choice in the tools' own names, what was sent for it, and the tools that were not sent."""

    choice: ToolChoice
    sent: ToolChoice | None
    tools: Sequence[tuple[int, CanonicalTool]] = ()
    """Each tool that was not sent, with its index among all tools."""

    def to_dict(self) -> JsonObject:
        """Return plain JSON, for a receipt."""
        return {
            "choice": Conversation(tool_choice=self.choice).to_dict(),
            "sent": Conversation(tool_choice=self.sent).to_dict(),
            "tools": [{"at": at, "tool": document_of(tool)} for at, tool in self.tools],
        }

    @staticmethod
    def from_dict(document: Json) -> Withheld:
        """Read what ``to_dict`` wrote. Raises BadReceipt."""
        if not _is_sound(document):
            raise BadReceipt("its choice of tools is damaged")
        try:
            choice = Conversation.from_dict(document["choice"]).tool_choice
            sent = Conversation.from_dict(document["sent"]).tool_choice
        except NotAConversation:
            raise BadReceipt("its choice of tools is damaged") from None
        tools = [(entry["at"], tool_of(entry["tool"])) for entry in document["tools"]]
        if choice is None:
            raise BadReceipt("its choice of tools is missing")
        return Withheld(choice, sent, tools)

    def chosen(self, history: Conversation, read: Conversation) -> Conversation:
        """Return the history with its choice from before, unless the request has a new one."""
        if _says(read.tool_choice) != _says(self.sent):
            return history
        return history.copy_with(tool_choice=self.choice)

    def among(self, tools: list[CanonicalTool]) -> list[CanonicalTool]:
        """Return the tools with those that were not sent, each at its index."""
        known = {tool.id for tool in tools}
        found = list(tools)
        for at, tool in self.tools:
            if tool.id not in known:
                found.insert(at, tool)
        return found


def withheld_of(
    choice: ToolChoice | None,
    payload: Json,
    binding: Binding | None,
    repairs: Iterable[Repair],
    codec: Codec,
) -> Withheld | None:
    """Return what restores a choice; None where the target has the same."""
    if choice is None or not isinstance(payload, dict):  # a list of messages has none
        return None
    if choice.mode != "subset" and not any(found.code in _CHANGES for found in repairs):
        return None
    sent = codec.read_request({**payload, codec.history: []})  # without its messages
    declared = {tool.name for tool in read(sent.tools or []) if not is_stub(tool)}
    left = [
        (at, item.tool)
        for at, item in enumerate(() if binding is None else bound_tools(binding))
        if item.wire is not None and item.wire.name not in declared
    ]
    return Withheld(choice, sent.tool_choice, left)


def _is_sound(document: Json) -> bool:
    return (
        isinstance(document, dict)
        and isinstance(document.get("choice"), dict)
        and isinstance(document.get("sent"), dict)
        and isinstance(document.get("tools"), list)
        and all(
            isinstance(entry, dict) and isinstance(entry.get("at"), int) and "tool" in entry
            for entry in document["tools"]
        )
    )


def _says(choice: ToolChoice | None) -> tuple[str, list[str], bool] | None:
    return None if choice is None else (choice.mode, choice.names, choice.is_required)


@dataclass(frozen=True, slots=True)
class SwitchUndo:
    """What an earlier switch changed, to be restored."""

    ids: Mapping[str, str | None] | None = None
    names: Mapping[str, str] = field(default_factory=dict)
    binding: Binding | None = None
    origin: str | None = None
    system: Message | None = None
    withheld: Withheld | None = None
    kept: list[Json] | None = None

    @property
    def calls(self) -> Calls | None:
        """The calls of the tools that the earlier switch bound."""
        return None if self.binding is None else calls_of(self.binding)


_NOTHING: Final = SwitchUndo()


def read_receipt(
    receipt: JsonObject | None, source_binding: Binding | JsonObject | None
) -> SwitchUndo:
    """Read the receipt of a switch, of a binding, or both. Raises BadReceipt."""
    found = _NOTHING
    given = [receipt, source_binding if isinstance(source_binding, dict) else None]
    for each in given:
        if each is None:
            continue
        if SWITCH_MARK not in each:
            found = replace(found, binding=Binding.from_receipt(each))
            continue
        ids, names, held = each.get("ids"), each.get("names"), each.get("binding")
        if each[SWITCH_MARK] != VERSION or not isinstance(ids, dict) or not isinstance(names, dict):
            raise BadReceipt("it is damaged, or of another version")
        if not all(isinstance(item, (str, type(None))) for item in ids.values()):
            raise BadReceipt("its ids are damaged")
        if not all(isinstance(item, str) for item in names.values()):
            raise BadReceipt("its names are damaged")
        known = found.binding if held is None else Binding.from_receipt(held)
        if not isinstance(each.get("from"), str | None):
            raise BadReceipt("its source is damaged")
        system = each.get("system")
        prompt = None if system is None else system_of(system, each.get("to"))
        withheld = each.get("withheld")
        kept = each.get("messages")
        if not isinstance(kept or [], list) or any(type(one) is not dict for one in kept or ()):
            raise BadReceipt("its messages are damaged")
        found = SwitchUndo(
            ids,
            names,
            known,
            each.get("from"),
            prompt,
            None if withheld is None else Withheld.from_dict(withheld),
            kept,
        )
    if isinstance(source_binding, Binding):
        found = replace(found, binding=source_binding)
    return found
