"""The laws of conversion, as functions that fail loudly."""

from __future__ import annotations

import copy
import json
from unittest import mock

import toolcanon as tc
from toolcanon.conversion import losses
from toolcanon.conversion.losses import losses_of
from toolcanon.conversion.predicted_losses import facts
from toolcanon.registry import builtin_formats, get_target

TARGETS = tuple(sorted(item.id for item in builtin_formats().values() if item.write is not None))


def through_json(value):
    return json.loads(json.dumps(value))


def patched(document, lost):
    """The facts of a tool after its losses: what a reader of the payload must see."""
    document = copy.deepcopy(document)
    for loss in lost:
        if loss.code >= "L200":  # rewrites of schemas, whose places are those of the original
            continue
        holder = document
        *parents, last = loss.at
        for step in parents:
            holder = holder.setdefault(step, {}) if isinstance(holder, dict) else holder[step]
        if loss.after is None:
            holder.pop(last, None)
        else:
            holder[last] = copy.deepcopy(loss.after)
    for field in ("hints", "inputs", "outputs"):
        if field in document and not document[field]:
            del document[field]
    extras = {key: value for key, value in document.pop("extras", {}).items() if value}
    return {**document, "extras": extras} if extras else document


def without_origin(payload):
    """The original was blanked on the way in, so it cannot come back."""
    if isinstance(payload, dict) and "source_format" in payload:
        return {key: value for key, value in payload.items() if key != "original_definition"}
    return payload


def check_pair(tool, definition, source, target, where):
    """A -> B -> A: whole with the receipt, and exactly as the losses say without."""
    for lower in (True, False):
        tool.original_definition = {}
        bound = tc.bind(tool, target, lower=lower)
        payload, receipt = through_json(bound.payload), through_json(bound.receipt())
        back = tc.convert(payload, source, source=target, lower=False, receipt=receipt)
        assert without_origin(back.payload) == without_origin(definition), (where, target, lower)
        seen = tc.read(payload, source=target)
        if any(loss.code == "L015" for loss in bound.losses):
            assert seen == [], (where, target)
        else:
            told, expected = facts(seen[0]), patched(facts(tool), bound.losses)
            for side in ("inputs", "outputs"):
                if any(x.code >= "L200" and x.at[:1] == (side,) for x in bound.losses):
                    written = {side: getattr(bound._bound[0].wire, side)}
                    # What the envelope did to the written schema; the rest made it what it is.
                    beside = [x for x in bound.losses if x.code < "L100" and x.at[:1] == (side,)]
                    assert told.pop(side) == patched(written, beside)[side]
                    expected.pop(side)
            assert told == expected, (where, target, lower)


def check_predicted_losses(definition, target, where):
    """The losses predicted from a tool's keys are those that reading back finds."""
    for options in ({}, {"strict": True}):
        for item in tc.convert(definition, target, **options)._bound:
            written = get_target(target)
            predicted = losses_of(item, written)
            with mock.patch.object(losses, "predict", return_value=False):
                found = losses_of(item, written)
            assert sorted(map(repr, predicted)) == sorted(map(repr, found)), (
                where,
                target,
                options,
            )
