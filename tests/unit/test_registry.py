"""Third-party formats: found by entry point, never able to break the others."""

import subprocess
import sys
import textwrap

import pytest

from toolcanon.errors import UnknownFormat
from toolcanon.registry import BrokenPlugin, builtin_formats, get_format, registry

PLUGIN = """
from toolcanon.formats.wire import Format, Match, build, reading, take

TABLE = reading({"name": ("name", str), "args": ("inputs", dict)})

def sniff(definition):
    return Match(1.0, "'acme'") if "acme" in definition else None

def read(definition):
    said, left, noted = take(definition, TABLE, "acme")
    return build("acme", said, left, noted, definition)

def write(tool, wire):
    return {"acme": 1, "name": wire.name, "args": wire.inputs}

FORMAT = Format(id="acme", title="Acme", signals=frozenset({"acme"}), sniff=sniff, read=read,
                write=write)
MUTE = Format(id="mute", title="Only read", signals=frozenset({"mute"}), sniff=sniff, read=read)
TAKEN = Format(id="mcp", title="x", signals=frozenset(), sniff=sniff, read=read)
NOT_A_FORMAT = 3
"""
POINTS = """
[toolcanon.formats]
acme = acme_plugin:FORMAT
broken = acme_plugin:MISSING
exploding = acme_explodes:FORMAT
mute = acme_plugin:MUTE
notformat = acme_plugin:NOT_A_FORMAT
taken = acme_plugin:TAKEN
"""


@pytest.fixture
def plugins(tmp_path):
    (tmp_path / "acme_plugin.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "acme_explodes.py").write_text("raise SystemError('boom')", encoding="utf-8")
    info = tmp_path / "acme_plugin-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-plugin\nVersion: 1\n")
    (info / "entry_points.txt").write_text(POINTS)
    return tmp_path


def run(folder, code):
    script = f"import sys; sys.path.insert(0, {str(folder)!r})\n" + textwrap.dedent(code)
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_plugin_is_a_format_like_any_other(plugins):
    out = run(
        plugins,
        """
        import toolcanon as tc
        given = {"acme": 1, "name": "f", "args": {"type": "object"}}
        print(tc.detect(given).format)
        print(tc.convert(given, "mcp").payload)
        print(tc.convert({"name": "f", "inputSchema": {"type": "object"}}, "acme").payload)
        print(tc.convert(given, "acme", lower=False).payload == given)
        print(tc.canonicalize(given).source_format_detected)
        print(tc.canonicalize({"name": "g", "args": {}}, "mute").tool.name)
        """,
    )
    assert out.splitlines() == [
        "acme",
        "{'name': 'f', 'inputSchema': {'type': 'object'}}",
        "{'acme': 1, 'name': 'f', 'args': {'type': 'object'}}",
        "True",
        "acme",
        "g",
    ]


def test_broken_plugins_are_reported_and_left_out(plugins):
    out = run(
        plugins,
        """
        from toolcanon.registry import registry
        for item in registry().broken: print(item.name, "|", item.reason)
        from toolcanon.cli import toolcanon
        toolcanon(["formats"], prog_name="toolcanon")
        """,
    )
    assert out.splitlines()[:4] == [
        "broken | AttributeError: module 'acme_plugin' has no attribute 'MISSING'",
        "exploding | SystemError: boom",
        "notformat | expected a Format, found int",
        "taken | the id 'mcp' is already used",
    ]
    assert out.count("warning: the format plugin") == 4


def test_lookup():
    assert get_format("mcp").id == "mcp"
    assert set(builtin_formats()) <= set(registry().formats)
    with pytest.raises(UnknownFormat) as caught:
        get_format("opnai")
    assert "did you mean 'openai'" in str(caught.value)
    assert BrokenPlugin("a", "b", "c").reason == "c"
