"""What a conversation can lose on its way to another provider."""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.code import Code
from toolcanon.diagnostics.effect import Effect

_EXACT, _HINT, _LESS = Effect.EXACT, Effect.HINT_LOST, Effect.NARROWED

CONVERSATION_CODES: Final = (
    Code("L301", "reasoning-dropped", _HINT,
         "what a model thought is left out",
         "Thoughts are sealed for the model that wrote them; another one refuses the seal, and as "
         "plain text they would be words that nobody said."),
    Code("L302", "media-described", _LESS,
         "an image, a sound or a file became a note in words",
         "The target has no place for it there, neither inline nor elsewhere."),
    Code("L303", "media-moved", _EXACT,
         "an image or a file moved into a user message behind the results",
         "The target takes only text in a tool's answer."),
    Code("L304", "error-told-in-text", _EXACT,
         "that the tool failed is said in its text",
         "The target has no flag for it. The text is an envelope that reading recognises."),
    Code("L305", "value-told-as-text", _EXACT,
         "a JSON value became JSON text",
         "The target takes only text there."),
    Code("L306", "value-wrapped", _EXACT,
         "a value was put into an object",
         "The target takes only objects there."),
    Code("L307", "native-dropped", _LESS,
         "a block that only its provider knows is left out",
         "Built-in tools at work, approvals and states to hand back mean nothing elsewhere."),
    Code("L308", "provider-keys-dropped", _HINT,
         "keys that only their provider knows are left out",
         "Cache marks, citations, signatures on a part and the like."),
    Code("L309", "order-changed", _HINT,
         "text and calls of one turn stand in another order",
         "The target keeps them in separate fields."),
    Code("L310", "role-changed", _HINT,
         "a message is told by another role",
         "The target does not know the role, or not in this place."),
    Code("L311", "system-moved", _HINT,
         "a system message of the middle stands at another place",
         "The target takes system messages only at the beginning, or beside the messages."),
    Code("L312", "text-call-wrapped", _EXACT,
         "the input of a free-text call became a member called input",
         "The target has only calls with arguments."),
    Code("L313", "arguments-wrapped", _EXACT,
         "arguments that are no object were put into one",
         "The target takes only objects; the call keeps what the model wrote."),
    Code("L314", "speaker-dropped", _HINT,
         "who spoke is left out",
         "The target has no names for those who share a role."),
    Code("L315", "call-namespace-folded", _EXACT,
         "the namespace of a call became part of its name",
         "The target has no namespaces."),
    Code("L316", "choice-weakened", Effect.WIDENED,
         "the choice of tools says less than it did",
         "The target cannot say it in this way."),
    Code("L317", "parallel-setting-dropped", _HINT,
         "whether calls may come in parallel is left to the model",
         "The target has no setting for it."),
    Code("L318", "settings-dropped", _HINT,
         "settings of the request are left out",
         "They are the provider's own; set those of the target yourself."),
    Code("L319", "refusal-told-as-text", _HINT,
         "a refusal became ordinary text",
         "The target has no kind of part for it."),
    Code("L320", "candidates-dropped", _LESS,
         "only the first of several answers is left",
         "The target gives one answer."),
    Code("L321", "stop-reason-changed", _HINT,
         "why the model stopped is said less exactly",
         "The target has fewer words for it."),
    Code("L322", "id-invented", _EXACT,
         "a call without an id got one",
         "The target pairs calls and results by id. The id follows from the place, so that the "
         "same history always gets the same."),
    Code("L325", "answer-name-dropped", _EXACT,
         "which tool answered is told by the call's id alone",
         "The target has no name in an answer."),
    Code("L330", "text-within-value", _EXACT,
         "a text of a tool's answer is left out, because the value beside it says the same",
         "Servers send a value and, for clients that know only text, the same in words. A model "
         "needs it once."),
    Code("L331", "end-may-be-refused", _HINT,
         "the history ends with the model's words, which newer models refuse",
         "Nothing is changed. Append a message of the user's, or name the model: for one that is "
         "known to refuse it, a short message is added."),
    Code("L332", "digits-lost", _LESS,
         "an integer has more digits than the target keeps",
         "The target stores numbers as doubles, which are exact up to 2 to the 53rd. Pass such "
         "numbers as text."),
    Code("L333", "native-told-as-text", _HINT,
         "what a provider's own tool did became words",
         "Server tools, connectors and loaded tools are known to their provider alone. Others "
         "read what the tool was given and the plain text of what it answered."),
    Code("L334", "cache-mark-dropped", _HINT,
         "a mark for the provider's cache is left out, or says less",
         "The target has no marks for its cache, or nothing there that could carry this one. The "
         "answers are the same; they may cost more."),
)  # fmt: skip
