"""Providers on loopback: small servers that speak each family's wire, typed by hand.

Nothing of ours is imported here, so what they send and take is a second opinion.
"""

from tests.loopback.server import Loopback, Said
from tests.loopback.wires import FAMILIES, SEALS

__all__ = ["FAMILIES", "SEALS", "Loopback", "Said"]
