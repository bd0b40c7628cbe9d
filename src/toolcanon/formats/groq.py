"""Groq: the envelope of Chat Completions for models of many makers; two hosted tools.

Strict tools follow the rules of its structured outputs. The constraints of their grammar are not
documented, so only shapes are sent there and the rest is stated in descriptions.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import SizeLimits, Source
from toolcanon.formats.wire.chat import SHARED, SURE, chat_format
from toolcanon.formats.wire.dialects import CHECKED, HELD

ID = "groq"

HOSTED = {"browser_search": SURE, "code_interpreter": SHARED}

DEFAULT = replace(
    CHECKED,
    id=ID,
    version="2026-11",
    title="tool use",
    sources=(
        Source("groq-python 1.7.0 types", "2026-11", "JSON Schema"),
        Source(
            "github.com/HunorLaczko/ha-groq-cloud-api/issues/25",
            "2026-04",
            "128 tools",
            ("tools",),
        ),
    ),
    items=False,
    models=("gpt-oss-", "llama-", "kimi-", "qwen"),
    routes=(ID,),
)

STRICT = replace(
    HELD,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict tool use",
    sources=(
        Source(
            "https://console.groq.com/docs/structured-outputs",
            "2026-11",
            "closed objects, every member required",
        ),
    ),
    all_required=True,
    limits=SizeLimits(tools=128),
    models=("gpt-oss-",),
    routes=(ID,),
)

FORMAT = replace(
    chat_format(ID, hosted=HOSTED),
    title="Groq",
    sources=(Source("groq-python 1.7.0 types", "2026-11", "shapes, names, hosted tools"),),
    dialects=(DEFAULT, STRICT),
)
