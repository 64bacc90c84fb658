"""Every kind of page in a real browser, from files: no error, no request, readable by everyone."""

import json
from typing import Any

import pytest

PAGES = (
    *("index", "paper", "claims", "leaderboard", "methods/twin-mu", "data/scenario4"),
    *("measures", "speed", "docs/index", "docs/api", "search"),
)


@pytest.mark.parametrize("name", PAGES)
def test_pages_have_no_error_and_ask_for_nothing(screen: Any, name: str) -> None:
    screen.show(name)
    errors = [e["message"] for e in screen.driver.get_log("browser") if e["level"] == "SEVERE"]
    assert not errors
    messages = [json.loads(e["message"])["message"] for e in screen.driver.get_log("performance")]
    asked = [
        m["params"]["request"]["url"]
        for m in messages
        if m["method"] == "Network.requestWillBeSent"
    ]
    assert asked
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("name", PAGES)
def test_pages_do_not_scroll_sideways(screen: Any, name: str, width: int) -> None:
    screen.show(name, width)
    assert screen.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_accessible(screen: Any, axe: str, name: str, mode: str) -> None:
    screen.show(name, mode=mode)
    screen.run(axe)
    # Folded parts are read as well.
    screen.run("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = screen.driver.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then(r => done("
        "r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200),"
        " v.nodes[0].failureSummary])))"
    )
    assert not found
