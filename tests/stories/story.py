"""What happens in a history, and strategies that make it up.

Every text, every call and every result carries a mark: letters and digits that no escaping changes.
The mark of a result is that of its call with another letter, so that any wire shows whether a
result belongs to its own call.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from typing import Any

from hypothesis import strategies as st

ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "ABSENT"})()


@dataclasses.dataclass(frozen=True)
class Content:
    """Words or a value: `shape` is how they are written, with as many marks as it takes."""

    shape: str
    marks: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True)
class Ask:
    mark: str
    name: Any
    id: Any = ABSENT
    shape: str = "usual"  # of the arguments
    tool: int | None = None  # its number among the declared ones
    free: bool = False  # free text instead of arguments, where a provider has that


@dataclasses.dataclass(frozen=True)
class Reply:
    mark: str  # of its call; of none, its own
    content: Content
    id: Any = ABSENT
    name: Any = ABSENT
    is_error: Any = ABSENT


@dataclasses.dataclass(frozen=True)
class Say:
    role: str
    content: Content


@dataclasses.dataclass(frozen=True)
class Item:
    """Something in the list that is no message, or hardly one."""

    kind: str
    marks: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Asking:
    said: Content
    asks: tuple[Ask, ...]
    apart: bool = False  # each call in a message of its own
    alone: bool = False  # one call that stands where a list of them belongs


@dataclasses.dataclass(frozen=True)
class Answering:
    replies: tuple[Reply, ...]
    apart: bool = False


@dataclasses.dataclass(frozen=True)
class Story:
    events: tuple[Any, ...]
    tools: tuple[str, ...] = ()
    choice: int | None = None  # the number of the tool that must be called
    bare: bool = False  # only the list of messages

    @property
    def strays(self) -> list[Item]:
        """Items that are no messages: a reader may refuse the whole list for them."""
        return [event for event in self.events if isinstance(event, Item)]

    def asks(self) -> list[Ask]:
        """Every call."""
        return [ask for e in self.events if isinstance(e, Asking) for ask in e.asks]

    def marks(self) -> list[str]:
        """Every mark that is written somewhere: none may disappear without a report."""
        found: list[str] = []
        for event in self.events:
            match event:
                case Say():
                    found += event.content.marks
                case Item():
                    found += event.marks
                case Asking():
                    found += event.said.marks
                    found += [ask.mark for ask in event.asks if ask.shape in ARGUMENTS_WITH_MARK]
                case Answering():
                    for reply in event.replies:
                        found += reply.content.marks
        return found


# --- shapes: how many marks each takes

USUAL_SHAPES = {"text": 1, "blocks": 1, "two": 2}
ODD_SHAPES = {
    "string": 1, "image": 2, "block": 1, "object": 1, "number": 1, "list": 1, "nested": 1,
    "objects": 1,
    "strings": 2, "mixed": 2, "strange": 1, "strange-block": 1, "text-object": 1,
    "text-number": 1, "textless": 0,
    "text-null": 0, "null": 0, "absent": 0, "empty": 0, "none": 0, "true": 0, "false": 0, "zero": 0,
    "float": 0, "empty-object": 0,
}  # fmt: skip
SHAPES = {**USUAL_SHAPES, **ODD_SHAPES}
SOUND_ARGUMENTS = ("usual", "rich")
ARGUMENTS_WITH_MARK = (*SOUND_ARGUMENTS, "other", "cut", "listed", "twice", "extra")
ARGUMENT_SHAPES = (*ARGUMENTS_WITH_MARK, "null", "absent", "blank", "number", "true")

NAMES = ("f", "g", "db.query", "a b", "9x", "n" * 90, "ü")
ODD_NAMES = ("", None, 7, ABSENT)
IDS = (
    "c1", "c2", "toolu_1", "a.b", "a b", "x" * 70, "", "1", 1, 2, 3, 1.0, 2.5, 0, -1, True, False,
    [1], {"a": 1}, 2**60, None, ABSENT, ABSENT,
)  # fmt: skip
ITEMS = {"null": 0, "string": 1, "number": 1, "listed": 1, "keys": 1, "role": 1, "role-number": 1,
         "no-role": 1, "other-key": 1, "both": 2, "empty": 0}  # fmt: skip


class Pen:
    """Numbers marks while a story is made up."""

    def __init__(self) -> None:
        self.used = 0

    def mark(self, kind: str) -> str:
        self.used += 1
        return f"z{kind}{self.used}z"

    def content(self, shape: str, mark: str = "") -> Content:
        marks = [mark] if mark else []
        marks += [self.mark("t") for _ in range(SHAPES[shape] - len(marks))]
        return Content(shape, tuple(marks[: SHAPES[shape]]))


def id_text(value: Any) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return value if isinstance(value, str) else repr(value).lower()


def is_id(value: Any) -> bool:
    return value is not ABSENT and value is not None


@st.composite
def stories(draw: Any, *, odd: bool, named: str) -> Story:
    """`odd` with ids, content and arguments in shapes that no client should send.

    `named`: whether a result has the name of its tool, "never", "maybe" or "always".
    """
    pen = Pen()
    declared = tuple(draw(st.lists(st.sampled_from(NAMES), unique=True, max_size=3)))
    said = _shapes(odd=odd)
    events: list[Any] = []
    if draw(st.booleans()):
        events.append(Say("system", pen.content(draw(said))))
    if odd:
        events += draw(_strays(pen, named=named))
    late: list[Any] = []
    for number in range(draw(st.integers(1, 3))):
        if number and isinstance(events[-1], Asking):  # else the calls of both would be one turn
            events.append(Say("user", pen.content("text")))
        elif number == 0 or draw(st.booleans()):
            events.append(Say("user", pen.content(draw(said))))
        turn, behind = draw(_turns(pen, declared, odd=odd, named=named))
        events += turn
        late += behind
    if late:
        events += [Say("user", pen.content("text")), *late]
    for role in ("assistant", "user"):
        if draw(st.booleans()):
            events.append(Say(role, pen.content(draw(said))))
    if late or _is_early(events):  # then an id says which call is meant, so each id has one call
        events = [_renumbered(event) for event in events]
    choice = draw(st.sampled_from([None, *range(len(declared))]))
    bare = not declared and draw(st.booleans())
    return Story(tuple(events), declared, choice, bare)


@st.composite
def _strays(draw: Any, pen: Pen, *, named: str) -> Any:
    """Now and then a result without a call, or an item that is no message."""
    found: list[Any] = []
    if draw(_SELDOM):
        mark = pen.mark("r")
        content = pen.content(draw(_shapes(odd=True)), mark)
        name = ABSENT if named == "never" else "f"
        found.append(Answering((Reply(mark, content, "nobody", name),)))
    if draw(_SELDOM):
        kind = draw(st.sampled_from(sorted(ITEMS)))
        found.append(Item(kind, tuple(pen.mark("t") for _ in range(ITEMS[kind]))))
    return found


@st.composite
def _turns(draw: Any, pen: Pen, declared: tuple[str, ...], *, odd: bool, named: str) -> Any:
    """Calls with their results: behind them, before them, never, or at the end of the history."""
    asks = tuple(draw(_asks(pen, declared, odd=odd)))
    alone = odd and len(asks) == 1 and draw(_SELDOM)
    said = pen.content(draw(_shapes(odd=odd, null=True)))
    asking = Asking(said, asks, draw(st.booleans()), alone)
    replies = tuple(draw(_replies(asks, pen, odd=odd, named=named))) if asks else ()
    answering = Answering(replies, draw(st.booleans()))
    where = "next" if replies else "never"
    if odd and all(is_id(reply.id) for reply in replies):
        where = draw(st.sampled_from(["next"] * 6 + ["late", "early", "never"]))
    turns = {
        "next": ([asking, answering], []),
        "early": ([answering, asking], []),
        "late": ([asking], [answering]),
        "never": ([asking], []),
    }
    return turns[where] if replies else turns["never"]


def _is_early(events: list[Any]) -> bool:
    before = [None, *events]
    return any(
        isinstance(event, Answering) and not isinstance(last, Asking)
        for last, event in zip(before, events, strict=False)
    )


def _renumbered(event: Any) -> Any:
    """With an id for each call that no other call has."""
    match event:
        case Asking():
            return dataclasses.replace(event, asks=tuple(map(_own_id, event.asks)))
        case Answering():
            return dataclasses.replace(event, replies=tuple(map(_own_id, event.replies)))
    return event


def _own_id(of: Any) -> Any:
    if not is_id(of.id):
        return of
    number = int(of.mark[2:-1])
    return dataclasses.replace(of, id=number if isinstance(of.id, int) else f"i{number}")


def _shapes(*, odd: bool, null: bool = False) -> Any:
    usual = [*USUAL_SHAPES, *(("null",) if null else ())]
    return st.sampled_from([*usual, *usual, *ODD_SHAPES] if odd else usual)


@st.composite
def _asks(draw: Any, pen: Pen, declared: tuple[str, ...], *, odd: bool) -> Any:
    asks = []
    for _ in range(draw(st.integers(0, 3))):
        name = draw(st.sampled_from(declared or NAMES))
        tool = declared.index(name) if name in declared else None
        call_id: Any = f"call_{pen.used}"
        shape = draw(st.sampled_from(SOUND_ARGUMENTS))
        if odd:
            call_id = draw(st.one_of(st.just(call_id), st.sampled_from(IDS)))
            shape = draw(st.sampled_from(("usual",) * 9 + ARGUMENT_SHAPES))
        free = draw(_SELDOM)
        if free:
            name, tool = "free", None
        asks.append(Ask(pen.mark("c"), name, call_id, shape, tool, free))
    if odd and asks and all(is_id(ask.id) for ask in asks) and draw(_SELDOM):
        name = draw(st.sampled_from(ODD_NAMES))  # only ids say then whose results they are
        number = f"odd_{pen.used}"
        asks[-1] = dataclasses.replace(asks[-1], name=name, tool=None, id=number)
    return asks


@st.composite
def _replies(draw: Any, asks: tuple[Ask, ...], pen: Pen, *, odd: bool, named: str) -> Any:
    """One for each call, such that exact ids, then names, then places say which call is meant."""
    shared = Counter(id_text(ask.id) for ask in asks if is_id(ask.id))
    must = any(ask.name in ODD_NAMES for ask in asks)
    by_id = {ask.mark: is_id(ask.id) and (must or shared[id_text(ask.id)] > 1
                                          or draw(_USUALLY[odd]))
             for ask in asks}  # fmt: skip
    without = [ask for ask in asks if not by_id[ask.mark]]
    names_told = {ask.name: draw(_SAYS[named]) for ask in without}
    order = list(draw(st.permutations(range(len(asks)))))
    # Of those that only their place tells apart, the order is that of the calls.
    groups: dict[Any, list[int]] = {}
    for number, ask in enumerate(asks):
        if by_id[ask.mark]:
            key: Any = ("id", repr(ask.id))
        else:
            key = ("name", ask.name) if names_told[ask.name] else ("place",)
        groups.setdefault(key, []).append(number)
    for members in groups.values():
        places = sorted(order.index(number) for number in members)
        for place, number in zip(places, members, strict=True):
            order[place] = number
    made = []
    for number in order:
        ask = asks[number]
        says_name = names_told.get(ask.name, False)
        if by_id[ask.mark]:
            says_name = draw(_SAYS[named])
        content = pen.content(draw(_shapes(odd=odd)), ask.mark.replace("zc", "zr"))
        error = draw(st.sampled_from([ABSENT, ABSENT, True, False, *([None] if odd else [])]))
        made.append(Reply(ask.mark, content, ask.id if by_id[ask.mark] else ABSENT,
                          ask.name if says_name else ABSENT, error))  # fmt: skip
    return made


_SELDOM = st.sampled_from([True] + [False] * 9)
_SAYS = {"never": st.just(False), "maybe": st.booleans(), "always": st.just(True)}


# False now and then: the call has an id, and its result has none.
_USUALLY = {True: st.sampled_from([True] * 5 + [False]), False: st.just(True)}
