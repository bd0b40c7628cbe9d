"""The command lines whose output is digested, with the files they read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from digest_samples import conversations, tools

Line = tuple[str, list[str], Mapping[str, str]]


def _row(number: int) -> Any:
    members = {f"p{number % 7}": {"type": "string"}}
    schema = {"type": "object", "properties": members}
    return {"name": f"tool_{number}", "description": f"Row {number}.", "inputSchema": schema}


_SERVER: Any = [
    dict(definition, name=f"{number} {definition['name']}")
    for number, (_, definition, _) in enumerate(tools(5))
]
_CHANGED: Any = [dict(tool, description="Made otherwise.") for tool in _SERVER[1:]]
_FILES: Mapping[str, str] = {
    "tools.json": json.dumps(_SERVER),
    "changed.json": json.dumps(_CHANGED),
    "tool.json": json.dumps(_SERVER[2]),
    "broken.json": '{"name": "f", ',
    "history.json": json.dumps(next(body for _, body in conversations(1))),
    "rows.jsonl": "".join(json.dumps(tool) + "\n" for _, tool, _ in tools(200)),
    "alike.jsonl": "".join(json.dumps(_row(number)) + "\n" for number in range(200)),
}

_TOOLCANON = """
--help
convert --help
check --help
convert tools.json --to openai --strict
convert tools.json --to anthropic -v
convert tools.json --to gemini -q
convert tool.json --to bedrock --receipt out.json
convert tools.json --to mcp --losses out.json
convert rows.jsonl --to anthropic -o out.jsonl
convert rows.jsonl --to openai --strict -o out.jsonl
convert alike.jsonl --to anthropic -o out.jsonl
convert alike.jsonl --to openai -o out.jsonl
convert broken.json --to openai
convert missing.json --to openai
convert tools.json --to opena
convert tools.json --to gemini --dialect gemini/openapi
check tools.json
check tools.json --json
check tools.json --select ALL
check tools.json --output-format markdown
check tools.json --output-format sarif
check tools.json --output-format junit
check tools.json --output-format github
check history.json --target anthropic
switch history.json --to anthropic
switch history.json --to gemini
switch history.json --to openai-responses
diff tools.json changed.json
diff tools.json changed.json --json
detect tool.json --verbose
canonicalize tool.json
emit --help
show tool.json --to openai
formats
formats openai
formats openai/strict
explain L209
explain D203
explain nonsense
"""
_TOOLWATCH = """
--help
baseline --help
verify --help
"""

COMMANDS: list[Line] = [
    (program, line.split(), _FILES)
    for program, lines in (("toolcanon", _TOOLCANON), ("toolwatch", _TOOLWATCH))
    for line in lines.strip().splitlines()
]
