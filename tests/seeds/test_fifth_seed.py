"""The fifth seed document: its promises, numbered as in the checklist of the seeds.

Where it contradicts itself, the decided behaviour is what is tested: two profiles, every variant
accepted inbound, collisions are errors. What would make a client pass as another's is left out.
"""

import copy
import inspect
import json

import pytest
from pydantic import BaseModel

import toolcanon as tc
from toolcanon.compat import tool_names
from toolcanon.compat.tool_names import (
    CANONICAL_TO_CLAUDE_CODE,
    CLAUDE_CODE_TO_CANONICAL,
    build_history_messages,
    normalize_tool_call,
    requires_claude_code_naming,
    to_canonical_name,
    to_claude_code_name,
    transform_tool_for_claude_code,
)
from toolcanon.errors import NotACall, ProfileCollision, UnknownFormat, UnknownTool, UnreadableTool

TABLE = {
    "read": "Read",
    "write": "Write",
    "edit": "Edit",
    "glob": "Glob",
    "ripgrep": "Grep",
    "grep": "Grep",
    "bash": "Bash",
    "update_plan": "TodoWrite",
}


def test_s4_3_the_map_and_its_reverse():
    assert TABLE.items() <= CANONICAL_TO_CLAUDE_CODE.items()
    for own, outside in TABLE.items():
        assert to_claude_code_name(own) == outside
    assert CLAUDE_CODE_TO_CANONICAL["Grep"] == "ripgrep"
    assert CLAUDE_CODE_TO_CANONICAL["TodoWrite"] == "update_plan"
    for own, outside in TABLE.items():
        if own != "grep":
            assert to_canonical_name(outside) == own


@pytest.mark.parametrize(
    ("own", "outside"),
    [("git_status", "GitStatus"), ("my_tool", "MyTool"), ("x", "X"), ("a  b_c", "ABC")],
)
def test_s4_4_names_outside_the_map(own, outside):
    assert to_claude_code_name(own) == outside


@pytest.mark.parametrize(
    ("outside", "own"),
    [("GitStatus", "git_status"), ("MyTool", "my_tool"), ("GetURL", "get_u_r_l"), ("read", "read")],
)
def test_s4_4_and_back(outside, own):
    assert to_canonical_name(outside) == own


def test_s4_5_new_objects():
    tool = {"name": "read", "description": "d", "input_schema": {"$schema": "x"}}
    before = copy.deepcopy(tool)
    made = transform_tool_for_claude_code(tool)
    assert made == {**tool, "name": "Read"}
    assert tool == before
    canonical = tc.CanonicalTool(name="ls")
    assert transform_tool_for_claude_code(canonical).name == "LS"
    assert canonical.name == "ls"
    call = {"type": "tool_use", "id": "toolu_1", "name": "Read", "input": {"name": "Read"}}
    assert normalize_tool_call(call, True) == {**call, "name": "read"}
    assert normalize_tool_call(call, False) is call
    assert call["name"] == "Read"
    assert normalize_tool_call(tc.Call("TodoWrite", {}), True).name == "update_plan"
    chat = {"id": "1", "type": "function", "function": {"name": "Bash", "arguments": "{}"}}
    assert normalize_tool_call(chat, True)["function"]["name"] == "bash"
    with pytest.raises(TypeError):
        transform_tool_for_claude_code("read")


def test_s4_5_a_tool_in_any_envelope_is_renamed():
    for wrapper in ("function", "custom", "toolSpec"):
        tool = {"type": "x", wrapper: {"name": "update_plan", "description": "d"}}
        made = transform_tool_for_claude_code(tool)
        assert made == {"type": "x", wrapper: {"name": "TodoWrite", "description": "d"}}
        assert tool[wrapper]["name"] == "update_plan"
    for nameless in ({}, {"type": "function"}, {"name": None}, {"function": {"description": "d"}}):
        with pytest.raises(UnreadableTool, match="name"):
            transform_tool_for_claude_code(nameless)


class Function(BaseModel):
    name: str
    arguments: str = "{}"


class Held(BaseModel):
    function: Function


def test_s4_5_objects_of_an_sdk_stay_objects():
    call = Held(function=Function(name="Grep"))
    assert normalize_tool_call(call, True) == Held(function=Function(name="ripgrep"))
    assert normalize_tool_call(Function(name="Ls"), True) == Function(name="ls")
    assert call.function.name == "Grep"
    tool = Held(function=Function(name="update_plan"))
    assert transform_tool_for_claude_code(tool).function.name == "TodoWrite"
    assert tool.function.name == "update_plan"


@pytest.mark.parametrize("value", [None, 5, object(), "Read", ["Read"], {"x": 1}, {"name": None}])
def test_s4_5_what_is_no_call_is_refused(value):
    with pytest.raises(NotACall):
        normalize_tool_call(value, True)
    assert normalize_tool_call(value, False) is value


@pytest.mark.parametrize(
    ("provider", "auth", "expected"),
    [("anthropic", "oauth", True), ("anthropic", "api", False), ("anthropic", None, False),
     ("openai", "oauth", False), ("", "oauth", False)],
)  # fmt: skip
def test_s4_5_which_names_are_used(provider, auth, expected):
    assert requires_claude_code_naming(provider, auth) is expected
    assert requires_claude_code_naming("anthropic") is False


@pytest.mark.parametrize(
    ("variant", "own"),
    [("LS", "ls"), ("Ls", "ls"), ("TodoWrite", "update_plan"), ("UpdatePlan", "update_plan"),
     ("WebSearch", "websearch"), ("Websearch", "websearch")],
)  # fmt: skip
def test_s4_6_every_variant_is_understood(variant, own):
    assert to_canonical_name(variant) == own
    assert CLAUDE_CODE_TO_CANONICAL[variant] == own


@pytest.mark.parametrize(("own", "asked"), [("ripgrep", "grep"), ("update_plan", "todowrite")])
def test_s4_8_an_unknown_name_is_answered_by_one_that_works(own, asked):
    bound = tc.bind([tc.CanonicalTool(name=own)], "anthropic", naming="claude-code")
    with pytest.raises(UnknownTool) as caught:
        bound.restore(asked, {})
    advised = str(caught.value).rpartition("did you mean '")[2].removesuffix("'?")
    assert bound.restore(advised, {}).name == own


def test_s4_6_two_profiles():
    assert to_claude_code_name("ls") == "LS"
    pascal = tc.bind([tc.CanonicalTool(name=n) for n in ("ls", "update_plan", "finish")],
                     "anthropic", naming="pascal")  # fmt: skip
    assert [tool["name"] for tool in pascal.payload] == ["Ls", "UpdatePlan", "Finish"]


def test_s4_7_no_tool_disappears_from_a_map():
    both = [tc.CanonicalTool(name="grep"), tc.CanonicalTool(name="ripgrep")]
    with pytest.raises(ProfileCollision, match=r"grep.*ripgrep"):
        tc.bind(both, "anthropic", naming="claude-code")


def test_s4_8_both_names_are_looked_up():
    bound = tc.bind([tc.CanonicalTool(name="ripgrep")], "anthropic", naming="claude-code")
    assert {bound.restore(name, {}).name for name in ("Grep", "ripgrep")} == {"ripgrep"}


# Storage: canonical names only, in whatever shape it was stored.
STORED = [
    {"role": "user", "content": "find it, then plan"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "ripgrep", "arguments": '{"q":"x"}'}},
        {"id": "c2", "type": "function", "function": {"name": "update_plan", "arguments": "{}"}},
        {"id": "c3", "type": "function", "function": {"name": "finish", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": '{"ok":true,"data":[]}'},
    {"role": "tool", "tool_call_id": "c2", "content": '{"ok":true,"data":null}'},
    {"role": "tool", "tool_call_id": "c3", "content": "done"},
]  # fmt: skip


def names(messages):
    read = tc.read_conversation(messages)
    return [call.name for message in read.messages for call in message.calls]


def test_s4_9_the_history_builder():
    signature = inspect.signature(build_history_messages)
    assert list(signature.parameters) == ["messages", "target_provider", "target_auth_type"]
    before = copy.deepcopy(STORED)
    assert names(build_history_messages(STORED)) == ["ripgrep", "update_plan"]
    assert before == STORED
    assert build_history_messages([]) == []
    with pytest.raises(UnknownFormat):
        build_history_messages(STORED, "nobody")


def test_s4_10_scenario_1_from_key_to_sign_in():
    sent = build_history_messages(STORED, "anthropic", "oauth")
    assert names(sent) == ["Grep", "TodoWrite"]
    come = {"type": "tool_use", "id": "toolu_9", "name": "Read", "input": {"path": "a"}}
    stored = normalize_tool_call(come, requires_claude_code_naming("anthropic", "oauth"))
    assert stored["name"] == "read"


def test_s4_10_scenario_2_from_sign_in_to_key():
    assert names(build_history_messages(STORED, "anthropic", "api")) == ["ripgrep", "update_plan"]


@pytest.mark.parametrize("provider", ["openai", "google"])
def test_s4_10_scenario_3_to_another_provider(provider):
    sent = build_history_messages(STORED, provider)
    assert names(sent) == ["ripgrep", "update_plan"]
    family = {"google": "gemini"}.get(provider, provider)
    assert not [f for f in tc.lint(sent, family) if f.level == "error"]


def test_s4_17_a_history_of_mixed_names_is_put_right():
    mixed = json.loads(json.dumps(STORED).replace("update_plan", "TodoWrite"))
    assert names(build_history_messages(mixed, "openai")) == ["ripgrep", "update_plan"]
    assert names(build_history_messages(mixed, "anthropic", "oauth")) == ["Grep", "TodoWrite"]


def test_s4_2_storage_keeps_canonical_names():
    """Whatever was sent comes back to what was stored, by the receipt of the switch."""
    from toolcanon.conversations.switch import switch

    there = switch(STORED[:4], "anthropic", source="openai", naming="claude-code")
    back = switch(there.payload, "openai", source="anthropic", receipt=there.receipt())
    assert names(back.payload) == ["ripgrep", "update_plan"]


def test_s4_16_internal_tools_are_neither_offered_nor_replayed():
    tools = [tc.CanonicalTool(name=name) for name in ("read", "finish", "progress_update")]
    bound = tc.bind(tools, "anthropic", naming="claude-code")
    assert [tool["name"] for tool in bound.payload] == ["Read"]
    assert "finish" not in json.dumps(build_history_messages(STORED, "anthropic", "oauth"))


def test_s4_19_nothing_makes_a_client_pass_as_another():
    text = inspect.getsource(tool_names).lower()
    for word in ("authorization", "user-agent", "x-app", "anthropic-beta", "http"):
        assert word not in text


def exchange(id_, name):
    function = {"name": name, "arguments": "{}"}
    return [
        {"role": "assistant", "content": None,
         "tool_calls": [{"id": id_, "type": "function", "function": function}]},
        {"role": "tool", "tool_call_id": id_, "content": "ok"},
    ]  # fmt: skip


def names_in(messages):
    return [call.name for message in tc.read_conversation(messages).messages
            for call in message.calls]  # fmt: skip


@pytest.mark.parametrize(("target", "auth", "expected"), [
    (None, None, ["update_plan", "update_plan", "ls", "ls", "cd"]),
    ("openai", None, ["update_plan", "update_plan", "ls", "ls", "cd"]),
    ("anthropic", "oauth", ["TodoWrite", "TodoWrite", "LS", "LS", "Cd"]),
])  # fmt: skip
def test_s4_17_two_names_of_one_tool_in_a_history_become_one(target, auth, expected):
    called = ["update_plan", "UpdatePlan", "Ls", "LS", "Cd"]
    history = [part for n, name in enumerate(called) for part in exchange(f"c{n}", name)]
    found = build_history_messages([{"role": "user", "content": "go"}, *history], target, auth)
    assert names_in(found) == expected


def test_two_tools_that_share_a_name_there_stay_two():
    history = [*exchange("c1", "grep"), *exchange("c2", "ripgrep")]
    there = tc.switch(history, "anthropic", naming="claude-code").payload
    assert len(set(names_in(there))) == 2


@pytest.mark.parametrize("name", ["finish", "Finish", "progress_update", "ProgressUpdate"])
def test_s4_16_internal_tools_are_not_replayed_by_any_name(name):
    history = [{"role": "user", "content": "go"}, *exchange("c1", name), *exchange("c2", "read")]
    assert names_in(build_history_messages(history, "anthropic", "oauth")) == ["Read"]
    assert names_in(build_history_messages(history)) == ["read"]
    done = tc.switch(history, "anthropic", naming="claude-code")
    assert [repair.before for repair in done.repairs if repair.code == "R122"] == [name]


def test_a_tool_of_the_request_is_replayed_whatever_its_name():
    tools = [{"type": "function", "function": {"name": "Finish", "parameters": {"type": "object"}}}]
    history = [{"role": "user", "content": "go"}, *exchange("c1", "Finish")]
    there = tc.switch(history, "anthropic", tools=tools, naming="claude-code").payload
    assert names_in(there) == ["Finish"]
