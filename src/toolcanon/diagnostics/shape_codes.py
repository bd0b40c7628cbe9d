"""Every change of what a tool answers: its code, its name, the usual verdict, and why it matters.

These are seen in responses, not in definitions. Codes and names are never reused.
"""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.change_code import ChangeCode

_ASK: Final = "ask whoever runs the tool, and learn the shape anew once it is accepted"
_APPROVE: Final = "keep the answer from the model until somebody has read it"

SHAPE_CODES: Final = (
    ChangeCode("D901", "response-key-vanished", "breaking",
        "a member that responses had is gone",
        "Whoever reads it finds nothing. Told when so many absences are no accident.", _ASK,
        "response-key-added"),
    ChangeCode("D902", "response-key-added", "compatible", "responses have a new member",
        "Readers ignore what they do not know. Told when most responses have it.", "",
        "response-key-vanished"),
    ChangeCode("D903", "response-key-optional", "breaking",
        "a member that every response had is missing now and then",
        "Readers who never had to ask whether it is there fail now and then.", _ASK),
    ChangeCode("D904", "response-type-changed", "breaking", "a value is of another type",
        "Readers expect what always came. Whole numbers among others are no change.", _ASK,
        "response-type-changed"),
    ChangeCode("D905", "response-null-appeared", "breaking", "a value is null that never was",
        "Readers who never met null fail on it.", _ASK),
    ChangeCode("D906", "response-format-changed", "breaking",
        "a text that always had one format has it no longer",
        "What parsed it, a date for instance, no longer does.", _ASK, "response-format-changed"),
    ChangeCode("D907", "response-value-unseen", "compatible",
        "a value from a short list is one that never came before",
        "Readers who tell cases apart may not know it. Breaking when no known value is left.",
        _ASK),
    ChangeCode("D908", "response-range-shifted", "breaking",
        "numbers lie elsewhere than they did",
        "Another unit, another scale, another meaning. Told only when nearly all have moved.",
        _ASK, "response-range-shifted"),
    ChangeCode("D909", "response-precision-changed", "breaking",
        "numbers are no longer as precise as they were, or no longer whole",
        "Readers of whole numbers fail on fractions; long ids that went through a double are "
        "other ids.", _ASK, "response-precision-changed"),
    ChangeCode("D910", "response-list-emptied", "breaking",
        "a list or map that always held something is empty",
        "As a rule the source of it is gone.", _ASK),
    ChangeCode("D911", "response-list-capped", "breaking",
        "lists end at one round length that they used to exceed",
        "The rest is cut off, and nothing says so.", "ask for further pages, or for the limit"),
    ChangeCode("D912", "response-error-rate-raised", "breaking", "more calls fail than before",
        "Failures are answers, too, so that nothing else may look different.", _ASK),
    ChangeCode("D913", "response-contradicts-schema", "breaking",
        "responses are not what the output schema declares",
        "Hosts that validate refuse them, and readers rely on the declaration.",
        "mend the tool, or declare what it really returns"),
    ChangeCode("D914", "response-instruction-injected", "security",
        "a text or a key in responses gives the model orders, or hides something",
        "A model reads results like any other text. One such text is enough.", _APPROVE),
    ChangeCode("D915", "response-pattern-changed", "unknown",
        "responses have other members, or values of other types",
        "The hash of keys and types differs, and there are too few samples to weigh what that "
        "means.", "give more samples, or learn the shape anew once it is accepted",
        "response-pattern-changed"),
)  # fmt: skip
