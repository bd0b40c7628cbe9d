"""Where payloads come from and go to: files and pipes. I/O begins here."""

from .files import check_place, read_document, read_lines, write_file

__all__ = ["check_place", "read_document", "read_lines", "write_file"]
