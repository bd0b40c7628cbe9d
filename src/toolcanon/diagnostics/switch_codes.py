"""What is mended in a history on its way to another provider."""

from __future__ import annotations

from typing import Final

from toolcanon.diagnostics.code import Code
from toolcanon.diagnostics.effect import Effect

_EXACT, _HINT, _LESS = Effect.EXACT, Effect.HINT_LOST, Effect.NARROWED

SWITCH_CODES: Final = (
    Code("R101", "result-added", _EXACT,
         "a call without a result got one that says so",
         "Every call must be answered; one that was interrupted keeps a session from going on. The "
         "result is an error, so that no model takes it for the tool's own words."),
    Code("R102", "orphan-result-dropped", _LESS,
         "a result whose call is not in the history is left out",
         "Cutting a history from the front leaves such results; no provider takes them."),
    Code("R103", "second-result-dropped", _LESS,
         "a second result of the same call is left out",
         "A call has one result. The first is kept: it is what the model went on from."),
    Code("R104", "result-moved", _EXACT,
         "a result moved to right behind its call",
         "The target looks for it there, before any other words."),
    Code("R105", "turns-joined", _EXACT,
         "messages of one side that follow each other were joined",
         "The target wants the sides to alternate, or all results of a turn in one message."),
    Code("R106", "call-id-changed", _EXACT,
         "a call and its result go by another id",
         "The target allows fewer characters or shorter ids, or wants each only once. Where it is "
         "short enough the new id spells the old one out; the receipt knows all of them."),
    Code("R107", "call-id-made", _EXACT,
         "a call without an id got one",
         "The target pairs calls and results by id. The id follows from the place, so that the "
         "same history always gets the same."),
    Code("R108", "empty-text-dropped", _EXACT,
         "a text that says nothing is left out",
         "The target refuses empty or blank texts in this place."),
    Code("R109", "empty-message-dropped", _EXACT,
         "a message without content is left out",
         "The target wants something in every message."),
    Code("R110", "user-turn-added", _HINT,
         "a message of the user's was put in front",
         "The target wants the user to begin; cutting a history often leaves the assistant first."),
    Code("R111", "error-words-added", _EXACT,
         "an error without words got some",
         "The target wants to hear what went wrong."),
    Code("R112", "arguments-mended", _EXACT,
         "arguments that were no object became one",
         "What a model wrote twice encoded is read twice, nothing at all is no arguments, and "
         "anything else stands in a member called arguments, as it was."),
    Code("R113", "number-replaced", _LESS,
         "a number that JSON has no word for became text",
         "Infinity and its like come from numbers that are too large; no service reads them."),
    Code("R114", "thought-dropped", _HINT,
         "a thought that the target would refuse is left out",
         "It was sealed by another model, has no seal, or lacks what came of it."),
    Code("R115", "item-id-dropped", _EXACT,
         "an item goes without the id its provider gave it",
         "The provider looks the id up, together with a thought that is no longer there, or the "
         "id is none of its own."),
    Code("R116", "seal-stood-in", _HINT,
         "a call got the word that stands for a missing seal",
         "Newer models want a seal on the first call of each turn, and their provider documents a "
         "word for calls that they did not make."),
    Code("R117", "thinking-turned-off", _HINT,
         "thinking is turned off for this request",
         "While it is on, the turn that called tools must begin with its thought, and that was "
         "another model's."),
    Code("R118", "choice-changed", _LESS,
         "the choice of a tool was changed",
         "It names a tool that is not declared, there are none, or thinking is on. Where it lists "
         "the allowed tools and none of them is declared, no tool may be called."),
    Code("R119", "tool-declared", _HINT,
         "a tool was declared only because the history calls it",
         "The target refuses calls in a history when no tools are declared."),
    Code("R120", "call-renamed", _EXACT,
         "calls of a tool go by another name",
         "The tool is not among those given; the target does not take its name, or a naming "
         "profile has another one for it."),
    Code("R121", "tool-unknown", _EXACT,
         "calls of a tool that is not among those given go on as they are",
         "Its arguments cannot be put into the shape the target's model would use."),
    Code("R122", "internal-call-dropped", _HINT,
         "a call of an internal tool is left out, with its result",
         "The naming profile says that the tool is neither sent nor replayed."),
    Code("R123", "native-result-dropped", _LESS,
         "the result of a provider's own tool is left out",
         "The call it belongs to is not in the history."),
    Code("R124", "tool-twice-dropped", _LESS,
         "a second tool of the same name is left out",
         "A call could mean either."),
    Code("R125", "tools-unread", _LESS,
         "tools that nobody can read are left out",
         "They are in no known format, so they cannot be written for another one."),
    Code("R126", "call-role-changed", _EXACT,
         "a call moved into a message of the assistant's",
         "Only the assistant calls tools."),
    Code("R127", "result-named", _EXACT,
         "a result without a name got that of its call",
         "Neither of them has an id, and the target pairs them by name and place."),
    Code("R128", "characters-escaped", _LESS,
         "halves of characters were spelled out",
         "A surrogate that stands alone is no Unicode, and no request can hold it. It comes "
         "from names of files in other encodings, and from texts that were cut in the middle."),
    Code("R129", "keys-settled", _LESS,
         "arguments in which a key stands twice say the last of them",
         "Readers do not agree on which one is meant. The report has the text as it was."),
    Code("R130", "messages-cut", _LESS,
         "messages at the beginning were cut off",
         "It was asked for. No call was parted from its result."),
    Code("R131", "member-reshaped", _EXACT,
         "a member that the target does not take as it is was written as it does",
         "Arguments or results that were not turned into text, one block instead of a list, ids "
         "that are no strings, nulls that an SDK wrote for what is not there."),
    Code("R132", "unread-call-dropped", _LESS,
         "a call without a name is left out, with its result",
         "The target refuses it, and its model could not know what was called. The report has the "
         "call as it was."),
    Code("R140", "tools-limited", _EXACT,
         "only the allowed tools are declared",
         "The choice lists the tools that are allowed, or allows none, and the target has no such "
         "choice."),
    Code("R141", "user-turn-appended", _HINT,
         "a message of the user's was put at the end",
         "The model does not go on with words of its own; the user must speak last."),
    Code("R142", "tools-lifted", _EXACT,
         "tools that the history declares in its midst are declared with the request",
         "The target takes definitions of tools only there."),
    Code("R143", "system-lifted", _HINT,
         "a system message moved beside the messages",
         "The model takes none among them, or none before the user has spoken."),
)  # fmt: skip
