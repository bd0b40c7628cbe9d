"""The verb that states the action of a name or a description.

Whole words count, never parts of words ("blacklist" lists nothing). A verb counts by its place:
the first one of a name, the one a sentence begins with, one that "and" joins to that. Elsewhere
most verbs are nouns, or describe other tools.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from toolcanon.infer.vocabulary import (
    AGENTS,
    ATTRIBUTES,
    BASE,
    BEFORE_GERUNDS,
    CODE,
    DEALS,
    DETERMINERS,
    GERUND,
    GOES_ON,
    IDEOGRAMS,
    IN_CLAUSES,
    IN_PROSE,
    IS,
    JOINTS,
    KEEPING,
    KEEPS,
    KEPT,
    LEADS_ON,
    LOOKING,
    NEGATIONS,
    NOUNS_WITHIN,
    NUMBERS,
    OPENERS,
    PRESENT,
    RETURNED,
    TRAILERS,
    UNMISTAKABLE,
    Sense,
    Verb,
)

_IN_NAME: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[A-Z]")
_IN_TEXT: Final = re.compile(r"[A-Za-z]+|[,&]|[.!?](?=\s|$)|[:;—(]| - |\n\s*\n")
_ENDS: Final = frozenset(".!?:;—( \n")
_PLAIN: Final = re.compile("[A-Za-z]+")
_SECTION: Final = re.compile(r"\n\s*(?:Args|Arguments|Parameters|Params|Returns|Examples?)\b")
_IDEOGRAM: Final = re.compile("|".join(IDEOGRAMS))
_LONGEST_NAME: Final = 256
_LONGEST_TEXT: Final = 400
_SENTENCES: Final = 3
_REACH: Final = 4
_PRONOUNS: Final = frozenset({"it", "them"})
_OBJECTS: Final = DETERMINERS - {"or", "that"}  # "a file or message that was sent"
_DOES: Final = frozenset({Sense.CHANGES, Sense.COMPOSES})
_MADE: Final = frozenset({Sense.MAKES, Sense.COMPOSES})


class Word(NamedTuple):
    """A word in lower case, and its place in the text."""

    text: str
    start: int
    end: int


class FoundVerb(NamedTuple):
    """A verb that was found, and its effect here."""

    lemma: str
    changes: bool
    word: Word
    sense: Sense
    is_weak: bool = False
    """Whether it may also be a noun, or may run something that only reads."""


def name_words(name: str) -> list[Word]:
    """Return the words of a name, with camelCase and snake_case split."""
    found = _IN_NAME.finditer(name[:_LONGEST_NAME])
    return [Word(match[0].lower(), match.start(), match.end()) for match in found]


def words_of(text: str) -> list[str]:
    """Return the words of a name or a text in lower case, with camelCase and snake_case split."""
    return [word.text for word in name_words(text)]


def _sentences(text: str) -> Iterator[list[Word]]:
    """Yield the first sentences of a description as words, without lists of parameters."""
    text = text[:_LONGEST_TEXT]
    if (section := _SECTION.search(text)) is not None:
        text = text[: section.start()]
    words: list[Word] = []
    for match in _IN_TEXT.finditer(text):
        word = match[0]
        if word[0] not in _ENDS:
            words.append(Word(word.lower(), match.start(), match.end()))
        elif words:
            yield words
            words = []
    yield words


def first_of(text: str, wanted: Mapping[str, str]) -> Word | None:
    """Return the first of some words in the beginning of a text."""
    text = text[:_LONGEST_TEXT]
    if wanted.keys().isdisjoint(_PLAIN.findall(text.lower())):
        return None
    words = (Word(found[0].lower(), found.start(), found.end()) for found in _PLAIN.finditer(text))
    return next((word for word in words if word.text in wanted), None)


def verb_of_name(words: Sequence[Word]) -> FoundVerb | None:
    """Return the first verb of a name, or one joined by "and" or "or" that changes more."""
    first: FoundVerb | None = None
    for index, word in enumerate(words):
        verb = BASE.get(word.text)
        if verb is None:
            continue
        if verb.is_noun or (index and verb.lemma in NOUNS_WITHIN):
            if first is None and not (verb.is_noun and (index or _is_noun(words, 1))):
                first = FoundVerb(verb.lemma, verb.sense >= Sense.CHANGES, word, verb.sense, True)
            continue
        told = _effect_of(verb, words, index)
        if told is None:
            continue
        if not told.changes:
            for later in range(index + 2, len(words)):
                joined = BASE.get(words[later].text)
                if joined and words[later - 1].text in JOINTS and joined.sense >= Sense.CHANGES:
                    return FoundVerb(joined.lemma, True, words[later], joined.sense)
        return told
    return first


def agent_of_name(words: Sequence[Word]) -> FoundVerb | None:
    """Return the verb in the last word of a name: "meeting_scheduler", "git_commit"."""
    for word in reversed(words):
        if word.text in TRAILERS or len(word.text) == 1:
            continue
        verb = BASE.get(AGENTS.get(word.text, ""))
        if verb is None:
            return None
        return FoundVerb(verb.lemma, verb.sense >= Sense.CHANGES, word, verb.sense, True)
    return None


def verb_of_text(text: str) -> FoundVerb | None:
    """Return the verb that a description begins with.

    A verb that is joined to it, or that a later sentence begins with, counts when it changes more.
    """
    first: FoundVerb | None = None
    for part in islice(_sentences(text), _SENTENCES):
        if first is None:
            found = _lead(part)
            if found is not None:
                index, told = found
                first = told if told.changes else _joined(part, index) or _kept(told, part) or told
            elif part and part[0].text in {"make", "makes"}:  # an object that no list has
                first = _joined(part, 0)
        elif not first.changes and (added := _added(part) or _kept(first, part)) is not None:
            return added
    if first is not None:
        return first
    match = _IDEOGRAM.search(text[:_LONGEST_TEXT])
    if match is None:
        return None
    verb = BASE[IDEOGRAMS[match[0]]]
    word = Word(match[0], match.start(), match.end())
    return FoundVerb(verb.lemma, verb.sense >= Sense.CHANGES, word, verb.sense)


def verb_anywhere(text: str) -> FoundVerb | None:
    """Return a changing verb anywhere in a description, of those that are almost never nouns."""
    for part in _sentences(text):
        for index, word in enumerate(part):
            verb = IN_PROSE.get(word.text)
            if verb and verb.lemma in UNMISTAKABLE and not _is_denied(part, index):
                return FoundVerb(verb.lemma, True, word, verb.sense, True)
    return None


def _lead(part: Sequence[Word]) -> tuple[int, FoundVerb] | None:
    """Return the verb that a sentence begins with, after words that may precede it."""
    is_open = True
    is_noun_phrase = bool(part) and part[0].text in OPENERS
    for index, word in enumerate(part):
        text = word.text
        before = part[index - 1].text if index else ""
        verb = None
        if is_open or (is_noun_phrase and before in LEADS_ON):
            verb = IN_PROSE.get(text)
            if verb is not None and not _is_verb(verb, part, index):
                verb = None
            if verb is None and before in BEFORE_GERUNDS:
                verb = GERUND.get(text)
        if verb is not None and not _is_denied(part, index):
            told = _effect_of(verb, part, index)
            if told is not None:
                return index, told
        elif text not in OPENERS and not text.endswith("ly"):
            is_open = False
    return None


def _joined(part: Sequence[Word], lead: int) -> FoundVerb | None:
    """Return a changing verb in the form of the first one: "Reads rows and writes them back"."""
    text = part[lead].text
    forms = next(forms for forms in (GERUND, PRESENT, BASE) if text in forms or forms is BASE)
    for index in range(lead + 2, len(part)):
        before, text = part[index - 1].text, part[index].text
        verb = forms.get(text) or IN_CLAUSES.get(text) if before in JOINTS else None
        if verb is None and before == "," and index + 1 < len(part):  # "…, storing it in a file"
            verb = KEEPING.get(text) if part[index + 1].text in _OBJECTS else None
        if verb is None or verb.sense not in _DOES or not _has_object(verb, part, index):
            continue
        told = None if _is_denied(part, index) else _effect_of(verb, part, index)
        if told is not None and told.changes:
            return told
    return None


def _added(part: Sequence[Word]) -> FoundVerb | None:
    """Return a changing verb at the start of a later sentence: "Then stores it in the database"."""
    goes_on = bool(part) and part[0].text in GOES_ON
    part = part[1:] if goes_on else part
    verb = PRESENT.get(part[0].text) if part and part[0].text not in OPENERS else None
    if goes_on and verb is not None and verb.lemma not in KEEPS:
        return None  # "It applies the rates of the year"
    if verb is None or verb.sense is not Sense.CHANGES or not _has_object(verb, part, 0):
        return None
    return None if _denies(part) else FoundVerb(verb.lemma, True, part[0], verb.sense)


def _kept(told: FoundVerb, part: Sequence[Word]) -> FoundVerb | None:
    """Return how a result is kept: "The report is then saved to disk"."""
    if told.sense not in _MADE:
        return None
    for index, word in enumerate(part):
        lemma = KEPT.get(word.text)
        before = [each.text for each in part[max(0, index - 2) : index]]
        if lemma and not IS.isdisjoint(before) and not _is_denied(part, index):
            return FoundVerb(lemma, True, word, Sense.CHANGES)
    return None


def _effect_of(verb: Verb, words: Sequence[Word], index: int) -> FoundVerb | None:
    """Return the effect of a verb with its object; None when the verb has none of its own."""
    sense = verb.sense
    changes = sense >= Sense.CHANGES
    if sense is Sense.LIGHT or verb.lemma == "make":
        return _by_object(verb, words, index)
    is_weak = False
    if sense is Sense.RUNS:
        run = {word.text for word in _object(words, index)}
        changes = run.isdisjoint(LOOKING)
        is_weak = run.isdisjoint(CODE)
    elif sense is Sense.COMPOSES:
        changes = not any(word.text in RETURNED for word in _object(words, index))
    elif verb.lemma == "evaluate":
        changes = any(word.text in CODE for word in _object(words, index))
    elif verb.lemma == "add":
        changes = not _is_sum(_object(words, index))
    return FoundVerb(verb.lemma, changes, words[index], sense, is_weak)


def _by_object(verb: Verb, words: Sequence[Word], index: int) -> FoundVerb | None:
    for word in _object(words, index):
        if word.text in DEALS:
            return FoundVerb(verb.lemma, True, word, Sense.CHANGES)
        if word.text in LOOKING:
            return FoundVerb(word.text, False, word, Sense.READS)
        done = BASE.get(word.text)
        if done is not None and done.sense is not Sense.LIGHT:
            return FoundVerb(done.lemma, done.sense >= Sense.CHANGES, word, done.sense)
    return None


def _object(words: Sequence[Word], index: int) -> Sequence[Word]:
    return words[index + 1 : index + 1 + _REACH]


def _is_sum(words: Sequence[Word]) -> bool:
    """Return whether numbers are added: "two numbers", "a and b"."""
    letters = [len(word.text) for word in words[0:3:2]]
    return any(word.text in NUMBERS for word in words) or (
        letters == [1, 1] and words[1].text in JOINTS
    )


def _is_noun(words: Sequence[Word], after: int) -> bool:
    return after < len(words) and words[after].text in ATTRIBUTES


def _is_verb(verb: Verb, part: Sequence[Word], index: int) -> bool:
    """Return whether a possible noun is a verb here: "Post a message", "Orders the goods"."""
    following = part[index + 1].text if index + 1 < len(part) else ""
    if verb.sense >= Sense.RUNS and (following in {"this", "it"} or following.endswith("ly")):
        return False  # "Run this tool first", "Executes asynchronously"
    if not verb.is_noun:
        return True
    if index and part[index - 1].text in {"to", "can", "will"}:
        return following not in ATTRIBUTES
    if index and part[index - 1].text not in {"and", "or", "tool", "it"}:
        return part[index - 1].text.endswith("ly")
    return following not in ATTRIBUTES and (
        following in DETERMINERS or index == 0 or following.endswith("s")
    )


def _has_object(verb: Verb, part: Sequence[Word], index: int) -> bool:
    """Return whether an object follows a possible noun: "and store it", "then post a"."""
    if not IN_PROSE.get(verb.lemma, verb).is_noun:
        return True
    following = part[index + 1].text if index + 1 < len(part) else ""
    return following in (_PRONOUNS if verb.is_noun else _OBJECTS)


def _denies(part: Sequence[Word]) -> bool:
    """Return whether the first verb of a sentence is denied: "Deletes nothing"."""
    return any(word.text in NEGATIONS for word in part[1:3])


def _is_denied(words: Sequence[Word], index: int) -> bool:
    return any(word.text in NEGATIONS for word in words[max(0, index - 3) : index])
