"""Calls of a history, in the tools' own terms and in those of a target's model.

Argument values are never searched for names: a tool called "read" and a text "read" are two things.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cache
from typing import NamedTuple, TypeAlias

from toolcanon.calls.restore import Calls, CallShape
from toolcanon.conversations.read_write import codecs
from toolcanon.conversations.repair_history.repair_log import (
    Tale,
    each_part,
    rules_of,
    same_items,
    with_content,
    with_messages,
    with_parts,
)
from toolcanon.conversations.repair_history.scan import HistoryScan
from toolcanon.conversion.binding import Binding, calls_of
from toolcanon.diagnostics import Repair
from toolcanon.dialect import NamePolicy
from toolcanon.formats.wire.codec import Content
from toolcanon.formats.wire.results import Rename, is_unread_call
from toolcanon.ir.conversation import (
    Call,
    Conversation,
    Message,
    Native,
    Part,
    Result,
    Text,
    ToolChoice,
)
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json
from toolcanon.naming import aliases
from toolcanon.naming.alias import history_names
from toolcanon.naming.profiles import Profile
from toolcanon.registry import registry


def lifted(history: Conversation, target: str, tale: Tale) -> tuple[Conversation, list[Json]]:
    """Return the history without the items of other formats that declare tools, and those tools."""
    found: list[Json] = []

    def kept(part: Part) -> Part | None:
        tools = _declared(part, target)
        if not tools:
            return part
        tale.tell("R142", part, after=len(tools))
        found.extend(tools)
        return None

    return with_messages(history, each_part(history.messages, kept, tale)), found


def loaded(history: Conversation, target: str) -> dict[str, Call]:
    """Return the tools that items of the target's own declare, by id, each as a call names it."""
    found: dict[str, Call] = {}
    items = rules_of(target).tool_items
    for message in history.messages if items else ():
        for part in message.parts:
            if part.__class__ is Native and part.format == target and part.kind in items:
                found |= _native_calls(part.value, None)
    return found


def _native_calls(value: Json, space: str | None) -> dict[str, Call]:
    found: dict[str, Call] = {}
    tools = value.get("tools") if isinstance(value, dict) else None
    for tool in tools if isinstance(tools, list) else ():
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            continue
        if isinstance(tool.get("tools"), list):
            found |= _native_calls(tool, name)
        else:
            found[f"{space}:{name}" if space else name] = Call(name, namespace=space)
    return found


def renamed(part: Native, rename: Callable[[str], str], tale: Tale | None) -> Native:
    """Return an item with the tools that it declares under the names that calls have."""
    if part.kind not in rules_of(part.format).tool_items:
        return part
    value = _renamed(part, part.value, None, rename, tale)
    return part if value is part.value else replace(part, value=value)


def _renamed(
    part: Native, value: Json, space: str | None, rename: Callable[[str], str], tale: Tale | None
) -> Json:
    tools = value.get("tools") if isinstance(value, dict) else None
    if not isinstance(tools, list):
        return value
    made: list[Json] = []
    for tool in tools:
        name = tool.get("name") if isinstance(tool, dict) else None
        if not isinstance(name, str):
            made.append(tool)
        elif isinstance(tool.get("tools"), list):
            made.append(_renamed(part, tool, name, rename, tale))
        else:
            before = f"{space}:{name}" if space else name
            after = rename(before)
            if after != name and tale is not None:
                tale.tell("R120", part, "value", before=before, after=after)
            made.append(tool if after == name else {**tool, "name": after})
    return value if same_items(made, tools) else {**value, "tools": made}


def _declared(part: Part, target: str) -> list[Json]:
    if not isinstance(part, Native) or part.format == target or not isinstance(part.value, dict):
        return []
    tools = part.value.get("tools") if part.kind in rules_of(part.format).tool_items else None
    return tools if isinstance(tools, list) else []


def spoken(history: Conversation, target: str, rename: Rename, tale: Tale) -> Conversation:
    """Return the history with the words of server tools, connectors and loaded tools as text."""
    messages = list(history.messages)
    for index in foreign_parts(messages, target):
        message = messages[index]
        parts = [_spoken(part, target, rename, tale) for part in message.parts]
        messages[index] = with_parts(message, parts, tale)
    return history.copy_with(messages=messages)


def foreign_parts(messages: list[Message], target: str) -> list[int]:
    """Return the numbers of the messages with parts that only other providers have: hardly any."""
    found: list[int] = []
    for index, message in enumerate(messages):
        for part in message.parts:
            if part.__class__ is Native:
                is_held = part.format != target
            elif part.__class__ is Result:
                is_held = False
                for held in part.content:
                    if held.__class__ is Native and held.format != target:
                        is_held = True
            else:
                continue
            if is_held:
                found.append(index)
                break
    return found


def _spoken(part: Part, target: str, rename: Rename, tale: Tale) -> Part:
    if part.__class__ is Native:
        words = _words(part, target, rename)
        if words is None:
            return part
        tale.lose("L333", part, before=part.value, after=words)
        return tale.instead(Text(words), part)
    if part.__class__ is not Result:
        return part
    content: list[Content] = list(part.content)
    for number, held in enumerate(part.content):
        words = _words(held, target, rename) if isinstance(held, Native) else None
        if words is not None and isinstance(held, Native):
            tale.lose("L333", part, "content", str(number), before=held.value, after=words)
            content[number] = Text(words)
    return with_content(part, content, tale)


def _words(part: Native, target: str, rename: Rename) -> str | None:
    codec = None if part.format == target else codecs().get(part.format)
    if codec is None or codec.say is None:
        return None
    if is_unread_call(part, part.format, rules_of(part.format).call_natives):
        return None  # it was not run
    return codec.say(part, rename)


_Change: TypeAlias = Callable[[Call], Call]


class Outside(NamedTuple):
    """The other side of calls: the known tools, their names, and the target."""

    binding: Binding | None
    profile: Profile | None
    policy: NamePolicy | None
    has_namespaces: bool
    target: str

    def space(self, call: Call, shape: CallShape | None) -> str | None:
        """Return the namespace of a call: that of its tool, if the tool is known."""
        if not self.has_namespaces:
            return None
        if shape is None or call.namespace == call.name == shape.wire_name:
            return call.namespace  # in the second case: a tool loaded later, in its own namespace
        return shape.group

    def tool(self, name: str) -> CallShape | None:
        """Return the tool that a call of the history means, also by an alias of another target.

        A history uses the tools' own names, so these come before the names of the target: with a
        naming table, one tool's new name may be another's own.
        """
        if self.binding is None:
            return None
        calls = calls_of(self.binding)
        return calls.own(name) or _aliased(calls, name)


def _aliased(calls: Calls, name: str) -> CallShape | None:
    """Return the only tool with this name at a target that rejects the tool's own name."""
    ids = list(dict.fromkeys(shape.id for shape in calls.shapes))
    meant: set[str] = set()
    for policy in _policies():
        if policy.allows(name) and not all(map(policy.allows, ids)):
            sent = aliases(ids, policy)
            meant.update(own for own, alias in zip(ids, sent, strict=True) if alias == name)
    return calls.called(meant.pop()) if len(meant) == 1 else None


@cache
def _policies() -> tuple[NamePolicy, ...]:
    rules = [rules_of(id_) for id_ in codecs()]
    found = [
        *(target.names for target in registry().formats.values()),
        *(each.names for each in rules),
        *(each.usual_names for each in rules),
    ]
    return tuple(dict.fromkeys(policy for policy in found if policy is not None))


def inward(
    conversation: Conversation, source: Calls | None, names: Mapping[str, str], tale: Tale
) -> Conversation:
    """Return the history with the tools' own names; ``names`` are those of an earlier switch."""
    if source is None and not names:
        return conversation

    def own(call: Call) -> Call:
        shape = None if source is None else source.called(_id(call))
        if shape is None:
            if call.name not in names:
                return call
            namespace, _, name = names[call.name].rpartition(":")
            return replace(call, name=name, namespace=namespace or None)
        return _restored(call, shape, source, tale)

    def own_name(name: str) -> str:
        shape = None if source is None else source.called(name)
        return names.get(name, name) if shape is None else shape.id

    def own_tool(name: str) -> str:
        bare = name.rpartition(":")[2]
        shape = None if source is None else source.called(name)
        return (names.get(bare, bare) if shape is None else shape.id).rpartition(":")[2]

    return _changed(conversation, own, own_name, tale, lambda part: renamed(part, own_tool, None))


def _id(call: Call) -> str:
    return f"{call.namespace}:{call.name}" if call.namespace else call.name


def _restored(call: Call, shape: CallShape, source: Calls | None, tale: Tale) -> Call:
    namespace, _, name = shape.id.rpartition(":")
    called = replace(call, name=name, namespace=namespace or None)
    if call.problem is not None and source is not None:
        given = call.arguments if call.text is None else call.text
        back = source.restore(_id(call), given)
        if not back.ok:
            return called
        for repair in back.repairs:
            at = Pointer((*map(str, tale.place(call)), "arguments", *repair.at))
            tale.repairs.append(Repair(repair.code, repair.name, at, repair.before, repair.after))
        return replace(called, arguments=back.arguments, text=None, problem=None)
    if shape.lens is None or call.is_text or not isinstance(call.arguments, dict):
        return called
    arguments = shape.lens.restore(call.arguments)
    if shape.inputs is None and isinstance(arguments, str):
        return replace(called, arguments=None, text=arguments, is_text=True)
    return replace(called, arguments=arguments, text=None)


def outward(
    conversation: Conversation, survey: HistoryScan, outside: Outside, tale: Tale
) -> Conversation:
    """Return the history as the target's model would have written it."""
    later = loaded(conversation, outside.target) if survey.natives else {}
    first = {**later, **survey.called} if later else survey.called
    shapes = {name: outside.tool(name) for name in first}
    table = _table(first, shapes, later, outside, tale)
    is_same = all(table[name] == call.name == name for name, call in first.items())
    if is_same and not any(shape is not None and shape.lens for shape in shapes.values()):
        return _chosen(conversation, lambda name: _named(name, table, outside))

    def wire(call: Call) -> Call:
        name = _id(call)
        shape = shapes.get(name)
        namespace = outside.space(call, shape)
        made = call
        if table[name] != call.name or namespace != call.namespace:
            made = replace(call, name=table[name], namespace=namespace)
            if shape is None:
                tale.tell("R120", call, "name", before=name, after=made.name)
            elif namespace is None and call.namespace:
                tale.lose("L315", call, "namespace", before=call.namespace, after=made.name)
        if shape is not None:
            made = _rendered(made, shape)
            if made.is_text != call.is_text:
                tale.lose("L312", call, "arguments", before=call.text, after=made.arguments)
        return made

    def rename(name: str) -> str:
        return _named(name, table, outside)

    load = (lambda part: renamed(part, rename, tale)) if later else None
    return _changed(conversation, wire, rename, tale, load)


def _rendered(call: Call, shape: CallShape) -> Call:
    if shape.lens is None:
        return call
    if call.is_text:
        return replace(call, arguments=shape.lens.apply(call.text or ""), text=None, is_text=False)
    if not isinstance(call.arguments, dict) or call.problem is not None:
        return call
    arguments = shape.lens.apply(call.arguments)
    return call if arguments == call.arguments else replace(call, arguments=arguments, text=None)


def _table(
    first: dict[str, Call],
    shapes: dict[str, CallShape | None],
    later: dict[str, Call],
    outside: Outside,
    tale: Tale,
) -> dict[str, str]:
    """Return the target's name of each tool that is called or loaded."""
    table: dict[str, str] = {}
    unknown: list[str] = []
    for name, call in first.items():
        shape = shapes[name]
        if shape is None:
            unknown.append(name)
            if outside.binding is not None and name not in later:
                tale.tell("R121", call, "name", before=name)
        else:
            table[name] = shape.wire_name
    if unknown:
        table |= _only_called(unknown, first, outside)
    return table


def _only_called(names: list[str], first: dict[str, Call], outside: Outside) -> dict[str, str]:
    """Return wire names of tools that are not among those given."""
    shapes = () if outside.binding is None else calls_of(outside.binding).shapes
    sent = {(shape.group if outside.has_namespaces else None, shape.wire_name) for shape in shapes}
    spaces = {name: outside.space(first[name], None) for name in names}
    ids = {n: (space, first[n].name if space else n) for n, space in spaces.items()}
    found = history_names(ids.values(), sent, outside.policy, outside.profile)
    return {name: found[known] for name, known in ids.items()}


def _named(name: str, table: dict[str, str], outside: Outside) -> str:
    """Return the name of a result, or of a choice."""
    if name in table:
        return table[name]
    shape = outside.tool(name)
    if shape is not None:
        return shape.wire_name
    return name if outside.profile is None else outside.profile.outward(name)


def renamer(source: Calls | None, outside: Outside) -> Callable[[str], str]:
    """Return a function from the source's name of a tool to the target's, for texts with names."""

    def rename(name: str) -> str:
        shape = None if source is None else source.called(name)
        return _named(name if shape is None else shape.id, {}, outside)

    return rename


def _changed(
    conversation: Conversation,
    change: _Change,
    rename: Callable[[str], str],
    tale: Tale,
    load: Callable[[Native], Native] | None,
) -> Conversation:
    """Return the history with every name changed; ``load`` changes names that it declares."""

    def made(part: Part) -> Part:
        new: Part = part
        if part.__class__ is Call:
            new = change(part)
        elif part.__class__ is Result and part.name is not None:
            name = rename(part.name)
            new = part if name == part.name else replace(part, name=name)
        elif part.__class__ is Native and load is not None:
            new = load(part)
        return part if new is part else tale.instead(new, part)

    messages = each_part(conversation.messages, made, tale)
    return _chosen(with_messages(conversation, messages), rename)


def _chosen(conversation: Conversation, rename: Callable[[str], str]) -> Conversation:
    """Return the history with the tool in its choice renamed in the same way."""
    choice = conversation.tool_choice
    if choice is None or not choice.names:
        return conversation
    names = list(map(rename, choice.names))
    if names == choice.names:
        return conversation
    made = ToolChoice(choice.mode, names, choice.is_required, choice.extras)
    return conversation.copy_with(tool_choice=made)


def reached(conversation: Conversation) -> list[str]:
    """Return the names of the tools that the assistant calls in a repaired history, in order."""
    called = [
        part.name
        for message in conversation.messages
        if message.role == "assistant"
        for part in message.parts
        if part.__class__ is Call
    ]
    return list(dict.fromkeys(called))
