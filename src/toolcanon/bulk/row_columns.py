"""Columns of a row beside its tools: calls and conversations written along, and the rest.

Calls and turns agree with the tools of their row. Where a conversion changes names or arguments, or
writes the tools alone, such a column is reported instead of left behind.

They are what a model is to learn, so each has to fit the schema that is written beside it.

Tools and messages are written by one binding, so that names and arguments agree. Nothing is
repaired: a last call without its result is what a model is to learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from toolcanon.calls.restore import CallShape, read_call, write_call
from toolcanon.conversations.find_history import HistoryLocation, tool_keys
from toolcanon.conversion.api import Conversion
from toolcanon.conversion.binding import calls_of
from toolcanon.conversion.detect import contents
from toolcanon.conversion.target import Naming
from toolcanon.diagnostics import CODES, Loss, LossKinds
from toolcanon.errors import (
    HistoryInRow,
    NotACall,
    NoTools,
    RefusedArguments,
    ToolcanonError,
    UnwrittenColumn,
    UsageError,
)
from toolcanon.ir import Kind
from toolcanon.ir.conversation import Call, Conversation
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.canonical import dumps_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.registry import registry
from toolcanon.schema.validate import Judge, Problem
from toolcanon.text import safe

Read: TypeAlias = Callable[[str], Json]
_SHOWN: Final = 80
_DEEPEST: Final = 16  # lists and texts around calls


def written_calls(value: Json, done: Conversion, at: str, read: Read, deep: int = 0) -> Json:
    """Calls as the target's model would write them, in the shape and encoding they had.

    ``read`` makes a value of an encoded text. Raises NotACall, UnknownTool, or RefusedArguments
    where one does not fit its tool.
    """
    if deep > _DEEPEST:
        raise NotACall(at[:_SHOWN], f"lists and texts are nested {_DEEPEST} levels deep or more")
    if isinstance(value, str):
        return dumps_exactly(written_calls(_in_text(value, at, read), done, at, read, deep + 1))
    if isinstance(value, list):
        return [
            written_calls(item, done, f"{at}/{index}", read, deep + 1)
            for index, item in enumerate(value)
        ]
    if not isinstance(value, dict):
        raise NotACall(at, str(value)[:_SHOWN])
    call = read_call(value, at)
    shape = calls_of(done.binding).named(f"{call.namespace or ''}:{call.name}".removeprefix(":"))
    arguments = call.arguments
    if isinstance(arguments, str) and shape.inputs is not None:  # else it is what the tool takes
        arguments = _in_text(arguments, at, read)
    wire, problems = _rendered(shape, arguments)
    if problems:
        raise RefusedArguments(call.name, problems, _told(call.name, at, problems))
    written = write_call(value, shape.wire_name, wire)
    if call.namespace is None and shape.group is None:
        return written
    return _in_namespace(written, shape.group)


def ensure_labels(whole: Conversation, done: Conversion, at: str) -> None:
    """Raise RefusedArguments for a call at the end of a conversation that fits no tool of its row.

    Such a call is what a model is to learn. Those before it have results, which may well say what
    was wrong with them.
    """
    last = whole.messages[-1] if whole.messages else None
    if last is None or last.role != "assistant":
        return
    for call in last.parts:
        if not isinstance(call, Call):
            continue
        name = f"{call.namespace or ''}:{call.name}".removeprefix(":")
        shape = calls_of(done.binding).own(name)
        if shape is None and not _is_declared(call, name, whole, done):
            text = f"{at}: no tool of the row is called {safe(name, _SHOWN)}; correct the name"
            raise RefusedArguments(call.name, [Problem(Pointer(), "", text)], text)
        if shape is None or shape.inputs is None:
            continue
        arguments = call.text if call.problem else call.arguments
        if problems := _rendered(shape, arguments)[1]:
            raise RefusedArguments(call.name, problems, _told(call.name, at, problems))


def _is_declared(call: Call, name: str, whole: Conversation, done: Conversion) -> bool:
    """Whether a call may mean a tool that the row states: beside it, or in its messages."""
    from toolcanon.conversations.history_calls import loaded  # noqa: PLC0415 - as in ``written``

    tools = done.binding.tools
    return (
        not tools
        or any(tool.kind is Kind.BUILTIN or tool.name == call.name for tool in tools)
        or name in loaded(whole, str(whole.format))
    )


def _in_namespace(call: JsonObject, group: str | None) -> JsonObject:
    """Return a call with the namespace of its tool, where the target has any."""
    rest = {key: said for key, said in call.items() if key != "namespace"}
    return rest if group is None else {**rest, "namespace": group}


def _rendered(shape: CallShape, arguments: Json) -> tuple[Json, list[Problem]]:
    """Return the written arguments, and the problems by the tool's and the written schema."""
    if shape.inputs is not None and (problems := _problems(shape.judge, arguments)):
        return None, problems
    wire = arguments if shape.lens is None else shape.lens.apply(arguments)
    return wire, [] if shape.inputs is None else _problems(shape.wire_judge, wire)


def _problems(judge: Judge, arguments: Json) -> list[Problem]:
    """Yield the problems of a value; a value that a sound schema cannot judge is one."""
    fits = judge.accepts(arguments)
    if fits is None and judge.judged:
        return [Problem(Pointer(), "", "whether it fits is too much work to tell")]
    return [] if fits else judge.problems(arguments)


def _told(name: str, at: str, problems: list[Problem]) -> str:
    first = problems[0]
    more = f" and {len(problems) - 1} more" if len(problems) > 1 else ""
    where = f"{at}: the call of {safe(name, _SHOWN)} does not fit its tool"
    return f"{where} ({first.at or 'as a whole'}: {safe(first.message, 120)}{more}); correct it"


def _in_text(text: str, at: str, read: Read) -> Json:
    try:
        return read(text)
    except ToolcanonError as error:
        raise NotACall(at, f"{safe(text, _SHOWN)!r} ({error})") from None


COLUMNS: Final = frozenset({"answers", "calls", "conversations", "tool_calls"})
"""Where published data keeps calls, and turns of ``from`` and ``value``."""
_ARGUMENTS: Final = frozenset({"args", "arguments", "parameters"})
_TURN: Final = frozenset({"from", "value"})
_SCHEMAS: Final = frozenset({"function", "inputSchema", "input_schema", "parameters"})
_TURNS_ADVICE: Final = "turns of from and value are not read, so write them as role and content"


class Column(NamedTuple):
    """A column that holds calls, or turns of a conversation that is not read."""

    key: str
    is_turns: bool


def column_in(
    row: JsonObject, known: Iterable[str | None], read: Callable[[str], Json]
) -> Column | None:
    """Return the first such column that is not a known one. ``read`` parses a text."""
    for key in sorted(COLUMNS.intersection(row).difference(known)):
        value = _decoded(row[key], read)
        items = value if isinstance(value, list) else [value]
        objects = [item for item in items if isinstance(item, dict)]
        if any(item.keys() >= _TURN for item in objects):
            return Column(key, True)
        if any(_is_call(item) for item in objects):
            return Column(key, False)
    return None


def ensure_agreement(
    row: JsonObject, known: Iterable[str | None], read: Callable[[str], Json]
) -> None:
    """Raise UnwrittenColumn for a column that tools under other names would contradict."""
    found = column_in(row, known, read)
    if found is None:
        return
    how = f"name it with --calls-field {found.key}"
    reason = "its names and arguments would not be those of the tools"
    raise UnwrittenColumn(found.key, reason, _TURNS_ADVICE if found.is_turns else how)


def ensure_whole(row: Json, read: Callable[[str], Json]) -> None:
    """Raise UnwrittenColumn for a column that writing the tools alone would drop."""
    if not isinstance(row, dict) or COLUMNS.isdisjoint(row) or not (held := contents(row)):
        return
    found = column_in(row, (), read)
    if found is None:
        return
    field = str(held[0].at[0])
    how = f"name the columns with --tools-field {field}"
    how += "" if found.is_turns else f" --calls-field {found.key}"
    raise UnwrittenColumn(found.key, "only the tools would be written", how)


def advised(error: NoTools, row: Json, read: Callable[[str], Json]) -> NoTools:
    """Return the error with a description of what the row seems to hold, if that is clear."""
    if not isinstance(row, dict):
        return error
    for key, value in row.items():
        tools = _decoded(value, read) if isinstance(value, str) else None
        items = tools if isinstance(tools, list) else [tools]
        if any(isinstance(item, dict) and _is_tool(item) for item in items):
            return NoTools(f"the row has its tools as text in {key!r}, so name --tools-field {key}")
    found = column_in(row, (), read)
    if found is not None and found.is_turns:
        return NoTools(f"the row has none in a field, and in {found.key!r} {_TURNS_ADVICE}")
    return error


def _is_call(item: Mapping[str, Json]) -> bool:
    inner = item.get("function")
    call = inner if isinstance(inner, dict) else item
    return isinstance(call.get("name"), str) and not _ARGUMENTS.isdisjoint(call)


def _is_tool(item: Mapping[str, Json]) -> bool:
    return ("name" in item or "function" in item) and not _SCHEMAS.isdisjoint(item)


def _decoded(value: Json, read: Callable[[str], Json]) -> Json:
    if not (isinstance(value, str) and value.lstrip()[:1] in {"[", "{"}):
        return value
    try:
        return read(value)
    except ToolcanonError:
        return value


_MODEL: Final = "model"


class WrittenRow(NamedTuple):
    """A row with its messages for the target, and what that cost beside the tools."""

    row: JsonObject
    losses: tuple[Loss, ...]
    kinds: LossKinds


def written(  # noqa: PLR0913 - what a converter was asked for
    row: JsonObject,
    history: HistoryLocation,
    done: Conversion,
    *,
    naming: Naming | None = None,
    source: str | None = None,
    tools_field: str | None = None,
) -> WrittenRow:
    """Return the row with messages and what goes with them for the target of its tools.

    Other columns stay as they are, in their order. Raises HistoryInRow where the target has no
    conversations, NotAConversation, RefusedArguments for a last call that does not fit its tool,
    and UsageError where a column is in the way.
    """
    from toolcanon.conversations.read_write import codecs, read_conversation  # noqa: PLC0415
    from toolcanon.conversations.switch import switch  # noqa: PLC0415

    if registry().formats[done.format].codec is None:
        raise HistoryInRow(history.key, done.format)
    body = {key: row[key] for key in row if key not in {*history.tool_keys, tools_field, _MODEL}}
    if not history.is_own:  # of any name, so whose it is decides where it is read
        source = source if source in codecs() else read_conversation(history.messages).format
        body = {key: value for key, value in body.items() if key != history.key}
    key = history.key if history.is_own else codecs()[str(source)].history
    body[key] = history.messages
    tools = {} if tools_field else {key: row[key] for key in history.tool_keys}
    # Whose words these are is seen best with the tools beside them.
    whole = read_conversation({**body, **tools}, source=source if source in codecs() else None)
    ensure_labels(whole, done, f"/{history.key}/{len(history.messages) - 1}")
    kept = (whole.extras or {}).values()
    columns = {key for settings in kept for key in settings}
    body = {key: value for key, value in body.items() if key not in columns}
    made = switch(
        body, done.format, source=whole.format, binding=done.binding, naming=naming, repair=False
    )
    new: JsonObject = dict(made.payload)
    if tools_field is not None:
        history = history._replace(tool_keys=())  # other columns, whatever they are called
        for hit in contents({key: new[key] for key in new if key != made.history_key}):
            new = _without(new, hit.at)
    taken = body if history.is_own else {name: body[name] for name in body if name != key}
    out = _placed(row, taken, new, history, made.history_key)
    own = tuple(loss for loss in made.losses if not loss.tool)
    kinds = tuple((loss.code, loss.effect) for loss in own)
    kinds += tuple((repair.code, CODES[repair.code].effect) for repair in made.made)
    return WrittenRow(out, own, kinds)


def _placed(
    row: JsonObject, body: JsonObject, new: JsonObject, history: HistoryLocation, key: str
) -> JsonObject:
    """Return the row with what was written in the places of what it was made from."""
    messages = new.pop(key)
    if not history.is_own:
        key = history.key
    tools = {name: new.pop(name) for name in tool_keys(new)}
    out: JsonObject = {}
    for name, value in row.items():
        if name == history.key:
            messages = dumps_exactly(messages) if history.is_text else messages
            out[key] = None if value is None else messages
        elif name in history.tool_keys:
            out |= tools
        elif name not in body:
            out[name] = value
        elif name in new:
            out[name] = new[name]
    for name, value in {**tools, **new, key: out[key]}.items():
        if name in row and name not in {*body, *history.tool_keys, history.key}:
            raise UsageError(f"the row has a column {name!r}, which the target needs: rename it")
        out.setdefault(name, value)
    return out


def _without(body: JsonObject, at: Pointer) -> JsonObject:
    """Return the body without what is at a place, and without what is empty then."""
    first, *rest = map(str, at)
    if not rest or not isinstance(body.get(first), dict):
        return {key: value for key, value in body.items() if key != first}
    inner = _without(body[first], Pointer(rest))
    if not inner:
        return {key: value for key, value in body.items() if key != first}
    return {**body, first: inner}
