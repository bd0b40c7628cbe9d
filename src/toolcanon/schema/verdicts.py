"""Verdicts of a validator on plain keywords: yes, no, or not known."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeAlias

import jsonschema_rs

from toolcanon.jsonio.types import Json, JsonObject

Verdict: TypeAlias = bool | None
Judge: TypeAlias = Callable[[Json], Verdict]


def every(verdicts: Iterable[Verdict]) -> Verdict:
    found: Verdict = True
    for verdict in verdicts:
        if verdict is False:
            return False
        found = found and verdict
    return found


def judge_of(schema: JsonObject) -> Judge:
    """A validator's verdict, where it is the same whether formats are asserted or not."""
    try:
        judges = [
            jsonschema_rs.Draft202012Validator(
                schema,
                validate_formats=formats,
                pattern_options=jsonschema_rs.RegexOptions(),  # linear time, whatever the pattern
                offline=True,
            )
            for formats in (False, True)
        ]
    except ValueError:
        return lambda _value: None

    def verdict(value: Json) -> Verdict:
        try:
            plain, strict = (judge.is_valid(value) for judge in judges)
        except ValueError:
            return None
        return plain if plain == strict else None

    return verdict


@lru_cache(maxsize=256)
def pattern_judge(pattern: str) -> Judge:
    return judge_of({"pattern": pattern})
