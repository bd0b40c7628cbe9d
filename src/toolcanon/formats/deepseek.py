"""DeepSeek: the envelope of Chat Completions; strict at its beta address, for all tools or none.

Strict schemas are compiled, and the compiler's errors state more than the guide: every branch of a
union needs a type, and an object below the root needs members. The guide has its own syntax for
definitions, so references are inlined.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import ReferenceRules, SizeLimits, Source, Support
from toolcanon.formats.wire.chat import chat_format
from toolcanon.formats.wire.dialects import CHECKED, EVERY_MEMBER, GRAMMAR

ID = "deepseek"

DEFAULT = replace(
    CHECKED,
    id=ID,
    version="2026-11",
    title="tool calls",
    sources=(Source("https://api-docs.deepseek.com/guides/tool_calls", "2026-11", "JSON Schema"),),
    items=False,
    limits=SizeLimits(),
    models=("deepseek-",),
)

STRICT = replace(
    EVERY_MEMBER,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict tool calls (beta)",
    sources=(
        Source("https://api-docs.deepseek.com/guides/tool_calls", "2026-11", "the subset"),
        Source("github.com/weave-os/router/pull/163", "2026-05", "its errors for the others"),
        Source("rig-core 0.46.0 providers/deepseek", "2026-11", "its rewrites"),
    ),
    keywords=GRAMMAR
    | dict.fromkeys(
        "const minLength maxLength minItems maxItems $ref $defs".split(), Support.REJECTED
    ),
    formats=frozenset({"email", "hostname", "ipv4", "ipv6", "uuid"}),
    references=ReferenceRules(keep=False),
    type_lists=False,
    nested_unions=False,
    enum_typed=True,
    empty_objects=False,
    limits=SizeLimits(),
    together=True,
    models=DEFAULT.models,
)

FORMAT = replace(
    chat_format(ID),
    title="DeepSeek",
    sources=(
        Source(
            "https://api-docs.deepseek.com/api/create-chat-completion", "2026-11", "shape, names"
        ),
    ),
    dialects=(DEFAULT, STRICT),
)
