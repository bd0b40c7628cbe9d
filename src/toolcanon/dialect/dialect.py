"""What a target accepts of JSON Schema, as data. Lowering follows it and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from toolcanon.dialect.history import HistoryRules
from toolcanon.dialect.tables import NamePolicy, Source, Support
from toolcanon.schema.keywords import DraftMeaning


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferenceRules:
    """The kinds of references that a target follows."""

    keep: bool = True
    """Whether ``$ref`` may be sent at all."""
    anywhere: bool = True
    """Whether any local pointer will do; otherwise only ``#`` and the definitions at the root."""
    escapes: bool = True
    """Whether pointers with escapes, and anchors, are understood."""
    siblings: bool = True
    """Whether keywords may stand beside ``$ref``."""
    recursive: bool = True
    unavoidable: bool = True
    """Whether a recursion may go on without passing a member that can be left out."""
    unresolved: bool = False
    """Whether a reference may lead out of the document."""
    unroll: int = 2
    """How often a recursion is written out where it cannot be kept."""

    @property
    def any_recursion(self) -> bool:
        """Whether every recursion can be sent as it is."""
        return self.keep and self.recursive and self.unavoidable


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeLimits:
    """The largest accepted sizes; None where a limit is not known."""

    depth: int | None = None
    properties: int | None = None
    enum_values: int | None = None
    characters: int | None = None
    """Over property names, definition names, enum values and constants."""
    large_enum: tuple[int, int] | None = None
    """An enum with more values than the first may have so many characters in all."""
    optional: int | None = None
    """Optional members over all tools of a request."""
    unions: int | None = None
    """Members with a union over all tools of a request."""
    members: int | None = None
    """Members over all tools of a request."""
    tools: int | None = None
    """Tools in one request."""
    schema_bytes: int | None = None
    """Bytes of a tool's schema, as JSON without spaces."""

    def said(self) -> dict[str, int | tuple[int, int]]:
        """Those that are known."""
        found = {name: getattr(self, name) for name in self.__slots__}
        return {name: value for name, value in found.items() if value is not None}


@dataclass(frozen=True, kw_only=True, eq=False)
class Dialect:
    """The schema language of one target in one mode."""

    id: str
    version: str
    """The date of the facts, a month or a day; ``id@version`` names exactly these."""
    title: str
    sources: tuple[Source, ...] = ()

    draft: DraftMeaning | None = None
    """The draft of JSON Schema whose words are used; None for 2020-12 without saying so."""
    keywords: Mapping[str, Support]
    others: Support = Support.ACCEPTED
    """Keywords no table lists: extensions and inventions."""
    formats: frozenset[str] | None = None
    """String formats that may be named; None for any."""
    plain_patterns: bool = False
    """Whether patterns must do without look-around and back-references."""
    anchors: bool = True
    """Whether plain patterns may say where a text begins and ends."""
    largest_minimum_items: int | None = None
    """The highest accepted ``minItems``."""
    largest_bound: int | None = None
    """The greatest size of a number that bounds other numbers."""
    lengths_beside_pattern: tuple[int, int] | None = None
    """The greatest ``minLength`` and ``maxLength`` that may stand beside a pattern."""
    name_patterns: int | None = None
    """How many patterns may declare members of one object, none beside a union; None for any."""

    references: ReferenceRules = ReferenceRules()
    booleans: bool = True
    """Whether ``true`` and ``false`` may stand for schemas."""
    typed: bool = False
    """Whether every schema must say what it is: a type, a union or a reference."""
    type_lists: bool = True
    nullable: bool = False
    """Whether null is allowed by ``nullable: true`` beside the type."""
    union_siblings: bool = True
    """Whether object keywords may stand beside a union."""
    nested_unions: bool = True
    """Whether a branch of a union may be a union."""
    lone_unions: bool = False
    """Whether nothing at all may stand beside a union, not even a description."""
    root_unions: bool = True
    root_remarks: bool = True
    """Whether the root may have a title and a description of its own."""
    root_object: bool = True
    """Whether the arguments must be declared an object."""
    root_properties: bool = False
    """Whether the root must have ``properties``, also an empty one."""
    empty_properties: bool = True
    empty_objects: bool = True
    """Whether an object below the root may have no members."""
    closed: bool = False
    """Whether every object must say ``additionalProperties: false``."""
    maps: bool = True
    """Whether members can be declared by pattern or wholesale."""
    closed_unless_said: bool = False
    """Whether an object that does not say so takes no other members."""
    all_required: bool = False
    empty_required: bool = False
    """Whether an object without members must have ``required``, as an empty list."""
    some_required: bool = False
    """Whether every object must require some member."""
    items: bool = False
    """Whether an array must say what its items are."""
    enum_strings: bool = False
    """Whether an enum holds nothing but non-empty strings."""
    enum_typed: bool = False
    """Whether an enum needs a type beside it."""
    enum_primitives: bool = False
    """Whether an enum holds no objects and lists."""
    empty_enums: bool = True
    """Whether an enum may have no values, so that nothing can be given."""
    members: NamePolicy | None = None
    """Legal names of parameters; None when anything goes."""
    nested_members: bool = False
    """Whether the rule for names holds below the root as well."""
    names: NamePolicy | None = None
    """The rule for tool names, where not the envelope but its reader has one."""

    limits: SizeLimits = SizeLimits()
    history: HistoryRules | None = None
    """The rules for histories with tools."""
    strict: bool = False
    """Whether the provider is asked to enforce the schema."""
    together: bool = False
    """Whether all tools of a request must be strict, or none."""
    models: tuple[str, ...] = ()
    """Names, or beginnings of names, of models that accept this dialect."""
    routes: tuple[str, ...] = ()
    """Routes, such as gateways, that accept it; empty for the provider itself."""
    usual: int = 0
    """Its place among the targets that tools are checked against unless others are named; 0 when
    it is none of them."""
    options: Mapping[str, str] = field(default_factory=dict)
    """What the format's own writer needs to know."""
    earlier: tuple[Dialect, ...] = ()
    """Earlier versions with the facts they had, the newest first; each can still be pinned."""

    @property
    def pinned(self) -> str:
        """The id with the version, which never changes its meaning."""
        return f"{self.id}@{self.version}"

    @property
    def versions(self) -> tuple[Dialect, ...]:
        """This version and every earlier one, the newest first."""
        return (self, *self.earlier)

    def as_of(self, version: str) -> Dialect:
        """Return the newest version that is not later than this one, else the oldest."""
        known = self.versions
        return next((found for found in known if found.version <= version), known[-1])

    def support(self, keyword: str) -> Support:
        """Return the target's support of a keyword."""
        return self.keywords.get(keyword, self.others)

    @cached_property
    def rejected(self) -> frozenset[str]:
        """The keywords that must not be sent."""
        return frozenset(
            key for key, support in self.keywords.items() if support is Support.REJECTED
        )
