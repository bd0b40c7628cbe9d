"""Cohere Chat v2: the envelope of Chat Completions; strictness is asked for by the request.

A request is strict as a whole (``strict_tools``), so a tool says nothing of it, and no tool can be
chosen by its name.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import (
    Dialect,
    NamePolicy,
    ReferenceRules,
    SizeLimits,
    Source,
    Support,
    table,
)
from toolcanon.formats.wire.chat import chat_format
from toolcanon.formats.wire.dialects import GRAMMAR_WITHOUT_BOUNDS, HELD
from toolcanon.jsonio.types import Json, JsonObject

ID = "cohere"


def request(tools: Json, strict: bool) -> JsonObject:  # noqa: FBT001
    return {"tools": tools, "strict_tools": True} if strict else {"tools": tools}


DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="tool use",
    sources=(
        Source(
            "https://docs.cohere.com/docs/structured-outputs", "2026-11", "what is not looked at"
        ),
    ),
    keywords=table(
        Support.ACCEPTED,
        ignored="oneOf allOf not minimum maximum minLength maxLength minItems maxItems",
    ),
    root_unions=False,  # nobody says that they are taken there
    models=("command-",),
)

STRICT = replace(
    HELD,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict tools",
    sources=(
        Source("https://docs.cohere.com/docs/structured-outputs", "2026-11", "the subset"),
        Source(
            "https://docs.cohere.com/docs/tool-use-parameter-types",
            "2026-11",
            "200 fields; something is required",
        ),
    ),
    keywords={
        **GRAMMAR_WITHOUT_BOUNDS,
        "minItems": Support.REJECTED,
        "default": Support.REJECTED,
    },
    formats=frozenset({"date-time", "date", "time", "uuid"}),
    anchors=False,
    # Of recursion and of lists of types nothing is said.
    references=ReferenceRules(anywhere=False, siblings=False, recursive=False),
    type_lists=False,
    items=False,
    some_required=True,
    limits=SizeLimits(members=200),
    together=True,
    models=DEFAULT.models,
)

FORMAT = replace(
    chat_format(ID, strict=False, parameters_required=True),
    title="Cohere Chat v2",
    sources=(
        Source("cohere-python 7.3.1 types", "2026-11", "shapes, executed; names of v1"),
        Source("https://docs.cohere.com/reference/chat", "2026-11", "strict_tools"),
    ),
    request=request,
    force=None,
    dialects=(DEFAULT, STRICT),
    names=NamePolicy("a-zA-Z0-9_", 64, first="a-zA-Z_"),
)
