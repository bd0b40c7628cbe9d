"""The laws of a lowering, as a function that tries to refute what it claims.

With C the arguments valid before and W those after: EXACT states that every sample of C can be
sent and comes back as it was, and that every sample of W comes back into C. WIDENED and NARROWED
say the opposite, so a counterexample must be found for them, unless the schema is so large that
no search looks everywhere.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from itertools import islice

from tests.sampling import sample
from toolcanon.diagnostics import Effect
from toolcanon.dialect import Support
from toolcanon.jsonio import Pointer
from toolcanon.lowering import lower
from toolcanon.schema import upgrade
from toolcanon.schema.keywords import POSITIONS, Position
from toolcanon.schema.malformed import lost_references
from toolcanon.schema.measure import count_nodes
from toolcanon.schema.validate import judge
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
        patterned = literals(original)
        more = islice((other for wire in tries for other in extended(wire, patterned)), 4 * MORE)
        if not any(any(map(is_widened, some)) for some in (tries, thin, renamed, more)):
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


def literals(node):
    """Names that patterns for members match: the letters of the patterns themselves."""
    if isinstance(node, list):
        return {name for item in node for name in literals(item)}
    if not isinstance(node, dict):
        return set()
    own = node.get("patternProperties")
    names = {"".join(filter(str.isalnum, one)) for one in own} if isinstance(own, dict) else set()
    return names | literals([*node.values()])


def extended(value, names):
    """The value with another member of each of these names, in each of its objects."""
    if isinstance(value, dict):
        yield from ({**value, name: 0} for name in sorted(names) if name not in value)
        for key, held in value.items():
            yield from ({**value, key: other} for other in extended(held, names))
    elif isinstance(value, list) and value:
        yield from ([other, *value[1:]] for other in extended(value[0], names))


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
    """Whether a value has members although its schema declares none."""
    silent = not schema.keys() & {
        "properties", "additionalProperties", "patternProperties", "allOf", "anyOf", "oneOf",
        "$ref", "required", "if", "dependentSchemas", "then", "else",
    }  # fmt: skip
    return silent and isinstance(value, dict) and bool(value)


def lost_parameters(original, lowered):
    """Paths of declared members that cannot be sent any more, by the names of the original.

    On the wire a path may lead through keys that lowering made, and it may end where anything can
    be sent: in JSON text, or in a map of any values.
    """
    renamed = {}
    for loss in lowered.losses("f", ""):
        if loss.code == "L226":
            renamed.setdefault(loss.before, set()).add(loss.after)
    written = list(wire_places(upgrade(lowered.schema).schema))
    known = [path for path, _ in written]
    free = [path for path, is_free in written if is_free]

    def holds(path, wire):
        steps = iter(wire)
        return all(any(step == name or step in renamed.get(name, ()) for step in steps)
                   for name in path)  # fmt: skip

    return [
        path
        for path in declared_paths(original)
        if not any(holds(path, wire) for wire in known)
        and not any(holds(path[:end], wire) for wire in free for end in range(len(path)))
    ]


def declared_paths(schema):
    """The paths of all members that a value can have."""
    return list(dict.fromkeys(path for path, _ in wire_places(schema) if path))


def wire_places(schema):
    """Every place that names lead to, with whether any value can be sent there."""
    defs = {"#": schema}
    for key in ("$defs", "definitions"):
        defs |= {f"#/{key}/{name}": held for name, held in schema.get(key, {}).items()}
    waiting = [(schema, (), frozenset())]
    seen = set()
    while waiting:
        node, path, around = waiting.pop()
        if node is False:
            continue
        yield path, is_free(node)
        if not isinstance(node, dict) or id(node) in around or (id(node), path) in seen:
            continue
        seen.add((id(node), path))
        inside = around | {id(node)}
        for name, member in (node.get("properties") or {}).items():
            waiting.append((member, (*path, name), inside))
        below = [node[key] for key in IN_PLACE if key in node]
        below += [item for key in IN_LISTS for item in node.get(key, ())]
        below += [item for key in IN_TABLES for item in node.get(key, {}).values()]
        if node.get("$ref") in defs:
            below.append(defs[node["$ref"]])
        waiting += [(item, path, inside) for item in below]


IN_PLACE = ["then", "else", "items", "unevaluatedItems", "additionalProperties",
            "unevaluatedProperties"]  # fmt: skip
IN_LISTS = ["allOf", "anyOf", "oneOf", "prefixItems"]
IN_TABLES = ["patternProperties", "dependentSchemas"]
SILENT = {"title", "description", "default", "examples", "$comment", "nullable"}


def is_free(node):
    if not isinstance(node, dict):
        return node is True
    if str(node.get("$ref")).endswith("any_json"):
        return True
    if node.keys() <= SILENT or "JSON text" in str(node.get("description")):
        return True
    if node.get("type") == "array" and not node.keys() & {"items", "prefixItems"}:
        return True
    opens = node.get("additionalProperties", True) in (True, {})
    return node.get("type") == "object" and opens and not node.get("properties")


def unrendered(original, lowered, dialect):
    """Values that can be sent on the wire and are rendered as something that it refuses."""
    written = upgrade(lowered.schema).schema
    if closes(dialect):
        written = closed(written)
    before, after = judge(by_declared(original)), judge(written)
    if not (before.judged and after.judged) or before.skipped or after.skipped:
        return []
    lens = lowered.lens
    if lens is None:
        return []
    found = []
    for wire in sampled(written, MOST)[0]:
        if after.accepts(wire) is False:
            continue
        troubles = []
        value = lens.restore(wire, troubles)
        if troubles or before.accepts(value) is not True:
            continue
        again = lens.apply(value)
        if after.accepts(again) is False or not same(lens.restore(again), value):
            found.append((wire, value, again))
    return found


def misnamed(original, lowered):
    """Values that come back with a name that was made for the wire."""
    made = {loss.after for loss in lowered.losses("f", "") if loss.code == "L226"}
    made -= declared(original)
    if not made or lowered.lens is None:
        return []
    wires = sampled(upgrade(lowered.schema).schema, MOST)[0]
    values = [(wire, lowered.lens.restore(wire)) for wire in wires]
    return [(wire, value) for wire, value in values if made & keys_of(value)]


def keys_of(value):
    if isinstance(value, list):
        return {key for item in value for key in keys_of(item)}
    return {*value, *keys_of([*value.values()])} if isinstance(value, dict) else set()


def by_declared(schema):
    """The schema for those who send declared members only: none that nothing evaluates."""
    defs = {
        key: {name: shut(held, inner=True) for name, held in schema[key].items()}
        for key in ("$defs", "definitions")
        if key in schema
    }
    return {**shut(schema), **defs}


def shut(node, *, inner=False):
    """A schema whose objects take declared members only; of an inner one, others speak as well."""
    if not isinstance(node, dict):
        return node
    out = dict(node)
    for key, value in node.items():
        position = POSITIONS.get(key)
        if position is None or key in {"$defs", "if", "not", "propertyNames"}:
            continue
        part = key in {"allOf", "anyOf", "oneOf", "then", "else", "dependentSchemas"}
        part = part and (inner or len(node) > 1 or key == "allOf")
        if position is Position.SCHEMA:
            out[key] = shut(value, inner=part)
        elif position is Position.SCHEMAS:
            out[key] = [shut(item, inner=part) for item in value]
        else:
            out[key] = {name: shut(item, inner=part) for name, item in value.items()}
    speaks = node.keys() & {"properties", "patternProperties", "$ref", "allOf", "anyOf", "oneOf",
                            "if", "dependentSchemas"}  # fmt: skip
    if speaks and not inner:
        out.setdefault("unevaluatedProperties", False)
    return out


NOTE = re.compile(r"\(([^()]*)\)")
CHOICE = re.compile(r"(exactly|at least) one of: (.+)")
SWITCH = re.compile(r"(.+?) when (.+?) is (.+)")


def contradicted(original, lowered, dialect):
    """Notes for the model that are not true of arguments which the original takes."""
    written = upgrade(lowered.schema).schema
    if closes(dialect):
        written = closed(written)
    before, after = judge(by_declared(original)), judge(written)
    found = []
    for value in sampled(original, MOST)[0]:
        wire = lowered.lens.apply(value) if lowered.lens else value
        if before.accepts(value) is not True or after.accepts(wire) is not True:
            continue
        for node, held in noted(written, wire, written):
            found += [(text, held) for text in false_notes(node, held)]
    return found


def noted(node, value, root):
    """Every schema with a description that speaks of an object, and that object."""
    for _ in range(8):
        if isinstance(node, dict) and str(node.get("$ref")).startswith("#"):
            node = Pointer.parse(node["$ref"][1:]).resolve(root)
    if not isinstance(node, dict):
        return
    if isinstance(value, dict):
        if isinstance(node.get("description"), str):
            yield node, value
        for name, held in value.items():
            member = (node.get("properties") or {}).get(name, node.get("additionalProperties"))
            yield from noted(member, held, root)
    if isinstance(value, list):
        for held in value:
            yield from noted(node.get("items"), held, root)
    branches = [branch for key in ("anyOf", "oneOf") for branch in node.get(key) or ()]
    taking = [one for one in branches if isinstance(one, dict)
              and judge({**root, "type": [], **one}).accepts(value) is not False]  # fmt: skip
    if len(taking) == 1:
        yield from noted(taking[0], value, root)


def false_notes(node, held):
    """False statements of a description about members; null may be for what is absent."""
    given = {name for name, value in held.items() if value is not None}
    maybe = held.keys()
    known = (node.get("properties") or {}).keys()
    for text in NOTE.findall(node["description"]):
        choice = CHOICE.fullmatch(text)
        if choice:
            groups = [set(group.split(" and ")) for group in choice[2].split(" | ")]
            sure = sum(group <= given for group in groups)
            if not any(group <= maybe for group in groups) or (choice[1] == "exactly" and sure > 1):
                yield text
            elif any(not group <= known for group in groups):
                yield f"names unknown members: {text}"
        for part in text.split("; "):
            switch = SWITCH.fullmatch(part)
            if not switch or choice:
                continue
            needed, name, values = set(switch[1].split(" and ")), switch[2], switch[3]
            if not {*needed, name} <= known:
                yield f"names unknown members: {text}"
            elif str(held.get(name)) in values.split(" or ") and not needed <= maybe:
                yield text
