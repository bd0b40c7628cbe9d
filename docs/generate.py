"""Generate pages from the code: schemas, formats, dialects, codes, commands.

`make docs` writes them; a test compares them with the output of this script.
"""

from __future__ import annotations

import json
import sys
from dataclasses import MISSING
from pathlib import Path

import click
from api_reference import api_page

import toolcanon as tc
from toolcanon.cli.code_examples import example_lines
from toolcanon.cli.main import toolcanon
from toolcanon.cli.watch import toolwatch
from toolcanon.conversion.receipt import VERSION as RECEIPT_VERSION
from toolcanon.dialect import JSON_SCHEMA, Dialect, Support
from toolcanon.drift.lockfile.lock import MARK as LOCK_MARK
from toolcanon.drift.lockfile.lock import VERSION as LOCK_VERSION
from toolcanon.drift.shapes.nodes import MOST_MEMBERS, MOST_SETS, MOST_VALUES, POOL
from toolcanon.drift.shapes.shape import VERSION as SHAPE_VERSION
from toolcanon.drift.shapes.text_formats import FORMATS, WARY
from toolcanon.ir import IR_VERSION
from toolcanon.ir.conversation import (
    HEADS,
    LISTS,
    PART_LISTS,
    PARTS,
    RECORDS,
    TAG,
    WORDS,
    Answer,
    Candidate,
    Conversation,
    Message,
    Stop,
    ToolChoice,
    members,
)
from toolcanon.ir.conversation import VERSION as CONVERSATION_VERSION
from toolcanon.lowering.lens import VERSION as LENS_VERSION
from toolcanon.lowering.steps import OPS
from toolcanon.registry import builtin_formats
from toolcanon.report.dialects import dialect_rules, dialect_sizes
from toolcanon.report.explain import explain_lines, explain_list

HERE = Path(__file__).parent
DRAFT = "https://json-schema.org/draft/2020-12/schema"
FIELDS = (
    "title",
    "description",
    "inputs",
    "outputs",
    "examples",
    "namespace",
    "hints.read_only",
    "hints.destructive",
    "hints.idempotent",
    "hints.open_world",
    "hints.strict",
    "hints.deferred",
    "hints.background",
    "tags",
    "capabilities",
    "security",
)


def printed(schema: dict) -> str:
    return json.dumps({"$schema": DRAFT, **schema}, indent=2, ensure_ascii=False) + "\n"


def canonical_schema() -> str:
    schema = tc.CanonicalTool.model_json_schema()
    return printed({"$id": f"urn:toolcanon:canonical-tool:{IR_VERSION}", **schema})


def closed(required: str, /, says: str = "", **properties: object) -> dict:
    """Return the schema of an object with only these members, some of them required."""
    made = {"description": says} if says else {}
    made |= {"type": "object", "properties": properties, "additionalProperties": False}
    return {**made, "required": required.split()} if required else made


TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
NODE = {"$ref": "#/$defs/node"}
GUARD = {"$ref": "#/$defs/guard"}
SCHEMAS = {"type": "object", "additionalProperties": {"type": ["object", "boolean"]}}
TYPES = "array boolean integer null number object string".split()

# The description of each lens operation; every operation needs one.
OPERATIONS = {
    "json": ("the value travels as JSON text", "", {}),
    "wrap": ("the value stands under a key of its own", "key", {"key": TEXT}),
    "words": (
        "each value has a word",
        "table",
        {"table": {"type": "array", "items": {"type": "array", "prefixItems": [{}, TEXT],
                                              "items": False, "minItems": 2}}},
    ),
    "tuple": (
        "items of an array became members; further items are under one more member",
        "names",
        {"names": TEXTS, "rest": TEXT},
    ),
    "entries": ("a map became an array of key and value", "", {}),
    "rest": (
        "undeclared members became such an array under a key",
        "key known",
        {"key": TEXT, "known": TEXTS},
    ),
    "rename": (
        "members have other names",
        "names",
        {"names": {"type": "object", "additionalProperties": TEXT}},
    ),
    "absent": (
        "absent members are null, and null is absent; for members under null, null stays null",
        "keys",
        {"keys": TEXTS, "null": TEXTS},
    ),
    "options": (
        "a nullable member is null when absent, otherwise an object with its value",
        "keys",
        {"keys": TEXTS},
    ),
}  # fmt: skip


def lens_document() -> dict:
    operations = [
        closed(f"op {required}", f"{OPERATIONS[name][0].capitalize()}.", op={"const": name}, **more)
        for name in OPS
        for _, required, more in [OPERATIONS[name]]
    ]
    node = closed(
        "",
        "The changes of a value: operations from first to last, then those below.",
        ops={"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/operation"}},
        **{"$ref": {"description": "A name in defs; # is the root.", **TEXT}},
        properties={"type": "object", "additionalProperties": NODE},
        additionalProperties=NODE,
        items=NODE,
        prefixItems={"type": "array", "items": {"anyOf": [NODE, {"type": "null"}]}},
        anyOf={"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/branch"}},
    )
    branch = closed(
        "",
        "A branch of a union; the first branch with a matching guard is used.",
        own={"description": "Guard for original values.", **GUARD},
        wire={"description": "Guard for wire values.", **GUARD},
        lens=NODE,
    )
    guard = closed(
        "",
        "Matches values of these types that fit this schema; either may be absent.",
        types={"type": "array", "items": {"enum": TYPES}},
        schema={"type": ["object", "boolean"]},
    )
    return {
        "$id": f"urn:toolcanon:lens:{LENS_VERSION}",
        "title": "Lens",
        **closed(
            "version root",
            "Converts arguments of the original schema to wire arguments, and back.",
            version={"const": LENS_VERSION},
            root=NODE,
            defs={"description": "Lenses of definitions.", "type": "object",
                  "additionalProperties": NODE},
            own={"description": "Definitions for guards, original.", **SCHEMAS},
            wire={"description": "Definitions for guards, as written.", **SCHEMAS},
        ),
        "$defs": {"node": node, "branch": branch, "guard": guard,
                  "operation": {"oneOf": operations}},
    }  # fmt: skip


def receipt_document() -> dict:
    """Return the schema of receipts; the lens's schema is bundled, so that one file is enough."""
    lens = lens_document()
    change = closed(
        "at seen",
        at={"description": "JSON Pointer into the canonical tool.", **TEXT},
        before={"description": "The value to restore; absent means to remove the value."},
        seen={
            "description": "Digest of the target's value at that place; null for no value.",
            "type": ["string", "null"],
        },
    )
    written = closed(
        "id wire source_format",
        id={"description": "Canonical id: namespace:name, or the name.", **TEXT},
        wire={"description": "The name in the payload.", **TEXT},
        group={"description": "The namespace in the payload.", **TEXT},
        source_format=TEXT,
        original_definition={"type": "object"},
        restore={"type": "array", "items": change},
        inputs={
            "description": "The schema of restored arguments; absent for free text.",
            "type": "object",
        },
        dialect={"description": "The dialect of the written schema, with its version.", **TEXT},
        lens={"description": "The change of arguments, if there is one.", "$ref": lens["$id"]},
        wire_inputs={"description": "The written schema, if there is a lens.", "type": "object"},
    )
    dropped = closed(
        "dropped",
        dropped={
            "description": "A canonical tool that the target cannot express.",
            "type": "object",
        },
    )
    return {
        "$id": f"urn:toolcanon:receipt:{RECEIPT_VERSION}",
        "title": "Receipt",
        **closed(
            "toolcanon-receipt ir format single tools",
            "Restores canonical tools from the payload of a conversion, and converts "
            "calls between the target's model and the tools.",
            **{"toolcanon-receipt": {"const": RECEIPT_VERSION}},
            ir={"description": "Version of the canonical form.", "const": IR_VERSION},
            format={"description": "Id of the format that was written.", **TEXT},
            single={
                "description": "Whether the input was one tool, not a list.",
                "type": "boolean",
            },
            tools={
                "description": "In the order of the original list.",
                "type": "array",
                "items": {"anyOf": [{"$ref": "#/$defs/written"}, {"$ref": "#/$defs/dropped"}]},
            },
        ),
        "$defs": {"written": written, "dropped": dropped, "lens": lens},
    }


def conversation_document() -> dict:
    """Return the schema of conversations and answers; fields follow from their annotations."""
    tags = {kind: tag for tag, kind in PARTS.items()}
    records = [*PARTS.values(), Message, ToolChoice, Stop, Candidate]
    wholes = {kind: _record(kind, {mark: {"const": CONVERSATION_VERSION}})
              for kind, mark in HEADS.items()}  # fmt: skip
    return {
        "$id": f"urn:toolcanon:conversation:{CONVERSATION_VERSION}",
        "title": "Conversation",
        "description": "A conversation with tools, or an answer, of any provider.",
        "oneOf": [_reference(Conversation), _reference(Answer)],
        "$defs": {
            **{kind.__name__: whole for kind, whole in wholes.items()},
            **{kind.__name__: _record(kind, {TAG: {"const": tags[kind]}} if kind in tags else {})
               for kind in records},
        },
    }  # fmt: skip


DIGEST = {"type": "string", "pattern": "^tc1:sha256:[0-9a-f]{64}$"}


def lock_document() -> dict:
    """Return the schema of lockfiles; readers also reject digests that do not match."""
    approval = closed(
        "at by digest reason",
        "The approval of this definition; null without one.",
        at={"description": "Time, with the UTC offset.", **TEXT},
        by=TEXT,
        digest={"description": "The exact digest of the approved definition.", **DIGEST},
        reason=TEXT,
    )
    digests = closed(
        "annotations exact semantic text",
        "Computed from the definition whenever the file is read.",
        annotations={"description": "Changes with the tool's claims about itself.", **DIGEST},
        exact={"description": "Changes with any character.", **DIGEST},
        semantic={"description": "Changes with what can affect a caller.", **DIGEST},
        text={"description": "Changes with text that a model reads.", **DIGEST},
    )
    tool = closed(
        "approved definition digests format",
        approved={"anyOf": [{"$ref": "#/$defs/approval"}, {"type": "null"}]},
        definition={"description": "The server's definition, with sorted keys.", "type": "object"},
        digests={"$ref": "#/$defs/digests"},
        format={"description": "The id of its format.", **TEXT},
    )
    identity = closed(
        "transport",
        "How the server is started or reached, without secrets.",
        transport={"enum": ["file", "stdio", "http"]},
        path={"description": "Path of a file, relative to the lockfile.", **TEXT},
        paths={"description": "Paths of files that are one source.", **TEXTS},
        command={"description": "Secrets are ***.", **TEXTS},
        url={"description": "Secrets are ***.", **TEXT},
        package={"description": "name@version, as in the command.", **TEXT},
        env={"description": "Names of variables.", **TEXTS},
        headers={"description": "Names of headers.", **TEXTS},
        cwd={"description": "Its working folder, relative to the lockfile.", **TEXT},
    )
    server = closed(
        "identity tools",
        identity={"$ref": "#/$defs/identity"},
        server=closed(
            "name version", "The server's own name and version.", name=TEXT, version=TEXT
        ),
        protocol={"description": "The negotiated version of the protocol.", **TEXT},
        instructions={"description": "The server's instructions for every model.", **TEXT},
        tools={"type": "object", "additionalProperties": {"$ref": "#/$defs/tool"}},
    )
    return {
        "$id": f"urn:toolcanon:lock:{LOCK_VERSION}",
        "title": "Lockfile",
        **closed(
            f"{LOCK_MARK} digest servers",
            "Reviewed tools, by server.",
            **{LOCK_MARK: {"const": LOCK_VERSION}},
            digest={"description": "Digest of everything below.", **DIGEST},
            servers={
                "description": "Servers by their name in this lockfile.",
                "type": "object",
                "additionalProperties": {"$ref": "#/$defs/server"},
            },
        ),
        "$defs": {"server": server, "identity": identity, "tool": tool, "digests": digests,
                  "approval": approval},
    }  # fmt: skip


def shape_document() -> dict:
    """Return the schema of shapes, which hold counts but no values of responses."""
    count = {"type": "integer", "minimum": 0}
    counts = {"type": "object", "additionalProperties": count}
    node = {"$ref": "#/$defs/place"}
    buckets = {
        "description": "Counts by bucket; a bucket is an eighth of a power of two.",
        "type": "object",
        "propertyNames": {"pattern": "^-?[0-9]{1,6}$"},
        "additionalProperties": count,
    }
    seen = {"count": {"description": "Values.", **count},
            "samples": {"description": "Responses with such values.", **count}}  # fmt: skip
    wary = {**counts, "propertyNames": {"enum": list(WARY)}}
    plain = closed("count samples", **seen)
    kinds = {
        "null": plain,
        "boolean": closed("count samples true", **seen, true=count),
        "number": closed(
            "count samples whole buckets",
            **seen,
            whole=count,
            wide={"description": "Integers beyond 2^53.", **count},
            rounded={"description": "Of these, those that a double represents exactly.", **count},
            exact={"description": "Of these, those written as integers.", **count},
            buckets=buckets,
        ),
        "string": closed(
            "count samples lengths formats",
            **seen,
            lengths=buckets,
            formats={**counts, "propertyNames": {"enum": list(FORMATS)}},
            values={
                "description": "Keyed hashes; absent for too many different values.",
                **counts,
                "propertyNames": {"pattern": "^[0-9a-f]{16}$"},
                "maxProperties": MOST_VALUES,
            },
            wary=wary,
            json={"description": "Strings that are JSON.", **node},
        ),
        "array": closed(
            "count samples filled longest at_longest lengths",
            **seen,
            filled={"description": "Responses with an array that is not empty.", **count},
            longest=count,
            at_longest={"description": "Arrays of this length.", **count},
            lengths=buckets,
            items=node,
        ),
        "object": closed(
            "count samples members",
            **seen,
            members={
                "description": f"By name; {POOL} is for keys that are data.",
                "type": "object",
                "additionalProperties": node,
                "maxProperties": MOST_MEMBERS + 1,
            },
            is_map={"description": "The object has too many names to list.", "const": True},
            wary={"description": "Suspicious text in keys.", **wary},
            sets={
                "description": "Members that occur together, by their index; with counts.",
                "type": "array",
                "maxItems": MOST_SETS,
                "items": {"type": "array", "minItems": 2, "items": False,
                          "prefixItems": [{"type": "array", "items": count}, count]},
            },
        ),
        "other": {"description": "Values that are not JSON.", **plain},
        "again": {"description": "Recursive values; they are counted further up.", **plain},
    }  # fmt: skip
    return {
        "$id": f"urn:toolcanon:{SHAPE_VERSION.replace('.v', ':')}",
        "title": "Shape",
        **closed(
            "schema digest samples failures cut keyed root failed",
            "The shape of a tool's responses.",
            schema={"const": SHAPE_VERSION},
            digest={
                "description": "Digest of everything below.",
                "type": "string",
                "pattern": "^tc1:sha256:[0-9a-f]{64}$",
            },
            samples={"description": "Responses.", **count},
            failures={"description": "Responses that report a failed call.", **count},
            cut={"description": "Responses that were read in part.", **count},
            keyed={
                "description": "The id of the key of the hashes; empty for the default key.",
                "type": "string",
                "pattern": "^([0-9a-f]{16})?$",
            },
            root=node,
            failed={"description": "The shape of responses of failed calls.", **node},
        ),
        "$defs": {
            "place": closed(
                "samples",
                "The values of one place.",
                samples=count,
                is_end={"description": "Values below are not recorded.", "const": True},
                **kinds,
            )
        },
    }


def _record(kind: type, marked: dict) -> dict:
    found = members(kind)
    required = [*marked, *(key for key, member in found.items() if member.default is MISSING)]
    properties = {key: _field(member.annotation) for key, member in found.items()}
    # The first paragraph is public; the others are for readers of the code.
    says = " ".join((kind.__doc__ or "").split("\n\n")[0].split())
    return closed(" ".join(required), says, **marked, **properties)


def _reference(kind: type) -> dict:
    return {"$ref": f"#/$defs/{kind.__name__}"}


def _field(annotation: str) -> dict:
    if annotation in PART_LISTS:
        parts = [_reference(PARTS[tag]) for tag in PART_LISTS[annotation]]
        return {"type": "array", "items": {"oneOf": parts}}
    if annotation in LISTS:
        return {"type": "array", "items": _reference(LISTS[annotation])}
    if annotation in RECORDS:
        return {"anyOf": [_reference(RECORDS[annotation]), {"type": "null"}]}
    if annotation in WORDS:
        return {"enum": list(WORDS[annotation])}
    return {
        "str": TEXT,
        "str | None": {"type": ["string", "null"]},
        "bool": {"type": "boolean"},
        "bool | None": {"type": ["boolean", "null"]},
        "list[str]": TEXTS,
        "Json": {},
        "Extras": {
            "description": "Fields of a single format, by format id.",
            "type": ["object", "null"],
            "additionalProperties": {"type": "object"},
        },
    }[annotation]


def probe() -> tc.CanonicalTool:
    """Return a tool with all fields, to test what each format keeps."""
    return tc.CanonicalTool(
        name="probe",
        namespace="space",
        title="Probe",
        description="Says everything.",
        inputs={"type": "object", "properties": {"a": {"type": "string"}}},
        outputs={"type": "object", "properties": {"b": {"type": "string"}}},
        examples=[{"a": "x"}],
        tags=["t"],
        capabilities=tc.ToolCapability(action="probe", domain="docs"),
        security=tc.ToolSecurity(required_permissions=["p"]),
        hints=tc.ToolHints(
            read_only=True,
            destructive=False,
            idempotent=True,
            open_world=False,
            strict=True,
            deferred=True,
            background=True,
        ),
    )


def formats_page() -> str:
    """Return the table of fields that survive writing and reading in each format."""
    lost = {}
    for item in builtin_formats().values():
        if item.write is not None:
            losses = tc.bind(probe(), item.id).losses
            lost[item.id] = {".".join(map(str, loss.at)) for loss in losses}
    lines = [
        "# Formats",
        "",
        "Made by `make docs`: a tool with all fields is written in each format and read back.",
        "A dot means that the field is kept, a dash that it is lost (and reported).",
        "",
        f"| field | {' | '.join(lost)} |",
        f"| --- |{' :-: |' * len(lost)}",
    ]
    for field in FIELDS:
        marks = ["-" if field in gone else "·" for gone in lost.values()]
        lines.append(f"| {field} | {' | '.join(marks)} |")
    lines += [
        "",
        "| format | reads and writes | tool names | sources |",
        "| --- | --- | --- | --- |",
    ]
    for item in builtin_formats().values():
        ways = "both" if item.write is not None else "reads"
        names = item.names.words() if item.names else "anything"
        sources = "; ".join(f"{s.where} ({s.checked})" for s in item.sources)
        lines.append(f"| {item.id} | {ways} | {names} | {sources} |")
    return "\n".join(lines) + "\n"


MARKS = {
    Support.ENFORCED: "E",
    Support.ACCEPTED: "·",
    Support.IGNORED: "i",
    Support.REJECTED: "-",
}


def dialects_page() -> str:
    """Return the tables of what each dialect accepts, with sources."""
    dialects = [found for item in builtin_formats().values() for found in item.dialects]
    words = dict.fromkeys([*JSON_SCHEMA, *(word for d in dialects for word in d.keywords)])
    alike: dict[tuple[str, ...], list[Dialect]] = {}
    for found in dialects:
        column = (*(MARKS[found.support(word)] for word in words), MARKS[found.others])
        alike.setdefault(column, []).append(found)
    heads = ["<br>".join(found.id for found in group) for group in alike.values()]
    lines = [
        "# Dialects",
        "",
        "Made by `make docs` from the data that lowering follows. `toolcanon formats ID` prints",
        "the same for one format or one dialect.",
        "",
        "## Keywords",
        "",
        "`E`: enforced on the model's output; `·`: sent and possibly read; `i`: sent and ignored;",
        "`-`: rejected, so lowering rewrites it. Dialects that agree share a column.",
        "",
        f"| keyword | {' | '.join(heads)} |",
        f"| --- |{' :-: |' * len(heads)}",
    ]
    for row, word in enumerate([*words, "any other"]):
        said = f"`{word}`" if word in words else word
        lines.append(f"| {said} | {' | '.join(column[row] for column in alike)} |")
    lines += ["", "## Rules", "", "| rule | dialects |", "| --- | --- |"]
    rules: dict[str, list[str]] = {}
    for found in dialects:
        for rule in dialect_rules(found):
            rules.setdefault(rule, []).append(found.id)
    lines += [f"| {rule} | {', '.join(ids)} |" for rule, ids in rules.items()]
    lines += [
        "",
        "## Sizes, models and routes",
        "",
        "| dialect | what | string formats | at most | models | routes |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for found in dialects:
        formats = "any" if found.formats is None else " ".join(sorted(found.formats)) or "none"
        cells = [
            "<br>".join(f"`{version.pinned}`" for version in found.versions),
            found.title,
            formats,
            "<br>".join(dialect_sizes(found)),
            ", ".join(f"{name}…" for name in found.models),
            ", ".join(found.routes),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        "## Sources",
        "",
        "| dialect | source | checked | about |",
        "| --- | --- | --- | --- |",
    ]
    for found in dialects:
        for source in found.sources:
            lines.append(f"| {found.id} | {source.where} | {source.checked} | {source.says} |")
    return "\n".join(lines) + "\n"


def codes_page() -> str:
    lines = ["# Codes", "", "Made by `make docs`. `toolcanon explain CODE` prints the same.", ""]
    for entry in explain_list():
        code = entry.split(maxsplit=1)[0]
        head, *body = explain_lines(code)
        body += example_lines(code)
        lines += [f"## {head}", "", *(line.strip() for line in body), ""]
    return "\n".join(lines).rstrip() + "\n"


def commands_page() -> str:
    lines = ["# Commands", "", "Made by `make docs`.", ""]
    for program, group in (("toolcanon", toolcanon), ("toolwatch", toolwatch)):
        for name in (None, *group.lazy):
            context = click.Context(group, info_name=program, **group.context_settings)
            command: click.Command = group
            if name is not None:
                command = group.get_command(context, name)
                context = click.Context(command, info_name=name, parent=context)
            context.formatter_class = _Plain
            title = program if name is None else f"{program} {name}"
            lines += [f"## {title}", "", "```", command.get_help(context).rstrip(), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


class _Plain(click.HelpFormatter):
    """Formats help for eighty columns, whatever the terminal."""

    def __init__(self, **_: object) -> None:
        super().__init__(width=80)


PAGES = {
    HERE / "api.md": api_page,
    HERE / "schemas" / f"canonical-tool.v{IR_VERSION}.json": canonical_schema,
    HERE / "schemas" / f"receipt.v{RECEIPT_VERSION}.json": lambda: printed(receipt_document()),
    HERE / "schemas" / f"lens.v{LENS_VERSION}.json": lambda: printed(lens_document()),
    HERE / "schemas" / f"conversation.v{CONVERSATION_VERSION}.json": lambda: printed(
        conversation_document()
    ),
    HERE / "schemas" / f"lock.v{LOCK_VERSION}.json": lambda: printed(lock_document()),
    HERE / "schemas" / f"{SHAPE_VERSION}.json": lambda: printed(shape_document()),
    HERE / "formats.md": formats_page,
    HERE / "dialects.md": dialects_page,
    HERE / "codes.md": codes_page,
    HERE / "commands.md": commands_page,
}

if __name__ == "__main__":
    for path, make in PAGES.items():
        path.write_text(make(), encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(HERE.parent)}\n")
