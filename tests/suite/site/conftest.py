"""The site is built once for all tests; a browser is Debian's chromium, where it is installed."""

import os
import shutil
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("sphinx", reason="pip install -e '.[suite,site]' brings sphinx")
pytest.importorskip("vl_convert", reason="pip install -e '.[suite,site]' brings vl-convert-python")

from suite.site.build import build
from suite.site.ground import Ground

AXE = "AXE_CORE"  # the path of axe.min.js, from npm's axe-core
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
PATIENCE = 60  # seconds, on a busy machine


@dataclass(frozen=True)
class Built:
    """The site, and the seconds of one core that it took."""

    folder: Path
    seconds: float


@pytest.fixture(scope="session")
def ground() -> Ground:
    return Ground()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, ground: Ground) -> Built:
    out = tmp_path_factory.mktemp("site") / "site"
    begin = time.process_time()
    build(out, ground)
    return Built(out, time.process_time() - begin)


@pytest.fixture(scope="session")
def site(built: Built) -> Path:
    return built.folder


@pytest.fixture(scope="session")
def axe() -> str:
    found = os.environ.get(AXE)
    if not found:
        pytest.skip(f"{AXE} does not name axe.min.js; .ci/browser FOLDER brings it")
    return Path(found).read_text()


@dataclass(frozen=True)
class Screen:
    """A browser in which pages of the site are opened from their files."""

    driver: Any
    site: Path

    def show(self, name: str) -> None:
        """Open a page and wait for its charts."""
        self.look()
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)
        self.driver.get(f"file://{self.site}/{name}.html")
        charts = "const f = [...document.querySelectorAll('figure.chart')];"
        self.wait(f"{charts} return f.every(x => x.dataset.drawn) || null")

    def look(self, width: int = 1600, mode: str = "light") -> None:
        """The size of the window and the colours that the reader prefers; the page stays."""
        size = {"width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": width < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        feature = {"name": "prefers-color-scheme", "value": mode}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
        theme = "document.documentElement.dataset.theme"
        self.wait(f"return !{theme} || {theme} == arguments[0]", mode)
        # Colours fade over: what is read in between has neither the old nor the new contrast.
        fading = "a.playState == 'running' && a.effect.getComputedTiming().endTime < Infinity"
        self.wait(f"return !document.getAnimations().some(a => {fading})")

    def run(self, script: str, *values: Any) -> Any:
        return self.driver.execute_script(script, *values)

    def find(self, selector: str) -> Any:
        """The element, to be clicked and typed into."""
        return self.driver.find_element("css selector", selector)

    def wait(self, script: str, *values: Any) -> Any:
        """Until the script gives something."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            found = self.run(script, *values)
            if found:
                return found
            time.sleep(0.1)
        raise AssertionError(f"waited in vain for {script}")


@pytest.fixture(scope="session")
def screen(site: Path) -> Iterator[Screen]:
    webdriver = pytest.importorskip("selenium.webdriver", reason="pip install selenium")
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        pytest.skip("chromium is missing; apt-get install chromium chromium-driver brings it")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    for flag in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"):
        options.add_argument(flag)
    # Nothing but files can be reached: a page that asks for more shows it as an error.
    options.add_argument("--host-resolver-rules=MAP * ~NOTFOUND")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.chrome.service.Service(driver)
    opened = webdriver.Chrome(options=options, service=service)
    opened.set_script_timeout(120)
    yield Screen(opened, site)
    opened.quit()
