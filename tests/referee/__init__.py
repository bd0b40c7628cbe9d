"""A second opinion on what we write: does a provider accept this tool?

Plain Python that imports nothing of ours. Its facts are typed anew from the written facts about
the providers, so a fact we got wrong in the library is not wrong here in the same way.
"""

from collections.abc import Mapping
from typing import TypeVar

from tests.referee.facts import COLUMNS
from tests.referee.faults import Fault
from tests.referee.parameters import parameters
from tests.referee.payloads import judge_payload, judge_tool
from tests.referee.schemas import judge_schema

__all__ = ["Fault", "judge_payload", "judge_schema", "judge_tool", "judged", "parameters"]

_Dialect = TypeVar("_Dialect")


def judged(dialects: Mapping[str, _Dialect]) -> dict[str, _Dialect]:
    """Return the dialects that the referee has facts of, by id: the others have no column yet."""
    return {name: dialect for name, dialect in dialects.items() if name in COLUMNS}
