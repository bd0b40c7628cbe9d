"""Calls between a model and the tools: names and arguments in both directions.

Works from a binding, or from its receipt in another process. A call has a name and arguments, at
the top or under one key, and often an id, inside or beside.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

from toolcanon.calls.repair_arguments import mended, repair
from toolcanon.diagnostics import Repair
from toolcanon.errors import AmbiguousCall, NotACall, UnknownTool
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.canonical import loads_exactly
from toolcanon.jsonio.load import repeats_keys
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.lowering import Lens
from toolcanon.lowering.step import Trouble
from toolcanon.naming.profiles import Profile
from toolcanon.schema import upgrade
from toolcanon.schema.malformed import sound
from toolcanon.schema.validate import Judge, Problem, lenient_judge
from toolcanon.text import safe, safe_json

_MOST_SHOWN: Final = 8
_MOST_LAYERS: Final = 3
_SHAPE: Final = "shape"
_NO_TEXT: Final = "text was expected"
_UNJUDGED: Final = {
    True: "they are too large or too deep to be checked",
    False: "they cannot be checked: nothing of the tool's schema can be read",
}


@dataclass(frozen=True)
class CallShape:
    """What restores and renders the calls of one tool."""

    id: str
    wire_name: str
    inputs: JsonObject | None
    """The original schema of the arguments; None for a tool that takes text."""
    wire_inputs: JsonObject
    lens: Lens | None
    group: str | None = None
    """The namespace of its calls, where the target has namespaces."""

    @property
    def full_name(self) -> str:
        """The name of its calls with the namespace, unique among all namespaces."""
        return f"{self.group}:{self.wire_name}" if self.group else self.wire_name

    @cached_property
    def judge(self) -> Judge:
        """The validator of the original schema; not used where the tool takes text."""
        return lenient_judge(True if self.inputs is None else self.inputs)

    @cached_property
    def wire_judge(self) -> Judge:
        """The validator of the written schema."""
        return lenient_judge(upgrade(self.wire_inputs).schema)

    @cached_property
    def readable(self) -> JsonObject:
        """The original schema without its unreadable parts, to repair by."""
        return sound(self.inputs or {}, [])

    @cached_property
    def wire_readable(self) -> JsonObject:
        """The written schema without its unreadable parts."""
        return sound(upgrade(self.wire_inputs).schema, [])


@dataclass(frozen=True, slots=True)
class RestoredCall:
    """A model's call with the tool's own name and arguments.

    ``arguments`` fit the original schema when there are no ``problems``. They are None when the
    call cannot be read at all: nothing becomes an empty object by default.
    """

    name: str
    """The name of the tool, as its definition has it."""
    arguments: Json
    """The arguments by the original schema; None when they cannot be read."""
    problems: tuple[Problem, ...] = ()
    """Why the arguments cannot be used, each with its place and keyword."""
    repairs: tuple[Repair, ...] = ()
    """What was repaired, in order."""
    called: str = ""
    """The name in the model's call."""
    said: tuple[Problem, ...] = ()
    """The problems with the member names of the written schema; empty where they are the same."""

    @property
    def ok(self) -> bool:
        """Whether the tool can be run with these arguments."""
        return not self.problems

    @property
    def message(self) -> str:
        """The text to send back to the model; empty when the arguments can be used."""
        if self.ok:
            return ""
        lines = [f"The arguments of {self.called or self.name} cannot be used:"]
        shown = (self.said or self.problems)[:_MOST_SHOWN]
        lines += [f"- {_where(found)}: {found.message}" for found in shown]
        left = len(self.problems) - _MOST_SHOWN
        lines += [f"- and {left} more"] if left > 0 else []
        return "\n".join([*lines, "Correct them and call the tool again."])

    def to_dict(self) -> JsonObject:
        """Return plain JSON."""
        return {
            "name": self.name,
            "arguments": self.arguments,
            "problems": [
                {"at": str(found.at), "keyword": found.keyword, "message": found.message}
                for found in self.problems
            ],
            "repairs": [found.to_dict() for found in self.repairs],
        }


def _where(found: Problem) -> str:
    return str(found.at) or "the arguments"


class Calls:
    """The bound tools by the names of their calls."""

    def __init__(self, shapes: Iterable[CallShape]) -> None:
        self.shapes = tuple(shapes)
        self._by_name: dict[str, CallShape] = {}
        self._by_id: dict[str, CallShape] = {}
        self._grouped: dict[str, list[CallShape]] = {}
        self.naming: Profile | None = None
        """Return the naming profile, whose aliases are accepted, too."""
        for shape in self.shapes:
            self._by_name.setdefault(shape.full_name, shape)
            self._by_id.setdefault(shape.id, shape)
            if shape.group:
                self._grouped.setdefault(shape.wire_name, []).append(shape)

    def named(self, name: str) -> CallShape:
        """Return the tool with this id or name; raises UnknownTool."""
        found = self.own(name)
        if found is None:
            raise self._unknown(name, tuple(self._by_id))
        return found

    def own(self, name: str) -> CallShape | None:
        """Return the tool with this id, or else the tool that a call of this name means."""
        return self._by_id.get(name) or self.called(name)

    def called(self, name: str) -> CallShape | None:
        """Return the tool that a call means: by the name it was sent under, its own, or an alias.

        A name without a namespace means a tool of any namespace if no other tool has that name. A
        tool that was loaded later may be called in a namespace of its own name.
        """
        found = self._by_name.get(name) or self._by_id.get(name)
        if found is None and ":" in name:
            namespace, _, own = name.rpartition(":")
            if namespace == own:
                found = self._by_name.get(own) or self._by_id.get(own)
        if found is None and name in self._grouped:
            alike = self._grouped[name]
            found = alike[0] if len(alike) == 1 else None
        if found is None and self.naming is not None:
            found = self._by_id.get(self.naming.inward(name, self._by_id))
            found = found or self._by_id.get(self.naming.inward(name))
        return found

    def restore(self, name: str, arguments: Json) -> RestoredCall:
        """Return a model's call with the tool's own name and arguments. Raises UnknownTool."""
        shape = self.called(name)
        if shape is None:
            raise self._unknown(name, tuple(self._by_name))
        return _restored(shape, arguments)

    def _unknown(self, name: str, known: tuple[str, ...]) -> UnknownTool:
        alike = [shape.full_name for shape in self._grouped.get(name, ())]
        if alike:
            return AmbiguousCall(name, alike)
        error = UnknownTool(name, known)
        names = ", ".join(known) or "none"
        error.add_note(f"bound tools: {names}; use the binding whose payload the model received")
        return error

    def render(self, name: str, arguments: Json) -> tuple[str, Json]:
        """Return the name and arguments of a call as its target writes them."""
        shape = self.named(name)
        wire = arguments if shape.lens is None else shape.lens.apply(arguments)
        return shape.wire_name, wire


def _restored(shape: CallShape, arguments: Json) -> RestoredCall:
    repairs: list[Repair] = []
    try:
        wire = _read(shape, arguments, repairs)
    except ValueError as error:
        problem = Problem(Pointer(), "json", str(error))
        return RestoredCall(shape.id, None, (problem,), (), shape.wire_name)
    troubles: list[Trouble] = []
    found = wire if shape.lens is None else shape.lens.restore(wire, troubles)
    is_usual = found.__class__ is dict and not troubles and shape.inputs is not None
    if is_usual and shape.judge.accepts(found):
        return RestoredCall(shape.id, found, (), tuple(repairs), shape.wire_name)
    problems = _judged(shape, found, troubles)
    if not problems:
        repairs += _taken(wire, troubles)
        return RestoredCall(shape.id, found, (), tuple(repairs), shape.wire_name)
    attempt = _attempt(shape, wire)
    if attempt.repairs and _is_better(attempt, problems):
        found, problems = attempt.arguments, attempt.problems
        repairs += attempt.repairs
    return RestoredCall(
        shape.id,
        found,
        tuple(problems),
        tuple(repairs),
        shape.wire_name,
        _said(shape, problems),
    )


class _Attempt(NamedTuple):
    """One reading of a call: its arguments, with repairs and problems."""

    arguments: Json
    problems: list[Problem]
    repairs: list[Repair]


def _attempt(shape: CallShape, wire: Json) -> _Attempt:
    """Repair by the schema that the model saw and, if problems remain, by the original as well."""
    repairs: list[Repair] = []
    troubles: list[Trouble] = []
    again = mended(wire, shape.wire_readable, repairs)
    found = again if shape.lens is None else shape.lens.restore(again, troubles)
    problems = _judged(shape, found, troubles)
    if problems and shape.inputs is not None:
        found = mended(found, shape.readable, repairs)
        problems = _judged(shape, found, troubles)
    if not problems:
        repairs += _taken(again, troubles)
    return _Attempt(found, problems, repairs)


def _taken(wire: Json, troubles: Iterable[Trouble]) -> Iterator[Repair]:
    """Yield what the lens reported of arguments that fit: another shape, or a value it dropped."""
    for trouble in troubles:
        at = Pointer(trouble.at).as_far_as(wire)
        held = at.resolve(wire)
        yield repair(trouble.repair or "R007", at, held, None if trouble.repair else held)


def _is_better(attempt: _Attempt, before: list[Problem]) -> bool:
    """Return whether a problem is solved, and every new problem is at a repaired place."""
    old = {(found.at, found.keyword) for found in before}
    new = {(found.at, found.keyword) for found in attempt.problems}
    if not old - new:
        return False
    places = [made.at for made in attempt.repairs]
    return len(attempt.problems) < len(before) or all(
        any(at[: len(place)] == place for place in places) for at, _ in new - old
    )


def _said(shape: CallShape, problems: list[Problem]) -> tuple[Problem, ...]:
    """Return the problems by the model's parameter names; empty where those are the tool's."""
    if shape.lens is None:
        return ()
    said = []
    for found in problems:
        is_seen = found.keyword == _SHAPE  # the lens reports it by the names it received
        at, names = (found.at, {}) if is_seen else shape.lens.seen_at(found.at)
        known = [
            f"write {safe_json(name, indent=None)} for {safe_json(own, indent=None)}"
            for own, name in names.items()
            if safe_json(own, indent=None) in found.message
        ]
        message = f"{found.message} ({', '.join(known)})" if known else found.message
        said.append(Problem(at, found.keyword, message))
    return () if said == problems else tuple(said)


def _read(shape: CallShape, arguments: Json, repairs: list[Repair]) -> Json:
    """Return arguments as a value: text is parsed, as often as it was encoded."""
    if shape.inputs is None:
        return _read_text(shape, arguments)
    for time in range(_MOST_LAYERS):
        if arguments.__class__ is dict:
            return arguments
        if not isinstance(arguments, (str, bytes)) or not arguments.strip():
            break
        try:
            parsed = loads_exactly(arguments)
        except ValueError as error:
            raise ValueError(f"not JSON ({error}); send a JSON object") from None
        if time:  # providers encode arguments once; that is not a repair
            repairs.append(repair("R001", Pointer(), arguments, parsed))
        if isinstance(parsed, dict) and repeats_keys(_text(arguments), parsed):
            repairs.append(repair("R129", Pointer(), arguments, parsed))
        arguments = parsed
    if arguments is None or (isinstance(arguments, (str, bytes)) and not arguments.strip()):
        if _takes_none(shape.inputs, shape.judge):
            repairs.append(repair("R006", Pointer(), None, {}))
            return {}
        raise ValueError("there are none; send a JSON object")
    return arguments


def _text(arguments: str | bytes) -> str:
    return arguments if isinstance(arguments, str) else arguments.decode()


def _takes_none(inputs: JsonObject, own: Judge) -> bool:
    """Return whether a call without arguments is valid; without a validator, by its parameters."""
    fits = own.accepts({})
    return not inputs.get("properties") if fits is None else fits


def _read_text(shape: CallShape, arguments: Json) -> Json:
    """Return the text of a free-text tool, which some targets hold in a parameter."""
    if shape.lens is None or not isinstance(arguments, (str, bytes)):
        return arguments
    try:
        parsed = loads_exactly(arguments)
    except ValueError:
        parsed = None
    return parsed if isinstance(parsed, dict) else shape.lens.apply(arguments)


def _judged(shape: CallShape, found: Json, troubles: Iterable[Trouble]) -> list[Problem]:
    """Return the problems; a value that came unchanged is none where all that came fits."""
    if shape.inputs is None:
        problems = [] if isinstance(found, str) else [Problem(Pointer(), "type", _NO_TEXT)]
    else:
        problems = _unfit(shape, found)
    told = [item for item in troubles if problems or not item.is_kept]
    return [Problem(Pointer(item.at), _SHAPE, item.says) for item in told] + problems


def _unfit(shape: CallShape, found: Json) -> list[Problem]:
    own = shape.judge
    fits = own.accepts(found)
    if fits is False:
        return own.problems(found)
    if shape.inputs and shape.inputs.get("type") == "object" and not isinstance(found, dict):
        return [Problem(Pointer(), "type", "an object was expected")]
    if fits is None:
        return [Problem(Pointer(), "size" if own.judged else "schema", _UNJUDGED[own.judged])]
    return []


_HOLDERS: Final = {
    "function": False,
    "custom": False,
    "toolUse": False,
    "functionCall": True,
    "function_call": True,
    "params": True,
}
"""Keys that may hold a call, and whether their writers leave out empty arguments."""
_NAMES: Final = ("name", "toolName")
_ARGUMENTS: Final = ("arguments", "input", "args", "parameters")
_USUAL: Final = "args"  # the key of writers that leave out empty arguments
_IDS: Final = ("call_id", "toolUseId", "toolCallId", "id")
"""The id that an answer refers to comes first."""
_SHOWN: Final = 80


class CallEnvelope(NamedTuple):
    """The parts of one call."""

    name: str
    arguments: Json
    id: Json = None
    namespace: str | None = None


def read_call(value: Json, at: str = "") -> CallEnvelope:
    """Return the call in a value; raises NotACall.

    >>> read_call({"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}})
    CallEnvelope(name='f', arguments='{}', id='c1', namespace=None)
    """
    if not isinstance(value, dict):
        raise NotACall(at, _shown(value))
    holder = next((key for key in _HOLDERS if isinstance(value.get(key), dict)), None)
    inner: JsonObject = value if holder is None else value[holder]
    name = _first(inner, _NAMES)
    key = next((key for key in _ARGUMENTS if key in inner), None)
    if not isinstance(name, str) or (key is None and not _HOLDERS.get(holder or "")):
        raise NotACall(at, _shown(value))
    found = _first(inner, _IDS)
    namespace = inner.get("namespace")
    return CallEnvelope(
        name,
        {} if key is None else inner[key],
        _first(value, _IDS) if found is None else found,
        namespace if isinstance(namespace, str) else None,
    )


def write_call(value: JsonObject, name: str, arguments: Json) -> JsonObject:
    """Return the call in the same shape with another name and arguments; text stays text.

    >>> write_call({"id": 1, "name": "f", "input": {}}, "g", {"a": 2})
    {'id': 1, 'name': 'g', 'input': {'a': 2}}
    """
    holder = next((key for key in _HOLDERS if isinstance(value.get(key), dict)), None)
    inner = dict(value if holder is None else value[holder])
    named = next(key for key in _NAMES if isinstance(inner.get(key), str))
    held = next((key for key in _ARGUMENTS if key in inner), None)
    inner[named] = name
    if held is not None or arguments:
        held = held or _USUAL
        as_text = isinstance(inner.get(held), str) and not isinstance(arguments, str)
        inner[held] = json.dumps(arguments, ensure_ascii=False) if as_text else arguments
    return inner if holder is None else {**value, holder: inner}


def _first(value: JsonObject, keys: tuple[str, ...]) -> Json:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _shown(value: Json) -> str:
    return safe(safe_json(value, indent=None), _SHOWN)
