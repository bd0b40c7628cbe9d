"""Input and output of payloads: files, pipes, modules, git revisions, live servers."""

from .files import (
    check_place,
    load_line,
    raw_lines,
    read_document,
    read_lines,
    write_file,
    writing,
)

__all__ = [
    "check_place",
    "load_line",
    "raw_lines",
    "read_document",
    "read_lines",
    "write_file",
    "writing",
]
