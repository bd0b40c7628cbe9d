"""The rules of a provider for histories with tools, as data: the linter uses nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from toolcanon.dialect.tables import NamePolicy, Source

Case: TypeAlias = Literal[
    "",
    # calls and results
    "last",  # of a call: nothing comes behind it
    "async",  # of a call: its result may come in a later request
    "other-name",  # of a result: at the place of a call of another tool
    "no-id",
    "words-between",  # within one turn of the user
    "system-between",
    "model-between",  # of a result: since its call only the model spoke, and other results came
    "same-message",  # two calls, or two results, of one message
    "apart",  # of several
    "empty-id",
    "unusual",  # ids and names that only some take
    # kinds of items
    "call",
    "text-call",
    "message",
    "thought",
    # texts
    "null",  # of a member: there is nothing
    "empty",
    "blank",  # all that there is
    "blank-beside-media",
    "blank-beside-words",  # or beside a call
    "in-result",
    "in-system",
    # messages
    "user",
    "assistant",
    "calling",  # of the assistant, with calls
    "no-calls",  # an empty list of them
    # requests
    "none",
    "auto",
    "forced",
    "may-think",  # as the model likes
    "stored",  # by the provider itself
    # signatures
    "other-model",
    "other-provider",
    "malformed",
]
"""How a rule is broken, where providers do not treat all ways alike."""


@dataclass(frozen=True, slots=True)
class RuleRefusal:
    """The provider's error message for a broken rule, with its source."""

    quote: str
    source: Source
    is_certain: bool = True
    """False where only some models or routes reject it."""
    unsure: tuple[Case, ...] = ()
    """Cases that only some models or routes reject."""
    taken: tuple[Case, ...] = ()
    """Cases that are accepted."""
    models: str = ""
    """A pattern for the names of the models that reject it; empty for all."""
    sparing: str = ""
    """A pattern for models that accept it; a model that neither names may reject it."""
    surely: str = ""
    """A pattern for models that certainly reject what only some do."""
    is_guests: bool = False
    """Of other providers that serve this format: of the models they name for this rule."""
    quotes: Mapping[Case, str] = field(default_factory=dict)
    """What it answers in cases for which it has other words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRules:
    """The rules for histories, by name, with the facts that they use.

    Notes are those that a codec leaves among its extras about a spelling.
    """

    refusals: Mapping[str, RuleRefusal] = field(default_factory=dict)
    """A rule that is not named here does not hold there."""

    pairing: Literal["next", "later"] = "next"
    """Whether results stand in the turn right after their calls, or anywhere later."""
    pairs_by_place: bool = False
    """Whether a result without an id answers the call of its name, or at its place."""
    joined: frozenset[str] = frozenset({"user", "assistant", "system"})
    """The roles whose neighbours count as one turn; "tool" is the user's unless it is here."""
    async_key: str = ""
    """What marks a call that may be answered later."""
    stored: tuple[str, ...] = ()
    """Settings of a request by which the provider itself stores earlier turns."""
    said_elsewhere: tuple[str, ...] | None = None
    """Settings with which a request needs no messages; None where no request needs any."""
    system_stays: bool = False
    """Whether a message of the system among the others is enough for a request."""
    stored_items: tuple[str, ...] = ()
    """Natives that stand for what it keeps."""
    native_calls: tuple[str, ...] = ()
    """Natives that are calls of the provider's own tools."""
    native_result: str = ""
    """How the types of natives end that are results of those."""
    quiet: tuple[str, ...] = ()
    """Natives that say nothing, like marks for a cache."""

    ids: NamePolicy | None = None
    """Legal ids of calls."""
    usual_ids: NamePolicy | None = None
    """Those that every model and route takes."""
    idless_note: str = ""
    """Notes a call of a kind that has no id."""
    item_prefixes: Mapping[Case, str] = field(default_factory=dict)
    """How the ids of items begin, beside those of calls, by kind of item."""
    names: NamePolicy | None = None
    """Legal names of tools in calls."""
    usual_names: NamePolicy | None = None
    """Those that every model and route takes."""

    system_takers: str = ""
    """A pattern for models that take system messages behind a user's turn, where only some do."""
    system_refusers: str = ""
    """A pattern for models that accept none among the messages; all reject it at the beginning."""
    largest_integer: int | None = None
    """Beyond it integers lose digits in arguments and results; None where they keep them."""
    lists_allowed: bool = True
    """Whether a choice can list the tools that are allowed; elsewhere only those are declared."""
    chooses_by_list: bool = False
    """Whether a choice of one tool is a list of allowed tools that has one name."""
    forbids_calls: bool = True
    """Whether a choice can forbid calls; elsewhere no tools are declared."""
    search_tool: Mapping[str, str] = field(default_factory=dict)
    """The built-in tool by which a model loads deferred tools; empty where there is none."""
    search_types: str = ""
    """A pattern for the types that this tool may have."""
    tool_settings: tuple[str, ...] = ()
    """Settings of a request that bring tools too."""
    tool_items: tuple[str, ...] = ()
    """Natives in the midst of a history that do."""

    bare_note: str = ""
    """Notes content that is a bare text rather than a list of parts."""
    silent_notes: tuple[str, ...] = ()
    """Note content that is not there; none where every message without parts is empty."""
    never_empty: tuple[str, ...] = ()
    """Keys of a message that hold no empty list."""

    nullable: frozenset[str] | None = None
    """Members of messages, blocks and items that may be null; None where any may be."""
    never_null: frozenset[str] = frozenset()
    """Members that may not be null in blocks that only the provider knows; most others may be."""
    call_natives: tuple[str, ...] = ()
    """Types of natives that are calls which could not be read: without a name, or no objects."""

    thinking: tuple[str, ...] = ()
    """Where in a request's settings thinking is turned on."""
    thinking_off: str = "disabled"
    """The value there that means that it is not."""
    thinking_always: str = "enabled"
    """The value by which a model always thinks, and does not choose."""
    store: str = ""
    """The setting by which a provider stores nothing: false."""
    is_follower_bound: bool = False
    """Whether an item that kept its id is looked up with the reasoning before it."""
    seal: tuple[str, ...] = ()
    """The key of the signature that the provider requires in a part, in its own spelling."""
    seals: str = ""
    """A pattern for valid signatures."""
    foreign_seals: tuple[str, ...] = ()
    """Words in place of a signature at other providers."""
    stand_in: str = ""
    """The documented value for a call that none of the provider's models has signed."""
