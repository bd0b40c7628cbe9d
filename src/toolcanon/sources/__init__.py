"""Where payloads come from and go to: files and pipes. I/O begins here."""

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
