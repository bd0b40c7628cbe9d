"""Words of later clauses that state where a result is kept: stored, saved, sent."""

from __future__ import annotations

from typing import Final

from toolcanon.infer.words import GERUND, UNMISTAKABLE, Sense, Verb

# Beginnings of a later sentence: "Then stores the result".
GOES_ON: Final = frozenset("additionally afterwards also finally it then".split())
# "is stored in the database": storing a result is a change.
IS: Final = frozenset({"are", "be", "gets", "is"})
KEPT: Final[dict[str, str]] = {
    "committed": "commit",
    "inserted": "insert",
    "persisted": "persist",
    "posted": "post",
    "published": "publish",
    "saved": "save",
    "sent": "send",
    "stored": "store",
    "uploaded": "upload",
    "written": "write",
}
KEEPS: Final = UNMISTAKABLE.union(KEPT.values(), ("append", "archive", "purge", "update"))
KEEPING: Final[dict[str, Verb]] = {form: v for form, v in GERUND.items() if v.lemma in KEEPS}
# Verbs in a joined clause, and nouns everywhere else: "and emails it to the team".
IN_CLAUSES: Final[dict[str, Verb]] = dict.fromkeys(
    ("email", "emails"), Verb("email", Sense.CHANGES, is_noun=True)
)
