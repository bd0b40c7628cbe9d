"""Formats and dialects as text for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from typing import Final

from toolcanon.dialect import JSON_SCHEMA, Dialect, Support
from toolcanon.formats.wire import Format
from toolcanon.ir import Kind
from toolcanon.registry import BrokenPlugin
from toolcanon.schema.keywords import DraftMeaning
from toolcanon.text import safe

_WIDTH: Final = 96
_INDENT: Final = 15

Rule = tuple[Callable[[Dialect], bool], Callable[[Dialect], str] | str]

_RULES: Final[tuple[Rule, ...]] = (
    (lambda d: d.strict, "The model's arguments are held to the schema."),
    (lambda d: d.together, "All tools of a request are strict, or none."),
    (
        lambda d: d.draft not in {None, DraftMeaning.LATEST},
        lambda d: f"Written in the keywords of {d.title}; others are expressed by those.",
    ),
    (lambda d: d.root_object, "The root declares the type object."),
    (lambda d: not d.root_unions, "No union at the root."),
    (lambda d: d.root_properties, "The root has properties, possibly none."),
    (lambda d: not d.empty_properties, "No empty properties."),
    (lambda d: d.typed, "Every schema has a type, a union or a reference."),
    (lambda d: not d.booleans, "Schemas are objects, never true or false."),
    (lambda d: not d.type_lists, "One type for each schema."),
    (lambda d: d.nullable, "Null is written as nullable beside the type."),
    (lambda d: not d.union_siblings, "No object keywords beside a union."),
    (lambda d: not d.nested_unions, "No union as a branch of a union."),
    (lambda d: not d.empty_objects, "An object below the root has members."),
    (lambda d: d.lone_unions, "No other keyword beside a union."),
    (lambda d: not d.root_remarks, "No title and no description at the root."),
    (lambda d: d.closed, "Every object has additionalProperties: false."),
    (lambda d: d.closed_unless_said, "An object is closed unless it states otherwise."),
    (lambda d: not d.maps, "No members declared by patternProperties or additionalProperties."),
    (lambda d: d.all_required, "Every member is required."),
    (lambda d: d.empty_required, "An object without members has required: []."),
    (lambda d: d.some_required, "Every object has at least one required member."),
    (lambda d: d.items, "Every array has items."),
    (lambda d: d.enum_strings, "Enum values are non-empty strings."),
    (lambda d: d.enum_typed, "An enum has a type beside it."),
    (lambda d: d.enum_primitives, "Enum values are not objects or arrays."),
    (lambda d: not d.empty_enums, "An enum has at least one value."),
    (lambda d: d.plain_patterns, "Patterns without look-around and back-references."),
    (lambda d: not d.anchors, "Patterns without anchors."),
    (
        lambda d: d.largest_minimum_items is not None,
        lambda d: f"minItems is at most {d.largest_minimum_items}.",
    ),
    (
        lambda d: d.largest_bound is not None,
        lambda d: f"The absolute value of number bounds is at most {d.largest_bound}.",
    ),
    (
        lambda d: d.lengths_beside_pattern is not None,
        lambda d: "Beside a pattern, minLength is at most {} and maxLength at most {}.".format(
            *d.lengths_beside_pattern or ()
        ),
    ),
    (
        lambda d: d.name_patterns is not None,
        lambda d: (
            f"At most {d.name_patterns} patternProperties in an object, and none beside a union."
        ),
    ),
    (
        lambda d: not d.references.keep,
        lambda d: f"No references: they are inlined, recursion {_unrolled(d)}.",
    ),
    (
        lambda d: d.references.keep and not d.references.anywhere,
        "References point to the root or to its definitions.",
    ),
    (
        lambda d: d.references.keep and not d.references.siblings,
        "No other keyword beside a reference.",
    ),
    (
        lambda d: d.references.keep and not d.references.recursive,
        lambda d: f"No recursion: it is inlined {_unrolled(d)}.",
    ),
    (
        lambda d: d.references.keep and not d.references.unavoidable,
        lambda d: (
            "Recursion only in members that are not required; other recursion is inlined "
            f"{_unrolled(d)}."
        ),
    ),
    (
        lambda d: d.references.keep and not d.references.escapes,
        "References are pointers without escapes, never anchors.",
    ),
    (lambda d: d.references.unresolved, "References may point outside the document."),
    (
        lambda d: d.members is not None,
        lambda d: (
            f"Names of parameters: {d.members.words() if d.members else ''}"
            f"{', at every depth' if d.nested_members else ''}."
        ),
    ),
    (
        lambda d: d.names is not None,
        lambda d: (
            f"Names of tools: {d.names.words() if d.names else ''}."
            f"{f' {d.id}:SERVER names the server.' if d.names and d.names.prefix else ''}"
        ),
    ),
)

_SIZES: Final = {
    "depth": "levels",
    "properties": "properties in a tool",
    "enum_values": "enum values in a tool",
    "characters": "characters in names and values of a tool",
    "large_enum": "characters in an enum of more than {0} values",
    "optional": "optional members in a request",
    "unions": "members with a union in a request",
    "members": "members in a request",
    "tools": "tools in a request",
    "schema_bytes": "bytes in a schema",
}


def _unrolled(dialect: Dialect) -> str:
    return f"{dialect.references.unroll} levels deep, then passed as JSON text"


def dialect_rules(dialect: Dialect) -> list[str]:
    """Return all rules except keywords and sizes, a sentence each, in a fixed order."""
    return [
        says if isinstance(says, str) else says(dialect) for holds, says in _RULES if holds(dialect)
    ]


def dialect_sizes(dialect: Dialect) -> list[str]:
    """Return the size limits, a phrase each."""
    found = []
    for name, most in dialect.limits.said().items():
        bound, limit = most if isinstance(most, tuple) else (0, most)
        found.append(f"{limit:,} {_SIZES[name].format(f'{bound:,}')}")
    return found


def keywords_by_support(dialect: Dialect) -> dict[Support, list[str]]:
    """Return the keywords of 2020-12 and those the dialect names, best supported first."""
    known = dict.fromkeys([*JSON_SCHEMA, *dialect.keywords])
    return {
        support: [word for word in known if dialect.support(word) is support] for support in Support
    }


def dialect_lines(dialect: Dialect) -> Iterator[str]:
    """Yield everything known of one dialect."""
    yield f"{dialect.pinned}: {safe(dialect.title)}"
    for support, words in keywords_by_support(dialect).items():
        yield from _entry(support.name.lower(), " ".join(words))
    yield from _entry("others", dialect.others.name.lower())
    if dialect.formats is not None:
        yield from _entry("formats", " ".join(sorted(dialect.formats)) or "none")
    for sentence in dialect_rules(dialect):
        yield from _entry("rule", sentence)
    yield from _entry("at most", "; ".join(dialect_sizes(dialect)))
    yield from _entry("models", ", ".join(f"{name}…" for name in dialect.models))
    yield from _entry("routes", ", ".join(dialect.routes))
    yield from _entry("earlier", ", ".join(item.pinned for item in dialect.earlier))
    for source in dialect.sources:
        line_text = f"{source.where} (checked {source.checked}): {source.says}"
        yield f"{'  source:':{_INDENT}s}{line_text}"


def _entry(label: str, text: str) -> Iterator[str]:
    """Yield a label and its text, wrapped; nothing for an empty text."""
    margin = " " * _INDENT
    for number, line in enumerate(wrap(safe(text), _WIDTH - _INDENT, break_on_hyphens=False)):
        yield f"{f'  {label}:':{_INDENT}s}{line}" if number == 0 else f"{margin}{line}"


def formats_table(formats: Sequence[Format], broken: Sequence[BrokenPlugin]) -> Iterator[str]:
    """Yield one line per format, then the plugins that failed."""
    width = max(len(item.id) for item in formats)
    for item in formats:
        ways = "read, write" if item.write is not None else "read"
        yield f"{item.id:{width}s}  {ways:11s}  {safe(item.title)}"
    for plugin in broken:
        yield (
            f"warning: the format plugin {safe(plugin.name)} ({safe(plugin.source)}) is left out: "
            f"{safe(plugin.reason, 200)}"
        )


def format_lines(item: Format) -> Iterator[str]:
    """Yield everything known of one format, then its dialects, the default first."""
    yield f"{item.id}: {safe(item.title)}"
    yield f"  directions:  {'read and write' if item.write is not None else 'read only'}"
    yield f"  tool names:  {item.names.words() if item.names else 'anything'}"
    yield f"  namespaces:  {'kept' if item.namespaces else 'joined to the name'}"
    kinds = [kind.value for kind in Kind if kind in item.kinds]
    yield f"  kinds:       {', '.join(kinds)}; its own built-in tools are passed unchanged"
    places = [".".join(path) for path in item.containers]
    if places:
        yield f"  tools in:     {', '.join(places)}"
    for source in item.sources:
        yield f"  source:      {source.where} (checked {source.checked}): {source.says}"
    if not item.dialects:
        yield "  dialects:    none; schemas are written unchanged"
    for dialect in item.dialects:
        yield ""
        yield from dialect_lines(dialect)
