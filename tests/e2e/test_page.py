"""The page as a browser shows it: light and dark, with and without its script."""

import re
from pathlib import Path

import pytest

from tests.unit.test_reports import HOSTILE, REPORT, finding, report_of
from toolcanon.report.checked import check_document
from toolcanon.report.document import WRITERS

CHROMIUM = Path("/usr/bin/chromium")
MANY = 300
NAMES = [f"tool_{number:03}" for number in range(MANY)]
PAGES = {
    "hostile": REPORT,
    "many": report_of(
        NAMES,
        [finding(name, level="warning", target="t2") for name in NAMES[::3]]
        + [finding("tool_007", code="C202", target="t1", place=None)],
        [f"t{number}" for number in range(5)],
    ),
}
# For every element with text of its own: that text, its colour, and the colour behind it.
PAINTED = """() => [...document.querySelectorAll("body *")].flatMap((node) => {
  const text = [...node.childNodes].filter((n) => n.nodeType === 3 && n.data.trim());
  if (!text.length || !node.checkVisibility() || ["SCRIPT", "STYLE"].includes(node.tagName))
    return [];
  let back = node;
  while (back && getComputedStyle(back).backgroundColor === "rgba(0, 0, 0, 0)")
    back = back.parentElement;
  const colour = back ? getComputedStyle(back).backgroundColor : "rgb(255, 255, 255)";
  return [[node.tagName, text[0].data.trim(), getComputedStyle(node).color, colour]];
})"""


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api", reason="playwright: pip install --group dev")
    if not CHROMIUM.exists():
        pytest.skip("no /usr/bin/chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages")
    made = {}
    for name, report in PAGES.items():
        made[name] = folder / f"{name}.html"
        text = WRITERS["html"](check_document(report, about=HOSTILE[12]))
        made[name].write_text(text, encoding="utf-8")
    return made


@pytest.fixture
def opened(browser, files):
    """Opens a page and holds it to what it promises: no complaint, no dialog, no request."""
    contexts, said, asked = [], [], []

    def opens(name, scheme="light", **options):
        contexts.append(browser.new_context(color_scheme=scheme, **options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(files[name].as_uri())
        return page

    yield opens
    for context in contexts:
        context.close()
    assert said == []
    allowed = {file.as_uri() for file in files.values()} | {"data:,"}
    assert {url.partition("#")[0] for url in asked} <= allowed


def luminance(colour):
    parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_every_text_can_be_read(opened, name, scheme):
    painted = opened(name, scheme).evaluate(PAINTED)
    assert {"TD", "A", "H1", "P", "SPAN"} <= {tag for tag, *_ in painted}
    cells = {text.rstrip("*") for tag, text, *_ in painted if tag in {"TD", "A"}}
    assert {"ok", "lossy", "rejected", "unknown"} <= cells
    for tag, text, colour, behind in painted:
        assert contrast(colour, behind) >= 4.5, (tag, text, colour, behind)


def test_the_schemes_differ(opened):
    look = "() => getComputedStyle(document.body).backgroundColor"
    light, dark = (opened("many", scheme).evaluate(look) for scheme in ("light", "dark"))
    assert (luminance(light) > 0.8, luminance(dark) < 0.1) == (True, True)


def test_the_filter_leaves_what_fits(opened):
    page = opened("many")
    rows, groups = page.locator("tr[data-n]:visible"), page.locator("details:visible")
    assert (rows.count(), groups.count()) == (MANY, 101)
    page.keyboard.press("/")
    page.keyboard.type("TOOL_00")
    assert (rows.count(), groups.count()) == (10, 5)
    assert page.locator("#shown").inner_text() == f"10 of {MANY} shown"
    page.keyboard.type("7 c202")
    assert rows.locator("th").all_inner_texts() == ["tool_007"]
    page.keyboard.press("Escape")
    assert rows.count() == MANY
    page.locator("#only").check()
    troubled = sum(
        any(cell.verdict != "ok" for cell in row.values()) for row in PAGES["many"].cells.values()
    )
    assert rows.count() == troubled


def test_a_cell_leads_to_its_findings(opened):
    page = opened("many")
    group = page.locator("details", has_text="tool_003").first
    assert not group.locator(".finding").first.is_visible()
    page.locator("tr", has_text="tool_003").locator("td a").first.click()
    assert group.locator(".finding").first.is_visible()
    assert group.locator(".finding").first.bounding_box()["y"] < page.viewport_size["height"]


def test_heads_stay_in_sight(opened):
    page = opened("many", viewport={"width": 500, "height": 700})
    page.locator(".scroll").scroll_into_view_if_needed()
    page.evaluate("() => document.querySelector('.scroll').scrollTo(150, 3000)")
    box = page.locator(".scroll").bounding_box()
    head = page.locator("thead th").first.bounding_box()
    row = page.locator("tbody th").nth(90).bounding_box()
    assert abs(head["y"] - box["y"]) < 3
    assert abs(head["x"] - box["x"]) < 3
    assert abs(row["x"] - box["x"]) < 3
    wide = page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    assert wide


def test_it_is_readable_without_its_script(opened):
    page = opened("many", java_script_enabled=False)
    assert page.locator("tr[data-n]:visible").count() == MANY
    assert not page.locator("#filter").is_visible()
    page.locator("summary").first.click()
    assert page.locator(".finding:visible").count() >= 1


def test_names_do_nothing(opened):
    page = opened("hostile")
    assert page.locator("img, iframe, object, embed, form").count() == 0
    assert page.locator("script").count() == 1
    assert page.title().startswith("toolcanon check: </script>")


def test_on_paper_everything_is_unfolded(opened):
    page = opened("many")
    page.emulate_media(media="print")
    assert page.locator("details:not([open]) .finding:visible").count() == 101
    assert not page.locator("#filter").is_visible()
    assert page.evaluate("() => getComputedStyle(document.querySelector('.scroll')).maxHeight") == (
        "none"
    )
