"""The types of the npm package ``ai`` judge tools and choices, by its own compiler's verdict."""

import json
import re
import shutil
import subprocess

import pytest

import toolcanon as tc
from tests.conftest import ROOT, format_cases

INSTALLED = ROOT / ".venv-types" / "node_modules"
COMPILER = INSTALLED / ".bin" / "tsc"
OPTIONS = "--noEmit --strict --module nodenext --target es2022 --skipLibCheck --pretty false"

pytestmark = pytest.mark.skipif(
    not COMPILER.exists() or shutil.which("node") is None,
    reason="no .venv-types with it: `make test` makes it, given the package indexes",
)

HEAD = """\
import type {
  LanguageModelV2ProviderDefinedTool, LanguageModelV4CallOptions, LanguageModelV4ToolChoice,
} from "@ai-sdk/provider";
type Tool = NonNullable<LanguageModelV4CallOptions["tools"]>[number];
"""
TOOL, OLDER, CHOICE = "Tool", "LanguageModelV2ProviderDefinedTool", "LanguageModelV4ToolChoice"

# Its schemas are typed as draft 7. The keywords of others go through as they are.
KEYWORD = re.compile(r"TS2353: .* and '\"([^']+)\"' does not exist in type 'JSONSchema7'")

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
FUNCTION = {"type": "function", "name": "f", "inputSchema": SCHEMA}
PROVIDED = {"type": "provider", "id": "someone.search", "name": "search", "args": {}}
WRONG = [
    {"type": "function", "name": "f"},
    {"type": "function", "name": "f", "parameters": SCHEMA},
    {"type": "function", "inputSchema": SCHEMA},
    {"name": "f", "inputSchema": SCHEMA},
    {**FUNCTION, "inputSchema": {"type": "OBJECT"}},
    {**FUNCTION, "inputSchema": {"type": "object", "required": "a"}},
    {**FUNCTION, "inputSchema": [SCHEMA]},
    {**FUNCTION, "strict": "yes"},
    {**FUNCTION, "inputExamples": [{"a": "x"}]},
    {**FUNCTION, "title": "F"},
    {"f": {"inputSchema": SCHEMA}},
    {"search": {"type": "provider", "id": "someone.search", "args": {}}},
    {key: value for key, value in PROVIDED.items() if key != "name"},
    {**PROVIDED, "id": "search"},
    {**PROVIDED, "args": None},
]


def refused(folder, values):
    """What the compiler reports of each value that is not of its type, by number."""
    (folder / "node_modules").symlink_to(INSTALLED)
    lines = [f"const v{n}: {kind} = {json.dumps(value)};" for n, (kind, value) in enumerate(values)]
    (folder / "values.mts").write_text(HEAD + "\n".join([*lines, "export {};\n"]), "utf-8")
    command = [COMPILER, *OPTIONS.split(), "--types", "", "values.mts"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    before, told = HEAD.count("\n") + 1, {}
    for line in done.stdout.splitlines():
        if line.startswith(" "):  # more about the same
            continue
        place = re.match(r"values\.mts\((\d+),\d+\): error (.*)", line)
        assert place is not None, done.stdout
        told.setdefault(int(place[1]) - before, []).append(place[2])
    assert bool(told) is (done.returncode != 0), done.stdout + done.stderr
    return told


def as_typed(item):
    return (OLDER if item["type"] == "provider-defined" else TOOL), item


def test_every_tool_that_we_write_is_of_its_type(tmp_path):
    origins, values = [], []
    for format_id, case in format_cases():
        for strict in (False, True):
            payload = tc.convert(case["definition"], "vercel", source=format_id, strict=strict)
            written = payload.payload
            for item in written if isinstance(written, list) else [written]:
                origins.append((format_id, case["case"]))
                values.append(as_typed(item))
    assert {kind for kind, _ in values} == {TOOL, OLDER}
    assert {item["type"] for _, item in values} == {"function", "provider", "provider-defined"}
    keywords = set()
    for number, errors in refused(tmp_path, values).items():
        found = [KEYWORD.match(error) for error in errors]
        assert all(found), (origins[number], values[number], errors)
        keywords |= {one[1] for one in found}
    assert "prefixItems" in keywords, "the judge of schemas is not there"


def test_records_and_choices_are_of_their_types(tmp_path):
    record = {
        "weather": {"description": "d", "inputSchema": SCHEMA, "strict": True},
        "search": {"type": "provider", "id": "someone.search", "args": {"n": 3}},
        "look": {"type": "provider-defined", "id": "someone.look", "name": "l", "args": {}},
    }
    done = tc.convert(record, "vercel")
    values = [as_typed(item) for item in done.payload]
    values.append((CHOICE, done.binding.tool_choice("weather")))
    assert [kind for kind, _ in values] == [TOOL, TOOL, OLDER, CHOICE]
    assert refused(tmp_path, values) == {}


def test_the_judge_refuses_what_is_wrong(tmp_path):
    values = [(TOOL, item) for item in (FUNCTION, PROVIDED, *WRONG)]
    values += [(CHOICE, {"type": "tool", "name": "f"}), (OLDER, PROVIDED)]
    assert [*refused(tmp_path, values)] == [*range(2, len(values))]
