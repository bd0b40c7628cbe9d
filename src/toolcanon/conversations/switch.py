"""Switch provider in mid-session: a repaired history, with calls and tools as the target has them.

The source's codec reads the history, calls get the tools' own names and arguments, the target's
binding renders them, the target's rules repair the history, and the target's codec writes it.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from toolcanon.conversations.history_calls import (
    Outside,
    foreign_parts,
    inward,
    lifted,
    loaded,
    outward,
    renamer,
    spoken,
)
from toolcanon.conversations.read_write import (
    codec_named,
    codec_of,
    codecs,
    prompted,
    read_conversation,
    system_of,
    with_system,
)
from toolcanon.conversations.repair_history import HistoryScan, Tale, Terms, mend
from toolcanon.conversations.repair_history.content import settle_keys
from toolcanon.conversations.repair_history.repair_log import rules_of
from toolcanon.conversations.repair_history.requests import drop_internal, mend_request
from toolcanon.conversations.switch_receipt import (
    VERSION,
    SwitchUndo,
    Withheld,
    read_receipt,
    withheld_of,
)
from toolcanon.conversations.switch_request import (
    Marking,
    declare_called,
    is_of_stubs,
    is_stub,
    limited,
    needs_binding,
    searchable,
    with_tools,
)
from toolcanon.conversion.api import bind, read
from toolcanon.conversion.binding import Binding, calls_of
from toolcanon.conversion.detect import foreign_tools
from toolcanon.conversion.receipt import SWITCH_MARK
from toolcanon.conversion.sdk_objects import plain, plain_throughout
from toolcanon.conversion.target import Naming, Target, bind_options, profile_of
from toolcanon.diagnostics import CODES, Loss, Losses, Repair
from toolcanon.errors import InputError, UsageError
from toolcanon.formats.wire.codec import Codec, WriteLog
from toolcanon.formats.wire.odd_members import id_text
from toolcanon.ir import CanonicalTool, Kind
from toolcanon.ir.conversation import Conversation, ToolChoice
from toolcanon.jsonio import Pointer
from toolcanon.jsonio.types import Json, JsonObject
from toolcanon.naming.profiles import Profile
from toolcanon.registry import registry


@dataclass(slots=True)
class SwitchResult:
    """A conversation written for another provider.

    Places of losses and repairs are in the conversation as ``read_conversation`` reads the input;
    losses with a ``tool`` are in that tool. Outputs may share subtrees with the input.
    """

    payload: Json
    """Messages where the input was messages, otherwise a request body."""
    losses: Losses
    """What the target cannot express."""
    repairs: tuple[Repair, ...]
    """What was repaired; with ``repair=False``, what should be."""
    made: tuple[Repair, ...] = ()
    """With ``repair=False``, what was changed nevertheless: names and tools are always written."""
    system: Json = None
    """The system prompt as the target's request has it, where that is beside the messages.

    The list carries it too, for another switch; ``system=`` of a switch accepts it for any target.
    """
    source: str = ""
    """The format that was read."""
    target: str = ""
    """The format that was written."""
    binding: Binding | None = None
    """The tools bound for the target, if any were given."""
    is_repaired: bool = True
    """Whether repairs were requested."""
    ids: dict[str, str | None] = field(default_factory=dict)
    """Changed or new ids, to the ids before; None for a new one."""
    names: dict[str, str] = field(default_factory=dict)
    """Changed names of tools that were not given, to the names before."""
    withheld: Withheld | None = None
    """The choice of tools before, where the target's differs, and the tools that it leaves out."""
    kept: list[Json] | None = None
    """The given messages, where only their own format can hold all of them."""

    @property
    def history_key(self) -> str:
        """The key of the messages in the target's request."""
        return codec_of(self.target).history

    @property
    def system_key(self) -> str:
        """The key of the system prompt beside the messages; empty where it is among them."""
        return codec_of(self.target).system

    def receipt(self) -> JsonObject:
        """Return the receipt as plain JSON, for ``receipt=`` of a later switch back."""
        made: JsonObject = {SWITCH_MARK: VERSION, "from": self.source, "to": self.target}
        made |= {"ids": dict(self.ids), "names": dict(self.names)}
        if self.system is not None:
            made["system"] = self.system
        if self.kept is not None:
            made["messages"] = plain_throughout(self.kept)
        if self.binding is not None and not is_of_stubs(self.binding):
            made["binding"] = self.binding.receipt()
        if self.withheld is not None:
            made["withheld"] = self.withheld.to_dict()
        return made


def switch(  # noqa: PLR0913 - the public contract
    conversation: Any,
    to: str | Target,
    *,
    source: str | None = None,
    system: Any = None,
    tools: Any = None,
    binding: Binding | None = None,
    source_binding: Binding | JsonObject | None = None,
    naming: Naming | None = None,
    model: str | None = None,
    repair: bool = True,
    receipt: JsonObject | None = None,
) -> SwitchResult:
    """Write a conversation for another provider, so that the provider accepts it.

    Return a list of messages for a list, with the system prompt in ``system``; a request body for
    a request body, with its tools bound for the target. ``system`` is a system prompt that is not
    in the input: a text, or any provider's shape of it. ``tools`` (or ``binding``, their binding
    for the target) decide how calls are written, ``source_binding`` how those of the source are
    read; ``naming`` gives the outside names of tools. ``model`` is the target's: reasoning and
    signatures depend on it. What the target would reject is repaired and reported in ``repairs``;
    with ``repair=False`` it is only reported, and ``made`` has what naming and binding changed.
    The ``receipt`` of the switch that made this conversation restores what that one changed.

    Raises NotAConversation, UnknownFormat, ProfileCollision, and what ``bind`` raises.

    >>> switch([{"role": "user", "content": "Hi"}], to="gemini", source="openai").payload
    [{'role': 'user', 'parts': [{'text': 'Hi'}]}]
    """
    codec, options = codec_named(to), bind_options(to, model, naming)
    target, model, naming = _bound_for(binding, codec.id), options["model"], options["naming"]
    given = conversation if isinstance(conversation, Conversation) else _plain(conversation)
    read_ = read_conversation(given, source=source)
    home = None if given is read_ else codec_of(read_.format)
    back = read_receipt(receipt, source_binding)
    read_ = prompted(read_, system_of(system) or (None if read_.system else back.system))
    codec = _home(codec, back)
    asked = model or (read_.model if read_.format == target else None)
    terms = _terms(codec, asked, read_, back, is_request=_is_request(given, home))
    tale = Tale(read_)
    history = _inward(read_, back, terms, tale)
    choice = history.tool_choice
    marking = Marking(target, tale)
    history = marking.take(history, target)
    foreign = foreign_parts(history.messages, target)
    is_lifting = foreign and tools is None and binding is None
    history, added = lifted(history, target, tale) if is_lifting else (history, [])
    bound = binding or _bound(history, tools, added, back, options, terms, tale)
    profile = None if naming is None else profile_of(naming)
    if profile is not None:
        history = drop_internal(history, profile, bound.tools if bound else (), terms, tale)
    outside = _outside(history, bound, profile, terms)
    rename = renamer(back.calls, outside)
    history = spoken(history, target, rename, tale) if foreign else history
    survey = HistoryScan(history, terms)
    if survey.repeats and (read_.format != target or bound is not None):
        history = settle_keys(history, tale)
    history = outward(history, survey, outside, tale)
    if terms.is_request:
        history = limited(with_tools(history, bound, target), bound, terms, tale)
        history = marking.put_tools(history, rename)
    made = None if repair else len(tale.repairs)
    mended = mend(history, survey, terms, tale)
    mended, declared = declare_called(mended, survey, bound, terms, tale)
    mended = mend_request(mended, _known(mended, declared, target), terms, tale)
    sent, shown = (mended, declared) if repair else (history, bound)
    done = _written(sent, read_, shown, terms, tale, codec=codec)
    _note(done, mended, choice, codec, made)
    done.kept = _kept(given, home)
    return done


def _bound_for(binding: Any, target: str) -> str:
    """Return the target; raise UsageError for a binding that writes calls for another one."""
    if binding is None:
        return target
    if not isinstance(binding, Binding):
        raise UsageError(f"binding takes a Binding, not {type(binding).__name__}")
    if binding.format != target and binding.format in codecs():
        raise UsageError(f"the binding is for {binding.format}, and the target is {target}")
    return target


def _home(codec: Codec, back: SwitchUndo) -> Codec:
    """Return the codec of the messages before the earlier switch, where they return to it."""
    is_home = back.kept and back.origin == codec.id
    return codec.home(back.kept or []) if is_home and codec.home else codec


def _kept(given: Any, codec: Codec | None) -> list[Json] | None:
    """Return the given messages, where their codec can restore them."""
    if codec is None or codec.home is None:
        return None
    held = given.get(codec.history) if isinstance(given, dict) else given
    return list(held) if isinstance(held, list) else None


def _inward(source: Conversation, back: SwitchUndo, terms: Terms, tale: Tale) -> Conversation:
    """Return the history with the tools' own names, and the choice of tools before a switch."""
    history = source
    if source.model != terms.model:  # which selects another dialect
        history = source.copy_with(model=terms.model)
    if back.binding is not None:
        history = settle_keys(history, tale)
    history = inward(history, back.calls, back.names, tale)
    if back.withheld is None or not terms.is_request:
        return history
    return back.withheld.chosen(history, source)


def _terms(
    codec: Codec, model: str | None, source: Conversation, back: SwitchUndo, *, is_request: bool
) -> Terms:
    """Return the target's requirements for this conversation."""
    return Terms(
        rules_of(codec.id),
        codec.id,
        model,
        is_request=is_request,
        by_place=rules_of(source.format).pairs_by_place,
        system_apart=bool(codec.system),
        layout=codec.layout,
        ids=back.ids,
        origin=back.origin,
    )


def _known(mended: Conversation, declared: Binding | None, target: str) -> frozenset[str] | None:
    """Return the names of the declared tools, where a choice names one."""
    if declared is None or mended.tool_choice is None or not mended.tool_choice.names:
        return None
    names = {shape.wire_name for shape in calls_of(declared).shapes}
    if not names.issuperset(mended.tool_choice.names):
        names |= {call.name for call in loaded(mended, target).values()}
    return frozenset(names)


def _outside(
    history: Conversation, bound: Binding | None, profile: Profile | None, terms: Terms
) -> Outside:
    rules = terms.rules
    # Names that a receipt restores were accepted there before.
    is_home = terms.target in {history.format, terms.origin}
    target = registry().formats[terms.target]
    usual = None if is_home else rules.usual_names or target.names
    return Outside(bound, profile, usual or rules.names, target.namespaces, terms.target)


def _written(  # noqa: PLR0913 - one step of switching
    mended: Conversation,
    source: Conversation,
    bound: Binding | None,
    terms: Terms,
    tale: Tale,
    *,
    codec: Codec,
) -> SwitchResult:
    """Return the history as the target writes it, with its losses."""
    told = WriteLog()
    body = codec.write_request(mended, told)
    apart = None if terms.is_request or not codec.system else body.get(codec.system)
    history = with_system(body.get(codec.history, []), apart, codec.id)
    losses = tale.retold(told.losses, mended) if tale.moves else told.losses
    if source.model is not None and terms.model is None and terms.is_request:
        losses.append(_setting_lost("L318", "model", source.model))
    if source.model is not None and terms.is_request and source.format != codec.id:
        losses += [_setting_lost("L335", key) for key in codec.needs if key not in body]
    return SwitchResult(
        body if terms.is_request else history,
        Losses([*tale.losses, *losses, *(() if bound is None else bound.losses)]),
        tuple(tale.repairs),
        system=apart,
        source=source.format,
        target=terms.target,
        binding=bound,
    )


def _note(
    result: SwitchResult,
    mended: Conversation,
    choice: ToolChoice | None,
    codec: Codec,
    made: int | None,
) -> None:
    """Record what the receipt stores; for an id of several calls, also the call that kept it.

    Without repair only the first ``made`` repairs were applied.
    """
    if made is not None:
        repairs = result.repairs
        result.is_repaired, result.made, result.repairs = False, repairs[:made], repairs[made:]
    for repair in result.repairs if result.is_repaired else result.made:
        if repair.code in {"R106", "R107"}:
            if repair.after is not None:
                result.ids[str(repair.after)] = id_text(repair.before)
        elif repair.code == "R120":
            result.names[str(repair.after)] = str(repair.before)
    if result.ids:
        sent = {call.id for message in mended.messages for call in message.calls}
        stayed = [was for was in result.ids.values() if was in sent and was not in result.ids]
        result.ids |= {was: was for was in stayed if was is not None}
    payload, binding = result.payload, result.binding
    result.withheld = withheld_of(choice, payload, binding, result.repairs, codec)


def _plain(payload: Any) -> Json:
    return list(payload) if isinstance(payload, tuple) else plain(payload)


def _is_request(given: Any, codec: Codec | None) -> bool:
    """Return whether the input is a request body, rather than messages or an answer.

    A conversation has no codec of its own, and is one.
    """
    if codec is None:
        return True
    return isinstance(given, dict) and (codec.history in given or bool(codec.sniff_body(given)))


def _setting_lost(code: str, key: str, before: Json = None) -> Loss:
    entry = CODES[code]
    return Loss(code, entry.name, entry.effect, "", Pointer((key,)), before, None)


def _bound(  # noqa: PLR0913, PLR0917 - whatever may bring tools
    history: Conversation,
    tools: Any,
    added: list[Json],
    back: SwitchUndo,
    options: Mapping[str, Any],
    terms: Terms,
    tale: Tale,
) -> Binding | None:
    """Return the given tools, those of the source's binding, or the request's, bound."""
    found: list[CanonicalTool] = []
    if tools is not None:
        found = read(tools) if not _are_tools(tools) else list(tools)
    elif back.binding is not None and back.binding.tools:
        found = back.binding.tools
    elif (history.tools or back.withheld) and (
        any(value for name, value in options.items() if name != "model")
        or back.binding
        or needs_binding(history, terms)
    ):
        receipt = None if back.binding is None else back.binding.receipt()
        if history.format == terms.target:
            for place, other in foreign_tools(history.tools, terms.target).items():
                tale.tell("R131", ("tools", place), before=other, after=terms.target)
        found = _once(_readable(history.tools or [], receipt, tale), tale)
    elif not added:
        return None
    if tools is None:
        found = [tool for tool in found if not is_stub(tool)]
        if back.withheld is not None:
            found = back.withheld.among(found)
        if not found and not added:
            return None
    if added:
        known = {tool.id for tool in found}
        later = {tool.id: tool for tool in _readable(added, None, tale)}
        found = [*found, *(tool for id_, tool in later.items() if id_ not in known)]
    if history.format != terms.target:
        found = searchable(found, terms, tale)
    return bind(found, terms.target, **options)


def _readable(tools: Json, receipt: JsonObject | None, tale: Tale) -> list[CanonicalTool]:
    if receipt is not None:
        with suppress(InputError):  # the receipt is of other tools
            return read(tools, receipt=receipt)
    try:
        return read(tools)
    except InputError as error:
        if not isinstance(tools, list) or len(tools) == 1:
            tale.tell("R125", ("tools",), before=str(error))
            return []
    found: list[CanonicalTool] = []
    for number, tool in enumerate(tools):
        try:
            found += read([tool])
        except InputError as error:
            tale.tell("R125", ("tools", number), before=str(error))
    return found


def _are_tools(tools: Any) -> bool:
    return isinstance(tools, (list, tuple)) and all(isinstance(t, CanonicalTool) for t in tools)


def _once(tools: list[CanonicalTool], tale: Tale) -> list[CanonicalTool]:
    seen: set[str] = set()
    kept = []
    for number, tool in enumerate(tools):
        if tool.id in seen and tool.kind is not Kind.BUILTIN:
            tale.tell("R124", ("tools", number), before=tool.id)
            continue
        seen.add(tool.id)
        kept.append(tool)
    return kept
