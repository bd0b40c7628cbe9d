"""What a dialect accepts, for people: keywords by support, rules as sentences, sizes, sources."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import wrap
from typing import Final

from toolcanon.dialect import JSON_SCHEMA, Dialect, Support
from toolcanon.schema.drafts import Draft
from toolcanon.text import safe

_WIDTH: Final = 96
_INDENT: Final = 15

Rule = tuple[Callable[[Dialect], bool], Callable[[Dialect], str] | str]

_RULES: Final[tuple[Rule, ...]] = (
    (lambda d: d.strict, "The model is held to the schema."),
    (lambda d: d.together, "All tools of a request are strict, or none."),
    (
        lambda d: d.draft not in {None, Draft.LATEST},
        lambda d: f"Spelled as {d.title} has it, what it has no word for with those it has.",
    ),
    (lambda d: d.root_object, "The arguments are declared an object."),
    (lambda d: not d.root_unions, "No union at the root."),
    (lambda d: d.root_properties, "The root has properties, be it none."),
    (lambda d: not d.empty_properties, "No empty properties."),
    (lambda d: d.typed, "Every schema says what it is: a type, a union or a reference."),
    (lambda d: not d.booleans, "Schemas are objects, never true or false."),
    (lambda d: not d.type_lists, "One type for each schema."),
    (lambda d: d.nullable, "Null is said by nullable beside the type."),
    (lambda d: not d.union_siblings, "No object keywords beside a union."),
    (lambda d: not d.nested_unions, "No union as a branch of a union."),
    (lambda d: not d.empty_objects, "An object below the root has members."),
    (lambda d: d.lone_unions, "Nothing stands beside a union."),
    (lambda d: not d.root_remarks, "No title and no description at the root."),
    (lambda d: d.closed, "Every object says additionalProperties: false."),
    (lambda d: d.closed_unless_said, "An object is closed unless it says otherwise."),
    (lambda d: not d.maps, "No members declared by pattern or wholesale."),
    (lambda d: d.all_required, "Every member is required."),
    (lambda d: d.empty_required, "An object without members has required, an empty list."),
    (lambda d: d.some_required, "Some member of every object is required."),
    (lambda d: d.items, "Every list says what its items are."),
    (lambda d: d.enum_strings, "Enum values are strings, none of them empty."),
    (lambda d: d.enum_typed, "An enum has a type beside it."),
    (lambda d: d.enum_primitives, "Enum values are no objects and no lists."),
    (lambda d: not d.empty_enums, "An enum has at least one value."),
    (lambda d: d.plain_patterns, "Patterns without look-around and back-references."),
    (lambda d: not d.anchors, "Patterns without anchors."),
    (
        lambda d: d.largest_minimum_items is not None,
        lambda d: f"minItems is {d.largest_minimum_items} at most.",
    ),
    (
        lambda d: d.largest_bound is not None,
        lambda d: f"Bounds of numbers are {d.largest_bound} at most, whatever their sign.",
    ),
    (
        lambda d: d.lengths_beside_pattern is not None,
        lambda d: "Beside a pattern minLength is {} and maxLength {} at most.".format(
            *d.lengths_beside_pattern or ()
        ),
    ),
    (
        lambda d: d.name_patterns is not None,
        lambda d: (
            f"Patterns that declare members of one object: {d.name_patterns} at most, "
            "and none beside a union."
        ),
    ),
    (
        lambda d: not d.references.keep,
        lambda d: f"No references: they are written out, recursion {_unrolled(d)}.",
    ),
    (
        lambda d: d.references.keep and not d.references.anywhere,
        "References lead to the root or to the definitions there.",
    ),
    (
        lambda d: d.references.keep and not d.references.siblings,
        "Nothing stands beside a reference.",
    ),
    (
        lambda d: d.references.keep and not d.references.recursive,
        lambda d: f"No recursion: it is written out {_unrolled(d)}.",
    ),
    (
        lambda d: d.references.keep and not d.references.unavoidable,
        lambda d: (
            "Recursion only inside members that are not required: other is written out "
            f"{_unrolled(d)}."
        ),
    ),
    (
        lambda d: d.references.keep and not d.references.escapes,
        "References are pointers without escapes, never anchors.",
    ),
    (lambda d: d.references.unresolved, "References may lead out of the document."),
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
            f"{f' {d.id}:SERVER tells its name.' if d.names and d.names.prefix else ''}"
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
    return f"{dialect.references.unroll} levels deep, then carried as JSON text"


def dialect_rules(dialect: Dialect) -> list[str]:
    """Everything but keywords and sizes, a sentence each, in a fixed order."""
    return [
        says if isinstance(says, str) else says(dialect) for holds, says in _RULES if holds(dialect)
    ]


def dialect_sizes(dialect: Dialect) -> list[str]:
    """How much fits, a phrase each."""
    found = []
    for name, most in dialect.limits.said().items():
        bound, limit = most if isinstance(most, tuple) else (0, most)
        found.append(f"{limit:,} {_SIZES[name].format(f'{bound:,}')}")
    return found


def keywords_by_support(dialect: Dialect) -> dict[Support, list[str]]:
    """The keywords of 2020-12 and those the dialect names beside them, best supported first."""
    known = dict.fromkeys([*JSON_SCHEMA, *dialect.keywords])
    return {
        support: [word for word in known if dialect.support(word) is support] for support in Support
    }


def dialect_lines(dialect: Dialect) -> Iterator[str]:
    """Everything known of one dialect."""
    yield f"{dialect.pinned}: {safe(dialect.title)}"
    for support, words in keywords_by_support(dialect).items():
        yield from _entry(support.name.lower(), " ".join(words))
    yield from _entry("other words", dialect.others.name.lower())
    if dialect.formats is not None:
        yield from _entry("formats", " ".join(sorted(dialect.formats)) or "none")
    for sentence in dialect_rules(dialect):
        yield from _entry("rule", sentence)
    yield from _entry("at most", "; ".join(dialect_sizes(dialect)))
    yield from _entry("models", ", ".join(f"{name}…" for name in dialect.models))
    yield from _entry("routes", ", ".join(dialect.routes))
    yield from _entry("earlier", ", ".join(item.pinned for item in dialect.earlier))
    for source in dialect.sources:
        told = f"{source.where} (checked {source.checked}): {source.says}"
        yield f"{'  source:':{_INDENT}s}{told}"


def _entry(label: str, text: str) -> Iterator[str]:
    """A label and its text over as many lines as it takes; nothing for nothing."""
    margin = " " * _INDENT
    for number, line in enumerate(wrap(safe(text), _WIDTH - _INDENT, break_on_hyphens=False)):
        yield f"{f'  {label}:':{_INDENT}s}{line}" if number == 0 else f"{margin}{line}"
