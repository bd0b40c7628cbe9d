"""One interface to several engines: compile a schema, then ask whether a text may be written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

Accepts = Callable[[bytes], bool]


class Refused(Exception):
    """The engine does not compile a schema."""


@dataclass(frozen=True)
class Engine:
    """An engine by the name of its package."""

    package: str
    compile: Callable[[Any], Accepts]
    """From a schema to a function that says whether a text is complete and allowed."""

    @property
    def version(self) -> str:
        return version(self.package)

    @property
    def is_installed(self) -> bool:
        return find_spec(self.package.replace("-", "_")) is not None


def text_of(value: Any) -> bytes:
    """A value as models write it, without spaces, which every engine allows."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _llguidance(schema: Any) -> Accepts:
    import llguidance

    grammar = llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema))
    matcher = llguidance.LLMatcher(llguidance.LLTokenizer("byte"), grammar, log_level=0)
    if matcher.is_error():
        raise Refused(matcher.get_error().partition("\n")[0])

    def accepts(text: bytes) -> bool:
        matcher.reset()
        taken = matcher.try_consume_tokens(list(text))
        if matcher.is_error():
            raise Refused(matcher.get_error().partition("\n")[0])
        return taken == len(text) and matcher.is_accepting()

    return accepts


def outlines_pattern(schema: Any) -> str:
    """The regular expression that the engine makes of a schema."""
    from outlines_core.json_schema import build_regex_from_schema

    try:
        return build_regex_from_schema(json.dumps(schema))
    except Exception as error:
        raise Refused(str(error)) from error


def _outlines(schema: Any) -> Accepts:
    from outlines_core import Index, Vocabulary

    pattern = outlines_pattern(schema)
    try:
        index = Index(pattern, Vocabulary(256, {bytes([byte]): [byte] for byte in range(256)}))
    except Exception as error:
        raise Refused(str(error)) from error

    def accepts(text: bytes) -> bool:
        state = index.get_initial_state()
        for byte in text:
            state = index.get_next_state(state, byte)
            if state is None:
                return False
        return index.is_final_state(state)

    return accepts


def _xgrammar(schema: Any) -> Accepts:
    import xgrammar

    vocabulary = [bytes([byte]) for byte in range(256)] + [b"</s>"]
    info = xgrammar.TokenizerInfo(vocabulary, stop_token_ids=[256])
    try:
        compiled = xgrammar.GrammarCompiler(info).compile_json_schema(
            json.dumps(schema), any_whitespace=True, strict_mode=True
        )
    except Exception as error:
        raise Refused(str(error)) from error

    def accepts(text: bytes) -> bool:
        matcher = xgrammar.GrammarMatcher(compiled)
        return all(matcher.accept_token(byte) for byte in text) and matcher.accept_token(256)

    return accepts


LLGUIDANCE = Engine("llguidance", _llguidance)
OUTLINES = Engine("outlines-core", _outlines)
XGRAMMAR = Engine("xgrammar", _xgrammar)
ENGINES = (LLGUIDANCE, OUTLINES, XGRAMMAR)
