"""What people do with the pages in a real browser: mouse, keyboard, and the right numbers."""

import json
from typing import Any

import numpy as np
import pytest

from suite.compare.frame import frame_of
from suite.plan.digest import ROOT
from suite.site.ground import MEASURES, Ground

pytest.importorskip("selenium.webdriver", reason="pip install selenium")

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys


def recorded(folder: str, method: str, name: str) -> dict[int, float]:
    """A number of every replicate, from the records themselves."""
    lines = (ROOT / "results" / "records" / folder / f"{method}.jsonl").read_text().splitlines()
    found = {}
    for record in map(json.loads, lines):
        result, truth = record["result"], record["result"]["truth"]
        value = truth["oracle_q"] - truth["q"] if name == "regret" else result["test"][name]
        found[record["cell"]["data"]["replicate"]] = value
    return found


def mean(ground: Ground, method: str, name: str, scenario: str = "scenario4") -> float:
    """Over the common replicates of a scenario."""
    numbers = recorded(f"{scenario}-printed", method, name)
    return float(np.mean([numbers[r] for r in frame_of(ground.column(scenario, "printed")).common]))


def column_of(screen: Any, column: int) -> list[list[Any]]:
    """(method, text, number) of the rows that are shown, from top to bottom."""
    return screen.run(
        "return [...document.querySelectorAll('#table-leaderboard tbody tr')]"
        ".filter(r => !r.hidden).map(r => [r.dataset.method, r.cells[arguments[0]].textContent,"
        " r.cells[arguments[0]].dataset.value ?? null])",
        column,
    )


def place_of(screen: Any, table: str, head: str) -> int:
    heads = screen.run(
        f"return [...document.querySelectorAll('#{table} thead tr:last-child th')]"
        ".map(h => h.textContent)"
    )
    return heads.index(head)


def test_home_has_the_records_regret(screen: Any, ground: Ground) -> None:
    screen.show("index")
    place = place_of(screen, "table-regret", "scenario 4, printed")
    rows = screen.run(
        "return [...document.querySelectorAll('#table-regret tbody tr')]"
        ".map(r => [r.cells[0].textContent, r.cells[arguments[0]].textContent])",
        place,
    )
    assert len(rows) > 3
    for method, text in rows:
        if " of " not in text:
            assert text.split()[0] == f"{mean(ground, method, 'regret'):.2f}"
    ways = screen.driver.find_elements("css selector", "ul.ways a")
    assert len(ways) == 3
    ways[1].click()
    assert screen.wait("return document.title").startswith("Leaderboard")


def test_the_leaderboard_changes_measure_sorts_and_filters(screen: Any, ground: Ground) -> None:
    screen.show("leaderboard")
    place = place_of(screen, "table-leaderboard", "scenario 4, printed")
    column = ground.column("scenario4", "printed")
    # Which column is sorted by at first depends on the records.
    screen.driver.find_elements("css selector", "#table-leaderboard thead button")[place].click()
    for measure in MEASURES:
        screen.run(
            "const s = document.querySelector('#board-controls select'); s.value = arguments[0];"
            "s.dispatchEvent(new Event('input'))",
            measure.name,
        )
        shown = column_of(screen, place)
        for method, text, _ in shown:
            found = ground.mean(column, method, measure)
            if found is not None:
                assert text == f"{found.value:z.{measure.decimals}f}"
        known = [float(value) for _, _, value in shown if value is not None]
        assert known == sorted(known, reverse=measure.higher is not False)  # the best first
    for turn in (1, -1):
        screen.driver.find_elements("css selector", "#table-leaderboard thead button")[0].click()
        names = [method for method, _, _ in column_of(screen, place)]
        assert names == sorted(names, reverse=turn < 0)
    screen.run("document.querySelectorAll('[data-kind]').forEach(b => b.click())")
    assert column_of(screen, place) == []
    screen.find("[data-kind=bound]").click()
    assert {method for method, _, _ in column_of(screen, place)} == {"oracle", "random"}


def test_the_leaderboard_is_used_by_keyboard(screen: Any, ground: Ground) -> None:
    screen.show("leaderboard")
    place = place_of(screen, "table-leaderboard", "scenario 4, printed")
    screen.find("#board-controls select").send_keys(Keys.ARROW_DOWN)
    assert "q, per cent" in screen.find("#board-status").text
    screen.find("[data-kind=neural]").send_keys(Keys.SPACE)
    head = screen.driver.find_elements("css selector", "#table-leaderboard thead button")[place]
    order = "return document.querySelectorAll('#table-leaderboard thead th')[arguments[0]].ariaSort"
    head.send_keys(Keys.ENTER)
    assert screen.run(order, place) == "ascending"
    shown = [float(v) for _, _, v in column_of(screen, place) if v is not None]
    assert len(shown) > 3
    assert shown == sorted(shown)
    name = screen.find("[data-name]")
    name.send_keys("lasso")
    assert {method for method, _, _ in column_of(screen, place)} == {"r-lasso", "x-lasso"}
    value = next(text for method, text, _ in column_of(screen, place) if method == "x-lasso")
    assert value == f"{mean(ground, 'x-lasso', 'q'):.2f}"


def test_the_papers_variants_are_switched(screen: Any) -> None:
    screen.show("paper")
    shown = (
        "return [...document.querySelectorAll('div.variant')].filter(d => !d.hidden)"
        ".map(d => d.dataset.variant)"
    )
    assert screen.run(shown) == ["printed"]
    screen.find(".switch [data-variant=centred]").click()
    assert screen.run(shown) == ["centred"]
    screen.find(".switch [data-variant=printed]").send_keys(Keys.ENTER)
    assert screen.run(shown) == ["printed"]


@pytest.mark.parametrize("table", ["T7", "T2"])
def test_a_number_of_the_paper_says_what_stands_behind_it_and_leads_to_its_records(
    screen: Any, ground: Ground, table: str
) -> None:
    screen.show("paper")
    link = screen.find(f'#table-{table} a[href$="twin-mu.html#scenario4-printed"]')
    runs = frame_of(ground.column("scenario4", "printed")).shown("twin-mu")
    assert link.text.startswith(f"{mean(ground, 'twin-mu', 'q_adj'):.2f} ")
    box = screen.find("#says")
    screen.run("arguments[0].scrollIntoView({block: 'center'})", link)
    assert not box.is_displayed()
    ActionChains(screen.driver).move_to_element(link).perform()
    screen.wait("return !document.getElementById('says').hidden")
    numbers = recorded("scenario4-printed", "twin-mu", "q_adj")
    values = [numbers[run.replicate] for run in runs]
    error = np.std(values, ddof=1) / np.sqrt(len(values))
    for part in (
        f"n = {len(runs)}",
        f"mean {np.mean(values):.3f}",
        f"standard error {error:.3f}",
        f"replicates {min(numbers)}-",
        "results/records/scenario4-printed/twin-mu.jsonl",
    ):
        assert part in box.text
    ActionChains(screen.driver).send_keys(Keys.ESCAPE).perform()
    assert not box.is_displayed()
    screen.run("arguments[0].focus()", link)
    assert box.is_displayed()
    link.send_keys(Keys.ENTER)
    rows = screen.wait(
        "const d = document.getElementById('scenario4-printed');"
        "return d && d.open && [...d.querySelectorAll('tbody tr')]"
        ".map(r => [...r.cells].map(c => c.textContent))",
    )
    by_replicate = {int(row[0]): row[1] for row in rows}
    for run in runs:
        assert by_replicate[run.replicate] == f"{numbers[run.replicate]:.4f}"


def test_a_methods_page_has_its_means_and_draws_its_curves(screen: Any, ground: Ground) -> None:
    screen.show("methods/twin-mu")
    place = place_of(screen, "table-twin-mu-results", "regret, per cent")
    text = screen.run(
        "return [...document.querySelectorAll('#table-twin-mu-results tbody tr')]"
        ".find(r => r.cells[0].textContent == 'scenario 4, printed').cells[arguments[0]]"
        ".textContent",
        place,
    )
    assert text.split(" ")[0] == f"{mean(ground, 'twin-mu', 'regret'):.2f}"
    curve = "return document.querySelector('#chart-qini-curves .mark-line path').getAttribute('d')"
    first = screen.run(curve)
    at = screen.run("return document.querySelector('#chart-qini-curves select').selectedIndex")
    key = Keys.ARROW_UP if at else Keys.ARROW_DOWN  # another data set, whichever is shown first
    screen.find("#chart-qini-curves select").send_keys(key)
    screen.wait(f"return (() => {{ {curve} }})() !== arguments[0]", first)


def test_a_data_sets_page_has_the_records_means(screen: Any, ground: Ground) -> None:
    screen.show("data/scenario4")
    rows = screen.run(
        "return [...document.querySelectorAll('#table-scenario4-printed tbody tr')]"
        ".map(r => [r.cells[0].textContent, r.cells[1].textContent])"
    )
    assert rows[0][0] == "oracle"  # nothing loses less
    known = [(method, text) for method, text in rows if "±" in text and method != "oracle"]
    assert len(known) > 3
    for method, text in known:
        assert text.split(" ")[0] == f"{mean(ground, method, 'regret'):.2f}"


def test_search_finds_a_method_from_files(screen: Any) -> None:
    """From the field that every page has."""
    screen.show("index")
    screen.find(".search-button-field").click()
    screen.find("dialog input[type=search], .search-button__wrapper input").send_keys(
        "lasso", Keys.ENTER
    )
    found = screen.wait(
        "const a = [...document.querySelectorAll('#search-results li a')].map(x => x.href);"
        "return a.length ? a : null",
    )
    assert any("methods/r-lasso.html" in link for link in found)


def test_the_slider_moves_the_example(screen: Any) -> None:
    screen.show("measures")
    says = "return document.getElementById('example-says').textContent"
    slider = screen.find("input[type=range]")
    slider.send_keys(Keys.HOME)
    assert "share of noise 0.00" in screen.run(says)
    drawn = screen.run(
        "return [...document.querySelectorAll('#chart-example-qini .mark-line path')]"
        ".map(p => p.getAttribute('d'))"
    )
    slider.send_keys(Keys.END)
    assert "share of noise 1.00" in screen.run(says)
    screen.wait(
        "return JSON.stringify([...document.querySelectorAll('#chart-example-qini .mark-line path')"
        "].map(p => p.getAttribute('d'))) !== JSON.stringify(arguments[0])",
        drawn,
    )
