"""What the receipt of a switch says to the switch that follows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from toolcanon.conversion.binding import Binding, calls_of
from toolcanon.conversion.calls import Calls
from toolcanon.conversion.conversations import system_of
from toolcanon.conversion.withheld import Withheld
from toolcanon.errors import BadReceipt
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json, JsonObject

MARK: Final = "toolcanon-switch"
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Back:
    """What an earlier switch has to be undone with."""

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


_NOTHING: Final = Back()


def read_receipt(receipt: JsonObject | None, source_binding: Binding | JsonObject | None) -> Back:
    """Read the receipt of a switch, of a binding, or both. Raises BadReceipt."""
    found = _NOTHING
    given = [receipt, source_binding if isinstance(source_binding, dict) else None]
    for each in given:
        if each is None:
            continue
        if MARK not in each:
            found = replace(found, binding=Binding.from_receipt(each))
            continue
        ids, names, held = each.get("ids"), each.get("names"), each.get("binding")
        if each[MARK] != VERSION or not isinstance(ids, dict) or not isinstance(names, dict):
            raise BadReceipt("it is damaged, or of another version")
        if not all(isinstance(item, (str, type(None))) for item in ids.values()):
            raise BadReceipt("its ids are damaged")
        if not all(isinstance(item, str) for item in names.values()):
            raise BadReceipt("its names are damaged")
        known = found.binding if held is None else Binding.from_receipt(held)
        system = each.get("system")
        prompt = None if system is None else system_of(system, each.get("to"))
        withheld = each.get("withheld")
        kept = each.get("messages")
        if not isinstance(kept or [], list) or any(type(one) is not dict for one in kept or ()):
            raise BadReceipt("its messages are damaged")
        found = Back(
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
