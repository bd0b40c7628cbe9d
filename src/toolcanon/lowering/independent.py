"""Whether the members of a tool are lowered each by itself.

Where they are, what becomes of one member says what becomes of it in every other tool with the same
keywords at the root. Rows are written by that (see ``bulk``); a test compares whole tools with it.
"""

from __future__ import annotations

from toolcanon.dialect import Dialect
from toolcanon.dialect.names import NamePolicy


def members_are_independent(dialect: Dialect) -> bool:
    """Whether nothing about a member depends on the others, as long as the whole surely fits.

    It does where some member must be required, and where every size has to be reported.
    """
    return not (dialect.some_required or dialect.limits.schema_bytes is not None)


def optional_members_differ(dialect: Dialect) -> bool:
    """Whether what becomes of a member depends on whether it is required."""
    return dialect.all_required


def member_names(dialect: Dialect) -> NamePolicy | None:
    """Which names members keep; None for any."""
    return dialect.members
