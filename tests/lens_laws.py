"""The laws of a lowering, as a function that tries to refute what it claims.

With C the arguments valid before and W those valid after: EXACT says that every sample of C can be
said and comes back as it was, and that every sample of W comes back into C. WIDENED and NARROWED
say the opposite, so a counterexample must be found for them, unless the schema is so large that
nobody looks everywhere.
"""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import islice

from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.flaws import lost_references
from toolcanon.schema.judge import judge
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.measure import count_nodes
from toolcanon.schema.sampling import sample
from toolcanon.schema.values import types_of

MOST = 40
MORE = 400
FEW = 6
LARGE = 4_000  # schemas; in what is larger the sampler does not get everywhere
COMPOSED = frozenset("allOf anyOf oneOf $ref if dependentSchemas enum const".split())
MATERIAL = Effect.WIDENED | Effect.NARROWED


def same(one, other):
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True) or one == other


def identity(value):
    return value


@lru_cache(maxsize=64)
def _sampled(text, most):
    found = sample(json.loads(text), most=most)
    return json.dumps([found.valid, found.invalid])


def sampled(schema, most):
    """Valid and invalid instances: found once for a schema, and new ones for everybody."""
    return json.loads(_sampled(json.dumps(schema), most))


def closes(dialect):
    """Whether objects are closed by their declared members: the target cannot say it."""
    return "additionalProperties" in dialect.rejected or dialect.others is Support.REJECTED


def is_wrapped(lowered):
    return any(loss.code == "L208" for loss in lowered.losses("", ""))


def claim(lowered, dialect):
    """All that the laws look at beside the original: dialects that claim the same are one."""
    parts = json.dumps([lowered.schema, lowered.document])
    return parts, lowered.effect, is_wrapped(lowered), closes(dialect)


def violations_by_dialect(original, dialects, **how):
    """Each dialect with its lowering and the violations of that; equal claims are tried once."""
    judged = {}
    for dialect in dialects:
        lowered = lower(original, dialect)
        claimed = claim(lowered, dialect)
        if claimed not in judged:
            judged[claimed] = violations(original, lowered, dialect, **how)
        yield dialect, lowered, judged[claimed]


def violations(original, lowered, dialect, *, patience=None):  # noqa: C901 - two laws, each both ways
    """What a lowering claims and does not hold; empty when all is well or nothing can be judged.

    Patience is how many thinned arguments are tried before a counterexample is given up; without
    a number, all.
    """
    written = upgrade(lowered.schema).schema
    if closes(dialect):
        written = closed(written)
    before, after = judge(original), judge(written)
    if not (before.judged and after.judged) or before.skipped or after.skipped:
        return []
    lens = lowered.lens
    apply, restore = (lens.apply, lens.restore) if lens else (identity, identity)
    # Arguments are named, so what is no object cannot be meant unless the root says so.
    wrapped = is_wrapped(lowered)

    def own(many):
        for value in sampled(original, many)[0]:
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
    unsaid = [value for value in own(MOST) if is_narrowed(value)]
    wires, _ = sampled(written, MOST)
    thin = islice((thin for wire in wires[:FEW] for thin in thinned(wire)), MOST)
    beyond = [wire for wire in [*wires, *thin] if is_widened(wire)]
    found = []
    if not told & Effect.NARROWED:
        found += [("narrowed", value, apply(value), restore(apply(value))) for value in unsaid]
    elif not (unsaid or large) and not any(map(is_narrowed, own(MORE))):
        found.append(("never narrowed", None, None, None))
    if not told & Effect.WIDENED:
        found += [("widened", restore(wire), wire, None) for wire in beyond]
    elif not (beyond or large or is_circular(original)):
        tries = [apply(value) for value in sampled(original, MORE)[1]]
        tries += sampled(written, MORE)[0]
        thin = islice((thin for wire in tries for thin in thinned(wire)), patience)
        names = sorted(declared(original))
        # A declared member among the entries counts where it is not given in its own place.
        absent = (thin for wire in tries for thin in thinned(wire))
        renamed = islice((other for thin in absent for other in reentered(thin, names)), 4 * MORE)
        if not any(any(map(is_widened, some)) for some in (tries, thin, renamed)):
            found.append(("never widened", None, None, None))
    return found


def is_circular(schema):
    """Whether what a schema accepts is undefined, so that no value shows what it did not accept."""
    return any(flaw.is_circular for flaw in lost_references(schema))


def thinned(value):
    """The value without one of its members, or with null for it, for each of them."""
    if isinstance(value, dict):
        for key, held in value.items():
            yield {name: other for name, other in value.items() if name != key}
            yield {**value, key: None}
            yield from ({**value, key: thin} for thin in thinned(held))
    elif isinstance(value, list) and value:
        yield from ([thin, *value[1:]] for thin in thinned(value[0]))


def declared(node):
    """The names of all members that are declared anywhere."""
    if isinstance(node, list):
        return {name for item in node for name in declared(item)}
    if not isinstance(node, dict):
        return set()
    own = node.get("properties")
    return {*(own if isinstance(own, dict) else ()), *declared([*node.values()])}


def reentered(value, names):
    """The value with an entry of a map under another of these names, for each of them."""
    if isinstance(value, dict):
        if value.keys() == {"key", "value"}:
            yield from ({**value, "key": name} for name in names)
        for key, held in value.items():
            yield from ({**value, key: other} for other in reentered(held, names))
    elif isinstance(value, list) and value:
        yield from ([other, *value[1:]] for other in reentered(value[0], names))


def closed(node, *, is_root=True):
    """The schema with every object closed, but for those that declare no members: maps."""
    if not isinstance(node, dict):
        return node
    out = dict(node)
    for key, value in node.items():
        position = POSITIONS.get(key)
        if position is Position.SCHEMA:
            out[key] = closed(value, is_root=False)
        elif position is Position.SCHEMAS:
            out[key] = [closed(item, is_root=False) for item in value]
        elif position is Position.SCHEMA_MAP:
            out[key] = {name: closed(item, is_root=False) for name, item in value.items()}
    is_map = not is_root and not node.get("properties") and COMPOSED.isdisjoint(node)
    if "object" in types_of(node) and not is_map:
        out.setdefault("additionalProperties", False)
    return out


def is_undeclared(schema, value):
    """Whether a value has members although its schema says nothing of any."""
    silent = not schema.keys() & {
        "properties", "additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf",
        "$ref", "required", "if", "dependentSchemas", "then", "else",
    }  # fmt: skip
    return silent and isinstance(value, dict) and bool(value)
