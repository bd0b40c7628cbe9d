"""Clients as targets: the names, counts and sizes that hosts of a protocol take."""

import json
import re

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from toolcanon.cli import toolcanon as command
from toolcanon.conversion.binding import bind_target_of
from toolcanon.conversion.target import all_dialects, find_dialect
from toolcanon.dialect.tables import SERVER, NamePolicy
from toolcanon.errors import UnknownDialect, UsageError
from toolcanon.registry import get_format

LEGAL = r"[a-zA-Z0-9_-]+"

# client, its pattern for names, the longest name beside a server called "posthog", tools at most
CLIENTS = [
    ("cursor", LEGAL, 59 - len("posthog"), 80),
    ("vscode", LEGAL, 64 - len("mcp_posthog_"), 128),
    ("claude-desktop", LEGAL, 64, 256),
    ("claude-code", LEGAL, 64 - len("mcp__posthog__"), None),
    ("windsurf", None, None, 100),
]
NAMES = ["a.b", "a_b", "a b", "é", "x" * 100, "x" * 99 + "y", "fine", "with-hyphen", "a/b:c"]


def served(name="f", **schema):
    return {"name": name, "inputSchema": {"type": "object", **schema}}


def bound(tools, client, server="", **options):
    asked = f"mcp/{client}:{server}" if server else f"mcp/{client}"
    return tc.convert(tools, "mcp", dialect=asked, **options)


def test_every_client_is_here():
    own = {found.id for found in get_format("mcp").dialects}
    assert {f"mcp/{client}" for client, *_ in CLIENTS} < own
    assert own <= set(all_dialects())


@pytest.mark.parametrize("client, pattern, longest, _", CLIENTS)
def test_names_fit_and_come_back(client, pattern, longest, _):
    tools = [served(name) for name in NAMES]
    there = bound(tools, client)
    wires = [item["name"] for item in there.payload]
    assert len(set(wires)) == len(NAMES)
    if pattern is None:  # nothing is known, so nothing is changed
        assert wires == NAMES
        return
    assert all(re.fullmatch(pattern, name) for name in wires)
    assert {"fine", "with-hyphen", "a_b"} <= set(wires)
    told = {loss.before: loss.after for loss in there.losses if loss.code == "L001"}
    assert told == {a: b for a, b in zip(NAMES, wires, strict=True) if a != b}
    back = tc.convert(there.payload, "mcp", receipt=there.receipt(), lower=False)
    assert back.payload == tools
    for name, wire in zip(NAMES, wires, strict=True):
        assert there.restore(wire, {}).name == name


@pytest.mark.parametrize("client, pattern, longest, _", CLIENTS)
def test_the_length_counts_what_the_client_puts_before_it(client, pattern, longest, _):
    if longest is None:
        return
    policy = find_dialect(f"mcp/{client}").names
    server = "posthog" if policy.prefix else ""
    for name, stays in (("n" * longest, True), ("n" * (longest + 1), False)):
        for tools in (served(name), [served(name), served("other")]):
            payload = bound(tools, client, server).payload
            item = payload[0] if isinstance(payload, list) else payload
            assert (item["name"] == name) is stays
            assert len(item["name"]) <= longest
    if policy.prefix:  # a server that nobody named is given room
        room = policy.max_length - len(policy.prefix.format("s" * SERVER))
        assert bound(served("n" * room), client).payload["name"] == "n" * room
        assert bound(served("n" * (room + 1)), client).payload["name"] != "n" * (room + 1)


def test_a_long_server_name_is_cut_where_the_client_cuts_it():
    short, long = (find_dialect(f"mcp/vscode:{'s' * size}").names.room for size in (13, 40))
    assert short == long == 64 - 18


@pytest.mark.parametrize("client, _pattern, _longest, most", CLIENTS)
def test_more_tools_than_accepted_are_reported_in_order(client, _pattern, _longest, most):
    count = (most or 1000) + 2
    tools = [served(f"f{number}") for number in range(count)]
    over = [loss for loss in bound(tools, client).losses if loss.code == "L239"]
    if most is None:
        assert over == []
        return
    assert [loss.tool for loss in over] == [f"f{count - 2}", f"f{count - 1}"]
    assert over[0].effect is tc.Effect.NARROWED
    assert str(most) in over[0].after
    assert len(bound(tools, client).payload) == count  # all are written
    assert not bound(tools[:most], client).losses


def test_a_limit_of_one_provider_is_reported_as_well():
    tools = [served(f"f{number}") for number in range(130)]
    assert [x.tool for x in tc.convert(tools, "openai").losses if x.code == "L239"] == [
        "f128", "f129",
    ]  # fmt: skip
    assert not [x for x in tc.convert(tools, "openai", lower=False).losses if x.code == "L239"]
    assert tc.Binding.from_receipt(tc.convert(tools, "openai").receipt()).losses == ()


def test_a_schema_may_be_too_large():
    members = {f"p{number}": {"type": "string"} for number in range(1000)}
    large = served("large", properties=members)
    (loss,) = bound(large, "claude-desktop").losses
    assert (loss.code, str(loss.at), loss.after) == ("L239", "/inputs", "16384 bytes at most")
    size = len(json.dumps(large["inputSchema"], separators=(",", ":")))
    assert loss.before == f"{size} bytes"
    assert not bound(large, "cursor").losses
    text = "é" * ((16_384 - len('{"type":"object","description":""}')) // 2)
    assert not bound(served(description=text), "claude-desktop").losses
    assert bound(served(description=text + "é"), "claude-desktop").losses


def test_what_is_too_large_is_reported_in_a_stream(tmp_path):
    members = {f"p{number}": {"type": "string"} for number in range(1000)}
    lines = [served("small"), served("large", properties=members), served("small again")]
    given_file = tmp_path / "tools.jsonl"
    given_file.write_text("\n".join(map(json.dumps, lines)))
    asked = ["convert", str(given_file), "--to", "mcp", "--dialect", "mcp/claude-desktop"]
    done = CliRunner().invoke(command, [*asked, "--fail-on", "rejected"])
    assert done.exit_code == 1
    assert done.stderr.count("L239") == 1
    assert "large" in done.stderr


def test_what_else_is_known():
    union = {"oneOf": [{"properties": {"a b": {"type": "string"}}, "required": ["a b"]}]}
    schema = bound(served(**union), "claude-code").payload["inputSchema"]
    assert "oneOf" not in schema
    assert list(schema["properties"]) == ["a_b"]
    assert bound(served(**union), "cursor").payload["inputSchema"] == {"type": "object", **union}
    spoken = {
        **served(),
        "outputSchema": {"type": "string"},
        "execution": {"taskSupport": "optional"},
    }
    assert set(bound(spoken, "vscode").payload) == {"name", "inputSchema", "execution"}
    assert set(bound(spoken, "cursor").payload) == {"name", "inputSchema", "outputSchema"}


def test_a_client_is_a_route():
    for client, *_ in CLIENTS:
        by_route = tc.convert(served("a.b"), "mcp", via=client)
        assert by_route.payload == bound(served("a.b"), client).payload
        assert bind_target_of(by_route.binding).choice.plain.id == f"mcp/{client}"


def test_the_rule_of_a_client_gives_way_to_that_of_an_envelope():
    named = tc.convert(served("n" * 60), "anthropic", dialect="mcp/cursor").payload["name"]
    assert named == "n" * 60
    assert tc.convert(served("a.b"), "mcp").payload["name"] == "a.b"
    assert tc.convert(served("a.b"), "mcp", lower=False).payload["name"] == "a.b"


@pytest.mark.parametrize(
    "asked", ["mcp:x", "mcp/windsurf:x", "openai:x", "mcp/cursr", "mcp/claude-desktop:x"]
)
def test_a_server_where_none_is_counted_is_refused(asked):
    with pytest.raises(UnknownDialect):
        find_dialect(asked)


def test_a_server_s_name_may_leave_no_room():
    with pytest.raises(UsageError, match="have no characters left"):
        find_dialect(f"mcp/cursor:{'s' * 50}")
    assert find_dialect("mcp/cursor@2026-11:@scope/a:b").names.room == 59 - len("@scope/a:b")
    with pytest.raises(UnknownDialect):
        find_dialect("mcp/cursor@2020-01:x")


def test_the_receipt_pins_the_client():
    receipt = bound(served("a.b"), "cursor", "posthog").receipt()
    assert receipt["tools"][0]["dialect"] == "mcp/cursor@2026-11"


@given(st.lists(st.text(max_size=90), unique=True, min_size=1, max_size=6))
def test_no_name_is_too_long_whatever_it_was(names):
    policy = find_dialect("mcp/claude-code:server").names
    for item in bound([served(name or "x") for name in dict.fromkeys(n or "x" for n in names)],
                      "claude-code", "server").payload:  # fmt: skip
        assert policy.allows(item["name"])
        assert len(f"mcp__server__{item['name']}") <= 64


def test_reserved_words_are_no_names():
    policy = NamePolicy("a-z_", 10, reserved=frozenset({"class", "def"}))
    assert not policy.allows("class")
    assert policy.allows("classes")
    assert policy.clean("class") == "class_"
    made = tc.convert([served("class"), served("class_"), served("1 é")], "smolagents").payload
    names = [item["name"] for item in made]
    assert names[1] == "class_"
    assert all(name.isidentifier() for name in names)
    assert len({*names, "class"}) == 4


def test_the_command_reports_it(tmp_path):
    given_file = tmp_path / "tools.json"
    given_file.write_text(json.dumps([served(f"a.{number}") for number in range(81)]))
    asked = ["convert", str(given_file), "--to", "mcp", "--dialect", "mcp/cursor:posthog"]
    done = CliRunner().invoke(command, [*asked, "--fail-on", "rejected"])
    assert done.exit_code == 1
    assert [item["name"] for item in json.loads(done.stdout)][:2] == ["a_0", "a_1"]
    assert "L239" in done.stderr
    shown = CliRunner().invoke(command, ["formats", "mcp/cursor"]).stdout
    assert "59 with SERVER" in shown
    assert "mcp/cursor:SERVER" in shown
