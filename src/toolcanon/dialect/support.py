"""How a target treats a keyword."""

from __future__ import annotations

from enum import IntEnum


class Support(IntEnum):
    """From the best to the worst."""

    ENFORCED = 1
    """What the model writes follows it."""
    ACCEPTED = 2
    """It is sent and the model may read it; nothing holds the model to it."""
    IGNORED = 3
    """It may be sent, and nobody looks at it."""
    REJECTED = 4
    """A request that holds it fails."""
