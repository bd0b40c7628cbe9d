"""Where payloads come from and go to: files and pipes. I/O begins here."""

from .files import read_document, read_lines, write_file

__all__ = ["read_document", "read_lines", "write_file"]
