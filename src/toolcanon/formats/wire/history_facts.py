"""Facts about histories that hold at several providers: numbers, placeholders, model families."""

from __future__ import annotations

from typing import Final

from toolcanon.dialect import Source

NOT_FINITE: Final = Source("RFC 8259 section 6", "2026-11", "JSON has no word for them")
"""Why numbers that are not finite are refused, each provider in its own words."""

STAND_IN_SEALS: Final = (
    "skip_thought_signature_validator",
    "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=",
)
"""What one provider takes in place of a seal, as text and as base64; others refuse it."""

ENDS_WITH_USER: Final = r"claude-(?:[a-z]+-)?(?:4[-.](?:[6-9]|[1-9]\d)|[5-9]|[1-9]\d)(?!\d)"
"""Models that end with the user: from 4.6 on."""
GOES_ON: Final = (
    r"claude-(?:instant|[123](?!\d)|(?:[a-z]+-)?[34](?:[-.][0-5])?(?:[-@]\d{6,}|-v\d|-latest|:|$))"
)
"""Models that go on with words of their own."""
