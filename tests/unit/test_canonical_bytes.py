"""Canonical bytes, with the RFC's reference implementation as the judge."""

import struct

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from tests.unit.test_load import json_values
from toolcanon.errors import LimitExceeded, LoneSurrogate, NumberOutOfRange
from toolcanon.jsonio import canonical_bytes, digest


def in_range(value):
    if isinstance(value, int):
        return abs(value) < 2**53
    if isinstance(value, dict):
        return all(map(in_range, value.values()))
    if isinstance(value, list):
        return all(map(in_range, value))
    return True


@given(json_values.filter(in_range))
def test_agrees_with_the_reference(value):
    assert canonical_bytes(value) == rfc8785.dumps(value)


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_every_double_is_written_as_the_reference_writes_it(bits):
    (value,) = struct.unpack("<d", struct.pack("<Q", bits))
    if value - value == 0:
        assert canonical_bytes(value) == rfc8785.dumps(value)


@table(
    "value, text",
    [
        (1.0, b"1"),
        (-0.0, b"0"),
        (1e21, b"1e+21"),
        (1e-7, b"1e-7"),
        (0.000015, b"0.000015"),
        (2.7890840981819507e20, b"278908409818195070000"),
        (2**53 + 1, b"9007199254740993"),
        ({"\U00010000": 1, "\ue000": 2}, '{"\U00010000":1,"\ue000":2}'.encode()),
        ({"b": [], "a": {}}, b'{"a":{},"b":[]}'),
        ("\x07é\u2028", '"\\u0007é\u2028"'.encode()),
    ],
)
def test_golden(value, text):
    assert canonical_bytes(value) == text


def test_digest_is_tagged_and_stable():
    assert digest({"b": 1, "a": [1.0]}) == digest({"a": [1], "b": 1})
    assert digest({}) == (
        "tc1:sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    )
    assert digest(2**60) != digest(2**60 + 1)


def test_refusals():
    for value in (float("nan"), float("inf")):
        with pytest.raises(NumberOutOfRange):
            canonical_bytes(value)
    with pytest.raises(LoneSurrogate):
        canonical_bytes({"\ud800": 1})
    with pytest.raises(TypeError):
        canonical_bytes({1, 2})
    deep = []
    for _ in range(2000):
        deep = [deep]
    with pytest.raises(LimitExceeded):
        canonical_bytes(deep)
