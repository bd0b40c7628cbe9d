"""The loader: what it refuses, at which place, and that it loses nothing."""

import io
import json
import math
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.errors import (
    BadEncoding,
    CannotWrite,
    DuplicateKey,
    LimitExceeded,
    LoneSurrogate,
    MalformedJson,
    NumberOutOfRange,
)
from toolcanon.jsonio import DEEPEST, Limits, loads, snapshot, thaw, within
from toolcanon.sources import check_place, write_file
from toolcanon.sources.files import read_bytes

REFUSED = [
    (b"", MalformedJson),
    (b"[1,]", MalformedJson),
    (b"{'a': 1}", MalformedJson),
    (b"{} {}", MalformedJson),
    (b"// x\n{}", MalformedJson),
    (b'{"a" 1}', MalformedJson),
    (b'"\x01"', MalformedJson),
    (b'"open', MalformedJson),
    (b"[" * 300 + b"]" * 300, LimitExceeded),
    (b"[" * 10**6, LimitExceeded),
    (b'{"a":' * 10**5, LimitExceeded),
    (b"1" * 401, LimitExceeded),
    (b"NaN", NumberOutOfRange),
    (b"[-Infinity]", NumberOutOfRange),
    (b"1e400", NumberOutOfRange),
    (b"-1e-400", NumberOutOfRange),
    (b'{"a": 1, "a": 2}', DuplicateKey),
    (b'{"a": 1, "\\u0061": 2}', DuplicateKey),
    (b'[{"x": {"b": 1, "b": 1}}]', DuplicateKey),
    (b'"\\ud800"', LoneSurrogate),
    (b'{"\\udc00": 1}', LoneSurrogate),
    (b'"\\udc00\\ud800"', LoneSurrogate),
    (b'"\xff"', BadEncoding),
    (b'"\xe9"', BadEncoding),
    (b'"\xc0\x80"', BadEncoding),
    (b'"\xed\xa0\x80"', BadEncoding),
    ('{"a": 1}'.encode("utf-16"), BadEncoding),
    ('{"a": 1}'.encode("utf-16-le"), BadEncoding),
    ('{"a": 1}'.encode("utf-16-be"), BadEncoding),
    ('{"a": 1}'.encode("utf-32"), BadEncoding),
    ('{"a": 1}'.encode("utf-32-le"), BadEncoding),
    ('{"a": 1}'.encode("utf-32-be"), BadEncoding),
    ("1".encode("utf-16-le"), BadEncoding),
    (b'{\0"a": 1}', MalformedJson),
    (b'\0{"a": 1}', MalformedJson),
    (b'[\0"\0"]', MalformedJson),
    (b'{"a\0": 1}', MalformedJson),
    (b"\0\0\0", MalformedJson),
]


@table("data, error", REFUSED, ids=[repr(d[:20]) for d, _ in REFUSED])
def test_refused(data, error):
    with pytest.raises(error) as caught:
        loads(data)
    assert str(caught.value)


KEPT = [
    (b"\xef\xbb\xbf{}", {}),
    (b"9007199254740993", 9007199254740993),
    (b"18446744073709551617", 18446744073709551617),
    (b"1" * 400, int("1" * 400)),
    (b"-0", 0),
    (b"0e5", 0.0),
    (b'"\\ud83d\\ude00"', "😀"),
    (b"[" * 256 + b"]" * 256, None),
    (b'{"__proto__": 1, "": 2}', {"__proto__": 1, "": 2}),
    (b'"[{,]}\\"["', '[{,]}"['),
]


@table("data, value", KEPT, ids=[repr(d[:20]) for d, _ in KEPT])
def test_kept(data, value):
    loaded = loads(data)
    if value is not None:
        assert loaded.value == value
        assert type(loaded.value) is type(value)
    assert loaded.duplicate_keys == ()


def test_places():
    with pytest.raises(MalformedJson) as caught:
        loads(b'{\n  "a": tru\n}')
    assert (caught.value.line, caught.value.column) == (2, 8)
    with pytest.raises(DuplicateKey) as caught:
        loads(b'{"s": "{\\"s\\":1}",\n "b": [{"x": 1}, {"x": 2,\n "x": 3}]}')
    assert (caught.value.key, caught.value.first, caught.value.second) == ("x", (2, 19), (3, 2))
    with pytest.raises(NumberOutOfRange) as caught:
        loads(b'["NaN",\n NaN]')
    assert (caught.value.line, caught.value.column) == (2, 2)
    with pytest.raises(LoneSurrogate) as caught:
        loads(b'{"a": ["x", "\\ud800"]}')
    assert caught.value.at == "/a/1"
    with pytest.raises(LimitExceeded) as caught:
        loads(b'{"a": [[[1]]]}', Limits(depth=3))
    assert (caught.value.limit, caught.value.found) == ("depth", 4)
    assert "line 1, column 9" in str(caught.value)


def test_limits_can_be_set():
    with pytest.raises(LimitExceeded) as caught:
        loads(b"[1,2,3]", Limits(bytes=3))
    assert (caught.value.limit, caught.value.allowed) == ("bytes", 3)
    with pytest.raises(LimitExceeded) as caught:
        loads(b'["a,b","c",1,2,3]', Limits(values=4))
    assert (caught.value.limit, caught.value.found) == ("values", 5)
    assert loads(b'["a,,,,,,,,,,b"]', Limits(values=4)).value == ["a,,,,,,,,,,b"]
    assert loads(b"[" * 400 + b"]" * 400, Limits(depth=500))


def test_stdin_is_never_read_past_the_limit(monkeypatch):
    class Endless(io.RawIOBase):
        taken = 0

        def read(self, size=-1):
            self.taken += size
            return b" " * size

    stream = Endless()
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=stream))
    assert len(read_bytes("-", Limits(bytes=1000))) == stream.taken == 1001


@pytest.mark.parametrize("write", [check_place, lambda path: write_file(path, ["new"])])
def test_what_is_write_protected_is_not_replaced(tmp_path, write):
    place = tmp_path / "out.json"
    place.write_text("old")
    place.chmod(0o444)
    with pytest.raises(CannotWrite, match="write-protected"):
        write(str(place))
    assert place.read_text() == "old"
    place.chmod(0o644)
    write(str(place))


def test_duplicates_can_be_allowed():
    loaded = loads(b'{"a": 1, "a": 2, "b": {"c": 1, "c": 2}}', duplicates=True)
    assert loaded.value == {"a": 2, "b": {"c": 2}}
    assert sorted(loaded.duplicate_keys) == ["a", "c"]


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: x == 0 or abs(x) > 1e-300)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=20,
)


@given(json_values)
def test_agrees_with_the_standard_library_on_valid_json(value):
    for ascii_only in (True, False):
        text = json.dumps(value, ensure_ascii=ascii_only)
        loaded = loads(text).value
        assert loaded == json.loads(text)
        assert json.dumps(loaded) == json.dumps(json.loads(text))


@given(st.binary(max_size=60))
def test_any_bytes_give_a_value_or_one_of_our_errors(data):
    from toolcanon.errors import InputError

    try:
        value = loads(data).value
    except InputError:
        return
    assert not (isinstance(value, float) and math.isnan(value))


@pytest.mark.parametrize("data", [b'{\0"a": 1}', b'{"a": "\0"}', b'{"a": 1}\0'])
def test_a_nul_is_called_by_its_name(data):
    with pytest.raises(MalformedJson, match=r"NUL character.*at line 1, column"):
        loads(data)


def test_more_digits_than_python_takes_are_refused_with_their_place():
    with pytest.raises(NumberOutOfRange) as caught:
        loads(b'{"a":\n ' + b"1" * 5000 + b"}", Limits(digits=10_000))
    assert (caught.value.line, caught.value.column) == (2, 2)


def test_lists_that_hold_each_other_twice_are_refused():
    bomb = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(LimitExceeded, match="limit-values"):
        snapshot(bomb)
    shared = {"a": [1, 2]}
    assert thaw(snapshot([shared] * 3)) == [shared] * 3


@pytest.mark.parametrize("kind", ["dict", "list", "both"])
def test_every_container_that_is_held_twice_is_found(kind):
    bomb = {"x": "{[ûÛ"}
    for level in range(60):
        as_list = kind == "list" or (kind == "both" and level % 2)
        bomb = [bomb, bomb] if as_list else {"a": bomb, "b": bomb}
    for value in (bomb, [bomb], {"name": "f", "inputs": bomb}, {"a" * 219: "b" * 251, "c": bomb}):
        with pytest.raises(LimitExceeded, match="limit-values"):
            snapshot(value)


def test_a_snapshot_shares_nothing_with_the_value_nor_within_itself():
    shared = {"a": [1, 2]}
    frozen = snapshot({"x": shared, "y": shared, "z": (shared, float("inf"))})
    first, second = thaw(frozen), thaw(frozen)
    shared["a"].append(3)
    first["x"]["a"].append(4)
    assert first["y"] == {"a": [1, 2]}
    assert second == {"x": {"a": [1, 2]}, "y": {"a": [1, 2]}, "z": [{"a": [1, 2]}, float("inf")]}


@pytest.mark.parametrize("wrap", [lambda value: [value], lambda value: {"": value}])
def test_a_value_that_is_too_deep_has_no_snapshot(wrap):
    value = "leaf"
    for _ in range(DEEPEST + 1):
        value = wrap(value)
    assert thaw(snapshot(value)) == value
    with pytest.raises(LimitExceeded, match="limit-depth"):
        snapshot(wrap(value))


def test_more_values_than_allowed_have_no_snapshot():
    with within(Limits(values=10)):
        assert thaw(snapshot(list(range(20)))) == list(range(20))
        with pytest.raises(LimitExceeded, match="limit-values"):
            snapshot([None] * 21)


def test_limits_hold_for_whatever_is_read_within_them():
    with within(Limits(values=2)), pytest.raises(LimitExceeded):
        loads(b"[1, 2, 3]")
    assert loads(b"[1, 2, 3]").value == [1, 2, 3]
