"""The effect of a rewrite on the arguments that a tool accepts."""

from __future__ import annotations

from enum import Flag


class Effect(Flag):
    """A set relation between C, the arguments valid before, and W, those valid after.

    Both sets are compared by declared members: a caller sends what is declared.
    """

    EXACT = 0
    """Every argument can be sent, comes back as it was, and nothing else is accepted."""
    WIDENED = 1
    """Some arguments accepted after are not valid before: validate what comes back."""
    NARROWED = 2
    """Some valid arguments can no longer be sent."""
    HINT_LOST = 4
    """The same arguments are valid; guidance for the model or its host is gone."""

    def words(self) -> str:
        """Return ``exact``, or the effects joined by ``+``, in a fixed order."""
        return _WORDS[self.value]


def _words(effect: Effect) -> str:
    names = [str(member.name).lower().replace("_", "-") for member in Effect if member in effect]
    return "+".join(names) if effect else "exact"


_WORDS = [_words(Effect(value)) for value in range(8)]
