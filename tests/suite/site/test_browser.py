"""Every kind of page in a real browser, from files: no error, no request, readable by everyone."""

import json
from typing import Any

import pytest

PAGES = (
    *("index", "paper", "claims", "leaderboard", "methods/twin-mu", "data/scenario4"),
    *("measures", "speed", "docs/index", "docs/api", "search"),
)
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]  # A and AA


@pytest.fixture(scope="module", params=PAGES)
def page(screen: Any, request: pytest.FixtureRequest) -> Any:
    """A page, opened once for all tests."""
    screen.show(request.param)
    return screen


def test_a_page_has_no_error_and_asks_for_nothing(page: Any) -> None:
    errors = [e["message"] for e in page.driver.get_log("browser") if e["level"] == "SEVERE"]
    assert not errors
    messages = [json.loads(e["message"])["message"] for e in page.driver.get_log("performance")]
    asked = [
        m["params"]["request"]["url"]
        for m in messages
        if m["method"] == "Network.requestWillBeSent"
    ]
    assert asked
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]


@pytest.mark.parametrize("width", [360, 1600])
def test_a_page_does_not_scroll_sideways(page: Any, width: int) -> None:
    page.look(width)
    assert page.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_a_page_is_accessible(page: Any, axe: str, mode: str) -> None:
    page.look(mode=mode)
    page.run(f"if (!window.axe) {{ {axe} }}")
    # Folded parts are read as well.
    page.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = page.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run({runOnly: arguments[0], resultTypes: ['violations']}).then(r => done("
        "r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200),"
        " v.nodes[0].failureSummary])))",
        LEVELS,
    )
    assert not found
