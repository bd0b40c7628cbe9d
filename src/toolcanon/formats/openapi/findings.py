"""Findings of a document: guesses, and what a tool cannot express, each with its place.

They are noted as guesses in the extras of their tool, so they stay with it, and ``canonicalize``
reports them among its warnings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import JsonObject

FINDINGS: Final[dict[str, str]] = {
    "answer-left-out": "the answers of all operations are too much; a higher limit of values helps",
    "answers-differ": "other answers are described differently; only this one is told of",
    "argument-renamed": "another parameter or member has the same name; the argument is called {}",
    "binary-as-text": "arguments are JSON, so the bytes of a file are the UTF-8 of a text",
    "body-as-text": "no writer for {} is known; the argument is the text itself",
    "body-assumed-json": "any media type is accepted; JSON is sent",
    "body-assumed-object": "any JSON value is accepted; arguments are an object",
    "body-assumed-required": "the body may be absent, but has required members; it is always sent",
    "body-type-assumed": "a range of media types is accepted; {} is sent",
    "body-unusual": "what a body means with {} is not defined; it is sent all the same",
    "encoding-ignored": "OpenAPI 3.0 writes a part by its media type alone, without {}",
    "mapping-ignored": "a mapping needs subtypes, anyOf or oneOf beside it; it is left out",
    "media-types-differ": "other media types are described differently; only this one is told of",
    "name-cut": "the operationId is too long for a name",
    "name-made": "there is no operationId; the name is made of method and path",
    "name-repeated": "another operation has the same operationId",
    "nested-by-brackets": "how deepObject nests is not specified; brackets with indices are used",
    "parameter-as-text": "no writer for {} is known; the argument is the text itself",
    "parameter-ignored": "the specification ignores this header: media types and security say it",
    "parameter-repeated": "a second parameter of that name; the first is taken",
    "parameter-unplaced": "the path has no place for this parameter",
    "path-parameter-guessed": "the path names {}, which no parameter describes; taken as a string",
    "reference-siblings-ignored": "OpenAPI 3.0 ignores what stands beside a reference: {}",
    "reference-unresolved": "{} leads nowhere within this document; nothing is fetched",
    "schema-guessed": "nothing says what the value looks like; taken as a string",
    "style-unknown": "the style {} does not exist there; the usual one is taken",
    "version-newer": "version {} is read by the rules of 3.1",
}
"""Every name with its sentence; ``{}`` is filled in."""


class Finding(NamedTuple):
    """One finding: its name, its place in the document, the sentence."""

    name: str
    at: str
    says: str

    def noted(self) -> JsonObject:
        """Return it as a guess for the notes."""
        return {"at": self.at, "why": f"{self.name}: {self.says}"}


def finding(name: str, at: Sequence[str | int], word: str = "") -> Finding:
    """Return a finding by its name in the table."""
    return Finding(name, str(Pointer(at)), FINDINGS[name].replace("{}", word))
