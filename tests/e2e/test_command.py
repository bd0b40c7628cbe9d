"""The command as people run it: a process, its streams and its status."""

import base64
import gzip
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import time

import pytest

from tests.commands import run
from tests.tables import table
from toolcanon.cli.convert import NEEDS_RESTORE, NEEDS_RESTORE_LINES

TOOL = {"name": "a.b", "title": "T", "description": "d", "inputSchema": {"type": "object"}}


def test_payload_on_stdout_messages_on_stderr():
    done = run("convert", "-", "--to", "anthropic", stdin=TOOL)
    assert done.returncode == 0
    assert json.loads(done.stdout) == {
        "name": "a_b",
        "description": "d",
        "input_schema": {"type": "object"},
    }
    assert done.stderr.decode().splitlines() == [
        "losses: hints lost 1 (-v lists them, toolcanon explain CODE explains them)",
        NEEDS_RESTORE,
    ]
    assert run("convert", "-t", "anthropic", "-q", stdin=TOOL).stderr == b""
    assert run("convert", "-t", "mcp", "--verbatim", stdin=TOOL).stderr == b""


def test_there_and_back_by_files(tmp_path):
    source, there, receipt = (tmp_path / name for name in ("in.json", "there.json", "r.json"))
    source.write_text(json.dumps([TOOL]), encoding="utf-8")
    done = run("convert", source, "-t", "gemini", "-o", there, "--receipt", receipt)
    assert (done.returncode, done.stdout) == (0, b"")
    back = run("convert", there, "-f", "gemini", "-t", "mcp", "--undo", receipt, "--verbatim")
    assert json.loads(back.stdout) == [TOOL]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in.json", "r.json", "there.json"]


def test_losses_in_full(tmp_path):
    losses = tmp_path / "losses.json"
    done = run("convert", "-t", "openai", "-v", "--losses", losses, stdin=TOOL)
    assert [loss["code"] for loss in json.loads(losses.read_text())] == ["L235", "L001", "L003"]
    assert b'L003 title-dropped (hint-lost) a.b at /title: "T" -> nothing' in done.stderr


@pytest.mark.parametrize(
    "level, tool, status",
    [
        ("hint", TOOL, 1),
        ("widened", TOOL, 0),
        ("rejected", {"type": "web_search"}, 1),
        ("narrowed", {"type": "web_search"}, 1),
        ("widened", {"type": "custom", "name": "t", "format": {"type": "grammar",
                     "syntax": "lark", "definition": "x"}}, 1),
        ("lossy", TOOL, 0),
    ],
)  # fmt: skip
def test_fail_on(level, tool, status):
    assert run("convert", "-t", "anthropic", "--fail-on", level, stdin=tool).returncode == status


def test_json_lines_are_streamed(tmp_path):
    path = tmp_path / "catalog.jsonl"
    rows = [json.dumps({**TOOL, "name": f"t{i}"}) for i in range(300)]
    path.write_text("\n".join(rows) + "\n\n", encoding="utf-8")
    done = run("convert", path, "-t", "openai")
    lines = done.stdout.splitlines()
    assert [json.loads(line)["function"]["name"] for line in lines] == [f"t{i}" for i in range(300)]
    path.write_text(rows[0] + "\nnonsense\n", encoding="utf-8")
    done = run("convert", path, "-t", "openai")
    assert done.returncode == 2
    assert done.stderr.startswith(b"error[E101]")
    path.write_text(rows[0] + '\n{"x": 1}\n', encoding="utf-8")
    assert b"(line 2)" in run("convert", path, "-t", "openai").stderr


RICH = {
    "name": "book.room",
    "description": "Book a room.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "room": {"type": "string", "minLength": 2},
            "seats": {"type": "object", "additionalProperties": {"type": "integer"}},
            "days": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        },
        "required": ["room"],
    },
}
PLAIN = {"name": "f", "inputSchema": {"type": "object", "properties": {}}}


def said(done):
    return done.stderr.decode().splitlines()


def test_exact_losses_are_not_reported_by_default(tmp_path):
    done = run("convert", "-t", "openai", "--strict", stdin=[RICH, {"type": "web_search"}])
    assert done.returncode == 0
    tool = json.loads(done.stdout)[0]["function"]
    assert tool["strict"] is True
    assert tool["parameters"]["required"] == ["room", "seats", "days"]
    assert said(done) == [
        "L015 tool-dropped (narrowed) x1: the tool is not in the result (web_search)",
        "L228 constraint-dropped (widened) x1: a constraint is dropped (book.room)",
        "losses: narrowed 1, widened 1 (-v lists them, toolcanon explain CODE explains them)",
        NEEDS_RESTORE,
    ]
    losses = tmp_path / "losses.json"
    told = said(run("convert", "-t", "openai", "--strict", "-v", "--losses", losses, stdin=RICH))
    assert len(told) == len(json.loads(losses.read_text())) + 2
    assert "L221 map-as-entries (exact) book.room at " in "\n".join(told)
    assert "exact rewrites" in told[-2]
    assert run("convert", "-t", "openai", "--strict", "-q", stdin=RICH).stderr == b""
    receipt = tmp_path / "r.json"
    told = said(run("convert", "-t", "openai", "--strict", "--receipt", receipt, stdin=RICH))
    assert NEEDS_RESTORE not in told
    assert said(run("convert", "-t", "openai", stdin=PLAIN)) == []


def test_at_most_ten_kinds_are_reported():
    members = {
        "nowhere": {"$ref": "https://example.com/x"},
        "recursion": {"$ref": "#/$defs/tree"},
        "conjunction": {"type": "string", "allOf": [{"pattern": "a"}, {"pattern": "b"}]},
        "negation": {"type": "string", "not": {"const": "x"}},
        "choice": {"oneOf": [{"type": "integer"}, {"type": "number"}]},
        "contradiction": {"type": "string", "enum": [1]},
        "untyped": {"minLength": 1},
        "open": {"type": "object", "properties": {"a": {"type": "string"}},
                 "additionalProperties": True},
        "bound": {"type": "integer", "minimum": 1},
    }  # fmt: skip
    tree = {"type": "object", "properties": {"below": {"$ref": "#/$defs/tree"}}}
    schema = {"type": "object", "properties": members, "$defs": {"tree": tree}}
    either = [{"required": [name], "properties": {name: {"type": "string"}}} for name in "ab"]
    folded = {"type": "object", "anyOf": either}
    grammar = {"type": "grammar", "syntax": "lark", "definition": "x"}
    tools = [
        {"name": "f", "inputSchema": schema},
        {"name": "g", "inputSchema": folded},
        {"type": "custom", "name": "h", "format": grammar},
        {"type": "web_search"},
    ]
    done = run("convert", "-t", "anthropic", "--strict", stdin=tools)
    told = [line for line in said(done) if line.startswith("L")]
    assert told[0].startswith("L015 ")
    assert len({line.split()[0] for line in told}) == len(told) == 10
    assert re.fullmatch(r"… and \d+ more kinds; -v shows all", said(done)[10])
    assert said(done)[11].startswith("losses: narrowed ")


def test_strict_where_it_costs_nothing():
    done = run("convert", "-t", "openai", "--strict-auto", stdin=[RICH, PLAIN])
    rich, plain = (tool["function"] for tool in json.loads(done.stdout))
    assert (rich["strict"], plain["strict"]) == (False, True)
    assert said(done)[0] == "L237 strict-refused (hint-lost) x1: the tool is not strict (book.room)"
    for level, status in (("rejected", 0), ("widened", 0), ("hint", 1)):
        done = run("convert", "-t", "openai", "--strict-auto", "--fail-on", level, stdin=RICH)
        assert done.returncode == status, level


@pytest.mark.parametrize(
    "options, dialect",
    [
        (("--dialect", "gemini/openapi"), "gemini/openapi@2026-11"),
        (("--dialect", "gemini/openapi@2026-11"), "gemini/openapi@2026-11"),
        (("--model", "gemini-2.5-pro", "--via", "litellm"), "gemini/openapi/litellm@2026-11"),
        (("--model", "gpt-5"), "openai@2026-11"),
        (("--model", "unheard-of"), "openai@2026-11"),
    ],
)
def test_the_dialect_is_named_or_chosen(options, dialect, tmp_path):
    receipt = tmp_path / "r.json"
    done = run("convert", "-t", "openai", *options, "--receipt", receipt, stdin=RICH)
    assert done.returncode == 0
    assert json.loads(receipt.read_text())["tools"][0]["dialect"] == dialect
    told = f"note: the dialect is {dialect}" in said(done)
    assert told is ("--dialect" not in options)
    lined = run("convert", "-t", "openai", "--jsonl", *options, stdin=RICH)
    assert json.loads(lined.stdout) == json.loads(done.stdout)
    assert NEEDS_RESTORE_LINES in said(lined)


def test_verification(tmp_path):
    done = run("convert", "-t", "openai", "--strict", "--verify", stdin=[RICH, PLAIN])
    assert done.returncode == 0
    assert re.fullmatch(
        r"verified: 2 tools, arguments tested: \d+ to the target, \d+ back", said(done)[-1]
    )
    quiet = run("convert", "-t", "openai", "--strict", "--verify", "-q", stdin=RICH)
    assert (quiet.returncode, quiet.stderr) == (0, b"")
    lines = "\n".join(json.dumps(tool) for tool in (RICH, PLAIN, RICH)).encode()
    done = run("convert", "-t", "gemini", "--verify", "--jsonl", stdin=lines)
    assert said(done)[-1].startswith("verified: 3 tools, ")


BREAKAGE = {
    "comes back as something else": (
        "from dataclasses import replace\n"
        "from toolcanon.lowering.steps import OPS\n"
        "OPS['entries'] = replace(OPS['entries'], restore=lambda value, op, troubles: {})\n"
    ),
    "cannot be written by the written schema": (
        "from dataclasses import replace\n"
        "from toolcanon.lowering.steps import OPS\n"
        "OPS['entries'] = replace(OPS['entries'], apply=lambda value, op, troubles: value)\n"
    ),
    "is rewritten once more (L229 annotation-dropped)": (
        "import toolcanon.conversion.verify as v\n"
        "real = v.lower\n"
        "v.lower = lambda schema, dialect: real({**schema, 'examples': [{}]}, dialect)\n"
    ),
}


@pytest.mark.parametrize("says", BREAKAGE)
def test_a_violation_is_reported_with_tool_place_and_value(says, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(BREAKAGE[says], encoding="utf-8")
    done = run("convert", "-t", "openai", "--strict", "--verify", "-q", stdin=RICH,
               env={"PYTHONPATH": str(tmp_path)})  # fmt: skip
    assert done.returncode == 1
    assert json.loads(done.stdout)["function"]["name"] == "book_room"
    assert said(done)
    for line in said(done):
        assert line.startswith("violation: book.room at /")
        assert says in line


@pytest.fixture(scope="module")
def receipt(tmp_path_factory):
    path = tmp_path_factory.mktemp("receipt") / "receipt.json"
    tools = [RICH, {"type": "custom", "name": "shell"}, PLAIN]
    done = run("convert", "-t", "anthropic", "--dialect", "openai/strict", "--receipt", path,
               stdin=tools)  # fmt: skip
    assert done.returncode == 0, done.stderr
    return path


SENT = {"room": "A1", "seats": [{"key": "front", "value": 2}], "days": None}
OWN = {"name": "book.room", "arguments": {"room": "A1", "seats": {"front": 2}}}
SHAPES = [
    ({"name": "book_room", "arguments": SENT}, None),
    ({"name": "book_room", "arguments": json.dumps(SENT)}, None),
    ({"id": "c", "type": "function",
      "function": {"name": "book_room", "arguments": json.dumps(SENT)}}, "c"),
    ({"type": "function_call", "id": "fc", "call_id": "c", "name": "book_room",
      "arguments": json.dumps(SENT)}, "c"),
    ({"type": "tool_use", "id": "c", "name": "book_room", "input": SENT}, "c"),
    ({"functionCall": {"name": "book_room", "args": SENT}}, None),
    ({"functionCall": {"id": "c", "name": "book_room", "args": SENT}}, "c"),
    ({"name": "book_room", "args": SENT}, None),
    ({"toolUse": {"toolUseId": "c", "name": "book_room", "input": SENT}}, "c"),
    ({"jsonrpc": "2.0", "id": 7, "method": "tools/call",
      "params": {"name": "book_room", "arguments": SENT}}, 7),
]  # fmt: skip


@table("call, number", SHAPES)
def test_calls_of_every_shape_are_restored(call, number, receipt):
    wanted = OWN if number is None else {**OWN, "id": number}
    done = run("restore", "--receipt", receipt, stdin=call)
    assert (done.returncode, json.loads(done.stdout), done.stderr) == (0, wanted, b"")


def test_calls_in_a_list_and_from_a_file(receipt, tmp_path):
    calls = [call for call, _ in SHAPES] + [{"functionCall": {"name": "f"}}]
    path = tmp_path / "calls.json"
    path.write_text(json.dumps(calls))
    done = run("restore", path, "--receipt", receipt, "--compact")
    found = json.loads(done.stdout)
    assert [item["arguments"] for item in found] == [OWN["arguments"]] * len(SHAPES) + [{}]
    assert done.stdout.count(b"\n") == 1


def test_problems_of_a_call_are_formatted_for_the_model(receipt):
    bad = {"type": "tool_use", "id": "c", "name": "book_room", "input": {**SENT, "room": "A"}}
    mended = {"name": "book_room", "args": {**SENT, "seats": [{"key": "front", "value": "2"}]}}
    done = run("restore", "--receipt", receipt, stdin=[bad, mended])
    first, second = json.loads(done.stdout)
    assert done.returncode == 1
    assert list(first) == ["name", "arguments", "problems", "id"]
    assert [(found["at"], found["keyword"]) for found in first["problems"]] == [
        ("/room", "minLength")
    ]
    assert list(second) == ["name", "arguments", "repairs"]
    assert [found["code"] for found in second["repairs"]] == ["R004"]
    assert said(done)[0].endswith("cannot be used:")
    assert said(done)[-1] == "Correct them and call the tool again."
    unread = run("restore", "--receipt", receipt, stdin={"name": "book_room", "arguments": "{"})
    assert (unread.returncode, json.loads(unread.stdout)["arguments"]) == (1, None)


@pytest.mark.parametrize(
    "call, code, says",
    [
        ({"name": "book_rom", "arguments": {}}, b"E206", b"did you mean 'book_room'?"),
        ({"name": "book_room"}, b"E115", b"not a call: "),
        ({"name": "book_room", "input_schema": {}}, b"E115", b"not a call: "),
        ([{"name": "f", "args": {}}, {"type": "text"}], b"E115", b"not a call at /1: "),
        ("text", b"E115", b"not a call: "),
        ({"name": "f", "arguments": "[" * 900 + "]" * 900}, b"E106", b"limit-depth"),
        (b"{", b"E101", b"not JSON"),
    ],
)
def test_input_other_than_a_call_is_an_error(call, code, says, receipt):
    done = run("restore", "--receipt", receipt, stdin=call)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error[" + code + b"]: ")
    assert says in done.stderr
    assert done.stderr.count(b"\n") == 1


def test_the_other_way_and_back(receipt):
    done = run("restore", "--render", "--receipt", receipt, stdin={**OWN, "id": "c"})
    wire = {"name": "book_room", "arguments": SENT, "id": "c"}
    assert (done.returncode, json.loads(done.stdout)) == (0, wire)
    text = {"name": "book.room", "arguments": json.dumps(OWN["arguments"])}
    done = run("restore", "--render", "--receipt", receipt, stdin=text)
    assert json.loads(done.stdout) == {"name": "book_room", "arguments": SENT}
    back = run("restore", "--receipt", receipt, stdin=done.stdout)
    assert json.loads(back.stdout) == OWN
    free = run("restore", "--render", "--receipt", receipt, stdin={"name": "shell", "input": "ls"})
    assert json.loads(free.stdout)["arguments"] == {"input": "ls"}
    assert json.loads(run("restore", "--receipt", receipt, stdin=free.stdout).stdout) == {
        "name": "shell", "arguments": "ls"
    }  # fmt: skip


def ask(pipe, line):
    """One line to a running command, and its answer."""
    pipe.stdin.write(line + b"\n")
    pipe.stdin.flush()
    assert select.select([pipe.stdout], [], [], 20)[0], "no answer while the pipe is open"
    return json.loads(pipe.stdout.readline())


def test_a_pipe_that_lives_long(receipt):
    command = [sys.executable, "-m", "toolcanon", "restore", "--jsonl", "--receipt", str(receipt),
               "--limit", "line=2000"]  # fmt: skip
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen(command, **streams) as pipe:
        for call, number in SHAPES:
            found = ask(pipe, json.dumps(call).encode())
            assert found == (OWN if number is None else {**OWN, "id": number})
        assert ask(pipe, b"\n" + json.dumps([SHAPES[0][0]]).encode()) == [OWN]
        for line, code in (
            (b"nonsense", "E101"),
            (b"{}", "E115"),
            (b'{"name": "g", "args": {}}', "E206"),
            (b'{"name": "f", "args": {}, "args": {}}', "E102"),
            (b'{"name": "f", "args": "' + b"x" * 5000 + b'"}', "E106"),
        ):
            found = ask(pipe, line)
            assert list(found) == ["error"]
            assert found["error"]["code"] == code
            assert list(found["error"]) == ["code", "message"]
        assert ask(pipe, b'{"name": "f", "args": {}}') == {"name": "f", "arguments": {}}
        assert "problems" in ask(pipe, b'{"name": "book_room", "args": {}}')
        rest, told = pipe.communicate(timeout=20)
        assert (pipe.returncode, rest, told) == (1, b"", b"")
    lines = b"\n".join(json.dumps(call).encode() for call, _ in SHAPES)
    done = run("restore", "--jsonl", "--receipt", receipt, stdin=lines)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, len(SHAPES))


def test_what_a_format_and_a_dialect_accept():
    whole = run("formats", "openai").stdout.decode()
    assert whole.startswith("openai: ")
    one = run("formats", "openai/strict").stdout.decode()
    assert one.startswith("openai/strict@2026-11-18: ")
    assert one in whole
    assert run("formats", "openai/strict@2026-11-18").stdout.decode() == one
    assert "earlier:     openai/strict@2026-11" in one
    old = run("formats", "openai/strict@2026-11").stdout.decode()
    assert old.startswith("openai/strict@2026-11: ")
    assert run("formats", "openai@2026-11").stdout.decode().startswith("openai@2026-11: ")
    for word in ("enforced:", "rejected:", "rule:", "at most:", "models:", "source:", "(checked "):
        assert word in one
    assert "routes:" in run("formats", "gemini/openapi").stdout.decode()
    assert b"did you mean 'openai/strict'?" in run("formats", "openai/strct").stderr
    assert b"did you mean 'openai/strict@2026-11'?" in run("formats", "openai/strict@2026-1").stderr
    assert b"did you mean 'gemini'?" in run("formats", "gemni").stderr


def test_every_code_is_explained():
    codes = [line.split()[0] for line in run("explain").stdout.decode().splitlines()]
    assert {"L001", "L101", "L201", "R001", "E101"} <= set(codes)
    assert b"each loss states its own" in run("explain", "L228").stdout
    assert b"Effect" not in run("explain", "nested-text-parsed").stdout


def test_same_bytes_whatever_the_hash_seed(tmp_path):
    body = {
        "tools": [TOOL, {"name": "a_b", "inputSchema": {"type": "dict", "nullable": True}},
                  {"type": "web_search"}, {"googleSearch": {}}],
    }  # fmt: skip
    seen = set()
    for seed in ("0", "1", "4242"):
        files = [tmp_path / f"{seed}.{kind}" for kind in ("out", "receipt", "losses")]
        env = {"PYTHONHASHSEED": seed}
        options = ["-o", files[0], "--receipt", files[1], "--losses", files[2], "-v"]
        done = run("convert", "-t", "openai", *options, stdin=body, env=env)
        assert done.returncode == 0, done.stderr
        detected = run("detect", "--verbose", stdin=TOOL, env=env).stdout
        canonical = run("canonicalize", stdin=TOOL, env=env).stdout
        said = done.stderr.replace(str(files[0]).encode(), b"OUT")
        seen.add((*(file.read_bytes() for file in files), said, detected, canonical))
    assert len(seen) == 1


@table(
    "args, code",
    [
        (("convert", "/nowhere.json", "-t", "mcp"), b"E114"),
        (("convert", "/", "-t", "mcp"), b"E114"),
        (("convert", "-t", "mpc"), b"E201"),
        (("convert", "-t", "raw"), b"E202"),
        (("convert",), b"E200"),
        (("convrt",), b"E200"),
        (("convert", "--nope"), b"E200"),
        (("convert", "a", "--input", "b", "-t", "mcp"), b"E200"),
        (("convert", "-t", "mcp", "--limit", "deepth=3"), b"E200"),
        (("convert", "-t", "mcp", "--limit", "depth=0"), b"E200"),
        (("convert", "-t", "mcp", "--limit", "depth=100000"), b"E200"),
        (("convert", "-t", "mcp", "--undo", "/nowhere"), b"E114"),
        (("explain", "L9"), b"E204"),
        (("formats", "nope"), b"E201"),
        (("formats", "openai/strct"), b"E205"),
        (("formats", "openai/strict@1999-01"), b"E205"),
        (("convert", "-t", "openai", "--dialect", "openai/strct"), b"E205"),
        (("convert", "-t", "openai", "--strict", "--strict-auto"), b"E200"),
        (("convert", "-t", "openai", "--strict", "--verbatim"), b"E200"),
        (("convert", "-t", "openai", "--jsonl", "--strict", "--receipt", "r.json"), b"E200"),
        (("restore",), b"E200"),
        (("restore", "--receipt", "-"), b"E200"),
        (("restore", "--receipt", "/nowhere"), b"E114"),
        (("restore", "--receipt", __file__), b"E101"),
        (("completion", "tcsh"), b"E200"),
    ],
)
def test_misuse_is_one_line_with_advice_and_status_2(args, code):
    done = run(*args, stdin=TOOL)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.startswith(b"error[" + code + b"]: ")
    assert done.stderr.count(b"\n") == 1


def test_json_lines_on_stdin(tmp_path):
    two = json.dumps(TOOL).encode() + b"\n" + json.dumps({**TOOL, "name": "g"}).encode()
    done = run("convert", "-t", "openai", stdin=two)
    assert done.returncode == 2
    assert b"--jsonl" in done.stderr
    assert len(run("convert", "-t", "openai", "--jsonl", stdin=two).stdout.splitlines()) == 2
    losses = tmp_path / "losses.jsonl"
    run("convert", "-t", "openai", "--jsonl", "--losses", losses, stdin=two)
    assert len(losses.read_text().splitlines()) == 5
    path = tmp_path / "d.jsonl"
    path.write_text('{"name": "f", "name": "g", "inputSchema": {}}\n[')
    done = run("detect", path, "--duplicate-keys", "warn")
    assert done.stderr.splitlines()[0].startswith(b"warning[E102]")
    assert b"at line 2, column 2" in done.stderr


def test_memory_does_not_grow_with_the_lines(tmp_path):
    path = tmp_path / "many.jsonl"
    peaks = []
    for count in (2_000, 40_000):
        path.write_text((json.dumps(TOOL) + "\n") * count, encoding="utf-8")
        code = (
            "import resource, subprocess, sys\n"
            f"subprocess.run([sys.executable, '-m', 'toolcanon', 'convert', {str(path)!r}, '-t',"
            " 'openai', '-q'], stdout=subprocess.DEVNULL, check=True)\n"
            "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        )
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
        peaks.append(int(done.stdout))
    assert peaks[1] < peaks[0] * 1.2


def test_places_that_are_no_files(tmp_path):
    assert run("convert", "-t", "mcp", "-o", "/dev/null", stdin=TOOL).returncode == 0
    real, link = tmp_path / "real.json", tmp_path / "link.json"
    real.write_text("{}")
    link.symlink_to(real)
    assert run("convert", "-t", "mcp", "-o", link, stdin=TOOL).returncode == 0
    assert link.is_symlink()
    assert json.loads(real.read_text())["name"] == "a.b"
    receipt = tmp_path / "receipt.json"
    done = run("convert", "-t", "mcp", "--receipt", receipt, "-o", "/no/where.json", stdin=TOOL)
    assert (done.returncode, done.stdout, receipt.exists()) == (3, b"", False)
    done = run("convert", "-t", "mcp", "--losses", "/no/where.json", stdin=TOOL)
    assert (done.returncode, done.stdout) == (3, b"")
    done = run("convert", "-t", "mcp", "-o", receipt, "--receipt", receipt, stdin=TOOL)
    assert (done.returncode, receipt.exists()) == (2, False)
    assert json.loads(run("convert", "-t", "mcp", "-o", "-", stdin=TOOL).stdout)["name"] == "a.b"
    assert run("convert", "-t", "mcp", "-q", "-o", receipt, stdin=TOOL).stderr == b""
    evil = tmp_path / "\x1b[31m"
    assert b"\x1b" not in run("convert", "-t", "mcp", "-o", evil, stdin=TOOL).stderr


def test_stream_errors_are_not_internal_errors():
    base = f"{sys.executable} -m toolcanon convert -t mcp"
    tool = json.dumps(TOOL)
    for script, status in (
        (f"echo '{tool}' | {base} > /dev/full", 3),
        (f"{base} <&-", 2),
        (f"{base} /proc/self/mem --jsonl", 2),
        (f"echo '{tool}' | {base} --limit bytes=1000000000", 0),
    ):
        done = subprocess.run(
            ["bash", "-c", script], capture_output=True, check=False, timeout=60
        )  # fmt: skip
        assert done.returncode == status, (script, done.stderr)
        assert b"E999" not in done.stderr


def test_output_is_whole_or_absent(tmp_path):
    done = run("convert", "-t", "mcp", "-o", tmp_path / "no" / "x.json", stdin=TOOL)
    assert done.returncode == 3
    assert done.stderr.startswith(b"error[E301]")
    target = tmp_path / "x.json"
    target.write_text("before")
    assert run("convert", "-t", "mcp", "-o", target, stdin=b"nonsense").returncode == 2
    assert target.read_text() == "before"


def nested(opening, inner, closing, depth):
    return opening * depth + inner + closing * depth


HOSTILE = {
    "deep lists": b"[" * 10**6,
    "deep objects": nested(b'{"a":', b"1", b"}", 10**5),
    "deep schema": b'{"name":"f","inputSchema":' + nested(b'{"items":', b"{}", b"}", 5000) + b"}",
    "depth at the limit": b'{"name":"f","parameters":'
    + nested(b'{"type":"dict","items":', b"{}", b"}", 254) + b"}",
    "sixty megabytes of text": b'{"name":"' + b"x" * 60_000_000 + b'"}',
    "sixty megabytes of blanks": b" " * 60_000_000,
    "many lists": b"[" + b"[]," * 10_000_000 + b"[]]",
    "many strings": b"[" + b'"",' * 10_000_000 + b'""]',
    "many objects": b"[" + b'{"a":{}},' * 3_000_000 + b"{}]",
    "many tools": b"[" + b'{"name":"f","inputSchema":{}},' * 200_000 + b'{"name":"f"}]',
    "duplicate keys": b'{"a":1,"a":2}',
    "many duplicate keys": b'{"a":1' + b',"a":2' * 500_000 + b"}",
    "huge number": b'{"name":"f","inputSchema":{"minimum":' + b"9" * 100_000 + b"}}",
    "not a number": b'{"name":NaN}',
    "too large": b"[1e999]",
    "lone surrogate": b'{"name":"\\ud800","inputSchema":{}}',
    "utf-16": json.dumps(TOOL).encode("utf-16"),
    "latin-1": b'{"name":"\xe9"}',
    "control": b'{"name":"\x00"}',
    "empty": b"",
    "null": b"null",
    "wrong types": b'{"name":{"a":1},"inputSchema":[1],"type":"function","function":3}',
    "long name": b'{"name":"' + b"n" * 5000 + b'","inputSchema":{}}',
    "escapes": b'{"name":"\\u001b]0;pwned\\u0007","inputSchema":3}',
    "one large tool": b'{"name":"f","inputSchema":{"type":"dict","properties":{'
    + b",".join(b'"p%d":{"type":"float"}' % i for i in range(600_000)) + b"}}}",
    "large enum": b'{"name":"f","inputSchema":{"enum":[' + b'{"a":1},' * 900_000 + b"1]}}",
    "invisible": b'{"name":"f","description":"' + b"\xe2\x80\xae" * 9_000_000 + b'"}',
    "unclosed string": b"[" * 300 + b'"' + b'\\"' * 1_000_000,
    "just below the limit of a tool": b'{"name":"f","parameters":{"type":"dict","properties":{'
    + b",".join(b'"p%d":{"type":"float"}' % i for i in range(36_000)) + b"}}}",
    "wide schema": b'{"name":"f","inputSchema":{"type":"x","required":['
    + b'"a",' * 400_000 + b'"a"],"properties":3}}',
}  # fmt: skip
FINE = {"depth at the limit", "just below the limit of a tool"}


LARGE = 1_000_000  # from here on memory counts, so it is a process that is limited


@table("name", HOSTILE)
def test_hostile_input_ends_quickly_with_a_plain_error(name):
    given = HOSTILE[name]
    for command in (("convert", "-t", "anthropic"), ("canonicalize",)):
        is_limited = len(given) >= LARGE and command[0] == "convert"
        who = resource.RUSAGE_CHILDREN if is_limited else resource.RUSAGE_SELF
        begin = resource.getrusage(who)
        done = run(*command, stdin=given, memory=1024 * 1024 * 1024 if is_limited else None)
        end = resource.getrusage(who)
        assert end.ru_utime + end.ru_stime - begin.ru_utime - begin.ru_stime < 5, name
        assert done.returncode in ((0, 2) if command[0] != "convert" or name in FINE else (2,))
        assert b"Traceback" not in done.stderr
        assert b"\x1b" not in done.stdout + done.stderr
        if done.returncode == 2:
            assert done.stdout == b""
            assert done.stderr.startswith(b"error[E")
            assert len(done.stderr) < 2000


def test_memory_of_the_largest_document_allowed():
    """The peak of a child that reads the worst document that is still within the limits."""
    worst = b"{" + b",".join(b'"p%d":{"t":1}' % i for i in range(749_000)) + b"}"
    code = (
        "import resource, subprocess, sys\n"
        "subprocess.run([sys.executable, '-m', 'toolcanon', 'detect'], stdin=sys.stdin.buffer,"
        " capture_output=True)\n"
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], input=worst, capture_output=True, check=True, timeout=60
    )
    assert int(done.stdout) < 512 * 1024


def test_nothing_from_input_reaches_the_terminal_raw():
    evil = "\x1b[31mred\x9b\u202e\u200b\r"
    tool = {"name": evil, "title": evil, "description": evil, "inputSchema": {"type": "object"}}
    for args in (("convert", "-t", "openai", "-v"), ("canonicalize",), ("detect", "-v")):
        done = run(*args, stdin=tool, env={"LC_ALL": "C", "PYTHONIOENCODING": "utf-8"})
        assert done.returncode == 0, done.stderr
        shown = (done.stdout + done.stderr).decode()
        assert not set(shown) & set("\x1b\x9b\u202e\u200b\r")
    done = run("convert", "-t", "openai", stdin={"name": "f", evil: 1, "parameters": 3})
    assert b"\x1b" not in done.stderr


@pytest.mark.parametrize("locale", ["C", "POSIX", "C.UTF-8"])
def test_any_locale(locale):
    tool = {"name": "f", "description": "Grüße 漢字 😀", "inputSchema": {"type": "object"}}
    done = run("convert", "-t", "openai", "-v", stdin=tool, env={"LC_ALL": locale})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.decode())["function"]["description"] == "Grüße 漢字 😀"


def test_a_closed_pipe_is_not_an_error(tmp_path):
    path = tmp_path / "big.jsonl"
    path.write_text("\n".join([json.dumps(TOOL)] * 20000), encoding="utf-8")
    script = f"{sys.executable} -m toolcanon convert {path} -t openai -q | head -n 1"
    done = subprocess.run(
        ["bash", "-o", "pipefail", "-c", script], capture_output=True, check=False, timeout=60
    )
    assert done.stdout.count(b"\n") == 1
    assert (done.returncode, done.stderr) == (0, b"")


def test_an_internal_error_is_one_line_with_an_id(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import toolcanon.conversion.api as api\n"
        "def explode(*a, **k): raise ZeroDivisionError('oops')\n"
        "import toolcanon.cli.inspect as d\n"
        "d.detect = explode\n",
        encoding="utf-8",
    )
    done = run("detect", stdin=TOOL, env={"PYTHONPATH": str(tmp_path)})
    assert done.returncode == 70
    assert done.stderr.startswith(b"error[E999]: internal error (ZeroDivisionError")
    assert done.stderr.count(b"\n") == 1
    assert b"Traceback" in run(
        "detect", "--debug", stdin=TOOL, env={"PYTHONPATH": str(tmp_path)}
    ).stderr  # fmt: skip


def test_help_everywhere():
    for command in ((), ("convert",), ("canonicalize",), ("emit",), ("detect",), ("formats",),
                    ("explain",), ("completion",), ("restore",)):  # fmt: skip
        done = run(*command, "--help")
        assert done.returncode == 0
        assert b"Examples:" in done.stdout
    assert run("--version").stdout.startswith(b"toolcanon ")
    assert b"_TOOLCANON_COMPLETE" in run("completion", "bash").stdout
    assert b"Usage:" in run().stderr + run().stdout


def test_help_loads_nothing_heavy():
    code = (
        "import sys\nfrom toolcanon.cli import toolcanon\n"
        "toolcanon(['--help'], standalone_mode=False)\n"
        "heavy = {'pydantic', 'orjson', 'toolcanon.registry'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    code = "import sys, toolcanon\nprint(sorted(m for m in sys.modules if 'toolcanon' in m))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.strip() == b"['toolcanon']"


@pytest.mark.parametrize(
    "options, status, code",
    [
        (("no-such-file.jsonl",), 2, b"E114"),
        (("no-such-file.jsonl.gz",), 2, b"E114"),
        (("-", "--jsonl", "--calls-field", "answers"), 2, b"E200"),
        (("-", "--jsonl", "--keep-original"), 2, b"E200"),
        (("-", "--jsonl", "--on-error", "fail", "--rejects", "r.jsonl"), 2, b"E200"),
        (("-", "--rejects", "r.jsonl"), 2, b"E200"),
        (("-", "--jsonl", "--tools-field", "tools"), 2, b"E110"),
    ],
)
def test_rows_that_cannot_be(options, status, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("convert", *options, "-t", "anthropic", stdin=TOOL)
    assert (done.returncode, done.stdout) == (status, b"")
    assert code in done.stderr
    assert list(tmp_path.iterdir()) == []


BESIDE = "x" * 1_200_000  # more than a tool may be large


def test_a_row_may_hold_much_beside_its_tools(tmp_path):
    tools = json.dumps([{"name": f"f{number}", "inputSchema": {}} for number in range(20)])
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"held": tools, "messages": BESIDE}) + "\n")
    options = ("convert", rows, "-t", "openai", "--tools-field", "held")
    assert run(*options).returncode == 0
    done = run(*options, "--limit", "tools=10")
    assert (done.returncode, b"E106" in done.stderr) == (2, True)


def test_rejected_rows_are_there_to_the_byte(tmp_path):
    rows, rejects = tmp_path / "rows.jsonl", tmp_path / "rejects.jsonl"
    rows.write_bytes(b'{"name": "\xff"}\n')
    assert run("convert", rows, "-t", "openai", "--rejects", rejects).returncode == 0
    told = json.loads(rejects.read_text())
    assert base64.b64decode(told["bytes"]) == b'{"name": "\xff"}'


def test_rejected_rows_have_their_line(tmp_path):
    rows, rejects = tmp_path / "rows.jsonl", tmp_path / "rejects.jsonl"
    odd = (
        '{"name": }',
        '{"a": 1, "a": 2}',
        '{"a": 1e999}',
        "[" * 300 + "]" * 300,
        '{"a": "\\ud800"}',
    )
    rows.write_text("\n".join(f'{{"name": "f", "inputSchema": {{}}}}\n{row}' for row in odd))
    assert run("convert", rows, "-t", "openai", "--rejects", rejects).returncode == 0
    told = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert [entry["row"] for entry in told] == [2, 4, 6, 8, 10]
    lines = [re.findall(r"line (\d+)", entry["error"]["message"]) for entry in told]
    assert lines == [["2"], ["4", "4"], ["6"], ["8"], []]
    rows.write_text("\n\n" + odd[1])  # and whoever is told on a terminal knows it as well
    said = run("convert", "--jsonl", rows, "-t", "openai").stderr.decode()
    assert set(re.findall(r"line (\d+)", said)) == {"3"}, said


def test_what_is_called_gz_is_packed_the_same_each_time(tmp_path):
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl.gz"
    rows.write_text('{"name": "f", "inputSchema": {}}\n')
    packed = set()
    for _ in range(2):
        assert run("convert", rows, "-t", "openai", "-o", out).returncode == 0
        packed.add(out.read_bytes())
        assert json.loads(gzip.decompress(out.read_bytes()))["function"]["name"] == "f"
    assert len(packed) == 1


def test_standard_output_by_its_path_is_not_cut_short(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"name": "f", "inputSchema": {}}\n')
    tool = f"{sys.executable} -m toolcanon convert rows.jsonl -q -t openai -o /dev/stdout"
    line = f"{{ echo before; {tool}; echo after; }} > out"
    subprocess.run(line, shell=True, cwd=tmp_path, check=True)  # noqa: S602 - the shell redirects
    before, row, after = (tmp_path / "out").read_text().splitlines()
    assert (before, json.loads(row)["function"]["name"], after) == ("before", "f", "after")


def test_a_terminated_command_leaves_no_files(tmp_path):
    fifo = tmp_path / "rows.jsonl"
    os.mkfifo(fifo)
    command = [sys.executable, "-m", "toolcanon", "convert", fifo, "-t", "openai"]
    command += ["-o", tmp_path / "out.jsonl"]
    with subprocess.Popen(command) as child, fifo.open("wb") as rows:  # open once it is read
        rows.write(b'{"name": "f", "inputSchema": {}}\n')
        rows.flush()
        while not any(name.name.startswith(".out") for name in tmp_path.iterdir()):
            time.sleep(0.01)
        child.terminate()
        assert child.wait(20) == 128 + signal.SIGTERM
    assert [name.name for name in tmp_path.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize("option", ["--rejects", "--losses"])
def test_what_is_read_is_not_written_over(tmp_path, option):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"name": "f", "inputSchema": {}}\n[]\n')
    before = rows.read_bytes()
    done = run("convert", rows, "-t", "openai", option, tmp_path / "." / "rows.jsonl")
    assert (done.returncode, rows.read_bytes()) == (2, before)
    assert f"{option} is also the input".encode() in done.stderr


@pytest.mark.parametrize("name", ["tool.json", "rows.jsonl"])
@pytest.mark.parametrize(
    "closed, status, says", [(">&-", 3, b"E301"), ("2>&-", 0, b""), (">&- 2>&-", 3, b"")]
)
def test_closed_streams(tmp_path, name, closed, status, says):
    (tmp_path / name).write_text('{"name": "f", "inputSchema": {}}\n')
    line = f"{sys.executable} -m toolcanon convert {name} -t openai {closed}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, capture_output=True, check=False)  # noqa: S602 - the shell closes
    assert (done.returncode, says in done.stderr) == (status, True)
    assert b"E999" not in done.stderr
    assert bool(done.stdout) == (status == 0)


def test_undo_without_a_target_goes_back_to_the_format_of_the_receipt(tmp_path):
    tools = [{"name": "a.b", "inputSchema": {"type": "object"}}]
    there, receipt = tmp_path / "there.json", tmp_path / "receipt.json"
    assert run("convert", "-t", "openai", "-o", there, "--receipt", receipt, stdin=tools) \
        .returncode == 0  # fmt: skip
    back = run("convert", there, "--undo", receipt, "-q")
    assert (back.returncode, json.loads(back.stdout)) == (0, tools)
    missing = run("convert", there)
    assert (missing.returncode, missing.stdout) == (2, b"")
    assert b"Missing option '-t' / '--to'" in missing.stderr


@table(
    "tools, says",
    [
        (
            [{"source_format": "mcp"}, {"source_format": "openai"}],
            b"come from mcp, openai: add --to",
        ),
        ([{"source_format": None}, 1, {}], b"state no format of origin: add --to"),
        (5, b"state no format of origin: add --to"),
        ([{"source_format": "nope"}], b"unknown format 'nope'"),
        ([{"source_format": "raw"}], b"'raw' cannot be written"),
    ],
)
def test_undo_without_a_target_states_what_is_missing(tools, says, tmp_path):
    receipt = tmp_path / "receipt.json"
    receipt.write_text(json.dumps({"toolcanon-receipt": 1, "tools": tools}))
    done = run("convert", "--undo", receipt, stdin=[])
    assert (done.returncode, done.stdout) == (2, b"")
    assert says in done.stderr
