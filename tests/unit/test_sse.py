"""Server-sent events: whatever the split, the same events; never more memory than allowed."""

import json
import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tables import table
from toolcanon.errors import BadEncoding, LimitExceeded, MalformedJson
from toolcanon.formats.wire.streams import EventDecoder, payloads

TABLE = [
    ("one", b"data: 1\n\n", [("message", "1")]),
    ("named", b"event: ping\ndata: {}\n\n", [("ping", "{}")]),
    ("no space after the colon", b"data:1\n\n", [("message", "1")]),
    ("only one space is taken", b"data:  1 \n\n", [("message", " 1 ")]),
    ("CRLF", b"event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", [("a", "1"), ("message", "2")]),
    ("CR", b"data: 1\r\rdata: 2\r\r", [("message", "1"), ("message", "2")]),
    ("mixed ends", b"data: 1\r\n\ndata: 2\r\r\n", [("message", "1"), ("message", "2")]),
    ("several lines of data", b"data: a\ndata: b\ndata:\n\n", [("message", "a\nb\n")]),
    ("comments", b": ping\n\n:\ndata: 1\n: x\n\n", [("message", "1")]),
    ("no final blank line", b"data: 1\n\ndata: 2\n", [("message", "1"), ("message", "2")]),
    ("no final line end", b"data: 1", [("message", "1")]),
    ("byte order mark", b"\xef\xbb\xbfdata: 1\n\n", [("message", "1")]),
    ("a mark further on is text", b"\n\xef\xbb\xbfdata: 1\n\n", []),
    ("other fields", b"id: 7\nretry: 10\nfoo\ndata: 1\n\n", [("message", "1")]),
    ("a name without data", b"event: a\n\ndata: 1\n\n", [("message", "1")]),
    ("data without a value", b"data\n\n", [("message", "")]),
    ("nothing", b"", []),
    ("only line ends", b"\r\n\r\n\n\r", []),
    ("characters of several bytes", "data: é€𝄞\n\n".encode(), [("message", "é€𝄞")]),
    ("Unicode has other line ends", "data: a\u2028c\n\n".encode(), [("message", "a\u2028c")]),
]  # fmt: skip


def decode(pieces, limit=None):
    events = EventDecoder() if limit is None else EventDecoder(limit)
    return [event for piece in pieces for event in events.feed(piece)] + events.close()


@table("data, expected", [row[1:] for row in TABLE], ids=[r[0] for r in TABLE])
def test_table_whole_and_byte_by_byte(data, expected):
    assert decode([data]) == expected
    assert decode([data[i : i + 1] for i in range(len(data))]) == expected
    assert decode([data[:1], b"", data[1:]]) == expected


LINES = st.sampled_from(
    ["data: é", "data:", "data: {}", "event: x", ": c", "", "", "𝄞", "id: 1", "data: [DONE]"]
)
ENDS = st.sampled_from(["\n", "\r\n", "\r"])


@given(
    st.lists(st.tuples(LINES, ENDS), max_size=12), st.lists(st.integers(0, 200), max_size=8),
    st.booleans(),
)  # fmt: skip
def test_any_split_gives_the_same(lines, cuts, has_mark):
    data = ("\ufeff" * has_mark + "".join(line + end for line, end in lines)).encode()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    pieces = [data[a:b] for a, b in pairwise(places)]
    assert decode(pieces) == decode([data])


def test_after_closing_a_new_stream_may_begin():
    events = EventDecoder()
    events.feed(b"event: a\ndata: 1\r")
    assert events.close() == [("a", "1")]
    assert events.feed(b"\xef\xbb\xbfdata: 2\n\n") == [("message", "2")]
    assert events.close() == []


@pytest.mark.parametrize("piece", [b"data: " + b"x" * 100, b"data: 123456789\n", b"x" * 7])
def test_an_event_without_end_is_refused(piece):
    with pytest.raises(LimitExceeded) as caught:
        decode([piece] * 20, limit=50)
    assert caught.value.allowed == 50


def test_many_small_events_and_comments_stay_below_the_limit():
    events = EventDecoder(limit=50)
    for _ in range(50):
        assert events.feed(b": keep-alive\n") == []
        assert events.feed(b"data: 12345678901234567890\n\n")


def test_bytes_that_are_no_text_are_an_error():
    with pytest.raises(BadEncoding):
        EventDecoder().feed(b"data: \xff\n\n")


def test_a_long_line_in_single_bytes_takes_linear_time():
    def spent(size):
        events, data = EventDecoder(), b"data: " + b"x" * size
        start = time.process_time()
        for index in range(len(data)):
            events.feed(data[index : index + 1])
        events.close()
        return time.process_time() - start

    short, long = min(spent(20_000) for _ in range(3)), spent(160_000)
    assert long < 8 * short * 4


class Chunk:
    def model_dump(self, **_):
        return {"a": 1}


ONE, TWO = {"a": 1}, {"b": "[DONE]"}
SSE = f"data: {json.dumps(ONE)}\n\ndata: {json.dumps(TWO)}\n\n"


@table(
    "stream, expected",
    [
        (SSE, [ONE, TWO]),
        (SSE.encode(), [ONE, TWO]),
        (bytearray(SSE.encode()), [ONE, TWO]),
        ([SSE[:9], SSE[9:]], [ONE, TWO]),
        ([SSE.encode()[:9], SSE.encode()[9:]], [ONE, TWO]),
        (iter([ONE, TWO]), [ONE, TWO]),
        ([json.dumps(ONE), json.dumps(TWO)], [ONE, TWO]),
        ([Chunk(), TWO], [ONE, TWO]),
        (ONE, [ONE]),
        (Chunk(), [ONE]),
        (SSE + "data: [DONE]\n\ndata: no JSON\n\n", [ONE, TWO]),
        (SSE + "data: [DONE]", [ONE, TWO]),
        (SSE + 'data: {"broken', [ONE, TWO]),
        (SSE + "data: {}", [ONE, TWO, {}]),
        (SSE + "data:\n\n", [ONE, TWO]),
        ([], []),
        ("", []),
    ],
)
def test_payloads(stream, expected):
    assert list(payloads(stream)) == expected


@pytest.mark.parametrize("stream", ["data: {\n\n", "data: [1]\n\n", "data: x\n\n", [7], [None]])
def test_what_is_no_payload_is_an_error_with_a_type(stream):
    with pytest.raises(MalformedJson):
        list(payloads(stream))


def test_long_integers_stay_what_they_are():
    assert list(payloads('data: {"n": 12345678901234567890123}\n\n')) == [
        {"n": 12345678901234567890123}
    ]


def test_half_a_surrogate_pair_is_an_error_with_a_type():
    with pytest.raises(BadEncoding):
        list(payloads("data: \ud800\n\n"))
