"""What is claimed of every codec, as functions that fail loudly; and messages made shortly."""

from __future__ import annotations

import copy
import json

import pytest

from toolcanon.errors import NotAConversation
from toolcanon.formats.wire.codec import WriteLog
from toolcanon.ir.conversation import Message


def u(*parts):
    return Message("user", list(parts))


def a(*parts):
    return Message("assistant", list(parts))


def tool(*parts):
    return Message("tool", list(parts))


def written(codec, messages):
    """Return what is written, and the codes of what is reported."""
    told = WriteLog()
    return codec.write_messages(messages, told), [loss.code for loss in told.losses]


def are_written(codec, messages, expected, codes):
    """So and with these losses, and the messages stay as they were."""
    before = copy.deepcopy(messages)
    assert written(codec, messages) == (expected, codes)
    assert messages == before


def become_turns(codec, messages, expected, codes):
    """Check messages of blocks, each given as its role and the blocks."""
    before = copy.deepcopy(messages)
    found, told = written(codec, messages)
    assert found == [{"role": role, "content": blocks} for role, *blocks in expected]
    assert sorted(told) == sorted(codes)
    assert messages == before


def request_comes_back(codec, body):
    before, told = copy.deepcopy(body), WriteLog()
    assert sort(codec.write_request(codec.read_request(body), told)) == sort(body)
    assert body == before
    assert not told.losses


def answer_comes_back(codec, body):
    before, told = copy.deepcopy(body), WriteLog()
    read = codec.read_answer(body)
    assert sort(codec.write_answer(read, told)) == sort(body)
    assert body == before
    assert not told.losses
    return read


def is_refused_at(read, value, at):
    with pytest.raises(NotAConversation) as error:
        read(value)
    assert error.value.at == at


def sort(value):
    """As text: 1, 1.0 and True are equal but not the same. Some SDKs have bytes."""
    return json.dumps(value, sort_keys=True, default=repr)


def places(value, at=()):
    """The way to every value within one."""
    yield at
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*at, key))
