"""A shape: the structure of a tool's responses, learned from samples, without their values."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Final, Self

from toolcanon.drift.shapes.document import read, written
from toolcanon.drift.shapes.learning import Learner
from toolcanon.drift.shapes.nodes import MOST_NODES, Node, merged, trimmed
from toolcanon.drift.shapes.results import is_failure, plain_response
from toolcanon.errors import BadShape
from toolcanon.jsonio import digest
from toolcanon.jsonio.types import JsonObject

VERSION: Final = "shape.v1"
_HASH: Final = 16
_DEFAULT_KEY: Final = b"toolcanon shape.v1"
_COUNTS: Final = ("samples", "failures", "cut")
_FIELDS: Final = frozenset({"schema", "digest", "keyed", "root", "failed", *_COUNTS})


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Shape:
    """The structure of responses. Immutable; ``merge`` returns a new one.

    >>> one, other = Shape.learn([{"a": 1}]), Shape.learn([{"a": 2, "b": "x"}])
    >>> one.merge(other) == other.merge(one) == Shape.learn([{"a": 1}, {"a": 2, "b": "x"}])
    True
    """

    root: Node
    """The structure of answers."""
    failed: Node
    """The structure of responses that state a failure."""
    samples: int = 0
    failures: int = 0
    cut: int = 0
    """The number of responses that were inspected only in part, because they were too large."""
    keyed: str = ""
    """The id of the key that values were hashed with, not the key itself."""

    @classmethod
    def learn(
        cls,
        responses: Iterable[Any],
        *,
        redact: Callable[[Any], Any] | None = None,
        key: bytes = b"",
    ) -> Self:
        """Learn from samples: any JSON values, results of tools, texts.

        ``redact`` is called with each response before anything else. ``key`` prevents guessing the
        values of short lists from their hashes; only shapes of the same key can be merged.
        """
        learner = Learner(_made_key(key))
        samples = failures = 0
        for response in responses:
            plain = plain_response(response if redact is None else redact(response))
            failed = is_failure(plain)
            samples += 1
            failures += failed
            learner.take(plain, failed=failed)
        root, broken = (trimmed(node, MOST_NODES) for node in learner.done())
        return cls(root, broken, samples, failures, learner.cut, _mark(key))

    def merge(self, other: Shape) -> Shape:
        """Return the merged shape, equal to learning from all samples at once, in any order."""
        if not other.samples:
            return self
        if not self.samples:
            return other
        self.ensure_comparable(other)
        return Shape(
            trimmed(merged(self.root, other.root) or Node(), MOST_NODES),
            trimmed(merged(self.failed, other.failed) or Node(), MOST_NODES),
            self.samples + other.samples,
            self.failures + other.failures,
            self.cut + other.cut,
            self.keyed,
        )

    def ensure_comparable(self, other: Shape) -> None:
        """Raise BadShape when values were hashed with different keys."""
        if self.samples and other.samples and self.keyed != other.keyed:
            raise BadShape("its values were hashed with another key")

    @property
    def answers(self) -> int:
        """The number of responses that are not failures."""
        return self.samples - self.failures

    @property
    def digest(self) -> str:
        """A digest of the content."""
        return digest(["toolcanon", VERSION, self._body()])

    def to_dict(self) -> JsonObject:
        """Return plain JSON without any value, as docs/schemas/shape.v1.json describes it."""
        body = self._body()
        return {"schema": VERSION, "digest": digest(["toolcanon", VERSION, body]), **body}

    def _body(self) -> JsonObject:
        counts = {name: getattr(self, name) for name in _COUNTS}
        roots = {"root": written(self.root), "failed": written(self.failed)}
        return {**counts, "keyed": self.keyed, **roots}

    @classmethod
    def from_dict(cls, document: Any) -> Self:
        """Return the shape that ``to_dict`` wrote. Raises BadShape."""
        if not isinstance(document, dict) or not isinstance(document.get("schema"), str):
            raise BadShape("it is not a shape")
        if document["schema"] != VERSION:
            raise BadShape("its version is unknown")
        keyed = document.get("keyed")
        if not isinstance(keyed, str) or len(keyed) not in {0, _HASH}:
            raise BadShape("it does not name its key")
        counts: list[Any] = [document.get(name) for name in _COUNTS]
        if any(one.__class__ is not int or one < 0 for one in counts):
            raise BadShape("it has no number of samples")
        root, failed = (read(document.get(name), f"/{name}") for name in ("root", "failed"))
        made = cls(root, failed, counts[0], counts[1], counts[2], keyed)
        if not document.keys() <= _FIELDS or document.get("digest") != made.digest:
            raise BadShape("its digest does not match its content: it was damaged or edited")
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Shape) and self._body() == other._body()

    def __hash__(self) -> int:
        return hash((self.samples, self.failures))

    def __repr__(self) -> str:
        return f"<Shape of {self.samples:,} responses>"


def _made_key(key: bytes) -> bytes:
    """Return a key of the right size; without one, a public constant."""
    return blake2b(key, digest_size=32, person=b"toolcanon").digest() if key else _DEFAULT_KEY


def _mark(key: bytes) -> str:
    return blake2b(_made_key(key), digest_size=8, person=b"which key").hexdigest() if key else ""
