"""xAI: the envelope of Chat Completions; the schema is always enforced.

So the usual dialect is enforced already, and strict mode changes only the flag.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import Dialect, ReferenceRules, Source, Support, table
from toolcanon.formats.wire.chat import SHARED, SURE, chat_format

ID = "xai"

HOSTED = {"x_search": SURE, "web_search": SHARED}
ENFORCED = "type properties required items enum const anyOf $ref $defs additionalProperties format"

DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="function calling",
    sources=(
        Source(
            "https://docs.x.ai/developers/model-capabilities/text/structured-outputs",
            "2026-11",
            "enforced and attempted keywords; closed by default; no recursion",
        ),
    ),
    keywords=table(Support.ACCEPTED) | dict.fromkeys(ENFORCED.split(), Support.ENFORCED),
    references=ReferenceRules(anywhere=False, siblings=False, recursive=False),
    root_unions=False,  # not documented as accepted there
    union_siblings=False,
    closed_unless_said=True,
    models=("grok-",),
)

STRICT = replace(DEFAULT, id=f"{ID}/strict", title="strict function calling", strict=True)

FORMAT = replace(
    chat_format(ID, hosted=HOSTED),
    title="xAI",
    known_as=("grok",),
    sources=(
        Source("xai-sdk 1.21.0 messages", "2026-11", "function and hosted tools"),
        Source(
            "https://docs.x.ai/developers/model-capabilities/text/structured-outputs",
            "2026-11",
            "strict without asking",
        ),
    ),
    dialects=(DEFAULT, STRICT),
)
