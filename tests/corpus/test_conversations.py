"""Claims about every recorded conversation on its way from each provider to each other."""

import copy
import json
from collections import Counter
from itertools import chain, zip_longest

import pytest

import toolcanon as tc
from tests.conftest import rows
from tests.referee.bodies import sdk_faults
from tests.tables import table
from toolcanon.conversations.read_write import codec_of
from toolcanon.errors import NotAConversation
from toolcanon.ir.conversation import from_dict, to_dict

pytestmark = pytest.mark.corpus

LABELS = {
    "openai_chat": "openai",
    "openai_responses": "openai-responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
}
FAMILIES = tuple(LABELS.values())
PAIRS = [(label, to) for label, source in LABELS.items() for to in FAMILIES if to != source]
every_label = pytest.mark.parametrize("label", LABELS)
every_pair = table("label, target", PAIRS)

# What every request must say beside its messages, by the SDK's types.
NEEDED = {
    "openai": {"model": "m"},
    "openai-responses": {"model": "m"},
    "anthropic": {"model": "m", "max_tokens": 1},
    "gemini": {},
    "bedrock": {},
}

# Why a row under a label is not that provider's request or response.
NOT_THEIRS = (
    "a gateway's request, with the tools of one provider and the settings of another",
    "an error instead of an answer",
    "a request or a response of another method",
)

# Losses by which a call, a result or words may look otherwise afterwards.
CALL_CHANGES = {"L312", "L313", "L315"}
RESULT_CHANGES = {"L302", "L303", "L304", "L305", "L306", "L307"}
TEXT_CHANGES = {"L307", "L319"}


def requests(label):
    """Conversations that are read as their label, without what only concerns tools."""
    for row in rows(label, "conversations"):
        body = row["body"].get("request")
        if body is None:
            continue
        try:
            read = tc.read_conversation(body)
        except NotAConversation:
            continue
        if read.format == LABELS[label]:
            yield row["id"], body, read


def answers(label):
    for row in rows(label, "conversations"):
        body = row["body"].get("response")
        if not isinstance(body, dict):
            continue
        try:
            read = tc.read_answer(body)
        except NotAConversation:
            continue
        if read.format == LABELS[label] and read.candidates:
            yield row["id"], body, read


def same(one, other):
    """Equal as JSON: 1 is neither true nor 1.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def bare(conversation):
    """Without tools and model, which others choose."""
    return tc.Conversation(conversation.messages, conversation.system, format=conversation.format)


# --- what a conversation says, whoever wrote it


def parts(conversation):
    if conversation.system is not None:
        for index, part in enumerate(conversation.system.parts):
            yield ("system", "parts", str(index)), part
    for place, message in enumerate(conversation.messages):
        for index, part in enumerate(message.parts):
            yield ("messages", str(place), "parts", str(index)), part


def said_by_call(call):
    return call.name, json.dumps(call.arguments if call.arguments is not None else {}, sort_keys=1)


def said_by_result(result):
    """Its words and values, then its media, which some providers put behind them."""
    words = [part.text for part in result.content if isinstance(part, tc.Text)]
    values = [json.dumps(part.value) for part in result.content if isinstance(part, tc.Data)]
    media = [part for part in result.content if isinstance(part, tc.Media)]
    bytes_ = sorted(str(part.data or part.url or part.file_id or part.text) for part in media)
    return "\n".join(words + values + bytes_), bool(result.is_error)


def codes_at(losses, place):
    """Of losses at a place, within it, or around it."""
    found = ((loss.code, tuple(loss.at)) for loss in losses)
    return {c for c, at in found if at[: len(place)] == place or place[: len(at)] == at}


def check_kept(source, back, losses, where):
    """Every call, result and text is there again, or a loss at its place gives the reason."""
    found = [part for _, part in parts(back)]
    calls = Counter(said_by_call(part) for part in found if isinstance(part, tc.Call))
    results = Counter(said_by_result(part) for part in found if isinstance(part, tc.Result))
    texts = "\0".join(part.text for part in found if isinstance(part, tc.Text))
    for place, part in parts(source):
        codes = codes_at(losses, place)
        if isinstance(part, tc.Call) and not codes & CALL_CHANGES:
            assert calls[said_by_call(part)], (where, place, part)
            calls[said_by_call(part)] -= 1
        elif isinstance(part, tc.Result) and not codes & RESULT_CHANGES:
            assert results[said_by_result(part)], (where, place, part)
            results[said_by_result(part)] -= 1
        elif isinstance(part, tc.Text) and part.text.strip() and not codes & TEXT_CHANGES:
            assert part.text in texts, (where, place, part)


def counted(conversation, kind):
    return sum(isinstance(part, kind) for _, part in parts(conversation))


# --- the claims


@every_pair
def test_requests_go_to_every_other_provider(label, target):
    seen = calls = 0
    for where, body, read in requests(label):
        before, untouched = copy.deepcopy(body), copy.deepcopy(read)
        source = bare(read)
        written = tc.write_conversation(source, target)
        listed = tc.write_messages(read, target)
        assert same(body, before), where
        assert read == untouched, where
        again = tc.write_conversation(bare(tc.read_conversation(body)), target)
        assert same(again.payload, written.payload), where
        assert list(again.losses) == list(written.losses), where
        codec = codec_of(target)
        assert same(listed.payload, written.payload.get(codec.history, [])), where
        assert same(listed.system, written.payload.get(codec.system) if codec.system else None)
        assert not sdk_faults(target, {**written.payload, **NEEDED[target]}), where
        back = tc.read_conversation(written.payload, source=target)
        check_kept(source, back, written.losses, where)
        assert counted(back, tc.Call) == counted(source, tc.Call), where
        assert counted(back, tc.Result) == counted(source, tc.Result), where
        seen += 1
        calls += counted(source, tc.Call)
    assert seen > 30
    assert calls > 20


@every_pair
def test_what_is_written_is_detected_again(label, target):
    wrong = total = 0
    for _, _, read in requests(label):
        written = tc.write_conversation(bare(read), target).payload
        if read.messages and counted(read, tc.Native) == 0:
            total += 1
            wrong += tc.read_conversation(written).format != target
    # Plain words alone are everybody's.
    assert wrong <= (0.5 if {target, LABELS[label]} & {"openai", "anthropic"} else 0.02) * total
    assert total > 20


@every_pair
def test_answers_go_to_every_other_provider(label, target):
    seen = 0
    for where, body, read in answers(label):
        before, untouched = copy.deepcopy(body), copy.deepcopy(read)
        written = tc.write_answer(read, target)
        assert same(body, before), where
        assert read == untouched, where
        assert same(tc.write_answer(tc.read_answer(body), target).payload, written.payload), where
        back = tc.read_answer(written.payload)
        assert back.format == target, where
        codes = {loss.code for loss in written.losses}
        if not codes & CALL_CHANGES:
            assert list(map(said_by_call, back.calls)) == list(map(said_by_call, read.calls)), where
        if not codes & (TEXT_CHANGES | {"L302"}):
            assert words(back) == words(read), where
        if read.stop is not None and "L321" not in codes:
            assert back.stop.reason == read.stop.reason, where
        again = tc.write_answer(back, target)
        assert same(again.payload, written.payload), where
        seen += 1
    assert seen > 10


def words(answer):
    return "".join(message.text for message in answer.messages)


@every_label
def test_to_its_own_provider_everything_is_the_same_json(label):
    own, seen = LABELS[label], 0
    codec = codec_of(own)
    for where, body, read in requests(label):
        written = tc.write_conversation(read, own)
        assert same(written.payload, body), where
        assert not written.losses, where
        items = body.get(codec.history)
        if isinstance(items, list):
            listed = tc.read_conversation(items, source=own)
            assert same(tc.write_messages(listed, own).payload, items), where
            seen += 1
    for where, body, read in answers(label):
        written = tc.write_answer(read, own)
        assert same(written.payload, body), where
        assert not written.losses, where
        seen += 1
    assert seen > 60


@every_label
def test_plain_json_there_and_back(label):
    for where, _, read in chain(requests(label), answers(label)):
        assert from_dict(json.loads(json.dumps(to_dict(read)))) == read, where


@every_label
def test_labels_are_right_but_for_known_reasons(label):
    """What is left out above is little, and no conversation."""
    held = [row["body"] for row in rows(label, "conversations")]
    asked = sum("request" in body for body in held)
    answered = sum(isinstance(body.get("response"), dict) for body in held)
    assert sum(1 for _ in requests(label)) >= 0.96 * asked, NOT_THEIRS
    assert sum(1 for _ in answers(label)) >= 0.9 * answered, NOT_THEIRS


# --- histories that mix providers


def lists(label):
    history = codec_of(LABELS[label]).history
    for where, body, _ in requests(label):
        items = body.get(history)
        if isinstance(items, list) and len(items) > 2:
            yield where, items


def everything_said(conversation):
    found = [part for _, part in parts(conversation)]
    return (
        Counter(said_by_call(part) for part in found if isinstance(part, tc.Call)),
        Counter(said_by_result(part) for part in found if isinstance(part, tc.Result)),
        Counter(part.text for part in found if isinstance(part, tc.Text) and part.text),
    )


@every_pair
def test_a_list_may_mix_providers(label, target):
    other = next(name for name, family in LABELS.items() if family == target)
    seen = 0
    for (where, ours), (_, theirs) in zip(lists(label), lists(other), strict=False):
        alone = everything_said(tc.read_conversation(ours, source=LABELS[label]))
        beside = everything_said(tc.read_conversation(theirs, source=target))
        expected = tuple(one + two for one, two in zip(alone, beside, strict=True))
        mixed = [item for pair in zip_longest(ours, theirs) for item in pair if item is not None]
        for items in (ours + theirs, theirs + ours, mixed):
            before = copy.deepcopy(items)
            read = tc.read_conversation(items)
            assert same(items, before), where
            assert everything_said(read) == expected, where
        read = tc.read_conversation(ours + theirs)
        sources = {LABELS[label]: ours, target: theirs}
        is_sound = {name: not sdk_faults(name, items) for name, items in sources.items()}
        for family in FAMILIES:
            written = tc.write_messages(read, family)
            if is_sound.get(family, True):  # what came from there goes back as it was
                assert not sdk_faults(family, written.payload), (where, family)
            codec = codec_of(family)
            body = {codec.history: written.payload}
            if written.system is not None:
                body[codec.system] = written.system
            back = tc.read_conversation(body, source=family)
            check_kept(bare(read), back, written.losses, (where, family))
        seen += 1
        if seen == 25:
            break
    assert seen > 10


# --- objects of the SDKs


def sdk_answer(label):
    """The model of a whole answer."""
    if label == "openai_chat":
        from openai.types.chat import ChatCompletion as Model
    elif label == "openai_responses":
        from openai.types.responses import Response as Model
    elif label == "anthropic":
        from anthropic.types import Message as Model
    else:
        from google.genai.types import GenerateContentResponse as Model
    return Model


def turn_of(label, answer):
    """What a program appends to its history."""
    match label:
        case "openai_chat":
            return [answer.choices[0].message]
        case "openai_responses":
            return list(answer.output)
        case "anthropic":
            return [{"role": "assistant", "content": answer.content}]
        case _:
            return [answer.candidates[0].content]


def first_turn(label, body):
    match label:
        case "openai_chat":
            return [body["choices"][0]["message"]]
        case "openai_responses":
            return body["output"]
        case "anthropic":
            return [{"role": "assistant", "content": body["content"]}]
        case _:
            return [body["candidates"][0]["content"]]


def opening(label):
    """A user who begins, in the provider's own words, so that the format shows."""
    return {
        "openai_chat": {"role": "user", "content": "go on"},
        "openai_responses": {"role": "user", "content": [{"type": "input_text", "text": "go on"}]},
        "anthropic": {"role": "user", "content": [{"type": "text", "text": "go on"}]},
        "gemini": {"role": "user", "parts": [{"text": "go on"}]},
    }[label]


def read_as_model(label, body):
    """The SDK's object, or None where its version does not know what is in there."""
    from pydantic import ValidationError

    model = sdk_answer(label)
    try:
        return model.model_validate_json(json.dumps(body))
    except ValidationError:
        return None


@pytest.mark.parametrize("label", [label for label in LABELS if label != "bedrock"])
def test_objects_of_the_sdks_are_taken_as_answers_and_in_lists(label):
    pytest.importorskip("google.genai")
    own, seen, calls = LABELS[label], 0, 0
    for where, body, read in answers(label):
        thing = read_as_model(label, body)
        if thing is None or (label == "gemini" and not (body["candidates"][0].get("content"))):
            continue
        found = tc.read_answer(thing)
        assert found.format == own, where
        assert list(map(said_by_call, found.calls)) == list(map(said_by_call, read.calls)), where
        assert words(found) == words(read), where
        assert found.stop == read.stop, where
        listed = [opening(label), *turn_of(label, thing)]
        written = [opening(label), *first_turn(label, body)]
        assert everything_said(tc.read_conversation(listed)) == everything_said(
            tc.read_conversation(written)
        ), where
        for target in FAMILIES:
            tc.write_conversation(tc.read_conversation(listed), target)
        seen += 1
        calls += len(found.calls)
    assert seen > 10
    assert calls > 5
