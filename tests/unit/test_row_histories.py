"""Rows with a conversation beside its tools: both by one binding, or neither."""

import copy
import json
from itertools import product

import pytest
from click.testing import CliRunner

import toolcanon as tc
from tests.tables import table
from toolcanon.cli.main import toolcanon as command
from toolcanon.conversations.find_history import history_in, history_keys, may_hold_history
from toolcanon.errors import (
    HistoryInRow,
    NotAConversation,
    NoTools,
    RefusedArguments,
    UnwrittenColumn,
    UsageError,
)

SCHEMA = {
    "type": "object",
    "properties": {"q": {"type": "string"}, "n": {"type": "integer"}},
    "required": ["q"],
}
TOOL = {
    "type": "function",
    "function": {"name": "db.query", "description": "d", "parameters": SCHEMA},
}
MESSAGES = [
    {"role": "system", "content": "S"},
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c1", "type": "function",
             "function": {"name": "db.query", "arguments": '{"q": "x"}'}}
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "1"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": "c2", "type": "function",
             "function": {"name": "db.query", "arguments": '{"q": "y"}'}}
        ],
    },
]  # fmt: skip
ROW = {"id": 7, "messages": MESSAGES, "score": 0.5, "tools": [TOOL], "model": "m", "split": "train"}
FAMILIES = ["openai", "openai-responses", "anthropic", "gemini", "bedrock"]


def called(messages):
    """Names and arguments of the calls, in order, whatever the family."""
    found = []

    def walk(node):
        if isinstance(node, dict):
            inner = next(
                (node[key] for key in ("function", "functionCall", "toolUse") if key in node), node
            )
            held = next((key for key in ("arguments", "input", "args") if key in inner), None)
            if held is not None and "name" in inner:
                arguments = inner[held]
                is_text = isinstance(arguments, str)
                found.append((inner["name"], json.loads(arguments) if is_text else arguments))
                return
            for value in node.values():
                walk(value)
        for item in node if isinstance(node, list) else ():
            walk(item)

    walk(messages)
    return found


@table("strict", [False, True])
@table("target", FAMILIES)
def test_messages_and_tools_are_written_by_one_binding(target, strict):
    given = copy.deepcopy(ROW)
    converter = tc.Converter(to=target, strict=strict)
    out = converter(given)
    assert given == ROW
    bound = tc.bind(tc.read([TOOL]), target, strict=strict)
    name = bound.names["db.query"]
    history = next(key for key in ("messages", "input", "contents") if key in out)
    sent = [bound.render("db.query", {"q": text})[1] for text in "xy"]
    assert called(out[history]) == [(name, sent[0]), (name, sent[1])]
    assert [tool.name for tool in tc.read(out)] == [name]
    assert len(called(out[history][-1])) == 1, "the last call is the label: nothing follows it"


@pytest.mark.parametrize("target", FAMILIES)
def test_other_columns_stay_in_order(target):
    out = tc.Converter(to=target)(ROW)
    columns = ["id", "score", "model", "split"]
    assert [key for key in out if key in columns] == columns
    assert {key: out[key] for key in columns} == {key: ROW[key] for key in columns}
    history = next(key for key in ("messages", "input", "contents") if key in out)
    assert list(out)[:3] == ["id", history, "score"]


def test_the_command_converts_rows_whole(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n" * 2)
    ran = CliRunner().invoke(command, ["convert", str(path), "-t", "anthropic"])
    assert ran.exit_code == 0
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert rows == [tc.Converter(to="anthropic")(ROW)] * 2
    assert rows[0]["system"] == [{"type": "text", "text": "S"}]
    assert "rows: 2 converted, 0 skipped" in ran.stderr


@pytest.mark.parametrize("tools", [[TOOL], TOOL, json.dumps([TOOL])], ids=["list", "one", "text"])
@pytest.mark.parametrize("target", FAMILIES)
def test_a_field_of_tools_does_not_contradict_the_messages(target, tools, tmp_path):
    row = {"messages": MESSAGES, "defs": tools, "tools": "a column of that name", "id": 1}
    out = tc.Converter(to=target, strict=True, tools_field="defs")(row)
    bound = tc.bind(tc.read([TOOL]), target, strict=True)
    name, sent = bound.render("db.query", {"q": "x"})
    history = next(key for key in ("messages", "input", "contents") if key in out)
    assert called(out[history])[0] == (name, sent)
    assert isinstance(out["defs"], type(tools if not isinstance(tools, dict) else {}))
    assert out["tools"] == row["tools"]
    assert "toolConfig" not in out
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row) + "\n")
    line = ["convert", str(path), "-t", target, "--strict", "--tools-field", "defs"]
    for more in ([], ["-v"]):  # by sums, and one by one
        ran = CliRunner().invoke(command, [*line, *more])
        assert json.loads(ran.stdout) == out


def test_messages_that_are_text_stay_text():
    row = {"messages": json.dumps(MESSAGES), "tools": [TOOL]}
    out = tc.Converter(to="openai", strict=True)(row)
    assert isinstance(out["messages"], str)
    assert called(json.loads(out["messages"]))[0] == ("db_query", {"q": "x", "n": None})


@pytest.mark.parametrize("target", ["openai/strict", "anthropic", "gemini"])
def test_tools_that_are_text_are_written_with_their_messages(target):
    """A column of one type has tools as text; they belong to the messages all the same."""
    text = {**ROW, "tools": json.dumps(ROW["tools"])}
    done = tc.Converter(target)(text)
    named = tc.Converter(target, tools_field="tools")(text)
    assert done == named
    assert json.loads(done["tools"]) == tc.convert([TOOL], target).payload
    assert called(done) == called(tc.Converter(target)(ROW))
    with pytest.raises(HistoryInRow):
        tc.Converter("mcp")(text)


def test_a_system_prompt_beside_the_messages_moves_with_them():
    row = {"system": "S", "messages": [{"role": "user", "content": "hi"}], "n": 1,
           "tools": [{"name": "f", "input_schema": {"type": "object"}}]}  # fmt: skip
    out = tc.Converter(to="openai")(row)
    assert list(out) == ["messages", "n", "tools"]
    assert out["messages"][0]["content"] == "S"


def test_originals_are_kept():
    out = tc.Converter(to="gemini", tools_field="tools", keep_original=True)(ROW)
    assert out["messages_original"] == MESSAGES
    assert out["tools_original"] == [TOOL]
    assert "messages" not in out
    columns = {key: [value, value] for key, value in ROW.items()}
    batch = tc.Converter(to="gemini", tools_field="tools").batch(columns)
    assert batch["contents"] == [out["contents"]] * 2
    assert "messages" not in batch


def test_no_tools_at_all_is_no_reason_to_lose_the_messages():
    out = tc.Converter(to="anthropic")({"messages": MESSAGES[:2], "tools": [], "id": 1})
    assert out["messages"] == [{"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    assert out["id"] == 1


@pytest.mark.parametrize("field", [None, "tools"])
@pytest.mark.parametrize("target", ["mcp", "mistral", "json-schema", "langchain"])
def test_a_target_without_conversations_refuses_the_row(target, field):
    with pytest.raises(HistoryInRow, match="toolcanon switch") as caught:
        tc.Converter(to=target, tools_field=field)(ROW)
    assert (caught.value.key, caught.value.format) == ("messages", target)


def test_a_column_in_the_way_of_what_is_written_is_an_error():
    with pytest.raises(UsageError, match="'contents'"):
        tc.Converter(to="gemini")({**ROW, "contents": "a column"})


def test_losses_of_the_conversation_are_counted():
    row = {**ROW, "parallel_tool_calls": False}
    done = tc.Converter(to="gemini").row(row)
    assert "L317" in {loss.code for loss in done.losses}
    assert "L317" in {code for _, kinds in done.kinds() for code, _ in kinds}


def test_a_tool_with_a_key_called_messages_is_a_tool():
    tool = {"name": "f", "parameters": {"type": "object"}, "messages": [{"role": "user"}]}
    assert tc.Converter(to="anthropic")(tool) == {"name": "f", "input_schema": {"type": "object"}}


SHARED = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}},
          "required": ["a"]}  # fmt: skip
WITH_OPTIONAL = {"name": "f", "description": "d", "parameters": SHARED}
ANSWERS = [{"name": "f", "arguments": {"a": "x"}}]
TURNS = [
    {"from": "human", "value": "Go"},
    {"from": "gpt", "value": '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'},
]


@pytest.mark.parametrize("is_text", [False, True])
@pytest.mark.parametrize(
    ("key", "value", "advice"),
    [
        ("answers", ANSWERS, "--calls-field answers"),
        ("tool_calls", [{"id": "1", "type": "function", "function": ANSWERS[0]}],
         "--calls-field tool_calls"),
        ("conversations", TURNS, "role and content"),
    ],
)  # fmt: skip
def test_calls_that_changed_tools_would_contradict_are_refused(
    key, value, advice, is_text, tmp_path
):
    options = ["--to", "openai", "--strict", "--tools-field", "tools"]
    for tools in (WITH_OPTIONAL, [WITH_OPTIONAL]):
        row = {"tools": tools, key: json.dumps(value) if is_text else value}
        with pytest.raises(UnwrittenColumn, match=advice):
            tc.Converter(to="openai", strict=True, tools_field="tools")(row)
        (tmp_path / "rows.jsonl").write_text(json.dumps(row) + "\n")
        done = CliRunner().invoke(command, ["convert", str(tmp_path / "rows.jsonl"), *options])
        assert done.exit_code == 2
        assert f"remove '{key}'" in done.stderr


def test_calls_that_agree_with_their_tools_stay_as_they_are():
    for key, value in (("answers", ANSWERS), ("conversations", TURNS), ("answers", "forty-two")):
        row = {key: value, "tools": [WITH_OPTIONAL]}
        assert tc.Converter(to="anthropic", tools_field="tools")(row)[key] == value
    row = {"answers": "forty-two", "tools": [WITH_OPTIONAL]}
    assert (
        tc.Converter(to="openai", strict=True, tools_field="tools")(row)["answers"] == "forty-two"
    )


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        ({"query": "q", "tools": [WITH_OPTIONAL], "answers": ANSWERS},
         "--tools-field tools --calls-field answers"),
        ({"tools": [WITH_OPTIONAL], "conversations": TURNS}, "--tools-field tools"),
    ],
)  # fmt: skip
def test_a_row_is_not_stripped_of_its_calls(row, advice):
    with pytest.raises(UnwrittenColumn, match=advice):
        tc.Converter(to="anthropic")(row)


@pytest.mark.parametrize(
    ("row", "advice"),
    [
        ({"query": "q", "tools": json.dumps([WITH_OPTIONAL])}, "name --tools-field tools"),
        ({"functions": json.dumps(WITH_OPTIONAL)}, "name --tools-field functions"),
        ({"system": f"Use {json.dumps([WITH_OPTIONAL])}", "conversations": TURNS},
         "role and content"),
        ({"system": "SYSTEM: …", "chat": "USER: Go"}, "no known format"),
    ],
)  # fmt: skip
def test_rows_of_other_shapes_are_refused_with_advice(row, advice):
    with pytest.raises(NoTools, match=advice):
        tc.Converter(to="anthropic")(row)


def test_messages_without_tools_are_converted():
    row = {"id": 1, "messages": [{"role": "user", "content": "hi"}]}
    said = {"role": "user", "content": [{"type": "text", "text": "hi"}]}
    assert tc.Converter(to="anthropic")(row) == {"id": 1, "messages": [said]}


def test_no_messages_at_all_keep_the_row_whole():
    row = {"id": 1, "messages": [], "tools": [{"name": "f", "parameters": {"type": "object"}}]}
    tool = {"name": "f", "input_schema": {"type": "object"}}
    assert tc.Converter(to="anthropic")(row) == {"id": 1, "messages": [], "tools": [tool]}


@pytest.mark.parametrize("messages", ["oops", {"role": "user"}, ["hi"], 3])
def test_messages_that_are_none_are_refused(messages):
    row = {"messages": messages, "tools": [{"name": "f", "parameters": {"type": "object"}}]}
    for field in (None, "tools"):
        with pytest.raises(NotAConversation, match="/messages"):
            tc.Converter(to="anthropic", tools_field=field)(row)


OTHER_NAMES = ("prompt", "completion", "chosen", "rejected", "conversation", "conversations",
               "history", "output", "any_name")  # fmt: skip


@pytest.mark.parametrize("target", FAMILIES)
def test_messages_under_another_name_are_written_by_the_same_binding(target, tmp_path):
    own = tc.Converter(to=target, strict=True)({"messages": MESSAGES, "tools": [TOOL]})
    history = next(key for key in ("messages", "input", "contents") if key in own)
    line = ["convert", str(tmp_path / "rows.jsonl"), "-t", target, "--strict"]
    for name in OTHER_NAMES:
        row = {"id": 1, name: MESSAGES, "tools": [TOOL]}
        out = tc.Converter(to=target, strict=True)(row)
        assert (out["id"], out[name]) == (1, own[history]), "the column keeps its name"
        assert [tool.name for tool in tc.read(out)] == [tool.name for tool in tc.read(own)]
        for tools in ([TOOL], json.dumps([TOOL]), TOOL):
            (tmp_path / "rows.jsonl").write_text(json.dumps({**row, "tools": tools}) + "\n")
            ran = CliRunner().invoke(command, [*line, "--tools-field", "tools"])
            assert json.loads(ran.stdout)[name] == own[history]


def test_whose_messages_they_are_is_seen_under_any_name():
    for family in FAMILIES:
        there = tc.Converter(to=family)({"messages": MESSAGES, "tools": [TOOL]})
        history = next(key for key in ("messages", "input", "contents") if key in there)
        row = {"talk": json.dumps(there[history]), "tools": [TOOL], "messages": None}
        out = tc.Converter(to="openai")(row)
        assert called(json.loads(out["talk"])) == [
            ("db_query", {"q": "x"}),
            ("db_query", {"q": "y"}),
        ]
        assert out["messages"] is None


@pytest.mark.parametrize(
    "columns",
    [
        {"prompt": MESSAGES[:2], "completion": MESSAGES[2:3]},
        {"chosen": MESSAGES, "rejected": MESSAGES},
        {"messages": MESSAGES, "rejected": MESSAGES},
        {"question": [MESSAGES[:2]]},
        {"prompt": "Go", "completion": MESSAGES[2]},
        {"chosen": {"messages": MESSAGES}},
        {"completion": json.dumps(MESSAGES[2])},
    ],
)
def test_messages_that_no_one_conversation_holds_are_refused(columns):
    for field in (None, "tools"):
        with pytest.raises(UnwrittenColumn, match="remove"):
            tc.Converter(to="anthropic", tools_field=field)({**columns, "tools": [TOOL]})


def test_no_messages_are_not_a_reason_to_strip_a_row():
    out = tc.Converter(to="gemini")({"id": 1, "messages": None, "tools": [TOOL]})
    assert (list(out), out["contents"]) == (["id", "contents", "tools"], None)


def test_a_tool_with_turns_in_its_examples_is_a_tool():
    tool = {"name": "f", "parameters": {"type": "object"}, "examples": [{"role": "user", "x": 1}],
            "more": [{"role": "user", "content": "x"}]}  # fmt: skip
    assert tc.Converter(to="anthropic")(tool)["input_schema"] == {"type": "object"}


def test_a_body_with_messages_is_not_stripped_to_its_tools(tmp_path):
    path = tmp_path / "body.json"
    for key in ("messages", "conversation"):
        path.write_text(json.dumps({"model": "m", key: MESSAGES, "tools": [TOOL]}))
        ran = CliRunner().invoke(command, ["convert", str(path), "-t", "anthropic"])
        assert (ran.exit_code, ran.stdout) == (2, "")
        assert "toolcanon switch" in ran.stderr
    path.write_text(json.dumps({"model": "m", "tools": [TOOL]}))
    ran = CliRunner().invoke(command, ["convert", str(path), "-t", "anthropic"])
    assert [tool["name"] for tool in json.loads(ran.stdout)] == ["db_query"]


def test_switch_sends_rows_of_bodies_to_convert(tmp_path):
    path = tmp_path / "bodies.jsonl"
    path.write_text(f"{json.dumps(ROW)}\n" * 2)
    ran = CliRunner().invoke(command, ["switch", str(path), "-t", "anthropic"])
    assert ran.exit_code == 2
    assert "toolcanon convert" in ran.stderr
    path.write_text("".join(f"{json.dumps(message)}\n" for message in MESSAGES))
    ran = CliRunner().invoke(command, ["switch", str(path), "-t", "anthropic"])
    assert ran.exit_code == 0


@table("target", FAMILIES)
@table("arguments", ['{"q": 1}', "{}", "{bad", '{"q": "x", "n": "many"}'])
def test_a_last_call_that_does_not_fit_its_tool_is_refused(target, arguments):
    call = {
        "id": "c9",
        "type": "function",
        "function": {"name": "db.query", "arguments": arguments},
    }
    last = {"role": "assistant", "content": None, "tool_calls": [call]}
    for key, field in (("messages", None), ("messages", "tools"), ("chosen", None)):
        row = {key: [*MESSAGES[:2], last], "tools": [TOOL]}
        with pytest.raises(RefusedArguments, match=f"/{key}/2"):
            tc.Converter(to=target, tools_field=field)(row)


def test_a_call_that_was_answered_is_history_and_stays():
    call = {"id": "c9", "type": "function", "function": {"name": "db.query", "arguments": "{}"}}
    turns = [{"role": "assistant", "tool_calls": [call]},
             {"role": "tool", "tool_call_id": "c9", "content": "q is missing"}]  # fmt: skip
    row = {"messages": [*MESSAGES[:2], *turns, *MESSAGES[2:]], "tools": [TOOL]}
    assert len(called(tc.Converter(to="anthropic")(row)["messages"])) == 3


def test_a_last_call_that_names_no_tool_of_its_row_is_refused():
    other = {"id": "c9", "type": "function", "function": {"name": "other", "arguments": "{}"}}
    last = {"role": "assistant", "content": None, "tool_calls": [other]}
    answer = {"role": "tool", "tool_call_id": "c9", "content": "there is no such tool"}
    for target in FAMILIES:
        row = {"messages": [*MESSAGES[:2], last], "tools": [TOOL]}
        with pytest.raises(RefusedArguments, match="/messages/2: no tool of the row is called oth"):
            tc.Converter(to=target)(row)
        row["messages"] += [answer]
        assert called(next(iter(tc.Converter(to=target)(row).values()))) == [("other", {})]
    row = {"messages": [*MESSAGES[:2], last], "tools": [TOOL, {"type": "web_search"}]}
    assert called(tc.Converter(to="openai-responses")(row)["input"]) == [("other", {})]


def test_a_last_call_may_name_a_tool_that_its_messages_load():
    found = {"type": "function", "name": "other", "parameters": SCHEMA, "defer_loading": True}
    items = [
        {"type": "message", "role": "user", "content": "hi"},
        {"type": "tool_search_output", "call_id": None, "tools": [found], "status": "completed"},
        {"type": "function_call", "call_id": "c1", "name": "other", "arguments": "{}"},
    ]
    tool = {"type": "function", "name": "plain", "parameters": SCHEMA}
    row = {"input": items, "tools": [tool]}
    assert called(tc.Converter(to="openai-responses")(row)["input"])[-1] == ("other", {})


VALUES = [
    MESSAGES, json.dumps(MESSAGES), [MESSAGES], MESSAGES[1], [], None, "", "hi", "[", 7, [7],
    [TOOL], json.dumps([TOOL]), {"tools": [TOOL]},
]  # fmt: skip
BODIES = [{}, TOOL, {"tools": [TOOL]}, {"tools": json.dumps([TOOL])}, {"input": [TOOL]}]


def test_a_body_that_may_hold_no_history_has_none():
    answers = []
    for body, key, value in product(BODIES, [*history_keys(), "tools", "other"], VALUES):
        whole = {**body, key: value}
        answers.append(may_hold_history(whole))
        if not answers[-1]:
            assert history_in(whole, json.loads) is None
    assert set(answers) == {True, False}
