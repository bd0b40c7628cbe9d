"""Conversions of real definitions, ours and others', in multiples of orjson's loads and dumps."""

from __future__ import annotations

import copy
import json
import os
import platform
import sys
from pathlib import Path
from typing import Any

import orjson
from ratios import Contestant, measure, table

import toolcanon as tc

ROOT = Path(__file__).parent.parent
CORPUS = Path(os.environ.get("TOOLCANON_CORPUS", ROOT.parent / "shared" / "corpus"))


def definitions() -> list[Any]:
    path = CORPUS / "bench_2k.jsonl"
    if not path.exists():
        sys.exit(f"no benchmark set at {path}; set TOOLCANON_CORPUS")
    return [json.loads(line)["definition"] for line in path.read_text("utf-8").splitlines()]


def to(target: str, *, lower: bool = True) -> Any:
    return lambda definition: tc.convert(definition, target, lower=lower).payload


def from_bytes(text: bytes) -> bytes:
    return orjson.dumps(tc.convert(orjson.loads(text), "anthropic").payload)


def everything(definition: Any) -> Any:
    done = tc.convert(definition, "anthropic")
    return done.payload, done.losses, done.binding.receipt()


OURS = [
    Contestant("detect, read, write anthropic", to("anthropic")),
    Contestant("detect, read, write openai", to("openai")),
    Contestant("detect, read, write gemini", to("gemini")),
    Contestant("detect, read, write mcp", to("mcp")),
    Contestant("detect, read, write bedrock", to("bedrock")),
    Contestant("the same verbatim, anthropic", to("anthropic", lower=False)),
    Contestant("read only", tc.read),
    Contestant("detect only", tc.detect),
    Contestant("write, losses and receipt, anthropic", everything),
    Contestant("bytes to bytes, anthropic", from_bytes, from_bytes=True),
]


def peers(rows: list[Any]) -> list[Contestant]:
    """Others that are installed. They do less: a new wrapper, or one schema rewritten in place."""
    found = []
    schemas = {id(row): tc.read(row)[0].inputs for row in rows}
    try:
        from langchain_core.utils.function_calling import (  # noqa: PLC0415
            convert_to_openai_tool,
        )

        found.append(Contestant("langchain convert_to_openai_tool", convert_to_openai_tool))
    except ImportError:
        pass
    try:
        from anthropic import transform_schema  # noqa: PLC0415

        found.append(
            Contestant("anthropic transform_schema", lambda d: transform_schema(schemas[id(d)]))
        )
    except ImportError:
        pass
    try:
        from openai.lib._pydantic import _ensure_strict_json_schema  # noqa: PLC0415

        def strict(definition: Any) -> Any:
            schema = copy.deepcopy(schemas[id(definition)])
            return _ensure_strict_json_schema(schema, path=(), root=schema)

        found.append(Contestant("openai strict schema, with its copy", strict))
    except ImportError:
        pass
    found.append(Contestant("copy.deepcopy", copy.deepcopy))
    return found


if __name__ == "__main__":
    rows = definitions()
    size = sum(len(orjson.dumps(row)) for row in rows) / len(rows)
    print(
        f"{len(rows)} definitions of {size:.0f} bytes on average; "
        f"CPython {platform.python_version()}, orjson {orjson.__version__}"
    )
    print(table(measure(rows, OURS + peers(rows))))
