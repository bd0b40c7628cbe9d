"""Calls that stand beside tools in a row, written by the binding of those tools.

They are what a model is to learn, so each has to fit the schema that is written beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from toolcanon.conversion.api import Conversion
from toolcanon.conversion.binding import calls_of
from toolcanon.conversion.call_shapes import read_call, write_call
from toolcanon.conversion.calls import CallShape
from toolcanon.errors import NotACall, RefusedArguments, ToolcanonError
from toolcanon.ir.conversation import Call, Message
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.exact import dumps_exactly
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema.judge import Judge, Problem
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
        raise NotACall(at[:_SHOWN], f"lists and texts in each other, {_DEEPEST} deep and more")
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


def ensure_labels(messages: Sequence[Message], done: Conversion, at: str) -> None:
    """Raise RefusedArguments for a call at the end of a conversation that does not fit its tool.

    Such a call is what a model is to learn. Those before it have results, which may well say what
    was wrong with them. A call of a tool that is not beside it is left to others.
    """
    last = messages[-1] if messages else None
    if last is None or last.role != "assistant":
        return
    for call in last.parts:
        if not isinstance(call, Call):
            continue
        name = f"{call.namespace or ''}:{call.name}".removeprefix(":")
        shape = calls_of(done.binding).own(name)
        if shape is None or shape.inputs is None:
            continue
        arguments = call.text if call.problem else call.arguments
        if problems := _rendered(shape, arguments)[1]:
            raise RefusedArguments(call.name, problems, _told(call.name, at, problems))


def _in_namespace(call: JsonObject, group: str | None) -> JsonObject:
    """A call with the namespace of its tool, where the target has any."""
    rest = {key: said for key, said in call.items() if key != "namespace"}
    return rest if group is None else {**rest, "namespace": group}


def _rendered(shape: CallShape, arguments: Json) -> tuple[Json, list[Problem]]:
    """The arguments as they are written, and what the tool or the written schema has against."""
    if shape.inputs is not None and (problems := _problems(shape.judge, arguments)):
        return None, problems
    wire = arguments if shape.lens is None else shape.lens.apply(arguments)
    return wire, [] if shape.inputs is None else _problems(shape.wire_judge, wire)


def _problems(judge: Judge, arguments: Json) -> list[Problem]:
    """What is against a value; what cannot be judged by a sound schema is not taken for right."""
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
