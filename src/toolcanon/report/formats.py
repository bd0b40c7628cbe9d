"""The formats as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from toolcanon.formats.wire import Format
from toolcanon.ir import Kind
from toolcanon.registry import BrokenPlugin
from toolcanon.report.dialects import dialect_lines
from toolcanon.text import safe


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
