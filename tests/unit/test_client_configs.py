"""The files of MCP clients, read as their clients would and never acted upon."""

import json
import subprocess

import pytest

from toolcanon.errors import (
    DuplicateKey,
    LimitExceeded,
    MalformedJson,
    MissingFile,
    ToolcanonError,
    UnusableConfig,
)
from toolcanon.sources.config_files import choose_server, read_client_config

STDIO = {"command": "npx", "args": ["-y", "s"], "env": {"A": "1", "B": "2"}, "cwd": "/x"}

SHAPES = {
    "desktop and editors": {"mcpServers": {"a": STDIO}},
    "one editor": {"servers": {"a": {"type": "stdio", **STDIO}}, "inputs": []},
    "its settings": {"editor.fontSize": 12, "mcp": {"servers": {"a": STDIO}}},
    "its flat settings": {"mcp.servers": {"a": STDIO}},
    "another editor": {"context_servers": {"a": {"source": "custom", **STDIO}}},
    "the same, older": {
        "context_servers": {
            "a": {"command": {"path": "npx", "args": ["-y", "s"], "env": STDIO["env"]}, "cwd": "/x"}
        }
    },
    "one list": {"command": ["npx", "-y", "s"], "environment": STDIO["env"], "cwd": "/x"},
    "projects": {"projects": {"/home": {"mcpServers": {"a": STDIO}}}},
    "a list of them": {"mcpServers": [{"name": "a", **STDIO}]},
}
SHAPES["one list"] = {"mcp": {"a": {"type": "local", **SHAPES["one list"]}, "timeout": 5}}


def wrote(folder, text, name="mcp.json"):
    path = folder / name
    path.write_text(text if isinstance(text, str) else json.dumps(text), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("shape", SHAPES)
def test_shapes(shape, tmp_path):
    (entry,) = read_client_config(wrote(tmp_path, SHAPES[shape]))
    assert (entry.name, entry.command, entry.cwd) == ("a", ("npx", "-y", "s"), "/x")
    assert (dict(entry.env), entry.url, entry.is_disabled) == ({"A": "1", "B": "2"}, None, False)
    assert entry.trouble == ""


@pytest.mark.parametrize("key", ["url", "serverUrl", "httpUrl"])
def test_addresses(key, tmp_path):
    item = {"type": "http", key: "https://h/mcp?k=v", "headers": {"X": "v"}}
    (entry,) = read_client_config(wrote(tmp_path, {"mcpServers": {"a": item}}))
    assert (entry.url, dict(entry.headers), entry.command) == ("https://h/mcp?k=v", {"X": "v"}, ())
    assert entry.shown == "https://h/mcp?k=***"


def test_toml(tmp_path):
    text = '[mcp_servers.a]\ncommand = "npx"\nargs = ["s"]\nenabled = false\nenv = {A = "1"}'
    (entry,) = read_client_config(wrote(tmp_path, text, "config.toml"))
    assert (entry.command, dict(entry.env), entry.is_disabled) == (("npx", "s"), {"A": "1"}, True)
    with pytest.raises(MalformedJson, match="as TOML"):
        read_client_config(wrote(tmp_path, "a = ", "config.toml"))
    with pytest.raises(ToolcanonError):
        read_client_config(wrote(tmp_path, "a = " + "[" * 100_000, "config.toml"))


COMMENTED = """\ufeff// who writes this
{ /* and why */
  "mcpServers": { // "x": {}
    "a": {"command": "c", "args": ["//no", "/* no */", ",]", "\\"//",], "disabled": true,},
  },
}
"""


def test_comments_and_last_commas(tmp_path):
    (entry,) = read_client_config(wrote(tmp_path, COMMENTED))
    assert entry.command == ("c", "//no", "/* no */", ",]", '"//')
    assert entry.is_disabled


def test_places_stay_where_comments_were(tmp_path):
    with pytest.raises(DuplicateKey) as caught:
        read_client_config(wrote(tmp_path, '/* a\nb */ {"a": 1, // c\n "a": 2}'))
    assert (caught.value.first, caught.value.second) == ((2, 7), (3, 2))


@pytest.mark.parametrize(
    "text, error",
    [
        ("", MalformedJson),
        ("{'a': 1}", MalformedJson),
        ('{"mcpServers": {}', MalformedJson),
        ('{"a" /* open', MalformedJson),
        ("[]", UnusableConfig),
        ("3", UnusableConfig),
        ('{"servers": 3}', UnusableConfig),
        ('{"a": ' + "[" * 9999, LimitExceeded),
        ("/*" * 100_000, MalformedJson),
        ('"' * 99_999, MalformedJson),
        ("," * 200_000, MalformedJson),
        (" " * (4 * 1024 * 1024 + 1), LimitExceeded),
    ],
    ids=lambda value: str(value)[:12],
)
def test_what_is_no_such_file(text, error, tmp_path):
    with pytest.raises(error):
        read_client_config(wrote(tmp_path, text))
    with pytest.raises(MissingFile):
        read_client_config(str(tmp_path / "none"))
    with pytest.raises(MissingFile):
        read_client_config(str(tmp_path))


TROUBLE = {
    "object": 3,
    "neither": {},
    "texts": {"command": "c", "args": [1]},
    "texts ": {"command": ""},
    "texts  ": {"command": []},
    "env": {"command": "c", "env": {"A": 1}},
    "url": {"url": {}},
}


def test_one_bad_entry_spoils_no_other(tmp_path):
    path = wrote(tmp_path, {"mcpServers": {**TROUBLE, "fine": STDIO}})
    entries = read_client_config(path)
    assert [entry.name for entry in entries if not entry.trouble] == ["fine"]
    assert choose_server(path, entries, "fine").command == ("npx", "-y", "s")
    for name in TROUBLE:
        with pytest.raises(UnusableConfig, match=name.strip()):
            choose_server(path, entries, name)


def test_choosing(tmp_path):
    off = {**STDIO, "disabled": True}
    path = wrote(tmp_path, {"mcpServers": {"one": STDIO, "two": off}})
    entries = read_client_config(path)
    assert choose_server(path, entries, None).name == "one"
    assert choose_server(path, entries, "two").is_disabled
    with pytest.raises(UnusableConfig, match="did you mean 'two'"):
        choose_server(path, entries, "tow")
    with pytest.raises(UnusableConfig, match="several servers: 'one' at /mcpServers/one"):
        choose_server(path, [*entries, entries[0]], None)
    with pytest.raises(UnusableConfig, match="no server is enabled"):
        choose_server(path, entries[1:], None)


@pytest.mark.parametrize(
    "item, place",
    [
        ({**STDIO, "env": {"KEY": "x${env:KEY}"}}, "the variable KEY"),
        ({**STDIO, "args": ["${workspaceFolder}/x"]}, "its command"),
        ({"url": "https://${HOST}/"}, "its command"),
        ({"url": "https://h/", "headers": {"K": "${input:k}"}}, "the header K"),
    ],
)
def test_placeholders_are_found_and_not_filled_in(item, place, tmp_path):
    (entry,) = read_client_config(wrote(tmp_path, {"servers": {"a": item}}))
    assert entry.placeholder()[0] == place
    own = entry.with_values({"KEY": "v"}, {"K": "v"})
    assert (own.placeholder() is None) == (place != "its command")
    assert entry.env.get("KEY") != "v"


def test_an_entry_does_not_print_what_it_holds(tmp_path):
    secret = "swordfish-and-more"  # noqa: S105
    item = {"command": "c", "args": ["--token", secret], "env": {"A": secret}}
    entries = read_client_config(
        wrote(tmp_path, {"servers": {"a": item, "b": {"url": f"https://{secret}@h"}}})
    )
    assert secret not in repr(entries) + "".join(entry.shown for entry in entries)


def test_reading_starts_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(subprocess, "Popen", None)
    for shape in SHAPES.values():
        read_client_config(wrote(tmp_path, shape))
