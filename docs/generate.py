"""Write the pages that are made from the code: schemas, formats, codes, commands.

`make docs` writes them; a test compares them with what this would write.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

import toolcanon as tc
from toolcanon.cli.main import COMMANDS
from toolcanon.cli.main import toolcanon as group
from toolcanon.ir import IR_VERSION
from toolcanon.registry import builtin_formats
from toolcanon.report import explain_lines, explain_list

HERE = Path(__file__).parent
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


def canonical_schema() -> str:
    schema = tc.CanonicalTool.model_json_schema()
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:toolcanon:canonical-tool:{IR_VERSION}",
    }
    return json.dumps({**head, **schema}, indent=2, ensure_ascii=False) + "\n"


def probe() -> tc.CanonicalTool:
    """A tool that says everything, to see what each format keeps."""
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
    """Which fields survive in which format: written, read back, compared."""
    lost = {}
    for item in builtin_formats().values():
        if item.write is not None:
            losses = tc.bind(probe(), item.id).losses
            lost[item.id] = {".".join(map(str, loss.at)) for loss in losses}
    lines = [
        "# Formats",
        "",
        "Made by `make docs`: a tool that says everything is written in each format and read back.",
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


def codes_page() -> str:
    lines = ["# Codes", "", "Made by `make docs`. `toolcanon explain CODE` prints the same.", ""]
    for entry in explain_list():
        code = entry.split(maxsplit=1)[0]
        head, *body = explain_lines(code)
        lines += [f"## {head}", "", *(line.strip() for line in body), ""]
    return "\n".join(lines).rstrip() + "\n"


def commands_page() -> str:
    lines = ["# Commands", "", "Made by `make docs`.", ""]
    for name in (None, *COMMANDS):
        context = click.Context(group, info_name="toolcanon", **group.context_settings)
        command: click.Command | None = group
        if name is not None:
            command = group.get_command(context, name)
            context = click.Context(command, info_name=name, parent=context)
        context.formatter_class = _Plain
        title = "toolcanon" if name is None else f"toolcanon {name}"
        lines += [f"## {title}", "", "```", command.get_help(context).rstrip(), "```", ""]
    return "\n".join(lines).rstrip() + "\n"


class _Plain(click.HelpFormatter):
    """Eighty columns whatever the terminal."""

    def __init__(self, **_: object) -> None:
        super().__init__(width=80)


PAGES = {
    HERE / "schemas" / f"canonical-tool.v{IR_VERSION}.json": canonical_schema,
    HERE / "formats.md": formats_page,
    HERE / "codes.md": codes_page,
    HERE / "commands.md": commands_page,
}

if __name__ == "__main__":
    for path, make in PAGES.items():
        path.write_text(make(), encoding="utf-8")
        sys.stdout.write(f"{path.relative_to(HERE.parent)}\n")
