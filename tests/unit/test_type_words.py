"""Types as catalogs write them: words and expressions, and texts that are none."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolcanon.schema import upgrade
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.type_texts import LONGEST, read_choices, read_type
from toolcanon.schema.type_words import TYPE_WORDS

TEXT, INT, NUM, BOOL, NULL, OBJ = (
    {"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "object")
)


def array(items):
    return {"type": "array", "items": items}


def table(values):
    return {"type": "object", "additionalProperties": values}


WORDS = {
    "string": "str String STRING varchar char date datetime file UUID ENUM",
    "integer": "int Integer long Bigint BigInteger short uint8 i64",
    "number": "float double Double BigDecimal numeric f64",
    "boolean": "bool Boolean BOOLEAN",
    "array": "list Array ArrayList tuple set HashSet Sequence vector",
    "object": "dict HashMap Map OBJECT Record mapping JSON",
    "null": "None null void undefined",
}


@pytest.mark.parametrize("kind, word", [(k, w) for k, ws in WORDS.items() for w in ws.split()])
def test_words(kind, word):
    assert upgrade({"type": word}).schema == {"type": kind}


@pytest.mark.parametrize("word", ["any", "Any", "ANY", "unknown", "function", ""])
def test_words_that_say_anything(word):
    assert upgrade({"type": word}).schema == {}


EXPRESSIONS = [
    # Python
    ("List[str]", array(TEXT)),
    ("typing.List[typing.Dict[str, Any]]", array(OBJ)),
    ("Optional[int]", {"type": ["integer", "null"]}),
    ("Optional[List[str]]", {"type": ["array", "null"], "items": TEXT}),
    ("Dict[str, float]", table(NUM)),
    ("dict[str, list[int]]", table(array(INT))),
    ("str | None", {"type": ["string", "null"]}),
    ("Union[int, str, None]", {"type": ["integer", "string", "null"]}),
    ("Union[int, float]", NUM),
    ("float/int", NUM),
    ("Tuple[int, str]", {"type": "array", "prefixItems": [INT, TEXT], "minItems": 2,
                         "maxItems": 2}),
    ("tuple[float, ...]", array(NUM)),
    ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
    ("Literal[1, 2]", {"enum": [1, 2]}),
    ("Optional[Literal['a']]", {"anyOf": [{"type": "string", "enum": ["a"]}, NULL]}),
    ("Annotated[int, 5]", INT),
    ("datetime.datetime", TEXT),
    # Java and JavaScript
    ("ArrayList<String>", array(TEXT)),
    ("Map<String, List<Integer>>", table(array(INT))),
    ("HashMap<String, Object>", OBJ),
    ("Array<number>", array(NUM)),
    ("string[]", array(TEXT)),
    ("int[][]", array(array(INT))),
    ("Record<string, number>", table(NUM)),
    ("string?", {"type": ["string", "null"]}),
    ("'asc' | 'desc'", {"type": "string", "enum": ["asc", "desc"]}),
    ("number | string[]", {"anyOf": [NUM, array(TEXT)]}),
    ("Promise<string>", TEXT),
    # plain words
    ("list of strings", array(TEXT)),
    ("an array of integers", array(INT)),
    ("list of dictionaries", array(OBJ)),
    ("list of lists of int", array(array(INT))),
    ("dict of str to int", table(INT)),
    ("integer list", array(INT)),
    ("list(str)", array(TEXT)),
    ("int or str", {"type": ["integer", "string"]}),
    ("string or list of strings", {"anyOf": [TEXT, array(TEXT)]}),
    ("one of a, b", {"type": "string", "enum": ["a", "b"]}),
    ("one of: 'a' | 'b'", {"type": "string", "enum": ["a", "b"]}),
    ("string, one of x, y or z", {"type": "string", "enum": ["x", "y", "z"]}),
    ("enum[a, b]", {"type": "string", "enum": ["a", "b"]}),
    ("one of int, str", {"type": ["integer", "string"]}),
    # remarks
    ("DATE (YYYY-MM-DD)", {"type": "string", "format": "date"}),
    ("TIME (24-hour HH:MM)", TEXT),
    ("GEOPOINT (latitude, longitude)", TEXT),
    ("int (0-100)", INT),
    ("bool, default False", {"type": "boolean", "default": False}),
    ("int = 5", {"type": "integer", "default": 5}),
    ("str = 'x'", {"type": "string", "default": "x"}),
    ("float, optional (default=0.5)", {"type": "number", "default": 0.5}),
]  # fmt: skip


@pytest.mark.parametrize("text, expected", EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_expressions(text, expected):
    found = read_type(text)
    assert found is not None
    assert found.schema == expected
    assert upgrade(found.schema).schema is found.schema, "must be 2020-12"


@pytest.mark.parametrize(
    "text, required",
    [("int, optional", False), ("str (optional)", False), ("string optional", False),
     ("str, required", True), ("string (required)", True), ("int, mandatory", True),
     ("int", None), ("Optional[int]", None)],
)  # fmt: skip
def test_whether_it_must_be_given(text, required):
    assert read_type(text).required is required


NO_TYPES = ["", " ", "colour", "List[Colour]", "List[", "List[str", "[", "]", "List[[[", "str str",
            "Dict[str, int, int]", "numpy.ndarray", "the name of a city", "Map<", "|", "int |",
            "Literal[]", "x" * (LONGEST + 1), "List[" * 50 + "int" + "]" * 50]  # fmt: skip


@pytest.mark.parametrize("text", NO_TYPES)
def test_what_is_no_type_is_left_alone(text):
    assert read_type(text) is None


CHOICES = [
    ("one of a, b", ["a", "b"]),
    ("One of: a; b; c", ["a", "b", "c"]),
    ("asc|desc", ["asc", "desc"]),
    ("['fahrenheit', 'celsius']", ["fahrenheit", "celsius"]),
    ("a, b, or c", ["a", "b", "c"]),
    ("a or b", ["a", "b"]),
    ("a, a", ["a"]),
    ("a,b, and c", ["a", "b", "c"]),
    ("a, b and c", ["a", "b", "c"]),
    ("salt and pepper", ["salt and pepper"]),
    ("red, black and off white", ["red", "black and off white"]),
    ("a, b (default a)", ["a", "b"]),
    ("a (the default), b", ["a", "b"]),
    ("a (new), b", ["a (new)", "b"]),
    ("['a', 'b', None]", ["a", "b", None]),
    ('["a", null]', ["a", None]),
    ("['a', 'None']", ["a", "None"]),
    ("some, None", ["some", "None"]),
    ("only", ["only"]),
    (" , ", []),
]


@pytest.mark.parametrize("text, values", CHOICES)
def test_choices(text, values):
    assert read_choices(text) == values


def test_every_word_means_a_type_or_anything():
    assert set(TYPE_WORDS.values()) == TYPES | {None}
    assert all(word == word.lower() for word in TYPE_WORDS)


@given(st.text(max_size=60) | st.text("[]<>(){}|,'\"/? ListDcrinofa", max_size=60))
def test_any_text_is_read_or_left_alone(text):
    found = read_type(text)
    if found is not None:
        assert upgrade(found.schema).schema == found.schema
        assert found.required in (None, True, False)
    assert isinstance(read_choices(text), list)


@pytest.mark.parametrize("text", ["(" * 999, "a|" * 499, "'" * 999, "one of " * 140, " " * 999])
def test_hostile_texts_take_no_time(text):
    started = time.process_time()
    read_type(text)
    read_choices(text * 9)
    assert time.process_time() - started < 0.5
