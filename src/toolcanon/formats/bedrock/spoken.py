"""What tools did that the provider runs itself, for models of other providers."""

from __future__ import annotations

from typing import Final

from toolcanon.formats.wire.codec import dump
from toolcanon.formats.wire.spoken import Rename, answered, ran, texts_in
from toolcanon.ir.conversation import Native

_TEXTS: Final = frozenset({"text", "title", "source", "url"})


def say_native(part: Native, rename: Rename) -> str | None:
    """The words of a block that only this provider has; None where it has none."""
    del rename
    inner = part.value.get(part.type) if isinstance(part.value, dict) else None
    if not isinstance(inner, dict):
        return None
    if part.type == "toolUse":
        return ran(inner.get("name"), inner.get("input"))
    if part.type == "toolResult":
        content = inner.get("content")
        blocks = content if isinstance(content, list) else []
        texts = [
            text
            for block in blocks
            for text in (
                [dump(block["json"])]
                if isinstance(block, dict) and "json" in block
                else texts_in(block, _TEXTS)
            )
        ]
        return answered(str(inner.get("type", "tool")).removesuffix("_result"), texts)
    return None
