"""Which features a regular expression uses, read and never run."""

from __future__ import annotations

import re

_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_NAMED_BACK_REFERENCE = re.compile(r"\(\?P=|\\k<")
_NUMBERED_BACK_REFERENCE = re.compile(r"\\[1-9]")
_WORD_BOUNDARY = re.compile(r"\\[bB]")

_ANCHOR = re.compile(r"[\^$]")

_FEATURES = {
    "anchor": (_ANCHOR,),
    "look-around": (_LOOK_AROUND,),
    "back-reference": (_NAMED_BACK_REFERENCE, _NUMBERED_BACK_REFERENCE),
    "word-boundary": (_WORD_BOUNDARY,),
}


def features(pattern: str) -> set[str]:
    """Look-around, back-references and the like, where they are not spelled literally."""
    found = set()
    position, in_class = 0, False
    while position < len(pattern):
        if not in_class:
            found |= {
                name
                for name, signs in _FEATURES.items()
                if any(sign.match(pattern, position) for sign in signs)
            }
        character = pattern[position]
        if character == "[":
            in_class = True
        elif character == "]":
            in_class = False
        position += 2 if character == "\\" else 1
    return found
