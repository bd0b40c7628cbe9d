"""The proof of a quick parse: it holds only where the standard library reads the same."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from tests.properties.test_lens_laws import few
from tests.properties.test_single_work import junk
from tests.tables import table
from toolcanon.jsonio import loads
from toolcanon.jsonio.load import DEEPEST_WRITTEN, UNPROVEN, proven

# Texts that are nearly JSON, with all that a quick parser does not tell.
tokens = st.sampled_from([
    "{", "}", "[", "]", ",", ":", " ", "\n", '"a"', '"b c"', '"\\u00e9"', '"é"', '"\\\\u00e9"',
    '"\\\\"', '"\\""', '"\\u0022"', '"\\ud83d\\ude00"', '"\\u005c"', "1", "1.0", "1e2", "-0",
    "0.10", "12345678901234567890123", "true", "null",
])  # fmt: skip
members = st.lists(
    st.tuples(st.sampled_from(['"a"', '"\\u0061"', '"b c"', '"\\\\u00e9"', '"é"', '"\\u00e9"']),
              st.one_of(tokens, junk.map(json.dumps))), max_size=4)  # fmt: skip
objects = st.builds(
    lambda pairs, comma, colon: "{" + comma.join(f"{k}{colon}{v}" for k, v in pairs) + "}",
    members, st.sampled_from([",", ", ", " ,\n "]), st.sampled_from([":", ": ", " : "]),
)  # fmt: skip


@few
@given(st.one_of(objects, st.lists(tokens, max_size=9).map("".join)))
@example('{"\\\\u00e9":1,"\\\\u00e9":1}')
@example('{"a": 1, "a": 1}')
@example('{"a": "x y", "b": [1, 2.5]}')
def test_what_is_proven_is_what_the_standard_library_reads(text):
    value = proven(text.encode())
    if value is UNPROVEN:
        return
    exact = json.loads(text, parse_float=str, parse_int=str)
    keys = json.loads(text, object_pairs_hook=lambda found: (len(dict(found)), len(found), found))
    assert json.dumps(value) == json.dumps(json.loads(text))
    assert spelled(value) == exact
    assert all_unique(keys)


def spelled(value):
    """Numbers as they are written."""
    if isinstance(value, dict):
        return {key: spelled(item) for key, item in value.items()}
    if isinstance(value, list):
        return [spelled(item) for item in value]
    return value if value.__class__ in {str, bool, type(None)} else json.dumps(value)


def all_unique(value):
    if isinstance(value, tuple):
        kept, stood, found = value
        return kept == stood and all(all_unique(item) for _, item in found)
    return all(map(all_unique, value)) if isinstance(value, list) else True


@table(
    "text, is_proven",
    [
        ('{"a": 1, "b": "x y"}\n', True),
        ('{\n    "a": [\n        1\n    ]\n}', True),
        ('{"a": "\\u4e2d \\u20ac", "b": 1}', True),
        ('{"a": "é", "b": 1}', True),
        ('{"a": "\\ud83d\\ude00 \\u00e9"}', True),
        ('{"a": 1, "a": 1}', False),
        ('{"a": 1.50}', False),
        ('{"a": -0}', False),
        ("[" * DEEPEST_WRITTEN + "]" * DEEPEST_WRITTEN, True),
        ("[" * (DEEPEST_WRITTEN + 1) + "]" * (DEEPEST_WRITTEN + 1), False),
    ],
)
def test_proofs(text, is_proven):
    value = proven(text.encode())
    assert (value is not UNPROVEN) == is_proven
    assert not is_proven or value == loads(text).value
