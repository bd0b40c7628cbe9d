"""Every change of what a tool answers: its code, its name, the usual verdict, and why it matters.

These are seen in responses, not in definitions. Codes and names are never reused.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.change_code import ChangeCode

_ASK: Final = "ask the owner of the tool; once it is accepted, learn the shape again"
_APPROVE: Final = "withhold the response from the model until it is reviewed"

SHAPE_CODES: Final = (
    ChangeCode("D901", "response-key-vanished", "breaking",
        "a member is no longer in responses",
        "Readers do not find it. Reported when the absences are statistically significant.",
        _ASK,
        "response-key-added"),
    ChangeCode("D902", "response-key-added", "compatible",
        "a member is new in responses",
        "Readers ignore members they do not know. Reported when most responses have it.",
        "",
        "response-key-vanished"),
    ChangeCode("D903", "response-key-optional", "breaking",
        "a member that every response had is sometimes missing",
        "Readers that rely on it sometimes fail.",
        _ASK),
    ChangeCode("D904", "response-type-changed", "breaking",
        "the type of a value changed",
        "Readers expect the former type. Integers among other numbers are not a change.",
        _ASK,
        "response-type-changed"),
    ChangeCode("D905", "response-null-appeared", "breaking",
        "a value that was never null is null",
        "Readers that do not expect null fail.",
        _ASK),
    ChangeCode("D906", "response-format-changed", "breaking",
        "a text no longer has the format it always had",
        "A parser of that format, for example of dates, fails.",
        _ASK,
        "response-format-changed"),
    ChangeCode("D907", "response-value-unseen", "compatible",
        "a value from a short list is new",
        "Readers that distinguish cases may not know it. Breaking when no known value is left.",
        _ASK),
    ChangeCode("D908", "response-range-shifted", "breaking",
        "the range of numbers moved",
        "The unit, the scale or the meaning may have changed. Reported only when nearly all "
        "moved.",
        _ASK,
        "response-range-shifted"),
    ChangeCode("D909", "response-precision-changed", "breaking",
        "numbers are less precise, or no longer integers",
        "Readers of integers fail on fractions; long ids that were stored as doubles are other "
        "ids.",
        _ASK,
        "response-precision-changed"),
    ChangeCode("D910", "response-list-emptied", "breaking",
        "a list or map that was never empty is empty",
        "Usually its source is gone.",
        _ASK),
    ChangeCode("D911", "response-list-capped", "breaking",
        "lists end at a round length that they exceeded before",
        "The rest is cut off without a notice.",
        "request further pages, or a higher limit"),
    ChangeCode("D912", "response-error-rate-raised", "breaking",
        "more calls fail than before",
        "Failures are responses, so nothing else may look different.",
        _ASK),
    ChangeCode("D913", "response-contradicts-schema", "breaking",
        "responses do not follow the output schema",
        "Hosts that validate reject them, and readers rely on the schema.",
        "fix the tool, or declare what it really returns"),
    ChangeCode("D914", "response-instruction-injected", "security",
        "a text or a key in responses gives orders to the model, or hides something",
        "A model reads results like any other text. One such text is enough.",
        _APPROVE),
    ChangeCode("D915", "response-pattern-changed", "unknown",
        "members of responses or types of values changed",
        "The hash of keys and types differs, and there are too few samples to judge it.",
        "give more samples; once it is accepted, learn the shape again",
        "response-pattern-changed"),
)  # fmt: skip
