"""Action, domain and side effects from a tool's name, description, hints and parameters.

A stated hint outweighs every guess. Next come the verb of the name, the first verb of the
description, and parameters; a changing verb outweighs a reading one. A call that changes something
is not assumed to be repeatable. Hints that the text contradicts still apply, and the contradiction
is returned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from toolcanon.infer.phrases import (
    FoundVerb,
    Word,
    agent_of_name,
    first_of,
    name_words,
    verb_anywhere,
    verb_of_name,
    verb_of_text,
)
from toolcanon.infer.vocabulary import (
    ADDS_UP,
    BASE,
    CAUTIONS,
    CHOICES,
    DESTROYS,
    DOMAINS,
    LOOKS,
    ONLY_READS,
    RUN_BY_NAME,
    WRITTEN_TO,
    Sense,
)

Field: TypeAlias = Literal["name", "description", "hints", "parameters"]
Parameters: TypeAlias = Mapping[str, Sequence[str]]
"""The names of parameters, each with its enumerated values, if it has any."""

_SEARCHED: Final = 2000
_MOST: Final = 100


class Evidence(NamedTuple):
    """A word that a conclusion is based on, and its place."""

    field: Field
    start: int
    end: int
    word: str
    says: str


class Contradiction(NamedTuple):
    """A hint that the text contradicts."""

    hint: str
    stated: bool
    evidence: Evidence
    says: str


class Inference(NamedTuple):
    """The conclusions and their evidence."""

    action: str
    domain: str
    side_effects: bool
    idempotent: bool
    evidence: tuple[Evidence, ...]
    contradictions: tuple[Contradiction, ...] = ()


class _WordReading(NamedTuple):
    """The conclusions from the text, before any hint."""

    action: str
    changes: bool
    evidence: tuple[Evidence, ...]
    is_weak: bool = False


def infer(
    name: str,
    description: str,
    hints: Mapping[str, bool] | None = None,
    parameters: Parameters | None = None,
) -> Inference:
    """Guess what a tool does. Pure and deterministic; unknown stays empty or "general".

    ``hints`` may state ``read_only``, ``destructive`` and ``idempotent``.

    >>> infer("read_file", "Read the contents of a file")[:4]
    ('read', 'filesystem', False, True)
    >>> infer("rows", "Deletes all rows", {"read_only": True}).contradictions[0].evidence.word
    'Deletes'
    """
    words = name_words(name)
    read = _read(name, description, words, parameters or {})
    domain, place = _domain(name, description, words)
    evidence = read.evidence + place
    changes, repeatable = read.changes, not read.changes
    if not hints:
        return Inference(read.action, domain, changes, repeatable, evidence)
    stated = hints.get("read_only")
    if stated is None and hints.get("destructive"):
        stated = False  # a destructive tool is not read-only
    if stated is not None:
        changes = not stated
        repeatable = stated or repeatable
    if "idempotent" in hints:
        repeatable = hints["idempotent"]
    against = tuple(_contradictions(read, hints))
    return Inference(
        read.action, domain, changes, repeatable, (*evidence, *_of_hints(hints)), against
    )


def parameter_words(schema: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the parameters of a schema with their enumerated values.

    >>> parameter_words({"properties": {"action": {"enum": ["get", "set"]}, "id": True}})
    {'action': ('get', 'set'), 'id': ()}
    """
    members = schema.get("properties")
    if not isinstance(members, dict):
        return {}
    words: dict[str, tuple[str, ...]] = {}
    for name, member in islice(members.items(), _MOST):
        values = member.get("enum") if isinstance(member, dict) else None
        words[name] = (
            tuple(value for value in values[:_MOST] if isinstance(value, str))
            if isinstance(values, list)
            else ()
        )
    return words


def _read(
    name: str,
    description: str,
    words: Sequence[Word],
    parameters: Parameters,
) -> _WordReading:
    named = verb_of_name(words)
    led = verb_of_text(description)
    if named is not None and named.changes and not named.is_weak and named.sense != Sense.RUNS:
        if led is None or led.changes or led.lemma != named.lemma:
            return _reading(named, "name", name)
        named = None  # "add: adds two numbers"
    if (choice := _choice(parameters, named)) is not None:
        return choice
    said: Field = "name"
    found, text = named, name
    if led is not None and _outweighs(led, found):
        found, said, text = led, "description", description
    if found is not None and (found.changes or named is None) and _only_reads(description):
        at, phrase = _statement(description)
        says = Evidence("description", at, at + len(phrase), phrase, "states it")
        return _WordReading(found.lemma, False, (says,))
    if found is not None:
        reading = _reading(found, said, text)
        put = _parameter(parameters, WRITTEN_TO) if found.sense is Sense.MAKES else None
        return reading if put is None else _with(reading, put, "a place to write to")
    return _faint(name, description, words, parameters)


def _outweighs(led: FoundVerb, named: FoundVerb | None) -> bool:
    """Return whether the verb of the description is stronger than that of the name."""
    if named is None or (named.is_weak and named.sense is not Sense.RUNS):
        return True
    return led.changes and not led.is_weak and not named.changes


def _faint(
    name: str,
    description: str,
    words: Sequence[Word],
    parameters: Parameters,
) -> _WordReading:
    """Return a conclusion where neither the name nor a sentence begins with a verb."""
    if (agent := agent_of_name(words)) is not None:
        return _reading(agent, "name", name)
    if (anywhere := verb_anywhere(description)) is not None:
        return _reading(anywhere, "description", description)
    if (run := _parameter(parameters, RUN_BY_NAME)) is not None:
        return _with(_WordReading("run", False, (), is_weak=True), run, "it has what is run")
    if (caution := _parameter(parameters, CAUTIONS)) is not None:
        return _with(
            _WordReading("", False, (), is_weak=True), caution, "a read-only tool needs none"
        )
    return _WordReading("", False, ())


def _reading(told: FoundVerb, field: Field, text: str) -> _WordReading:
    _, start, end = told.word
    says = "changes something" if told.changes else "only reads"
    evidence = Evidence(field, start, end, text[start:end], says)
    return _WordReading(told.lemma, told.changes, (evidence,), told.is_weak)


def _with(reading: _WordReading, parameter: str, says: str) -> _WordReading:
    more = Evidence("parameters", 0, len(parameter), parameter, says)
    return _WordReading(reading.action, True, (*reading.evidence, more), is_weak=True)


def _choice(parameters: Parameters, named: FoundVerb | None) -> _WordReading | None:
    """Return the conclusion from a parameter that selects an action, possibly a change."""
    is_reader = named is not None and not (named.changes or named.is_weak)
    for parameter, values in parameters.items():
        if values and parameter.lower() in CHOICES:
            for value in values:
                words = name_words(value.lower())
                verb = BASE.get(words[0].text) if words else None
                if is_reader and len(words) > 1:  # "build_failed" is what is searched for
                    continue
                if verb is not None and Sense.CHANGES <= verb.sense < Sense.LIGHT:
                    says = Evidence("parameters", 0, len(value), value, f"one of the {parameter}s")
                    return _WordReading(verb.lemma, True, (says,))
    return None


def _parameter(parameters: Parameters, wanted: frozenset[str]) -> str | None:
    for parameter in parameters:
        if "_".join(word.text for word in name_words(parameter)) in wanted:
            return parameter
    return None


def _only_reads(description: str) -> bool:
    return _statement(description)[0] >= 0


def _statement(description: str) -> tuple[int, str]:
    """Return where a description states that its tool changes nothing, and the words."""
    text = description[:_SEARCHED].lower()
    for phrase in ONLY_READS:
        at = text.find(phrase)
        if at >= 0 and not text[:at].endswith(("not ", "non-", "non ")):
            return at, phrase
    return -1, ""


def _domain(name: str, description: str, words: Sequence[Word]) -> tuple[str, tuple[Evidence, ...]]:
    for word in words:
        if (domain := DOMAINS.get(word.text)) is not None:
            return domain, (_placed("name", name, word, domain),)
    if (found := first_of(description, DOMAINS)) is not None:
        domain = DOMAINS[found.text]
        return domain, (_placed("description", description, found, domain),)
    return "general", ()


def _placed(field: Field, text: str, word: Word, domain: str) -> Evidence:
    return Evidence(field, word.start, word.end, text[word.start : word.end], f"about {domain}")


def _of_hints(hints: Mapping[str, bool]) -> Iterator[Evidence]:
    for hint in ("read_only", "destructive", "idempotent"):
        if hint in hints:
            yield Evidence("hints", 0, len(hint), hint, f"is {str(hints[hint]).lower()}")


def _contradictions(read: _WordReading, hints: Mapping[str, bool]) -> Iterator[Contradiction]:
    """Yield hints that clear words contradict, and hints that contradict each other."""
    read_only, destructive = hints.get("read_only"), hints.get("destructive")
    if read_only and destructive:
        said = Evidence("hints", 0, 11, "destructive", "is true")
        yield Contradiction("read_only", True, said, "a read-only tool is not destructive")
    if not read.evidence or read.is_weak:
        return
    word = read.evidence[-1]
    if read.changes:
        if read_only:
            yield Contradiction("read_only", True, word, "the text describes a change")
        if destructive is False and read.action in DESTROYS:
            yield Contradiction("destructive", False, word, "the text describes a removal")
        if hints.get("idempotent") and not read_only and read.action in ADDS_UP:
            yield Contradiction("idempotent", True, word, "a second call does more")
    elif read.action in LOOKS:
        if destructive and not read_only:
            yield Contradiction("destructive", True, word, "the text describes only reading")
        elif read_only is False:
            yield Contradiction("read_only", False, word, "the text describes only reading")
