"""Ollama: the envelope of Chat Completions, of which few keywords of a schema arrive.

Whatever the server's own types do not know is dropped on the way to the model without a word. So
it counts as refused here: what can be said otherwise is rewritten, the rest is told in
descriptions, which do arrive. Titles say nothing that a model needs, so they are left alone.
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
