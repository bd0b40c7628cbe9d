"""What a tool seems to do, from its words: one row for each thing the rules must tell apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import toolcanon as tc
from tests.tables import table
from toolcanon.infer import infer, parameter_words

CHANGING = [
    ("resume_agent", "Resume a closed agent.", "resume"),
    ("get_or_create_user", "", "create"),
    ("find_and_replace", "", "replace"),
    ("mail_deleteAliasV1", "", "delete"),
    ("zrem", "Remove a member from a sorted set", "remove"),
    ("git_commit", "", "commit"),
    ("playwright_put", "Perform an HTTP PUT request", "put"),
    ("pay_now", "Make a payment", "pay"),
    ("till", "Makes a payment with a card", "make"),
    ("rows", "Reads rows and writes them back", "write"),
    ("rows", "Useful for deleting old rows", "delete"),
    ("rows", "This tool permanently removes rows", "remove"),
    ("rows", "A command that allows you to insert rows", "insert"),
    ("get_url", "Downloads a file and saves it to disk", "save"),
    ("query_database", "Execute a SQL query", "execute"),
    ("browser_evaluate", "Evaluate JavaScript on the page", "evaluate"),
    ("meeting_scheduler", "", "schedule"),
    ("my_bash", "", "run"),
    ("preferences", "设置用户的通知偏好", "set"),
    ("add_comment", "Add a comment", "add"),
    ("create_mock_server", "Creates a server", "create"),
    ("resolve_incident", "Resolve an incident", "resolve"),
    ("book_flight", "", "book"),
    ("Task", "It does not read. It deletes files.", "delete"),
    ("create_summary", "Create a short summary of a text", "create"),
    ("create_query", "", "create"),
    ("draft_summary", "Draft a summary and store it in the database", "store"),
    ("generate_report", "Generates a report and uploads it to a bucket", "upload"),
    ("summarize", "Summarize a text, then post it to the channel", "post"),
    ("translate_text", "Translate a text. Stores the result in the database.", "store"),
    ("read_file", "Reads a file. Then archives it.", "archive"),
    ("fetch_page", "Fetch a page, saving it to a file", "save"),
    ("draft_outline", "Draft an outline. The outline is then written to disk.", "write"),
    ("generate_image", "Generates an image that is stored in the gallery", "store"),
    ("make_poem", "Make a poem and store it in the album", "store"),
    ("analyze_sales", "Analyzes sales and emails them to the team", "email"),
    ("mkdir", "", "mkdir"),
    ("charge_card", "", "charge"),
]
READING = [
    ("get_commit", "", "get"),
    ("list_orders", "List the orders. Use create_order to create one", "list"),
    ("order_status", "Get the status of an order", "get"),
    ("book_details", "", ""),
    ("mail_listOrdersV1", "", "list"),
    ("hosting_listWordPressThemes", "", "list"),
    ("add", "Adds two numbers.", "add"),
    ("add", "Adds a and b", "add"),
    ("blacklist", "", ""),
    ("poster", "A set of posters", ""),
    ("web", "Executes a web search", "execute"),
    ("web", "Perform a search of the web", "search"),
    ("web", "Make a GET request", "get"),
    ("run_query", "Run a read-only query", "run"),
    ("metrics", "Execute an instant PromQL query", "execute"),
    ("list_items", "It does not delete anything", "list"),
    ("enabled_tools", "Run this tool first. Returns what is enabled", "return"),
    ("page", "Takes a picture of a page. Executes asynchronously.", "take"),
    ("get_prices", "Retrieve prices, trading metrics and staging data", "get"),
    ("stats", "Fetch data (open, close, volume)", "fetch"),
    ("open_weather_map", "Useful for fetching current weather", "fetch"),
    ("draft_summary", "Draft a short summary of a text", "draft"),
    ("check_integrity", "Check integrity and report any corruption", "check"),
    ("get_file", "Retrieve a file or message that was compressed", "get"),
    ("search_logs", "Search logs. Deletes nothing.", "search"),
    ("list_flags", "Lists flags. Enables agents to choose one.", "list"),
    ("get_report", "Get a report that is stored in the archive", "get"),
    ("draft_poem", "Draft a poem. Nothing is stored.", "draft"),
    ("tax", "Calculates the tax. It applies the rates of the year.", "calculate"),
    ("validate_email", "Validate a domain or email address", "validate"),
    ("charge_status", "Shows the state of a battery", "show"),
    ("annotated_message", "Shows how annotations work", "show"),
    ("ask", "Accepts messages and answers", ""),
    ("reports", "獲取最新的報告", "get"),
    ("rows", "Get rows\n\nArgs:\n    delete: remove them", "get"),
]


@table(("name", "description", "action"), CHANGING)
def test_what_changes(name, description, action):
    found = infer(name, description)
    assert (found.action, found.side_effects, found.idempotent) == (action, True, False)
    assert found.evidence[0].says == "changes something"


@table(("name", "description", "action"), READING)
def test_what_only_looks(name, description, action):
    found = infer(name, description)
    assert (found.side_effects, found.idempotent) == (False, True)
    assert found.action == action or not action


@table(
    ("name", "parameters", "side_effects"),
    [
        ("pages", {"action": ("list", "delete")}, True),
        ("pages", {"action": ("list", "read")}, False),
        ("get_pages", {"operation": ("get", "set")}, True),
        ("list_todos", {"action": ("assigned", "build_failed")}, False),
        ("pages", {"sort": ("created", "update")}, False),
        ("door", {"command": ()}, True),
        ("door", {"dryRun": ()}, True),
        ("door", {"colour": ()}, False),
        ("get_page", {"command": ()}, False),
        ("take_screenshot", {"output_path": ()}, True),
        ("take_screenshot", {"outputPath": ()}, True),
        ("take_screenshot", {"url": ()}, False),
    ],
)
def test_what_parameters_give_away(name, parameters, side_effects):
    found = infer(name, "", None, parameters)
    assert found.side_effects is side_effects
    assert any(item.field == "parameters" for item in found.evidence) is side_effects


def test_evidence_has_its_place():
    name, description = "getOrCreateUser", "Looks a user up in the database."
    found = infer(name, description, {"idempotent": True})
    verb, domain, hint = found.evidence
    assert verb == ("name", 5, 11, "Create", "changes something")
    assert description[domain.start : domain.end] == domain.word == "database"
    assert hint == ("hints", 0, 10, "idempotent", "is true")


@pytest.mark.parametrize(
    ("name", "hints", "side_effects", "idempotent"),
    [
        ("delete_x", {"read_only": True}, False, True),
        ("get_x", {"read_only": False}, True, True),
        ("get_x", {"destructive": True}, True, True),
        ("get_x", {"destructive": False}, False, True),
        ("set_x", {"idempotent": True}, True, True),
        ("get_x", {"idempotent": False}, False, False),
        ("get_x", {"open_world": True}, False, True),
    ],
)
def test_hints_come_first(name, hints, side_effects, idempotent):
    assert infer(name, "", hints)[2:4] == (side_effects, idempotent)


@table(
    ("name", "hints", "contradicted"),
    [
        ("delete_x", {"read_only": True}, ["read_only"]),
        ("delete_x", {"read_only": False, "destructive": False}, ["destructive"]),
        ("delete_x", {"read_only": False, "destructive": True, "idempotent": True}, []),
        ("update_x", {"destructive": False}, []),
        ("send_x", {"idempotent": True}, ["idempotent"]),
        ("set_x", {"idempotent": True}, []),
        ("get_x", {"read_only": False}, ["read_only"]),
        ("get_x", {"destructive": True}, ["destructive"]),
        ("get_x", {"read_only": True}, []),
        ("validate_x", {"read_only": False}, []),
        ("run_x", {"read_only": True}, []),
        ("x", {"read_only": True, "destructive": True}, ["read_only"]),
        ("x", {"read_only": True}, []),
    ],
)
def test_contradictions(name, hints, contradicted):
    found = infer(name, "", hints).contradictions
    assert [item.hint for item in found] == contradicted
    assert all(item.stated is hints[item.hint] for item in found)


def test_parameters_of_a_tool_are_looked_at_as_they_are_now():
    tool = tc.CanonicalTool(name="pages", inputs={"properties": {"action": {"enum": ["list"]}}})
    assert tool.capabilities.side_effects is False
    tool.inputs["properties"]["action"]["enum"].append("delete")
    assert tool.capabilities.side_effects is True


@pytest.mark.parametrize(
    "schema", [{}, {"properties": []}, {"properties": {"a": 1, "b": {"enum": 2}}}]
)
def test_odd_schemas_have_no_words(schema):
    assert not any(parameter_words(schema).values())


@given(st.text(), st.text(), st.dictionaries(st.text(), st.lists(st.text())))
def test_any_text_is_read_and_its_evidence_is_in_it(name, description, parameters):
    found = infer(name, description, None, parameters)
    assert found == infer(name, description, None, parameters)
    texts = {"name": name, "description": description}
    for item in found.evidence:
        if item.field in texts:
            assert texts[item.field][item.start : item.end].lower() == item.word.lower()


def test_long_texts_take_no_time():
    text = "create " * 200_000
    assert infer(text, text).side_effects is True
