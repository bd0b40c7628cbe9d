"""Check a payload: tools, a conversation, or a request with both."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final

from toolcanon.checking.conversations import lint
from toolcanon.checking.merge import merged
from toolcanon.checking.outcome import LEVELS, CheckReport
from toolcanon.checking.selection import Selection
from toolcanon.checking.tools import Checks, plain_tools
from toolcanon.conversion.api import explained
from toolcanon.conversion.conversations import codecs, read_conversation
from toolcanon.conversion.detect import FALLBACK, detect
from toolcanon.conversion.target import Target, targets_of
from toolcanon.errors import NotAConversation, NoTools
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio.types import Json

_NO_TOOLS: Final = "tools-missing"
_NO_RESULT: Final = "call-without-result"


def check(  # noqa: PLR0913 - the public contract
    payload: Any,
    to: str | Target | Iterable[str | Target] | None = None,
    *,
    source: str | None = None,
    model: str | None = None,
    select: Iterable[str] = (),
    ignore: Iterable[str] = (),
    watch: Callable[[str], None] | None = None,
) -> CheckReport:
    """Check tools and conversations against each target, and by the rules for definitions.

    ``payload`` is anything ``read`` accepts, canonical tools, a list of messages, or a request
    body. ``to`` are targets: by default the most common ones for tools, and its own format for a
    conversation. ``source`` names that format where it cannot be detected. ``select`` and
    ``ignore`` take codes, names or beginnings of codes; compatibility, losses and safety (C, L, S)
    are selected by default. ``watch`` is called with the next step. Raises UnknownCode, NoTools.

    >>> check({"name": "f", "inputSchema": {"type": "object"}}, to="mcp").matrix
    {'f': {'mcp': 'ok'}}
    >>> call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    >>> asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    >>> [finding.name for finding in check([{"role": "user", "content": "Go."}, asked]).findings]
    ['call-without-result']
    """
    targets = None if to is None else targets_of(to)
    select, ignore = (
        (word,) if isinstance(word, str) else tuple(word) for word in (select, ignore)
    )
    if source is None and (targets == () or plain_tools(payload) is not None):
        checks = Checks.of(targets, model=model, select=select, ignore=ignore)
        return checks.report(payload, watch)
    inspection = Inspection(targets or (), model=model, source=source, select=select, ignore=ignore)
    try:
        return inspection.report(payload, watch, may_be_empty=True)
    except RecursionError as error:  # the loader limits the depth of text, not that of objects
        raise explained(error, payload) from None


class Inspection:
    """A check with fixed options; each payload is checked separately.

    ``targets`` are for tools and conversations, ``tool_targets`` for tools that come without a
    conversation. A conversation is checked against its own provider by default.
    """

    def __init__(  # noqa: PLR0913 - the options of the command line
        self,
        targets: tuple[str | Target, ...] = (),
        tool_targets: tuple[str | Target, ...] = (),
        *,
        model: str | None = None,
        source: str | None = None,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
    ) -> None:
        """``source`` is the format of conversations. Raises UnknownCode."""
        self.targets, self.tool_targets = targets_of(targets), targets_of(tool_targets)
        self.model, self.source = model, source
        self.select, self.ignore = select, ignore
        self.chosen = Selection.of(select, ignore)
        self._checks: dict[tuple[str, ...], Checks] = {}

    def report(
        self,
        payload: Any,
        watch: Callable[[str], None] | None = None,
        *,
        may_be_empty: bool = False,
    ) -> CheckReport:
        """Return the report of one payload. Raises NoTools when it is empty."""
        conversation = self._conversation(payload)
        reports: list[CheckReport] = []
        targets = self.targets or self.tool_targets
        if conversation is not None:
            targets = self.targets or (conversation.format,)
            reports.append(self._linted(payload, conversation, targets))
        if conversation is None or conversation.tools:
            tools = self._asked(targets).report(payload, watch)
            if not tools.tools and not may_be_empty:
                raise NoTools("it is empty")
            reports.append(tools)
        return merged(reports)

    def _asked(self, targets: tuple[str | Target, ...]) -> Checks:
        key = tuple(map(str, targets))
        if key not in self._checks:
            self._checks[key] = Checks.of(
                targets or None, model=self.model, select=self.select, ignore=self.ignore
            )
        return self._checks[key]

    def _conversation(self, payload: Json) -> Conversation | None:
        """Return the conversation, or None for other payloads: without messages it holds tools."""
        source = self.source
        if source is not None and detect(payload).format != FALLBACK and not _has_messages(payload):
            raise NotAConversation(
                "", "it has tools, and source (--from) is the format of a conversation"
            )
        try:
            found = read_conversation(payload, source=source)
        except NotAConversation:
            if source is not None:
                raise
            return None
        if found.everything():
            return found
        if source is not None:
            raise NotAConversation("", "it has no messages")
        return None

    def _linted(
        self, payload: Json, conversation: Conversation, targets: tuple[str | Target, ...]
    ) -> CheckReport:
        unasked = _beyond(payload, conversation)
        findings = [
            replace(finding, target=str(target))
            for target in targets
            for finding in lint(conversation, target, model=self.model, document=payload)
            if finding.name not in unasked and self.chosen.takes(finding.code, finding.name)
        ]
        findings.sort(key=lambda finding: LEVELS.index(finding.level))
        return CheckReport((), tuple(map(str, targets)), {}, tuple(findings))


def is_message(payload: Json) -> bool:
    """Return whether it is a single message: a part of a conversation."""
    if not isinstance(payload, dict):
        return False
    known = codecs().values()
    whole = any(codec.sniff_body(payload) or codec.sniff_answer(payload) for codec in known)
    return not whole and any(codec.sniff(payload) for codec in known)


def _has_messages(payload: Json) -> bool:
    return isinstance(payload, dict) and any(
        codec.history in payload for codec in codecs().values()
    )


def _beyond(payload: Json, conversation: Conversation) -> tuple[str, ...]:
    """Return the names of findings that the payload does not suffice for.

    Tools are declared beside messages, and the calls of a response have no results yet.
    """
    codec = codecs()[conversation.format]
    if isinstance(payload, dict) and codec.history in payload:
        return ()
    is_response = isinstance(payload, dict) and codec.sniff_answer(payload) > 0
    return (_NO_TOOLS, _NO_RESULT) if is_response else (_NO_TOOLS,)
