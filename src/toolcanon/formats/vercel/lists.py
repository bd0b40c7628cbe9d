"""Lists of messages, in both layouts and both directions."""

from __future__ import annotations

from toolcanon.formats.vercel.older import INVOKED
from toolcanon.formats.vercel.reading import ModelReader, checked
from toolcanon.formats.vercel.spelling import Layout, layout_of
from toolcanon.formats.vercel.ui_reading import UiReader
from toolcanon.formats.vercel.ui_writing import UiWriter
from toolcanon.formats.vercel.writing import ModelWriter
from toolcanon.formats.wire.codec import Told
from toolcanon.ir.conversation import Message
from toolcanon.jsonio.types import Json, JsonObject


def is_ui(message: JsonObject) -> bool:
    """Return whether it is a UIMessage: with parts instead of content."""
    return "parts" in message or isinstance(message.get(INVOKED), list)


def read_messages(messages: list[Json], model: str | None) -> list[Message]:
    return read_list(messages, model, "")


def read_list(messages: Json, model: str | None, at: str) -> list[Message]:
    """Read a list of messages at some place of a larger document."""
    model_reader, ui_reader = ModelReader(model), UiReader(model)
    found: list[Message] = []
    for message in checked(messages, at):
        if is_ui(message):
            found += ui_reader.read(message)
        else:
            found.append(model_reader.read(message))
            ui_reader.open = []
        if found[-1].role == "user":  # a new message instead of an approval
            model_reader.waiting, ui_reader.waiting = [], []
    model_reader.finish()
    ui_reader.finish()
    return found


def write_messages(messages: list[Message], told: Told) -> list[Json]:
    return write_list([*enumerate(messages)], told, None)


def write_list(
    messages: list[tuple[int, Message]], told: Told, layout: Layout | None
) -> list[Json]:
    """Write in one layout; without one as they were read, and others like their neighbours.

    A requested layout is the current version; older forms are kept only without one.
    Messages come with their numbers in the conversation.
    """
    layouts = [layout_of(message) for _, message in messages]
    keeps_older = layout is None
    if layout is None:
        known = {each for each in layouts if each is not None and each != "step"}
        if known == {"ui", "model"} and {None, "step"}.isdisjoint(layouts):
            return _write_mixed(messages, layouts, told)
        layout = "ui" if known == {"ui"} else "model"
    kind = UiWriter if layout == "ui" else ModelWriter
    writer = kind(told, keeps_older=keeps_older)
    for (index, message), found in zip(messages, layouts, strict=True):
        writer.add(message, index, mine=found == layout)
    return writer.finish()


def _write_mixed(
    messages: list[tuple[int, Message]], layouts: list[Layout | None], told: Told
) -> list[Json]:
    """Write each message in its own layout."""
    out: list[Json] = []
    writer: UiWriter | ModelWriter | None = None
    for (index, message), found in zip(messages, layouts, strict=True):
        kind = UiWriter if found == "ui" else ModelWriter
        if not isinstance(writer, kind):
            out += [] if writer is None else writer.finish()
            writer = kind(told)
        writer.add(message, index, mine=True)
    return out if writer is None else out + writer.finish()
