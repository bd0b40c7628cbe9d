"""Check whatever comes: tools, a conversation, or a request with both."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from toolcanon.checking.conversations import lint
from toolcanon.checking.merge import merged
from toolcanon.checking.outcome import LEVELS, CheckReport
from toolcanon.checking.selection import Selection
from toolcanon.checking.tools import Checks
from toolcanon.conversion import detect
from toolcanon.conversion.conversations import codecs, read_conversation
from toolcanon.conversion.detect import FALLBACK
from toolcanon.errors import NotAConversation, NoTools
from toolcanon.ir.conversation import Conversation
from toolcanon.jsonio.types import Json

_NO_TOOLS: Final = "tools-missing"
_NO_RESULT: Final = "call-without-result"


class Inspection:
    """What is asked of payloads; each of them is judged by itself.

    ``targets`` are for both, ``tool_targets`` for tools that come without a conversation: a
    conversation is meant for the provider it was written for, unless somebody says otherwise.
    """

    def __init__(  # noqa: PLR0913 - what the command line can say
        self,
        targets: tuple[str, ...] = (),
        tool_targets: tuple[str, ...] = (),
        *,
        model: str | None = None,
        source: str | None = None,
        select: tuple[str, ...] = (),
        ignore: tuple[str, ...] = (),
    ) -> None:
        """``source`` is the format of conversations. Raises UnknownCode."""
        self.targets, self.tool_targets = tuple(dict.fromkeys(targets)), tool_targets
        self.model, self.source = model, source
        self.select, self.ignore = select, ignore
        self.chosen = Selection.of(select, ignore)
        self._checks: dict[tuple[str, ...], Checks] = {}

    def report(
        self,
        payload: Json,
        watch: Callable[[str], None] | None = None,
        *,
        may_be_empty: bool = False,
    ) -> CheckReport:
        """The report of one payload. Raises NoTools when there is nothing in it."""
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

    def _asked(self, targets: tuple[str, ...]) -> Checks:
        if targets not in self._checks:
            self._checks[targets] = Checks.of(
                targets or None, model=self.model, select=self.select, ignore=self.ignore
            )
        return self._checks[targets]

    def _conversation(self, payload: Json) -> Conversation | None:
        """The conversation, unless it is something else: what holds no messages holds tools."""
        source = self.source
        if source is not None and detect(payload).format != FALLBACK and not _has_messages(payload):
            raise NotAConversation("", "it holds tools; --from is the format of a conversation")
        try:
            found = read_conversation(payload, source)
        except NotAConversation:
            if source is not None:
                raise
            return None
        if found.everything():
            return found
        if source is not None:
            raise NotAConversation("", "there are no messages in it")
        return None

    def _linted(
        self, payload: Json, conversation: Conversation, targets: tuple[str, ...]
    ) -> CheckReport:
        unasked = _beyond(payload, conversation)
        findings = [
            replace(finding, target=target)
            for target in targets
            for finding in lint(conversation, target, document=payload)
            if finding.name not in unasked and self.chosen.takes(finding.code, finding.name)
        ]
        findings.sort(key=lambda finding: LEVELS.index(finding.level))
        return CheckReport((), targets, {}, tuple(findings))


def is_message(payload: Json) -> bool:
    """Whether it is one message alone: a part of a conversation rather than one."""
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
    """What cannot be judged by what was handed in.

    Tools are declared beside messages, and the calls of a response are yet to be answered.
    """
    codec = codecs()[conversation.format]
    if isinstance(payload, dict) and codec.history in payload:
        return ()
    is_response = isinstance(payload, dict) and codec.sniff_answer(payload) > 0
    return (_NO_TOOLS, _NO_RESULT) if is_response else (_NO_TOOLS,)
