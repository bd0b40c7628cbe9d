"""What must hold of a history that goes anywhere, its own provider included."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from hypothesis import settings
from jsonschema import Draft202012Validator

import toolcanon as tc
from tests.referee.histories import certain_faults
from tests.referee.history_turns import Block, read_history
from tests.stories.story import SOUND_ARGUMENTS, Story
from tests.stories.wires import NUMBERS
from toolcanon.conversations.switch import SwitchResult, switch
from toolcanon.conversations.switch_request import GONE

CALL, RESULT = re.compile(r"zc(\d+)z"), re.compile(rf"zr(\d+)z|{NUMBERS // 1000}0*(\d+)")
# What is said of keys that only one provider knows: never enough for words, results, arguments.
KEYS_DROPPED = "L308"


def examples(few: int) -> settings:
    """So many, the same every time; in exploring mode as many others as its profile wants."""
    return settings(max_examples=few) if settings().derandomize else settings()


def dumped(value: Any) -> str:
    """As text in which every mark can be found; some SDKs have bytes."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, default=repr)


def check_switch(
    given: Any, source: str, target: str, story: Story, *, whole: bool = False, **known: Any
) -> SwitchResult:
    """Every law but those that need a second switch; `whole` where not a word may be missing."""
    before = dumped(given)
    done = switch(given, target, source=source, **known)
    assert dumped(given) == before, "what was given was changed"
    again = switch(copy.deepcopy(given), target, source=source, **known)
    assert dumped(again.payload) == dumped(done.payload), "another output"
    assert (list(again.losses), again.repairs) == (list(done.losses), done.repairs)
    family = target.partition("/")[0]
    check_taken(family, done)
    check_pairs(family, done.payload)
    check_marks(given, source, done, story, whole=whole)
    check_names(family, done.payload, story)
    check_arguments(family, done.payload, story)
    return done


def check_taken(family: str, done: SwitchResult) -> None:
    faults = certain_faults(family, done.payload)
    if isinstance(done.payload, list):  # to which a program will add
        faults = [fault for fault in faults if fault.rule != "no-messages"]
    if family == "gemini":  # in the JSON of protocol buffers null is a field that is not there
        faults = [fault for fault in faults
                  if (fault.rule, fault.detail) != ("arguments-no-object", "NoneType")]  # fmt: skip
    assert not faults, faults
    found = tc.lint(done.payload, family, source=family)
    assert not [f for f in found if f.level == "error"], found


# --- no result at another call


def check_pairs(family: str, payload: Any) -> None:
    for call, result in answered(family, payload):
        asked, given = CALL.findall(dumped(call.raw)), numbers(dumped(result.raw))
        if asked and given:
            assert {int(each) for each in asked} >= given, (call.at, asked, result.at, given)


def numbers(text: str) -> set[int]:
    return {int(word or number) for word, number in RESULT.findall(text)}


def answered(family: str, payload: Any) -> Iterator[tuple[Block, Block]]:
    """Each result with the call that the provider takes it for."""
    open_: list[Block] = []
    was = ""
    for turn in read_history(family, payload, None, frozenset()).turns:
        if turn.role == "assistant" and was != "assistant" and family != "openai-responses":
            open_ = []
        was = turn.role
        for block in turn.blocks:
            if block.kind == "call":
                open_.append(block)
            elif block.kind == "result" and (call := _meant(block, open_)) is not None:
                open_.remove(call)
                yield call, block


def _meant(result: Block, calls: list[Block]) -> Block | None:
    same = [call for call in calls if result.id is not None and call.id == result.id]
    if same or result.id is not None:
        return next(iter(same), None)
    named = [call for call in calls if call.name == result.name]
    return next(iter(named or calls), None)


# --- nothing lost without a report


def check_marks(given: Any, source: str, done: SwitchResult, story: Story, *, whole: bool) -> None:
    written = dumped(done.payload) + dumped(done.system)
    missing = [mark for mark in story.marks() if not is_in(mark, written)]
    assert not (whole and missing), missing
    if not missing:
        return
    document = tc.read_conversation(given, source=source).to_dict()
    unknown = {mark for item in story.strays for mark in item.marks}
    for mark in missing:
        places = list(places_of(mark, document))
        assert places, f"{mark} is not even read"
        told = [
            one
            for one in (*done.losses, *done.repairs)
            if (one.code != KEYS_DROPPED or mark in unknown)
            and any(_is_about(one.at, place) for place in places)
        ]
        assert told, f"{mark} at {places} disappears"
        assert any(is_in(mark, dumped(one.before)) for one in told), (
            f"{mark} at {places} cannot be recovered from {told}"
        )


def is_in(mark: str, text: str) -> bool:
    return mark in text or str(NUMBERS + int(mark[2:-1])) in text


def places_of(mark: str, value: Any, at: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places_of(mark, item, (*at, str(key)))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places_of(mark, item, (*at, str(index)))
    elif is_in(mark, dumped(value)):
        yield at


def _is_about(at: Any, place: tuple[str, ...]) -> bool:
    told = tuple(map(str, at))
    return bool(told) and (told[: len(place)] == place or place[: len(told)] == told)


# --- one name for a tool in tools, choice and history


def check_names(family: str, payload: Any, story: Story) -> None:
    if not story.tools or not isinstance(payload, dict):
        return
    declared = dict(_declared(payload))
    turns = read_history(family, payload, None, frozenset()).turns
    for block in (block for turn in turns for block in turn.of("call")):
        for number in re.findall(r"zn(\d+)z", dumped(block.raw)):
            if int(number) in declared:
                assert block.name == declared[int(number)], (block.at, declared)
    if story.choice is not None:
        chosen = payload.get("tool_choice") or payload.get("toolChoice")
        chosen = chosen or payload.get("toolConfig", {})
        chosen = chosen.get("toolChoice", chosen) if isinstance(chosen, dict) else chosen
        without_tools = {k: v for k, v in chosen.items() if k != "tools"}
        assert f'"{declared[story.choice]}"' in dumped(without_tools), (chosen, declared)


def _declared(payload: Any) -> Iterator[tuple[int, str]]:
    """The name of each declared tool, by the number in its description."""
    for tool in _tools(payload):
        for number in re.findall(r"zd(\d+)z", tool["description"]):
            yield int(number), tool["name"]


def _tools(value: Any) -> Iterator[dict[str, Any]]:
    """Every declared tool, wherever it is."""
    if isinstance(value, dict):
        if isinstance(value.get("name"), str) and "zd" in str(value.get("description")):
            yield value
        for item in value.values():
            yield from _tools(item)
    elif isinstance(value, list):
        for item in value:
            yield from _tools(item)


# --- arguments as the declared tool wants them


def check_arguments(family: str, payload: Any, story: Story) -> None:
    if not story.tools or not isinstance(payload, dict):
        return
    sound = {ask.mark for ask in story.asks() if ask.shape in SOUND_ARGUMENTS}
    judges = {tool["name"]: _judge(tool) for tool in _tools(payload)}
    turns = read_history(family, payload, None, frozenset()).turns
    for block in (block for turn in turns for block in turn.of("call")):
        if block.name in judges and sound & set(re.findall(r"zc\d+z", dumped(block.raw))):
            value = json.loads(block.value) if isinstance(block.value, str) else block.value
            problems = [error.message for error in judges[block.name].iter_errors(value)]
            assert not problems, (block.at, problems)


def _judge(tool: dict[str, Any]) -> Draft202012Validator:
    keys = ("parameters", "parametersJsonSchema", "input_schema", "inputSchema")
    schema = next(tool[key] for key in keys if key in tool)
    return Draft202012Validator(_lower(schema.get("json", schema)))


def _lower(schema: Any) -> Any:
    """With the types of JSON Schema where a provider shouts them, null as one of them."""
    if isinstance(schema, list):
        return [_lower(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _lower(item) for key, item in schema.items() if key != "nullable"}
    if isinstance(made.get("type"), str):
        made["type"] = made["type"].lower()
        if schema.get("nullable"):
            made["type"] = [made["type"], "null"]
    return made


# --- there and back


def check_back(given: Any, source: str, target: str) -> None:
    """With the receipt a history comes back as its own provider would have taken it at once."""
    there = switch(given, target, source=source)
    back = switch(there.payload, source, source=there.target, receipt=there.receipt())
    home = switch(given, source, source=source)
    told = {one.code for done in (there, back) for one in (*done.losses, *done.repairs)}
    got, was = said(source, back.payload), said(source, home.payload)
    for kind, reasons in REASONS.items():
        if not told & reasons:
            assert got[kind] == was[kind], (kind, got[kind], was[kind])
    made = [GONE in dumped(done.payload) for done in (back, home)]
    assert made[0] == made[1], "a tool that was made up for the target came back"


# What is told where one of them may differ.
REASONS = {
    "calls": frozenset({"L001", "L226", "L312", "L313", "R102", "R103", "R112", "R123", "R126",
                        "R132"}),
    "results": frozenset({"L302", "L303", "L304", "L305", "L306", "L307", "R101", "R102", "R103",
                          "R108", "R111"}),
    "texts": frozenset({"L302", "L303", "L305", "L307", "L310", "L311", "R108", "R109", "R110"}),
}  # fmt: skip


def said(family: str, payload: Any) -> dict[str, Any]:
    """Calls and results with what they say; words without their places, which turns may join."""
    read = tc.read_conversation(payload, source=family)
    parts = [part for message in read.everything() for part in message.parts]
    words = [part.text for part in parts if isinstance(part, tc.Text)]
    return {
        "calls": [dumped((p.id, p.name, p.arguments)) for p in parts if isinstance(p, tc.Call)],
        "results": sorted(_said_by(part) for part in parts if isinstance(part, tc.Result)),
        "texts": sorted("\n".join(words).split()),
    }


def _said_by(result: tc.Result) -> str:
    found = [getattr(part, "text", None) or getattr(part, "value", None) for part in result.content]
    return "\n".join(each if isinstance(each, str) else dumped(each) for each in found)
