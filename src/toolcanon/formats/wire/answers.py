"""What responses of content blocks have around their message: why it stopped, and the rest."""

from __future__ import annotations

from toolcanon.formats.wire.codec import Told, has_foreign
from toolcanon.ir.conversation import Answer, Candidate, Stop, StopReason
from toolcanon.jsonio.types import JsonObject


class Stops:
    """Why a model stopped, in one provider's words; we write the first of several."""

    __slots__ = ("_reasons", "_words")

    def __init__(self, reasons: dict[str, StopReason]) -> None:
        self._reasons = reasons
        self._words = {reason: word for word, reason in reversed(reasons.items())}

    def read(self, word: str) -> Stop:
        return Stop(self._reasons.get(word, "unknown"), word)

    def write(self, stop: Stop, told: Told, *, is_ours: bool) -> str:
        """The word that it was, as long as it says the same; a word of ours for any other."""
        known = self._reasons.get(stop.word or "", "unknown" if is_ours else None)
        if stop.word is not None and known == stop.reason:
            return stop.word
        word = self._words.get(stop.reason)
        if word is None:
            word = self._words["end"]
            told.lose("L321", ("candidates", 0, "stop"), stop.word or stop.reason, word)
        return word


def only_candidate(answer: Answer, told: Told) -> Candidate:
    """The first, where there is room for one."""
    if len(answer.candidates) > 1:
        told.lose("L320", ("candidates",), len(answer.candidates), 1)
    return answer.candidates[0] if answer.candidates else Candidate()


def tell_extras(answer: Answer, candidate: Candidate, format_id: str, told: Told) -> None:
    """Report keys of another provider that go no further."""
    for place, extras in (((), answer.extras), (("candidates", 0), candidate.extras)):
        if has_foreign(extras, format_id):
            told.lose("L308", (*place, "extras"), extras)


def write_usage(out: JsonObject, answer: Answer, told: Told, *, is_ours: bool) -> None:
    """As the provider counted, to nobody else."""
    if answer.usage is None:
        return
    if is_ours:
        out["usage"] = answer.usage
    else:
        told.lose("L308", ("usage",), answer.usage)
