"""The laws of a lowering, as a function that tries to refute what it claims.

With C the arguments valid before and W those valid after: EXACT says that every sample of C can be
said and comes back as it was, and that every sample of W comes back into C. WIDENED and NARROWED
say the opposite, so a counterexample must be found for them, unless the schema is so large that
nobody looks everywhere.
"""

from __future__ import annotations

import json
from itertools import islice

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.schema import upgrade
from toolcanon.schema.judge import judge
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.measure import count_nodes
from toolcanon.schema.sampling import sample
from toolcanon.schema.values import types_of

MOST = 40
MORE = 400
FEW = 6
LARGE = 4_000  # schemas; in what is larger the sampler does not get everywhere
MATERIAL = Effect.WIDENED | Effect.NARROWED


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True) or one == other


def identity(value):
    return value


def violations(original, lowered, dialect, *, most=MOST):  # noqa: C901 - two laws, each both ways
    """What a lowering claims and does not hold; empty when all is well or nothing can be judged."""
    written = upgrade(lowered.schema).schema
    if "additionalProperties" in dialect.rejected or dialect.others is Support.REJECTED:
        written = closed(written)  # by declared members: the target cannot say it
    before, after = judge(original), judge(written)
    if not (before.judged and after.judged) or before.skipped or after.skipped:
        return []
    lens = lowered.lens
    apply, restore = (lens.apply, lens.restore) if lens else (identity, identity)
    # Arguments are named, so what is no object cannot be meant unless the root says so.
    wrapped = any(loss.code == "L208" for loss in lowered.losses("", ""))

    def own(many):
        for value in sample(original, most=many).valid:
            if not is_undeclared(original, value) and (wrapped or isinstance(value, dict)):
                yield value

    def is_narrowed(value):
        wire = apply(value)
        return after.accepts(wire) is False or not same(restore(wire), value)

    def is_widened(wire):
        return (
            after.accepts(wire) is not False
            and not is_undeclared(written, wire)
            and before.accepts(restore(wire)) is False
        )

    told = lowered.effect
    large = count_nodes(written) > LARGE
    unsaid = [value for value in own(most) if is_narrowed(value)]
    wires = sample(written, most=most).valid
    thin = islice((thin for wire in wires[:FEW] for thin in thinned(wire)), most)
    beyond = [wire for wire in [*wires, *thin] if is_widened(wire)]
    found = []
    if not told & Effect.NARROWED:
        found += [("narrowed", value, apply(value), restore(apply(value))) for value in unsaid]
    elif not (unsaid or large) and not any(map(is_narrowed, own(MORE))):
        found.append(("never narrowed", None, None, None))
    if not told & Effect.WIDENED:
        found += [("widened", restore(wire), wire, None) for wire in beyond]
    elif not (beyond or large):
        tries = [apply(value) for value in sample(original, most=MORE).invalid]
        tries += sample(written, most=MORE).valid
        if not any(map(is_widened, tries)) and not any(
            is_widened(thin) for wire in tries for thin in thinned(wire)
        ):
            found.append(("never widened", None, None, None))
    return found


def thinned(value):
    """The value without one of its members, or with null for it, for each of them."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield {name: other for name, other in value.items() if name != key}
            yield {**value, key: None}
            yield from ({**value, key: thin} for thin in thinned(held))
    elif isinstance(value, list) and value:
        yield from ([thin, *value[1:]] for thin in thinned(value[0]))


def closed(node):
    """The schema with every object closed."""
    if not isinstance(node, dict):
        return node
    out = dict(node)
    for key, value in node.items():
        position = POSITIONS.get(key)
        if position is Position.SCHEMA:
            out[key] = closed(value)
        elif position is Position.SCHEMAS:
            out[key] = [closed(item) for item in value]
        elif position is Position.SCHEMA_MAP:
            out[key] = {name: closed(item) for name, item in value.items()}
    if "object" in types_of(node):
        out.setdefault("additionalProperties", False)
    return out


def is_undeclared(schema, value):
    """Whether a value has members although its schema says nothing of any."""
    silent = not schema.keys() & {
        "properties", "additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf",
        "$ref", "required", "if", "dependentSchemas", "then", "else",
    }  # fmt: skip
    return silent and isinstance(value, dict) and bool(value)
