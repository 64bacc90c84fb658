"""What the files of the site must hold: links, size, alt texts, numbers of the records."""

import csv
import hashlib
import json
import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urldefrag

import numpy as np
import pytest

from suite import results
from suite.compare.frame import frame_of
from suite.names import UserError
from suite.plan.digest import ROOT
from suite.show.overview import compared, left_out, overview_numbers
from suite.site.build import build
from suite.site.facts import prose
from suite.site.ground import Ground

LIMIT = 10 * 10**6  # bytes of the whole site
PATIENCE = 90  # seconds of one core for a build


class Found(HTMLParser):
    """Ids, links and what a page loads."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loads: list[str] = []
        self.unsaid: list[str] = []  # pictures without alt text

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        own = {name: value or "" for name, value in attributes}
        if "id" in own:
            self.ids.append(own["id"])
        if tag == "a" and "href" in own:
            self.links.append(own["href"])
        if tag in ("script", "img", "iframe", "source") and "src" in own:
            self.loads.append(own["src"])
        if tag == "link" and own.get("rel") != "canonical" and "href" in own:
            self.loads.append(own["href"])
        if tag == "img" and not own.get("alt"):
            self.unsaid.append(own.get("src", "img"))
        if own.get("class") == "vega" and len(own.get("aria-label", "")) < 20:
            self.unsaid.append("chart")


@cache
def read(path: Path) -> Found:
    found = Found()
    found.feed(path.read_text())
    return found


def pages(site: Path) -> list[Path]:
    return sorted(site.rglob("*.html"))


def test_every_page_of_the_plan_is_there(site: Path, ground: Ground) -> None:
    names = {path.relative_to(site).as_posix() for path in pages(site)}
    for name in ("index", "paper", "claims", "leaderboard", "measures", "speed", "docs/api"):
        assert f"{name}.html" in names
    assert {f"methods/{name}.html" for name in ground.methods} <= names
    assert {f"docs/{path.stem}.html" for path in (ROOT / "docs").glob("*.md")} <= names


def test_every_link_and_anchor_resolves(site: Path) -> None:
    wrong = []
    for page in pages(site):
        for link in read(page).links:
            if re.match(r"[a-z]+:", link):
                continue
            target, anchor = urldefrag(link)
            path = (page.parent / unquote(target)).resolve() if target else page
            anchored = anchor and path.suffix == ".html" and path.is_file()
            if not path.is_file() or (anchored and unquote(anchor) not in read(path).ids):
                wrong.append(f"{page.relative_to(site)}: {link}")
    assert not wrong


def test_nothing_is_loaded_from_elsewhere_and_pictures_say_what_they_show(site: Path) -> None:
    for page in pages(site):
        found = read(page)
        assert not [load for load in found.loads if re.match(r"([a-z]+:)?//", load)], page
        assert not found.unsaid, page
        doubled = {name for name in found.ids if found.ids.count(name) > 1}
        assert not doubled, (page, doubled)


def test_every_table_has_its_numbers_beside_it(site: Path) -> None:
    for page in pages(site):
        text = page.read_text()
        tables = len(re.findall(r'<table class="records', text))
        links = re.findall(r'href="([^"]+\.csv)" download', text)
        assert len(links) >= tables, page
        for link in links:
            with (page.parent / link).open(newline="") as file:
                widths = {len(line) for line in csv.reader(file)}
            assert len(widths - {1}) == 1, (page, link)


def test_the_site_is_small(site: Path) -> None:
    assert sum(path.stat().st_size for path in site.rglob("*") if path.is_file()) <= LIMIT


def test_a_build_takes_little(built: Any) -> None:
    assert built.seconds <= PATIENCE


@pytest.mark.slow
def test_two_builds_are_the_same_bytes(site: Path, tmp_path: Path) -> None:
    """The second in a process of its own, with other hashes and in another time zone."""
    command = [sys.executable, "-m", "suite", "site", "--out", str(tmp_path / "again")]
    environment = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo"}
    subprocess.run(command, cwd=ROOT, env=environment, check=True)

    def digests(folder: Path) -> dict[str, str]:
        return {
            path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.rglob("*")
            if path.is_file()
        }

    assert digests(site) == digests(tmp_path / "again")


def test_a_folder_with_other_files_is_not_touched(tmp_path: Path, ground: Ground) -> None:
    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(UserError, match="holds other files"):
        build(tmp_path, ground)
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_the_leaderboard_holds_the_records_means(site: Path) -> None:
    """From the records themselves, past every adapter but the file."""
    folder = ROOT / "results" / "records" / "scenario4-printed"
    with (site / "leaderboard-q_adj.csv").open(newline="") as file:
        lines = [line for line in csv.DictReader(file) if line["data"] == "scenario4-printed"]
    assert lines
    for line in lines:
        records = [json.loads(r) for r in (folder / f"{line['method']}.jsonl").open()]
        values = {
            record["cell"]["data"]["replicate"]: record["result"]["test"]["q_adj"]
            for record in records
        }
        # The first ones are the common ones here; further ones serve the audit alone.
        own = [values[replicate] for replicate in range(int(line["replicates"]))]
        assert np.isclose(np.mean(own), float(line["mean"]), rtol=1e-8)


def test_rows_with_fewer_replicates_show_no_number(site: Path, ground: Ground) -> None:
    numbers = re.search(
        r'id="board-numbers">(.*?)</script>', (site / "leaderboard.html").read_text(), re.DOTALL
    )
    board = json.loads(numbers[1])
    checked = 0
    for i, column in enumerate(ground.main_columns):
        source = frame_of(column)
        for method, fields in board.items():
            text, value, _ = fields["q_adj"][i]
            if not source.shown(method):
                assert value is None
                assert text in ("", f"{source.count(method)} of {len(source.common)}")
                checked += bool(text)
    assert checked


def test_a_record_is_found_where_the_page_says(ground: Ground) -> None:
    cells = ground.cells[ground.cells["column"] == "scenario4-printed"]
    assert list(cells.columns) == list(results.COLUMNS)
    for cell in cells.iloc[:: max(1, len(cells) // 20)].itertuples():
        line = (ROOT / cell.file).read_text().splitlines()[cell.line - 1]
        assert json.loads(line)["key"] == cell.key


def test_the_picture_of_the_front_page_compares_equal_replicates(ground: Ground) -> None:
    columns = [ground.column(f"scenario{i}", "printed") for i in range(1, 5)]
    for panel, column in zip(overview_numbers(columns), columns, strict=True):
        source = frame_of(column)
        assert set(panel["replicates"]) == set(source.common)
        for row in panel["rows"]:
            runs = source.shown(row["method"])
            assert np.isclose(np.mean([run.regret for run in runs]), row["regret"])
            assert {run.replicate for run in runs} == set(panel["replicates"])
        said = [line for line in left_out([panel]) if "not drawn" in line]
        assert bool(said) == (not compared(panel))


def test_docstrings_keep_their_equations_and_lists() -> None:
    markup = prose("A model.\n\n    y = a < b\n\nTwo things:\n- one\n  more\n- `two`")
    assert "<pre>y = a &lt; b</pre>" in markup
    assert "<li>one more</li><li><code>two</code></li>" in markup
