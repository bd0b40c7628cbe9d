"""Mistral: the envelope of Chat Completions, parameters required; connectors beside functions.

The part of JSON Schema that strict mode supports is not documented. Reports name keywords that
structured outputs reject, so only shapes are sent there and the rest is stated in descriptions.
"""

from __future__ import annotations

from dataclasses import replace

from toolcanon.dialect import Dialect, Source
from toolcanon.formats.wire.chat import SHARED, SURE, chat_format
from toolcanon.formats.wire.dialects import ADVISORY, HELD

ID = "mistral"

HOSTED = {
    "connector": SURE,
    "document_library": SURE,
    "web_search_premium": SURE,
    "web_search": SHARED,
    "code_interpreter": SHARED,
    "image_generation": SHARED,
}

DEFAULT = Dialect(
    id=ID,
    version="2026-11",
    title="function calling",
    sources=(
        Source("mistralai-python 3.7.0 types", "2026-11", "any object is accepted as a schema"),
    ),
    keywords=ADVISORY,
    root_unions=False,  # not documented as accepted there
    models=(
        "mistral-", "ministral-", "magistral-", "codestral", "devstral", "pixtral", "voxtral",
        "open-mistral", "open-mixtral",
    ),
)  # fmt: skip

STRICT = replace(
    HELD,
    id=f"{ID}/strict",
    version="2026-11",
    title="strict function calling",
    sources=(
        Source("mistralai-python 3.7.0 types", "2026-11", "a function can be strict"),
        Source(
            "github.com/browser-use/browser-use/issues/3098",
            "2026-11",
            "no minLength, maxLength, pattern and format in structured outputs",
        ),
    ),
    all_required=True,
    models=DEFAULT.models,
)

FORMAT = replace(
    chat_format(ID, parameters_required=True, hosted=HOSTED),
    title="Mistral",
    sources=(
        Source("mistralai-python 3.7.0 types", "2026-11", "shapes, hosted tools, executed"),
        Source("github.com/BerriAI/litellm/issues/30515", "2026-06", "names"),
        Source("github.com/mistralai/client-python/issues/91", "2026-11", "other keys: 422"),
    ),
    dialects=(DEFAULT, STRICT),
)
