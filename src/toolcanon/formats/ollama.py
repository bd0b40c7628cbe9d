"""Ollama: the envelope of Chat Completions, with few keywords of a schema.

The server drops every keyword that its own types do not have, without an error. So these count as
rejected here: what can be rewritten is, and the rest is stated in descriptions, which do reach the
model. Titles have nothing that a model needs, so they are kept unchanged.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import Dialect, ReferenceRules, Source, Support, table
from toolcanon.formats.wire.chat import chat_format

ID = "ollama"
ARRIVES = "type properties items required enum anyOf description"

DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="tool calling",
    sources=(
        Source("github.com/ollama/ollama/pull/13508", "2026-11", "members of members arrive"),
        Source("github.com/zed-industries/zed/issues/42157", "2026-11", "unions arrive"),
        Source("github.com/ollama/ollama/pull/9434", "2026-11", "lists of types arrive"),
        Source(
            "ollama-python 0.6.3 types", "2026-11", "drops unions and members of members, executed"
        ),
    ),
    keywords=table(Support.REJECTED, accepted=ARRIVES, ignored="title"),
    others=Support.REJECTED,
    references=ReferenceRules(keep=False),
    booleans=False,
    union_siblings=False,
    root_unions=False,
    root_properties=True,
    maps=False,
    routes=(ID,),
)

FORMAT = replace(
    chat_format(ID, strict=False),
    title="Ollama",
    sources=(Source("ollama-python 0.6.3 types", "2026-11", "shapes, executed; any name"),),
    force=None,
    dialects=(DEFAULT,),
    names=None,
)
