"""The site in a real browser, from files: no error, no request, what people click works."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from suite.compare.frame import frame_of
from suite.site.ground import MEASURES, Ground

PAGES = (
    *("index", "paper", "claims", "leaderboard", "methods/twin-mu", "data/scenario4"),
    *("measures", "speed", "docs/api", "search"),
)
PATIENCE = 60  # seconds, on a busy machine


def wait(browser: Any, script: str, *values: Any) -> Any:
    """Until the script gives something."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = browser.execute_script(script, *values)
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"waited in vain for {script}")


def show(browser: Any, site: Path, name: str, width: int = 1600, mode: str = "light") -> None:
    size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    feature = {"name": "prefers-color-scheme", "value": mode}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    for kind in ("browser", "performance"):
        browser.get_log(kind)
    page, _, rest = name.partition("?")
    browser.get(f"file://{site}/{page}.html" + (f"?{rest}" if rest else ""))
    charts = "const f = [...document.querySelectorAll('figure.chart')];"
    wait(browser, f"{charts} return f.every(x => x.dataset.drawn) || null")


@pytest.mark.parametrize("name", PAGES)
def test_pages_have_no_error_and_ask_for_nothing(browser: Any, site: Path, name: str) -> None:
    show(browser, site, name)
    errors = [e["message"] for e in browser.get_log("browser") if e["level"] == "SEVERE"]
    assert not errors
    messages = [json.loads(e["message"])["message"] for e in browser.get_log("performance")]
    asked = [
        m["params"]["request"]["url"]
        for m in messages
        if m["method"] == "Network.requestWillBeSent"
    ]
    assert asked
    assert not [url for url in asked if not url.startswith(("file:", "data:"))]


@pytest.mark.parametrize("width", [360, 1600])
@pytest.mark.parametrize("name", ["index", "paper", "leaderboard", "methods/twin-mu"])
def test_pages_do_not_scroll_sideways(browser: Any, site: Path, name: str, width: int) -> None:
    show(browser, site, name, width)
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_pages_are_accessible(browser: Any, site: Path, axe: str, name: str, mode: str) -> None:
    show(browser, site, name, mode=mode)
    browser.execute_script(axe)
    # Folded parts are read as well.
    browser.execute_script("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    found = browser.execute_async_script(
        "const done = arguments[arguments.length - 1];"
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then(r => done("
        "r.violations.map(v => [v.id, v.nodes.length, v.nodes[0].html.slice(0, 200),"
        " v.nodes[0].failureSummary])))"
    )
    assert not found


def column_of(browser: Any, column: int) -> list[list[Any]]:
    """(method, text, number) of the rows that are shown, from top to bottom."""
    return browser.execute_script(
        "return [...document.querySelectorAll('#table-leaderboard tbody tr')]"
        ".filter(r => !r.hidden).map(r => [r.dataset.method, r.cells[arguments[0]].textContent,"
        " r.cells[arguments[0]].dataset.value ?? null])",
        column,
    )


def test_the_leaderboard_changes_measure_sorts_and_filters(
    browser: Any, site: Path, ground: Ground
) -> None:
    show(browser, site, "leaderboard")
    heads = browser.execute_script(
        "return [...document.querySelectorAll('#table-leaderboard thead th')]"
        ".map(h => h.textContent)"
    )
    place = heads.index("scenario 4, printed")
    column = ground.column("scenario4", "printed")
    for measure in MEASURES:
        browser.execute_script(
            "const s = document.querySelector('#board-controls select'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input'))",
            measure.name,
        )
        for method, text, _ in column_of(browser, place):
            mean = ground.mean(column, method, measure)
            if mean is not None:
                assert text == f"{mean.value:z.{measure.decimals}f}"
    for turn in (1, -1):
        browser.execute_script(
            "document.querySelectorAll('#table-leaderboard thead button')[arguments[0]].click()",
            place,
        )
        numbers = [value for _, _, value in column_of(browser, place)]
        known = [float(value) for value in numbers if value is not None]
        assert len(known) > 3
        assert known == sorted(known, reverse=turn < 0)
        assert numbers[len(known) :] == [None] * (len(numbers) - len(known))
    browser.execute_script("document.querySelectorAll('[data-kind]').forEach(b => b.click())")
    assert column_of(browser, place) == []
    browser.execute_script("document.querySelector('[data-kind=bound]').click()")
    assert {method for method, _, _ in column_of(browser, place)} == {"oracle", "random"}


def test_the_papers_variants_are_switched_and_numbers_lead_to_records(
    browser: Any, site: Path, ground: Ground
) -> None:
    show(browser, site, "paper")
    shown = (
        "return [...document.querySelectorAll('div.variant')].filter(d => !d.hidden)"
        ".map(d => d.dataset.variant)"
    )
    assert browser.execute_script(shown) == ["printed"]
    browser.execute_script("document.querySelector('.switch [data-variant=centred]').click()")
    assert browser.execute_script(shown) == ["centred"]
    browser.execute_script("document.querySelector('.switch [data-variant=printed]').click()")
    link, text = browser.execute_script(
        "const a = document.querySelector('#table-T7 a[href$=\"twin-mu.html#scenario4-printed\"]');"
        "return [a.href, a.textContent]"
    )
    runs = frame_of(ground.column("scenario4", "printed")).shown("twin-mu")
    mean = sum(run.q_adj for run in runs) / len(runs)
    assert text.startswith(f"{mean:.2f} ")
    browser.get(link)
    rows = wait(
        browser,
        "const d = document.getElementById('scenario4-printed');"
        "return d.open && [...d.querySelectorAll('tbody tr')]"
        ".map(r => [...r.cells].map(c => c.textContent))",
    )
    by_replicate = {int(row[0]): row[1] for row in rows}
    for run in runs:
        assert by_replicate[run.replicate] == f"{run.q_adj:.4f}"


def test_search_finds_a_method_from_files(browser: Any, site: Path) -> None:
    show(browser, site, "search?q=lasso")
    found = wait(
        browser,
        "const a = [...document.querySelectorAll('#search-results li a')].map(x => x.href);"
        "return a.length ? a : null",
    )
    assert any("methods/r-lasso.html" in link for link in found)


def test_the_slider_moves_the_example(browser: Any, site: Path) -> None:
    show(browser, site, "measures")
    says = "return document.getElementById('example-says').textContent"
    curve = "return document.querySelector('#example-qini .mark-line path').getAttribute('d')"
    first = browser.execute_script(says), browser.execute_script(curve)
    browser.execute_script(
        "const s = document.querySelector('input[type=range]'); s.value = s.max;"
        "s.dispatchEvent(new Event('input'))"
    )
    wait(browser, f"const now = (() => {{ {curve} }})(); return now !== arguments[0]", first[1])
    assert "share of noise 1.00" in browser.execute_script(says)
    assert "share of noise 0.00" in first[0]
