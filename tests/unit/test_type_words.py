"""Types as catalogs write them: words and expressions, and texts that are none."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import tables
from toolcanon.schema import upgrade
from toolcanon.schema.keywords import TYPES
from toolcanon.schema.upgrade.type_expressions import LONGEST, read_type
from toolcanon.schema.upgrade.type_words import TYPE_WORDS
from toolcanon.schema.upgrade.value_texts import find_choices, read_choices

TEXT, INT, NUM, BOOL, NULL, OBJ = (
    {"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "object")
)


def array(items):
    return {"type": "array", "items": items}


def table(values):
    return {"type": "object", "additionalProperties": values}


def one_of(*values):
    return {"type": "string", "enum": list(values)}


def said(schema, remark):
    return {**schema, "description": remark}


WORDS = {
    "string": "str String STRING varchar char file password time localdatetime ENUM",
    "integer": "int Integer long Bigint BigInteger short uint8 i64",
    "number": "float double Double BigDecimal numeric f64",
    "boolean": "bool Boolean BOOLEAN",
    "array": "list Array ArrayList tuple set HashSet Sequence vector",
    "object": "dict HashMap Map OBJECT Record mapping JSON",
    "null": "None null void undefined",
}


@tables.table("kind, word", [(k, w) for k, ws in WORDS.items() for w in ws.split()])
def test_words(kind, word):
    assert upgrade({"type": word}).schema == {"type": kind}


FORMS = [
    ("datetime", "date-time"), ("DateTime", "date-time"), ("DATE", "date"), ("LocalDate", "date"),
    ("UUID", "uuid"), ("guid", "uuid"), ("email", "email"), ("url", "uri"), ("URI", "uri"),
    ("regexp", "regex"), ("datetime.datetime", "date-time"), ("date, optional", "date"),
]  # fmt: skip


@tables.table("word, form", FORMS)
def test_words_that_name_a_format(word, form):
    assert upgrade({"type": word}).schema == {"type": "string", "format": form}
    if "," not in word and "." not in word:
        held = array({"type": "string", "format": form})
        assert upgrade({"type": f"List[{word}]"}).schema == held
        assert upgrade({"type": [word, "int"]}).schema == {"type": ["string", "integer"],
                                                           "format": form}  # fmt: skip


# What else is said of the value counts more than the word.
ODD_FORMS = [
    {"format": "other"},
    {"pattern": "^x"},
    {"description": "as DD/MM/YYYY"},
    {"description": "ddmmyyyy"},
    {"description": "a Unix timestamp"},
    {"default": "today"},
    {"enum": ["today", "2024-01-01"]},
    {"examples": ["1 May"]},
]


@pytest.mark.parametrize("beside", ODD_FORMS)
def test_a_format_that_something_else_denies_is_none(beside):
    assert upgrade({"type": "date", **beside}).schema == {**TEXT, **beside}
    if "format" not in beside:
        assert "format" not in json.dumps(upgrade({"type": "List[date]", **beside}).schema)


def test_a_format_that_all_agrees_with_stays():
    beside = {"description": "as YYYY-MM-DD", "default": "2024-01-01"}
    assert upgrade({"type": "date", **beside}).schema == {**TEXT, "format": "date", **beside}
    assert read_type("date (DD/MM/YYYY)").schema == said(TEXT, "DD/MM/YYYY")


# Read in one of two ways, and told as that.
GUESSED = {
    True: ["list of str or int", "list of str | int", "list of str, int", "int or str list",
           "dict of str to int or float", "json", "List[json]", "str, json", "duration", "byte"],
    False: ["list of strings or string", "string or list of strings", "list of strings or null",
            "list[str] or int", "(list of str) or int", "string or string list",
            "number | string[]", "list of str, optional", "string (JSON)", "jsonobject"],
}  # fmt: skip


@tables.table("is_guess, text", [(g, t) for g, ts in GUESSED.items() for t in ts])
def test_ambiguous_input_is_reported(is_guess, text):
    assert read_type(text).is_guess is is_guess
    assert ("L116" in [loss.code for loss in upgrade({"type": text}).losses]) is is_guess


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
    ("Annotated[int, 5]", said(INT, "5")),
    ("Annotated[Literal['a'], 'the first']", said(one_of("a"), "the first")),
    ("List[Annotated[int, 'how many', Final]]", array(said(INT, "how many, Final"))),
    ("datetime.datetime", {"type": "string", "format": "date-time"}),
    ("Optional[UUID]", {"type": ["string", "null"], "format": "uuid"}),
    ("date or str", TEXT),
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
    ("enum<a|b>", one_of("a", "b")),
    ("enum of a, b", one_of("a", "b")),
    ("enum of strings", TEXT),
    ("enum (optional)", TEXT),
    ("Enum(required, optional)", one_of("required", "optional")),
    ("one of required, optional", one_of("required", "optional")),
    ("one of light, dark, default", one_of("light", "dark", "default")),
    ("string (one of a, b)", one_of("a", "b")),
    ("string (one of 'a, b', 'c'), optional", one_of("a, b", "c")),
    ("string, one of a, b, optional", one_of("a", "b")),
    ("string, one of a, b (default b)", {**one_of("a", "b"), "default": "b"}),
    ("string enum: a, b", one_of("a", "b")),
    ("options: a, b", one_of("a", "b")),
    ("int (one of 1, 2)", {"type": "integer", "enum": [1, 2]}),
    ("list (one of a, b)", array(one_of("a", "b"))),
    ("string, one of: 'a', None", {"enum": ["a", None]}),
    ("int, one of low, high", said(INT, "one of low, high")),
    ("dict of str: int", table(INT)),
    ("dict of str, int", table(INT)),
    ("dict of dict of str: int", table(table(INT))),
    ("dict of str, null", {"type": ["object", "null"], "additionalProperties": TEXT}),
    ("array (of strings)", array(TEXT)),
    ("list (required, of strings)", array(TEXT)),
    ("dict (of str to int)", table(INT)),
    ("list (text, comma separated)", said(array(TEXT), "comma separated")),
    ("List[]", {"type": "array"}),
    ("'string'", TEXT),
    ('"List[str]"', array(TEXT)),
    ("'red'", one_of("red")),
    ("string.", TEXT),
    # several types
    ("int, str", {"type": ["integer", "string"]}),
    ("string,null", {"type": ["string", "null"]}),
    ("str, list", {"type": ["string", "array"]}),
    ("int, str, or null", {"type": ["integer", "string", "null"]}),
    ("a string, an integer or null", {"type": ["string", "integer", "null"]}),
    ("'a', 'b', 'a'", one_of("a", "b")),
    ("int (or null)", {"type": ["integer", "null"]}),
    ("string (nullable)", {"type": ["string", "null"]}),
    ("int (float)", NUM),
    ("int,", INT),
    # remarks
    ("DATE (YYYY-MM-DD)", {"type": "string", "format": "date"}),
    ("TIME (24-hour HH:MM)", said(TEXT, "24-hour HH:MM")),
    ("GEOPOINT (latitude, longitude)", said(TEXT, "latitude, longitude")),
    ("int (0-100)", said(INT, "0-100")),
    ("str, the name", said(TEXT, "the name")),
    ("str, the user's name (in full), required", said(TEXT, "the user's name, in full")),
    ("str (f(x), or g(x))", said(TEXT, "f(x), or g(x)")),
    ("dict of str: the names", said(table(TEXT), "the names")),
    ("string, date", said(TEXT, "date")),
    ("string (JSON)", said(TEXT, "JSON")),
    ("dict (str, int)", said(OBJ, "str, int")),
    ("string (e.g. 'a', 'b')", said(TEXT, "e.g. 'a', 'b'")),
    ("'a', the first", said(one_of("a"), "the first")),
    ("string (required if b is set)", said(TEXT, "required if b is set")),
    ("list (any order)", said({"type": "array"}, "any order")),
    # defaults
    ("int (optional, default = 5)", {"type": "integer", "default": 5}),
    ("int optional default 5", {"type": "integer", "default": 5}),
    ("int (default 5 days)", said(INT, "default 5 days")),
    ("int (default: 5), how many", said({"type": "integer", "default": 5}, "how many")),
    ("str (default: asc)", {"type": "string", "default": "asc"}),
    ("str, default locale", said(TEXT, "default locale")),
    ("str = 5", {"type": "string", "default": "5"}),
    ("int = x", said(INT, "= x")),
    ("int = None", INT),
    ("Optional[int] = None", {"type": ["integer", "null"], "default": None}),
    ("list = [1, 2]", {"type": "array", "default": [1, 2]}),
    ("list = [1, x]", said({"type": "array"}, "= [1, x]")),
    ("bool, default False", {"type": "boolean", "default": False}),
    ("int = 5", {"type": "integer", "default": 5}),
    ("str = 'x'", {"type": "string", "default": "x"}),
    ("float, optional (default=0.5)", {"type": "number", "default": 0.5}),
]  # fmt: skip


@tables.table("text, expected", EXPRESSIONS, ids=[row[0] for row in EXPRESSIONS])
def test_expressions(text, expected):
    found = read_type(text)
    assert found is not None
    assert found.schema == expected
    assert upgrade(found.schema).schema is found.schema, "must be 2020-12"
    assert upgrade({"type": text}).schema == expected


@tables.table(
    "text, required",
    [("int, optional", False), ("str (optional)", False), ("string optional", False),
     ("str, required", True), ("string (required)", True), ("int, mandatory", True),
     ("int", None), ("Optional[int]", None), ("str, not required", False),
     ("str (optional parameter)", False), ("str (required if b is set)", None),
     ("int (optional, default = 5)", False), ("int optional default 5", False),
     ("string, one of a, b, optional", False), ("enum (optional)", False), ("int = None", False),
     ("int, required (default None)", True)],
)  # fmt: skip
def test_whether_it_must_be_given(text, required):
    assert read_type(text).required is required


NO_TYPES = ["", " ", "colour", "List[Colour]", "List[", "List[str", "[", "]", "List[[[", "str str",
            "Dict[str, int, int]", "numpy.ndarray", "the name of a city", "Map<", "|", "int |",
            "Literal[]", "int...", "array[3]", "Dict[str, 3]", "str (f(x)",
            "dict of str: int count", "one of the cities", "options for the search",
            "values to add, one by one", "date required by the customer",
            "time default for the user", "one of: any string", "one of: 1-5", "x" * (LONGEST + 1),
            "List[" * 50 + "int" + "]" * 50]  # fmt: skip


@tables.table("text", NO_TYPES)
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
    ("['New York, NY', 'Paris']", ["New York, NY", "Paris"]),
    ('["New York, NY", "Paris"]', ["New York, NY", "Paris"]),
    ("'a, b' or 'c'", ["a, b", "c"]),
    (r"""['it\'s', "say \"x\"", "\u00e9", "\x"]""", ["it's", 'say "x"', "é", r"\x"]),
    ("['a', b, 1]", ["a", "b", "1"]),
    ("'a' (default), 'b'", ["a", "b"]),
    ("rock 'n' roll, jazz", ["rock 'n' roll", "jazz"]),
    ("rock and roll, jazz, drum and bass", ["rock and roll", "jazz", "drum and bass"]),
    ("a, b, c and d", ["a", "b", "c", "d"]),
    ("salt and pepper, oil and vinegar", ["salt and pepper", "oil and vinegar"]),
    ("a, b, c or d", ["a", "b", "c", "d"]),
    ("WA, OR", ["WA", "OR"]),
    ("Values are a, b", ["a", "b"]),
    ("Possible values: a, b.", ["a", "b"]),
    ("values, keys", ["values", "keys"]),
    ("text, options", ["text", "options"]),
    ("string (one of a, b)", ["a", "b"]),
    ("enum<a|b>", ["a", "b"]),
    ("low (cheap, slow), high", ["low (cheap, slow)", "high"]),
    ("low (cheap, high", ["low (cheap", "high"]),
    ("(a), (b)", ["(a)", "(b)"]),
    ("[[1, 2], [3]]", []),
    ("https://x.y/z", []),
    ("/etc/hosts", []),
    ("../a/b", []),
    ("https://x.y/z or https://x.y/w", ["https://x.y/z", "https://x.y/w"]),
    ("yes/no", ["yes", "no"]),
    (" , ", []),
]


@tables.table("text, values", CHOICES)
def test_choices(text, values):
    assert read_choices(text) == values


def test_text_after_a_type_reaches_its_node():
    found = upgrade({"properties": {"a": {"type": "TIME (24-hour HH:MM)"}, "b": "str, the name"}})
    assert found.schema["properties"] == {"a": said(TEXT, "24-hour HH:MM"),
                                          "b": said(TEXT, "the name")}  # fmt: skip


PROSE = {
    True: ["any string", "1-5", "0.5 to 1", "A-Z", ">= 3", "a, b, etc.", "a, b, ...", "1-5, 9",
           "any valid city name, e.g. Paris", "one of: any string", "the name, in lower case",
           "[any string]", "as many words as nobody has in a value"],
    False: ["any", "any, all", "0-17, 18-64", "New York, Los Angeles", "'any string'",
            "'1-5', '6-9'", "male, female, other", "A to Z, Z to A", "x-ray, y-ray"],
}  # fmt: skip


@tables.table("are_prose, text", [(p, t) for p, ts in PROSE.items() for t in ts])
def test_words_about_values_are_no_values(are_prose, text):
    assert find_choices(text).are_prose is are_prose


WORD = st.text("bcdfghjk", min_size=1, max_size=8)


@given(st.sampled_from(["int", "List[str]", "'a' | 'b'"]), st.lists(WORD, min_size=1, max_size=5))
def test_no_annotation_vanishes(kind, words):
    remark = " ".join(words)
    for text in (f"{kind} ({remark})", f"{kind}, {remark}", f"{kind}: {remark}, optional"):
        assert read_type(text).schema == said(read_type(kind).schema, remark)


@given(st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=5, unique=True))
def test_a_list_of_texts_is_read_as_it_is_written(values):
    assert read_choices(json.dumps(values)) == values


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


@tables.table(
    "text",
    [
        "(" * 999,
        "a|" * 499,
        "'" * 999,
        "one of " * 140,
        " " * 999,
        "dict of dict of str: " * 45,
        "list(" * 190,
        "int, " * 190,
        "int (" + "default " * 120,
        "'a', " * 190,
        "str, one of " * 80,
        "'a' (default" * 80,
        "(," * 490,
        "[" * 999,
        "int = " + "9" * 900,
        "list of " * 120,
    ],
)
def test_hostile_texts_take_no_time(text):
    started = time.process_time()
    read_type(text)
    read_choices(text * 9)
    assert time.process_time() - started < 0.5
