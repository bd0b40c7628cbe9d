"""Wire names and argument changes of the tools of one request, in both directions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from toolcanon.calls.restore import Calls, CallShape
from toolcanon.conversion.binding import Binding, calls_of
from toolcanon.conversion.losses import OBSERVERS, tell
from toolcanon.dialect import NamePolicy
from toolcanon.formats.wire.codec import dump
from toolcanon.jsonio.types import Json
from toolcanon.naming.alias import Known, history_names
from toolcanon.naming.profiles import Profile


@dataclass(frozen=True, slots=True)
class ToolEntry:
    """One tool of the table."""

    own: str
    """The name in the application."""
    wire: str
    """The name at the provider."""
    calls: Calls | None = None
    """How arguments change; None when they do not."""
    space: str | None = None
    """The namespace at the provider, where calls have one."""

    def restored(self, arguments: Json) -> Json:
        """Return the tool's own arguments; unreadable arguments are unchanged."""
        if self.calls is None:
            return arguments
        found = self.calls.restore(self.wire, arguments)
        if OBSERVERS:
            tell(found.repairs)
        return arguments if found.arguments is None else found.arguments


class Table:
    """The tools of one request, made anew for each, so that a retry gives the same result."""

    def __init__(self, policy: NamePolicy | None, profile: Profile | None) -> None:
        self.own_tools: Json = None
        """The tools of the request before rewriting; None when they were sent as they are."""
        self.own_choice: Json = None
        self._policy, self._profile = policy, profile
        self._out: dict[Known, ToolEntry] = {}
        self._back: dict[Known, ToolEntry] = {}

    def add(self, binding: Binding) -> None:
        """Add bound tools. Wire names take precedence; the tools' own names are found as well."""
        own = {tool.id: tool for tool in binding.tools}
        entries: list[tuple[Known, Known, ToolEntry]] = []
        for shape in calls_of(binding).shapes:
            tool = own[shape.id]
            known = (None, tool.id) if shape.group is None else (tool.namespace, tool.name)
            entry = ToolEntry(known[1], shape.wire_name, _changing(shape), shape.group)
            entries.append((known, (shape.group, shape.wire_name), entry))
        for known, wire, entry in entries:
            self._out.setdefault(known, entry)
            self._back.setdefault(wire, entry)
        for known, _, entry in entries:
            self._back.setdefault(known, entry)

    def add_history(self, names: Iterable[Known]) -> None:
        """Add the tools that the history calls and this request does not send."""
        others = [known for known in names if known not in self._out]
        wires = history_names(others, self._back.keys(), self._policy, self._profile)
        for (space, name), wire in wires.items():
            entry = ToolEntry(name, wire, space=space)
            self._out[space, name] = entry
            self._back.setdefault((space, wire), entry)

    @property
    def is_plain(self) -> bool:
        """Return whether calls need no change in answers."""
        return self.own_tools is None and all(
            entry.own == entry.wire and entry.calls is None for entry in self._out.values()
        )

    # --- to the provider

    def sent(self, name: str, namespace: str | None = None) -> str:
        """Return the name at the provider."""
        entry = self._out.get((namespace, name))
        return name if entry is None else entry.wire

    def space(self, name: str, namespace: str | None) -> str | None:
        """Return the namespace at the provider; an unknown one is unchanged."""
        entry = self._out.get((namespace, name))
        return namespace if entry is None else entry.space

    def rendered(self, name: str, arguments: Json, namespace: str | None = None) -> Json:
        """Return arguments of a past call as this provider's model would have written them."""
        entry = self._out.get((namespace, name))
        if entry is None or entry.calls is None:
            return arguments
        return entry.calls.render(entry.wire, arguments)[1]

    # --- to the application

    def _entry(self, name: str, namespace: str | None) -> ToolEntry | None:
        entry = self._back.get((namespace, name))
        if entry is None and self._profile is not None:
            meant = self._profile.inward(name, [own for _, own in self._out])
            entry = self._out.get((namespace, meant))
        return entry

    def name(self, name: str, namespace: str | None = None) -> str:
        """Return the name in the application; an unknown name is unchanged."""
        entry = self._entry(name, namespace)
        return name if entry is None else entry.own

    def is_held(self, name: str, namespace: str | None = None) -> bool:
        """Return whether arguments change, so that a stream must hold them back until complete."""
        entry = self._entry(name, namespace)
        return entry is not None and entry.calls is not None

    def value(self, name: str, arguments: Json, namespace: str | None = None) -> Json:
        """Return the tool's own arguments."""
        entry = self._entry(name, namespace)
        return arguments if entry is None else entry.restored(arguments)

    def text(self, name: str, arguments: str, namespace: str | None = None) -> str:
        """Return arguments that travel as text; the same text where nothing changes."""
        if not arguments.strip():
            return arguments
        found = self.value(name, arguments, namespace)
        return found if isinstance(found, str) else dump(found)


def _changing(shape: CallShape) -> Calls | None:
    return None if shape.lens is None else Calls((shape,))
