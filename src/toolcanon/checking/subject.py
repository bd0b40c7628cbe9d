"""A tool as rules see it: its texts, schemas and parameters, each computed once."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final, NamedTuple

from toolcanon.checking.texts import TextAt, texts_of
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.schema import Upgraded
from toolcanon.schema.flaws import Flaw, lost_references
from toolcanon.schema.keywords import POSITIONS
from toolcanon.schema.normal.keeping import kept
from toolcanon.schema.references import REFERENCES, Place, subschemas
from toolcanon.text.encoded import has_long_run
from toolcanon.text.invisible import Hidden, hidden, without_classes
from toolcanon.text.letters import is_plain, reading, spaced
from toolcanon.text.wording import Said, Wordings, possible, said, words_in

_NAMES: Final = frozenset({"name", "parameter"})
_HOLDING: Final = frozenset(POSITIONS)
_MOST_RUNS: Final = 5000
"""The number of runs inspected in one text; a text with more of them is reported by these."""


class Parameter(NamedTuple):
    """One declared member of the arguments, at any depth."""

    at: Pointer
    name: str
    schema: JsonObject
    """As JSON Schema 2020-12; empty for ``true``."""
    is_required: bool
    level: int
    """The number of objects around it; 1 at the top."""


class Subject:
    """One tool under examination."""

    def __init__(self, tool: CanonicalTool) -> None:
        self.tool = tool

    @property
    def name(self) -> str:
        return self.tool.id

    @property
    def is_function(self) -> bool:
        """Whether it takes arguments by name; built-in and free-text tools have no schema."""
        return self.tool.kind is Kind.FUNCTION

    @kept
    def inputs(self) -> Upgraded:
        """The schema of the arguments as JSON Schema 2020-12, and what was rewritten for it."""
        return self.tool.upgraded("inputs")

    @kept
    def outputs(self) -> Upgraded | None:
        """The schema of the results, upgraded in the same way; None where there is none."""
        return self.tool.upgraded("outputs") if self.tool.__dict__.get("outputs") else None

    @property
    def schema(self) -> JsonObject:
        """The schema of the arguments as JSON Schema 2020-12."""
        return self.inputs.schema

    @kept
    def nodes(self) -> tuple[tuple[Pointer, JsonObject], ...]:
        """Every object schema of the arguments with its place, the root first."""
        return tuple(_nodes(self.schema, ("inputs",)))

    @kept
    def answers(self) -> tuple[tuple[Pointer, JsonObject], ...]:
        """Every object schema of the results with its place, the root first."""
        return () if self.outputs is None else tuple(_nodes(self.outputs.schema, ("outputs",)))

    @kept
    def lost_references(self) -> tuple[tuple[Pointer, Flaw], ...]:
        """References of both schemas that have no target or lead back to themselves."""
        return tuple(
            (Pointer((str(nodes[0][0][0]), *flaw.at)), flaw)
            for nodes in (self.nodes, self.answers)
            if any(key in node for _, node in nodes for key in REFERENCES)
            for flaw in lost_references(nodes[0][1])
        )

    @kept
    def parameters(self) -> tuple[Parameter, ...]:
        """Every declared member, in order."""
        return tuple(_parameters(self.schema, ("inputs",), 1))

    @kept
    def texts(self) -> tuple[TextAt, ...]:
        """Every text that reaches a model or a person: names, titles, descriptions, values."""
        return texts_of(self.tool)

    @kept
    def joined(self) -> str:
        """All texts joined: what this one lacks need not be searched for in each."""
        return " ".join([text.text for text in self.texts])

    @kept
    def unusual(self) -> tuple[TextAt, ...]:
        """The texts with characters other than printable ASCII."""
        if is_plain(self.joined):
            return ()
        return tuple([text for text in self.texts if not is_plain(text.text)])

    @kept
    def hidden(self) -> tuple[tuple[TextAt, tuple[Hidden, ...]], ...]:
        """The texts with invisible characters, and those characters."""
        found = [(text, tuple(islice(_hidden(text), _MOST_RUNS))) for text in self.unusual]
        return tuple([(text, runs) for text, runs in found if runs])

    @kept
    def readings(self) -> tuple[str, ...]:
        """Each text as a model reads it, in the same order; see ``toolcanon.text.letters``."""
        return tuple(
            [
                reading(spaced(text.text) if text.role in _NAMES else text.text)
                for text in self.texts
            ]
        )

    @kept
    def words(self) -> str:
        """All readings joined."""
        if not self.joined.isascii():
            return " ".join(self.readings)
        names = [spaced(text.text) for text in self.texts if text.role in _NAMES]
        return reading(" ".join((self.joined, *names)))

    @kept
    def vocabulary(self) -> frozenset[str]:
        """The words of all readings."""
        return words_in(self.words)

    @kept
    def has_long_run(self) -> bool:
        """Whether any word is long enough for a key or an encoded sentence."""
        return has_long_run(self.joined)

    def saying(self, wordings: Wordings) -> Iterator[tuple[TextAt, Said]]:
        """Yield the texts with one of these wordings."""
        wanted = possible(wordings, self.words, self.vocabulary)
        if wanted:
            for text, words in zip(self.texts, self.readings, strict=True):
                for found in said(words, wanted):
                    yield text, found


def _hidden(text: TextAt) -> Iterator[Hidden]:
    """Yield hidden characters; not in regular expressions, whose classes contain them openly."""
    return hidden(without_classes(text.text) if text.is_pattern else text.text)


def _nodes(schema: Json, at: Place) -> Iterator[tuple[Pointer, JsonObject]]:
    if isinstance(schema, dict):
        yield Pointer(at), schema
        if not _HOLDING.isdisjoint(schema):
            for place, inner in subschemas(schema):
                yield from _nodes(inner, (*at, *place))


def _parameters(schema: Json, at: Place, level: int) -> Iterator[Parameter]:
    if not isinstance(schema, dict) or _HOLDING.isdisjoint(schema):
        return
    members, required = schema.get("properties"), schema.get("required")
    wanted = required if isinstance(required, list) else []
    for name, member in members.items() if isinstance(members, dict) else ():
        known = member if isinstance(member, dict) else {}
        yield Parameter(Pointer((*at, "properties", name)), name, known, name in wanted, level)
    for place, inner in subschemas(schema):
        deeper = level + (place[0] == "properties")
        yield from _parameters(inner, (*at, *place), deeper)
